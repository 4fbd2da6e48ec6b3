"""Views that Spark creates in an Iceberg catalog: their packages have the columns that Spark reads."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
import requests

from deploy.iceberg_rest import IcebergRest
from deploy.refused import Refused
from deploy.spark_with_iceberg import SparkWithIceberg
from lakeschema.avro.compatibility import Level, compare
from lakeschema.avro.printing import to_text
from lakeschema.catalog.iceberg import IcebergCatalog
from lakeschema.catalog.iceberg_http import RestServer
from lakeschema.catalog.iceberg_rest import RestSource
from lakeschema.catalog.identifiers import Namespace, RelationName
from lakeschema.translation.avro.representations import DIFFERENCES
from lakeschema.translation.deriving.derivation import derive, upstreams_of
from lakeschema.translation.model.interface import CatalogRule, Interface, Options
from tests.codegen.generated import imported

SPACE = f"views_{secrets.token_hex(4)}"
TABLE = "Orders"
COLUMNS = (
    "Id BIGINT NOT NULL COMMENT 'key', price DECIMAL(10,2), at TIMESTAMP, day DATE, "
    "s STRUCT<x: INT, Y: STRING>, tags MAP<STRING, INT>, l ARRAY<DOUBLE>"
)
VIEWS: Mapping[str, str] = {
    "documented": f"(Key COMMENT 'the key', more) COMMENT 'of orders' AS SELECT Id, s FROM lake.{SPACE}.Orders",
    "plain": f"AS SELECT price * 2 AS twice, * FROM lake.{SPACE}.Orders",
    "grouped": "AS SELECT day, count(*) AS orders, sum(price) AS total FROM Orders GROUP BY day",
    "nested": "AS SELECT s.x, s.Y AS y, l[0] AS first, tags['a'] AS tag FROM Orders",
    "above": "AS SELECT Key + 1 AS next, more.x FROM documented",
}
"""``CREATE VIEW`` without the name; some need the namespace that ``USE`` sets."""
DISAGREEING: Mapping[str, Any] = {
    "name": "disagreeing",
    "schema": {
        "type": "struct",
        "schema-id": 0,
        "fields": [{"id": 1, "name": "Key", "required": False, "type": "long", "doc": "the key"}],
    },
    "view-version": {
        "version-id": 1,
        "timestamp-ms": 1,
        "schema-id": 0,
        "summary": {"engine-name": "spark"},
        "representations": [
            {"type": "sql", "sql": "SELECT Id AS Key FROM Orders", "dialect": "spark"},
            {
                "type": "sql",
                "sql": 'SELECT o."Id" AS "Key", 1 AS "one" FROM "Refunds" o',
                "dialect": "trino",
            },
        ],
        "default-catalog": "lake",
        "default-namespace": [SPACE],
    },
    "properties": {},
}
STATED_COMMENTS: Mapping[str, Mapping[str, str]] = {
    "documented": {"Key": "the key"},
    "plain": {"Id": "key"},
    "disagreeing": {"Key": "the key"},
}
OPTIONS = Options(catalogs={"lake": CatalogRule("", folds_case=False)})


def run(spark: SparkWithIceberg, *statements: str) -> None:
    refused = [answer for answer in spark.run(*statements) if isinstance(answer, Refused)]
    assert not refused, refused


@pytest.fixture(scope="module")
def catalog(
    spark_with_iceberg: SparkWithIceberg, iceberg_rest: IcebergRest
) -> Iterator[IcebergCatalog]:
    run(
        spark_with_iceberg,
        f"CREATE NAMESPACE lake.{SPACE}",
        f"CREATE TABLE lake.{SPACE}.{TABLE} ({COLUMNS}) USING iceberg",
        f"INSERT INTO lake.{SPACE}.{TABLE} VALUES (1, 1.50, TIMESTAMP '2024-01-02 03:04:05',"
        " DATE '2024-01-02', named_struct('x', 7, 'Y', 'why'), map('a', 1), array(0.5D))",
        f"USE lake.{SPACE}",
        *(f"CREATE VIEW {name} {text}" for name, text in VIEWS.items()),
        "USE spark_catalog.default",
    )
    address = f"{iceberg_rest.uri}/v1/namespaces/{SPACE}/views"
    requests.post(address, json=DISAGREEING, timeout=30).raise_for_status()
    source = RestSource(RestServer(iceberg_rest.uri, "lake"))
    yield IcebergCatalog(source)
    source.close()


def interfaces(catalog: IcebergCatalog) -> Mapping[str, Interface]:
    """The namespace's relations as the product derives them, each after those that it reads."""
    relations = dict(catalog.read(catalog.relations(Namespace((SPACE,)))))
    found: dict[RelationName, Interface] = {}
    while relations:
        name = next(
            name for name, each in relations.items()
            if found.keys() >= set(upstreams_of(each, OPTIONS))
        )  # fmt: skip
        found[name] = derive(relations.pop(name), found, OPTIONS).interface
    return {name.name: interface for name, interface in found.items()}


def shape(type_: Any) -> Any:
    """A type in Spark's JSON without nullability and comments."""
    match type_:
        case {"type": "struct", "fields": fields}:
            return [(field["name"], shape(field["type"])) for field in fields]
        case {"type": "array", "elementType": element}:
            return ["array", shape(element)]
        case {"type": "map", "keyType": key, "valueType": value}:
            return ["map", shape(key), shape(value)]
        case _:
            return type_


def spark_shape(interface: Interface) -> Any:
    """The types that the relation's package states for Spark."""
    with imported(json.loads(to_text(interface.schema))) as package:
        return shape(package.spark_schema().jsonValue())


@pytest.mark.parametrize("view", [*VIEWS, DISAGREEING["name"]])
def test_spark_reads_the_columns_types_and_comments_of_the_package(
    spark_with_iceberg: SparkWithIceberg, catalog: IcebergCatalog, view: str
) -> None:
    answer = spark_with_iceberg.answer(f"SELECT * FROM lake.{SPACE}.{view}")

    interface = interfaces(catalog)[view]

    assert len(answer.rows) == 1
    assert spark_shape(interface) == shape(answer.schema)
    commented = {
        column["name"]: column["metadata"]["comment"]
        for column in answer.schema["fields"]
        if "comment" in column["metadata"]
    }
    documents = {field.name: field.doc for field in interface.schema.fields}
    assert {name: documents[name] for name in commented} == commented
    assert commented == STATED_COMMENTS.get(view, {})


def test_only_texts_that_disagree_are_reported(catalog: IcebergCatalog) -> None:
    found = interfaces(catalog)

    reported = {
        name: found[name].schema.properties[DIFFERENCES]
        for name in found
        if DIFFERENCES in found[name].schema.properties
    }

    assert reported == {
        "disagreeing": [
            f"the text for trino reads {SPACE}.`Refunds`, and that for spark does not",
            f"that for spark reads {SPACE}.`Orders`, and the text for trino does not",
            "the text for trino returns 2 columns, and that for spark 1",
        ]
    }


def test_a_change_of_the_table_changes_no_package_of_its_views(
    spark_with_iceberg: SparkWithIceberg, catalog: IcebergCatalog
) -> None:
    before = interfaces(catalog)
    table = f"lake.{SPACE}.{TABLE}"
    run(
        spark_with_iceberg,
        f"ALTER TABLE {table} ADD COLUMN more STRING COMMENT 'added'",
        f"ALTER TABLE {table} ALTER COLUMN Id COMMENT 'other'",
    )

    after = interfaces(catalog)

    assert compare([before[TABLE].schema], after[TABLE].schema).level is Level.MINOR
    for view in VIEWS:
        answer = spark_with_iceberg.answer(f"SELECT * FROM lake.{SPACE}.{view}")
        assert shape(answer.schema) == spark_shape(after[view])
    assert {name: to_text(after[name].schema) for name in VIEWS} == {
        name: to_text(before[name].schema) for name in VIEWS
    }


def test_documentation_of_the_table_reaches_parts_that_a_view_does_not_document(
    spark_with_iceberg: SparkWithIceberg, catalog: IcebergCatalog
) -> None:
    before = interfaces(catalog)
    run(
        spark_with_iceberg,
        f"ALTER TABLE lake.{SPACE}.{TABLE} ALTER COLUMN s.x COMMENT 'inner'",
    )

    after = interfaces(catalog)

    changes = {name: compare([before[name].schema], after[name].schema) for name in VIEWS}
    assert {name: change.reasons for name, change in changes.items() if change.reasons} == {
        "documented": ("field `more.x`: documentation added",),
        "plain": ("field `s.x`: documentation added",),
        "nested": ("field `x`: documentation added",),
        "above": ("field `x`: documentation added",),
    }
    assert {change.level for change in changes.values()} == {Level.PATCH, Level.NONE}
