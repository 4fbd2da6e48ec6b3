"""This package's records on Spark. PySpark is imported when a function is called.

Spark's catalogs compare column names without case, and metastores often keep them in lower case;
the schema's casing comes from this package.
"""

from __future__ import annotations

import datetime as dt
import importlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from .binding import Binding
from .errors import InvalidValue, NotInSpark, shown
from .schema import Node
from .values import from_plain

_TYPES: Final[Mapping[tuple[str, str], str]] = {
    ("boolean", ""): "BooleanType",
    ("int", ""): "IntegerType",
    ("long", ""): "LongType",
    ("float", ""): "FloatType",
    ("double", ""): "DoubleType",
    ("bytes", ""): "BinaryType",
    ("string", ""): "StringType",
    ("enum", ""): "StringType",
    ("fixed", ""): "BinaryType",
    ("string", "uuid"): "StringType",
    ("int", "date"): "DateType",
    ("int", "time-millis"): "IntegerType",
    ("long", "time-micros"): "LongType",
    ("long", "timestamp-millis"): "TimestampType",
    ("long", "timestamp-micros"): "TimestampType",
    ("long", "local-timestamp-millis"): "TimestampNTZType",
    ("long", "local-timestamp-micros"): "TimestampNTZType",
    ("null", ""): "NullType",
}
_MOST_DIGITS: Final = 38


def struct_type(binding: Binding) -> Any:
    """The relation's ``StructType``, in the schema's casing and nullability.

    Raises:
        NotInSpark: a field has a type that no column has.
    """
    types = importlib.import_module("pyspark.sql.types")
    return _type(types, binding.root, binding.root.name, ())


def rows_to_records(binding: Binding, rows: Iterable[Any]) -> Iterator[Any]:
    """Rows (or mappings) as records; columns are found by name, without case if need be.

    Raises:
        InvalidValue: a row lacks a field, or a value does not fit.
    """
    for row in rows:
        yield from_plain(binding, binding.root, _plain(binding.root, row, ""), "")


def table_records(binding: Binding, session: Any, table: str) -> Iterator[Any]:
    """The relation's rows as records, fetched partition by partition."""
    frame = session.table(table)
    wanted = {_fold(field.name) for field in binding.root.fields}
    columns = [f"`{name.replace('`', '``')}`" for name in frame.columns if _fold(name) in wanted]
    return rows_to_records(binding, frame.select(*columns).toLocalIterator())


def _type(types: Any, node: Node, path: str, above: tuple[str, ...]) -> Any:
    match node.kind:
        case "record":
            if node.name in above:
                raise NotInSpark(f"{path}: {node.name} contains itself, which no column can")
            fields = [
                types.StructField(
                    field.name,
                    _type(types, field.node, f"{path}.{field.name}", (*above, node.name)),
                    _nullable(field.node),
                )
                for field in node.fields
            ]
            return types.StructType(fields)
        case "array":
            element = _type(types, node.items, f"{path}[]", above)
            return types.ArrayType(element, _nullable(node.items))
        case "map":
            value = _type(types, node.items, f"{path}[]", above)
            return types.MapType(types.StringType(), value, _nullable(node.items))
        case "union":
            return _type(types, _only_branch(node, path), path, above)
    if node.logical == "decimal" and node.precision <= _MOST_DIGITS:
        return types.DecimalType(node.precision, node.scale)
    name = _TYPES.get((node.kind, node.logical))
    if name is None:
        raise NotInSpark(f"{path}: Spark has no column for {node.logical or node.title}")
    return getattr(types, name)()


def _nullable(node: Node) -> bool:
    return node.kind == "null" or any(branch.kind == "null" for branch in node.branches)


def _only_branch(union: Node, path: str) -> Node:
    branches = [branch for branch in union.branches if branch.kind != "null"]
    if len(branches) != 1:
        names = ", ".join(branch.title for branch in union.branches)
        raise NotInSpark(f"{path}: Spark has no column for a union of {names}")
    return branches[0]


def _plain(node: Node, value: Any, path: str) -> Any:
    """What Spark gives for a type, as plain values of the type."""
    if value is None:
        return None
    match node.kind:
        case "record":
            return _fields(node, value, path)
        case "array":
            return [_plain(node.items, item, f"{path}[]") for item in value]
        case "map":
            return {key: _plain(node.items, item, f"{path}[]") for key, item in value.items()}
        case "union":
            return _plain(_only_branch(node, path), value, path)
    if isinstance(value, bytearray):
        return bytes(value)
    if isinstance(value, dt.datetime) and node.logical.startswith("timestamp"):
        # PySpark gives instants as naive datetimes in the system's zone.
        return value.astimezone(dt.UTC)
    return value


def _fields(node: Node, row: Any, path: str) -> dict[str, Any]:
    if isinstance(row, Mapping):
        found: Mapping[str, Any] = row
    elif hasattr(row, "asDict"):
        found = dict(zip(row.__fields__, row, strict=True))
    else:
        raise InvalidValue(path, f"{shown(row)} is no row")
    folded = {_fold(name): name for name in found}
    plain: dict[str, Any] = {}
    for field in node.fields:
        name = field.name if field.name in found else folded.get(_fold(field.name))
        if name is not None:
            plain[field.name] = _plain(field.node, found[name], f"{path}.{field.name}")
    return plain


def _fold(name: str) -> str:
    return name.lower()
