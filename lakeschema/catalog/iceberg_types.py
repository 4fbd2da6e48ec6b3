"""Converts Iceberg's fields and types, in the form of its metadata, to columns and column types.

Iceberg specification, formats 1 to 3, "Schemas and Data Types". Malformed JSON raises
``ValueError``, ``KeyError``, ``TypeError``, ``AttributeError``, ``OverflowError`` or
``RecursionError``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from lakeschema.catalog.column_types import (
    BIGINT,
    BINARY,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    GEOGRAPHY,
    GEOMETRY,
    INT,
    STRING,
    TIME,
    TIMESTAMP_LOCAL,
    TIMESTAMP_NTZ,
    VARIANT,
    VOID,
    ArrayType,
    ColumnType,
    DecimalType,
    MapType,
    StructField,
    StructType,
    UnknownType,
)
from lakeschema.catalog.relations import Column, column_of
from lakeschema.catalog.trino_types import UUID, timestamp_of

MAX_DEPTH = 200
_NANOSECONDS = 9
_DECIMAL = re.compile(r"decimal\(\s*(\d{1,2})\s*,\s*(\d{1,2})\s*\)")
_FIXED = re.compile(r"fixed\[\s*\d+\s*\]")

_PRIMITIVES: Mapping[str, ColumnType] = {
    "boolean": BOOLEAN,
    "int": INT,
    "long": BIGINT,
    "float": FLOAT,
    "double": DOUBLE,
    "date": DATE,
    "time": TIME,
    "timestamp": TIMESTAMP_NTZ,
    "timestamptz": TIMESTAMP_LOCAL,
    "timestamp_ns": timestamp_of(_NANOSECONDS),
    "timestamptz_ns": timestamp_of(_NANOSECONDS, zone=True),
    "string": STRING,
    "uuid": UUID,
    "binary": BINARY,
    "unknown": VOID,
    "variant": VARIANT,
}
_SHAPES = {"geometry": GEOMETRY, "geography": GEOGRAPHY}


def columns_of(schema: Mapping[str, Any]) -> tuple[Column, ...]:
    """The columns of a schema, without their ``former_names``."""
    return tuple(map(column_of, _fields(schema["fields"], 0)))


def require_storable(texts: Iterable[str]) -> None:
    """Raises ``ValueError`` for half of a surrogate pair: JSON can express it, but nothing can store it."""
    for text in texts:
        if not isinstance(text, str):
            raise TypeError
        text.encode()


def name_of(field: Mapping[str, Any]) -> str:
    name = field["name"]
    require_storable([name])
    return str(name)


def doc_of(field: Mapping[str, Any]) -> str | None:
    return text_or_none(field.get("doc"))


def text_or_none(value: Any) -> str | None:
    """The value if it is a text, which must be storable; else None."""
    if not isinstance(value, str):
        return None
    require_storable([value])
    return value


def type_of(value: Any, depth: int = 0) -> ColumnType:
    """The column type of an Iceberg type; ``UnknownType`` if it is unknown."""
    if depth > MAX_DEPTH:
        return UnknownType(f"nested deeper than {MAX_DEPTH} levels")
    if isinstance(value, str):
        return _primitive(value)
    match value["type"]:
        case "struct":
            return StructType(tuple(_fields(value["fields"], depth + 1)))
        case "list":
            element = type_of(value["element"], depth + 1)
            return ArrayType(element, value.get("element-required") is not True)
        case "map":
            return MapType(
                type_of(value["key"], depth + 1),
                type_of(value["value"], depth + 1),
                value.get("value-required") is not True,
            )
        case _:
            return UnknownType(json.dumps(value)[:200])


def _fields(fields: Sequence[Mapping[str, Any]], depth: int) -> Iterator[StructField]:
    for field in fields:
        yield StructField(
            name_of(field),
            type_of(field["type"], depth),
            field.get("required") is not True,
            doc_of(field),
        )


def _primitive(text: str) -> ColumnType:
    require_storable([text])
    if text in _PRIMITIVES:
        return _PRIMITIVES[text]
    decimal = _DECIMAL.fullmatch(text)
    if decimal is not None:
        precision, scale = int(decimal[1]), int(decimal[2])
        if 1 <= precision <= 38 and scale <= precision:
            return DecimalType(precision, scale)
    if _FIXED.fullmatch(text):
        return BINARY
    return _SHAPES.get(text.partition("(")[0], UnknownType(text[:200]))
