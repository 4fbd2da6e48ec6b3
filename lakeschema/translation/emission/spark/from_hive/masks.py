"""Hive's mask functions in Spark SQL."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from lakeschema.catalog.column_types import (
    DATE,
    VOID,
    ColumnType,
)
from lakeschema.translation.emission.spark.text import type_text
from lakeschema.translation.functions.coercion import is_integer, is_text

_WRITTEN: Final = re.compile("-?[0-9]+")
_SHOWN: Final = 4
"""The default number of characters masked or shown."""


def _text_and_count(texts: Sequence[str]) -> tuple[str, str]:
    """A text and a count; Hive accepts only a literal number."""
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


WRITERS: Final[Mapping[str, Callable[[Sequence[str]], str]]] = MappingProxyType(
    {
        "mask_first_n": _first,
        "mask_last_n": _last,
        "mask_show_first_n": _but_first,
        "mask_show_last_n": _but_last,
    }
)
"""Functions whose text depends on the number of arguments."""

TYPED: Final[Mapping[str, Callable[[Sequence[str], Sequence[ColumnType]], str]]] = MappingProxyType(
    {"mask": _mask, "mask_hash": _mask_hash}
)
"""Functions whose text depends on the arguments' types."""
