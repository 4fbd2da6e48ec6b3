"""Hive's masks, its windows of time and others whose text depends on types or on how many arguments there are."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from lakeschema.catalog.column_types import (
    BIGINT,
    BOOLEAN,
    DATE,
    INT,
    TINYINT,
    VOID,
    ArrayType,
    ColumnType,
    DecimalType,
    print_type,
)
from lakeschema.translation.emission.hive_instants import legacy_calendar
from lakeschema.translation.emission.spark_text import is_castable, string, type_text
from lakeschema.translation.functions.coercion import is_float, is_integer, is_text

_WRITTEN: Final = re.compile("-?[0-9]+")
_SHOWN: Final = 4
"""So many characters are masked, or shown, where no number is given."""


def _text_and_count(texts: Sequence[str]) -> tuple[str, str]:
    """Hive looks at a written number only."""
    text, *count = texts
    written = count and _WRITTEN.fullmatch(count[0])
    return text, str(max(0, int(count[0])) if written else _SHOWN)


def _first(texts: Sequence[str]) -> str:
    text, count = _text_and_count(texts)
    return f"concat(mask(left({text}, {count})), substring({text}, {count} + 1))"


def _last(texts: Sequence[str]) -> str:
    text, count = _text_and_count(texts)
    return f"concat(left({text}, length({text}) - {count}), mask(right({text}, {count})))"


def _but_first(texts: Sequence[str]) -> str:
    text, count = _text_and_count(texts)
    return f"concat(left({text}, {count}), mask(substring({text}, {count} + 1)))"


def _but_last(texts: Sequence[str]) -> str:
    text, count = _text_and_count(texts)
    return f"concat(mask(left({text}, length({text}) - {count})), right({text}, {count}))"


def _mask(texts: Sequence[str], types: Sequence[ColumnType]) -> str:
    text, type_ = texts[0], types[0]
    if is_text(type_):
        return f"mask({text})"
    if is_integer(type_):
        digits = f"regexp_replace(CAST({text} AS STRING), '[0-9]', '1')"
        return f"CAST({digits} AS {type_text(type_)})"
    if type_ == DATE:
        return f"if({text} IS NULL, NULL, make_date(0, 1, 1))"
    return _no_value(type_)


def _mask_hash(texts: Sequence[str], types: Sequence[ColumnType]) -> str:
    return f"sha2({texts[0]}, 256)" if is_text(types[0]) else _no_value(types[0])


def _no_value(type_: ColumnType) -> str:
    return "NULL" if type_ == VOID else f"CAST(NULL AS {type_text(type_)})"


def _typeof(_: Sequence[str], types: Sequence[ColumnType]) -> str:
    """Spark's words for types are others."""
    return string(print_type(types[0]))


def _field(texts: Sequence[str], types: Sequence[ColumnType]) -> str:
    """At which place among the others the first one stands; 0 at none. No other type has an equal."""
    whens = " ".join(
        f"WHEN {texts[0]} = {text} THEN {place}"
        for place, (text, type_) in enumerate(zip(texts, types, strict=True))
        if place and _word(type_) == _word(types[0])
    )
    return f"CASE {whens} ELSE 0 END" if whens else "0"


def _concat_ws(texts: Sequence[str], types: Sequence[ColumnType]) -> str:
    """Of a null among an array's elements Hive writes the word."""
    parts = (
        f"transform({text}, e -> coalesce(e, 'null'))" if isinstance(type_, ArrayType) else text
        for text, type_ in zip(texts, types, strict=True)
    )
    return f"concat_ws({', '.join(parts)})"


def _negative(texts: Sequence[str], types: Sequence[ColumnType]) -> str:
    """Spark's sign rounds a decimal to its first digits: of more of them the text gets the sign."""
    (text,), type_ = texts, types[0]
    if not (isinstance(type_, DecimalType) and type_.precision > _SIGNED_DIGITS):
        return f"(- {text})"
    digits = f"CAST({text} AS STRING)"
    signed = f"if({text} < 0, substring({digits}, 2), concat('-', {digits}))"
    return f"CAST({signed} AS {type_text(type_)})"


_SIGNED_DIGITS: Final = 34


def _murmur_hash(texts: Sequence[str], types: Sequence[ColumnType]) -> str:
    """Each part's hash counts 31 times as much as that of the next one."""
    first, *rest = map(_murmur_of, texts, types)
    for one in rest:
        first = f"(31 * {first} + {one})"
    return first


def _murmur_of(text: str, type_: ColumnType) -> str:
    """The same function of bytes in both engines, by another seed: whose hash in Spark is Hive's seed."""
    if type_ in (BOOLEAN, TINYINT):
        return f"coalesce(CAST({text} AS INT), 0)"
    number, digits = (f"unix_date({text})", 8) if type_ == DATE else (text, 16)
    digits = 8 if type_ == INT else digits
    in_order = f"unhex(right(lpad(hex({number}), 16, '0'), {digits}))"
    return f"if({text} IS NULL, 0, hash({_HASHED_TO_HIVES_SEED}, {in_order}))"


_HASHED_TO_HIVES_SEED: Final = 1_867_871_456


def _word(type_: ColumnType) -> str:
    return print_type(type_).partition("(")[0]


def _tumbling_window(texts: Sequence[str]) -> str:
    """Windows are counted from an origin, in whole milliseconds, by the signs of Java's remainders."""
    moment, interval, *origin = texts
    length = f"unix_millis(timestamp_micros(0) + {interval})"
    now = f"unix_millis({moment})"
    past = f"{now} % {length}" + (f" - unix_millis({origin[0]}) % {length}" if origin else "")
    return f"timestamp_millis({now} - ({past}) - if({past} < 0, {length}, 0))"


def _sort_array_by(texts: Sequence[str]) -> str:
    """By one field after the other, nulls first."""
    array, *words = texts
    names = [word.strip("'") for word in words]
    is_order = names[-1].upper() in {"ASC", "DESC"}
    fields = names[:-1] if is_order else names
    low, high = ("1", "-1") if is_order and names[-1].upper() == "DESC" else ("-1", "1")
    whens = " ".join(
        f"WHEN a.`{f}` IS NULL AND b.`{f}` IS NOT NULL OR a.`{f}` < b.`{f}` THEN {low}"
        f" WHEN b.`{f}` IS NULL AND a.`{f}` IS NOT NULL OR a.`{f}` > b.`{f}` THEN {high}"
        for f in fields
    )
    return f"array_sort({array}, (a, b) -> CASE {whens} ELSE 0 END)"


def _sign(texts: Sequence[str], types: Sequence[ColumnType]) -> str:
    """What is no number is not above zero."""
    (text,) = texts
    return f"if(isnan({text}), -1D, sign({text}))" if is_float(types[0]) else f"sign({text})"


def _whole(name: str) -> Callable[[Sequence[str], Sequence[ColumnType]], str]:
    """Hive takes longs as doubles."""

    def write(texts: Sequence[str], types: Sequence[ColumnType]) -> str:
        if types[0] == BIGINT:
            return f"CAST(CAST({texts[0]} AS DOUBLE) AS BIGINT)"
        return f"{name}({texts[0]})"

    return write


def _nullif(texts: Sequence[str], types: Sequence[ColumnType]) -> str:
    """Hive compares in the first one's type."""
    value, other = texts
    if types[0] == types[1] or is_text(types[0]) or not is_castable(types[0]):
        return f"nullif({value}, {other})"
    # Of a decimal that does not fit Hive makes null.
    function = "TRY_CAST" if isinstance(types[1], DecimalType) else "CAST"
    return f"nullif({value}, {function}({other} AS {type_text(types[0])}))"


WRITERS: Final[Mapping[str, Callable[[Sequence[str]], str]]] = MappingProxyType(
    {
        "mask_first_n": _first,
        "mask_last_n": _last,
        "mask_show_first_n": _but_first,
        "mask_show_last_n": _but_last,
        "sort_array_by": _sort_array_by,
        "tumbling_window": _tumbling_window,
    }
)
"""Where the text depends on how many arguments there are."""

TYPED: Final[Mapping[str, Callable[[Sequence[str], Sequence[ColumnType]], str]]] = MappingProxyType(
    {
        **{name: _whole(name) for name in ("ceil", "ceiling", "floor")},
        "concat_ws": _concat_ws,
        "datetime_legacy_hybrid_calendar": legacy_calendar,
        "field": _field,
        "mask": _mask,
        "mask_hash": _mask_hash,
        "murmur_hash": _murmur_hash,
        "negative": _negative,
        "nullif": _nullif,
        "sign": _sign,
        "typeof": _typeof,
    }
)
"""Where the text depends on the arguments' types."""
