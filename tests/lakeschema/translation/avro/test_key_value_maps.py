"""Maps whose keys are not text: arrays of entries, with all that a column's schema says."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeschema.avro.definitions import definitions
from lakeschema.avro.parsing import parse_schema
from lakeschema.avro.printing import to_text
from lakeschema.catalog.column_types import ArrayType, MapType, StructType, print_type
from lakeschema.translation.model.interface import Casing, Nullability, Options
from tests.lakeschema.translation.avro.base_tables import (
    field,
    fields_of,
    interface,
    optional,
    record,
    table,
)
from tests.lakeschema.translation.relations import columns, derived
from tests.lakeschema.translation.relations import field as derived_field


def entries(name: str, namespace: str, key: Any, value: Any) -> dict[str, Any]:
    fields = [field("key", key), optional("value", value)]
    return {
        "type": "array",
        "items": {"type": "record", "name": name, "namespace": namespace, "fields": fields},
        "logicalType": "map",
    }


def test_a_map_with_other_keys_is_an_array_of_required_keys_and_optional_values() -> None:
    (found,) = fields_of(table("a:map<int,string>"))

    assert found == optional("a", entries("a", "db.user_events.UserEvents", "int", "string"))


def test_maps_within_keys_and_values_lie_in_the_namespace_of_their_entry() -> None:
    (found,) = fields_of(table("a:map<bigint,map<string,map<boolean,int>>>"))

    inner = entries("value", "db.user_events.UserEvents.a", "boolean", "int")
    outer = entries("a", "db.user_events.UserEvents", "long", {"type": "map", "values": ["null", inner]})  # fmt: skip
    assert found == optional("a", outer)


def test_columns_keep_the_type_of_a_map() -> None:
    found = interface(table("a:map<int,map<date,string>>,b:map<struct<x:int>,int>"))

    assert [print_type(column.type) for column in found.columns] == [
        "map<int,map<date,string>>",
        "map<struct<x:int>,int>",
    ]


NAMES = st.sampled_from(["key", "value", "a", "A", "class", "__init__", "x y", "größe", "1"])


@given(NAMES, NAMES, NAMES)
def test_structs_of_any_name_in_keys_and_values_are_types_of_their_own(
    column: str, key: str, value: str
) -> None:
    text = f"`{column}`:map<struct<`{key}`:struct<v:int>>,map<int,struct<`{value}`:int>>>"
    schema = interface(table(f"{text},other:struct<`{column}`:int>")).schema

    assert len(definitions(schema)) == 7
    assert parse_schema(to_text(schema)) == schema


def test_a_uniontype_tells_maps_apart_by_the_form_they_have() -> None:
    (found,) = fields_of(table("a:uniontype<map<string,int>,map<int,int>>"))

    assert [branch["type"] for branch in found["type"][1:]] == ["map", "array"]


def test_the_literals_entries_keep_what_they_say() -> None:
    entry = {"type": "record", "name": "Price", "doc": "of a year", "fields": [field("key", "int", doc="y"), field("value", "string")]}  # fmt: skip
    literal = record(field("A", {"type": "array", "items": entry}))

    (found,) = fields_of(table("a:map<int,string>", literal))

    assert found["type"] == {
        "type": "array", "items": entry, "logicalType": "map",
    }  # fmt: skip
    (column,) = interface(table("a:map<int,string>", literal)).columns
    assert isinstance(column.type, MapType)
    assert not column.type.value_nullable


def test_an_avro_map_beside_a_column_with_other_keys_is_not_used() -> None:
    literal = record(field("A", {"type": "map", "values": "int"}))

    (found,) = fields_of(table("a:map<int,int>", literal))

    assert found["type"]["items"]["fields"] == [field("key", "int"), optional("value", "int")]


def test_an_avro_tables_entries_are_an_array_as_its_serde_reads_them() -> None:
    entry = {"type": "record", "name": "E", "fields": [field("key", "int"), field("value", "int")]}
    literal = record(field("a", {"type": "array", "items": entry, "logicalType": "map"}))
    serde = "org.apache.hadoop.hive.serde2.avro.AvroSerDe"

    (column,) = interface(table("a:array<struct<key:int,value:int>>", literal, serde=serde)).columns

    assert isinstance(column.type, ArrayType)
    assert isinstance(column.type.element, StructType)


def test_neither_entries_nor_keys_become_nullable() -> None:
    options = Options(nullability=Nullability.ALL_NULLABLE, casing=Casing.LOWER)
    entry = {"type": "record", "name": "E", "fields": [field("key", "int"), field("value", "int")]}
    literal = record(field("A", {"type": "array", "items": entry, "logicalType": "map"}))

    (found,) = fields_of(table("a:map<int,int>", literal), options)

    expected = entries("E", "n", "int", "int")
    del expected["items"]["namespace"]
    assert found == optional("a", expected, aliases=["A"])


VIEWS = "CREATE TABLE t (m MAP<INT,STRUCT<X:INT>>, n MAP<INT,STRUCT<X:INT>>, s MAP<STRING,INT>);\n"


@pytest.mark.parametrize(
    ("query", "type_"),
    [
        ("SELECT m FROM t", "map<int,struct<x:int>>"),
        ("SELECT m[1] FROM t", "struct<x:int>"),
        ("SELECT m[1].x FROM t", "int"),
        ("SELECT k FROM t LATERAL VIEW explode(m) e AS k, v", "int"),
        ("SELECT v FROM t LATERAL VIEW explode(m) e AS k, v", "struct<x:int>"),
        ("SELECT m FROM t UNION ALL SELECT n FROM t", "map<int,struct<x:int>>"),
        ("SELECT map_keys(m) FROM t", "array<int>"),
        ("SELECT map_values(m) FROM t", "array<struct<x:int>>"),
        ("SELECT CASE WHEN size(m) > 1 THEN m ELSE n END FROM t", "map<int,struct<x:int>>"),
    ],
)
def test_views_read_maps_with_other_keys(query: str, type_: str) -> None:
    found = derived(f"{VIEWS}CREATE VIEW v AS {query};")

    ((_, shown, _),) = columns(found)
    assert shown.lower() == type_
    schema = found.interface.schema
    assert parse_schema(to_text(schema)) == schema


def test_a_view_of_a_view_keeps_the_entries() -> None:
    ddl = f"{VIEWS}CREATE VIEW w AS SELECT m AS renamed FROM t;\nCREATE VIEW v AS SELECT renamed, m2[1].x AS x FROM (SELECT renamed, renamed AS m2 FROM w) s;"  # fmt: skip

    found = derived(ddl)

    assert [name for name, _, _ in columns(found)] == ["renamed", "x"]
    assert "logicalType" in to_text(found.interface.schema)
    assert derived_field(found, "renamed").aliases == ("m",)
