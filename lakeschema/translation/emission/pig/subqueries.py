"""Turns sub-queries in a filter into joins, since Pig's expressions cannot read relations."""

from __future__ import annotations

from dataclasses import dataclass

from lakeschema.catalog.column_types import BIGINT, BOOLEAN
from lakeschema.translation.emission.pig.conjuncts import reads_outside, shifted, split, together
from lakeschema.translation.model.errors import UnsupportedConstruct
from lakeschema.translation.model.joins import JoinKind
from lakeschema.translation.plan.expressions import (
    AggregateCall,
    Call,
    ColumnReference,
    Exists,
    InSubquery,
    Literal,
    OuterReference,
    RowExpression,
    ScalarSubquery,
    asks,
    rebuild,
    subqueries,
)
from lakeschema.translation.plan.operators import NullClass, Operator
from lakeschema.translation.plan.relations import (
    Aggregate,
    Distinct,
    Filter,
    Join,
    Limit,
    Plan,
    Project,
    Sort,
    expressions,
    inputs,
    references,
)

_EQUAL = Operator("=", NullClass.TOTAL)
_NOT = Operator("not", NullClass.TOTAL)
_OR = Operator("or", NullClass.PARTIAL)
_IS_NULL = Operator("is null", NullClass.NEVER)
_COUNT = Operator("count", NullClass.NEVER)
_CORRELATED = "this kind of correlated sub-query for Pig"


@dataclass(frozen=True, slots=True)
class _Opened:
    """A sub-query as an uncorrelated plan, and the conditions that tie it to the outer query.

    Attributes:
        ties: conditions over the columns of the outer query, followed by the columns of the plan.
        items: the sub-query's columns, as expressions over these same columns.
    """

    plan: Plan
    ties: tuple[RowExpression, ...]
    items: tuple[RowExpression, ...]


def without_subqueries(plan: Plan) -> Plan:
    """A filter with sub-queries as joins and a plain filter; other nodes are unchanged."""
    if isinstance(plan, Project) and any(asks(e) for _, e in plan.items):
        return _of_project(plan)
    if not isinstance(plan, Filter) or not asks(plan.condition):
        return plan
    rows, width = plan.input, len(plan.input.columns)
    kept = [part for part in split(plan.condition) if not asks(part)]
    first = together(kept)
    rows = rows if first is None else Filter(rows, first)
    for part in split(plan.condition):
        if asks(part):
            rows = _filtered(rows, part, width)
    return rows


def _of_project(plan: Project) -> Project:
    rows: Plan = plan.input
    items = []
    for name, expression in plan.items:
        rows, changed = _with_scalars(rows, expression)
        items.append((name, changed))
    return Project(rows, tuple(items))


def _filtered(rows: Plan, part: RowExpression, width: int) -> Plan:
    match part:
        case Exists(plan):
            return _semi(rows, plan, JoinKind.SEMI)
        case Call(operator, (Exists(plan),)) if operator.name == "not":
            return _semi(rows, plan, JoinKind.ANTI)
        case InSubquery(operands, plan):
            return _semi(rows, plan, JoinKind.SEMI, operands)
        case Call(operator, (InSubquery(operands, plan),)) if operator.name == "not":
            return _not_in(rows, operands, plan)
        case _:
            joined, condition = _with_scalars(rows, part)
            columns = references(joined)[:width]
            return Project(Filter(joined, condition), tuple((c.name, c) for c in columns))


def _semi(rows: Plan, plan: Plan, kind: JoinKind, operands: tuple[RowExpression, ...] = ()) -> Plan:
    width = len(rows.columns)
    opened = _opened(plan, width)
    equal = tuple(
        Call(_EQUAL, (one, other), BOOLEAN, nullable=True)
        for one, other in zip(operands, opened.items, strict=False)
    )
    return Join(rows, opened.plan, kind, together((*equal, *opened.ties)))


def _not_in(rows: Plan, operands: tuple[RowExpression, ...], plan: Plan) -> Plan:
    """The rows that NOT IN keeps.

    It keeps no row if the sub-query returns a null, and all rows if the sub-query returns no rows.
    """
    if len(operands) != 1 or reads_outside(all_expressions(plan)):
        raise UnsupportedConstruct(_CORRELATED)
    width = len(rows.columns)
    calls = (
        ("all_rows", AggregateCall(_COUNT, (), BIGINT, nullable=False)),
        ("known_rows", AggregateCall(_COUNT, (references(plan)[0],), BIGINT, nullable=False)),
    )
    counted = Join(
        _semi(rows, plan, JoinKind.ANTI, operands), Aggregate(plan, (), calls), JoinKind.CROSS
    )
    all_rows, known_rows = references(counted)[width:]
    none = Call(_EQUAL, (all_rows, Literal("0", BIGINT)), BOOLEAN, nullable=False)
    known = Call(_EQUAL, (all_rows, known_rows), BOOLEAN, nullable=False)
    is_null = Call(_IS_NULL, operands, BOOLEAN, nullable=False)
    sure = together((known, Call(_NOT, (is_null,), BOOLEAN, nullable=False)))
    assert sure is not None
    kept = Filter(counted, Call(_OR, (none, sure), BOOLEAN, nullable=False))
    return Project(kept, tuple((c.name, c) for c in references(kept)[:width]))


def _with_scalars(rows: Plan, expression: RowExpression) -> tuple[Plan, RowExpression]:
    """The rows with a column for each scalar sub-query, and the expression that reads these columns."""
    found = rows

    def change(part: RowExpression) -> RowExpression:
        nonlocal found
        if isinstance(part, ScalarSubquery):
            found = _with_scalar(found, part.plan)
            return references(found)[-1]
        if isinstance(part, (Exists, InSubquery)):
            raise UnsupportedConstruct(
                "EXISTS or IN of a sub-query inside another condition for Pig"
            )
        return rebuild(part, change)

    changed = change(expression)
    return found, changed


def _with_scalar(rows: Plan, plan: Plan) -> Plan:
    if reads_outside(all_expressions(plan)):
        raise UnsupportedConstruct(_CORRELATED)
    if not _is_one_row(plan):
        raise UnsupportedConstruct("a scalar sub-query that may have many rows for Pig")
    return Join(rows, plan, JoinKind.LEFT)


def _is_one_row(plan: Plan) -> bool:
    match plan:
        case Project(input=below) | Filter(input=below) | Sort(input=below):
            return _is_one_row(below)
        case Aggregate(keys=keys, sets=sets):
            return not keys and sets is None
        case Limit(limit=Literal(value)):
            return value in {"0", "1"}
        case _:
            return False


def _opened(plan: Plan, width: int) -> _Opened:
    """The opened sub-query.

    Raises ``UnsupportedConstruct`` if it reads the outer query except in its top filters.
    """
    match plan:
        case Project(below, items):
            inner = _opened(below, width)
            return _Opened(
                inner.plan, inner.ties, tuple(_over(e, inner.items, width) for _, e in items)
            )
        case Filter(below, condition) if reads_outside((condition,)):
            inner = _opened(below, width)
            parts = split(condition)
            own = [part for part in parts if not reads_outside((part,))]
            tied = tuple(_over(p, inner.items, width) for p in parts if reads_outside((p,)))
            if any(asks(part) for part in parts):
                raise UnsupportedConstruct(_CORRELATED)
            condition_left = together([_over(part, inner.items, width) for part in own])
            rest = inner.plan
            if condition_left is not None:
                rest = Filter(rest, shifted(condition_left, -width))
            return _Opened(rest, (*inner.ties, *tied), inner.items)
        case Distinct(below) | Sort(below) if reads_outside(all_expressions(below)):
            return _opened(below, width)
        case _ if reads_outside(all_expressions(plan)):
            raise UnsupportedConstruct(_CORRELATED)
        case _:
            return _Opened(plan, (), tuple(shifted(c, width) for c in references(plan)))


def _over(expression: RowExpression, items: tuple[RowExpression, ...], width: int) -> RowExpression:
    """An expression of the sub-query over both sides' columns."""
    match expression:
        case ColumnReference(index=index):
            return items[index]
        case OuterReference(level, index, name, type_, nullable):
            if level != 1 or index >= width:
                raise UnsupportedConstruct(_CORRELATED)
            return ColumnReference(index, name, type_, nullable)
        case _:
            return rebuild(expression, lambda part: _over(part, items, width))


def all_expressions(plan: Plan) -> tuple[RowExpression, ...]:
    """The expressions of the plan, of all plans below, and of their sub-queries."""
    found = list(expressions(plan))
    for asked in list(subqueries(found)):
        found += all_expressions(asked.plan)
    for below in inputs(plan):
        found += all_expressions(below)
    return tuple(found)
