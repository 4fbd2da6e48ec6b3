"""Runs one full pass over the catalog, from settings: on Spark, or in this process.

On Spark, executors read and derive. Results are stored by the hash of their inputs. Each relation
that differs becomes work for workers, in this process or in a running daemon: they read it again and
publish.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass

from lakeschema.catalog.errors import MalformedDdl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Catalog
from lakeschema.spark.values import (
    Baseline,
    MetastoreAccess,
    PartitionTask,
    Result,
    SnapshotResult,
    undecorated,
)
from lakeschema.translation.deriving.upstream_first import derive_catalog
from lakeschema.translation.model.interface import Options
from publisher.commands.progress_bar import TerminalProgress
from publisher.commands.termination import exit_on_sigterm, note_sigterm
from publisher.daemon.adapters import (
    build_deriver,
    build_index,
    build_limits,
    build_options,
    build_processes,
    open_catalog,
    unapplied_statements,
)
from publisher.daemon.assembly import build_engine, build_state
from publisher.daemon.draining import PATIENCE_SECONDS, Draining
from publisher.daemon.engine import Engine
from publisher.daemon.notification_adapters import build_notifier
from publisher.daemon.runner_choice import choose_runner
from publisher.runtime import Clock, SystemClock
from publisher.settings import HiveCatalogSettings, Runner, RunnerChoice, Settings
from publisher.settling.comparison import Comparison, KnownCatalog, LeasedWrite
from publisher.state.opening import state_exists
from publisher.state.places import place_of
from publisher.state.protocol import State
from publisher.state.records import MemoEntry, RelationRecord, WorkRecord

_SYSTEM_CLOCK = SystemClock()
_NOTIFYING_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class OnExecutors:
    """The work of Spark's executors: derived relations, and the number of waves."""

    derived: int
    waves: int


@dataclass(frozen=True, slots=True)
class SnapshotOutcome:
    """The result of a full pass.

    Attributes:
        held: deletions that wait for a person, by namespace ("" for the whole catalog).
        on_executors: the work of Spark's executors; None if the pass did not run on Spark.
        seconds: the duration of each step.
        counters: the counters of this process.
        undone: work that kept failing or was interrupted.
        held_changes: why new versions without a changed relation wait, or "".
        unapplied: statements of a DDL folder that could not be read or applied.
    """

    runner: Runner
    listed: int
    differing: int
    missing: int
    held: Mapping[str, str]
    on_executors: OnExecutors | None
    seconds: Mapping[str, float]
    counters: Mapping[str, int]
    undone: Sequence[WorkRecord] = ()
    held_changes: str = ""
    unapplied: Sequence[MalformedDdl] = ()


@dataclass(frozen=True, slots=True)
class DryRun:
    """The findings of a full pass that writes nothing; ``errors`` says why relations cannot be derived."""

    listed: int
    differing: Sequence[RelationName]
    missing: Sequence[RelationName]
    errors: Mapping[RelationName, str]


def run_snapshot(
    settings: Settings, choice: RunnerChoice, *, publish: bool = True
) -> SnapshotOutcome:
    """Runs a full pass; SIGTERM ends it early.

    Args:
        settings: the deployment's settings.
        choice: where relations are read and derived.
        publish: whether to process the differences here before it returns.

    Raises:
        CatalogUnavailable: the catalog could not be read; the state has no new facts.
        SnapshotBusy: another snapshot of this catalog runs.
        SparkMissing: Spark is requested and not installed.
        SystemExit: SIGTERM came during the comparison; the state has no new facts.
    """
    options = build_options(settings)
    with (
        open_catalog(settings) as catalog,
        closing(build_state(settings)) as state,
        build_processes(settings) as processes,
    ):
        engine = build_engine(settings, state, catalog, build_index(settings), processes)
        runner = choose_runner(choice, settings, catalog)
        on_spark = (
            SparkComparison(settings, state, catalog, options, clock=engine.runtime.clock)
            if runner == "spark"
            else None
        )
        with exit_on_sigterm():
            found = engine.compare_catalog(on_spark)
        result = on_spark.result if on_spark is not None else None
        seconds = {k: round(v, 3) for k, v in result.seconds.items()} if result else {}
        undone: Sequence[WorkRecord] = ()
        if publish:
            start = time.perf_counter()
            with note_sigterm() as terminated:
                undone = _publish(engine, terminated.is_set)
            seconds["publish"] = round(time.perf_counter() - start, 3)
            if not terminated.is_set():
                build_notifier(settings, engine.runtime, catalog).send_due(_NOTIFYING_SECONDS)
        return SnapshotOutcome(
            runner,
            found.listed,
            found.differing,
            found.missing,
            found.held,
            OnExecutors(result.derived, result.waves) if result else None,
            seconds,
            engine.counters.values(),
            undone,
            found.held_changes,
            unapplied_statements(catalog),
        )


def _publish(engine: Engine, is_stopping: Callable[[], bool]) -> Sequence[WorkRecord]:
    """Processes the differences, then the gaps in the index; returns the unfinished work.

    The differences come first, because a confirmation of deletions or changes is only valid for
    some time.
    """
    with TerminalProgress() as progress:
        undone = Draining(engine, progress=progress).run(is_stopping)
        if is_stopping():
            return undone
        engine.compare_index()
        # If work has failed so far, the gaps do not wait for it again.
        patience = 0.0 if undone else PATIENCE_SECONDS
        return Draining(engine, patience, progress).run(is_stopping)


def dry_run(settings: Settings) -> DryRun:
    """Derives everything and writes nothing.

    Raises:
        CatalogUnavailable: the catalog could not be read.
    """
    with open_catalog(settings) as catalog, build_processes(settings) as processes:
        deriver = build_deriver(settings, processes)
        with TerminalProgress() as progress:
            everything = derive_catalog(catalog, deriver, progress)
    records: Mapping[RelationName, RelationRecord] = {}
    if state_exists(place_of(settings.state)):
        with closing(build_state(settings)) as state:
            records = state.read(lambda tx: tx.graph.every_record())
    differing = [
        name
        for name, derivation in sorted(everything.derivations.items())
        if name not in records
        or records[name].visible_hash != deriver.interface_hash(derivation.interface)
    ]
    missing = [name for name in sorted(records) if name not in everything.relations]
    errors = {name: failed.reason for name, failed in sorted(everything.failures.items())}
    return DryRun(len(everything.relations), differing, missing, errors)


class SparkComparison:
    """Compares on Spark, and stores results for the derivations after it.

    ``result`` is set at the end.
    """

    def __init__(
        self,
        settings: Settings,
        state: State,
        catalog: Catalog,
        options: Options,
        decorate: Callable[[PartitionTask], PartitionTask] = undecorated,
        clock: Clock = _SYSTEM_CLOCK,
    ) -> None:
        """Starts nothing yet. ``decorate`` wraps each executor's task; tests use it to make tasks fail."""
        self._clock = clock
        self._decorate = decorate
        self._settings = settings
        self._state = state
        self._catalog = catalog
        self._options = options
        self.result: SnapshotResult | None = None

    def __call__(self, known: KnownCatalog, write: LeasedWrite) -> Comparison:
        # PySpark is an extra, and slow to import.
        from lakeschema.spark.session import spark_session

        catalog = self._settings.default_catalog
        snapshot = self._settings.snapshot
        session = spark_session(snapshot.conf, tasks=snapshot.tasks)
        # This is imported late: without the extra, ``spark_session`` raises a helpful error first.
        from lakeschema.spark.snapshot import Cluster, run_job

        access = {
            name: MetastoreAccess(
                chosen.uri,
                chosen.timeout_seconds,
                chosen.security(),
                chosen.table_files.limits(),
            )
            for name, chosen in self._settings.catalogs.items()
            if isinstance(chosen, HiveCatalogSettings)
        }
        with TerminalProgress() as progress:
            result = run_job(
                Cluster(
                    session,
                    access,
                    tasks=snapshot.tasks,
                    connections=1 if catalog.kind == "ddl" else catalog.max_connections,
                    limits=build_limits(self._settings),
                    decorate=self._decorate,
                ),
                self._catalog,
                Baseline(known.relations, known.edges, self._derivations),
                self._options,
                lambda results: self._remember(results, write),
                progress,
            )
        self.result = result
        rederived = frozenset(result.rederived)
        return Comparison(result.listing, result.differing, result.event_ids, rederived)

    def _derivations(self, names: Sequence[RelationName]) -> Mapping[RelationName, tuple[str, str]]:
        records, derivations = self._state.read(
            lambda tx: (tx.graph.records(names), tx.graph.derivations(names))
        )
        return {name: (records[name].visible_hash, text) for name, text in derivations.items()}

    def _remember(self, results: Sequence[Result], write: LeasedWrite) -> None:
        entries = [MemoEntry(r.inputs_hash, r.status, r.derivation, r.reason) for r in results]
        write(lambda tx: tx.memo.remember(entries, self._clock.now()))
