"""Learns from lines of a statement log: a limited process analyses them, and the results are stored."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from lakeschema.analysis.catalog import NO_CATALOGS, CatalogNames
from lakeschema.analysis.fillings_logged import (
    HANDLER,
    Learnt,
    StatedFilling,
    fillings_handler,
    learnt_from,
    question,
)
from lakeschema.analysis.limits import LIMITS
from lakeschema.isolation.limits import Limits
from lakeschema.isolation.process import LimitedProcess
from publisher.state.protocol import State, Transaction
from publisher.state.records import FilledColumn, FillingRecord

MAX_FILLINGS: Final = 100_000
"""The maximum number of fillings for all tables together; the newest fillings are kept."""

Known: TypeAlias = Mapping[str, Any]
"""Known relations by name, as ``checking.table_value`` makes them. Unchanged values are the same
objects."""


class Learner:
    """Learns from lines with one limited process. Only one thread may use it."""

    def __init__(
        self,
        state: State,
        known: Callable[[], Known],
        dialect: str,
        keep_seconds: float,
        limits: Limits = LIMITS,
        now: Callable[[], float] = time.time,
        catalogs: CatalogNames = NO_CATALOGS,
    ) -> None:
        """Starts no process yet.

        ``known`` may return more relations at each call. ``dialect`` is for statements that name no dialect.
        ``catalogs`` has the catalogs by their names in statements.
        """
        self._state = state
        self._known = known
        self._keep_seconds = keep_seconds
        self._now = now
        self._process = LimitedProcess({HANDLER: fillings_handler(dialect, catalogs)}, limits)
        self._told: Known = {}
        self._order = 0

    def learn(
        self, lines: bytes, ran_at: float | None = None, read_to: tuple[str, str] | None = None
    ) -> Learnt:
        """Stores the fillings of some lines; lines that were learnt before change nothing.

        Args:
            lines: JSON, one object a line, or an array of objects.
            ran_at: the time for statements that do not say when they ran; by default now.
            read_to: the name of a source and the position after the lines, which are stored in the
                same transaction.

        Raises:
            ProcessDied: the lines took more than the limits allow; nothing was learnt.
            StateUnavailable: nothing was written.
        """
        now = self._now()
        learnt = self._ask(lines, now if ran_at is None else min(ran_at, now))
        records = [record for stated in learnt.fillings for record in _records(stated)]

        def write(tx: Transaction) -> None:
            if records:
                tx.fillings.add(records)
                tx.fillings.forget_before(now - self._keep_seconds)
                tx.fillings.keep_newest(MAX_FILLINGS)
            if read_to is not None:
                tx.journal.save_position(*read_to)

        self._state.write(write)
        return learnt

    def save(self, read_to: tuple[str, str]) -> None:
        """Stores the position of a source. Raises ``StateUnavailable`` if nothing was written."""
        self._state.write(lambda tx: tx.journal.save_position(*read_to))

    def stop(self) -> None:
        self._process.stop()

    def _ask(self, lines: bytes, now: float) -> Learnt:
        if self._process.is_new:
            self._told = {}
        told, known = self._told, self._known()
        changed = {name: value for name, value in known.items() if told.get(name) is not value}
        removed = [name for name in told if name not in known]
        asked = question(changed, removed, lines, now, self._order)
        learnt = learnt_from(self._process.ask(HANDLER, asked))
        self._told, self._order = known, learnt.order
        return learnt


def _records(stated: StatedFilling) -> list[FillingRecord]:
    filling = stated.filling
    found = [
        FillingRecord(
            filling.target,
            source,
            stated.mark,
            stated.text,
            stated.user,
            tuple(
                FilledColumn(each.column, each.source_column, each.clause)
                for each in filling.columns
                if each.source == source
            ),
            stated.at,
            stated.at,
        )
        for source in filling.sources
    ]
    if filling.replaces:
        found.append(FillingRecord(filling.target, None, "", "", "", (), stated.at, stated.at))
    return found
