"""Writes a plan as an engine's SELECT, with the plan's names and types.

Nodes are folded into one SELECT if that keeps their meaning; other nodes become sub-queries under
fresh aliases.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import assert_never

from lakeschema.catalog.column_types import BOOLEAN
from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.emission.engines import Engine, generic_names
from lakeschema.translation.emission.sql_expressions import Columns, ExpressionWriter
from lakeschema.translation.model.errors import UnsupportedConstruct
from lakeschema.translation.model.joins import JoinKind
from lakeschema.translation.plan.expressions import (
    ColumnReference,
    FieldAccess,
    Literal,
    RowExpression,
    asks,
    walk,
)
from lakeschema.translation.plan.relations import (
    Aggregate,
    Distinct,
    Filter,
    Generate,
    Join,
    Limit,
    Plan,
    Project,
    Recursion,
    RecursiveScan,
    Scan,
    SetOperation,
    Sort,
    Values,
    Window,
)

_NAME = re.compile(r't[0-9]+\."(?:[^"]|"")*"')
"""A column under a generated alias, in engines that quote names in this way."""

_TRUE = Literal("true", BOOLEAN)

RelationText = Callable[[RelationName], str]
"""Returns a relation's name in the text: its own name, or the name of a registered view."""


_JOINED = (True, False)
"""The value of ``_Select.joins`` for a join, which may only be the left side of a further join."""


@dataclass(frozen=True, slots=True)
class _Tail:
    """The clauses after WHERE, each with its keywords; "" if absent."""

    group_by: str = ""
    order_by: str = ""
    limit: str = ""
    offset: str = ""
    offset_first: bool = False

    @property
    def limits_rows(self) -> bool:
        return bool(self.limit or self.offset)

    def clauses(self) -> tuple[str, ...]:
        """The clauses, in the engine's order."""
        rows = (self.limit, self.offset)
        ordered = reversed(rows) if self.offset_first else rows
        return tuple(filter(None, (self.group_by, self.order_by, *ordered)))


_NO_TAIL = _Tail()


@dataclass(frozen=True, slots=True)
class _Select:
    """A SELECT under construction.

    Attributes:
        items: the text of each column, over ``source``.
        plain: whether each item is a plain name, which can be repeated at no cost.
        source: the text after FROM; "" without FROM.
        joins: whether the source may be the left side of a join, and whether it may also be the
            right side.
        tail: GROUP BY, ORDER BY, LIMIT and OFFSET; to a tail, only LIMIT and OFFSET may be added.
        computed: whether some items are aggregates or windows, which WHERE cannot filter.
        made: whether each item contains an aggregate or window; empty if no item does.
        generated: whether the source ends with a generator.
    """

    items: tuple[str, ...]
    plain: tuple[bool, ...]
    source: str
    joins: tuple[bool, bool] = (False, False)
    where: tuple[str, ...] = ()
    tail: _Tail = _NO_TAIL
    distinct: bool = False
    computed: bool = False
    made: tuple[bool, ...] = ()
    generated: bool = False

    @property
    def is_open(self) -> bool:
        """Whether further nodes may be folded into this SELECT."""
        return self.tail == _NO_TAIL and not (self.distinct or self.computed)

    def text(self, names: Sequence[str], quoted: Callable[[str], str]) -> str:
        items = ", ".join(
            item if plain and item.endswith(f".{quoted(name)}") else f"{item} AS {quoted(name)}"
            for item, plain, name in zip(self.items, self.plain, names, strict=True)
        )
        parts = [f"SELECT {'DISTINCT ' if self.distinct else ''}{items}"]
        if self.source:
            parts.append(f"FROM {self.source}")
        if self.where:
            parts.append("WHERE " + " AND ".join(self.where))
        return " ".join((*parts, *self.tail.clauses()))


class SelectWriter:
    """Writes the queries of one view for ``engine``."""

    def __init__(self, engine: Engine, relation_text: RelationText) -> None:
        self._engine = engine
        self._relation_text = relation_text
        self._aliases = (f"t{number}" for number in count(1))

    def view(self, plan: Plan, names: Sequence[str]) -> str:
        select = self._select(plan, ())
        types = (column.type for column in plan.columns)
        items = tuple(map(self._engine.forms.output, select.items, types))
        return self._text(replace(select, items=items), names)

    def query(self, plan: Plan, names: Sequence[str], outer: tuple[Columns, ...]) -> str:
        return self._text(self._select(plan, outer), names)

    def _text(self, select: _Select, names: Sequence[str]) -> str:
        return select.text(names, self._engine.quoted)

    def _subquery_text(self, plan: Plan, outer: tuple[Columns, ...]) -> str:
        return self.query(plan, generic_names(len(plan.columns)), outer)

    def _over(self, columns: Columns, outer: tuple[Columns, ...]) -> ExpressionWriter:
        return ExpressionWriter(columns, outer, self._engine, self._subquery_text)

    def _select(self, plan: Plan, outer: tuple[Columns, ...]) -> _Select:
        match plan:
            case Scan(name, columns):
                alias = next(self._aliases)
                items = tuple(f"{alias}.{self._engine.quoted(column.name)}" for column in columns)
                source = f"{self._relation_text(name)} AS {alias}"
                return _Select(items, (True,) * len(items), source, (True, True))
            case Values():
                return self._values(plan, outer)
            case Project(below, expressions):
                return self._project(below, [e for _, e in expressions], outer)
            case Filter(below, condition):
                select = self._fold(below, (condition,), outer)
                if self._engine.lateral_views_of_one and asks(condition) and select.generated:
                    select = self._wrap(select)
                over = self._over(select.items, outer)
                return replace(select, where=(*select.where, self._condition(over, condition)))
            case Join():
                return self._join(plan, outer)
            case Aggregate():
                return self._aggregate(plan, outer)
            case Window(below, calls):
                select = self._fold(below, [call for _, call in calls], outer)
                over = self._over(select.items, outer)
                made = tuple(over.typed(call) for _, call in calls)
                plain = (*select.plain, *(False,) * len(made))
                items, those = (*select.items, *made), (*_none(select), *(True,) * len(made))
                return replace(select, items=items, plain=plain, computed=True, made=those)
            case SetOperation():
                return self._set_operation(plan, outer)
            case RecursiveScan(number=number, columns=columns):
                return self._from_names(_recursive_name(number), generic_names(len(columns)))
            case Recursion():
                return self._recursion(plan, outer)
            case Sort(below, keys, total):
                read = [key.expression for key in keys]
                select = self._fold(below, read, outer)
                behind_view = self._engine.lateral_views_of_one and select.generated
                if select.is_open and (behind_view or _reads_answer(below, read)):
                    # Engines allow no sub-query in ORDER BY, but allow a column that a sub-query
                    # computes.
                    select = self._wrap(select)
                by = self._over(select.items, outer).sort_keys(keys)
                order_by = f"{'ORDER' if total else 'SORT'} BY {by}"
                return replace(select, tail=_Tail(order_by=order_by))
            case Limit():
                return self._limit(plan, outer)
            case Distinct(below):
                return replace(self._fold(below, (), outer), distinct=True)
            case Generate():
                return self._generate(plan, outer)
            case _:
                assert_never(plan)

    def _fold(
        self, below: Plan, expressions: Sequence[RowExpression], outer: tuple[Columns, ...]
    ) -> _Select:
        """The input, folded if the expressions can be written over it; otherwise as a sub-query."""
        select = self._select(below, outer)
        if select.is_open and not (
            _repeats(select, expressions) or self._hides_names(select, expressions)
        ):
            return select
        return self._wrap(select)

    def _hides_names(self, select: _Select, expressions: Sequence[RowExpression]) -> bool:
        """Whether sub-queries would read a computed item, which the engine does not allow."""
        return any(map(asks, expressions)) and not self._has_names(select)

    def _has_names(self, select: _Select) -> bool:
        return not self._engine.correlates_by_names or all(map(_NAME.fullmatch, select.items))

    def _wrap(self, select: _Select) -> _Select:
        names = generic_names(len(select.items))
        alias = next(self._aliases)
        items = tuple(f"{alias}.{self._engine.quoted(name)}" for name in names)
        source = f"({self._text(select, names)}) AS {alias}"
        return _Select(items, (True,) * len(items), source, (True, True))

    def _project(
        self, below: Plan, expressions: Sequence[RowExpression], outer: tuple[Columns, ...]
    ) -> _Select:
        select = self._select(below, outer)
        if (
            select.distinct
            or _repeats(select, expressions)
            or self._hides_names(select, expressions)
            # Without any of its aggregates, the SELECT would no longer have groups.
            or (select.computed and not _reads_computed(select, expressions))
            or (
                # The keys in ORDER BY or GROUP BY are names of the SELECT's columns.
                select.tail != _NO_TAIL
                and not all(isinstance(e, ColumnReference) for e in expressions)
            )
        ):
            select = self._wrap(select)
        over = self._over(select.items, outer)
        items = tuple(over.typed(expression) for expression in expressions)
        plain = tuple(_is_path(expression, select.plain) for expression in expressions)
        made = tuple(_reads(select.made, expression) for expression in expressions)
        return replace(select, items=items, plain=plain, made=made if select.computed else ())

    def _values(self, plan: Values, outer: tuple[Columns, ...]) -> _Select:
        if not plan.columns:
            return _Select((), (), "")
        over = self._over((), outer)
        form = self._engine.value if len(plan.columns) == 1 else self._engine.row
        rows = ", ".join(form.format(", ".join(map(over.text, row))) for row in plan.rows)
        alias = next(self._aliases)
        names = [self._engine.quoted(name) for name in generic_names(len(plan.columns))]
        source = self._engine.values.format(rows=rows, alias=alias, names=", ".join(names))
        items = tuple(f"{alias}.{name}" for name in names)
        return _Select(items, (True,) * len(items), source, (True, True))

    def _side(self, plan: Plan, outer: tuple[Columns, ...], place: int) -> _Select:
        """One side of a join as a bare source, so that the conditions of both sides stay apart."""
        select = self._select(plan, outer)
        bare = select.is_open and not select.where and all(select.plain) and select.joins[place]
        return select if bare else self._wrap(select)

    def _join(self, plan: Join, outer: tuple[Columns, ...]) -> _Select:
        left = self._side(plan.left, outer, 0)
        if plan.lateral and not self._has_names(left):
            left = self._wrap(left)
        around = (left.items, *outer) if plan.lateral else outer
        right = self._side(plan.right, around, 1)
        both = (*left.items, *right.items)
        source = f"{left.source} {self._joined(plan, right.source)}"
        # Spark computes LATERAL queries of one row in place, but not with a condition.
        needless = plan.lateral and plan.condition == _TRUE and not self._engine.always_on
        if plan.condition is not None and not needless:
            source += f" ON {self._condition(self._over(both, outer), plan.condition)}"
        kept = left.items if plan.kind in {JoinKind.SEMI, JoinKind.ANTI} else both
        return _Select(kept, (True,) * len(kept), source, _JOINED)

    def _condition(self, over: ExpressionWriter, condition: RowExpression) -> str:
        """The text of a condition on rows, where null counts as false."""
        null_is_false = self._engine.unknown_is_not_in
        return over.condition(condition) if null_is_false else over.text(condition)

    def _joined(self, plan: Join, right: str) -> str:
        """The text of JOIN, its right side and its condition, which is constant if the join has none."""
        kind = plan.kind
        always = self._engine.always_on
        if always and kind is JoinKind.INNER and plan.condition is None:
            kind = JoinKind.CROSS
        lateral = plan.lateral and (not always or right.startswith("("))
        text = f"{self._engine.joins[kind]} JOIN {'LATERAL ' if lateral else ''}{right}"
        no_condition = plan.condition is None and kind is not JoinKind.CROSS
        return f"{text} ON TRUE" if always and no_condition else text

    def _aggregate(self, plan: Aggregate, outer: tuple[Columns, ...]) -> _Select:
        read = [e for _, e in (*plan.keys, *plan.aggregates)]
        # Keys are written twice, here and after GROUP BY, but evaluated once.
        select = self._fold(plan.input, read, outer)
        if self._engine.groups_by_names and not _are_names(select, plan):
            select = self._wrap(select)
        if plan.sets is not None and len(set(self._keys(plan, select, outer))) < len(plan.keys):
            # Two keys have equal texts, so that no grouping set could have only one of them.
            select = self._wrap(select)
        over = self._over(select.items, outer)
        keys = self._keys(plan, select, outer)
        items = (*keys, *(over.typed(call) for _, call in plan.aggregates))
        tail = _Tail(group_by=self._group_by(keys, plan.sets))
        plain = (False,) * len(items)
        made = (*(False,) * len(keys), *(True,) * len(plan.aggregates))
        return replace(select, items=items, plain=plain, tail=tail, computed=True, made=made)

    def _keys(self, plan: Aggregate, select: _Select, outer: tuple[Columns, ...]) -> Sequence[str]:
        over = self._over(select.items, outer)
        return [over.group_key(key) for _, key in plan.keys]

    def _set_operation(self, plan: SetOperation, outer: tuple[Columns, ...]) -> _Select:
        names = generic_names(len(plan.columns))
        word = f" {plan.operator.value.upper()} "
        branches = word.join(f"({self.query(branch, names, outer)})" for branch in plan.inputs)
        return self._from_names(f"({branches})", names)

    def _recursion(self, plan: Recursion, outer: tuple[Columns, ...]) -> _Select:
        names = generic_names(len(plan.columns))
        branches = " UNION ALL ".join(
            f"({self._branch(branch, names, outer)})" for branch in (plan.anchor, plan.step)
        )
        name = _recursive_name(plan.number)
        most = "" if plan.most is None else f" MAX RECURSION LEVEL {plan.most}"
        limit = self._engine.max_recursion
        if limit is not None and plan.most is not None:
            if plan.most < limit:
                raise UnsupportedConstruct(f"MAX RECURSION LEVEL {plan.most}")
            most = ""
        listed = ", ".join(self._engine.quoted(each) for each in names)
        head = f"WITH RECURSIVE {name}({listed}){most} AS ({branches})"
        return self._from_names(f"({head} TABLE {name})", names)

    def _branch(self, plan: Plan, names: Sequence[str], outer: tuple[Columns, ...]) -> str:
        """A branch of a recursive query; some engines require exactly equal types."""
        select = self._select(plan, outer)
        if self._engine.max_recursion is not None:
            types = (column.type for column in plan.columns)
            items = tuple(map(self._engine.forms.output, select.items, types))
            plain = tuple(map(str.__eq__, items, select.items))
            select = replace(select, items=items, plain=plain)
        return self._text(select, names)

    def _from_names(self, source: str, names: Sequence[str]) -> _Select:
        alias = next(self._aliases)
        items = tuple(f"{alias}.{self._engine.quoted(name)}" for name in names)
        return _Select(items, (True,) * len(items), f"{source} AS {alias}", (True, True))

    def _limit(self, plan: Limit, outer: tuple[Columns, ...]) -> _Select:
        if plan.ties:
            raise UnsupportedConstruct("WITH TIES")
        select = self._select(plan.input, outer)
        if select.tail.limits_rows:
            select = self._wrap(select)
        over = self._over((), outer)
        tail = replace(
            select.tail,
            offset_first=self._engine.offset_first,
            limit="" if plan.limit is None else f"LIMIT {over.text(plan.limit)}",
            offset="" if plan.offset is None else f"OFFSET {over.text(plan.offset)}",
        )
        return replace(select, tail=tail)

    def _generate(self, plan: Generate, outer: tuple[Columns, ...]) -> _Select:
        select = self._select(plan.input, outer)
        joined = plan.call.operator.name in self._engine.joined_functions
        is_bare = select.is_open and not select.where and all(select.plain) and select.source
        of_join = self._engine.lateral_views_of_one and select.joins == _JOINED
        if not is_bare or of_join or (joined and not select.joins[0]):
            select = self._wrap(select) if select.items else self._one_row()
        over = self._over(select.items, outer)
        made = self._engine.forms.generated(over, plan, select.source, lambda: next(self._aliases))
        items = (*select.items, *made.items)
        return _Select(items, (True,) * len(items), made.source, generated=True)

    def _one_row(self) -> _Select:
        """A source of one row, for a generator in a text without FROM."""
        one = self._engine.quoted("one")
        return _Select((), (), f"(SELECT 1 AS {one}) AS {next(self._aliases)}", (True, True))

    def _group_by(self, keys: Sequence[str], sets: Sequence[Sequence[int]] | None) -> str:
        listed = ", ".join(keys)
        if sets is not None:
            shown = ", ".join("(" + ", ".join(keys[k] for k in chosen) + ")" for chosen in sets)
            listed = self._engine.grouping_sets.format(keys=listed, sets=shown).lstrip()
        return f"GROUP BY {listed}" if listed else ""


def _recursive_name(number: int) -> str:
    return f"r{number}"


def _repeats(select: _Select, expressions: Sequence[RowExpression]) -> bool:
    """Whether an item that is not a name would be repeated, or nested in an expression."""
    used = [
        (part.index, part is not expression)
        for expression in expressions
        for part in walk(expression)
        if isinstance(part, ColumnReference) and not select.plain[part.index]
    ]
    inside = any(deep for _, deep in used)
    return inside or len({index for index, _ in used}) < len(used)


def _are_names(select: _Select, plan: Aggregate) -> bool:
    """Whether all keys are columns under their own names."""
    return all(
        isinstance(k, ColumnReference) and _NAME.fullmatch(select.items[k.index])
        for _, k in plan.keys
    )


def _reads_answer(plan: Plan, expressions: Sequence[RowExpression]) -> bool:
    """Whether expressions read a sub-query's column in the SELECT that would contain it."""
    while isinstance(plan, Filter | Project):
        if isinstance(plan, Project):
            # Each item counts once, however often the expressions above read it.
            read = {
                part.index
                for expression in expressions
                for part in walk(expression)
                if isinstance(part, ColumnReference)
            }
            expressions = [plan.items[index][1] for index in read]
            if any(map(asks, expressions)):
                return True
        plan = plan.input
    return False


def _reads_computed(select: _Select, expressions: Sequence[RowExpression]) -> bool:
    """Whether the expressions read an item that makes the SELECT group: an aggregate, or a key."""
    of_keys = [not plain for plain in select.plain] if select.tail.group_by else select.made
    return any(_reads(of_keys, expression) for expression in expressions)


def _reads(columns: Sequence[bool], expression: RowExpression) -> bool:
    """Whether the expression reads a column whose flag is set."""
    return bool(columns) and any(
        isinstance(part, ColumnReference) and columns[part.index] for part in walk(expression)
    )


def _none(select: _Select) -> tuple[bool, ...]:
    return (False,) * len(select.items)


def _is_path(expression: RowExpression, plain: Sequence[bool]) -> bool:
    """Whether the expression is a plain name, or a field of one."""
    while isinstance(expression, FieldAccess):
        expression = expression.base
    return isinstance(expression, ColumnReference) and plain[expression.index]
