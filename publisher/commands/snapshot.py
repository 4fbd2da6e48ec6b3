"""One full pass over the catalog, from settings: on Spark, or in this process.

Spark's executors read and derive; what they found goes into the memo, what differs becomes work,
and workers, here or in a running daemon, read once more and publish.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
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
    build_catalog,
    build_engine,
    build_index,
    build_options,
    build_state,
    close_catalog,
)
from publisher.daemon.engine import Engine
from publisher.settings import HiveCatalogSettings, Settings
from publisher.settling.comparison import Comparison, KnownCatalog
from publisher.settling.deriving import DirectDeriver
from publisher.state.protocol import State
from publisher.state.records import MemoEntry


def run_snapshot(
    settings: Settings, runner: str, *, dry_run: bool = False, publish: bool = True
) -> dict[str, Any]:
    """The report, as JSON: what was listed, what differed, how long each step took.

    Args:
        settings: the deployment's.
        runner: "spark" or "local".
        dry_run: only look; nothing is written.
        publish: work on what differs here, and return when it is done.

    Raises:
        CatalogUnavailable: nothing was concluded.
        SnapshotBusy: another snapshot of this catalog runs.
    """
    catalog = build_catalog(settings)
    options = build_options(settings)
    state = build_state(settings)
    try:
        deriver = DirectDeriver(options)
        engine = build_engine(settings, state, catalog, build_index(settings), deriver)
        if dry_run:
            return _dry_run(state, catalog, options)
        if runner == "local":
            return _finish(engine, {"runner": "local"}, None, publish=publish)
        spark = SparkComparison(settings, state, catalog, options)
        return _finish(engine, {"runner": "spark"}, spark, publish=publish)
    finally:
        close_catalog(catalog)
        state.close()


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
        from lakeschema.spark.snapshot import Cluster
        from lakeschema.spark.snapshot import run_snapshot as run_on_spark

        (catalog,) = self._settings.catalog
        snapshot = self._settings.snapshot
        session = spark_session(snapshot.conf, tasks=snapshot.tasks)
        access = (
            MetastoreAccess(catalog.uri, catalog.timeout_seconds)
            if isinstance(catalog, HiveCatalogSettings)
            else None
        )
        with TerminalProgress() as progress:
            result = run_on_spark(
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


def _finish(
    engine: Engine, report: dict[str, Any], comparer: SparkComparison | None, *, publish: bool
) -> dict[str, Any]:
    found = engine.snapshot(comparer=comparer)
    report |= {"listed": found.listed, "differing": found.differing, "missing": found.missing}
    if found.held:
        report["held"] = dict(found.held)
    if comparer is not None and comparer.result is not None:
        report |= {
            "derived_on_executors": comparer.result.derived,
            "waves": comparer.result.waves,
            "seconds": {k: round(v, 3) for k, v in comparer.result.seconds.items()},
        }
    if publish:
        start = time.perf_counter()
        engine.drain()
        report.setdefault("seconds", {})["publish"] = round(time.perf_counter() - start, 3)
    report["counters"] = dict(engine.counters.values())
    return report


def _dry_run(state: State, catalog: Catalog, options: Options) -> dict[str, Any]:
    everything = derive_catalog(catalog, options)
    records = state.read(lambda tx: tx.graph.every_record())
    deriver = DirectDeriver(options)
    differing = [
        str(name)
        for name, derivation in sorted(everything.derivations.items())
        if name not in records
        or records[name].interface_hash != deriver.interface_hash(derivation.interface)
    ]
    gone = [str(n) for n, r in sorted(records.items()) if n not in everything.relations]
    return {
        "runner": "dry-run",
        "listed": len(everything.relations),
        "differing": differing,
        "missing": gone,
        "errors": {str(n): failed.reason for n, failed in sorted(everything.failures.items())},
    }


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
