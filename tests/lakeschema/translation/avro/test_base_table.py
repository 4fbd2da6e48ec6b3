"""The Avro schema of a table: from its columns, with or without a literal."""

from __future__ import annotations

import contextlib
import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeschema.avro.definitions import definitions
from lakeschema.avro.model import Record, is_nullable
from lakeschema.avro.omissions import Omission, omissions_of
from lakeschema.avro.printing import to_json
from lakeschema.catalog.column_types import (
    INT,
    STRING,
    TIMESTAMP,
    VARIANT,
    ArrayType,
    ColumnType,
    MapType,
    parse_type,
    parse_type_or_unknown,
    print_type,
)
from lakeschema.catalog.relations import Column, Relation
from lakeschema.translation.avro.base_table import AVRO_SERDE, base_table_interface
from lakeschema.translation.avro.names import has_case_twins
from lakeschema.translation.deriving.derivation_json import interface_from_json, interface_to_json
from lakeschema.translation.deriving.hashing import interface_hash
from lakeschema.translation.model.errors import (
    UnsupportedType,
)
from lakeschema.translation.model.interface import Casing, Nullability, Options
from tests.lakeschema.avro.strategies import schemas
from tests.lakeschema.translation.avro.base_tables import (
    OPTIONS,
    field,
    fields_of,
    interface,
    optional,
    record,
    table,
)


def test_without_a_literal_every_column_is_an_optional_field() -> None:
    schema = interface(table("id:int COMMENT 'the key',name:string", comment="who did what")).schema

    assert to_json(schema) == {
        "type": "record",
        "name": "UserEvents",
        "namespace": "db.user_events",
        "doc": "who did what",
        "fields": [optional("id", "int", doc="the key"), optional("name", "string")],
    }


YEARS = {
    "type": "int",
    "logicalType": "year-month-interval",
    "spark.sql.catalyst.type": "interval year",
}
HOURS = {
    "type": "long",
    "logicalType": "day-time-interval-micros",
    "spark.sql.catalyst.type": "interval hour to minute",
}


@pytest.mark.parametrize(
    ("column_type", "avro"),
    [
        ("boolean", "boolean"),
        ("tinyint", {"type": "int", "logicalType": "byte"}),
        ("smallint", {"type": "int", "logicalType": "short"}),
        ("bigint", "long"),
        ("float", "float"),
        ("double", "double"),
        ("char(3)", "string"),
        ("varchar(3)", "string"),
        ("binary", "bytes"),
        ("date", {"type": "int", "logicalType": "date"}),
        ("interval year", YEARS),
        ("interval_year_month", {**YEARS, "spark.sql.catalyst.type": "interval year to month"}),
        ("interval hour to minute", HOURS),
        ("interval_day_time", {**HOURS, "spark.sql.catalyst.type": "interval day to second"}),
        ("timestamp", {"type": "long", "logicalType": "timestamp-micros"}),
        ("timestamp_ntz", {"type": "long", "logicalType": "local-timestamp-micros"}),
        ("timestamp_ltz", {"type": "long", "logicalType": "timestamp-micros"}),
        ("timestamp with local time zone", {"type": "long", "logicalType": "timestamp-micros"}),
        ("time", {"type": "long", "logicalType": "time-micros"}),
        ("decimal(10,2)", {"type": "bytes", "logicalType": "decimal", "precision": 10, "scale": 2}),
        ("array<int>", {"type": "array", "items": ["null", "int"]}),
        ("map<string,int>", {"type": "map", "values": ["null", "int"]}),
    ],
)
def test_column_types_have_their_avro_types(column_type: str, avro: Any) -> None:
    assert fields_of(table(f"a:{column_type}")) == [optional("a", avro)]


def test_a_void_column_is_null() -> None:
    assert fields_of(table("a:void")) == [field("a", "null", default=None)]


def test_a_uniontype_is_a_union_with_null_first() -> None:
    assert fields_of(table("a:uniontype<int,string>")) == [
        field("a", ["null", "int", "string"], default=None)
    ]


def test_nested_records_lie_in_the_namespace_of_their_parents() -> None:
    (outer,) = fields_of(table("a:struct<b:array<struct<c:int>>>"))

    record_a = outer["type"][1]
    record_b = record_a["fields"][0]["type"][1]["items"][1]
    assert (record_a["name"], record_a["namespace"]) == ("a", "db.user_events.UserEvents")
    assert (record_b["name"], record_b["namespace"]) == ("b", "db.user_events.UserEvents.a")


def test_structs_in_one_uniontype_have_names_of_their_own() -> None:
    interface(
        table("a:uniontype<struct<x:int>,array<struct<y:int>>,struct<z:int>>,tag_0:struct<x:int>")
    )


NO_SCHEMA = "Avro has no type for values without a schema"


@pytest.mark.parametrize(
    ("type_", "reason"),
    [
        ("variant", NO_SCHEMA),
        ("map<int,variant>", f"{NO_SCHEMA} (variant)"),
        ("struct<b:map<variant,string>>", f"{NO_SCHEMA} (variant)"),
        ("uniontype<array<int>,map<int,string>>", "both array"),
        ("uniontype<int,smallint>", "both int"),
        ("uniontype<string,varchar(3)>", "both string"),
        ("uniontype<array<int>,array<string>>", "both array"),
        ("interval", "intervals of months, days and fractions of seconds"),
        ("struct<b:int,b:int>", "it has the field b twice"),
    ],
)
@pytest.mark.parametrize(
    "literal", [None, record(field("Id", "long"))], ids=["columns", "a literal"]
)
def test_a_column_that_avro_has_no_type_for_is_left_out_by_name(
    type_: str, reason: str, literal: Any
) -> None:
    found = interface(table(f"id:bigint,a:{type_},b:int COMMENT 'last'", literal))

    assert [f.name.lower() for f in found.schema.fields] == ["id", "b"]
    assert [column.name for column in found.columns] == ["id", "b"]
    (omitted,) = found.omitted
    assert (omitted.position, omitted.column.name) == (1, "a")
    assert print_type(omitted.column.type) == type_
    assert reason in omitted.reason
    assert omissions_of(found.schema) == (Omission("a", type_, omitted.reason),)
    assert interface_from_json(json.loads(json.dumps(interface_to_json(found)))) == found


def test_a_type_that_was_not_understood_is_left_out_by_name() -> None:
    columns = (Column("geo", parse_type_or_unknown("tensor(4)")), Column("id", INT))

    found = interface(replace(table("a:int"), columns=columns))

    assert fields_of(replace(table("a:int"), columns=columns)) == [optional("id", "int")]
    assert [str(each) for each in omissions_of(found.schema)] == [
        "geo (tensor(4)): the type is unknown"
    ]


def test_partition_columns_behind_a_literal_are_left_out_at_their_place() -> None:
    relation = table(
        "",
        record(field("a", "int"), field("b", "int")),
        serde=AVRO_SERDE,
        partition_columns=(Column("day", STRING), Column("v", VARIANT)),
    )

    found = interface(relation)

    assert [field.name for field in found.schema.fields] == ["a", "b", "day"]
    assert [each.position for each in found.omitted] == [3]


def test_a_table_of_nothing_but_such_columns_has_an_empty_record() -> None:
    found = interface(table("a:variant,b:interval"))

    assert found.schema.fields == ()
    assert [each.position for each in found.omitted] == [0, 1]


def test_what_is_left_out_changes_the_hash_that_dependents_see() -> None:
    one, other = interface(table("a:int,v:variant")), interface(table("v:variant,a:int"))

    assert one.schema == other.schema
    assert interface_hash(one) != interface_hash(other)
    assert interface_hash(one) != interface_hash(interface(table("a:int")))


def test_nesting_past_the_bound_is_unsupported() -> None:
    type_: ColumnType = INT
    for _ in range(100):
        type_ = ArrayType(type_)

    (omitted,) = interface(replace(table("a:int"), columns=(Column("a", type_),))).omitted

    assert "levels" in omitted.reason


def test_a_not_null_column_is_required() -> None:
    relation = replace(table(), columns=(Column("id", INT, nullable=False),))

    assert fields_of(relation) == [field("id", "int")]


def test_nested_nullability_of_the_columns_is_kept() -> None:
    type_ = MapType(STRING, ArrayType(INT, element_nullable=False), value_nullable=False)
    relation = replace(table(), columns=(Column("a", type_),))

    found = interface(relation)

    assert fields_of(relation) == [
        optional("a", {"type": "map", "values": {"type": "array", "items": "int"}})
    ]
    assert found.columns[0].type == type_


def test_partition_columns_come_last_and_optional() -> None:
    relation = table("a:int", partition_columns=(Column("day", STRING, "the day", nullable=False),))

    assert fields_of(relation)[1] == optional("day", "string", doc="the day")


def test_the_timestamp_unit_and_zone_are_options() -> None:
    options = Options(timestamp_unit="millis", local_timestamps=True)
    relation = table("a:timestamp,b:timestamp with local time zone,c:timestamp_ntz")

    logical = [f["type"][1]["logicalType"] for f in fields_of(relation, options)]

    assert logical == ["local-timestamp-millis", "timestamp-millis", "local-timestamp-millis"]


def test_a_timestamp_of_a_spark_table_is_an_instant() -> None:
    spark = table("a:timestamp", properties={"spark.sql.sources.provider": "parquet"})

    (found,) = fields_of(spark, Options(local_timestamps=True))

    assert found["type"][1]["logicalType"] == "timestamp-micros"
    assert interface(spark).columns[0].type == TIMESTAMP


def test_names_that_avro_does_not_allow_keep_their_original() -> None:
    relation = replace(table(), columns=(Column("a.b", INT), Column("größe", INT)))

    assert [(f["name"], f["original-name"]) for f in fields_of(relation)] == [
        ("a_x2Eb", "a.b"),
        ("gr_xC3_xB6_xC3_x9Fe", "größe"),
    ]


def test_a_struct_column_called_like_a_primitive_gets_a_legal_type_name() -> None:
    (found,) = fields_of(table("double:struct<a:int>"))

    assert found["name"] == "double"
    assert found["type"][1]["name"] == "_x64ouble"


def test_columns_that_differ_by_case_only_keep_their_case() -> None:
    relation = replace(table(), columns=(Column("Id", INT), Column("ID", INT)))

    assert [f["name"] for f in fields_of(relation)] == ["Id", "ID"]


def test_a_column_twice_is_refused() -> None:
    relation = replace(table(), columns=(Column("a", INT), Column("a", INT)))

    with pytest.raises(UnsupportedType, match="a twice"):
        base_table_interface(relation, OPTIONS)


COLUMN_TYPES = st.recursive(
    st.sampled_from([
        "boolean", "tinyint", "int", "bigint", "float", "string", "binary", "date", "timestamp",
        "varchar(5)", "decimal(9,3)", "void", "variant",
    ]),
    lambda inner: (
        inner.map(lambda t: f"array<{t}>")
        | inner.map(lambda t: f"map<string,{t}>")
        | st.tuples(inner, inner).map(lambda ts: f"map<{ts[0]},{ts[1]}>")
        | st.lists(inner, min_size=1, max_size=3).map(
            lambda ts: "struct<" + ",".join(f"f{i}:{t}" for i, t in enumerate(ts)) + ">"
        )
        | st.lists(inner, min_size=1, max_size=3).map(lambda ts: f"uniontype<{','.join(ts)}>")
    ),
    max_leaves=6,
)  # fmt: skip


@pytest.mark.thorough
@given(st.lists(COLUMN_TYPES, min_size=1, max_size=4), schemas(), st.booleans(), st.data())
def test_any_columns_with_any_literal_give_a_whole_interface_or_say_why(
    types: list[str], literal: Record, avro: bool, data: st.DataObject
) -> None:
    names = [f.name.lower() for f in literal.fields] + ["f1", "f2", "f3", "f4"]
    columns = tuple(
        Column(name, parse_type(text)) for name, text in zip(names, types, strict=False)
    )
    relation = replace(
        table(literal=to_json(literal), serde=AVRO_SERDE if avro else None), columns=columns
    )
    options = Options(
        casing=data.draw(st.sampled_from(Casing)),
        nullability=data.draw(st.sampled_from(Nullability)),
    )

    with contextlib.suppress(UnsupportedType):
        _assert_whole(literal, relation, options)


def _assert_whole(literal: Record, relation: Relation, options: Options) -> None:
    found = interface(relation, options)

    twins = any(has_case_twins(r) for r in definitions(literal).values() if isinstance(r, Record))
    if relation.serde is None and not twins:
        left_out = {each.position for each in found.omitted}
        every = enumerate(relation.columns)
        stated = [print_type(column.type) for at, column in every if at not in left_out]
        assert [print_type(column.type) for column in found.columns] == stated
    if options.nullability is Nullability.ALL_NULLABLE:
        assert all(is_nullable(f.type) for f in found.schema.fields)


def test_a_renamed_column_has_its_former_names_as_aliases() -> None:
    relation = table("id: bigint, remark: string, gr: int")
    former = {"remark": ("note", "old note"), "gr": ("größe", "ID")}
    columns = [replace(c, former_names=former.get(c.name, ())) for c in relation.columns]

    found = base_table_interface(replace(relation, columns=tuple(columns)), OPTIONS)

    assert {field.name: field.aliases for field in found.schema.fields} == {
        "id": (),
        "remark": ("note", "old_x20note"),
        # An alias that is the name of another column would hide it.
        "gr": ("gr_xC3_xB6_xC3_x9Fe",),
    }


def name_mapping(*fields: Any) -> dict[str, str]:
    return {"schema.name-mapping.default": json.dumps(fields)}


@pytest.mark.parametrize(
    ("properties", "expected"),
    [
        (name_mapping({"field-id": 2, "names": ["gift", "is_gift", "GIFT"]}), ("gift", "GIFT")),
        (name_mapping({"field-id": 2, "names": ["is_gift"]}), ()),
        # The name of another column, and a name of two fields.
        (name_mapping({"field-id": 2, "names": ["id", "is_gift"]}), ()),
        (name_mapping({"names": ["a", "is_gift"]}, {"names": ["b", "is_gift"]}), ()),
        (name_mapping({"names": ["Is_Gift", "old gift"]}), ("old_x20gift",)),
        (name_mapping({"names": "is_gift"}, None, [], {"names": [1, None]}), ()),
        ({"schema.name-mapping.default": "{"}, ()),
        ({"schema.name-mapping.default": "[" * 100_000}, ()),
    ],
)
def test_icebergs_name_mapping_tells_former_names(
    properties: dict[str, str], expected: tuple[str, ...]
) -> None:
    relation = table("id: bigint, is_gift: boolean", properties=properties)

    fields = base_table_interface(relation, OPTIONS).schema.fields

    assert [field.aliases for field in fields] == [(), expected]
