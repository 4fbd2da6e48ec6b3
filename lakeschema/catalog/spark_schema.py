"""Columns from Spark's schema JSON, which the metastore keeps in table properties.

Only this JSON is reliable. The columns that the metastore itself has for a Spark table are lower-cased
and lack nullability; for some formats they are only a placeholder.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from lakeschema.catalog.column_types import (
    STRING,
    ArrayType,
    CharType,
    ColumnType,
    MapType,
    StructField,
    StructType,
    UnknownType,
    VarcharType,
    parse_type_or_unknown,
    print_type,
)
from lakeschema.catalog.relations import Column, column_of

SCHEMA = "spark.sql.sources.schema"
_MAX_PROPERTY = 4000
"""In characters. Spark splits longer values, because metastores limit a property's length."""
_CHAR_VARCHAR = "__CHAR_VARCHAR_TYPE_STRING"
_MAX_DEPTH = 200


def is_schema_property(key: str) -> bool:
    return key == SCHEMA or key.startswith(SCHEMA + ".")


def numbered(properties: Mapping[str, str], count: str, part: str) -> tuple[str, ...] | None:
    """The values of ``part0``, ``part1``, …; the property ``count`` has their number.

    None if the count is missing or wrong, or a part is missing.
    """
    text = properties.get(count, "")
    # An untrusted count above the number of properties must not cost a loop.
    if not (text.isascii() and text.isdigit()) or len(text) > 9 or int(text) > len(properties):
        return None
    parts = [properties.get(f"{part}{index}") for index in range(int(text))]
    return None if None in parts else tuple(p for p in parts if p is not None)


def stored_columns(properties: Mapping[str, str]) -> tuple[Column, ...] | None:
    """The columns of the stored schema, partition columns included; None without a stored schema."""
    text = properties.get(SCHEMA)
    if text is None:
        parts = numbered(properties, f"{SCHEMA}.numParts", f"{SCHEMA}.part.")
        if parts is None:
            return None
        text = "".join(parts)
    return columns_from_json(text)


def schema_properties(columns: Sequence[Column]) -> dict[str, str]:
    """The properties that ``stored_columns`` reads."""
    text = json.dumps(
        {"type": "struct", "fields": [_field_json(c.name, c.type, c) for c in columns]},
        separators=(",", ":"),
    )
    if len(text) <= _MAX_PROPERTY:
        return {SCHEMA: text}
    starts = range(0, len(text), _MAX_PROPERTY)
    parts = {f"{SCHEMA}.part.{n}": text[s : s + _MAX_PROPERTY] for n, s in enumerate(starts)}
    return {f"{SCHEMA}.numParts": str(len(starts)), **parts}


def _field_json(name: str, type_: ColumnType, field: Column | StructField) -> dict[str, Any]:
    metadata = {} if field.comment is None else {"comment": field.comment}
    if _has_char(type_):
        metadata[_CHAR_VARCHAR] = print_type(type_)
    return {
        "name": name,
        "type": _type_json(type_),
        "nullable": field.nullable,
        "metadata": metadata,
    }


def _type_json(type_: ColumnType) -> Any:
    match type_:
        case ArrayType(element, nullable):
            return {
                "type": "array",
                "elementType": _type_json(element),
                "containsNull": nullable,
            }
        case MapType(key, value, nullable):
            return {
                "type": "map",
                "keyType": _type_json(key),
                "valueType": _type_json(value),
                "valueContainsNull": nullable,
            }
        case StructType(fields):
            return {"type": "struct", "fields": [_field_json(f.name, f.type, f) for f in fields]}
        case CharType() | VarcharType():
            return "string"
        case _:
            text = print_type(type_)
            return _SPARK_NAMES.get(text, text)


_SPARK_NAMES = {"bigint": "long", "int": "integer", "smallint": "short", "tinyint": "byte"}


def _has_char(type_: ColumnType) -> bool:
    match type_:
        case CharType() | VarcharType():
            return True
        case ArrayType(element):
            return _has_char(element)
        case MapType(key, value):
            return _has_char(key) or _has_char(value)
        case _:
            return False


def stored_partition_names(properties: Mapping[str, str]) -> tuple[str, ...]:
    return numbered(properties, f"{SCHEMA}.numPartCols", f"{SCHEMA}.partCol.") or ()


def columns_from_json(text: str) -> tuple[Column, ...] | None:
    """Reads Spark's ``StructType.json``; None for anything else."""
    try:
        value = json.loads(text)
        # Half of a surrogate pair, which JSON can express, cannot be stored.
        json.dumps(value, ensure_ascii=False).encode()
        fields = value["fields"]
        return tuple(column_of(_field(field, 0)) for field in fields)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"expected text, found {value!r:.80}")
    return value


def _field_type(field: Mapping[str, Any], metadata: Mapping[str, Any], depth: int) -> ColumnType:
    type_ = type_from_spark(field["type"], depth)
    exact = metadata.get(_CHAR_VARCHAR)
    return _with_char(type_, parse_type_or_unknown(exact)) if isinstance(exact, str) else type_


def type_from_spark(value: Any, depth: int = 0) -> ColumnType:
    """A type from Spark's schema JSON; an unknown type becomes ``UnknownType``."""
    if depth > _MAX_DEPTH:
        return UnknownType(f"nested deeper than {_MAX_DEPTH} levels")
    if isinstance(value, str):
        return parse_type_or_unknown(_leaf(value))
    if not isinstance(value, dict):
        return UnknownType(json.dumps(value)[:200])
    match value.get("type"):
        case "array":
            element = type_from_spark(value["elementType"], depth + 1)
            return ArrayType(element, value.get("containsNull") is not False)
        case "map":
            return MapType(
                type_from_spark(value["keyType"], depth + 1),
                type_from_spark(value["valueType"], depth + 1),
                value.get("valueContainsNull") is not False,
            )
        case "struct":
            return StructType(tuple(_field(f, depth + 1) for f in value["fields"]))
        case "udt" if value.get("sqlType") is not None:
            return type_from_spark(value["sqlType"], depth + 1)
        case _:
            return UnknownType(json.dumps(value)[:200])


def _field(field: Mapping[str, Any], depth: int) -> StructField:
    metadata = field.get("metadata") or {}
    comment = metadata.get("comment")
    return StructField(
        _text(field["name"]),
        _field_type(field, metadata, depth),
        field.get("nullable") is not False,
        comment if isinstance(comment, str) else None,
    )


def _leaf(text: str) -> str:
    """The type's text without a collation: Spark writes one after ``string``."""
    return "string" if text.startswith("string collate ") else text


def _with_char(type_: ColumnType, exact: ColumnType) -> ColumnType:
    """The type, in which char and varchar of ``exact`` replace string.

    Spark stores such types as string, and the column's true type separately.
    """
    match type_, exact:
        case _, CharType() | VarcharType() if type_ == STRING:
            return exact
        case ArrayType(element, nullable), ArrayType(other):
            return ArrayType(_with_char(element, other), nullable)
        case MapType(key, value, nullable), MapType(other_key, other_value):
            return MapType(_with_char(key, other_key), _with_char(value, other_value), nullable)
        case StructType(fields), StructType(others) if len(fields) == len(others):
            return StructType(
                tuple(
                    StructField(f.name, _with_char(f.type, o.type), f.nullable, f.comment)
                    for f, o in zip(fields, others, strict=True)
                )
            )
        case _:
            return type_
