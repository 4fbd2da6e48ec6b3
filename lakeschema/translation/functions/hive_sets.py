"""The types that columns of Hive's UNION, INTERSECT and EXCEPT meet in. (Hive 4.0.1, asked.)

Beside a decimal an integer becomes one of the same digits, and is null where it has more. Branches meet in
their types before the optimiser; those that are not cast to it then have the types that it leaves, and
written numbers their own digits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import reduce

from lakeschema.catalog.column_types import TIMESTAMP, ColumnType, DecimalType
from lakeschema.translation.functions import decimals
from lakeschema.translation.functions.coercion import (
    Use,
    common_type,
    is_integer,
    is_time,
)
from lakeschema.translation.functions.semantics import Semantics


@dataclass(frozen=True, slots=True)
class Branch:
    """A column of one of the queries.

    Attributes:
        first: its type before the optimiser.
        number: what stands in the text for it, in whatever query below.
    """

    type: ColumnType
    first: ColumnType
    number: Decimal | None = None


def common_first_type(
    left: ColumnType, right: ColumnType, semantics: Semantics
) -> ColumnType | None:
    """What two branches meet in; None if Hive refuses them."""
    for one, other in ((left, right), (right, left)):
        if isinstance(one, DecimalType) and is_integer(other):
            return one
    if left != right and is_time(left) and is_time(right):
        return TIMESTAMP
    return common_type(left, right, Use.SET_OPERATION, semantics)


def reduced_type(met: ColumnType, branches: Sequence[Branch]) -> ColumnType:
    """What is left of the type that the branches meet in."""
    if not isinstance(met, DecimalType):
        return met
    return reduce(decimals.wider_keeping_whole, (_contributed(each, met) for each in branches))


def _contributed(branch: Branch, met: DecimalType) -> DecimalType:
    if branch.number is not None and decimals.holds(met, branch.number):
        return decimals.of_number(branch.number)
    if branch.first == met and isinstance(branch.type, DecimalType):
        return branch.type
    return met
