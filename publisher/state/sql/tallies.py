"""Stored counts of rows of each kind. Triggers of the database update them."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import select

from publisher.state.records import Figures, VersionStatus
from publisher.state.sql.connection import SqlConnection
from publisher.state.sql.tables import TALLY

_TALLIES = select(TALLY).order_by(TALLY.c.subject, TALLY.c.value)


class SqlTallies:
    def __init__(self, connection: SqlConnection) -> None:
        self._connection = connection

    def figures(self) -> Figures:
        found: dict[str, dict[str, int]] = {}
        for row in self._connection.execute(_TALLIES):
            if row.number:
                found.setdefault(row.subject, {})[row.value] = row.number
        versions = found.get("version", {})
        return Figures(
            relations=found.get("relation", {}),
            versions=versions.get(VersionStatus.PUBLISHED.value, 0),
            conflicts=versions.get(VersionStatus.CONFLICT.value, 0),
            work=_total(found.get("work", {})),
            dead_letters=_total(found.get("dead letter", {})),
        )


def _total(numbers: Mapping[str, int]) -> int:
    return sum(numbers.values())
