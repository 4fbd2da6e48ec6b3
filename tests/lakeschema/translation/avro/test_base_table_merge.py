from __future__ import annotations

from typing import Any

import pytest

from lakeschema.avro.printing import to_json
from lakeschema.catalog.column_types import STRING, ArrayType, StructType
from lakeschema.catalog.relations import Column
from tests.lakeschema.translation.avro.base_tables import (
    field,
    fields_of,
    interface,
    optional,
    record,
    table,
)

UUID = {"type": "string", "logicalType": "uuid"}
ENUM = {"type": "enum", "name": "State", "symbols": ["ON", "OFF"]}
FIXED = {"type": "fixed", "name": "Hash", "size": 16}


def logical(name: str, type_: str = "long") -> dict[str, Any]:
    return {"type": type_, "logicalType": name}


def merged(column_type: str, avro: Any, **attributes: Any) -> Any:
    (found,) = fields_of(table(f"a:{column_type}", record(field("A", avro, **attributes))))
    return found


def test_hive_says_the_columns_and_their_order_avro_their_casing() -> None:
    literal = record(field("Id", "int"), field("Gone", "int"), field("Name", "string"))

    found = fields_of(table("name:string,id:int,added:date COMMENT 'new'", literal))

    assert found == [
        field("Name", "string"),
        field("Id", "int"),
        optional("added", logical("date", "int"), doc="new"),
    ]


def test_avro_says_everything_about_a_field_but_its_type() -> None:
    said = {"doc": "d", "aliases": ["Old"], "order": "ignore", "pii": True, "default": 7}

    assert merged("int", ["int", "null"], **said) == field("A", ["int", "null"], **said)


def test_record_names_and_docs_come_from_avro() -> None:
    inner = {"type": "record", "name": "Addr", "namespace": "other", "doc": "where", "fields": [field("Street", "string")]}  # fmt: skip

    found = merged("struct<street:string,unit:int>", inner)["type"]

    assert (found["name"], found["namespace"], found["doc"]) == ("Addr", "other", "where")
    assert found["fields"] == [field("Street", "string"), optional("unit", "int")]


@pytest.mark.parametrize(
    ("column_type", "avro"),
    [
        ("string", ENUM),
        ("varchar(9)", ENUM),
        ("binary", FIXED),
        ("string", UUID),
        ("timestamp", logical("timestamp-micros")),
        ("timestamp", logical("timestamp-nanos")),
        ("timestamp", logical("local-timestamp-millis")),
        ("bigint", logical("timestamp-micros")),
        ("int", {"type": "int", "unit": "m"}),
        ("decimal(9,2)", {**FIXED, "logicalType": "decimal", "precision": 9, "scale": 2}),
        ("array<string>", {"type": "array", "items": "string"}),
        ("map<string,int>", {"type": "map", "values": "int"}),
        ("uniontype<int,string>", ["int", "string"]),
        ("uniontype<int,string>", ["int", "null", "string"]),
    ],
)
def test_what_refines_hives_type_is_kept(column_type: str, avro: Any) -> None:
    assert merged(column_type, avro) == field("A", avro)


@pytest.mark.parametrize(
    ("column_type", "avro", "result"),
    [
        ("bigint", "int", "long"),
        ("string", "int", "string"),
        ("int", logical("date", "int"), "int"),
        ("bigint", logical("timestamp-millis"), "long"),
        ("date", "int", logical("date", "int")),
        ("timestamp", "long", logical("timestamp-micros")),
        ("smallint", "int", logical("short", "int")),
        ("binary", {"type": "bytes", "logicalType": "decimal", "precision": 4, "scale": 0}, "bytes"),
        ("decimal(4,2)", ["null", "bytes"],
         ["null", {"type": "bytes", "logicalType": "decimal", "precision": 4, "scale": 2}]),
        ("string", FIXED, "string"),
        ("array<int>", "string", {"type": "array", "items": ["null", "int"]}),
        ("string", ["int", "string", "null"], ["string", "null"]),
    ],
)  # fmt: skip
def test_where_they_differ_hives_type_stands(column_type: str, avro: Any, result: Any) -> None:
    assert merged(column_type, avro) == field("A", result)


def test_properties_survive_a_change_of_type() -> None:
    assert merged("bigint", {"type": "int", "unit": "m"})["type"] == {"type": "long", "unit": "m"}


def test_a_default_that_no_longer_fits_is_dropped() -> None:
    assert merged("string", "int", default=1) == field("A", "string")
    assert merged("bigint", "int", default=1) == field("A", "long", default=1)


def test_a_struct_that_avro_knows_as_another_type_is_named_after_its_field() -> None:
    found = merged("struct<x:int>", "int")["type"]

    assert (found["name"], found["namespace"]) == ("a", "n.R")
    assert found["fields"] == [optional("x", "int")]


def test_one_avro_type_for_two_different_structs_becomes_two() -> None:
    point = {"type": "record", "name": "P", "fields": [field("X", "int"), field("Y", "int")]}
    literal = record(field("a", point), field("b", "P"), field("c", "P"))

    a, b, c = fields_of(table("a:struct<x:int>,b:struct<x:int,y:int>,c:struct<x:int>", literal))

    assert (a["type"]["name"], b["type"]["name"]) == ("P", "P_2")
    assert [f["name"] for f in b["type"]["fields"]] == ["X", "Y"]
    assert c["type"] == "n.P"


def test_a_type_defined_in_a_dropped_field_is_defined_where_it_is_used() -> None:
    literal = record(field("gone", ENUM), field("kept", ["null", "State"]))

    (found,) = fields_of(table("kept:string", literal))

    assert found["type"] == ["null", ENUM]


def test_a_derived_name_never_takes_one_of_the_literals() -> None:
    taken = {"type": "enum", "name": "extra", "namespace": "n.R", "symbols": ["A"]}

    first, second = fields_of(table("extra:struct<x:int>,e:string", record(field("e", taken))))

    assert second["type"] == taken
    assert first["type"][1]["namespace"] == "n.R_2"


def test_a_recursive_literal_is_unrolled_as_far_as_hive_says() -> None:
    literal = record(field("v", "int"), optional("next", "R"))

    (v, following) = fields_of(table("v:int,next:struct<v:int>", literal))

    assert v == field("v", "int")
    assert following["type"][1]["name"] == "R_2"
    assert following["type"][1]["fields"] == [field("v", "int")]


def test_branches_that_become_alike_are_left_out_by_name() -> None:
    literal = record(field("A", ["int", "string"]), field("B", ENUM), field("C", "State"))

    found = interface(table("a:uniontype<bigint,bigint>,b:string,c:string", literal))

    assert [each.column.name for each in found.omitted] == ["a"]
    assert [each.name for each in found.schema.fields] == ["B", "C"]


def test_a_type_that_a_column_left_out_defines_is_defined_where_it_is_next() -> None:
    pair = {"type": "record", "name": "P", "fields": [field("e", ENUM), field("v", "int")]}
    literal = record(field("a", pair), field("b", "State"))

    found = interface(table("a:struct<e:string,v:variant>,b:string", literal))

    assert [each.column.name for each in found.omitted] == ["a"]
    assert to_json(found.schema.fields[0].type) == {**ENUM, "namespace": "n"}


def test_columns_are_as_nullable_as_avro_says() -> None:
    literal = record(field("A", {"type": "array", "items": {"type": "record", "name": "I", "fields": [field("X", "int"), optional("y", "int")]}}))  # fmt: skip

    (column,) = interface(table("a:array<struct<x:int,y:int>>", literal)).columns

    assert not column.nullable
    assert isinstance(column.type, ArrayType)
    assert not column.type.element_nullable
    assert isinstance(column.type.element, StructType)
    assert [f.nullable for f in column.type.element.fields] == [False, True]


def test_a_partition_column_that_the_literal_has_keeps_its_field_but_stands_last() -> None:
    literal = record(field("DatePartition", "string", doc="the day"), field("a", "int"))
    relation = table("a:int", literal, partition_columns=(Column("datepartition", STRING),))

    assert fields_of(relation) == [
        field("a", "int"),
        field("DatePartition", "string", doc="the day"),
    ]
