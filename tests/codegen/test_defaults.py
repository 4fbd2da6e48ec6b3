"""Defaults of every type, as the generated class holds them."""

from __future__ import annotations

import datetime as dt
import decimal
import uuid
from typing import Any

import pytest

from tests.codegen.generated import imported

UTC = dt.UTC
FIXED_16 = {"type": "fixed", "name": "U", "size": 16, "logicalType": "uuid"}
FIXED_DECIMAL = {
    "type": "fixed", "name": "D", "size": 2, "logicalType": "decimal", "precision": 4, "scale": 1,
}  # fmt: skip


def schema(type_: Any, default: Any) -> dict[str, Any]:
    fields = [{"name": "f", "type": type_, "default": default}]
    return {"type": "record", "name": "R", "fields": fields}


def logical(base: str, name: str) -> dict[str, str]:
    return {"type": base, "logicalType": name}


@pytest.mark.parametrize(
    ("type_", "default", "expected"),
    [
        ("null", None, None),
        ("boolean", True, True),
        ("int", -5, -5),
        ("float", 0.1, 0.10000000149011612),
        ("double", 1, 1.0),
        ("bytes", "\u00ff\u0000", b"\xff\x00"),
        (logical("int", "date"), 1, dt.date(1970, 1, 2)),
        (logical("int", "time-millis"), 1, dt.time(0, 0, 0, 1000)),
        (logical("long", "time-micros"), 1, dt.time(0, 0, 0, 1)),
        (logical("long", "timestamp-millis"), 1, dt.datetime(1970, 1, 1, 0, 0, 0, 1000, UTC)),
        (logical("long", "timestamp-micros"), 1, dt.datetime(1970, 1, 1, 0, 0, 0, 1, UTC)),
        (logical("long", "local-timestamp-micros"), 1, dt.datetime(1970, 1, 1, 0, 0, 0, 1)),  # noqa: DTZ001
        (logical("string", "uuid"), str(uuid.UUID(int=7)), uuid.UUID(int=7)),
        (FIXED_16, "\u0000" * 15 + "\u0007", uuid.UUID(int=7)),
        (FIXED_DECIMAL, "\u0000\u000f", decimal.Decimal("1.5")),
    ],
)
def test_a_default_is_a_value_of_its_type(type_: Any, default: Any, expected: Any) -> None:
    with imported(schema(type_, default)) as package:
        value = package.RECORD().f

    assert value == expected
    assert type(value) is type(expected)


BRANCHES = [
    "int",
    "boolean",
    {"type": "array", "items": "int"},
    {"type": "map", "values": "int"},
    {"type": "enum", "name": "E", "symbols": ["A"]},
    {"type": "fixed", "name": "F", "size": 4},
    {"type": "record", "name": "Inner", "fields": [{"name": "x", "type": "string"}]},
    "null",
    "string",
]


@pytest.mark.parametrize("default", ["zz", [1, 2], {"k": 1}, {"x": "a"}, 3, True, None])
def test_a_default_of_a_union_is_of_the_first_branch_that_accepts_it(default: Any) -> None:
    with imported(schema(BRANCHES, default)) as package:
        plain = package.RECORD().to_dict()["f"]

    assert plain in (default, ("Inner", default))


@pytest.mark.parametrize(
    ("type_", "default"),
    [(logical("int", "date"), 1), (FIXED_DECIMAL, "\u0000\u000f"), (FIXED_16, "\u0007" * 16)],
)
def test_a_default_stands_beside_an_attribute_with_the_name_of_a_class(
    type_: Any, default: Any
) -> None:
    """There annotations are made apart, and what they mention is imported all the same."""
    document = schema(type_, default)
    enum = {"type": "enum", "name": "State", "symbols": ["CA"]}
    document["fields"].append({"name": "State", "type": enum})
    with imported(document) as package:
        assert package.RECORD(State=package.State.CA).to_dict()["State"] == "CA"
