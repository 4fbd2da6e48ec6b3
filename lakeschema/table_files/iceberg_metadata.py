"""An Iceberg table's columns from its metadata file, with former names.

Iceberg specification, formats 1 to 3, "Table Metadata" and "Schemas and Data Types".
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, BinaryIO

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
from lakeschema.catalog.own_schemas import OwnSchema
from lakeschema.catalog.relations import Column
from lakeschema.catalog.trino_types import UUID, timestamp_of
from lakeschema.table_files.errors import MalformedFile, UnreadableFile

FILE_NAME = re.compile(r".+\.metadata\.json(?:\.gz)?")
_GZIP = b"\x1f\x8b"
_MAX_DEPTH = 200
_FORMATS = (1, 2, 3)
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


def read_metadata(file: BinaryIO, name: str, max_bytes: int) -> OwnSchema:
    """The schema in a metadata file.

    Raises:
        UnreadableFile: it is too large or malformed, or its format is unknown.
    """
    try:
        metadata = json.loads(_text(file, name, max_bytes))
        return _own_schema(metadata, name)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise MalformedFile(name, "is not the metadata of an Iceberg table") from None


def _text(file: BinaryIO, name: str, max_bytes: int) -> bytes:
    content = file.read(max_bytes + 1)
    if content.startswith(_GZIP):
        unpacking = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
        try:
            content = unpacking.decompress(content, max_bytes + 1)
        except zlib.error:
            raise MalformedFile(name, "is not compressed as its name says") from None
    if len(content) > max_bytes:
        raise UnreadableFile(
            f"{name} is larger than {max_bytes} bytes",
            "raise catalog.table_files.max_megabytes, or expire snapshots of the table",
        )
    return content


def _own_schema(metadata: Mapping[str, Any], name: str) -> OwnSchema:
    version = metadata["format-version"]
    if version not in _FORMATS:
        raise UnreadableFile(f"{name} has an unknown version of Iceberg's format", "report it")
    # Version 1 has the current schema separately from the list, or without a list.
    schemas = metadata.get("schemas") or [metadata["schema"]]
    known = {schema.get("schema-id", 0): schema for schema in schemas}
    current = known[metadata["current-schema-id"]] if "schemas" in metadata else metadata["schema"]
    newest_first = [known[number] for number in sorted(known, reverse=True)]
    former = _former_names(current["fields"], newest_first)
    columns = tuple(
        Column(
            _name(field),
            _type(field["type"], 0),
            _doc(field),
            field.get("required") is not True,
            former.get(field["id"], ()),
        )
        for field in current["fields"]
    )
    comment = (metadata.get("properties") or {}).get("comment")
    return OwnSchema(columns, comment if isinstance(comment, str) else None)


def _former_names(
    fields: Sequence[Mapping[str, Any]], schemas: Sequence[Mapping[str, Any]]
) -> Mapping[int, tuple[str, ...]]:
    """Former names of each column's id, the newest first, without names that two ids had."""
    names: dict[int, dict[str, None]] = {}
    ids: dict[str, set[int]] = {}
    for schema in ({"fields": fields}, *schemas):
        for field in schema["fields"]:
            names.setdefault(field["id"], {})[_name(field)] = None
            ids.setdefault(_name(field).lower(), set()).add(field["id"])
    return {
        field["id"]: tuple(
            name
            for name in names[field["id"]]
            if name != _name(field) and len(ids[name.lower()]) == 1
        )
        for field in fields
    }


def _name(field: Mapping[str, Any]) -> str:
    name = field["name"]
    # Half of a surrogate pair, which JSON can express, cannot be stored.
    name.encode()
    if not isinstance(name, str):
        raise TypeError
    return name


def _doc(field: Mapping[str, Any]) -> str | None:
    doc = field.get("doc")
    if not isinstance(doc, str):
        return None
    doc.encode()
    return doc


def _type(value: Any, depth: int) -> ColumnType:
    """An unknown type is ``UnknownType``."""
    if depth > _MAX_DEPTH:
        return UnknownType(f"nested deeper than {_MAX_DEPTH} levels")
    if isinstance(value, str):
        return _primitive(value)
    match value["type"]:
        case "struct":
            return StructType(tuple(_fields(value["fields"], depth)))
        case "list":
            element = _type(value["element"], depth + 1)
            return ArrayType(element, value.get("element-required") is not True)
        case "map":
            return MapType(
                _type(value["key"], depth + 1),
                _type(value["value"], depth + 1),
                value.get("value-required") is not True,
            )
        case _:
            return UnknownType(json.dumps(value)[:200])


def _fields(fields: Sequence[Mapping[str, Any]], depth: int) -> Iterator[StructField]:
    for field in fields:
        yield StructField(
            _name(field),
            _type(field["type"], depth + 1),
            field.get("required") is not True,
            _doc(field),
        )


def _primitive(text: str) -> ColumnType:
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
