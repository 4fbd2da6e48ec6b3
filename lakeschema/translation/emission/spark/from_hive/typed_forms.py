"""Hive functions whose text for Spark depends on the arguments' types."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from lakeschema.catalog.column_types import (
    BIGINT,
    BOOLEAN,
    DATE,
    INT,
    TINYINT,
    ArrayType,
    ColumnType,
    DecimalType,
    print_type,
)
from lakeschema.translation.emission.spark.from_hive import masks as hive_masks
from lakeschema.translation.emission.spark.from_hive.instants import legacy_calendar
from lakeschema.translation.emission.spark.text import is_castable, string, type_text
from lakeschema.translation.functions.coercion import is_float, is_text


def _typeof(_: Sequence[str], types: Sequence[ColumnType]) -> str:
    """Writes TYPEOF; Spark has other names for types."""
    return string(print_type(types[0]))


def _field(texts: Sequence[str], types: Sequence[ColumnType]) -> str:
    """Writes FIELD: the first argument's position among the other arguments, 0 if absent.

    Only equal types match.
    """
    whens = " ".join(
        f"WHEN {texts[0]} = {text} THEN {place}"
        for place, (text, type_) in enumerate(zip(texts, types, strict=True))
        if place and _word(type_) == _word(types[0])
    )
    return f"CASE {whens} ELSE 0 END" if whens else "0"


def _concat_ws(texts: Sequence[str], types: Sequence[ColumnType]) -> str:
    """Writes CONCAT_WS; Hive writes ``null`` for null elements of an array."""
    parts = (
        f"transform({text}, e -> coalesce(e, 'null'))" if isinstance(type_, ArrayType) else text
        for text, type_ in zip(texts, types, strict=True)
    )
    return f"concat_ws({', '.join(parts)})"


def _negative(texts: Sequence[str], types: Sequence[ColumnType]) -> str:
    """Writes negation: Spark's loses digits of long decimals, so the text gets the sign."""
    (text,), type_ = texts, types[0]
    if not (isinstance(type_, DecimalType) and type_.precision > _SIGNED_DIGITS):
        return f"(- {text})"
    digits = f"CAST({text} AS STRING)"
    signed = f"if({text} < 0, substring({digits}, 2), concat('-', {digits}))"
    return f"CAST({signed} AS {type_text(type_)})"


_SIGNED_DIGITS: Final = 34


def _murmur_hash(texts: Sequence[str], types: Sequence[ColumnType]) -> str:
    """Writes MURMUR_HASH: each part's hash weighs 31 times as much as the next part's."""
    first, *rest = map(_murmur_of, texts, types)
    for one in rest:
        first = f"(31 * {first} + {one})"
    return first


def _murmur_of(text: str, type_: ColumnType) -> str:
    """The hash of one part.

    The engines' hashes of bytes differ in the seed: hashing a constant first gives Hive's.
    """
    if type_ in (BOOLEAN, TINYINT):
        return f"coalesce(CAST({text} AS INT), 0)"
    number, digits = (f"unix_date({text})", 8) if type_ == DATE else (text, 16)
    digits = 8 if type_ == INT else digits
    in_order = f"unhex(right(lpad(hex({number}), 16, '0'), {digits}))"
    return f"if({text} IS NULL, 0, hash({_HASHED_TO_HIVES_SEED}, {in_order}))"


_HASHED_TO_HIVES_SEED: Final = 1_867_871_456


def _word(type_: ColumnType) -> str:
    return print_type(type_).partition("(")[0]


def _sign(texts: Sequence[str], types: Sequence[ColumnType]) -> str:
    """Writes SIGN; in Hive NaN counts as less than zero."""
    (text,) = texts
    return f"if(isnan({text}), -1D, sign({text}))" if is_float(types[0]) else f"sign({text})"


def _whole(name: str) -> Callable[[Sequence[str], Sequence[ColumnType]], str]:
    """Writes CEIL and FLOOR; Hive converts longs to doubles."""

    def write(texts: Sequence[str], types: Sequence[ColumnType]) -> str:
        if types[0] == BIGINT:
            return f"CAST(CAST({texts[0]} AS DOUBLE) AS BIGINT)"
        return f"{name}({texts[0]})"

    return write


def _nullif(texts: Sequence[str], types: Sequence[ColumnType]) -> str:
    """Writes NULLIF; Hive compares values in the first argument's type."""
    value, other = texts
    if types[0] == types[1] or is_text(types[0]) or not is_castable(types[0]):
        return f"nullif({value}, {other})"
    # For a decimal that does not fit Hive returns null.
    function = "TRY_CAST" if isinstance(types[1], DecimalType) else "CAST"
    return f"nullif({value}, {function}({other} AS {type_text(types[0])}))"


TYPED: Final[Mapping[str, Callable[[Sequence[str], Sequence[ColumnType]], str]]] = MappingProxyType(
    {
        **hive_masks.TYPED,
        **{name: _whole(name) for name in ("ceil", "floor")},
        "concat_ws": _concat_ws,
        "datetime_legacy_hybrid_calendar": legacy_calendar,
        "field": _field,
        "murmur_hash": _murmur_hash,
        "negative": _negative,
        "nullif": _nullif,
        "sign": _sign,
        "typeof": _typeof,
    }
)
"""Writers of the arguments' texts and types, by the function's name."""
