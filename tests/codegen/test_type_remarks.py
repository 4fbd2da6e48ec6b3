"""Editors show more of a column than its Python type: precision, units, and the owner's comment."""

from __future__ import annotations

from typing import Any

import pytest

from codegen.lowering import lower
from tests.codegen.generated import imported, record, record_of

DECIMAL = {"type": "bytes", "logicalType": "decimal", "precision": 12, "scale": 2}
FIXED = {
    "type": "fixed", "name": "Money", "size": 8, "logicalType": "decimal", "precision": 10, "scale": 3,
}  # fmt: skip


def logical(type_: str, name: str) -> dict[str, str]:
    return {"type": type_, "logicalType": name}


def shown(type_: Any, doc: str | None = None) -> str | None:
    """What the attribute ``x`` of a record is documented as."""
    field = {"type": type_} if doc is None else {"type": type_, "doc": doc}
    (attribute,) = lower(record_of(record({"x": field}))).root.attributes
    return attribute.doc


@pytest.mark.parametrize(
    ("type_", "expected"),
    [
        (DECIMAL, "decimal(12,2)"),
        (["null", DECIMAL], "decimal(12,2)"),
        (FIXED, "decimal(10,3)"),
        (logical("int", "time-millis"), "time (milliseconds)"),
        (logical("long", "time-micros"), "time (microseconds)"),
        (logical("long", "timestamp-millis"), "timestamp (UTC, milliseconds)"),
        (logical("long", "timestamp-micros"), "timestamp (UTC, microseconds)"),
        (logical("long", "timestamp-nanos"), "timestamp (UTC, nanoseconds since 1970)"),
        (logical("long", "local-timestamp-micros"), "timestamp (no time zone, microseconds)"),
        (logical("int", "year-month-interval"), "interval (months)"),
        (logical("long", "day-time-interval-micros"), "interval (microseconds)"),
        (logical("int", "short"), "smallint"),
        ({"type": "array", "items": ["null", DECIMAL]}, "items: decimal(12,2)"),
        ({"type": "map", "values": {"type": "array", "items": DECIMAL}}, "values: items: decimal(12,2)"),
        ([DECIMAL, logical("long", "timestamp-micros")], "decimal(12,2) or timestamp (UTC, microseconds)"),
        ("string", None),
        (logical("int", "date"), None),
        (logical("string", "uuid"), None),
        # Not a type of Avro's: the value is a number.
        (logical("long", "decimal"), None),
        (logical("long", "time-millis"), None),
    ],
)  # fmt: skip
def test_a_column_says_what_its_python_type_does_not(type_: Any, expected: str | None) -> None:
    assert shown(type_) == expected


def test_the_owners_comment_follows() -> None:
    assert shown(DECIMAL, "What the customer may owe.") == (
        "decimal(12,2). What the customer may owe."
    )
    assert shown(["null", "string"], "Who.") == "Who."


def test_a_type_that_is_used_twice_is_shown_twice() -> None:
    schema = record_of(record({"x": {"type": FIXED}, "y": {"type": ["null", "Money"]}}))

    assert [a.doc for a in lower(schema).root.attributes] == ["decimal(10,3)", "decimal(10,3)"]


def test_a_map_of_entries_says_it_of_keys_and_values() -> None:
    entry = record({"key": {"type": DECIMAL}, "value": {"type": logical("int", "short")}}, "Entry")

    remark = shown({"type": "array", "items": entry, "logicalType": "map"})

    assert remark == "keys: decimal(12,2), values: smallint"


def test_classes_list_it_among_their_attributes() -> None:
    fields = {"x": {"type": DECIMAL, "doc": "What is owed."}, "y": {"type": DECIMAL}}

    with imported(record(fields)) as package:
        lines = [line.strip() for line in package.R.__doc__.strip().splitlines()]
        assert lines[-2:] == ["x: decimal(12,2). What is owed.", "y: decimal(12,2)"]
