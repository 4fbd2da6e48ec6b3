"""The classes of arguments that tables of forms name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from lakeschema.catalog.column_types import (
    BIGINT,
    BINARY,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    SMALLINT,
    STRING,
    TIMESTAMP,
    TINYINT,
    ArrayType,
    ColumnType,
    DecimalType,
    MapType,
    StructType,
    VarcharType,
)

_SHORT: Final = frozenset({TINYINT, SMALLINT, INT})

_SETS: Final[Mapping[str, frozenset[ColumnType]]] = MappingProxyType(
    {
        "boolean": frozenset({BOOLEAN}),
        "int": _SHORT,
        "bigint": frozenset({BIGINT}),
        "whole": _SHORT | {BIGINT},
        "float": frozenset({FLOAT}),
        "double": frozenset({DOUBLE}),
        "number": _SHORT | {BIGINT, FLOAT, DOUBLE},
        "date": frozenset({DATE}),
        "timestamp": frozenset({TIMESTAMP}),
        "time": frozenset({DATE, TIMESTAMP}),
        "binary": frozenset({BINARY}),
        "plain": _SHORT | {BIGINT, FLOAT, DOUBLE, BOOLEAN, STRING},
        "text": frozenset({STRING}),
    }
)
_KINDS: Final = {"array": ArrayType, "map": MapType, "struct": StructType, "decimal": DecimalType}


def is_of(type_: ColumnType, word: str) -> bool:
    """Whether a type belongs to a class. ``list`` is an array of plain values, ``texts`` one of strings."""
    if word == "any":
        return True
    if word == "list":
        return isinstance(type_, ArrayType) and is_of(type_.element, "plain")
    if word == "texts":
        return isinstance(type_, ArrayType) and is_of(type_.element, "text")
    if word in {"text", "plain"} and isinstance(type_, VarcharType):
        return True
    kind = _KINDS.get(word)
    return isinstance(type_, kind) if kind is not None else type_ in _SETS[word]


def fit(types: Sequence[ColumnType], classes: str) -> bool:
    """Whether argument types match the classes.

    A class with ``?`` is optional; a class with ``...`` matches any number of arguments.
    """
    words = classes.split()
    if words and words[-1].endswith("..."):
        rest = words.pop().removesuffix("...")
        words += [rest] * (len(types) - len(words))
    least = sum(not word.endswith("?") for word in words)
    if not least <= len(types) <= len(words):
        return False
    return all(is_of(t, w.removesuffix("?")) for t, w in zip(types, words, strict=False))
