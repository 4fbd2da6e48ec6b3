import os
from pathlib import Path

import pytest

from lakeschema.catalog.abilities import TellsEvents
from lakeschema.catalog.catalog_identifiers import CatalogIdentifier
from lakeschema.catalog.ddl_files import DdlFilesCatalog, relations_from_ddl
from lakeschema.catalog.errors import CatalogUnavailable, MalformedDdl
from lakeschema.catalog.identifiers import Namespace, RelationName
from lakeschema.catalog.relations import Catalog
from tests.lakeschema.catalog.behaviour import CatalogBehaviour, ContainmentBehaviour

MEMBERS = """
CREATE DATABASE club;
USE club;
-- who; is in
CREATE EXTERNAL TABLE IF NOT EXISTS Members (
  Id bigint COMMENT 'the key', name string, scores array<decimal(5,2)>,
  home struct<street:string,number:int>
) COMMENT 'who is in'
PARTITIONED BY (day string)
STORED AS PARQUET LOCATION '/data;members'
TBLPROPERTIES ('team'='red', 'transient_lastDdlTime'='12');
/* a view; over it */
CREATE VIEW names AS SELECT name FROM members;
"""


class TestDdlFiles(CatalogBehaviour):
    @pytest.fixture
    def catalog(self, tmp_path: Path) -> Catalog:
        (tmp_path / "members.sql").write_text(MEMBERS)
        return DdlFilesCatalog(tmp_path)

    @pytest.fixture
    def namespace(self) -> str:
        return "club"


class TestContainment(ContainmentBehaviour):
    @pytest.fixture
    def catalog(self, tmp_path: Path) -> Catalog:
        (tmp_path / "t.sql").write_text(
            "CREATE TABLE unsound (id bigint,, name); CREATE TABLE sound (id int);"
        )
        return DdlFilesCatalog(tmp_path)

    @pytest.fixture
    def namespace(self) -> str:
        return "default"


def test_a_volume_of_kubernetes_shows_each_file_once(tmp_path: Path) -> None:
    (tmp_path / "..2026_11_29").mkdir()
    (tmp_path / "..2026_11_29" / "t.sql").write_text("CREATE TABLE t (a int)")
    (tmp_path / "..data").symlink_to("..2026_11_29")
    (tmp_path / "t.sql").symlink_to("..data/t.sql")
    catalog = DdlFilesCatalog(tmp_path)

    assert list(catalog.read_all()) == [RelationName.of("default", "t")]
    assert not catalog.problems()


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    file = tmp_path / "t.sql"
    file.write_text("CREATE TABLE t (a int)")
    catalog = DdlFilesCatalog(tmp_path)
    name = RelationName.of("default", "t")
    assert [c.name for c in catalog.read([name])[name].columns] == ["a"]

    file.write_text("CREATE TABLE t (a int, bb int)")

    assert [c.name for c in catalog.read([name])[name].columns] == ["a", "bb"]


def test_an_unchanged_file_is_not_read_again(tmp_path: Path) -> None:
    file = tmp_path / "t.sql"
    file.write_text("CREATE TABLE t (a int)")
    before = file.stat()
    catalog = DdlFilesCatalog(tmp_path)
    name = RelationName.of("default", "t")
    catalog.read([name])

    with file.open("r+") as same_file:
        same_file.write("CREATE TABLE t (b int)")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))

    assert [c.name for c in catalog.read([name])[name].columns] == ["a"]


def test_a_deleted_file_drops_its_relations(tmp_path: Path) -> None:
    file = tmp_path / "t.sql"
    file.write_text("CREATE TABLE t (a int)")
    catalog = DdlFilesCatalog(tmp_path)
    assert catalog.relations(Namespace(("default",)))

    file.unlink()

    assert not catalog.relations(Namespace(("default",)))


def test_a_folder_that_is_gone_is_not_taken_for_an_empty_one(tmp_path: Path) -> None:
    catalog = DdlFilesCatalog(tmp_path / "gone")

    with pytest.raises(CatalogUnavailable, match="no such folder"):
        catalog.namespaces()


def test_files_count_in_order_of_their_paths(tmp_path: Path) -> None:
    (tmp_path / "b.sql").write_text("ALTER TABLE club.t ADD COLUMNS (b int)")
    (tmp_path / "a.sql").write_text("CREATE TABLE club.t (a int)")

    catalog = DdlFilesCatalog(tmp_path)

    name = RelationName.of("club", "t")
    assert [c.name for c in catalog.read([name])[name].columns] == ["a", "b"]
    assert not catalog.problems()


def test_each_file_begins_in_the_default_database(tmp_path: Path) -> None:
    (tmp_path / "a.sql").write_text("USE club; CREATE TABLE t (a int)")
    (tmp_path / "b.sql").write_text("CREATE TABLE u (a int)")

    catalog = DdlFilesCatalog(tmp_path)

    assert catalog.relations(Namespace(("default",))) == (RelationName.of("default", "u"),)


def test_a_malformed_statement_is_reported_with_its_line_and_hides_no_relation(
    tmp_path: Path,
) -> None:
    (tmp_path / "a.sql").write_text(
        "CREATE TABLE good (a int);\nCREATE TABLE bad (a int,,);\n\nCREATE TABLE last (a int);"
    )

    catalog = DdlFilesCatalog(tmp_path)

    (problem,) = catalog.problems()
    assert (problem.path, problem.line) == ("a.sql", 2)
    assert {n.name for n in catalog.relations(Namespace(("default",)))} == {"good", "bad", "last"}


@pytest.mark.parametrize("columns", ["(a int)", "(a int,,)"])
def test_a_name_that_cannot_be_stored_is_reported_and_hides_nothing(
    tmp_path: Path, columns: str
) -> None:
    (tmp_path / "a.sql").write_text(
        f"CREATE TABLE good (a int);\nCREATE TABLE `a\0b` {columns};\nCREATE TABLE last (a int);"
    )

    catalog = DdlFilesCatalog(tmp_path)

    (problem,) = catalog.problems()
    assert (problem.path, problem.line) == ("a.sql", 2)
    assert {n.name for n in catalog.relations(Namespace(("default",)))} == {"good", "last"}


def test_a_quote_that_is_never_closed_hides_only_its_statement(tmp_path: Path) -> None:
    (tmp_path / "a.sql").write_text(
        "CREATE TABLE bad (a int COMMENT 'oops);\nCREATE TABLE good (a int);\n"
    )

    catalog = DdlFilesCatalog(tmp_path)

    assert RelationName.of("default", "good") in catalog.read_all()
    assert len(catalog.problems()) == 1


def test_a_broken_view_keeps_existing_with_its_text(tmp_path: Path) -> None:
    (tmp_path / "a.sql").write_text("CREATE VIEW v (a SELECT 1")

    catalog = DdlFilesCatalog(tmp_path)

    name = RelationName.of("default", "v")
    view = catalog.read([name])[name].view
    assert view is not None
    assert view.text == "CREATE VIEW v (a SELECT 1"


def test_bytes_that_are_not_utf8_are_a_problem_of_their_file_only(tmp_path: Path) -> None:
    (tmp_path / "a.sql").write_bytes(b"CREATE TABLE t (a int COMMENT '\xff\xfe')")
    (tmp_path / "b.sql").write_text("CREATE TABLE u (a int)")

    catalog = DdlFilesCatalog(tmp_path)

    assert [p.path for p in catalog.problems()] == ["a.sql"]
    assert len(catalog.relations(Namespace(("default",)))) == 2


def test_broken_text_is_an_error_where_no_folder_could_go_on() -> None:
    with pytest.raises(MalformedDdl, match=r"ddl\[1\]:2"):
        relations_from_ddl(["CREATE TABLE t (a int)", "\nCREATE TABEL u (a int)"])


def test_views_are_listed_without_tables(tmp_path: Path) -> None:
    (tmp_path / "members.sql").write_text(MEMBERS)
    catalog = DdlFilesCatalog(tmp_path)

    assert catalog.list_views(("club",)) == [CatalogIdentifier(("club",), "names")]
    assert catalog.list_views(("default",)) == []
    assert isinstance(catalog, TellsEvents)
