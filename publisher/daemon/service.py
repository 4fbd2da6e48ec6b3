"""The daemon with all that belongs to it: state, engine, sources, snapshots, HTTP; started and stopped as one."""

from __future__ import annotations

import logging
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from prometheus_client import CollectorRegistry, GCCollector, PlatformCollector, ProcessCollector
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from codegen.naming import distribution_name
from lakeschema.catalog.identifiers import RelationName
from publisher.daemon.assembly import (
    build_catalog,
    build_engine,
    build_index,
    build_options,
    build_retention,
    build_sources,
    build_state,
    close_catalog,
)
from publisher.daemon.engine import Engine
from publisher.daemon.inspection import EngineStatus
from publisher.daemon.threads import Daemon, Schedule
from publisher.index.static import StaticIndex
from publisher.publishing.retention import RetentionPass
from publisher.runtime import SystemClock
from publisher.settings import Settings
from publisher.settling.derivation_process import ChildDeriver, Limits
from publisher.web.app import create_app
from publisher.web.server import WebServer
from publisher.web.status import Neighbour, RelationStatus, RelationSummary, Status

log = logging.getLogger(__name__)

_SHOWN_RELATIONS = 200

_COUNTER_HELP: Final[Mapping[str, str]] = {
    "adopted": "versions found on the index that the state did not know, and recorded",
    "changed_before_publication": "publications postponed because the facts changed since derivation",
    "conflicts": "uploads refused because the index holds other bytes under the same version",
    "dead_letters": "events that could not be decoded and were stored for inspection",
    "derivations_died": "derivations whose process crashed or exceeded its time limit",
    "derived": "schema derivations computed, failed ones included",
    "events_seen": "events read from all event sources, irrelevant ones included",
    "hints": "events that named a relation to read again",
    "index_failures": "operations that failed at the package index and are retried",
    "memo_hits": "derivations answered from a stored result for the same inputs",
    "published": "versions published",
    "put_off": "work items deferred because the catalog could not be read or its answer was stale",
    "quarantined": "relations quarantined after their processing died repeatedly",
    "snapshots": "completed snapshots: comparisons of the whole catalog with the state",
    "stale_readings": "catalog answers older than the event that caused the reading",
    "versions_offered_again": "files whose yank was reverted by the retention rules",
    "versions_retired": "files yanked by the retention rules",
    "yanks_declined": "yanks that the package index does not support",
}


class Service:
    """A running daemon; as a context manager it is stopped at the end.

    Raises:
        SettingsError, AddressTaken, OSError: it did not start, and left nothing running.
    """

    def __init__(self, settings: Settings, config: Path | None = None) -> None:
        """``config`` is where the settings were read: a snapshot's process reads them there too."""
        self._settings = settings
        self._config = config
        self._state = build_state(settings)
        self._catalog = build_catalog(settings)
        self._index = build_index(settings)
        self._deriver = ChildDeriver(
            build_options(settings),
            children=settings.engine.workers,
            limits=Limits(timeout_seconds=settings.engine.derivation_timeout_seconds),
        )
        self._deriver.warm()
        self.engine = build_engine(settings, self._state, self._catalog, self._index, self._deriver)
        self._snapshots = _SnapshotProcess(self.engine, config)
        runner = (
            self._snapshots.run if settings.snapshot.runner == "spark" else self.engine.snapshot
        )
        self._daemon = Daemon(
            self.engine,
            build_sources(settings, self._catalog),
            runner,
            Schedule(
                workers=settings.engine.workers,
                snapshot_interval_seconds=settings.snapshot.interval_seconds,
                snapshot_on_start=settings.snapshot.on_start,
            ),
            self._retention(),
        )
        self._web = self._web_server() if settings.http.enabled else None

    @property
    def url(self) -> str | None:
        """Where it answers over HTTP."""
        return self._web.url if self._web is not None else None

    def __enter__(self) -> Self:
        self._daemon.start()
        log.info("started", extra={"http": self.url})
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """Ends what is under way, within seconds; what is left is in the state."""
        self._snapshots.stop()
        ended = self._daemon.stop()
        if self._web is not None:
            self._web.stop()
        self._deriver.close()
        if ended:
            close_catalog(self._catalog)
            self._state.close()
        log.info("stopped", extra={"cleanly": ended})

    def status(self) -> Status:
        """A moment of the daemon, for people and for whoever asks whether it is healthy."""
        troubles = self._daemon.troubles()
        found = self.engine.status()
        troubled = [
            RelationStatus(str(record.name), record.status.value, record.reason)
            for record in found.troubled[:_SHOWN_RELATIONS]
        ]
        return Status(
            live=self._daemon.is_alive(),
            ready=not troubles,
            reason="; ".join(f"{part}: {why}" for part, why in sorted(troubles.items())),
            figures={
                **{f"relations {name}": count for name, count in found.relations.items()},
                "versions": found.versions,
                "outstanding work": len(found.work),
                "conflicts": len(found.conflicts),
                "dead letters": len(found.dead_letters),
            },
            relations=tuple(troubled),
        )

    def summarize(self, name: RelationName) -> RelationSummary | None:
        """What is known of a relation beyond its packages; None if it is not known at all."""
        record, edges, dependents = self._state.read(
            lambda tx: (
                tx.graph.records([name]).get(name),
                tx.graph.edges_of([name])[name],
                tx.graph.dependents([name]),
            )
        )
        if record is None:
            return None
        return RelationSummary(
            record.status.value,
            record.reason,
            tuple(self._neighbour(edge.upstream) for edge in edges),
            tuple(self._neighbour(dependent) for dependent in sorted(dependents)),
        )

    def _neighbour(self, name: RelationName) -> Neighbour:
        prefix = self._settings.artifacts.prefix
        return Neighbour(str(name), distribution_name(name, prefix))

    def _retention(self) -> RetentionPass | None:
        retention = build_retention(self._settings)
        if retention is None:
            return None
        clock, counters = SystemClock(), self.engine.counters
        return RetentionPass(self._state, self._index, retention, clock, counters)

    def _web_server(self) -> WebServer:
        registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        PlatformCollector(registry=registry)
        GCCollector(registry=registry)
        registry.register(_EngineMetrics(self.engine))
        served = self._index if isinstance(self._index, StaticIndex) else None
        app = create_app(served, self.status, summarize=self.summarize, registry=registry)
        return WebServer(app, self._settings.http.host, self._settings.http.port)


class _SnapshotProcess:
    """The snapshot in a child process: Spark's memory and its crashes are not the daemon's."""

    def __init__(self, engine: Engine, config: Path | None) -> None:
        self._engine = engine
        self._command = [sys.executable, "-m", "publisher", "snapshot", "--enqueue-only"]
        self._command += ["--config", str(config)] if config is not None else []
        self._child: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._stopping = False

    def run(self) -> None:
        """Compares on Spark; where that fails, in this process, so that nothing stays unseen."""
        with self._lock:
            if self._stopping:
                return
            self._child = subprocess.Popen(
                self._command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
            )
        exit_status = self._child.wait()
        if exit_status != 0 and not self._stopping:
            log.warning("snapshot on Spark failed; comparing here", extra={"exit": exit_status})
            self._engine.snapshot()
        self._engine.wake()

    def stop(self) -> None:
        with self._lock:
            self._stopping = True
            if self._child is not None and self._child.poll() is None:
                self._child.terminate()


class _EngineMetrics(Collector):
    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def collect(self) -> Iterator[Metric]:
        found = self._engine.status()
        for name, value in sorted(found.counters.items()):
            help_text = _COUNTER_HELP.get(name, name)
            yield CounterMetricFamily(f"schema_publisher_{name}", help_text, value=value)
        relations = GaugeMetricFamily(
            "schema_publisher_relations", "relations by status", labels=["status"]
        )
        for status, count in found.relations.items():
            relations.add_metric([status], count)
        yield relations
        yield from (_gauge(name, text, value) for name, text, value in _figures(found))


def _figures(found: EngineStatus) -> Sequence[tuple[str, str, float]]:
    return (
        ("work", "relations with outstanding work", len(found.work)),
        ("versions", "published versions, yanked ones included", found.versions),
        (
            "conflicts",
            "version numbers that the index holds with other bytes",
            len(found.conflicts),
        ),
        ("dead_letters", "stored events that could not be decoded", len(found.dead_letters)),
    )


def _gauge(name: str, text: str, value: float) -> Metric:
    return GaugeMetricFamily(f"schema_publisher_{name}", text, value=value)
