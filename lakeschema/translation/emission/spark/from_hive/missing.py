"""Calls of Hive's functions without an equivalent in Spark, with reasons."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from lakeschema.catalog.column_types import (
    BIGINT,
    BINARY,
    BOOLEAN,
    DATE,
    INT,
    SMALLINT,
    TIMESTAMP,
    TINYINT,
    ArrayType,
    ColumnType,
    MapType,
    StructType,
)
from lakeschema.translation.functions import hive_system
from lakeschema.translation.functions.coercion import is_integer, is_numeric, is_text
from lakeschema.translation.plan.expressions import Call, Cast, Literal, RowExpression
from lakeschema.translation.plan.operators import EQUATING

_NOT_CALLED: Final = "Spark has no such function, and does not call the interface of Hive's class"
_APART: Final = (
    "Hive's class reads fields of other classes in its package, which Spark loads separately"
)

MISSING: Final[Mapping[str, str]] = MappingProxyType(
    {
        "version": "it returns Hive's own version",
        "buildversion": "it returns Hive's own version",
        **{
            f"hypothetical {name}{order}": "Spark cannot rank a hypothetical value"
            for name in ("rank", "dense rank", "percent rank", "cume dist")
            for order in ("", " descending")
        },
        **dict.fromkeys(("ngrams", "context_ngrams", "bloom_filter"), _NOT_CALLED),
        **dict.fromkeys(("compute_bit_vector_fm", "compute_bit_vector_hll"), _APART),
        "in_bloom_filter": "Hive's class in Spark reads filters in another format",
        "extract_union": "Spark has no uniontype",
        "create_union": "Spark has no uniontype",
        "cast_format": "Spark's date patterns differ",
        **dict.fromkeys(
            (name.replace("_", " ") for name in hive_system.QUANTIFIED),
            "Spark compares with one row only",
        ),
        "deserialize": "Spark does not decompress",
        "in_file": "it reads a file on Hive's machine",
        "get_sql_schema": "it asks Hive's own compiler",
        **dict.fromkeys(
            (
                *("input__file__name", "block__offset__inside__file", "row__offset__inside__block"),
                *("row__id", "row__is__deleted"),
            ),
            "Spark splits and names files differently",
        ),
        "surrogate_key": "its numbers come from a write to a Hive table",
        "logged_in_user": "it depends on Hive's session",
        "current_authorizer": "it depends on Hive's permissions",
        "current_groups": "it depends on Hive's permissions",
        "restrict_information_schema": "it depends on Hive's permissions",
        "validate_acid_sort_order": "it compares rows in the order of their file",
    }
)
"""Functions without an equivalent, whatever their arguments."""

WITHOUT_WINDOW: Final = frozenset({"percentile_disc"})
"""Functions that need several calls, so they cannot take OVER."""

_PLAIN_NAME: Final = re.compile(r"\w+", re.ASCII)
_OF_DAYS: Final = frozenset(
    {
        *("year", "quarter", "month", "day", "dayofweek", "weekofyear"),
        *("hour", "minute", "second"),
    }
)


def why_missing(
    name: str, arguments: Sequence[RowExpression], *, by_class: bool = False
) -> str | None:
    """Why Spark has no equivalent; None if it has one.

    With ``by_class``, Hive's class counts as an equivalent.
    """
    types = [argument.type for argument in arguments]
    if name in MISSING:
        return MISSING[name]
    if name in {"round", "bround", "percentile"} and not all(map(_is_written, arguments[1:])):
        return "Spark requires a constant number"
    if name == "ntile" and not all(map(_is_written, arguments)):
        return "Spark requires a constant number"
    if name.startswith("xpath") and not by_class and not all(map(_is_written, arguments[1:])):
        return "Spark requires a constant path"
    if name == "sort_array_by" and not all(map(_is_plain_name, arguments[1:])):
        return "Spark requires constant fields"
    if any(isinstance(type_, MapType) for type_ in types) and name in EQUATING:
        return "Spark cannot compare maps"
    if name in {"greatest", "least"} and any(map(_is_text_as_number, arguments)):
        return "Hive skips texts that are not numbers"
    if name in _OF_TRUTH and any(_has_fraction(_written_type(a)) for a in arguments):
        return "Hive tests the lowest 32 bits of a number there"
    if name in _WITH_PATTERN and len(types) > 1 and _has_unknown_letters(arguments[1]):
        return "Spark's date patterns lack this letter"
    if name == "array_join" and BINARY in map(_written_type, arguments):
        return "Hive writes bytes as numbers"
    if name == "index" and isinstance(types[0], ArrayType) and not is_integer(types[1]):
        return "Spark requires an integer index"
    if name in {"octet_length", "char_length"} and BINARY in types:
        return "Hive also counts reserved bytes"
    if name == "murmur_hash" and not all(type_ in _OF_WHOLE_WORDS for type_ in types):
        return "Spark's hash treats the last bytes of a text differently"
    if name == "hash" and any(map(_holds_moments, types)):
        return "Hive's class uses another calendar there"
    if name in _OF_OBJECTS and any(map(_sets_reference, arguments)):
        return "Hive ignores st_setsrid's reference system there"
    if name == "add_months" and len(types) > 2:
        return "Spark's function has no format"
    if name == "instr" and len(types) > 2:
        return "Spark's function only finds the first occurrence"
    if name in _OF_DAYS and types and is_numeric(types[0]):
        return "Spark does not accept a number as a day"
    if name == "trunc" and (len(types) < 2 or is_numeric(types[0])):
        return "Spark's function only truncates days"
    if name.startswith("mask_") and name != "mask_hash" and not is_text(types[0]):
        return "Spark only masks texts"
    return None


_OF_WHOLE_WORDS: Final = (BOOLEAN, TINYINT, INT, BIGINT, DATE)


def _written_type(argument: RowExpression) -> ColumnType:
    is_implicit = isinstance(argument, Cast) and argument.implicit
    return argument.operand.type if isinstance(argument, Cast) and is_implicit else argument.type


_OF_TRUTH: Final = frozenset({"istrue", "isfalse", "isnottrue", "isnotfalse"})


def _has_fraction(type_: ColumnType) -> bool:
    return is_numeric(type_) and type_ not in (TINYINT, SMALLINT, INT)


_OF_OBJECTS: Final = frozenset(
    {
        *(
            "st_aggr_convexhull",
            "st_asgeojson",
            "st_boundary",
            "st_buffer",
            "st_centroid",
            "st_difference",
        ),
        *("st_endpoint", "st_exteriorring", "st_geometryn", "st_interiorringn", "st_intersection"),
        *("st_pointn", "st_startpoint", "st_symmetricdiff"),
    }
)
"""Functions that read a geometry as an object from another call; st_setsrid only changes its bytes."""


def _sets_reference(argument: RowExpression) -> bool:
    call = argument.operand if isinstance(argument, Cast) else argument
    return isinstance(call, Call) and call.operator.name == "st_setsrid"


def _holds_moments(type_: ColumnType) -> bool:
    match type_:
        case ArrayType(element):
            return _holds_moments(element)
        case MapType(key, value):
            return _holds_moments(key) or _holds_moments(value)
        case StructType(fields):
            return any(_holds_moments(field.type) for field in fields)
        case _:
            return type_ in (DATE, TIMESTAMP)


def _is_text_as_number(argument: RowExpression) -> bool:
    return is_numeric(argument.type) and is_text(_written_type(argument))


_WITH_PATTERN: Final = frozenset(
    {"date_format", "from_unixtime", "unix_timestamp", "to_unix_timestamp"}
)
_LETTERS: Final = frozenset("GyMLdDQqEFahHkKmsSVzOXxZ")
_QUOTED: Final = re.compile(r"'[^']*'")


def _has_unknown_letters(pattern: RowExpression) -> bool:
    if not isinstance(pattern, Literal):
        return False
    written = _QUOTED.sub("", pattern.value or "")
    return any(letter.isalpha() and letter not in _LETTERS for letter in written)


def _is_plain_name(argument: RowExpression) -> bool:
    return isinstance(argument, Literal) and bool(_PLAIN_NAME.fullmatch(argument.value or ""))


def _is_written(argument: RowExpression) -> bool:
    """Whether an argument is a constant, or an array of constants."""
    match argument:
        case Literal():
            return True
        case Cast(operand=operand):
            return _is_written(operand)
        case Call(arguments=parts):
            return all(map(_is_written, parts))
        case _:
            return False
