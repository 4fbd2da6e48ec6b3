"""The type conversions in Pig: a table with a template for each supported pair of types."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from lakeschema.catalog.column_types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    SMALLINT,
    STRING,
    TIMESTAMP,
    TINYINT,
    ColumnType,
    DecimalType,
    VarcharType,
)
from lakeschema.translation.emission.pig.arithmetic import DIGITS

_SAME: Final = "{0}"
_INT_DIGITS: Final = 9
_LONG_DIGITS: Final = 18
_DAY: Final = "'yyyy-MM-dd'"

_WHOLE: Final = (TINYINT, SMALLINT, INT, BIGINT)

_PAIRS: Final[Mapping[tuple[ColumnType, ColumnType], str]] = MappingProxyType(
    {
        **{(source, BIGINT): "(long){0}" for source in _WHOLE},
        **{(source, INT): "(int){0}" for source in _WHOLE},
        **{(source, SMALLINT): "@smallint({0})" for source in (INT, BIGINT, FLOAT, DOUBLE, STRING)},
        **{(source, TINYINT): "@tinyint({0})" for source in (INT, BIGINT, FLOAT, DOUBLE, STRING)},
        (TINYINT, SMALLINT): _SAME,
        (SMALLINT, TINYINT): "@tinyint({0})",
        **{(source, FLOAT): "(float){0}" for source in (*_WHOLE, DOUBLE)},
        **{(source, DOUBLE): "(double){0}" for source in (*_WHOLE, FLOAT)},
        **{(source, INT): "(int){0}" for source in (FLOAT, DOUBLE)},
        **{(source, BIGINT): "(long){0}" for source in (FLOAT, DOUBLE)},
        **{(source, STRING): "(chararray){0}" for source in (*_WHOLE, FLOAT, DOUBLE)},
        **{(source, BOOLEAN): "({0} != 0 ? true : false)" for source in _WHOLE},
        **{(BOOLEAN, target): "({0} ? 1 : 0)" for target in (TINYINT, SMALLINT, INT)},
        (BOOLEAN, BIGINT): "({0} ? 1L : 0L)",
        (BOOLEAN, FLOAT): "({0} ? 1.0F : 0.0F)",
        (BOOLEAN, DOUBLE): "({0} ? 1.0 : 0.0)",
        (BOOLEAN, STRING): "UPPER((chararray){0})",
        (STRING, INT): "@int({0})",
        (STRING, BIGINT): "@bigint({0})",
        (STRING, FLOAT): "@float({0})",
        (STRING, DOUBLE): "@double({0})",
        (STRING, BOOLEAN): "@boolean({0})",
        (DATE, STRING): f"ToString({{0}}, {_DAY})",
        (DATE, TIMESTAMP): _SAME,
        (TIMESTAMP, DATE): f"ToDate(ToString({{0}}, {_DAY}), {_DAY})",
    }
)


def cast_form(source: ColumnType, target: ColumnType) -> str | None:
    """The template of a conversion; None if Pig has no equivalent."""
    source = STRING if isinstance(source, VarcharType) else source
    if source == target:
        return _SAME
    if isinstance(target, DecimalType):
        return _to_decimal(source, target)
    if isinstance(source, DecimalType):
        return _from_decimal(source, target)
    return _PAIRS.get((source, target))


def _to_decimal(source: ColumnType, target: DecimalType) -> str | None:
    """The template for decimals; None if a value may not fit, since Pig does not round."""
    whole = target.precision - target.scale
    if isinstance(source, DecimalType):
        fits = source.scale <= target.scale and source.precision - source.scale <= whole
        return _SAME if fits else None
    digits = DIGITS.get(source)
    return "(bigdecimal){0}" if digits is not None and digits <= whole else None


def _from_decimal(source: DecimalType, target: ColumnType) -> str | None:
    whole = source.precision - source.scale
    if target == DOUBLE:
        return "(double){0}"
    if target == FLOAT:
        return "(float){0}"
    if (target == INT and whole <= _INT_DIGITS) or (target == BIGINT and whole <= _LONG_DIGITS):
        return f"({'int' if target == INT else 'long'}){{0}}"
    return None
