"""Requests, bytes and time of a poll of an Iceberg catalog with 10,000 tables.

The REST catalog, the metastore and Nessie are in this process, and SQL is a SQLite file. Each catalog is polled at first,
then without changes, after commits of data to 100 tables, and after a new column in 100 tables; Nessie after one of each.
Run: ``make bench-iceberg_polls``.
"""

from __future__ import annotations

import json
import sqlite3
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from hive_metastore.ttypes import FieldSchema
from thrift.TSerialization import serialize

from lakeschema.catalog.iceberg import IcebergSource, Look
from lakeschema.catalog.iceberg_databases import DatabasesSource
from lakeschema.catalog.iceberg_hive import HiveDatabases
from lakeschema.catalog.iceberg_http import RestServer as Address
from lakeschema.catalog.iceberg_nessie import NessieSource
from lakeschema.catalog.iceberg_rest import RestSource
from lakeschema.catalog.iceberg_sql import SqlSource
from lakeschema.catalog.identifiers import RelationName
from tests.lakeschema.catalog.iceberg_documents import field_of, table_of
from tests.lakeschema.catalog.iceberg_rest_server import RestServer, serving
from tests.lakeschema.catalog.nessie_server import NessieServer, nessie_table, serving_nessie
from tests.lakeschema.catalog.thrift_metastore import Handler, thrift_table
from tests.lakeschema.catalog.thrift_metastore import serving as serving_thrift

TABLES = 10_000
CHANGED = 100
COLUMNS = 30
NAMESPACE = ("sales", "eu")
DATABASE = "sales"


def main() -> None:
    with serving(RestServer()) as server:
        server.tables[NAMESPACE] = {f"t{n:05}": table(n) for n in range(TABLES)}
        with closing(RestSource(Address(server.uri, "rest"), at_once=4)) as source:
            rest = Rest(server)
            measure(
                "REST", source, rest.commits(lambda old: old | {"last-updated-ms": 1}), rest.cost
            )
            measure_changes("REST", source, rest)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "catalog.db"
        create(file)
        with closing(SqlSource(f"sqlite:///{file}", "lake", name="sql")) as source:
            measure("SQL", source, lambda: move(file), lambda: {"statements": 1})
    handler = metastore()
    with (
        serving_thrift(handler) as uri,
        closing(DatabasesSource(HiveDatabases(uri, name="hive"))) as source,
    ):
        measure("metastore", source, lambda: move_pointers(handler), lambda: asked(handler))
    measure_nessie()


def table(number: int) -> dict[str, Any]:
    columns = (field_of(n, f"column_{n}", "string") for n in range(1, COLUMNS + 1))
    return table_of(*columns, location=f"s3://lake/sales/t{number:05}")


class Rest:
    def __init__(self, server: RestServer) -> None:
        self._server = server

    def commits(self, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Callable[[], None]:
        def commit() -> None:
            tables = self._server.tables[NAMESPACE]
            for name in list(tables)[:CHANGED]:
                tables[name] = change(tables[name])

        return commit

    def cost(self) -> Mapping[str, int]:
        counts = {f"answers {status}": n for status, n in sorted(self._server.counts.items())}
        found = {**counts, "bytes of bodies": self._server.bytes}
        self._server.reset()
        return found


def measure(
    kind: str,
    source: IcebergSource,
    commit_data: Callable[[], None],
    cost: Callable[[], Mapping[str, int]],
) -> None:
    marks = poll(f"{kind}: first", source, {}, cost)
    marks = poll(f"{kind}: nothing changed", source, marks, cost)
    commit_data()
    poll(f"{kind}: {CHANGED} commits of data", source, marks, cost)


def measure_changes(kind: str, source: IcebergSource, rest: Rest) -> None:
    marks = poll(f"{kind}: again", source, {}, rest.cost)
    rest.commits(lambda _: table_of(field_of(1, "column_1", "string"), field_of(2, "new")))()
    poll(f"{kind}: {CHANGED} changed schemas", source, marks, rest.cost)


def poll(
    what: str,
    source: IcebergSource,
    marks: Mapping[RelationName, str],
    cost: Callable[[], Mapping[str, int]],
) -> Mapping[RelationName, str]:
    return poll_from(what, source, Look(marks, ()), cost).marks


def poll_from(
    what: str, source: IcebergSource, known: Look, cost: Callable[[], Mapping[str, int]]
) -> Look:
    began, cpu = time.perf_counter(), time.process_time()
    look = source.look(known.marks, known.head)
    seconds, busy = time.perf_counter() - began, time.process_time() - cpu
    position = len(json.dumps({str(name): mark for name, mark in look.marks.items()}))
    shown = ", ".join(f"{amount:,} {unit}" for unit, amount in cost().items())
    print(
        f"{what:30} {seconds:7.2f} s ({busy:.2f} s of CPU), {len(look.changed):,} hints, "
        f"{shown}, position {position:,} bytes"
    )
    return look


def measure_nessie() -> None:
    def content(number: int, **more: int) -> dict[str, Any]:
        place = f"s3://lake/sales/t{number:05}/metadata/0000{len(more)}.metadata.json"
        return nessie_table(number, place, **more)

    with serving_nessie(NessieServer()) as server:
        server.commit({(*NAMESPACE, f"t{n:05}"): content(n) for n in range(TABLES)})

        def cost() -> Mapping[str, int]:
            found = {"requests": len(server.asked), "bytes of bodies": server.bytes}
            server.reset()
            return found

        with closing(NessieSource(Address(server.uri, "nessie"))) as source:
            look = poll_from("Nessie: first", source, Look({}, ()), cost)
            look = poll_from("Nessie: nothing changed", source, look, cost)
            server.commit({(*NAMESPACE, "t00007"): content(7, snapshotId=1)})
            look = poll_from("Nessie: a commit of data", source, look, cost)
            server.commit({(*NAMESPACE, "t00007"): content(7, snapshotId=1, schemaId=1)})
            poll_from("Nessie: a changed schema", source, look, cost)


def create(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute(
            "CREATE TABLE iceberg_tables (catalog_name, table_namespace, table_name, "
            "metadata_location, PRIMARY KEY (catalog_name, table_namespace, table_name))"
        )
        connection.executemany(
            "INSERT INTO iceberg_tables VALUES ('lake', 'sales.eu', ?, ?)",
            ((f"t{n:05}", f"s3://lake/t{n:05}/00001.metadata.json") for n in range(TABLES)),
        )


def move(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute(
            "UPDATE iceberg_tables SET metadata_location = metadata_location || '.2' "
            "WHERE table_name < ?",
            (f"t{CHANGED:05}",),
        )


def metastore() -> Handler:
    handler = Handler()
    columns = [FieldSchema(f"column_{n}", "string", "") for n in range(1, COLUMNS + 1)]
    handler.tables = {
        DATABASE: {
            name: thrift_table(
                name,
                columns,
                database=DATABASE,
                table_type="EXTERNAL_TABLE",
                properties={
                    "table_type": "ICEBERG",
                    "metadata_location": f"s3://lake/sales/{name}/metadata/00001.metadata.json",
                },
            )
            for name in (f"t{n:05}" for n in range(TABLES))
        }
    }
    return handler


def move_pointers(handler: Handler) -> None:
    for each in list(handler.tables[DATABASE].values())[:CHANGED]:
        each.parameters["metadata_location"] += ".2"


def asked(handler: Handler) -> Mapping[str, int]:
    """All polls list every table, so that the bytes of all tables are those of a poll."""
    requests = len(handler.requests)
    handler.requests.clear()
    tables = handler.tables[DATABASE].values()
    return {"requests": requests, "bytes of tables": sum(len(serialize(t)) for t in tables)}


if __name__ == "__main__":
    main()
