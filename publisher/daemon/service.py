"""The daemon with its state, engine, sources, snapshots and HTTP server, started and stopped together."""

from __future__ import annotations

import logging
from contextlib import ExitStack
from pathlib import Path
from typing import Self

from prometheus_client import CollectorRegistry, GCCollector, PlatformCollector, ProcessCollector

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
from publisher.daemon.metrics import EngineMetrics
from publisher.daemon.snapshot_process import SnapshotProcess
from publisher.daemon.threads import Daemon, Schedule
from publisher.index.static import StaticIndex
from publisher.publishing.retention import RetentionPass
from publisher.settings import Settings
from publisher.settling.derivation_process import ChildDeriver, Limits
from publisher.web.app import create_app
from publisher.web.server import WebServer
from publisher.web.status import Neighbour, RelationStatus, RelationSummary, ServiceStatus

log = logging.getLogger(__name__)

_SHOWN_RELATIONS = 200


class Service:
    """A running daemon; as a context manager it is closed at the end.

    Raises:
        SettingsError, AddressTaken, OSError: it did not start, and left nothing running.
    """

    def __init__(self, settings: Settings, config: Path | None = None) -> None:
        """``config`` is the file of the settings, which a snapshot's process reads too."""
        self._settings = settings
        with ExitStack() as failed_start:
            self._build(settings, config, failed_start)
            failed_start.pop_all()

    def _build(self, settings: Settings, config: Path | None, failed_start: ExitStack) -> None:
        self._state = build_state(settings)
        failed_start.callback(self._state.close)
        self._catalog = build_catalog(settings)
        failed_start.callback(close_catalog, self._catalog)
        self._index = build_index(settings)
        self._deriver = ChildDeriver(
            build_options(settings),
            children=settings.engine.workers,
            limits=Limits(timeout_seconds=settings.engine.derivation_timeout_seconds),
        )
        failed_start.callback(self._deriver.close)
        self._deriver.warm()
        self.engine = build_engine(settings, self._state, self._catalog, self._index, self._deriver)
        self._snapshots = SnapshotProcess(self.engine, config)
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
        """Where it answers over HTTP; None if that is disabled."""
        return self._web.url if self._web is not None else None

    def __enter__(self) -> Self:
        self._daemon.start()
        log.info("started", extra={"http": self.url})
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stops the threads within seconds; unfinished work stays in the state."""
        self._snapshots.stop()
        ended = self._daemon.stop()
        if self._web is not None:
            self._web.close()
        self._deriver.close()
        if ended:
            close_catalog(self._catalog)
            self._state.close()
        log.info("stopped", extra={"cleanly": ended})

    def status(self) -> ServiceStatus:
        """The daemon at this moment, for people and for health checks."""
        troubles = self._daemon.troubles()
        found = self.engine.status()
        troubled = [
            RelationStatus(str(record.name), record.status.value, record.reason)
            for record in found.troubled[:_SHOWN_RELATIONS]
        ]
        return ServiceStatus(
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
        """What is known of a relation beyond its packages; None if it is unknown."""
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
        return RetentionPass(self.engine.runtime, self._index, retention)

    def _web_server(self) -> WebServer:
        registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        PlatformCollector(registry=registry)
        GCCollector(registry=registry)
        registry.register(EngineMetrics(self.engine))
        served = self._index if isinstance(self._index, StaticIndex) else None
        app = create_app(served, self.status, summarize=self.summarize, registry=registry)
        return WebServer(app, self._settings.http.host, self._settings.http.port)
