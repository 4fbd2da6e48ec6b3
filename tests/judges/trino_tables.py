"""Tables with rows in Trino's memory."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from deploy.trino import Trino
from lakeschema.catalog.column_types import (
    BINARY,
    DOUBLE,
    FLOAT,
    ArrayType,
    ColumnType,
    MapType,
    StructType,
    parse_type,
)
from lakeschema.translation.emission.trino.text import quoted, string, type_text

Tables = Mapping[str, Mapping[str, Any]]
"""Tables by name: ``columns``, pairs of a name and a type's text, and ``rows`` of JSON values."""
_JAVAS_WORDS = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}


def create_tables(trino: Trino, tables: Tables) -> None:
    for name, table in tables.items():
        types = [parse_type(type_) for _, type_ in table["columns"]]
        columns = ", ".join(quoted(column) for column, _ in table["columns"])
        rows = ", ".join(f"ROW({', '.join(map(_value, row, types))})" for row in table["rows"])
        trino.answer(f"DROP TABLE IF EXISTS {quoted(name)}")
        trino.answer(f"CREATE TABLE {quoted(name)} ({columns}) AS VALUES {rows}")


def json_value(value: Any, type_: ColumnType) -> Any:
    """Converts a Python value from Spark or Arrow to the form that ``create_tables`` takes."""
    if value is None:
        return None
    match type_:
        case ArrayType(element):
            return [json_value(each, element) for each in value]
        case MapType(value=held):
            return {key: json_value(each, held) for key, each in dict(value).items()}
        case StructType(fields):
            # Arrow's structs have names; Spark's and the benchmarks' are tuples.
            parts = value.values() if isinstance(value, dict) else value
            return {f.name: json_value(v, f.type) for f, v in zip(fields, parts, strict=True)}
        case _ if isinstance(value, bytes | bytearray):
            return value.hex()
        case _ if isinstance(value, datetime):
            return str(value.replace(tzinfo=None))
        case _ if isinstance(value, date | Decimal):
            return str(value)
        case _:
            return value


def _value(value: Any, type_: ColumnType) -> str:
    if value is None:
        return f"CAST(NULL AS {type_text(type_)})"
    match type_:
        case ArrayType(element):
            inner = ", ".join(_value(each, element) for each in value)
            return f"CAST(ARRAY[{inner}] AS {type_text(type_)})"
        case MapType(key, of):
            keys = ", ".join(_value(each, key) for each in value)
            values = ", ".join(_value(each, of) for each in value.values())
            return f"CAST(MAP(ARRAY[{keys}], ARRAY[{values}]) AS {type_text(type_)})"
        case StructType(fields):
            inner = ", ".join(_value(value[f.name], f.type) for f in fields)
            return f"CAST(ROW({inner}) AS {type_text(type_)})"
        case _ if type_ == BINARY:
            return f"X'{value}'"
        case _ if type_ in {FLOAT, DOUBLE}:
            text = _JAVAS_WORDS.get(str(value), str(value))
            return f"CAST({string(text)} AS {type_text(type_)})"
        case _:
            return f"CAST({string(str(value).lower() if isinstance(value, bool) else str(value))} AS {type_text(type_)})"
