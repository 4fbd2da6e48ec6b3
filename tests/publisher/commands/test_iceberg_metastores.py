"""The whole way from Iceberg's tables in a metastore or in AWS Glue to packages."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest
from moto import mock_aws

from tests.lakeschema.catalog.iceberg_documents import field_of, table_of, view_of
from tests.lakeschema.catalog.thrift_metastore import Handler, serving, thrift_table
from tests.publisher.commands.folder import run

ORDERS = table_of(field_of(1, "Id", "long"))
BEFORE: dict[str, dict[str, Any]] = {
    "orders": ORDERS,
    "v": view_of(
        {"spark": "SELECT Id FROM lake.sales.Orders"},
        field_of(1, "key", "long"),
        of_version={"default-namespace": ["sales"], "default-catalog": "lake"},
    ),
}

Deployed = tuple[Path, Callable[[dict[str, dict[str, Any]]], None]]


@pytest.fixture(params=["hive", "glue"])
def deployed(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Deployed]:
    """The settings of a deployment, and a function that writes its catalog."""
    if request.param == "hive":
        handler = Handler()
        with serving(handler) as uri:
            config = settings(tmp_path, f'type = "hive"\nuri = "{uri}"')
            yield config, lambda found: write_hive(handler, tmp_path, found)
        return
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    with mock_aws():
        client = boto3.client("glue", region_name="eu-west-1")
        config = settings(tmp_path, 'type = "glue"\nregion = "eu-west-1"')
        yield config, lambda found: write_glue(client, tmp_path, found)


def settings(folder: Path, catalog: str) -> Path:
    file = folder / "schema-publisher.toml"
    file.write_text(
        f"""\
[artifacts]
prefix = "acme-schema"
[catalog]
kind = "iceberg"
name = "lake"
{catalog}
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


def parameters(folder: Path, name: str, metadata: dict[str, Any]) -> dict[str, str]:
    """What Iceberg's Java library writes; each call is a commit."""
    place = folder / f"{name}-{len(list(folder.glob('*.metadata.json')))}.metadata.json"
    place.write_text(json.dumps(metadata))
    type_ = "ICEBERG-VIEW" if "view-uuid" in metadata else "ICEBERG"
    return {"table_type": type_, "metadata_location": place.as_uri()}


def write_hive(handler: Handler, folder: Path, found: dict[str, dict[str, Any]]) -> None:
    handler.tables["sales"] = {
        "plain": thrift_table("plain", database="sales"),
        **{
            name: thrift_table(
                name, database="sales", properties=parameters(folder, name, metadata)
            )
            for name, metadata in found.items()
        },
    }


def write_glue(client: Any, folder: Path, found: dict[str, dict[str, Any]]) -> None:
    if client.get_databases()["DatabaseList"]:
        client.delete_database(Name="sales")
    client.create_database(DatabaseInput={"Name": "sales"})
    client.create_table(DatabaseName="sales", TableInput={"Name": "plain"})
    for name, metadata in found.items():
        made = {"Name": name, "Parameters": parameters(folder, name, metadata)}
        client.create_table(DatabaseName="sales", TableInput=made)


def snapshot(config: Path) -> dict[str, int]:
    ended = run("snapshot", "--config", str(config))
    assert ended.status == 0, ended
    counters: dict[str, int] = json.loads(ended.out)["counters"]
    return counters


def wheels(config: Path) -> list[str]:
    found = (config.parent / "index").rglob("*.whl")
    return sorted(" ".join(wheel.name.split("-")[:2]) for wheel in found)


@pytest.mark.thorough
def test_tables_and_views_of_iceberg_get_packages(deployed: Deployed) -> None:
    config, place = deployed
    place(BEFORE)

    snapshot(config)

    assert wheels(config) == ["acme_schema_sales_orders 1.0.0", "acme_schema_sales_v 1.0.0"]


def test_a_commit_of_data_costs_no_derivation_and_one_of_the_schema_a_version(
    deployed: Deployed,
) -> None:
    config, place = deployed
    place(BEFORE)
    snapshot(config)
    place({**BEFORE, "orders": ORDERS | {"current-snapshot-id": 7}})

    assert "derived" not in snapshot(config)

    place({**BEFORE, "orders": table_of(field_of(1, "Id", "long"), field_of(2, "more"))})
    snapshot(config)

    assert wheels(config) == [
        "acme_schema_sales_orders 1.0.0",
        "acme_schema_sales_orders 1.1.0",
        "acme_schema_sales_v 1.0.0",
    ]
