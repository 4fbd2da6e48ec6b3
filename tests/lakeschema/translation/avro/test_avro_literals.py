"""The Avro schema of a table that states one itself, in ``avro.schema.literal``."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lakeschema.avro.model import NO_DEFAULT, NULL, Field
from lakeschema.avro.parsing import INVALID_DEFAULT
from lakeschema.avro.printing import to_json
from lakeschema.catalog.column_types import (
    BIGINT,
    INT,
    STRING,
    ArrayType,
    MapType,
    UnknownType,
)
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Column
from lakeschema.translation.avro.base_table import AVRO_SERDE, LITERAL, URL, base_table_interface
from lakeschema.translation.model.errors import (
    MalformedSchema,
    UnsupportedConstruct,
)
from lakeschema.translation.model.interface import Casing, Nullability, Options
from tests.lakeschema.translation.avro.base_tables import (
    OPTIONS,
    field,
    fields_of,
    interface,
    optional,
    record,
    table,
    types_of,
)


def test_the_literal_of_an_avro_table_is_taken_as_it_is() -> None:
    literal = record(field("Id", "int"), field("Kind", ["string", "null"]), doc="theirs", owner="x")

    found = interface(table("id:bigint", literal, serde=AVRO_SERDE, comment="ours"))

    assert to_json(found.schema) == literal
    assert [(c.name, c.type, c.nullable) for c in found.columns] == [
        ("id", INT, False),
        ("kind", STRING, True),
    ]


def test_a_bare_avro_table_has_the_columns_that_hive_reads_from_its_literal() -> None:
    literal = record(
        field("i", "int"),
        field("d", {"type": "int", "logicalType": "date"}),
        field("t", {"type": "long", "logicalType": "timestamp-millis"}),
        field("m", {"type": "long", "logicalType": "timestamp-micros"}),
        field("n", {"type": "bytes", "logicalType": "decimal", "precision": 5, "scale": 1}),
        field("v", {"type": "string", "logicalType": "varchar", "maxLength": 9}),
        field("e", {"type": "enum", "name": "E", "symbols": ["A"]}),
        field("f", {"type": "fixed", "name": "F", "size": 2}),
        field("u", ["null", "int", "string"]),
        field("s", {"type": "record", "name": "S", "fields": [field("Inner", "boolean")]}),
        field("a", {"type": "array", "items": ["null", "E"]}),
        field("k", {"type": "map", "values": "bytes"}),
        field("z", "null"),
    )

    assert types_of(table(literal=literal, serde=AVRO_SERDE)) == {
        "i": "int", "d": "date", "t": "timestamp", "m": "bigint", "n": "decimal(5,1)",
        "v": "varchar(9)", "e": "string", "f": "binary", "u": "uniontype<int,string>",
        "s": "struct<inner:boolean>", "a": "array<string>", "k": "map<string,binary>", "z": "void",
    }  # fmt: skip


def test_a_recursive_field_hides_no_other() -> None:
    literal = record(field("id", "int"), optional("parent", "R"))

    found = interface(table(literal=literal, serde=AVRO_SERDE))

    assert found.columns[0].type == INT
    assert isinstance(found.columns[1].type, UnknownType)


def test_references_that_unfold_without_end_have_no_column_type() -> None:
    types: Any = {"type": "record", "name": "T0", "fields": [field("a", "int")]}
    for level in range(1, 40):
        inner = [field("a", types), field("b", f"n.T{level - 1}")]
        types = {"type": "record", "name": f"T{level}", "namespace": "n", "fields": inner}

    found = interface(
        table(literal=record(field("id", "int"), field("x", types)), serde=AVRO_SERDE)
    )

    assert isinstance(found.columns[1].type, UnknownType)


def test_partition_columns_join_a_literal_that_lacks_them() -> None:
    day = (Column("day", STRING),)
    lacking = table(literal=record(field("a", "int")), serde=AVRO_SERDE, partition_columns=day)
    having = table(literal=record(field("Day", "string")), serde=AVRO_SERDE, partition_columns=day)

    assert [f["name"] for f in fields_of(lacking)] == ["a", "day"]
    assert fields_of(having) == [field("Day", "string")]


def test_a_literal_with_case_twins_is_taken_as_it_is() -> None:
    inner = {"type": "record", "name": "K", "fields": [field("id", "long"), field("ID", "int")]}
    literal = record(field("Key", inner))

    found = interface(table("key:struct<id:bigint>", literal))

    assert to_json(found.schema) == literal


def test_the_table_property_precedes_the_serdes() -> None:
    other = {LITERAL: json.dumps(record(field("b", "int")))}
    both = table(literal=record(field("a", "int")), serde=AVRO_SERDE, serde_properties=other)
    only = table(serde=AVRO_SERDE, serde_properties=other)

    assert [f["name"] for f in fields_of(both)] == ["a"]
    assert [f["name"] for f in fields_of(only)] == ["b"]


@pytest.mark.parametrize("literal", ["none", "", "  "])
def test_hives_word_for_no_schema_is_not_a_literal(literal: str) -> None:
    assert fields_of(table("a:int", literal)) == [optional("a", "int")]


def test_a_schema_behind_a_url_is_not_fetched() -> None:
    url = {URL: "http://169.254.169.254/secret"}

    assert fields_of(table("a:int", properties=url, serde=AVRO_SERDE)) == [optional("a", "int")]
    with pytest.raises(UnsupportedConstruct) as caught:
        base_table_interface(table(properties=url, serde=AVRO_SERDE), OPTIONS)
    assert LITERAL in caught.value.hint


def test_a_table_that_says_nothing_is_malformed() -> None:
    with pytest.raises(MalformedSchema, match="neither columns nor an Avro schema"):
        base_table_interface(table(), OPTIONS)


def test_strict_asks_every_table_for_a_schema() -> None:
    strict = Options(strict=True)

    with pytest.raises(MalformedSchema, match="no Avro schema"):
        base_table_interface(table("a:int"), strict)
    assert interface(table("a:int", record(field("a", "int"))), strict)


@pytest.mark.parametrize(
    ("literal", "said"),
    [
        ("{", "is malformed at $"),
        ('"int"', "is not a record schema"),
        (record(field("a", "int"), field("it's", "int")), "is malformed at $.fields[1].name"),
        ("[" * 100_000, "is malformed at $"),
    ],
)
def test_a_malformed_literal_is_reported_with_its_path(literal: Any, said: str) -> None:
    with pytest.raises(MalformedSchema) as caught:
        base_table_interface(table("a:int", literal), OPTIONS)

    assert said in str(caught.value)
    assert caught.value.relation == RelationName.of("db", "user_events")


def test_a_wrong_default_does_not_break_a_table() -> None:
    (found,) = fields_of(table(literal=record(field("a", "int", default="0")), serde=AVRO_SERDE))

    assert found == field("a", "int", **{INVALID_DEFAULT: "0"})


def test_a_default_of_a_double_that_is_text_is_one_where_java_reads_it() -> None:
    literal = record(field("a", "double", default="NaN"), field("b", "float", default="0.5"))
    relation = table(literal=literal, serde=AVRO_SERDE)

    assert fields_of(relation) == [
        field("a", "double", default="NaN"),
        field("b", "float", default=0.5),
    ]
    # Of a union with null, Java refuses it.
    assert fields_of(relation, Options(nullability=Nullability.ALL_NULLABLE)) == [
        optional("a", "double"),
        field("b", ["float", "null"], default=0.5),
    ]


def test_lower_case_is_an_option() -> None:
    inner = {"type": "record", "name": "S", "fields": [field("Deep", "int")]}
    literal = record(field("Outer", inner, default={"Deep": 1}), field("X", "int"))

    outer, x = fields_of(table(literal=literal, serde=AVRO_SERDE), Options(casing=Casing.LOWER))

    assert (outer["name"], x["name"]) == ("outer", "x")
    assert (outer["aliases"], x["aliases"]) == (["Outer"], ["X"])
    assert outer["type"]["fields"] == [field("deep", "int", aliases=["Deep"])]
    assert outer["default"] == {"deep": 1}


def test_lower_case_leaves_case_twins_apart() -> None:
    literal = record(field("id", "int"), field("ID", "int"))

    found = fields_of(table(literal=literal, serde=AVRO_SERDE), Options(casing=Casing.LOWER))

    assert [f["name"] for f in found] == ["id", "ID"]


def test_all_nullable_is_an_option() -> None:
    literal = record(
        field("a", "int"),
        field("b", "int", default=5),
        field("c", {"type": "array", "items": {"type": "map", "values": "int"}}),
        field("d", ["int", "string"]),
    )
    relation = table(literal=literal, serde=AVRO_SERDE)
    options = Options(nullability=Nullability.ALL_NULLABLE)

    values = {"type": "map", "values": ["null", "int"]}
    assert fields_of(relation, options) == [
        optional("a", "int"),
        field("b", ["int", "null"], default=5),
        optional("c", {"type": "array", "items": ["null", values]}),
        field("d", ["null", "int", "string"], default=None),
    ]
    assert interface(relation, options).columns[2].type == ArrayType(MapType(STRING, INT))


def test_a_field_of_null_alone_stays_so() -> None:
    found = interface(table("a:void", record(field("A", "null"))))

    assert found.schema.fields == (Field("A", NULL, NO_DEFAULT),)
    assert BIGINT not in [column.type for column in found.columns]
