"""Writes nested values in a form that Trino orders as Hive and Spark do.

Trino refuses to compare nested nulls. So each nested value becomes a row that begins with a flag
for not null, and nulls come first. NaN comes after all numbers.
"""

from __future__ import annotations

from lakeschema.catalog.column_types import ArrayType, ColumnType, StructType, print_type
from lakeschema.translation.emission.rows import letter
from lakeschema.translation.emission.trino.text import quoted, type_text
from lakeschema.translation.model.errors import UnsupportedConstruct

_DEFAULTS = {
    "i": "0",
    "f": "0e0",
    "d": "0e0",
    "x": "0",
    "s": "''",
    "b": "X''",
    "o": "false",
    "D": "DATE '1970-01-01'",
    "T": "TIMESTAMP '1970-01-01 00:00:00'",
}


def is_nested(type_: ColumnType) -> bool:
    return isinstance(type_, (ArrayType, StructType))


def orderable(text: str, type_: ColumnType) -> str:
    """An array or struct in a form with the right order; null stays null.

    Raises:
        UnsupportedConstruct: a part of it has no order.
    """
    variable = "nested0"
    # The value is bound to a variable, so that it is not computed for each part.
    made = _row(variable, type_, 1)
    return f"element_at(transform(filter(ARRAY[{text}], {variable} -> {variable} IS NOT NULL), {variable} -> {made}), 1)"


def _row(text: str, type_: ColumnType, depth: int) -> str:
    match type_:
        case StructType(fields):
            parts = (_row(f"{text}.{quoted(f.name)}", f.type, depth) for f in fields)
            return f"ROW({text} IS NOT NULL, {', '.join(parts)})"
        case ArrayType(element):
            each = f"nested{depth}"
            made = (
                f"transform(coalesce({text}, ARRAY[]), {each} -> {_row(each, element, depth + 1)})"
            )
            return f"ROW({text} IS NOT NULL, {made})"
        case _:
            return _of_leaf(text, type_)


def _of_leaf(text: str, type_: ColumnType) -> str:
    kind = letter(type_)
    if kind not in _DEFAULTS:
        raise UnsupportedConstruct(
            f"an order of values with {print_type(type_)} in them, for Trino"
        )
    known = f"coalesce({text}, CAST({_DEFAULTS[kind]} AS {type_text(type_)}))"
    if kind in "fd":
        # -0.0 and 0.0 are equal.
        return f"ROW({text} IS NOT NULL, is_nan({known}), IF(is_nan({known}), 0e0, CAST({known} AS double) + 0e0))"
    return f"ROW({text} IS NOT NULL, {known})"
