"""Trino's type text, read and printed."""

from __future__ import annotations

import pytest

from lakeschema.catalog.column_types import (
    BINARY,
    FLOAT,
    INT,
    STRING,
    ArrayType,
    CharType,
    DecimalType,
    IntervalType,
    MapType,
    StructField,
    StructType,
    VarcharType,
)
from lakeschema.catalog.errors import MalformedType
from lakeschema.catalog.facts_json import type_from_json, type_to_json
from lakeschema.catalog.trino_types import (
    JSON,
    UUID,
    parse_trino_type,
    print_trino_type,
    time_of,
    timestamp_of,
)


@pytest.mark.parametrize(
    ("text", "type_"),
    [
        ("integer", INT),
        ("REAL", FLOAT),
        ("varbinary", BINARY),
        ("varchar", STRING),
        ("varchar(7)", VarcharType(7)),
        ("char(3)", CharType(3)),
        ("decimal(5, 2)", DecimalType(5, 2)),
        ("decimal", DecimalType(38, 0)),
        ("timestamp", timestamp_of(3)),
        ("timestamp(6) with time zone", timestamp_of(6, zone=True)),
        ("time(0)", time_of(0)),
        ("uuid", UUID),
        ("json", JSON),
        ("interval day to second", IntervalType("day to second")),
        ("array(array(integer))", ArrayType(ArrayType(INT))),
        ("array<varchar>", ArrayType(STRING)),
        ("map(varchar,integer)", MapType(STRING, INT)),
        (
            'row("Aa" integer, b timestamp(3) with time zone)',
            StructType((StructField("aa", INT), StructField("b", timestamp_of(3, zone=True)))),
        ),
        (
            "row(integer, double precision, date date)",
            StructType(
                (
                    StructField("field0", INT),
                    StructField("field1", parse_trino_type("double")),
                    StructField("date", parse_trino_type("date")),
                )
            ),
        ),
    ],
)
def test_a_type_is_read(text: str, type_: object) -> None:
    assert parse_trino_type(text) == type_


@pytest.mark.parametrize(
    "text", ["", "strin", "array(integer", "decimal(40,2)", "row()", "int int"]
)
def test_text_that_is_no_type_is_refused(text: str) -> None:
    with pytest.raises(MalformedType):
        parse_trino_type(text)


@pytest.mark.parametrize(
    "text",
    [
        "timestamp(0)",
        "timestamp(12) with time zone",
        "time(3)",
        "time(6) with time zone",
        "uuid",
        "json",
        "ipaddress",
        "qdigest(bigint)",
        "interval year to month",
        "map(varchar, array(row(a integer, varchar(3))))",
        'row("select x" integer)',
    ],
)
def test_a_type_is_the_same_after_it_was_printed_and_after_it_was_stored(text: str) -> None:
    type_ = parse_trino_type(text)

    assert print_trino_type(type_) == text
    assert type_from_json(type_to_json(type_)) == type_
