"""pyiceberg writes the catalog; views are rows as Iceberg's Java library writes them."""

from __future__ import annotations

import gzip
import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.schema import Schema
from pyiceberg.types import LongType, NestedField

from lakeschema.catalog.errors import CatalogRefused, CatalogUnavailable, NamespaceMissing
from lakeschema.catalog.iceberg import IcebergCatalog
from lakeschema.catalog.iceberg_sql import SqlSource
from lakeschema.catalog.identifiers import Namespace, RelationName
from lakeschema.catalog.relations import Dialect
from lakeschema.table_files.access import FileAccess, ReadingLimits
from lakeschema.table_files.limited import LimitedOwnSchemas
from tests.lakeschema.catalog.iceberg_documents import field_of, view_of

DEEP = ("p", "q", "r")
ID = Schema(NestedField(1, "Id", LongType(), required=True))


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[SqlCatalog]:
    writer = SqlCatalog(
        "lake", uri=f"sqlite:///{tmp_path}/lake.db", warehouse=(tmp_path / "files").as_uri()
    )
    writer.create_namespace("p.q.r")
    yield writer
    writer.close()


@pytest.fixture
def source(writer: SqlCatalog, tmp_path: Path) -> Iterator[SqlSource]:
    source = SqlSource(f"sqlite:///{tmp_path}/lake.db", "lake", name="lake")
    yield source
    source.close()


def name(*parts: str) -> RelationName:
    return RelationName(parts[:-1], parts[-1])


def insert(tmp_path: Path, *row: str | None) -> None:
    with closing(sqlite3.connect(tmp_path / "lake.db")) as connection, connection:
        connection.execute(
            "INSERT INTO iceberg_tables (catalog_name, table_namespace, table_name, metadata_location)"
            " VALUES (?, ?, ?, ?)",
            row,
        )


def test_tables_are_read_from_their_metadata(
    writer: SqlCatalog, source: SqlSource, tmp_path: Path
) -> None:
    for table in ("T", "t"):
        writer.create_table((*DEEP, table), ID)
    limits = ReadingLimits(FileAccess((f"file:{tmp_path}",)), at_once=1)

    with LimitedOwnSchemas(limits) as schemas:
        catalog = IcebergCatalog(source, schemas)
        names = catalog.relations(Namespace(DEEP))
        found = catalog.read([*names, name(*DEEP, "none"), name("P", "q", "r", "t")])

    assert sorted(found) == [name(*DEEP, "T"), name(*DEEP, "t")]
    assert [(c.name, c.nullable) for c in found[name(*DEEP, "T")].columns] == [("Id", False)]


def test_files_outside_the_locations_are_not_read(
    writer: SqlCatalog, source: SqlSource, tmp_path: Path
) -> None:
    writer.create_table((*DEEP, "t"), ID)
    limits = ReadingLimits(FileAccess((f"file:{tmp_path}/other",)), at_once=1)

    with LimitedOwnSchemas(limits) as schemas:
        found = IcebergCatalog(source, schemas).read([name(*DEEP, "t")])[name(*DEEP, "t")]

    assert found.schema_pointer is not None
    assert "is outside catalog.table_files.locations" in str(found.unreadable)


def test_a_view_is_read_from_its_metadata(source: SqlSource, tmp_path: Path) -> None:
    metadata = view_of({"trino": "SELECT 1 AS x"}, field_of(1, "x"))
    file = tmp_path / "v.gz.metadata.json"
    file.write_bytes(gzip.compress(json.dumps(metadata).encode()))
    insert(tmp_path, "lake", "p.q.r", "v", file.as_uri())

    with LimitedOwnSchemas(ReadingLimits(at_once=1)) as schemas:
        found = IcebergCatalog(source, schemas).read([name(*DEEP, "v")])[name(*DEEP, "v")]

    assert found.view is not None
    assert (found.view.dialect, found.view.text) == (Dialect.TRINO, "SELECT 1 AS x")


def test_created_namespaces_and_those_of_tables_are_listed(
    source: SqlSource, tmp_path: Path
) -> None:
    insert(tmp_path, "lake", "x.Y", "t", "file:/t")
    insert(tmp_path, "lake", "", "t", "file:/t")
    insert(tmp_path, "other", "z", "t", "file:/t")

    assert sorted(source.namespaces()) == [(), ("p", "q", "r"), ("x", "Y")]
    assert source.relations(()) == [name("t")]


def test_a_level_with_a_dot_is_no_second_name_of_two_levels(
    source: SqlSource, tmp_path: Path
) -> None:
    insert(tmp_path, "lake", "a.b", "t", "file:/t")

    assert source.relations(("a.b",)) == ()
    assert source.load([name("a.b", "t")]) == {}
    assert list(source.load([name("a", "b", "t")])) == [name("a", "b", "t")]


@pytest.mark.parametrize("text", ["a b", "a/..", "ü😀", "n" * 1024, "`", "'; DROP TABLE t", "\n"])
def test_names_of_any_text_are_kept(source: SqlSource, tmp_path: Path, text: str) -> None:
    table = f"with.dot{text}"[:1024]
    insert(tmp_path, "lake", "a", table, "file:/t")

    assert source.relations(("a",)) == [name("a", table)]
    assert list(source.load([name("a", table)])) == [name("a", table)]
    assert list(source.pointers()) == [name("a", table)]


def test_a_look_costs_one_statement_and_finds_moved_pointers(
    writer: SqlCatalog, source: SqlSource
) -> None:
    for table in ("same", "changed", "dropped"):
        writer.create_table((*DEEP, table), ID)
    marks = source.look({}).marks
    with writer.load_table((*DEEP, "changed")).update_schema() as update:
        update.add_column("more", LongType())
    writer.drop_table((*DEEP, "dropped"))
    writer.create_table((*DEEP, "new"), ID)

    again = source.look(marks)

    assert again.changed == [name(*DEEP, n) for n in ("changed", "dropped", "new")]
    assert source.look(again.marks).changed == []


def test_a_name_that_the_product_cannot_keep_is_no_change(
    source: SqlSource, tmp_path: Path
) -> None:
    insert(tmp_path, "lake", "a..b", "t", "file:/t")
    insert(tmp_path, "lake", "a", "n" * 1025, "file:/t")

    assert source.look({}).changed == []


def test_a_missing_file_is_not_created(tmp_path: Path) -> None:
    source = SqlSource(f"sqlite:///{tmp_path}/absent.db", "lake", name="lake")

    with pytest.raises(CatalogUnavailable, match="unable to open"):
        source.namespaces()
    assert list(tmp_path.iterdir()) == []
    source.close()


def test_a_file_that_was_moved_away_is_missed_and_its_replacement_is_read(
    writer: SqlCatalog, source: SqlSource, tmp_path: Path
) -> None:
    source.pointers()
    (tmp_path / "lake.db").rename(tmp_path / "away.db")

    with pytest.raises(CatalogUnavailable):
        source.pointers()

    shutil.copy(tmp_path / "away.db", tmp_path / "lake.db")
    insert(tmp_path, "lake", "p", "t", "file:/t.metadata.json")
    assert list(source.pointers()) == [name("p", "t")]


def test_a_database_without_the_tables_is_refused(tmp_path: Path) -> None:
    sqlite3.connect(tmp_path / "empty.db").close()
    source = SqlSource(f"sqlite:///{tmp_path}/empty.db", "lake", name="lake")

    with pytest.raises(CatalogRefused, match="it has no table iceberg_tables"):
        source.relations(("a",))
    source.close()


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("mysql+pymysql://u@127.0.0.1/x", "pymysql is not installed"),
        ("secret", "not the URL of a database"),
        ("oracel://secret@x/y", "not the URL of a database"),
    ],
)
def test_an_unusable_url_is_refused_without_showing_it(url: str, reason: str) -> None:
    with pytest.raises(CatalogRefused, match=reason) as refused:
        SqlSource(url, "lake", name="lake")
    assert "secret" not in str(refused.value)


def test_one_level_of_namespaces_is_listed(writer: SqlCatalog, source: SqlSource) -> None:
    writer.create_namespace("p.other")
    catalog = IcebergCatalog(source)

    assert list(catalog.list_namespaces(())) == [("p",)]
    assert list(catalog.list_namespaces(("p",), "o")) == [("p", "other")]
    with pytest.raises(NamespaceMissing, match="there is no such namespace"):
        catalog.load_namespace(("P",))


def test_a_wrong_name_is_not_a_catalog_whose_tables_were_dropped(
    writer: SqlCatalog, source: SqlSource, tmp_path: Path
) -> None:
    writer.create_table((*DEEP, "t"), ID)
    marks = source.look({}).marks
    renamed = SqlSource(f"sqlite:///{tmp_path}/lake.db", "renamed", name="renamed")

    for ask in (renamed.namespaces, lambda: renamed.look(marks), lambda: renamed.load([*marks])):
        with pytest.raises(CatalogRefused, match="it has 'lake'; set catalog_name"):
            ask()
    renamed.close()


def test_a_catalog_without_tables_is_empty(writer: SqlCatalog, source: SqlSource) -> None:
    assert source.look({}).marks == {}
    assert source.load([name(*DEEP, "t")]) == {}
