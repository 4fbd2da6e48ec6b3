"""One full pass over the catalog, from settings: on Spark, or in this process.

Spark's executors read and derive; what they find goes into the memo, what differs becomes work,
and workers, here or in a running daemon, read once more and publish.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

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
from lakeschema.translation.interface import Options
from lakeschema.translation.upstream_first import derive_catalog
from publisher.daemon.assembly import (
    build_engine,
    build_index,
    build_options,
    build_state,
    open_catalog,
)
from publisher.settings import HiveCatalogSettings, Runner, Settings
from publisher.settling.comparison import Comparison, KnownCatalog
from publisher.settling.deriving import DirectDeriver
from publisher.state.protocol import State
from publisher.state.records import MemoEntry


@dataclass(frozen=True, slots=True)
class OnExecutors:
    """What Spark's executors did: relations derived, and in how many waves."""

    derived: int
    waves: int


@dataclass(frozen=True, slots=True)
class SnapshotOutcome:
    """A full pass.

    Attributes:
        held: deletions that wait for a person, by namespace ("" for all).
        on_executors: None where nothing ran on Spark.
        seconds: by step.
        counters: of this process.
    """

    runner: Runner
    listed: int
    differing: int
    missing: int
    held: Mapping[str, str]
    on_executors: OnExecutors | None
    seconds: Mapping[str, float]
    counters: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class DryRun:
    """What a full pass would find; ``errors`` says why relations cannot be derived."""

    listed: int
    differing: Sequence[RelationName]
    missing: Sequence[RelationName]
    errors: Mapping[RelationName, str]


def run_snapshot(settings: Settings, runner: Runner, *, publish: bool = True) -> SnapshotOutcome:
    """What was listed, what differed, how long each step took.

    Args:
        settings: the deployment's.
        runner: where relations are read and derived.
        publish: work on what differs here, and return when it is done.

    Raises:
        CatalogUnavailable: nothing was concluded.
        SnapshotBusy: another snapshot of this catalog runs.
    """
    options = build_options(settings)
    with open_catalog(settings) as catalog, closing(build_state(settings)) as state:
        deriver = DirectDeriver(options)
        engine = build_engine(settings, state, catalog, build_index(settings), deriver)
        on_spark = SparkComparison(settings, state, catalog, options) if runner == "spark" else None
        found = engine.snapshot(comparer=on_spark)
        result = on_spark.result if on_spark is not None else None
        seconds = {k: round(v, 3) for k, v in result.seconds.items()} if result else {}
        if publish:
            start = time.perf_counter()
            engine.drain()
            seconds["publish"] = round(time.perf_counter() - start, 3)
        return SnapshotOutcome(
            runner,
            found.listed,
            found.differing,
            found.missing,
            found.held,
            OnExecutors(result.derived, result.waves) if result else None,
            seconds,
            engine.counters.values(),
        )


def dry_run(settings: Settings) -> DryRun:
    """Derives everything in this process, and writes nothing.

    Raises:
        CatalogUnavailable: the catalog could not be read.
    """
    options = build_options(settings)
    with open_catalog(settings) as catalog, closing(build_state(settings)) as state:
        everything = derive_catalog(catalog, options)
        records = state.read(lambda tx: tx.graph.every_record())
    deriver = DirectDeriver(options)
    differing = [
        name
        for name, derivation in sorted(everything.derivations.items())
        if name not in records
        or records[name].interface_hash != deriver.interface_hash(derivation.interface)
    ]
    missing = [name for name in sorted(records) if name not in everything.relations]
    errors = {name: failed.reason for name, failed in sorted(everything.failures.items())}
    return DryRun(len(everything.relations), differing, missing, errors)


class SparkComparison:
    """Compares on Spark and fills the memo; ``result`` is there afterwards."""

    def __init__(
        self,
        settings: Settings,
        state: State,
        catalog: Catalog,
        options: Options,
        decorate: Callable[[PartitionTask], PartitionTask] = undecorated,
    ) -> None:
        """``decorate`` wraps each task that executors run: tests break some on purpose."""
        self._decorate = decorate
        self._settings = settings
        self._state = state
        self._catalog = catalog
        self._options = options
        self.result: SnapshotResult | None = None

    def __call__(self, known: KnownCatalog) -> Comparison:
        # PySpark is an extra, and slow to import.
        from lakeschema.spark.session import spark_session

        (catalog,) = self._settings.catalog
        snapshot = self._settings.snapshot
        session = spark_session(snapshot.conf, tasks=snapshot.tasks)
        # Only now: without the extra the session says what to install.
        from lakeschema.spark.snapshot import Cluster, run_job

        access = (
            MetastoreAccess(catalog.uri, catalog.timeout_seconds)
            if isinstance(catalog, HiveCatalogSettings)
            else None
        )
        with TerminalProgress() as progress:
            result = run_job(
                Cluster(
                    session,
                    access,
                    tasks=snapshot.tasks,
                    connections=1 if catalog.kind == "ddl" else catalog.max_connections,
                    decorate=self._decorate,
                ),
                self._catalog,
                Baseline(known.relations, known.edges, self._derivations),
                self._options,
                self._remember,
                progress,
            )
        self.result = result
        return Comparison(frozenset(result.listed), result.differing, result.event_id)

    def _derivations(self, names: Sequence[RelationName]) -> Mapping[RelationName, tuple[str, str]]:
        records, derivations = self._state.read(
            lambda tx: (tx.graph.records(names), tx.graph.derivations(names))
        )
        return {name: (records[name].visible_hash, text) for name, text in derivations.items()}

    def _remember(self, results: Sequence[Result]) -> None:
        entries = [MemoEntry(r.inputs_hash, r.status, r.derivation, r.reason) for r in results]
        self._state.write(lambda tx: tx.memo.remember(entries, time.time()))


class TerminalProgress:
    """A bar on a terminal, nothing elsewhere."""

    def __init__(self) -> None:
        console = Console(stderr=True)
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=console,
            disable=not console.is_terminal,
        )
        self._task: Any = None

    def step(self, name: str, total: int) -> None:
        self._task = self._bar.add_task(name, total=total)

    def done(self, count: int) -> None:
        self._bar.advance(self._task, count)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()
