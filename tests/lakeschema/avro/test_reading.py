"""Which data a schema's package reads, with the generated packages as judges."""

from __future__ import annotations

from typing import Any

import pytest

from lakeschema.avro.reading import why_unreadable
from tests.codegen.generated import imported, record, record_of

ENUM = {"type": "enum", "name": "E", "symbols": ["A", "B"]}
DECIMAL = {"type": "bytes", "logicalType": "decimal", "precision": 12, "scale": 2}
OTHER_SCALE = {**DECIMAL, "scale": 4}
MILLIS = {"type": "long", "logicalType": "timestamp-millis"}
MICROS = {"type": "long", "logicalType": "timestamp-micros"}
FIXED = {"type": "fixed", "name": "F", "size": 4}
OPTIONAL = {"type": ["null", "long"], "default": None}
INNER = record({"a": "int"}, "Inner")
INNER_ADDED = record({"a": "int", "b": "string"}, "Inner")
NODE = record({"next": {"type": ["null", "Node"]}, "x": "int"}, "Node")
NODE_OF_TEXT = record({"next": {"type": ["null", "Node"]}, "x": "string"}, "Node")

PAIRS: dict[str, tuple[Any, Any, str]] = {
    "widened": ("int", "long", ""),
    "narrowed": ("long", "int", "`f` is written as `long` and read as `int`"),
    "double to decimal": (
        "double", DECIMAL, "`f` is written as `double` and read as `decimal(12,2)`"
    ),
    "scale": (
        DECIMAL, OTHER_SCALE, "`f` is written as `decimal(12,2)` and read as `decimal(12,4)`"
    ),
    "unit": (MILLIS, MICROS, ""),
    "now optional": ("long", OPTIONAL, ""),
    "no longer optional": (OPTIONAL, "long", "`f` is written as `null` and read as `long`"),
    "symbol added": (ENUM, {**ENUM, "symbols": ["A", "B", "C"]}, ""),
    "symbol removed": (ENUM, {**ENUM, "symbols": ["A"]}, "`f` can be `B` in the data"),
    "symbol with a default": (ENUM, {**ENUM, "symbols": ["A"], "default": "A"}, ""),
    "size": (FIXED, {**FIXED, "size": 5}, "`f` is written as `n.F` and read as `n.F`"),
    "within a list": (
        {"type": "array", "items": "string"},
        {"type": "array", "items": "long"},
        "`f[]` is written as `string` and read as `long`",
    ),
    "within a map": (
        {"type": "map", "values": INNER},
        {"type": "map", "values": INNER_ADDED},
        "the data lacks `f{}.b`, which has no default",
    ),
    "recursive": (NODE, NODE, ""),
    "recursive, changed": (NODE, NODE_OF_TEXT, "`f.x` is written as `int` and read as `string`"),
    "into a union": ("int", ["null", "string", "double"], ""),
    "out of a union": (
        ["null", "string", "long"],
        ["null", "string"],
        "`f` is written as `long` and read as `null or string`",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new", "why"), PAIRS.values(), ids=PAIRS)
def test_packages_read_what_is_said_to_be_readable(old: Any, new: Any, why: str) -> None:
    written, read = record({"f": old}), record({"f": new})

    assert why_unreadable(record_of(written), record_of(read)) == why
    assert are_read(written, read) is (why == "")


def test_added_fields_need_a_default_and_removed_and_renamed_ones_are_read() -> None:
    old = record({"a": "int", "b": "int"})
    renamed = {**old, "fields": [{"name": "c", "type": "int", "aliases": ["b"]}]}

    assert why_unreadable(record_of(old), record_of(renamed)) == ""
    assert are_read(old, renamed)
    added = record({"a": "int", "z": "int"})
    assert "lacks `z`" in why_unreadable(record_of(old), record_of(added))
    assert not are_read(old, added)


def are_read(written: dict[str, Any], read: dict[str, Any]) -> bool:
    """Whether the package of ``read`` reads all of some data of ``written``."""
    with imported(written) as package:
        records = [package.RECORD.example(seed).to_avro() for seed in range(30)]
        if "default" in written["fields"][0]:
            # Examples have no nulls.
            records.append(package.RECORD().to_avro())
        schema = package.SCHEMA
    with imported(read) as package:
        try:
            for data in records:
                package.RECORD.from_avro(data, schema)
        except package.AvroError:
            return False
    return True
