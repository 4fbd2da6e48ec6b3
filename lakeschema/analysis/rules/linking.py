"""Finds which relations of one FROM are connected by conditions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from lakeschema.analysis import resolved as rs
from lakeschema.analysis.walking import (
    expressions_of,
    inner_first,
    joins_of,
    operands,
    queries_inside,
)

EQUALITIES: Final = frozenset({"=", "<=>"})


def conjuncts(condition: rs.Expression | None) -> Iterator[rs.Expression]:
    """The conditions that must all be true."""
    pending = [] if condition is None else [condition]
    while pending:
        at = pending.pop()
        if isinstance(at, rs.Operation) and at.name == "and":
            pending += reversed(at.operands)
        else:
            yield at


@dataclass(slots=True)
class Leaves:
    """The relations of a FROM that are not joins, numbered from left to right."""

    relations: list[rs.Relation] = field(default_factory=list)
    _of: dict[int, frozenset[int]] = field(default_factory=dict)

    @classmethod
    def of(cls, source: rs.Relation | None) -> Leaves:
        found = cls()
        if source is not None:
            found._add(source)
        return found

    def _add(self, root: rs.Relation) -> None:
        """Adds all relations under ``root``, without recursion: long chains of joins nest deeply."""
        pending = [(root, False)]
        while pending:
            relation, is_done = pending.pop()
            match relation:
                case rs.Joined(left, right) if is_done:
                    self._of[id(relation)] = self._of[id(left)] | self._of[id(right)]
                case rs.Joined(left, right):
                    pending += ((relation, True), (right, False), (left, False))
                case rs.Renamed(inner) if is_done:
                    self._of[id(relation)] = self._of[id(inner)]
                case rs.Renamed(inner):
                    pending += ((relation, True), (inner, False))
                case _:
                    self._of[id(relation)] = frozenset({len(self.relations)})
                    self.relations.append(relation)

    def below(self, relation: rs.Relation) -> frozenset[int]:
        """The leaves below a relation; empty for a relation of another FROM."""
        return self._of.get(id(relation), frozenset())

    def used(self, expression: rs.Expression) -> frozenset[int]:
        """The leaves whose columns an expression uses, including nested queries."""
        return frozenset().union(*(self._used_by(each) for each in _deep(expression)))

    def _used_by(self, at: rs.Expression) -> frozenset[int]:
        match at:
            case rs.ColumnUse(relation):
                return self.below(relation)
            case rs.UnknownColumn(readings=readings):
                return frozenset().union(*(self.below(each.relation) for each in readings))
            case _:
                return frozenset()

    def used_by_query(self, query: rs.Query) -> frozenset[int]:
        """The leaves that a lateral query uses."""
        found: frozenset[int] = frozenset()
        for inner in inner_first((query,)):
            for _, expression in expressions_of(inner):
                for at in _flat(expression):
                    found |= self._used_by(at)
        return found


def _flat(expression: rs.Expression) -> Iterator[rs.Expression]:
    pending = [expression]
    while pending:
        at = pending.pop()
        yield at
        pending += operands(at)


def _deep(expression: rs.Expression) -> Iterator[rs.Expression]:
    yield from _flat(expression)
    for query in inner_first(queries_inside(expression)):
        for _, inner in expressions_of(query):
            yield from _flat(inner)


def linking_conditions(select: rs.Select) -> Iterator[rs.Expression]:
    """All conditions that connect rows of different relations, split at AND."""
    yield from conjuncts(select.where)
    for join in joins_of(select.source):
        yield from of_join(join)


def of_join(join: rs.Joined) -> Iterator[rs.Expression]:
    yield from conjuncts(join.condition)
    for left, right in join.equal:
        yield rs.Operation("=", (left, right))


def components(count: int, links: Iterable[frozenset[int]]) -> list[frozenset[int]]:
    """The numbers below ``count`` in connected groups, ordered by their least number."""
    group = list(range(count))

    def root(number: int) -> int:
        while group[number] != number:
            group[number] = group[group[number]]
            number = group[number]
        return number

    for link in links:
        roots = sorted({root(number) for number in link})
        for other in roots[1:]:
            group[other] = roots[0]
    found: dict[int, set[int]] = {}
    for number in range(count):
        found.setdefault(root(number), set()).add(number)
    return [frozenset(numbers) for numbers in found.values()]
