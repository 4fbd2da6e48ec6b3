"""Refuses calls of Hive's overloaded functions in which an untyped NULL leaves the overload open.

An old-style class of Hive has an ``evaluate`` method for each type. An untyped NULL fits all of these
methods, so Hive takes the method that Java's reflection lists first. Hive 4.0.1 types ``sign(NULL)`` as
int or double, and ``substr(NULL, 1)`` as text or bytes: it depends on whether the JVM uses a class
archive.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from lakeschema.catalog.column_types import VOID
from lakeschema.translation.model.errors import UnsupportedFunction
from lakeschema.translation.plan.expressions import RowExpression

_FIRST, _BOTH = 1, 2
_DECIDING: Final[Mapping[str, int]] = MappingProxyType(
    {
        **dict.fromkeys(("sign", "mid", "substr", "~"), _FIRST),
        **dict.fromkeys(("shiftleft", "shiftright", "shiftrightunsigned"), _FIRST),
        **dict.fromkeys(("floor_second", "floor_minute", "floor_hour", "floor_day"), _FIRST),
        **dict.fromkeys(("floor_week", "floor_month", "floor_quarter", "floor_year"), _FIRST),
        **dict.fromkeys(("&", "|", "^"), _BOTH),
    }
)
"""The number of leading arguments that decide Hive's choice of the overload, by function."""


def require_overload(name: str, arguments: Sequence[RowExpression]) -> None:
    """Raises ``UnsupportedFunction`` if Java decides which overload Hive calls."""
    deciding = _DECIDING.get(name)
    if deciding and all(argument.type == VOID for argument in arguments[:deciding]):
        raise UnsupportedFunction(
            name,
            "of an untyped NULL has no certain type: Hive takes the overload that Java's reflection"
            " lists first",
            hint="cast the NULL to the type that is meant",
        )
