"""Evolutions of an Iceberg table, as pyiceberg makes them; each begins with ``BEFORE``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pyiceberg.schema import Schema
from pyiceberg.table.update.schema import UpdateSchema
from pyiceberg.types import (
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    ListType,
    LongType,
    MapType,
    NestedField,
    StringType,
    StructType,
)

from lakeschema.avro.compatibility import Level


def _inner(first: int, *names: str) -> StructType:
    fields = (NestedField(first + n, name, IntegerType()) for n, name in enumerate(names))
    return StructType(*fields)


BEFORE = Schema(
    NestedField(1, "Id", IntegerType(), required=True, doc="the key"),
    NestedField(2, "name", StringType()),
    NestedField(3, "price", FloatType()),
    NestedField(4, "amount", DecimalType(9, 2)),
    NestedField(5, "s", _inner(10, "x", "y")),
    NestedField(6, "l", ListType(20, _inner(21, "q", "r"), element_required=False)),
    NestedField(7, "m", MapType(30, StringType(), 31, _inner(32, "v", "w"), value_required=False)),
    NestedField(8, "flag", StringType(), required=True),
)
ROW: Mapping[str, Any] = {
    "Id": 7,
    "name": "seven",
    "price": 1.5,
    "amount": "12.25",
    "s": {"x": 1, "y": 2},
    "l": [{"q": 3, "r": 4}],
    "m": [("k", {"v": 5, "w": 6})],
    "flag": "f",
}

Step = Callable[[UpdateSchema], Any]
MAJOR, MINOR, PATCH = Level.MAJOR, Level.MINOR, Level.PATCH

EVOLUTIONS: Mapping[str, tuple[Level, tuple[Step, ...]]] = {
    "rename": (MAJOR, (lambda u: u.rename_column("name", "title"),)),
    "rename twice": (
        MAJOR,
        (lambda u: u.rename_column("name", "a"), lambda u: u.rename_column("a", "title")),
    ),
    "rename there and back": (
        MINOR,
        (lambda u: u.rename_column("name", "a"), lambda u: u.rename_column("a", "name")),
    ),
    "rename a required column": (MAJOR, (lambda u: u.rename_column("Id", "key"),)),
    "rename a struct": (MAJOR, (lambda u: u.rename_column("s", "t"),)),
    "rename in a struct": (MAJOR, (lambda u: u.rename_column("s.x", "z"),)),
    "rename in a list": (MAJOR, (lambda u: u.rename_column("l.q", "z"),)),
    "rename in a map": (MAJOR, (lambda u: u.rename_column("m.v", "z"),)),
    "rename a struct and in it": (
        MAJOR,
        (lambda u: u.rename_column("s", "t"), lambda u: u.rename_column("t.x", "z")),
    ),
    "move": (MINOR, (lambda u: u.move_first("price"),)),
    "move behind": (MINOR, (lambda u: u.move_after("Id", "price"),)),
    "move in a struct": (MINOR, (lambda u: u.move_first("s.y"),)),
    "move in a list": (MINOR, (lambda u: u.move_first("l.r"),)),
    "promote int": (MAJOR, (lambda u: u.update_column("Id", LongType()),)),
    "promote float": (MAJOR, (lambda u: u.update_column("price", DoubleType()),)),
    "promote decimal": (MAJOR, (lambda u: u.update_column("amount", DecimalType(12, 2)),)),
    "promote in a struct": (MAJOR, (lambda u: u.update_column("s.x", LongType()),)),
    "promote in a list": (MAJOR, (lambda u: u.update_column("l.q", LongType()),)),
    "drop": (MAJOR, (lambda u: u.delete_column("name"),)),
    "drop in a struct": (MAJOR, (lambda u: u.delete_column("s.x"),)),
    "drop in a map": (MAJOR, (lambda u: u.delete_column("m.v"),)),
    "add": (MINOR, (lambda u: u.add_column("more", StringType(), doc="added"),)),
    "add in a struct": (MINOR, (lambda u: u.add_column(("s", "more"), StringType()),)),
    "add in a list": (MINOR, (lambda u: u.add_column(("l", "more"), StringType()),)),
    "add a struct": (MINOR, (lambda u: u.add_column("more", _inner(1, "a")),)),
    "required to optional": (MAJOR, (lambda u: u.make_column_optional("flag"),)),
    "document": (PATCH, (lambda u: u.update_column("name", doc="as written"),)),
    "document in a struct": (PATCH, (lambda u: u.update_column("s.x", doc="inner"),)),
}
DEFAULTS: Mapping[str, dict[str, Any]] = {
    "add with a default": {"required": False, "type": "int", "initial-default": 5},
    "add required with a default": {"required": True, "type": "string", "initial-default": "none"},
    "add a decimal with a default": {
        "required": False,
        "type": "decimal(9, 2)",
        "initial-default": "-1.25",
    },
    "add a date with a default": {
        "required": False,
        "type": "date",
        "initial-default": "2026-02-03",
    },
}
"""Columns that are added with a default; pyiceberg reads such tables, and cannot write them."""
REPLACEMENTS: Mapping[str, tuple[str, tuple[Step, ...]]] = {
    "a renamed column": (
        "name",
        (
            lambda u: u.rename_column("name", "title"),
            lambda u: u.add_column("name", StringType()),
        ),
    ),
    "a column": (
        "name",
        (lambda u: u.delete_column("name"), lambda u: u.add_column("name", StringType())),
    ),
    "a field of a struct": (
        "s.x",
        (lambda u: u.delete_column("s.x"), lambda u: u.add_column(("s", "x"), IntegerType())),
    ),
}
"""Columns that have the name of an earlier one: the path that has another id now."""
