"""Statements as OpenLineage's events, checked with openlineage-python's classes."""

from __future__ import annotations

from typing import Any

import pytest
from openlineage.client.naming.dataset import Hive

from lakeschema.analysis.batch import answer
from tests.lakeschema.analysis.openlineage_classes import through_their_classes, without_empty

TIME = "2026-01-02T03:04:05+00:00"
NAMESPACE = "hive://metastore:9083"
SQL = """\
INSERT INTO shop.totals
SELECT o.customer, CASE WHEN o.kind = 'x' THEN o.amount END AS amount,
  rank() OVER (PARTITION BY o.region ORDER BY o.day) AS place
FROM shop.orders o JOIN shop.customers c ON o.customer = c.id
WHERE c.country = 'IE' ORDER BY o.id LIMIT 10
"""
TABLES = {
    "shop.orders": ["id", "customer", "amount", "kind", "region", "day"],
    "shop.customers": ["id", "country"],
}


def events(sql: str, **stated: str) -> list[dict[str, Any]]:
    options = {"event_time": TIME, "namespace": NAMESPACE, **stated}
    request = {"id": 7, "dialect": "spark", "tables": TABLES, "sql": sql}
    found = answer({**request, "ask": ["openlineage"], "openlineage": options})
    listed: list[dict[str, Any]] = found["result"]["openlineage"]
    return listed


def transformations(fields: list[dict[str, Any]]) -> set[tuple[str, str, str | None]]:
    return {
        (f"{field['name']}.{field['field']}", each["type"], each.get("subtype"))
        for field in fields
        for each in field["transformations"]
    }


def test_direct_and_indirect_transformations_are_told_apart() -> None:
    (event,) = events(SQL)

    (output,) = event["outputs"]
    lineage = output["facets"]["columnLineage"]
    columns = {name: transformations(f["inputFields"]) for name, f in lineage["fields"].items()}
    assert columns == {
        "customer": {("shop.orders.customer", "DIRECT", None)},
        "amount": {
            ("shop.orders.amount", "DIRECT", None),
            ("shop.orders.kind", "INDIRECT", "CONDITIONAL"),
        },
        "place": {
            ("shop.orders.region", "INDIRECT", "WINDOW"),
            ("shop.orders.day", "INDIRECT", "WINDOW"),
        },
    }
    assert transformations(lineage["dataset"]) == {
        ("shop.orders.customer", "INDIRECT", "JOIN"),
        ("shop.customers.id", "INDIRECT", "JOIN"),
        ("shop.customers.country", "INDIRECT", "FILTER"),
        ("shop.orders.id", "INDIRECT", "SORT"),
    }


def test_groups_are_group_by() -> None:
    (event,) = events("CREATE TABLE a.b AS SELECT kind, sum(id) s FROM shop.orders GROUP BY kind")

    rows = event["outputs"][0]["facets"]["columnLineage"]["dataset"]
    assert transformations(rows) == {("shop.orders.kind", "INDIRECT", "GROUP_BY")}


@pytest.mark.thorough
@pytest.mark.parametrize(
    "sql",
    [
        SQL,
        "SELECT * FROM shop.orders",
        "SELECT * FROM unknown.things",
        "INSERT INTO shop.totals SELECT * FROM unknown.things",
        "INSERT OVERWRITE DIRECTORY 's3://bucket/key' SELECT id FROM shop.orders",
        "DELETE FROM shop.orders WHERE id = 1",
    ],
)
@pytest.mark.parametrize("run_id", [None, "0190ab4c-0000-7000-8000-000000000000"])
def test_openlineages_own_classes_read_and_write_the_same(sql: str, run_id: str | None) -> None:
    (event,) = events(sql, **({} if run_id is None else {"run_id": run_id}))

    assert through_their_classes(event) == without_empty(event)
    assert event["schemaURL"].endswith("JobEvent" if run_id is None else "RunEvent")


def test_tables_are_named_as_their_specification_names_those_of_a_metastore() -> None:
    (event,) = events(SQL)

    theirs = Hive("metastore", "9083", "shop", "orders")
    first = event["inputs"][0]
    assert (first["namespace"], first["name"]) == (theirs.get_namespace(), theirs.get_name())


def test_files_are_datasets_of_their_store() -> None:
    (event,) = events("INSERT OVERWRITE DIRECTORY 's3://bucket/key' SELECT id FROM shop.orders")

    (output,) = event["outputs"]
    assert (output["namespace"], output["name"]) == ("s3://bucket", "key")


def test_each_statement_is_a_job_and_what_touches_no_rows_is_none() -> None:
    found = events("SELECT id FROM shop.orders; USE shop; this is nothing; SELECT 1 FROM shop.x")

    assert [event["job"]["name"] for event in found] == ["7.1", "7.4"]
    assert found[0]["job"]["facets"]["sql"]["query"] == "SELECT id FROM shop.orders"


def test_events_are_made_when_they_are_asked_for_by_name() -> None:
    every = answer({"id": 1, "sql": "SELECT 1"})
    wrong = answer({"id": 1, "sql": "SELECT 1", "ask": ["openlineage"], "openlineage": {"a": "b"}})

    assert "openlineage" not in every["result"]
    assert "unknown key 'a' of openlineage" in wrong["error"]["message"]
