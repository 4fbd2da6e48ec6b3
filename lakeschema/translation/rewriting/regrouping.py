"""Computes a plan's groups from a view's stored groups.

If both have the same groups, the view's columns are used. Otherwise the view's groups are joined with the
plan's other sources and grouped again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from lakeschema.translation.plan.expression_text import source_text
from lakeschema.translation.plan.expressions import (
    AggregateCall,
    ColumnReference,
    Literal,
    RowExpression,
    asks,
    walk,
)
from lakeschema.translation.plan.relations import Aggregate, Plan, references
from lakeschema.translation.rewriting.grouped import Grouped
from lakeschema.translation.rewriting.merging import Merging
from lakeschema.translation.rewriting.placements import (
    Known,
    NotContained,
    Placement,
    known_columns,
    shown_as,
)
from lakeschema.translation.rewriting.repeatable import may_differ_when_equal
from lakeschema.translation.rewriting.select_blocks import SelectBlock, filtered
from lakeschema.translation.rewriting.substitution import substituted, substituted_all


@dataclass(frozen=True, slots=True)
class Regrouping:
    """Computes a plan's groups from a view's groups."""

    groups: Aggregate
    of_view: Grouped
    block: SelectBlock
    inner: SelectBlock
    placed: Placement
    merging: Merging

    def plan(self) -> Plan:
        keys = self._keys_of_view
        conditions = self.placed.conditions_left(
            (*self.inner.conditions, *self._demanded_of_keys())
        )
        shown = known_columns(self._shown_of_keys(), references(self.placed.stored))
        # The view stores only one of a group's equal values, so other expressions must not use it.
        known = {e: column for e, column in shown.items() if not may_differ_when_equal(e.type)}
        rows = filtered(self.placed.rows, self.placed.over_stored(conditions, known))
        own_keys = substituted_all([key for _, key in self.groups.keys], self.block.items)
        stored_keys = tuple(
            shown[key] if key in shown else self.placed.over_stored((key,), known)[0]
            for key in own_keys
        )
        if self._are_same(own_keys, conditions):
            calls = [self._stored_call(call) for call in self._own_calls]
            return shown_as(rows, self.groups, (*stored_keys, *calls))
        if not keys:
            raise NotContained("the view has a single row for all", 3)
        return self._rolled_up(rows, stored_keys, known)

    def _rolled_up(self, rows: Plan, keys: Sequence[RowExpression], known: Known) -> Plan:
        names = [name for name, _ in self.groups.keys]
        made = tuple(zip(names, keys, strict=True))
        calls = [self._call(call, known) for call in self._own_calls]
        columns = self.groups.columns[len(keys) :]
        named = tuple((c.name, call) for c, call in zip(columns, calls, strict=True))
        merged = Aggregate(rows, made, named)
        shown: list[RowExpression] = []
        for call, column in zip(self._own_calls, references(merged)[len(keys) :], strict=True):
            is_stored = call in self._stored_calls
            shown.append(self.merging.result(call, column) if is_stored else column)
        return shown_as(merged, self.groups, (*references(merged)[: len(keys)], *shown))

    def _call(self, call: AggregateCall, known: Known) -> AggregateCall:
        stored = self._stored_calls.get(call)
        if stored is not None:
            reason = self.merging.why_not(call)
            if reason is not None:
                raise NotContained(reason, 4)
            return self.merging.call(call, stored)
        if not self.merging.ignores_repetition(call):
            raise self._without(call)
        read = (*call.arguments, *(() if call.filter is None else (call.filter,)))
        try:
            over = self.placed.over_stored(read, known)
        except NotContained:
            raise self._without(call) from None
        number = len(call.arguments)
        condition = None if call.filter is None else over[number]
        return replace(call, arguments=over[:number], filter=condition, nullable=True)

    def _stored_call(self, call: AggregateCall) -> ColumnReference:
        stored = self._stored_calls.get(call)
        if stored is None:
            raise self._without(call)
        return stored

    def _without(self, call: AggregateCall) -> NotContained:
        return NotContained(f"no column of the view is {source_text(call)}", 4)

    def _are_same(self, keys: Sequence[RowExpression], conditions: Sequence[RowExpression]) -> bool:
        """Whether each group of the plan is exactly one group of the view."""
        if self.placed.others or bool(keys) != bool(self._keys_of_view):
            return False
        if not keys:
            # Without keys there is one row, whether rows meet the conditions or not.
            return not conditions
        return _without_constants(keys) == _without_constants(self._keys_of_view)

    @property
    def _own_calls(self) -> Sequence[AggregateCall]:
        """The plan's aggregates, as expressions over the plan's sources."""
        return [_call_over(call, self.block.items) for _, call in self.groups.aggregates]

    @property
    def _keys_of_view(self) -> Sequence[RowExpression]:
        """The view's keys, as expressions over the plan's sources."""
        keys = [key for _, key in self.of_view.groups.keys]
        return substituted_all(substituted_all(keys, self.inner.items), self.placed.columns)

    @property
    def _stored_calls(self) -> Mapping[AggregateCall, ColumnReference]:
        """The stored column of each aggregate of the view; the aggregates are over the plan's sources."""
        groups, number = self.of_view.groups, len(self.of_view.groups.keys)
        found: dict[AggregateCall, ColumnReference] = {}
        for column, item in zip(references(self.placed.stored), self.of_view.items, strict=True):
            if isinstance(item, ColumnReference) and item.index >= number:
                call = groups.aggregates[item.index - number][1]
                over = _call_over(_call_over(call, self.inner.items), self.placed.columns)
                found.setdefault(over, column)
        return found

    def _demanded_of_keys(self) -> Sequence[RowExpression]:
        """The view's conditions on its groups' keys, as expressions over the rows below the groups.

        Raises:
            NotContained: the view has a condition on aggregates.
        """
        groups = self.of_view.groups
        if self.of_view.conditions and not groups.keys:
            raise NotContained("the view has a condition on its only row", 3)
        for condition in self.of_view.conditions:
            if not self._reads_keys_alone(condition):
                raise NotContained("the view keeps only some of its groups", 3)
        keys = [key for _, key in groups.keys]
        over_keys = [substituted(c, keys) for c in self.of_view.conditions]
        return substituted_all(over_keys, self.inner.items)

    def _shown_of_keys(self) -> Sequence[RowExpression | None]:
        """The view's columns, over the plan's sources; None for a column that reads aggregates."""
        keys = self._keys_of_view
        return [
            substituted(item, keys) if self._reads_keys_alone(item) else None
            for item in self.of_view.items
        ]

    def _reads_keys_alone(self, expression: RowExpression) -> bool:
        number = len(self.of_view.groups.keys)
        read = [part.index for part in walk(expression) if isinstance(part, ColumnReference)]
        return all(index < number for index in read) and not asks(expression)


def _call_over(call: AggregateCall, columns: Sequence[RowExpression]) -> AggregateCall:
    return cast(AggregateCall, substituted(call, columns))


def _without_constants(keys: Sequence[RowExpression]) -> set[RowExpression]:
    return {key for key in keys if not isinstance(key, Literal)}
