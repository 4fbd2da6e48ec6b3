"""Advises on tables' file layout, from the columns in filters, joins, groups and orders.

Uber's Queryparser took the most frequent GROUP BY columns as shard keys, and the most frequent ORDER
BY columns as order keys. Check the number of a column's values before you follow the advice: it is
not known here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final

from lakeschema.analysis.catalog import KnownTable
from lakeschema.analysis.usage.counting import Count
from lakeschema.catalog.identifiers import RelationName

MIN_SHARE: Final = 0.2
"""The least share of a table's statements that must use a column for advice on it."""
_MOST: Final = 3


class Layout(Enum):
    PARTITION_BY = "partition by"
    BUCKET_BY = "bucket by"
    SORT_BY = "sort by"
    UNUSED_PARTITIONS = "partitions not used"


_CLAUSES: Final[Mapping[Layout, frozenset[str]]] = {
    Layout.PARTITION_BY: frozenset({"where"}),
    Layout.BUCKET_BY: frozenset({"join", "group by", "partition by"}),
    Layout.SORT_BY: frozenset({"order by"}),
}


@dataclass(frozen=True, slots=True)
class Advice:
    """Advice on one column: ``statements`` of the table's ``reads`` use it in a relevant clause.

    ``statements`` counts only the most frequent clause, so it may be too low.
    """

    relation: str
    layout: str
    column: str
    statements: int
    reads: int


def layout_advice(
    usage: Iterable[Count],
    reads: Iterable[Count],
    known: Mapping[RelationName, KnownTable],
    min_share: float = MIN_SHARE,
) -> tuple[Advice, ...]:
    """The columns of each layout for tables that are read, the most used first.

    ``usage`` is counted by relation, column and clause; ``reads`` by relation.
    """
    read = {count.keys[0]: count.statements for count in reads}
    tables = {str(name): table for name, table in known.items()}
    used: dict[str, list[Count]] = {}
    for count in usage:
        used.setdefault(count.keys[0], []).append(count)
    found: list[Advice] = []
    for relation, total in read.items():
        table = tables.get(relation)
        if table is not None and table.is_view:
            continue
        partitions = () if table is None else tuple(map(str.lower, table.partitions))
        counts = used.get(relation, [])
        for layout, clauses in _CLAUSES.items():
            # Hive and Spark neither bucket nor sort by a partition column.
            for column, statements in _most_used(counts, clauses, partitions):
                if statements >= min_share * total:
                    found.append(Advice(relation, layout.value, column, statements, total))
        filtered = dict(_by_column(counts, frozenset({"where", "join"})))
        unused = [name for name in partitions if filtered.get(name, 0) < min_share * total]
        found += (
            Advice(relation, Layout.UNUSED_PARTITIONS.value, name, filtered.get(name, 0), total)
            for name in unused
        )
    return tuple(found)


def _most_used(
    counts: Iterable[Count], clauses: frozenset[str], but: Collection[str]
) -> list[tuple[str, int]]:
    used = [each for each in _by_column(counts, clauses) if each[0] not in but]
    return sorted(used, key=lambda each: (-each[1], each[0]))[:_MOST]


def _by_column(counts: Iterable[Count], clauses: frozenset[str]) -> list[tuple[str, int]]:
    """The number of statements by column, in the column's most frequent clause.

    A sum over clauses could count a statement twice.
    """
    found: dict[str, int] = {}
    for count in counts:
        _, column, clause = count.keys
        if clause in clauses and column != "*":
            found[column] = max(found.get(column, 0), count.statements)
    return list(found.items())
