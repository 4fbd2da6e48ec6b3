"""Which calls of Hive's functions Spark cannot give, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from lakeschema.catalog.column_types import BINARY, ArrayType
from lakeschema.translation.functions import hive_geometry, hive_sketches, hive_system
from lakeschema.translation.functions.coercion import is_integer, is_numeric, is_text
from lakeschema.translation.functions.signature import Row
from lakeschema.translation.plan.expressions import Call, Cast, Literal, RowExpression


def _names(rows: Sequence[Row]) -> list[str]:
    return [name for row in rows for name in row.names.split()]


_NONE: Final = "Spark has no such function"
_CIPHER: Final = "Spark's uses a different mode of the cipher"
_NUMBERS: Final = "Spark's hash returns different numbers"
_RAISES: Final = "Hive's planner puts it where it checks rows, and Spark has no such check"
_APPROXIMATE: Final = "the two engines approximate differently"

MISSING: Final[Mapping[str, str]] = MappingProxyType(
    {
        "hash": _NUMBERS,
        "murmur_hash": _NUMBERS,
        "aes_encrypt": _CIPHER,
        "aes_decrypt": _CIPHER,
        "version": "it returns Hive's own version",
        "buildversion": "it returns Hive's own version",
        "typeof": "Spark names types differently",
        "histogram_numeric": _APPROXIMATE,
        **{
            f"hypothetical {name}{order}": "Spark ranks no value that is not there"
            for name in ("rank", "dense rank", "percent rank", "cume dist")
            for order in ("", " descending")
        },
        "ngrams": _NONE,
        "context_ngrams": _NONE,
        "field": _NONE,
        **dict.fromkeys(
            ("mask_hash", "mask_first_n", "mask_last_n", "mask_show_first_n", "mask_show_last_n"),
            _NONE,
        ),
        "extract_union": "Spark has no uniontype",
        "create_union": "Spark has no uniontype",
        **dict.fromkeys(_names(hive_sketches.ROWS), "Spark's sketches hold other bytes"),
        **dict.fromkeys(
            _names(hive_geometry.ROWS), "Spark's geometries are of a type of their own"
        ),
        "cast_format": "Spark has other patterns of dates",
        **dict.fromkeys(
            (name.replace("_", " ") for name in hive_system.QUANTIFIED),
            "Spark compares with one row only",
        ),
        "json_read": "Spark reads JSON by other rules",
        "sort_array_by": _NONE,
        "tumbling_window": "Spark counts windows from another moment",
        "datetime_legacy_hybrid_calendar": "Spark has no Julian calendar",
        "deserialize": "Spark does not decompress",
        "in_file": "it reads a file of the machine that Hive runs on",
        "get_sql_schema": "it asks Hive's own compiler",
        **dict.fromkeys(
            ("input__file__name", "block__offset__inside__file", "row__offset__inside__block"),
            "Spark reads files in other pieces, and writes their names otherwise",
        ),
        "surrogate_key": "its numbers come from a write to a table of Hive",
        "bucket_number": "Hive's planner puts it where it writes buckets",
        "split_map_privs": "it is of Hive's own permissions",
        "logged_in_user": "it is of Hive's own session",
        "current_authorizer": "it is of Hive's own permissions",
        "current_groups": "it is of Hive's own permissions",
        "restrict_information_schema": "it is of Hive's own permissions",
        **dict.fromkeys(
            (
                *("enforce_constraint", "cardinality_violation", "sq_count_check"),
                "validate_acid_sort_order",
            ),
            _RAISES,
        ),
    }
)
"""Whatever they are called with."""

_OF_DAYS: Final = frozenset(
    {
        *("year", "quarter", "month", "day", "dayofmonth", "dayofweek", "weekofyear"),
        *("hour", "minute", "second"),
    }
)


def why_missing(name: str, arguments: Sequence[RowExpression]) -> str | None:
    """Why Spark cannot give this call; None if it can."""
    types = [argument.type for argument in arguments]
    if name in MISSING:
        return MISSING[name]
    if name in {"round", "bround", "percentile"} and not all(map(_is_written, arguments[1:])):
        return "Spark needs to see the number in the text"
    if name.startswith("xpath") and not all(map(_is_written, arguments[1:])):
        return "Spark needs to see the path in the text"
    if name == "index" and isinstance(types[0], ArrayType) and not is_integer(types[1]):
        return "Spark counts elements by whole numbers only"
    if name in {"octet_length", "char_length", "character_length"} and BINARY in types:
        return "Hive counts bytes that it has reserved, too"
    if name == "add_months" and len(types) > 2:
        return "Spark's takes no format"
    if name == "instr" and len(types) > 2:
        return "Spark's finds the first occurrence only"
    if name in _OF_DAYS and types and is_numeric(types[0]):
        return "Spark takes no number for a day"
    if name == "trunc" and (len(types) < 2 or is_numeric(types[0])):
        return "Spark's cuts days only"
    if name == "mask" and not is_text(types[0]):
        return "Spark masks texts only"
    return None


def _is_written(argument: RowExpression) -> bool:
    """Whether an argument is a constant, or an array of such."""
    match argument:
        case Literal():
            return True
        case Cast(operand=operand):
            return _is_written(operand)
        case Call(arguments=parts):
            return all(map(_is_written, parts))
        case _:
            return False
