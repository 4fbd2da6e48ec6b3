"""Merges aggregates of parts of a group's rows into the aggregate of all rows.

count(v) of each part        →    sum of the counts
"""

from __future__ import annotations

from dataclasses import dataclass

from lakeschema.catalog.column_types import BIGINT, DecimalType, print_type
from lakeschema.translation.functions.binding import bind, find
from lakeschema.translation.functions.decimals import MAX_PRECISION
from lakeschema.translation.functions.semantics import Semantics
from lakeschema.translation.plan.expressions import (
    AggregateCall,
    Call,
    Cast,
    Literal,
    RowExpression,
)
from lakeschema.translation.plan.operators import NullClass, Operator
from lakeschema.translation.rewriting.repeatable import FLOATING, adds_floats

_COUNTS = frozenset({"count", "count_if", "regr_count"})
_OF_THEMSELVES = frozenset({"min", "max", "bool_and", "bool_or", "bit_and", "bit_or", "bit_xor"})
"""Aggregates whose partial results the same function merges."""
_WHATEVER_REPEATS = _OF_THEMSELVES - {"bit_xor"}
"""Aggregates that repeated values do not change."""
_COALESCE = Operator("coalesce", NullClass.ABSORBING, merges=0)


@dataclass(frozen=True, slots=True)
class Merging:
    """Merges a query's partial aggregates.

    Attributes:
        floats: whether floating-point numbers may be added in another order, which can change a
            sum's last digits.
    """

    semantics: Semantics
    floats: bool

    def why_not(self, call: AggregateCall) -> str | None:
        """Why the aggregate cannot be computed from partial results; None if it can."""
        name = call.operator.name
        if name == "avg":
            return f"{name} does not follow from averages: sum and count do"
        if name not in _COUNTS | _OF_THEMSELVES | {"sum"}:
            return f"{name} does not follow from its results for parts of the rows"
        if name in _OF_THEMSELVES and len(call.arguments) != 1:
            return f"{name} of several values is not merged"
        if call.distinct and name not in _WHATEVER_REPEATS:
            return f"{name} of distinct values does not follow from those of parts"
        return self._why_not_sum(call) if name == "sum" else None

    def ignores_repetition(self, call: AggregateCall) -> bool:
        """Whether repeated values do not change the aggregate's result."""
        return call.operator.name in _WHATEVER_REPEATS or call.distinct

    def call(self, call: AggregateCall, parts: RowExpression) -> AggregateCall:
        """The aggregate that merges the partial results ``parts``; ``why_not`` must have returned None."""
        if call.operator.name in _OF_THEMSELVES:
            return AggregateCall(call.operator, (parts,), call.type, nullable=True)
        function = find("sum", self.semantics.dialect)
        assert function is not None, "all dialects have it"
        found = bind(function, (parts,), self.semantics)
        return AggregateCall(found.operator, found.arguments, found.type, nullable=True)

    def result(self, call: AggregateCall, merged: RowExpression) -> RowExpression:
        """The aggregate's value from ``merged``, the value of ``call``.

        It has the aggregate's type, and a count is never null.
        """
        if call.operator.name in _COUNTS:
            zero = Literal("0", BIGINT)
            return Call(_COALESCE, (merged, zero), BIGINT, nullable=False)
        if merged.type == call.type:
            return merged
        # A sum of decimals has more digits than its values, and a sum of sums still more.
        return Cast(merged, call.type, nullable=True)

    def _why_not_sum(self, call: AggregateCall) -> str | None:
        type_ = call.type
        if adds_floats(call):
            return None if self.floats else f"sum of {FLOATING}"
        if isinstance(type_, DecimalType):
            # Without ANSI mode an overflow gives null, like a sum of no values.
            fits = type_.precision < MAX_PRECISION or self.semantics.ansi
            return None if fits else f"a sum of {print_type(type_)} may be null as it does not fit"
        return None if type_ == BIGINT else f"sums of {print_type(type_)} are not merged"
