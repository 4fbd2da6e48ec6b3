"""Rules for joins that multiply rows, are slow, or mean something unintended."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from lakeschema.analysis import resolved as rs
from lakeschema.analysis.resolving.aggregates import aggregates
from lakeschema.analysis.rules.linking import (
    EQUALITIES,
    Leaves,
    components,
    conjuncts,
    linking_conditions,
    of_join,
)
from lakeschema.analysis.rules.names import called
from lakeschema.analysis.rules.subject import Finding, Subject
from lakeschema.analysis.walking import expressions_of, joins_of, operands
from lakeschema.translation.model.errors import Position
from lakeschema.translation.model.joins import JoinKind

_COMPARISONS: Final = frozenset(
    {"=", "<>", "<", "<=", ">", ">=", "like", "ilike", "rlike", "in", "between"}
)
_Key: TypeAlias = tuple[int, str, tuple[str, ...]]
_INNER: Final = frozenset({JoinKind.INNER, JoinKind.CROSS})


def cross_join(subject: Subject) -> Iterator[Finding]:
    """Finds relations that no condition connects, so that each row is joined to each row of the other.

    Sides with one row, with a few literal rows, or with elements of the other side's rows do not
    count.
    """
    for select in subject.selects:
        leaves = Leaves.of(select.source)
        if len(leaves.relations) < 2:
            continue
        links = [leaves.used(condition) for condition in linking_conditions(select)]
        groups = components(len(leaves.relations), links)
        if len(groups) < 2:
            continue
        groups = components(len(leaves.relations), (*links, *_lateral(leaves)))
        large = [
            group for group in groups if any(not _is_small(leaves.relations[n]) for n in group)
        ]
        for group in large[1:]:
            first, other = leaves.relations[min(large[0])], leaves.relations[min(group)]
            yield Finding(
                f"no condition connects {called(other)} with {called(first)}", _position(other)
            )


def _lateral(leaves: Leaves) -> Iterator[frozenset[int]]:
    for number, relation in enumerate(leaves.relations):
        if isinstance(relation, rs.Derived) and not relation.common:
            yield leaves.used_by_query(relation.query) | {number}


def _is_small(relation: rs.Relation) -> bool:
    """Whether the relation is certainly not a whole table."""
    if isinstance(relation, rs.Generated):
        return True
    if not isinstance(relation, rs.Derived):
        return False
    match relation.query:
        case rs.Rows():
            return True
        case rs.Select(limited=True) | rs.Select(source=None):
            return True
        case rs.Select(group_by=(), items=items):
            return any(isinstance(item, rs.Item) and aggregates(item.expression) for item in items)
        case rs.Combined(limited=limited):
            return limited
        case _:
            return False


def _position(relation: rs.Relation) -> Position | None:
    while isinstance(relation, rs.Renamed):
        relation = relation.relation
    return relation.position if isinstance(relation, rs.Scan) else None


def join_without_equality(subject: Subject) -> Iterator[Finding]:
    """Finds joins whose condition equates no columns of their two sides."""
    for select in subject.selects:
        leaves = Leaves.of(select.source)
        filters = _by_leaf(select.where, leaves)
        equated = _equated(select, leaves)
        for join in joins_of(select.source):
            conditions = list(of_join(join))
            if join.kind in _INNER:
                # Any condition across the join uses its smaller side.
                side = min(leaves.below(join.left), leaves.below(join.right), key=len)
                conditions += dict.fromkeys(each for leaf in side for each in filters.get(leaf, ()))
                if _is_connected(join, leaves, equated):
                    continue
            crossing = [each for each in conditions if _crosses(each, join, leaves)]
            if crossing and not any(_equates(each, join, leaves) for each in crossing):
                if isinstance(join.right, rs.Generated):
                    continue
                right = called(join.right)
                yield Finding(f"{right} is joined by no equality", _first_position(crossing))


def _equated(select: rs.Select, leaves: Leaves) -> Sequence[frozenset[int]]:
    """The relations in groups that equalities connect.

    Engines join the relations of a group one by one.
    """
    if len(leaves.relations) < 2:
        return ()
    links = [
        leaves.used(each)
        for each in linking_conditions(select)
        if isinstance(each, rs.Operation) and each.name in EQUALITIES
    ]
    return components(len(leaves.relations), links)


def _is_connected(join: rs.Joined, leaves: Leaves, groups: Iterable[frozenset[int]]) -> bool:
    left, right = leaves.below(join.left), leaves.below(join.right)
    side, other = sorted((left, right), key=len)
    return any(group & side and group & other for group in groups if not group.isdisjoint(side))


def _by_leaf(
    condition: rs.Expression | None, leaves: Leaves
) -> Mapping[int, Sequence[rs.Expression]]:
    """The conditions that use each relation. They are found once, as many joins have many conditions."""
    found: dict[int, list[rs.Expression]] = {}
    if len(leaves.relations) > 1:
        for each in conjuncts(condition):
            for leaf in leaves.used(each):
                found.setdefault(leaf, []).append(each)
    return found


def _crosses(condition: rs.Expression, join: rs.Joined, leaves: Leaves) -> bool:
    used = leaves.used(condition)
    return bool(used & leaves.below(join.left)) and bool(used & leaves.below(join.right))


def _equates(condition: rs.Expression, join: rs.Joined, leaves: Leaves) -> bool:
    # Nested queries, such as NOT IN, have their own plans.
    return isinstance(condition, rs.QueryUse) or bool(_equalities(condition, join, leaves))


def _equalities(
    condition: rs.Expression, join: rs.Joined, leaves: Leaves
) -> frozenset[frozenset[_Key]]:
    """The pairs that a condition equates, one from each side; for OR, the pairs in every branch."""
    if not isinstance(condition, rs.Operation):
        return frozenset()
    if condition.name == "or":
        branches = [
            frozenset().union(*(_equalities(part, join, leaves) for part in conjuncts(branch)))
            for branch in condition.operands
        ]
        return frozenset.intersection(*branches)
    if condition.name not in EQUALITIES:
        return frozenset()
    left, right = leaves.below(join.left), leaves.below(join.right)
    sides = [leaves.used(operand) for operand in condition.operands]
    # A name that may belong to either side counts for both sides.
    if not (any(side & left for side in sides) and any(side & right for side in sides)):
        return frozenset()
    return frozenset({frozenset(map(_key, condition.operands))})


def _key(expression: rs.Expression) -> _Key:
    if isinstance(expression, rs.ColumnUse):
        return (id(expression.relation), expression.column, expression.path)
    return (id(expression), "", ())


def computed_join_key(subject: Subject) -> Iterator[Finding]:
    """Finds equalities of joins with a side that is computed from a column."""
    for select in subject.selects:
        leaves = Leaves.of(select.source)
        for condition in linking_conditions(select):
            if not isinstance(condition, rs.Operation) or condition.name not in EQUALITIES:
                continue
            if len(leaves.used(condition)) < 2:
                continue
            for side in condition.operands:
                if isinstance(side, rs.Operation | rs.Choice) and leaves.used(side):
                    name = side.name if isinstance(side, rs.Operation) else "CASE"
                    yield Finding(
                        f"a key of the join is computed by {name}", _first_position([condition])
                    )


def outer_join_undone(subject: Subject) -> Iterator[Finding]:
    """Finds outer joins whose rows without a match are removed again by a comparison in WHERE."""
    for select in subject.selects:
        leaves = Leaves.of(select.source)
        padded: frozenset[int] = frozenset()
        for join in joins_of(select.source):
            if join.kind is JoinKind.LEFT:
                padded |= leaves.below(join.right)
            elif join.kind is JoinKind.RIGHT:
                padded |= leaves.below(join.left)
        if not padded:
            continue
        for condition in conjuncts(select.where):
            use = _compared(condition, padded, leaves)
            if use is not None:
                yield Finding(
                    f"WHERE drops the rows for which the outer join found no {use.column}",
                    use.position,
                )


def _compared(
    condition: rs.Expression, padded: frozenset[int], leaves: Leaves
) -> rs.ColumnUse | None:
    while isinstance(condition, rs.Operation) and condition.name == "not":
        condition = condition.operands[0]
    if not isinstance(condition, rs.Operation) or condition.name not in _COMPARISONS:
        return None
    for operand in condition.operands:
        if isinstance(operand, rs.ColumnUse) and leaves.below(operand.relation) & padded:
            return operand
    return None


def self_comparison(subject: Subject) -> Iterator[Finding]:
    """Finds a column compared with itself, probably by mistake."""
    for query in subject.queries:
        for _, expression in expressions_of(query):
            pending = [expression]
            while pending:
                at = pending.pop()
                pending += operands(at)
                match at:
                    case rs.Operation(
                        name, (rs.ColumnUse(a, first, p), rs.ColumnUse(b, second, q) as use)
                    ) if name in _COMPARISONS and a is b and (first, p) == (second, q):
                        yield Finding(f"{first} is compared with itself", use.position)
                    case _:
                        pass


def _first_position(conditions: list[rs.Expression]) -> Position | None:
    pending = list(reversed(conditions))
    while pending:
        at = pending.pop()
        if isinstance(at, rs.ColumnUse | rs.UnknownColumn | rs.Operation) and at.position:
            return at.position
        pending += reversed(operands(at))
    return None
