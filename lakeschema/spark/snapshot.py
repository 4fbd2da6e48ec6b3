"""Runs the snapshot as a Spark job. The driver lists names and stores results.

Executors read in parallel and derive in waves. They have no side effects: they return rows. A
retried or speculative task may return a result twice, which is harmless: a result is stored under
the hash of its inputs.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from dependency_graph.graph import affected_cone, graph_of
from lakeschema.catalog.catalogs import current_event_ids
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.listing import list_relations
from lakeschema.catalog.relations import Catalog
from lakeschema.isolation.limits import Limits
from lakeschema.progress import NO_PROGRESS, Progress
from lakeschema.spark.deriving import derive_wave
from lakeschema.spark.processes import deriver_of_driver
from lakeschema.spark.reading import read_on_driver, read_on_executors
from lakeschema.spark.values import (
    Baseline,
    Facts,
    MetastoreAccess,
    PartitionTask,
    Result,
    SnapshotResult,
    undecorated,
)
from lakeschema.translation.deriving.upstream_first import waves
from lakeschema.translation.model.interface import Options
from lakeschema.translation.model.known import KnownRelation

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


_DEFAULT_LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class Cluster:
    """The session and the parallelism of the job.

    Attributes:
        session: a session of classic Spark, which has broadcasts.
        access: how executors read the catalogs that they can reach, by the catalogs' names; "" is
            the default catalog. This process reads all other catalogs.
        tasks: the number of parallel tasks.
        connections: the number of tasks that may read the catalog at once.
        limits: the limits of each Python worker's child process.
        decorate: wraps each task, for tests that break tasks on purpose.
    """

    session: SparkSession
    access: Mapping[str, MetastoreAccess]
    tasks: int = 2
    connections: int = 4
    limits: Limits = _DEFAULT_LIMITS
    decorate: Callable[[PartitionTask], PartitionTask] = undecorated


Remember: TypeAlias = Callable[[Sequence[Result]], None]
"""Receives each wave's results, on the driver."""


def run_job(
    cluster: Cluster,
    catalog: Catalog,
    baseline: Baseline,
    options: Options,
    remember: Remember,
    progress: Progress = NO_PROGRESS,
) -> SnapshotResult:
    """Reads the whole catalog, and derives changed relations and their dependents.

    Args:
        cluster: the session and its parallelism.
        catalog: lists the names on the driver, and reads relations that executors cannot reach.
        baseline: the known relations; unchanged relations need no further work.
        options: the deployment's options.
        remember: stores the results of each wave.
        progress: receives the progress.

    Raises:
        CatalogUnavailable: the catalog could not be read. An executor raises it as a Spark error.
    """
    watch = _Stopwatch()
    event_ids, silent = current_event_ids(catalog)
    listing = list_relations(catalog).without(silent)
    listed = listing.names
    watch.lap("list")

    progress.step("read", len(listed))
    differing = _read(cluster, catalog, listed, baseline.relations, options)
    dependents = _dependents(differing, baseline) & frozenset(listed)
    unchanged = _read(cluster, catalog, sorted(dependents), {}, options)
    progress.done(len(listed))
    watch.lap("read")

    facts = {f.name: f for f in (*differing, *unchanged)}
    ordered = _waves(facts)
    progress.step("derive", sum(map(len, ordered)))
    settled = dict(baseline.derivations(sorted(_other_upstreams(facts))))
    derived = sum(_derive(cluster, wave, settled, options, remember, progress) for wave in ordered)
    watch.lap("derive")
    return SnapshotResult(
        listing=listing,
        differing=[f.name for f in differing],
        rederived=[f.name for f in differing if _has_known_facts(f, baseline)],
        event_ids=event_ids,
        derived=derived,
        waves=len(ordered),
        seconds=watch.seconds,
    )


def _read(
    cluster: Cluster,
    catalog: Catalog,
    names: Sequence[RelationName],
    known: Mapping[RelationName, KnownRelation],
    options: Options,
) -> Sequence[Facts]:
    here = [name for name in names if name.catalog not in cluster.access]
    found: list[Facts] = []
    if here:
        with deriver_of_driver(options, cluster.limits) as deriver:
            found += read_on_driver(catalog, here, known, deriver, connections=cluster.connections)
    for catalog_name, access in cluster.access.items():
        there = [name for name in names if name.catalog == catalog_name]
        if there:
            found += read_on_executors(
                cluster.session,
                access,
                catalog_name,
                there,
                known,
                options,
                cluster.limits,
                tasks=min(cluster.tasks, cluster.connections),
                decorate=cluster.decorate,
            )
    return sorted(found, key=lambda facts: facts.name)


def _derive(
    cluster: Cluster,
    wave: Sequence[Facts],
    settled: dict[RelationName, tuple[str, str]],
    options: Options,
    remember: Remember,
    progress: Progress,
) -> int:
    """Derives a wave; returns the number of derived relations.

    If an upstream is not derived, a worker of the service derives the relation later.
    """
    ready = [f for f in wave if all(u in settled for u in f.upstreams or ())]
    needed = {u: settled[u] for f in ready for u in f.upstreams or ()}
    results = (
        derive_wave(
            cluster.session,
            ready,
            needed,
            options,
            cluster.limits,
            tasks=cluster.tasks,
            decorate=cluster.decorate,
        )
        if ready
        else ()
    )
    remember(results)
    for result in results:
        if result.derivation is not None and result.interface_hash is not None:
            settled[result.name] = result.interface_hash, result.derivation
    progress.done(len(wave))
    return len(results)


def _dependents(differing: Iterable[Facts], baseline: Baseline) -> frozenset[RelationName]:
    """The known dependents of changed relations, without the changed relations."""
    changed = frozenset(facts.name for facts in differing)
    return affected_cone(graph_of(baseline.edges), changed) - changed


def _has_known_facts(facts: Facts, baseline: Baseline) -> bool:
    known = baseline.relations.get(facts.name)
    return known is not None and known.facts_hash == facts.hash


def _waves(facts: Mapping[RelationName, Facts]) -> Sequence[Sequence[Facts]]:
    """The relations in waves: each wave reads only earlier waves.

    Relations with unreadable text are left out.
    """
    readable = {name: f.upstreams for name, f in facts.items() if f.upstreams is not None}
    return [[facts[name] for name in wave] for wave in waves(readable)]


def _other_upstreams(facts: Mapping[RelationName, Facts]) -> frozenset[RelationName]:
    """Upstreams that are not among ``facts``."""
    return frozenset(u for f in facts.values() for u in f.upstreams or () if u not in facts)


class _Stopwatch:
    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self.seconds[name] = now - self._last
        self._last = now
