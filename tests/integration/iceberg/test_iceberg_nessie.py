"""Our client of Nessie against a real server, which gets the metadata files that pyiceberg writes."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import Any

import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.schema import Schema
from pyiceberg.table import Table
from pyiceberg.types import LongType, NestedField, StringType

from deploy.nessie import Nessie
from lakeschema.catalog.errors import CatalogRefused
from lakeschema.catalog.iceberg import IcebergCatalog, Look
from lakeschema.catalog.iceberg_http import RestServer
from lakeschema.catalog.iceberg_nessie import NessieSource
from lakeschema.catalog.identifiers import Namespace, RelationName
from lakeschema.catalog.listing import list_relations
from lakeschema.catalog.relations import Relation
from lakeschema.table_files.access import ReadingLimits
from lakeschema.table_files.limited import LimitedOwnSchemas

DEEP = ("p", "Q.x", "r r")
UPPER, LOWER, VIEW = (RelationName(DEEP, name) for name in ("T", "t", "v"))
SCHEMA = Schema(NestedField(1, "Id", LongType(), required=True), NestedField(2, "s", StringType()))
Operation = Mapping[str, Any]


class Writer:
    """Writes tables with pyiceberg, and commits their metadata files to one branch."""

    def __init__(self, server: Nessie, files: SqlCatalog) -> None:
        self.server = server
        self.branch = f"tests/b_{secrets.token_hex(4)}"
        self.files = files
        server.create_branch(self.branch, "main")
        levels = [DEEP[:depth] for depth in (1, 2, 3)]
        self.commit(*(put(each, namespace(each)) for each in levels))

    def commit(self, *operations: Operation) -> None:
        self.server.commit(operations, self.branch)

    def table(self) -> Table:
        return self.files.create_table(("files", f"t_{secrets.token_hex(4)}"), SCHEMA)

    def save(self, name: RelationName, table: Table, **more: Any) -> None:
        """Commits the table's metadata, under the content id that the name has already."""
        self.commit(put(name.parts, {**content_of(table), **self.identity(name), **more}))

    def identity(self, name: RelationName) -> dict[str, str]:
        key = ".".join(part.replace(".", "%1D").replace(" ", "%20") for part in name.parts)
        path = f"trees/{self.branch.replace('/', '%2F')}/contents?key={key}"
        found = self.server.ask("GET", path)["contents"]
        return {"id": found[0]["content"]["id"]} if found else {}


def put(key: tuple[str, ...], content: Mapping[str, Any]) -> Operation:
    return {"type": "PUT", "key": {"elements": [*key]}, "content": content}


def delete(name: RelationName) -> Operation:
    return {"type": "DELETE", "key": {"elements": [*name.parts]}}


def namespace(levels: tuple[str, ...]) -> dict[str, Any]:
    return {"type": "NAMESPACE", "elements": [*levels]}


def content_of(table: Table) -> dict[str, Any]:
    metadata = table.metadata
    return {
        "type": "ICEBERG_TABLE",
        "metadataLocation": table.metadata_location,
        "snapshotId": -1 if metadata.current_snapshot_id is None else metadata.current_snapshot_id,
        "schemaId": metadata.current_schema_id,
        "specId": metadata.default_spec_id,
        "sortOrderId": metadata.default_sort_order_id,
    }


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqlCatalog]:
    folder = tmp_path_factory.mktemp("files")
    database = f"sqlite:///{folder}/c.db"
    with closing(SqlCatalog("files", uri=database, warehouse=folder.as_uri())) as catalog:
        catalog.create_namespace("files")
        yield catalog


@pytest.fixture
def writer(nessie: Nessie, files: SqlCatalog) -> Writer:
    return Writer(nessie, files)


@pytest.fixture
def source(writer: Writer) -> Iterator[NessieSource]:
    source = NessieSource(RestServer(writer.server.uri, "lake"), reference=writer.branch)
    yield source
    source.close()


def read(source: NessieSource, *names: RelationName) -> dict[RelationName, Relation]:
    with LimitedOwnSchemas(ReadingLimits(at_once=1)) as schemas:
        return dict(IcebergCatalog(source, schemas).read(names))


def after(source: NessieSource, known: Look) -> Look:
    return source.look(known.marks, known.head)


def test_tables_and_views_are_listed_and_read(writer: Writer, source: NessieSource) -> None:
    writer.save(UPPER, writer.table())
    writer.save(LOWER, writer.table())
    view = {"type": "ICEBERG_VIEW", "metadataLocation": "file:/absent/1.metadata.json"}
    delta = {"metadataLocationHistory": [], "checkpointLocationHistory": [], "lastCheckpoint": ""}
    writer.commit(
        put(VIEW.parts, {**view, "versionId": 1, "schemaId": 0}),
        put((*DEEP, "d"), {"type": "DELTA_LAKE_TABLE", **delta}),
    )

    listed = list_relations(IcebergCatalog(source))
    absent = [RelationName(DEEP, "x" * length) for length in (1, 500 - len("".join(DEEP)), 900)]
    deep = RelationName(("n",) * 19, "t")
    found = read(source, *listed.names, *absent, deep, RelationName(("n",) * 20, "t"))

    assert sorted(listed.names) == [UPPER, LOWER, VIEW]
    assert Namespace(DEEP) in IcebergCatalog(source).namespaces()
    assert sorted(found) == [UPPER, LOWER, VIEW]
    assert [(c.name, c.nullable) for c in found[UPPER].columns] == [("Id", False), ("s", True)]
    assert found[VIEW].unreadable is not None


def test_a_commit_of_data_is_no_change_and_others_are(writer: Writer, source: NessieSource) -> None:
    table = writer.table()
    writer.save(UPPER, table)
    writer.save(LOWER, writer.table())
    first = source.look({})

    table.append(pa.Table.from_pylist([{"Id": 1, "s": "x"}], schema=table.schema().as_arrow()))
    writer.save(UPPER, table)
    after_data = after(source, first)
    with table.update_schema() as update:
        update.rename_column("s", "title")
    writer.save(UPPER, table)
    after_rename = after(source, after_data)
    with table.transaction() as transaction:
        transaction.set_properties(comment="orders")
    writer.save(UPPER, table)
    after_comment = after(source, after_rename)

    looks = [first, after_data, after_rename, after_comment, after(source, after_comment)]
    assert [list(look.changed) for look in looks] == [[UPPER, LOWER], [], [UPPER], [UPPER], []]
    found = read(source, UPPER)[UPPER]
    assert (found.comment, found.columns[1].former_names) == ("orders", ("s",))


def test_a_renamed_and_a_dropped_table_are_changes(writer: Writer, source: NessieSource) -> None:
    table = writer.table()
    writer.save(UPPER, table)
    writer.save(LOWER, writer.table())
    first = source.look({})
    renamed = RelationName(("p",), "T2")

    moved = put(renamed.parts, {**content_of(table), **writer.identity(UPPER)})
    writer.commit(delete(UPPER), moved)
    after_rename = after(source, first)
    writer.commit(delete(LOWER))
    after_drop = after(source, after_rename)

    assert after_rename.changed == sorted([UPPER, renamed])
    assert after_drop.changed == [LOWER]
    assert list(after_drop.marks) == [renamed]


def test_a_reassigned_branch_hides_no_schema_of_the_same_number(
    writer: Writer, source: NessieSource
) -> None:
    writer.save(UPPER, writer.table(), schemaId=1)
    other = Writer(writer.server, writer.files)
    writer.server.assign_branch(other.branch, writer.branch)
    writer.save(UPPER, writer.table(), schemaId=1, snapshotId=7)
    other.save(UPPER, writer.table(), schemaId=1, snapshotId=8)
    first = source.look({})

    writer.server.assign_branch(writer.branch, other.branch)

    assert after(source, first).changed == [UPPER]


def test_a_commit_that_the_server_does_not_know_costs_a_listing(
    writer: Writer, source: NessieSource
) -> None:
    writer.save(UPPER, writer.table())
    first = source.look({})
    writer.save(LOWER, writer.table())

    assert source.look(first.marks, "ab" * 32).changed == [LOWER]


def test_a_long_history_is_read_by_pages(writer: Writer, source: NessieSource) -> None:
    content = content_of(writer.table())
    names = [RelationName(DEEP, f"t{n:04}") for n in range(1500)]
    first = source.look({})
    writer.commit(*(put(name.parts, content) for name in names))

    by_difference = after(source, first)

    assert by_difference.changed == names
    assert source.look({}).marks == by_difference.marks
    assert len(source.load(names)) == 1500
    assert len(source.relations(DEEP)) == 1500


def test_the_default_branch_is_read_and_a_missing_reference_refused(nessie: Nessie) -> None:
    with (
        closing(NessieSource(RestServer(nessie.uri, "lake"), reference="absent")) as source,
        pytest.raises(CatalogRefused, match="refused the reference 'absent': status 404"),
    ):
        source.look({})
    with closing(NessieSource(RestServer(nessie.uri, "lake"))) as source:
        nessie.commit([put(("one",), namespace(("one",)))])
        first = source.look({})
        nessie.commit([put(("two",), namespace(("two",)))])
        again = after(source, first)
        assert (again.changed, again.head) == ([], nessie.hash_of("main"))
