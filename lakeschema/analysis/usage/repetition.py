"""Ranks joins and grouped queries that statements repeat, by the work saved by computing them once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from lakeschema.analysis.usage.counting import Count


@dataclass(frozen=True, slots=True)
class Repeated:
    """A join or query that could be stored as a table.

    Attributes:
        cost: the cost of one run, which is the sum of its tables' sizes; an unknown size counts as
            1.
        builds: the days on which one of its tables was written, at least 1.
        saved: ``cost`` times the number of statements minus ``builds``.
    """

    fingerprint: str
    kind: str
    shape: str
    tables: tuple[str, ...]
    statements: int
    users: int
    last_day: str
    builds: int
    cost: float
    saved: float


def what_to_materialise(
    repeated: Iterable[Count],
    writes: Iterable[Count],
    sizes: Mapping[str, float],
    min_statements: int = 2,
) -> tuple[Repeated, ...]:
    """The queries whose storage saves most.

    Leaves out queries that only occur as parts of a larger query. ``repeated`` has counts by
    fingerprint, kind, shape and tables; ``writes`` has counts by relation and day. ``sizes`` are the
    tables' sizes in any one unit.
    """
    days: dict[str, set[str]] = {}
    for count in writes:
        days.setdefault(count.keys[0], set()).add(count.keys[1])
    found = [
        _repeated(count, days, sizes) for count in repeated if count.statements >= min_statements
    ]
    found = [each for each in found if each.saved > 0]
    found.sort(key=lambda each: (-each.saved, -len(each.shape), each.fingerprint))
    return tuple(_largest(found))


def _repeated(count: Count, days: Mapping[str, set[str]], sizes: Mapping[str, float]) -> Repeated:
    fingerprint, kind, shape, tables = count.keys
    read = tuple(tables.split(","))
    written = set[str]().union(*(days.get(table, ()) for table in read))
    builds = max(1, len(written))
    cost = sum(sizes.get(table, 1.0) for table in read)
    saved = cost * (count.statements - builds)
    return Repeated(
        fingerprint, kind, shape, read, count.statements, count.users, count.last_day,
        builds, cost, saved,
    )  # fmt: skip


def _largest(found: Iterable[Repeated]) -> Iterable[Repeated]:
    """The repeated queries, without parts of a larger query that is repeated just as often."""
    kept: dict[tuple[int, tuple[str, ...]], list[Repeated]] = {}
    for each in found:
        same = kept.setdefault((each.statements, each.tables), [])
        if not any(each.shape in other.shape for other in same):
            same.append(each)
            yield each
