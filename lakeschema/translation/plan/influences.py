"""Finds which columns affect an output's rows and values but are not sources of its values.

``lineage`` finds the sources of values. This module finds the other columns, and the clauses
through which they act.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias, assert_never

from lakeschema.translation.model import lengths
from lakeschema.translation.model.clauses import Clause
from lakeschema.translation.model.interface import Influence
from lakeschema.translation.plan.expressions import (
    AggregateCall,
    Call,
    Case,
    Cast,
    ColumnReference,
    Exists,
    FieldAccess,
    InSubquery,
    Literal,
    OuterReference,
    RowExpression,
    ScalarSubquery,
    SortKey,
    WindowCall,
    children,
)
from lakeschema.translation.plan.lineage import Lineage, Sources, made_field
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
    SetOperator,
    Sort,
    Values,
    Window,
    expressions,
    inputs,
)

Found: TypeAlias = dict[Influence, None]
"""A set in the order of first insertion."""

_NOTHING: Found = {}
"""An empty set. It is shared, so no code may add to it."""
_Level: TypeAlias = tuple[tuple[Sources, ...], tuple[Found, ...]]
"""The sources of an enclosing query's columns, and the influences on their values."""
_Outer: TypeAlias = tuple[_Level, ...]
"""The enclosing queries, the nearest first."""
_Key: TypeAlias = tuple[int, tuple[int, ...]]


class Influences:
    """Finds influences; caches results, so that shared sub-plans are traced once."""

    def __init__(
        self, lineage: Lineage, recursive: Mapping[int, tuple[Found, ...]] | None = None
    ) -> None:
        self._lineage = lineage
        self._recursive = dict(recursive or {})
        # The values keep the plans alive: the keys are ids, which Python reuses after an object's end.
        self._rows: dict[_Key, tuple[Plan, _Outer, Found]] = {}
        self._columns: dict[_Key, tuple[Plan, _Outer, tuple[Found, ...]]] = {}

    def of_view(self, plan: Plan) -> Found:
        """The influences on the view's rows and on their order."""
        return {**self.rows(plan, ()), **self._order(plan, ())}

    def rows(self, plan: Plan, outer: _Outer) -> Found:
        key = _key(plan, outer)
        found = self._rows.get(key)
        if found is None:
            found = self._rows[key] = (plan, outer, self._of_rows(plan, outer))
        return found[2]

    def columns(self, plan: Plan, outer: _Outer = ()) -> tuple[Found, ...]:
        """The influences on each column's values, without the influences on which rows there are."""
        key = _key(plan, outer)
        found = self._columns.get(key)
        if found is None:
            found = self._columns[key] = (plan, outer, self._of_columns(plan, outer))
        return found[2]

    def _of_rows(self, plan: Plan, outer: _Outer) -> Found:
        found: Found = {}
        match plan:
            case Join(left, right, lateral=lateral):
                found.update(self.rows(left, outer))
                inside = (self._level(left, outer), *outer) if lateral else outer
                found.update(self.rows(right, inside))
            case Recursion():
                # The step reads the recursive table, so the table's sources and influences must be
                # known first.
                self._level(plan, outer)
                found.update(self.rows(plan.anchor, outer))
                found.update(self.rows(plan.step, outer))
            case _:
                for below in inputs(plan):
                    found.update(self.rows(below, outer))
        found.update(self._own_rows(plan, outer))
        return found

    def _own_rows(self, plan: Plan, outer: _Outer) -> Found:
        """The influences on rows that come from this node itself, not from its inputs."""
        match plan:
            case Filter(input=below, condition=condition):
                return self._clause(_filtering(below), (condition,), below, outer)
            case Join():
                return self._joined(plan, outer)
            case Aggregate(below, keys):
                return self._clause(Clause.GROUP_BY, (key for _, key in keys), below, outer)
            case Limit(input=below):
                return self._order(below, outer)
            case Generate(input=below, call=call):
                return self._clause(Clause.LATERAL_VIEW, _making_rows(call), below, outer)
            case Distinct(below):
                return self._compared(Clause.DISTINCT, below, outer)
            case SetOperation(operator=SetOperator.UNION_ALL):
                return {}
            case SetOperation(inputs=branches):
                return _united(self._compared(Clause.SET_OPERATION, b, outer) for b in branches)
            case Scan() | Values() | RecursiveScan() | Recursion() | Project() | Window() | Sort():
                return {}
            case _:
                assert_never(plan)

    def _compared(self, clause: Clause, plan: Plan, outer: _Outer) -> Found:
        """The influences of comparing whole rows: all columns' sources and influences."""
        columns, own = self._level(plan, outer)
        return {**_through(clause, columns), **_united(own)}

    def _order(self, plan: Plan, outer: _Outer) -> Found:
        """The influences of the query's ORDER BY.

        A sub-query's order counts only if it has a limit.
        """
        while isinstance(plan, Project | Limit):
            plan = plan.input
        if not isinstance(plan, Sort):
            return {}
        return self._clause(Clause.ORDER_BY, _expressions(plan.keys), plan.input, outer)

    def _joined(self, plan: Join, outer: _Outer) -> Found:
        if plan.condition is None:
            return {}
        left = self._level(plan.left, outer)
        right = self._level(plan.right, (left, *outer) if plan.lateral else outer)
        level = ((*left[0], *right[0]), (*left[1], *right[1]))
        return self._read(Clause.JOIN, (plan.condition,), level, outer)

    def _clause(
        self, clause: Clause, read: Iterable[RowExpression], below: Plan, outer: _Outer
    ) -> Found:
        return self._read(clause, read, self._level(below, outer), outer)

    def _level(self, plan: Plan, outer: _Outer) -> _Level:
        return self._lineage.columns(plan, _sources(outer)), self.columns(plan, outer)

    def _read(
        self,
        clause: Clause,
        read: Iterable[RowExpression],
        level: _Level,
        outer: _Outer,
    ) -> Found:
        """The influences of a clause that reads these expressions.

        ``level`` describes the columns to which the expressions refer.
        """
        found: Found = {}
        for expression in read:
            made = self._lineage.expression(expression, level[0], _sources(outer))
            found.update(_through(clause, [made]))
            found.update(self._of_expression(expression, level, outer, clause))
        return found

    def _of_columns(self, plan: Plan, outer: _Outer) -> tuple[Found, ...]:
        match plan:
            case Scan() | Values():
                return (_NOTHING,) * len(plan.columns)
            case RecursiveScan(number=number):
                return self._recursive[number]
            case Filter(input=below) | Sort(input=below) | Limit(input=below) | Distinct(below):
                return self.columns(below, outer)
            case Join(left, right, lateral=lateral):
                inside = (self._level(left, outer), *outer) if lateral else outer
                both = (*self.columns(left, outer), *self.columns(right, inside))
                return both[: len(plan.columns)]
            case SetOperation(inputs=branches):
                each = [self.columns(branch, outer) for branch in branches]
                return tuple(_united(column) for column in zip(*each, strict=True))
            case Recursion():
                return self._recursion(plan, outer)
            case Project(below) | Aggregate(below):
                return self._made(plan, below, outer)
            case Window(below) | Generate(below):
                made = self._made(plan, below, outer)
                count = len(plan.columns) - len(below.columns)
                return (*self.columns(below, outer), *(made * count if len(made) == 1 else made))
            case _:
                assert_never(plan)

    def _recursion(self, plan: Recursion, outer: _Outer) -> tuple[Found, ...]:
        """The influences on each column of a recursive query.

        The step reads the table and adds rows to it. So influences are added until nothing changes.
        """
        self._lineage.columns(plan, _sources(outer))
        found = self.columns(plan.anchor, outer)
        while True:
            inside = Influences(self._lineage, {**self._recursive, plan.number: found})
            step = inside.columns(plan.step, outer)
            more = tuple(_united(column) for column in zip(found, step, strict=True))
            if more == found:
                # A later call may get the step without its recursion.
                self._recursive[plan.number] = found
                return found
            found = more

    def _made(self, plan: Plan, below: Plan, outer: _Outer) -> tuple[Found, ...]:
        level = self._level(below, outer)
        return tuple(self._of_expression(e, level, outer) for e in expressions(plan))

    def _of_expression(
        self,
        expression: RowExpression,
        level: _Level,
        outer: _Outer,
        clause: Clause = Clause.CONDITION,
    ) -> Found:
        """The influences in an expression.

        ``clause`` is the clause to report for the columns that IN compares with a sub-query.
        """
        own = level[1]
        if isinstance(expression, ColumnReference):
            return own[expression.index]
        found: Found = {}
        around = (level, *outer)
        for part in _parts(expression):
            match part:
                case ColumnReference(index=index):
                    found.update(own[index])
                case OuterReference(level=away, index=index) if away <= len(outer):
                    found.update(outer[away - 1][1][index])
                case WindowCall(partition_by=partition, order_by=order, within=within):
                    keys = (*_expressions(within), *_expressions(order))
                    found.update(self._read(Clause.PARTITION_BY, partition, level, outer))
                    found.update(self._read(Clause.ORDER_BY, keys, level, outer))
                case AggregateCall(order_by=within):
                    keys = _expressions(within)
                    found.update(self._read(Clause.ORDER_BY, keys, level, outer))
                case ScalarSubquery(plan):
                    found.update(self.rows(plan, around))
                    found.update(self.columns(plan, around)[0])
                case Exists(plan):
                    found.update(self.rows(plan, around))
                case InSubquery(plan=plan):
                    found.update(self.rows(plan, around))
                    found.update(self._compared(clause, plan, around))
                case _:
                    pass
        return found


def _key(plan: Plan, outer: _Outer) -> _Key:
    return id(plan), tuple(id(part) for level in outer for part in level)


def _sources(outer: _Outer) -> tuple[tuple[Sources, ...], ...]:
    return tuple(columns for columns, _ in outer)


def _filtering(below: Plan) -> Clause:
    """The clause of a filter: HAVING over groups, QUALIFY over windows, otherwise WHERE."""
    while isinstance(below, Filter):
        below = below.input
    match below:
        case Aggregate():
            return Clause.HAVING
        case Window():
            return Clause.QUALIFY
        case _:
            return Clause.WHERE


def _parts(expression: RowExpression) -> Iterator[RowExpression]:
    """The expression and all expressions inside it, except struct fields that nothing reads."""
    pending = [expression]
    while pending:
        at = pending.pop()
        yield at
        if isinstance(at, ColumnReference | Literal):
            continue
        made = made_field(at) if isinstance(at, FieldAccess) else None
        pending.extend(reversed(children(at)) if made is None else (made,))


def _making_rows(call: Call) -> tuple[RowExpression, ...]:
    """The arguments that affect how many rows a table function makes."""
    name, arguments = call.operator.name, call.arguments
    if call.operator.udf is not None or not arguments:
        return (call,)
    if name in lengths.ONE_ROW:
        return ()
    if name in lengths.FIRST_ARGUMENT_SAYS:
        return arguments[:1]
    return _making_elements(arguments[0]) if name in lengths.ROW_FOR_EACH_ELEMENT else (call,)


def _making_elements(array: RowExpression) -> tuple[RowExpression, ...]:
    match array:
        case Cast(operand=operand):
            return _making_elements(operand)
        case Call(operator) if operator.udf is not None:
            return (array,)
        case Call(operator) if operator.name in lengths.ELEMENT_FOR_EACH_ARGUMENT:
            return ()
        case Call(operator, (first, *_)) if operator.name in lengths.AS_LONG_AS_FIRST_ARGUMENT:
            return _making_elements(first)
        case Call(operator, (condition, *results)) if operator.name == "if":
            return (condition, *(each for r in results for each in _making_elements(r)))
        case Case(branches, otherwise):
            results = [value for _, value in branches]
            results += [] if otherwise is None else [otherwise]
            made = (each for result in results for each in _making_elements(result))
            return (*(condition for condition, _ in branches), *made)
        case _:
            return (array,)


def _through(clause: Clause, columns: Iterable[Sources]) -> Found:
    return {Influence(clause, source): None for sources in columns for source in sources}


def _united(parts: Iterable[Found]) -> Found:
    return {influence: None for part in parts for influence in part}


def _expressions(keys: tuple[SortKey, ...]) -> tuple[RowExpression, ...]:
    return tuple(key.expression for key in keys)
