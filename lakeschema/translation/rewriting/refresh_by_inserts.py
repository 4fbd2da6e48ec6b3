"""Finds how rows inserted into a view's tables change its stored rows.

project k, sum                  →    project k, sum
  aggregate by (k): sum(n)             aggregate by (k): sum(sum)
    scan t                               union all of 2
                                           scan v_stored (k, sum)
                                           aggregate by (k): sum(n)
                                             scan t_inserted

If the plan only gains rows, they are added. Groups are merged if only a SELECT list is above them
and the stored columns suffice for merging.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.model.errors import CannotRefresh
from lakeschema.translation.plan.expression_text import source_text, unnamed_calls
from lakeschema.translation.plan.expressions import (
    AggregateCall,
    ColumnReference,
    Literal,
    RowExpression,
    asks,
    walk,
)
from lakeschema.translation.plan.relations import (
    Aggregate,
    Filter,
    Plan,
    PlanColumn,
    Project,
    Scan,
    references,
)
from lakeschema.translation.rewriting.delta_of_inserts import DeltaOfInserts, Insertion, united
from lakeschema.translation.rewriting.grouped import Grouped, grouped, without_order
from lakeschema.translation.rewriting.merging import Merging
from lakeschema.translation.rewriting.repeatable import (
    why_expression_unrepeatable,
    why_unrepeatable,
)
from lakeschema.translation.rewriting.substitution import substituted


@dataclass(frozen=True, slots=True)
class Append:
    """Adds ``rows`` to the stored rows."""

    rows: Plan


@dataclass(frozen=True, slots=True)
class Merge:
    """Replaces all stored rows by ``rows``; ``keys`` are the places of the groups' keys."""

    rows: Plan
    keys: tuple[int, ...]


def refresh_by_inserts(
    plan: Plan,
    stored: Scan,
    insertions: Mapping[RelationName, Insertion],
    merging: Merging,
) -> Append | Merge | None:
    """How the stored rows of the plan change; None if they do not.

    Raises:
        CannotRefresh: the inserted and the stored rows do not determine the new rows.
    """
    deltas = DeltaOfInserts(insertions)
    if not deltas.changed_below(plan):
        return None
    plan = without_order(plan)
    found = grouped(plan)
    if found is None:
        _refuse(why_unrepeatable(plan, floats=merging.floats))
        delta = deltas.delta(plan)
        return None if delta is None else Append(delta)
    return _Groups(found, stored, deltas, merging).merged()


@dataclass(frozen=True, slots=True)
class _Groups:
    found: Grouped
    stored: Scan
    deltas: DeltaOfInserts
    merging: Merging

    def merged(self) -> Merge | None:
        groups = self.found.groups
        if groups.sets is not None:
            raise CannotRefresh("the stored rows do not tell which grouping set each belongs to")
        self._check()
        gained = self.deltas.delta(groups.input)
        if gained is None:
            return None
        kept = self._kept()
        if not kept and not groups.keys:
            # Always one row, which does not depend on the rows below.
            return None
        if not kept:
            raise CannotRefresh("it has no column of its groups")
        places = [self._place(index) for index in kept]
        rows = Project(self.stored, _named(self.stored.columns, references(self.stored), places))
        new = self._new(gained, kept)
        merged = self._regrouped(united((rows, new)), kept)
        items = self._items(merged, kept)
        return Merge(Project(merged, items), tuple(places[: self._number_of_keys(kept)]))

    def _check(self) -> None:
        """Refuses expressions that may change when computed again, and conditions that lose groups."""
        floats, groups = self.merging.floats, self.found.groups
        _refuse(why_unrepeatable(groups.input, floats=floats))
        read = [key for _, key in groups.keys]
        for _, call in groups.aggregates:
            read += [*call.arguments, *(() if call.filter is None else (call.filter,))]
        above = (*self.found.items, *self.found.conditions)
        _refuse(why_expression_unrepeatable((*read, *above), floats=floats))
        if any(map(asks, (*read, *above))):
            raise CannotRefresh("it has both groups and a sub-query")
        number = len(groups.keys)
        if self.found.conditions and not number:
            raise CannotRefresh("a condition applies to the only row, which may not be stored")
        for condition in self.found.conditions:
            if any(index >= number for index in _columns_read(condition)):
                text = source_text(condition, unnamed_calls(groups))
                raise CannotRefresh(f"groups for which {text} is not true are not stored")

    def _kept(self) -> Sequence[int]:
        """The places of the groups' columns that merging needs; keys come first."""
        groups = self.found.groups
        keys = [i for i, (_, key) in enumerate(groups.keys) if not isinstance(key, Literal)]
        used = {index for item in self.found.items for index in _columns_read(item)}
        calls = sorted(index for index in used if index >= len(groups.keys))
        for index in calls:
            call = groups.aggregates[index - len(groups.keys)][1]
            _refuse(self.merging.why_not(call))
        return (*keys, *calls)

    def _number_of_keys(self, kept: Sequence[int]) -> int:
        return sum(index < len(self.found.groups.keys) for index in kept)

    def _place(self, index: int) -> int:
        """The place of the stored column that is a copy of the groups' column ``index``."""
        for place, item in enumerate(self.found.items):
            if isinstance(item, ColumnReference) and item.index == index:
                return place
        groups = self.found.groups
        keys = [key for _, key in groups.keys]
        calls = [call for _, call in groups.aggregates]
        what = "key" if index < len(keys) else "aggregate"
        raise CannotRefresh(
            f"no column is the {what} {source_text([*keys, *calls][index])} itself",
            hint="add it to the view's SELECT list",
        )

    def _new(self, gained: Plan, kept: Sequence[int]) -> Plan:
        """The groups of the added rows, with the columns that merging needs."""
        made: Plan = replace(self.found.groups, input=gained)
        for condition in self.found.conditions:
            made = Filter(made, condition)
        return Project(made, _named(made.columns, references(made), kept))

    def _regrouped(self, parts: Plan, kept: Sequence[int]) -> Aggregate:
        groups = self.found.groups
        columns = dict(zip(kept, references(parts), strict=True))
        keys = tuple((name, columns.get(i, key)) for i, (name, key) in enumerate(groups.keys))
        number = len(keys)
        calls = tuple(
            (groups.columns[i].name, self.merging.call(self._call(i), columns[i]))
            for i in kept
            if i >= number
        )
        return Aggregate(parts, keys, calls)

    def _call(self, index: int) -> AggregateCall:
        return self.found.groups.aggregates[index - len(self.found.groups.keys)][1]

    def _items(
        self, merged: Aggregate, kept: Sequence[int]
    ) -> tuple[tuple[str, RowExpression], ...]:
        """The SELECT list over the merged groups."""
        columns = references(merged)
        number = len(merged.keys)
        calls = [index for index in kept if index >= number]
        values: list[RowExpression] = [*columns[:number], *references(self.found.groups)[number:]]
        for index, column in zip(calls, columns[number:], strict=True):
            values[index] = self.merging.result(self._call(index), column)
        made = (substituted(item, values) for item in self.found.items)
        return tuple(
            (column.name, item) for column, item in zip(self.stored.columns, made, strict=True)
        )


def _named(
    columns: Sequence[PlanColumn], values: Sequence[RowExpression], places: Sequence[int]
) -> tuple[tuple[str, RowExpression], ...]:
    return tuple((columns[place].name, values[place]) for place in places)


def _columns_read(expression: RowExpression) -> set[int]:
    return {part.index for part in walk(expression) if isinstance(part, ColumnReference)}


def _refuse(reason: str | None) -> None:
    if reason is not None:
        raise CannotRefresh(reason)
