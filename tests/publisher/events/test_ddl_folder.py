from __future__ import annotations

import threading
from pathlib import Path

import pytest

from lakeschema.catalog.ddl_files import DdlFilesCatalog
from publisher.events.ddl_folder import DdlFolderSource
from publisher.events.protocol import Batch, RelationHint, SourceUnavailable


@pytest.fixture
def source(tmp_path: Path) -> DdlFolderSource:
    (tmp_path / "a.sql").write_text("CREATE TABLE t (a int); CREATE VIEW v AS SELECT a FROM t;")
    return DdlFolderSource(DdlFilesCatalog(tmp_path))


def start(source: DdlFolderSource) -> str:
    batch = source.poll(None, 0)
    assert batch is not None
    assert batch.gap == "first start"
    return batch.position


def tables(batch: Batch | None) -> list[str]:
    assert batch is not None
    return [h.relation.name for h in batch.hints if isinstance(h, RelationHint)]


def test_only_relations_whose_facts_changed_are_hints(
    source: DdlFolderSource, tmp_path: Path
) -> None:
    position = start(source)
    (tmp_path / "a.sql").write_text(
        "CREATE TABLE t (a int, b int); -- more\nCREATE VIEW v AS SELECT a FROM t;"
    )

    batch = source.poll(position, 0)

    assert tables(batch) == ["t"]
    assert batch is not None
    assert source.poll(batch.position, 0) is None


def test_a_changed_sql_comment_is_not_an_event(source: DdlFolderSource, tmp_path: Path) -> None:
    position = start(source)
    file = tmp_path / "a.sql"
    file.write_text("-- hello\n" + file.read_text())

    assert source.poll(position, 0) is None


def test_a_dropped_relation_is_a_hint(source: DdlFolderSource, tmp_path: Path) -> None:
    position = start(source)
    (tmp_path / "a.sql").write_text("CREATE TABLE t (a int);")

    assert tables(source.poll(position, 0)) == ["v"]


def test_a_change_while_no_program_ran_is_found_at_the_next_start(
    source: DdlFolderSource, tmp_path: Path
) -> None:
    position = start(source)
    source.close()
    (tmp_path / "b.sql").write_text("CREATE TABLE u (a int)")

    again = DdlFolderSource(DdlFilesCatalog(tmp_path))

    assert tables(again.poll(position, 0)) == ["u"]


def test_an_uncommitted_batch_is_returned_again(source: DdlFolderSource, tmp_path: Path) -> None:
    position = start(source)
    (tmp_path / "b.sql").write_text("CREATE TABLE u (a int)")

    assert tables(source.poll(position, 0)) == tables(source.poll(position, 0)) == ["u"]


def test_a_change_ends_the_wait(source: DdlFolderSource, tmp_path: Path) -> None:
    position = start(source)
    change = threading.Timer(0.3, (tmp_path / "b.sql").write_text, args=("CREATE TABLE u (a int)",))
    change.start()

    assert tables(source.poll(position, 30)) == ["u"]
    change.join()


def test_a_folder_that_does_not_exist_is_unavailable(tmp_path: Path) -> None:
    source = DdlFolderSource(DdlFilesCatalog(tmp_path / "gone"))

    with pytest.raises(SourceUnavailable, match="no such folder"):
        source.poll(None, 0)


def test_a_position_of_another_source_is_a_gap(source: DdlFolderSource) -> None:
    batch = source.poll("[]", 0)

    assert batch is not None
    assert batch.gap == "the position is unreadable"
