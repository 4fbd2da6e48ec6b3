"""Counts statements, users and days for the rows of a log's tables.

The definitions of counts are data, so that one machine and Spark count alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from lakeschema.analysis.log import TABLES, Row
from lakeschema.analysis.resolved import Access
from lakeschema.analysis.usage.running import Ran


@dataclass(frozen=True, slots=True)
class Counted:
    """A count of ``table``'s rows by ``keys``: columns of the table, ``user`` and ``day``.

    Attributes:
        only: for a column, the only value that counts.
        without: for a column, a value that does not count.
        done: whether only statements that succeeded count.
    """

    table: str
    keys: tuple[str, ...]
    only: tuple[str, str] | None = None
    without: tuple[str, str] | None = None
    done: bool = False


@dataclass(frozen=True, slots=True, order=True)
class Count:
    """A count by ``keys``, as in ``Counted``. Days are empty if the log does not have them."""

    keys: tuple[str, ...]
    statements: int
    users: int
    first_day: str
    last_day: str


_READ: Final = ("access", Access.READ_DATA.value)
_WRITTEN: Final = ("access", Access.WRITE_DATA.value)
_COLUMNS: Final = ("target", "column", "source", "source_column", "kind")

COUNTED: Final[Mapping[str, Counted]] = MappingProxyType(
    {
        "table_usage": Counted("table_access", ("relation", "access", "user", "day")),
        "column_usage_by_clause": Counted("column_access", ("relation", "column", "clause")),
        "reads": Counted("table_access", ("relation",), only=_READ),
        "readers": Counted("table_access", ("relation", "user"), only=_READ),
        "writers": Counted("table_access", ("relation", "user"), only=_WRITTEN),
        "writes": Counted("table_access", ("relation", "day"), only=_WRITTEN, done=True),
        "column_readers": Counted(
            "column_access", ("relation", "column", "user"), without=("clause", "insert")
        ),
        "joined": Counted("joins", TABLES["joins"]),
        "flows": Counted("table_lineage", TABLES["table_lineage"], done=True),
        "column_flows": Counted("column_lineage", _COLUMNS, done=True),
        "repeated": Counted("sub_queries", TABLES["sub_queries"]),
    }
)
"""The counts that derived tables are made from, by name."""

Counts = Mapping[str, Sequence[Count]]
"""The counts, by the names in ``COUNTED``."""


@dataclass(slots=True)
class _Seen:
    statements: int = 0
    users: set[str] = field(default_factory=set)
    first_day: str = ""
    last_day: str = ""

    def add(self, ran: Ran) -> None:
        self.statements += 1
        self.users.add(ran.statement.user)
        if ran.day:
            self.first_day = min(self.first_day or ran.day, ran.day)
            self.last_day = max(self.last_day, ran.day)


class Tally:
    """Counts on one machine; a statement counts once for each of its keys."""

    def __init__(self) -> None:
        self._seen: dict[str, dict[tuple[str, ...], _Seen]] = {name: {} for name in COUNTED}

    def add(self, ran: Ran, rows: Iterable[tuple[str, Row]]) -> None:
        by_table: dict[str, list[dict[str, str]]] = {}
        for table, values in rows:
            named = dict(zip(TABLES[table], values, strict=True))
            named.update(user=ran.statement.user, day=ran.day)
            by_table.setdefault(table, []).append(named)
        for name, counted in COUNTED.items():
            if counted.done and not ran.statement.succeeded:
                continue
            for keys in {
                tuple(row[key] for key in counted.keys)
                for row in by_table.get(counted.table, ())
                if counts(counted, row)
            }:
                self._seen[name].setdefault(keys, _Seen()).add(ran)

    def counts(self) -> Counts:
        return {
            name: sorted(
                Count(keys, each.statements, len(each.users), each.first_day, each.last_day)
                for keys, each in seen.items()
            )
            for name, seen in self._seen.items()
        }


def counts(counted: Counted, row: Mapping[str, str]) -> bool:
    only, without = counted.only, counted.without
    return (only is None or row[only[0]] == only[1]) and (
        without is None or row[without[0]] != without[1]
    )
