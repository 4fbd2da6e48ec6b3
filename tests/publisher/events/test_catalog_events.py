"""Events of a source that concerns one of several catalogs."""

from __future__ import annotations

from pathlib import Path

import pytest

from lakeschema.catalog.ddl_files import DdlFilesCatalog
from lakeschema.catalog.identifiers import Namespace, RelationName
from publisher.events.catalog_events import of_catalog, source_name
from publisher.events.ddl_folder import DdlFolderSource
from publisher.events.protocol import (
    Batch,
    DeadLetter,
    EventSource,
    NamespaceHint,
    RelationHint,
    SourceUnavailable,
)

ORDERS = RelationName(("sales",), "orders")
IN_B = RelationName(("sales",), "orders", "b")


class Source:
    name = "notification-log"

    def __init__(self, batch: Batch | None) -> None:
        self.batch = batch
        self.calls: list[object] = []

    def poll(self, position: str | None, timeout_seconds: float) -> Batch | None:
        self.calls.append((position, timeout_seconds))
        return self.batch

    def acknowledge(self, position: str) -> None:
        self.calls.append(position)

    def close(self) -> None:
        self.calls.append("closed")


BATCH = Batch(
    hints=[RelationHint(ORDERS, 7), NamespaceHint(Namespace(("sales",)), 8)],
    position="8",
    gap="lost",
    dead_letters=[DeadLetter(b"x", "why", Namespace(("hr",))), DeadLetter(b"y", "why")],
    seen=3,
    behind=4,
    event_times={ORDERS: 1.0},
    newest_event_at=2.0,
)


def test_everything_that_an_event_names_is_in_the_catalog() -> None:
    found = of_catalog(Source(BATCH), "b").poll("1", 0.5)

    assert found == Batch(
        hints=[RelationHint(IN_B, 7), NamespaceHint(Namespace(("sales",), "b"), 8)],
        position="8",
        gap="lost",
        dead_letters=[DeadLetter(b"x", "why", Namespace(("hr",), "b")), DeadLetter(b"y", "why")],
        seen=3,
        behind=4,
        event_times={IN_B: 1.0},
        newest_event_at=2.0,
    )


def test_the_source_of_the_default_catalog_is_itself() -> None:
    source = Source(BATCH)

    assert of_catalog(source, "") is source


def test_positions_of_two_catalogs_have_keys_of_their_own() -> None:
    names = {of_catalog(Source(None), catalog).name for catalog in ("", "b", "c")}

    assert names == {"notification-log", "notification-log b", "notification-log c"}
    assert source_name("kafka", "") == "kafka"


def test_the_source_is_asked_answered_and_closed() -> None:
    source = Source(None)
    labelled = of_catalog(source, "b")

    assert labelled.poll("1", 0.5) is None
    labelled.acknowledge("2")
    labelled.close()

    assert source.calls == [("1", 0.5), "2", "closed"]


DDL = "CREATE TABLE shop.orders (id BIGINT);"


def labelled(folder: Path, catalog: str) -> EventSource:
    return of_catalog(DdlFolderSource(DdlFilesCatalog(folder)), catalog)


def test_hints_name_the_sources_catalog(tmp_path: Path) -> None:
    source = labelled(tmp_path, "b")
    first = source.poll(None, 0.0)
    assert first is not None
    (tmp_path / "tables.sql").write_text(DDL)

    batch = source.poll(first.position, 10.0)

    assert batch is not None
    assert batch.hints == [RelationHint(RelationName(("shop",), "orders", "b"))]


def test_an_outage_names_the_sources_catalog(tmp_path: Path) -> None:
    source = labelled(tmp_path / "absent", "b")

    with pytest.raises(SourceUnavailable) as caught:
        source.poll(None, 0.0)

    assert caught.value.source == source.name == "ddl-folder b"
