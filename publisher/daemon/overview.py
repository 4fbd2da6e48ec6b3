"""Reads the data of the operators' start page: sources, snapshots, publications, held changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from publisher.daemon.engine import Engine
from publisher.daemon.noted import Noted
from publisher.outages import event_source
from publisher.publishing.index_comparison import release_of
from publisher.state.protocol import Transaction
from publisher.state.records import NamespaceFigures, PublishedVersion
from publisher.web.listing import CatalogueFigures
from publisher.web.overview import Held, Overview, SnapshotLine, SourceLine
from publisher.web.shared_answer import SharedAnswer

SHOWN_HOURS: Final = 48
_LATEST: Final = 10
_HOUR_SECONDS: Final = 3600.0
_MINUTE_SECONDS: Final = 60.0


@dataclass(frozen=True, slots=True)
class _Stored:
    hours: Mapping[int, int]
    latest: Sequence[PublishedVersion]
    notes: Mapping[str, str]


class OverviewReader:
    """Reads the overview. Safe for threads; readers share the figures that take long for a large state."""

    def __init__(
        self,
        engine: Engine,
        generation: Callable[[], int],
        sources: Sequence[str],
        catalogs: Mapping[str, str],
        snapshot_interval_seconds: float,
    ) -> None:
        """Prepares the shared figures; the first reader computes them.

        Args:
            engine: the engine to describe.
            generation: returns a number that changes with every write to the state.
            sources: the names of event sources.
            catalogs: the displayed name of each catalog, by its name in keys.
            snapshot_interval_seconds: the time between two snapshots.
        """
        self._engine = engine
        self._sources = sources
        self._catalogs = catalogs
        self._interval_seconds = snapshot_interval_seconds
        self._generation = generation
        self._namespaces = SharedAnswer(self._read_namespaces, version=generation)
        self._stored = SharedAnswer(
            lambda: engine.runtime.state.read(self._read), version=self._generation_and_minute
        )

    def catalogue(self) -> CatalogueFigures:
        return CatalogueFigures(self._namespaces(), self._catalogs)

    def read(self) -> Overview:
        runtime = self._engine.runtime
        stored = self._stored()
        return Overview(
            now=runtime.clock.wall(),
            catalogue=self.catalogue(),
            sources=tuple(self._source_lines()),
            snapshot=self._snapshot(),
            hours=tuple(stored.hours.get(hour, 0) for hour in range(SHOWN_HOURS)),
            latest=tuple(stored.latest),
            held=tuple(_held(Noted.read(stored.notes))),
            outages=tuple(runtime.outages.recent()),
        )

    def _generation_and_minute(self) -> tuple[int, int]:
        """The version of the shared figures. It has the minute, because the chart shows the last hours."""
        return self._generation(), int(self._engine.runtime.clock.wall() // _MINUTE_SECONDS)

    def _read_namespaces(self) -> Sequence[NamespaceFigures]:
        return self._engine.runtime.state.read(lambda tx: tx.catalogue.namespaces())

    def _read(self, tx: Transaction) -> _Stored:
        now = self._engine.runtime.clock.wall()
        since = now - SHOWN_HOURS * _HOUR_SECONDS
        return _Stored(
            tx.versions.published_by_hour(since, now),
            tx.versions.latest(_LATEST),
            tx.journal.notes("@"),
        )

    def _source_lines(self) -> Iterator[SourceLine]:
        runtime = self._engine.runtime
        lags, behind = runtime.source_lag.seconds(runtime.clock.now()), runtime.source_lag.behind()
        failing = runtime.outages.failing()
        for name in self._sources:
            trouble = failing.get(event_source(name), "")
            yield SourceLine(name, lags.get(name), behind.get(name), trouble)

    def _snapshot(self) -> SnapshotLine:
        ended_ago = self._engine.seconds_since_snapshot()
        return SnapshotLine(
            self._engine.snapshot_is_running(),
            ended_ago,
            self._engine.last_snapshot_seconds(),
            None if ended_ago is None else max(0.0, self._interval_seconds - ended_ago),
        )


def _held(noted: Noted) -> Iterator[Held]:
    for deletion in noted.held_deletions:
        where = f"deletions in {deletion.namespace}" if deletion.namespace else "deletions"
        command = "" if deletion.is_confirmed else deletion.confirming_command
        yield Held(where, deletion.reason, command)
    for why in noted.held_changes.values():
        yield Held("new versions", why, "schema-publisher confirm-changes" if why else "")
    for index in noted.compared_indexes:
        for why in index.held:
            yield Held("uploads", why, release_of(why))
