"""FROM_AVRO: nulls in parts, options and refusals; its types equal Spark's recorded answers."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lakeschema.catalog.column_types import (
    BIGINT,
    INT,
    STRING,
    ArrayType,
    ColumnType,
    MapType,
    StructField,
    StructType,
)
from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect
from lakeschema.translation.model.errors import (
    MalformedSchema,
    TranslationError,
    TypeMismatch,
    UnsupportedConstruct,
)
from tests.lakeschema.translation.relations import derived_in

TABLE = "CREATE TABLE t (bytes BINARY NOT NULL, text STRING, options MAP<STRING, STRING>)"
VIEW = RelationName.of("default", "v")
COMPANY = {
    "type": "record",
    "name": "Company",
    "fields": [
        {"name": "Id", "type": "long"},
        {"name": "names", "type": {"type": "array", "items": "string"}},
        {"name": "sizes", "type": {"type": "map", "values": ["null", "int"]}},
        {"name": "parent", "type": ["null", "long"], "default": None},
    ],
}
NODE = {
    "type": "record",
    "name": "Node",
    "fields": [
        {"name": "left", "type": ["null", "Node"]},
        {"name": "right", "type": ["null", "Node"]},
    ],
}


def written(schema: Any) -> str:
    return f"'{json.dumps(schema)}'"


def column(call: str) -> tuple[ColumnType, bool]:
    view = f"CREATE VIEW v AS SELECT {call} AS x FROM t"
    interface = derived_in(relations_from_ddl([TABLE, view], Dialect.SPARK), VIEW).interface
    (found,) = interface.columns
    return found.type, found.nullable


def test_fields_are_required_as_the_schema_says() -> None:
    type_, nullable = column(f"from_avro(bytes, {written(COMPANY)})")

    assert nullable
    assert type_ == StructType(
        (
            StructField("Id", BIGINT, nullable=False),
            StructField("names", ArrayType(STRING, False), nullable=False),
            StructField("sizes", MapType(STRING, INT), nullable=False),
            StructField("parent", BIGINT, nullable=True),
        )
    )


@pytest.mark.parametrize("mode", ["PERMISSIVE", "permissive", "unknown"])
def test_where_what_is_malformed_becomes_null_every_part_may_be_null(mode: str) -> None:
    type_, _ = column(f"from_avro(bytes, {written(COMPANY)}, map('mode', '{mode}'))")

    assert isinstance(type_, StructType)
    assert all(field.nullable for field in type_.fields)
    assert type_.fields[1].type == ArrayType(STRING)


def test_a_newer_schema_among_the_options_is_what_is_read() -> None:
    type_, _ = column(f"from_avro(bytes, {written(COMPANY)}, map('AvroSchema', '\"int\"'))")

    assert type_ == INT


def test_a_record_within_itself_is_left_out_below_the_depth_that_is_written() -> None:
    option = "map('recursiveFieldMaxDepth', '2')"
    type_, _ = column(f"from_avro(bytes, {written(NODE)}, {option})")

    inner = StructType(())
    assert type_ == StructType((StructField("left", inner), StructField("right", inner)))


def test_a_default_that_does_not_fit_is_no_reason_to_refuse_the_schema() -> None:
    wrong = {
        "type": "record",
        "name": "r",
        "fields": [{"name": "a", "type": "int", "default": "x"}],
    }

    type_, _ = column(f"from_avro(bytes, {written(wrong)})")

    assert type_ == StructType((StructField("a", INT, nullable=False),))


@pytest.mark.parametrize(
    ("arguments", "error", "reason"),
    [
        ("bytes, text", UnsupportedConstruct, "a schema that is not a literal"),
        ("bytes, '\"int\"', options", UnsupportedConstruct, "not a map of literals"),
        ("bytes, '\"int\"', map('mode', text)", UnsupportedConstruct, "not a map of literals"),
        ("bytes, text, map('avroSchema', '\"int\"')", UnsupportedConstruct, "not a literal"),
        ("bytes, '\"int\"', map('avroSchemaUrl', 'x.avsc')", UnsupportedConstruct, "in a file"),
        ("bytes, '\"int\"', map('mode', 'x', 'MODE', 'y')", UnsupportedConstruct, "in case alone"),
        ("bytes, '\"int\"', map('mode', 'x', 'mode', 'y')", TypeMismatch, "got one twice"),
        ("bytes, '\"int\"', map('avroSchema', '')", MalformedSchema, "malformed"),
        ("bytes, 'int'", MalformedSchema, "Avro schema is malformed at [$]: .*JSON"),
        ('bytes, \'{"type": "nothing"}\'', MalformedSchema, "nothing"),
        ("text, '\"int\"'", TypeMismatch, "does not accept the types"),
        ("bytes, '\"int\"', map('mode', 'dropMalformed')", TypeMismatch, "DROPMALFORMED"),
        (f"bytes, {written(NODE)}", TypeMismatch, "record 'Node' refers to itself"),
        (
            f"bytes, {written(NODE)}, map('recursiveFieldMaxDepth', '15')",
            UnsupportedConstruct,
            "more than 10,000 parts",
        ),
        (
            f"bytes, {written(NODE)}, map('recursiveFieldMaxDepth', 'deep')",
            TypeMismatch,
            "recursiveFieldMaxDepth of from_avro: expected a whole number up to 15, got 'deep'",
        ),
        (
            "bytes, '[\"int\", \"string\"]', map('enableStableIdentifiersForUnionType', 'true')",
            UnsupportedConstruct,
            "option enableStableIdentifiersForUnionType",
        ),
        (
            'bytes, \'{"type": "long", "logicalType": "timestamp-nanos"}\'',
            UnsupportedConstruct,
            "timestamp-nanos",
        ),
        (
            'bytes, \'{"type": "int", "spark.sql.catalyst.type": "nothing"}\'',
            UnsupportedConstruct,
            "property spark.sql.catalyst.type of value 'nothing'",
        ),
        (
            'bytes, \'{"type": "bytes", "logicalType": "decimal", "precision": 50}\'',
            TypeMismatch,
            "more than 38 digits",
        ),
    ],
)
def test_what_spark_refuses_or_we_do_not_know_is_refused_with_the_reason(
    arguments: str, error: type[TranslationError], reason: str
) -> None:
    with pytest.raises(error, match=reason):
        column(f"from_avro({arguments})")
