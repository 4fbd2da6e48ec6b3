"""Rules for partitioned tables that are read as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from lakeschema.analysis import resolved as rs
from lakeschema.analysis.rules.linking import conjuncts, of_join
from lakeschema.analysis.rules.subject import Finding, Subject
from lakeschema.analysis.walking import expressions_of, joins_of, operands, relations_of
from lakeschema.catalog.identifiers import RelationName


def missing_partition_filter(subject: Subject) -> Iterator[Finding]:
    """Finds reads of a partitioned table that no condition on a partition column restricts.

    A condition of an outer query counts, since engines push it down. A comparison with a column of
    another table counts, because engines prune partitions at run time. Such a comparison does not
    count if the other table is read as a whole. A query of only partition columns reads no data.
    """
    found = _Partitioned(subject)
    if not found.columns:
        return
    restricted = found.restricted()
    for scan in found.scans.values():
        if id(scan) not in restricted and not found.reads_only_partitions(scan):
            columns = ", ".join(found.columns[id(scan)])
            yield Finding(
                f"no condition restricts the partitions of {scan.source} ({columns})",
                scan.position,
            )


@dataclass(eq=False)
class _Partitioned:
    subject: Subject
    scans: dict[int, rs.Scan] = field(default_factory=dict)
    columns: dict[int, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for select in self.subject.selects:
            for relation in relations_of(select.source):
                if isinstance(relation, rs.Scan) and isinstance(relation.source, RelationName):
                    known = self.subject.catalog.known(relation.source)
                    if known is not None and known.partitions:
                        self.scans[id(relation)] = relation
                        self.columns[id(relation)] = tuple(n.lower() for n in known.partitions)

    def restricted(self) -> set[int]:
        """The ids of the reads that a condition restricts."""
        found: set[int] = set()
        pairs: list[set[int]] = []
        for condition in self._conditions():
            for one in self._restricting(condition):
                if len(one) == 1:
                    found |= one
                elif one:
                    pairs.append(one)
        for _ in pairs:
            for pair in pairs:
                if pair & found:
                    found |= pair
        return found

    def _conditions(self) -> Iterator[rs.Expression]:
        for select in self.subject.selects:
            yield from conjuncts(select.where)
            for join in joins_of(select.source):
                yield from of_join(join)
        for write in self.subject.resolved.writes:
            for _, condition in write.conditions:
                yield from conjuncts(condition)

    def _restricting(self, condition: rs.Expression) -> list[set[int]]:
        """Sets of reads whose partition columns a condition compares.

        The condition compares the reads in one set with each other.
        """
        if isinstance(condition, rs.Operation) and condition.name == "or":
            branches = [
                set().union(*(one for part in conjuncts(each) for one in self._restricting(part)))
                for each in condition.operands
            ]
            return [{each} for each in set.intersection(*branches)] if branches else []
        if isinstance(condition, rs.Operation) and condition.name in {"is null", "not"}:
            inner = condition.operands[0]
            if condition.name == "is null" or _is_null_test(inner):
                return []
        sides = operands(condition) if isinstance(condition, rs.Operation) else (condition,)
        compared = [found for side in sides if (found := self._partitions_in(side))]
        if len(compared) > 1:
            return [set().union(*compared)]
        # For a union's column, each branch is restricted separately.
        return [{scan} for found in compared for scan in found]

    def _partitions_in(self, expression: rs.Expression) -> set[int]:
        return {
            scan
            for scan, column in self._origins(expression)
            if column in self.columns.get(scan, ())
        }

    def _origins(self, expression: rs.Expression) -> Iterator[tuple[int, str]]:
        """The table columns that an expression comes from, through sub-queries."""
        pending: list[rs.Expression] = [expression]
        seen: set[tuple[int, str]] = set()
        while pending:
            at = pending.pop()
            match at:
                case rs.ColumnUse(relation, column):
                    if (id(relation), column) in seen:
                        continue
                    seen.add((id(relation), column))
                    if isinstance(relation, rs.Scan):
                        yield id(relation), column
                    else:
                        pending += self._behind(relation, column)
                case rs.UnknownColumn(readings=readings):
                    pending += readings
                case rs.Windowed():
                    pass
                case _:
                    pending += operands(at)

    def _behind(self, relation: rs.Relation, column: str) -> list[rs.Expression]:
        shapes = self.subject.shapes
        position = shapes.of(relation).positions.get(column)
        if isinstance(relation, rs.Renamed) and position is not None:
            names = shapes.of(relation.relation).names
            inner = names[position].lower() if position < len(names) else column
            return [rs.ColumnUse(relation.relation, inner)]
        if isinstance(relation, rs.Joined):
            return [
                rs.ColumnUse(each, column)
                for each in relations_of(relation)
                if shapes.of(each).has(column)
            ]
        if isinstance(relation, rs.Derived) and position is not None:
            return list(_at(relation.query, position))
        return []

    def reads_only_partitions(self, scan: rs.Scan) -> bool:
        used: set[str] = set()
        for query in self.subject.queries:
            for _, expression in expressions_of(query):
                pending = [expression]
                while pending:
                    at = pending.pop()
                    if isinstance(at, rs.WholeRows) and scan in at.relations:
                        return False
                    if isinstance(at, rs.ColumnUse) and at.relation is scan:
                        used.add(at.column)
                    pending += operands(at)
            if isinstance(query, rs.Select) and any(
                isinstance(item, rs.OpenStar) and item.relation is scan for item in query.items
            ):
                return False
        return bool(used) and used <= set(self.columns[id(scan)])


def _is_null_test(expression: rs.Expression) -> bool:
    return isinstance(expression, rs.Operation) and expression.name == "is null"


def _at(query: rs.Query | None, position: int) -> Iterator[rs.Expression]:
    """The expressions of a query's column, in each of its branches."""
    pending = [query]
    seen: set[int] = set()
    while pending:
        at = pending.pop()
        if at is None or id(at) in seen:
            continue
        seen.add(id(at))
        if isinstance(at, rs.Combined):
            pending += at.branches
        elif isinstance(at, rs.Recursive):
            pending.append(at.query)
        elif isinstance(at, rs.Select):
            values = [item.expression for item in at.items if isinstance(item, rs.Item)]
            if position < len(values):
                yield values[position]
