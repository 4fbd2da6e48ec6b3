"""Hive's overloaded functions, whose overload an untyped NULL cannot choose.

An old-style class of Hive has an ``evaluate`` method for each type. An untyped NULL fits them all, so
Hive takes the one that Java's reflection lists first. With and without an archive of its classes,
Hive 4.0.1 types ``sign(NULL)`` as int or as double, and ``substr(NULL, 1)`` as text or as bytes.
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
"""How many leading arguments decide Hive's choice of the overload."""


def require_overload(name: str, arguments: Sequence[RowExpression]) -> None:
    """Raises ``UnsupportedFunction`` where Hive's choice of an overload is left to Java."""
    deciding = _DECIDING.get(name)
    if deciding and all(argument.type == VOID for argument in arguments[:deciding]):
        raise UnsupportedFunction(
            name,
            "of an untyped NULL has no certain type: Hive takes the overload that Java's reflection"
            " lists first",
            hint="cast the NULL to the type that is meant",
        )
