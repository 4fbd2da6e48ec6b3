"""Spark's UpCast: the types as which a BINDING view may read its columns without loss."""

from __future__ import annotations

import pytest

from lakeschema.catalog.column_types import parse_type
from lakeschema.translation.functions.casts import can_up_cast


@pytest.mark.parametrize(
    ("source", "target", "allowed"),
    [
        ("int", "int", True),
        ("void", "struct<a:int>", True),
        ("smallint", "bigint", True),
        ("bigint", "int", False),
        ("int", "double", True),
        ("float", "double", True),
        ("double", "float", False),
        ("decimal(10,2)", "double", False),
        ("int", "decimal(10,0)", True),
        ("bigint", "decimal(10,0)", False),
        ("decimal(10,2)", "decimal(12,2)", True),
        ("decimal(10,2)", "decimal(10,3)", False),
        ("date", "timestamp", True),
        ("timestamp", "date", False),
        ("bigint", "timestamp", True),
        ("int", "string", True),
        ("binary", "string", True),
        ("array<binary>", "array<string>", True),
        ("variant", "string", False),
        ("string", "binary", False),
        ("decimal(5,0)", "int", True),
        ("decimal(10,0)", "int", False),
        ("decimal(10,2)", "bigint", False),
        ("decimal(3,0)", "tinyint", False),
        ("timestamp", "timestamp_ntz", True),
        ("timestamp_ntz", "timestamp", True),
        ("array<int>", "string", False),
        ("array<int>", "array<bigint>", True),
        ("array<bigint>", "array<int>", False),
        ("map<string,int>", "map<string,bigint>", True),
        ("map<string,int>", "map<int,int>", False),
        ("struct<a:int>", "struct<b:bigint>", True),
        ("struct<a:int>", "struct<a:int,b:int>", False),
        ("struct<a:bigint>", "struct<a:int>", False),
    ],
)
def test_an_up_cast_loses_no_value(source: str, target: str, allowed: bool) -> None:
    assert can_up_cast(parse_type(source), parse_type(target)) is allowed
