"""The whole way from an Iceberg catalog to packages, over REST, over SQL and over Nessie."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from tests.lakeschema.catalog.iceberg_documents import (
    field_of,
    struct_of,
    table_of,
    table_with,
    view_of,
)
from tests.lakeschema.catalog.iceberg_rest_server import RestServer, serving
from tests.lakeschema.catalog.nessie_server import (
    NessieServer,
    nessie_table,
    nessie_view,
    serving_nessie,
)
from tests.publisher.commands.folder import run

NAMESPACE = ("sales", "EU")
SCHEMA = {
    "type": "struct",
    "schema-id": 0,
    "fields": [field_of(1, "Id", "long"), field_of(2, "s", struct_of(field_of(3, "x")))],
}
RENAMED = {
    "type": "struct",
    "schema-id": 1,
    "fields": [field_of(1, "Id", "long"), field_of(2, "s", struct_of(field_of(3, "y")))],
}
BEFORE: dict[str, dict[str, Any]] = {
    "Orders": table_with([SCHEMA]),
    "orders": table_of(field_of(1, "id")),
    "v": view_of(
        {"spark": "SELECT Id FROM Orders"},
        field_of(1, "key", "long"),
        of_version={"default-namespace": list(NAMESPACE)},
    ),
}

Deployed = tuple[Path, Callable[[dict[str, dict[str, Any]]], None]]


@pytest.fixture(params=["rest", "sql", "nessie"])
def deployed(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Deployed]:
    """The settings of a deployment, and a function that writes its catalog."""
    if request.param == "sql":
        file = tmp_path / "catalog.db"
        uri = f"sqlite:///{file}"
        yield settings(tmp_path, "sql", uri), lambda found: write(file, tmp_path, found)
        return
    if request.param == "nessie":
        with serving_nessie(NessieServer()) as nessie:
            yield (
                settings(tmp_path, "nessie", nessie.uri),
                lambda found: commit(nessie, tmp_path, found),
            )
        return
    with serving(RestServer()) as server:

        def place(found: dict[str, dict[str, Any]]) -> None:
            server.tables[NAMESPACE] = {k: v for k, v in found.items() if "view-uuid" not in v}
            server.views[NAMESPACE] = {k: v for k, v in found.items() if "view-uuid" in v}

        yield settings(tmp_path, "rest", server.uri), place


def settings(folder: Path, type_: str, uri: str) -> Path:
    file = folder / "schema-publisher.toml"
    file.write_text(
        f"""\
[artifacts]
prefix = "acme-schema"
[catalog]
kind = "iceberg"
type = "{type_}"
name = "lake"
uri = "{uri}"
[state]
url = "sqlite:///{folder}/state.db"
[index]
kind = "static"
path = "{folder}/index"
[snapshot]
runner = "local"
[engine]
debounce_seconds = 0
staleness_seconds = 0
"""
    )
    return file


def write(file: Path, folder: Path, found: dict[str, dict[str, Any]]) -> None:
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("DROP TABLE IF EXISTS iceberg_tables")
        connection.execute(
            "CREATE TABLE iceberg_tables "
            "(catalog_name, table_namespace, table_name, metadata_location, iceberg_type)"
        )
        for number, (name, metadata) in enumerate(found.items()):
            place = folder / f"{number}.metadata.json"
            place.write_text(json.dumps(metadata))
            row = ("lake", ".".join(NAMESPACE), name, place.as_uri())
            connection.execute("INSERT INTO iceberg_tables VALUES (?, ?, ?, ?, NULL)", row)


def commit(nessie: NessieServer, folder: Path, found: dict[str, dict[str, Any]]) -> None:
    contents: dict[tuple[str, ...], dict[str, Any]] = {}
    for number, (name, metadata) in enumerate(found.items()):
        place = folder / f"{number}.metadata.json"
        place.write_text(json.dumps(metadata))
        of_kind = nessie_view if "view-uuid" in metadata else nessie_table
        contents[*NAMESPACE, name] = of_kind(number, place.as_uri())
    nessie.commit(contents)


def snapshot(config: Path) -> dict[str, int]:
    ended = run("snapshot", "--config", str(config))
    assert ended.status == 0, ended
    counters: dict[str, int] = json.loads(ended.out)["counters"]
    return counters


def wheels(config: Path) -> list[str]:
    """The numbers of the wheels, by the start of their names."""
    found = (config.parent / "index").rglob("*.whl")
    return sorted(f"{w.name.split('_x')[0]} {w.name.split('-')[1]}" for w in found)


def test_tables_that_differ_in_case_alone_and_a_view_get_packages(deployed: Deployed) -> None:
    config, place = deployed
    place(BEFORE)

    snapshot(config)

    assert wheels(config) == [
        "acme_schema_sales_eu_orders 1.0.0",
        "acme_schema_sales_eu_orders 1.0.0",
        "acme_schema_sales_eu_v 1.0.0",
    ]


def test_a_commit_of_data_costs_no_derivation(deployed: Deployed) -> None:
    config, place = deployed
    place(BEFORE)
    snapshot(config)
    place({**BEFORE, "Orders": BEFORE["Orders"] | {"current-snapshot-id": 7}})

    assert "derived" not in snapshot(config)


def test_a_renamed_nested_field_gives_one_new_version(deployed: Deployed) -> None:
    config, place = deployed
    place(BEFORE)
    snapshot(config)
    place({**BEFORE, "Orders": table_with([SCHEMA, RENAMED])})

    snapshot(config)

    assert wheels(config) == [
        "acme_schema_sales_eu_orders 1.0.0",
        "acme_schema_sales_eu_orders 1.0.0",
        "acme_schema_sales_eu_orders 2.0.0",
        "acme_schema_sales_eu_v 1.0.0",
    ]


def test_a_view_for_an_engine_that_is_not_read_gets_a_package_of_its_stated_columns(
    deployed: Deployed,
) -> None:
    config, place = deployed
    there = {"default-namespace": list(NAMESPACE)}
    total = field_of(1, "Total", "decimal(20, 2)")
    theirs = view_of({"snowflake": "SELECT SUM(x):y AS Total FROM t"}, total, of_version=there)
    reader = view_of({"spark": "SELECT Total AS t FROM theirs"}, total, of_version=there)
    place({"theirs": theirs, "reader": reader})

    snapshot(config)

    assert wheels(config) == [
        "acme_schema_sales_eu_reader 1.0.0",
        "acme_schema_sales_eu_theirs 1.0.0",
    ]
    [wheel] = [each for each in config.parent.rglob("*.whl") if "theirs" in each.name]
    with ZipFile(wheel) as archive:
        [schema] = [archive.read(name) for name in archive.namelist() if name.endswith(".avsc")]
    [column] = json.loads(schema)["fields"]
    assert (column["name"], column["type"][1]["precision"]) == ("Total", 20)
    known = run("explain", "sales.EU.theirs", "--json", "--config", str(config)).lines[0]
    assert known["relation"]["status"] == "OK"
    assert known["dependents"] == ["sales.`EU`.reader"]
    refused = run("translate", "sales.EU.theirs", "--to", "trino", "--config", str(config))
    assert refused.status != 0
    assert (
        "the dialect snowflake is not supported: only the view's columns are known" in refused.err
    )

    new = view_of(
        {"snowflake": "SELECT x AS Total, y FROM t"}, total, field_of(2, "y"), of_version=there
    )
    place({"theirs": new, "reader": reader})
    snapshot(config)
    assert "acme_schema_sales_eu_theirs 1.1.0" in wheels(config)
