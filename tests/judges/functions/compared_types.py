"""Compares an engine's types with ours."""

from __future__ import annotations

import re
from operator import eq
from typing import Final

from lakeschema.catalog.column_types import ArrayType, ColumnType, MapType, StructType, print_type
from tests.judges.engines.protocol import Columns
from tests.lakeschema.translation.asked_types import Engine
from tests.lakeschema.translation.hive_decimals import has_room

_WORDS: Final = (
    ("interval_day_time", "interval day to second"),
    ("interval_year_month", "interval year to month"),
    ("time(6)", "time"),
)
_COLLATION: Final = re.compile(r" collate [\w.`]+", re.IGNORECASE)
_SHAPE: Final = re.compile(r"geo\w+\([^)]*\)", re.IGNORECASE)
_REFERENCE_SYSTEM = re.compile(r"epsg:|srid:|, spherical", re.IGNORECASE)


def same(ours: ColumnType, theirs: ColumnType, engine: Engine) -> bool:
    """Equal apart from names and nullability; our decimals may have more digits than Hive's."""
    match ours, theirs:
        case ArrayType(a), ArrayType(b):
            return same(a, b, engine)
        case MapType(ak, av), MapType(bk, bv):
            return same(ak, bk, engine) and same(av, bv, engine)
        case StructType(a_fields), StructType(b_fields):
            return len(a_fields) == len(b_fields) and all(
                same(a.type, b.type, engine) for a, b in zip(a_fields, b_fields, strict=True)
            )
        case _:
            compared = has_room if engine is Engine.HIVE else eq
            return compared(*(in_sparks_words(print_type(type_)) for type_ in (ours, theirs)))


def in_sparks_words(text: str) -> str:
    """A type as it is compared: without a text's collation, which is no part of a column's type."""
    for word, sparks in _WORDS:
        text = text.replace(word, sparks)
    return _SHAPE.sub(_without_words, _COLLATION.sub("", text))


def _without_words(shape: re.Match[str]) -> str:
    return _REFERENCE_SYSTEM.sub("", shape[0].lower()).replace("ogc:crs84", "4326")


def is_looser(one: ColumnType, other: ColumnType) -> bool:
    """Whether a part may be null in ``one`` and never is in ``other``."""
    match one, other:
        case ArrayType(a, a_null), ArrayType(b, b_null):
            return (a_null and not b_null) or is_looser(a, b)
        case MapType(_, a, a_null), MapType(_, b, b_null):
            return (a_null and not b_null) or is_looser(a, b)
        case StructType(a_fields), StructType(b_fields):
            pairs = list(zip(a_fields, b_fields, strict=True))
            return any(
                (a.nullable and not b.nullable) or is_looser(a.type, b.type) for a, b in pairs
            )
        case _:
            return False


def shown(columns: Columns) -> str:
    return ", ".join(_shown(column.type, column.nullable) for column in columns)


def _shown(type_: ColumnType, nullable: bool) -> str:
    match type_:
        case ArrayType(element, inner):
            text = f"array<{_shown(element, inner)}>"
        case MapType(key, value, inner):
            text = f"map<{_shown(key, True)},{_shown(value, inner)}>"
        case StructType(fields):
            text = f"struct<{','.join(f'{f.name}:{_shown(f.type, f.nullable)}' for f in fields)}>"
        case _:
            text = print_type(type_)
    return text if nullable else f"{text} not null"
