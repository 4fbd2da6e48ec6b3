"""Trino's calls whose Spark text depends on argument types or constants."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from lakeschema.catalog.column_types import (
    ArrayType,
    print_type,
)
from lakeschema.translation.emission.spark.from_trino.arguments import (
    Write,
    refused,
    whole,
    written,
)
from lakeschema.translation.emission.spark.from_trino.forms import BLANKS
from lakeschema.translation.emission.spark.text import string
from lakeschema.translation.functions.trino_coercion import is_text
from lakeschema.translation.plan.expressions import Call

# text


def _substring(call: Call, texts: Sequence[str]) -> str:
    """Writes SUBSTRING; a start at 0 or before the beginning gives an empty text."""
    text, start, *length = texts
    counts = [f"CAST({each} AS INT)" for each in (start, *length)]
    found = f"substring({', '.join((text, *counts))})"
    place = whole(call.arguments[1])
    if place is not None and place > 0:
        return found
    nothing = f"left({text}, 0)" if is_text(call.type) else f"substring({text}, 1, 0)"
    if place is not None:
        return nothing if place == 0 else f"if(length({text}) < {-place}, {nothing}, {found})"
    return f"if({start} = 0 OR length({text}) + {start} < 0, {nothing}, {found})"


def _trim(side: str, pattern: str) -> Write:
    def write(_: Call, texts: Sequence[str]) -> str:
        if len(texts) > 1:
            return f"trim({side} {texts[1]} FROM {texts[0]})"
        cut = pattern.replace("B", BLANKS)
        return f"regexp_replace({texts[0]}, {string(cut)}, '')"

    return write


def _padded(name: str) -> Write:
    def write(call: Call, texts: Sequence[str]) -> str:
        if not is_text(call.type) or not written(call.arguments[2]):
            raise refused(f"{name} with a computed text")
        return f"{name}({texts[0]}, CAST({texts[1]} AS INT), {texts[2]})"

    return write


def _replace(call: Call, texts: Sequence[str]) -> str:
    if not written(call.arguments[1]):
        raise refused("replace of a computed text, which may be empty")
    return f"replace({texts[0]}, {texts[1]}, {texts[2] if len(texts) > 2 else repr('')})"


def _split(call: Call, texts: Sequence[str]) -> str:
    """Writes SPLIT; Spark's separator is a regular expression."""
    separator = written(call.arguments[1])
    if not separator:
        raise refused("a computed separator")
    most = f"CAST({texts[2]} AS INT)" if len(texts) > 2 else "-1"
    return f"split({texts[0]}, {string(re.escape(separator))}, {most})"


def _split_part(call: Call, texts: Sequence[str]) -> str:
    return f"get({_split(call, texts[:2])}, CAST({texts[2]} AS INT) - 1)"


def _split_to_map(call: Call, texts: Sequence[str]) -> str:
    parts = [written(argument) for argument in call.arguments[1:]]
    if len(parts) != 2 or not all(parts):
        raise refused("a computed separator")
    shown = (string(re.escape(part or "")) for part in parts)
    return f"str_to_map({', '.join((texts[0], *shown))})"


def _chr(call: Call, texts: Sequence[str]) -> str:
    code = whole(call.arguments[0])
    if code is None or not 0 < code < 256:
        raise refused("chr of this number")
    return f"chr({texts[0]})"


def _soundex(call: Call, texts: Sequence[str]) -> str:
    if not re.fullmatch("[A-Za-z]+", written(call.arguments[0]) or ""):
        raise refused("soundex of a computed text")
    return f"soundex({texts[0]})"


def _format(call: Call, texts: Sequence[str]) -> str:
    simple = all(
        is_text(a.type) or print_type(a.type) in {"int", "bigint", "double", "tinyint", "smallint"}
        for a in call.arguments
    )
    if not simple or written(call.arguments[0]) is None:
        raise refused("format of these types")
    return f"format_string({', '.join(texts)})"


def _base(call: Call, texts: Sequence[str]) -> str:
    base = whole(call.arguments[1])
    if base is None:
        raise refused("a computed base")
    if call.operator.name == "from_base":
        return f"CAST(conv({texts[0]}, {base}, 10) AS BIGINT)"
    return f"lower(conv(CAST({texts[0]} AS STRING), 10, {-base}))"


# collections


def _element_at(name: str) -> Write:
    def write(call: Call, texts: Sequence[str]) -> str:
        is_array = isinstance(call.arguments[0].type, ArrayType)
        key = f"CAST({texts[1]} AS INT)" if is_array else texts[1]
        return f"{name}({texts[0]}, {key})"

    return write


def _slice(_: Call, texts: Sequence[str]) -> str:
    start, length = (f"CAST({text} AS INT)" for text in texts[1:])
    return f"slice({texts[0]}, {start}, {length})"


def _repeat(_: Call, texts: Sequence[str]) -> str:
    return f"array_repeat({texts[0]}, CAST({texts[1]} AS INT))"


def _array_first(call: Call, texts: Sequence[str]) -> str:
    place = "1" if call.operator.name == "array_first" else "-1"
    return f"try_element_at({texts[0]}, {place})"


def _map_concat(_: Call, texts: Sequence[str]) -> str:
    """Writes MAP_CONCAT; if maps share a key, the last map's value counts, where Spark would fail."""
    made = texts[0]
    for text in texts[1:]:
        kept = f"map_filter({made}, (k, v) -> NOT map_contains_key({text}, k))"
        made = f"map_concat({kept}, {text})"
    return made


WRITERS: Final[Mapping[str, Write]] = MappingProxyType(
    {
        **dict.fromkeys(("substr", "substring"), _substring),
        "trim": _trim("BOTH", "^B+|B+$"),
        "ltrim": _trim("LEADING", "^B+"),
        "rtrim": _trim("TRAILING", "B+$"),
        "lpad": _padded("lpad"),
        "rpad": _padded("rpad"),
        "replace": _replace,
        "split": _split,
        "split_part": _split_part,
        "split_to_map": _split_to_map,
        "chr": _chr,
        "soundex": _soundex,
        "format": _format,
        "from_base": _base,
        "to_base": _base,
        "element_at": _element_at("try_element_at"),
        "[]": _element_at("element_at"),
        "slice": _slice,
        "repeat": _repeat,
        **dict.fromkeys(("array_first", "array_last"), _array_first),
        "map_concat": _map_concat,
        "map_from_arrays": lambda _, texts: (
            f"map_from_arrays({', '.join(texts)})" if texts else "map()"
        ),
    }
)
