"""Hive's functions of several overloads, of which an untyped NULL decides none.

An old-style class of Hive has an ``evaluate`` for each type. Where an untyped NULL is all there is
to choose by, all of them fit, and Hive takes the one that Java's reflection lists first: the same
Hive 4.0.1 types ``sign(NULL)`` as int or as double, and ``substr(NULL, 1)`` as text or as bytes,
with and without an archive of its classes.
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
"""How many arguments, from the first on, Hive chooses the overload by."""


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
