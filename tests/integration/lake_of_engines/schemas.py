"""Compares a package's schema with an engine's: names with their case, types, and nullability."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

import pyarrow as pa
from pyspark.sql.types import (
    ArrayType,
    ByteType,
    CharType,
    DataType,
    IntegerType,
    MapType,
    ShortType,
    StringType,
    StructType,
    VarcharType,
)


def differences(ours: DataType, theirs: DataType, path: str = "") -> Iterator[str]:
    """What differs, a line each; nothing where ours has a null that theirs has not.

    Text of a limited length is text in Avro, and each integer that fits is an int.
    """
    match ours, theirs:
        case StructType(), StructType():
            if ours.names != theirs.names:
                yield f"{path or 'columns'}: {ours.names} instead of {theirs.names}"
                return
            for mine, other in zip(ours.fields, theirs.fields, strict=True):
                name = f"{path}.{mine.name}".lstrip(".")
                yield from _of_part(mine.nullable, other.nullable, name)
                yield from differences(mine.dataType, other.dataType, name)
        case ArrayType(), ArrayType():
            yield from _of_part(ours.containsNull, theirs.containsNull, f"{path}[]")
            yield from differences(ours.elementType, theirs.elementType, f"{path}[]")
        case MapType(), MapType():
            yield from _of_part(ours.valueContainsNull, theirs.valueContainsNull, f"{path}{{}}")
            yield from differences(ours.keyType, theirs.keyType, f"{path}.key")
            yield from differences(ours.valueType, theirs.valueType, f"{path}{{}}")
        case (StringType(), CharType() | VarcharType()) | (IntegerType(), ByteType() | ShortType()):
            pass
        case _ if ours.simpleString() != theirs.simpleString():
            yield f"{path}: {ours.simpleString()} instead of {theirs.simpleString()}"


def _of_part(ours: bool, theirs: bool, path: str) -> Iterator[str]:
    if theirs and not ours:
        yield f"{path}: required, where the engine says that it may be null"


def arrow_differences(ours: pa.Schema, theirs: pa.Schema) -> list[str]:
    """What differs between a package's Arrow schema and the one of the files that Iceberg writes."""
    return list(_of_arrow_fields(list(ours), list(theirs), ""))


def _of_arrow_fields(ours: list[pa.Field], theirs: list[pa.Field], path: str) -> Iterator[str]:
    if [field.name for field in ours] != [field.name for field in theirs]:
        yield f"{path or 'columns'}: {[f.name for f in ours]} instead of {[f.name for f in theirs]}"
        return
    for mine, other in zip(ours, theirs, strict=True):
        name = f"{path}.{mine.name}".lstrip(".")
        # Iceberg says of every table exactly what may be null.
        if mine.nullable != other.nullable:
            yield f"{name}: nullable is {mine.nullable} instead of {other.nullable}"
        yield from _of_arrow_types(mine.type, other.type, name)


def _of_arrow_types(mine: pa.DataType, other: pa.DataType, path: str) -> Iterator[str]:
    if pa.types.is_struct(mine) and pa.types.is_struct(other):
        yield from _of_arrow_fields(mine.fields, other.fields, path)
    elif pa.types.is_map(mine) and pa.types.is_map(other):
        yield from _of_arrow_types(mine.key_type, other.key_type, f"{path}.key")
        yield from _of_arrow_fields([_unnamed(mine.item_field)], [_unnamed(other.item_field)], path)
    elif _is_list(mine) and _is_list(other):
        yield from _of_arrow_fields(
            [_unnamed(mine.value_field)], [_unnamed(other.value_field)], path
        )
    elif _plain(mine) != _plain(other):
        yield f"{path}: {mine} instead of {other}"


def _unnamed(field: pa.Field) -> pa.Field:
    return field.with_name("[]")


def _is_list(type_: pa.DataType) -> bool:
    return bool(pa.types.is_list(type_) or pa.types.is_large_list(type_))


_SAME: Mapping[str, str] = {
    "large_string": "string",
    "large_binary": "binary",
    # A package has UUIDs as text, and fixed bytes as bytes.
    "extension<arrow.uuid>": "string",
    "fixed_size_binary[4]": "binary",
}


def _plain(type_: pa.DataType) -> str:
    shown = str(type_)
    return _SAME.get(shown, shown)


def as_hive_writes_them(schema: StructType) -> list[tuple[str, str]]:
    """The columns of a package, as Hive writes their names and types."""
    return [(field.name.lower(), field.dataType.simpleString().lower()) for field in schema.fields]


def of_hive(columns: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Hive's columns without the relation's name, in the types that a package has for them."""
    return [(name.rpartition(".")[2], _of_hive_type(type_)) for name, type_ in columns]


def _of_hive_type(type_: str) -> str:
    """Text of a limited length is text, an instant a timestamp, and a union a struct of its members."""
    if type_.startswith("uniontype"):
        members = type_[len("uniontype<") : -1].split(",")
        return f"struct<{','.join(f'member{n}:{each}' for n, each in enumerate(members))}>"
    type_ = re.sub(r" with local time zone(\(.*?\))?", "", type_)
    return re.sub(r"(var)?char\(\d+\)", "string", type_)
