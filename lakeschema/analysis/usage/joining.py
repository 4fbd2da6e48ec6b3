"""Finds clusters of tables that are often joined: candidates for a combined table.

Uber's Queryparser replaced clusters of joined tables by one dimensional table.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lakeschema.analysis.usage.counting import Count


@dataclass(frozen=True, slots=True)
class JoinedTables:
    """Two tables of a cluster, and the columns that compare them.

    Attributes:
        cluster: the connected component's number; 1 has the most statements.
        tables: the number of tables in the whole cluster.
        on: ``column = column`` for each pair of compared columns, the most frequent first; the
            statements may use another comparison.
        statements: the number of statements that compare the most frequent pair of columns.
        users: the number of users that compare this pair.
    """

    cluster: int
    tables: int
    relation: str
    other_relation: str
    on: tuple[str, ...]
    statements: int
    users: int
    last_day: str


def join_clusters(joined: Iterable[Count], min_statements: int = 1) -> tuple[JoinedTables, ...]:
    """The pairs of tables in each cluster.

    Column pairs with fewer than ``min_statements`` connect nothing.

    ``joined`` are counted by relation, column, other relation, other column.
    """
    pairs: dict[tuple[str, str], list[Count]] = {}
    for count in joined:
        relation, _, other, _ = count.keys
        if count.statements >= min_statements:
            pairs.setdefault((relation, other), []).append(count)
    clusters = _components(pairs)
    weight: dict[str, int] = {}
    for (relation, _), counts in pairs.items():
        cluster = clusters[relation]
        weight[cluster] = weight.get(cluster, 0) + max(count.statements for count in counts)
    ranked = sorted(weight, key=lambda cluster: (-weight[cluster], cluster))
    numbers = {cluster: number for number, cluster in enumerate(ranked, 1)}
    sizes = {cluster: sum(each == cluster for each in clusters.values()) for cluster in numbers}
    found = [
        _pair(numbers[clusters[pair[0]]], sizes[clusters[pair[0]]], pair, counts)
        for pair, counts in pairs.items()
    ]
    return tuple(sorted(found, key=lambda each: (each.cluster, -each.statements, each.relation)))


def _pair(cluster: int, tables: int, pair: tuple[str, str], counts: list[Count]) -> JoinedTables:
    ordered = sorted(counts, key=lambda count: (-count.statements, count.keys))
    return JoinedTables(
        cluster,
        tables,
        *pair,
        tuple(f"{count.keys[1]} = {count.keys[3]}" for count in ordered),
        ordered[0].statements,
        ordered[0].users,
        max(count.last_day for count in counts),
    )


def _components(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The first name in the connected component of each table."""
    parents: dict[str, str] = {}

    def root(name: str) -> str:
        parents.setdefault(name, name)
        while parents[name] != name:
            parents[name] = parents[parents[name]]
            name = parents[name]
        return name

    for first, second in pairs:
        low, high = sorted((root(first), root(second)))
        parents[high] = low
    return {name: root(name) for name in parents}
