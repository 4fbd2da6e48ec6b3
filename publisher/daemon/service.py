"""The daemon with its state, engine, sources, snapshots and HTTP server; all start and stop together."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final, Self

from codegen.naming import distribution_name
from codegen.runtime_files import runtime_version
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Catalog
from lakeschema.catalog.typed_names import resolve_known_name
from lakeschema.spark.session import SparkMissing
from publisher.daemon.adapters import (
    build_catalog,
    build_index,
    build_options,
    build_processes,
    build_selection,
    build_user_grants,
    catalog_names,
    catalog_traits,
    close_catalog,
    generator_version,
    naming_rules,
)
from publisher.daemon.assembly import (
    build_engine,
    build_retention,
    build_sources,
    build_state,
    build_statement_logs,
    shared_servers,
    take_part,
)
from publisher.daemon.definitions import Definitions
from publisher.daemon.health import Health, SnapshotAge
from publisher.daemon.hearing import Hearing
from publisher.daemon.known_relations import KnownRelations
from publisher.daemon.listed import RelationLister
from publisher.daemon.metrics import EngineMetrics, LastSnapshot
from publisher.daemon.notification_adapters import build_notifier
from publisher.daemon.observed import ObservedIndex, ObservedState, observed
from publisher.daemon.overview import OverviewReader
from publisher.daemon.relation_details import DetailsReader
from publisher.daemon.runner_choice import choose_runner, is_spark_installed
from publisher.daemon.self_report import SelfReport
from publisher.daemon.shown import ShownState
from publisher.daemon.snapshot_process import SnapshotProcess
from publisher.daemon.statement_checks import Checks
from publisher.daemon.surroundings import KnownSurroundings
from publisher.daemon.threads import Daemon, Schedule
from publisher.daemon.tracing_adapters import build_traces
from publisher.daemon.translation_requests import Translations
from publisher.daemon.user_grants import UserGrants
from publisher.daemon.web_servers import WebServers, daemon_registry
from publisher.events.posted_events import PostedEvents
from publisher.index.static import StaticIndex
from publisher.lineage.neighbourhood import Neighbourhood
from publisher.lineage.questions import FoundPlaces, NotFound
from publisher.lineage.values import Direction, Traced
from publisher.outages import CATALOG, INDEX, STATE, UPLOADS, Outages
from publisher.publishing.retention import RetentionPass
from publisher.settings import Settings, TwineIndexSettings
from publisher.state.protocol import StateUnavailable
from publisher.state.records import Publication
from publisher.statements.learning import Learner
from publisher.web.comparisons import compare_limited
from publisher.web.descriptions import describe_limited, description_processes
from publisher.web.details import RelationDetails
from publisher.web.listing import Asked, CatalogueFigures, ListedRelations
from publisher.web.navigation import Deployed
from publisher.web.overview import Overview
from publisher.web.package_sites import without_credentials
from publisher.web.packages import Site
from publisher.web.status import FoundRelations, RelationSummary, ServiceStatus

log = logging.getLogger(__name__)

_KNOWN_REFRESH_SECONDS: Final = 10.0


class Service:
    """A running daemon, and a context manager that closes it.

    Raises:
        SettingsError, SparkMissing, AddressTaken, OSError: the start failed, and nothing is left
            running.
    """

    def __init__(self, settings: Settings, config: Path | None = None) -> None:
        """Starts everything; ``config`` is the settings file, which a snapshot's process also reads."""
        self._settings = settings
        self._names = naming_rules(settings)
        with ExitStack() as failed_start:
            self._build(settings, config, failed_start)
            failed_start.pop_all()

    def _build(self, settings: Settings, config: Path | None, failed_start: ExitStack) -> None:
        if settings.snapshot.runner == "spark" and not is_spark_installed():
            raise SparkMissing
        outages = Outages((CATALOG, INDEX, UPLOADS, STATE), shared_servers(settings))
        state = build_state(settings)
        self._state = ObservedState(state, outages)
        failed_start.callback(self._state.close)
        self._participation = take_part(settings, self._state)
        failed_start.callback(self._participation.close)
        self._catalog = build_catalog(settings)
        failed_start.callback(close_catalog, self._catalog)
        index = build_index(settings)
        self._served = index if isinstance(index, StaticIndex) else None
        self._index = ObservedIndex(index, outages)
        self._processes = build_processes(settings)
        failed_start.callback(self._processes.close)
        self._processes.warm()
        self._traces = build_traces(settings)
        failed_start.callback(self._traces.close)
        self.engine = build_engine(
            settings, self._state, self._catalog, index, self._processes, outages, self._traces
        )
        self._snapshots = SnapshotProcess(self.engine, config)
        self._notifier = build_notifier(settings, self.engine.runtime, self._catalog)
        sources = build_sources(settings, self._catalog)
        self._daemon = Daemon(
            self.engine,
            sources,
            partial(self._compare_catalog, observed(self._catalog, outages)),
            Schedule(
                workers=settings.engine.workers,
                snapshot_interval_seconds=settings.snapshot.interval_seconds,
                snapshot_on_start=settings.snapshot.on_start,
                stuck_after_seconds=settings.engine.stuck_after_seconds,
            ),
            self._retention(),
        )
        age = SnapshotAge(self.engine.seconds_since_snapshot, settings.snapshot.interval_seconds)
        self._health = Health(self._daemon, outages, self.engine.runtime.progress, age)
        self._report = SelfReport(self._state, self._health.troubles)
        self._descriptions = description_processes()
        failed_start.callback(self._descriptions.close)
        describe = partial(describe_limited, self._descriptions)
        self._shown = ShownState(self._state, settings.artifacts.prefix)
        self._lister = RelationLister(self._state, settings.artifacts.prefix)
        self._generation = state.generation
        self._overview = OverviewReader(
            self.engine,
            state.generation,
            [source.name for source in sources],
            {key: each.name for key, each in settings.catalogs.items()},
            settings.snapshot.interval_seconds,
        )
        definitions = Definitions(self._catalog, outages)
        self._details = DetailsReader(
            self._state,
            definitions,
            build_selection(settings),
            settings.artifacts.prefix,
            settings.statements.are_heard,
        )
        site = Site(
            self.summarize,
            settings.http.public_url,
            describe,
            partial(compare_limited, self._descriptions),
            self._shown.search_packages,
            settings.artifacts.prefix,
            Deployed(
                settings.deployment.name or settings.artifacts.prefix,
                settings.deployment.colour,
                generator_version(),
            ),
            without_credentials(settings.index.simple_url)
            if isinstance(settings.index, TwineIndexSettings)
            else "",
        )
        self._checks = self._build_checks(observed(self._catalog, outages))
        self._translations = self._build_translations(outages)
        self._hearing = self._build_hearing(observed(self._catalog, outages), outages)
        metrics = EngineMetrics(
            self.engine.runtime,
            outages.up,
            self._health.troubles,
            LastSnapshot(self.engine.seconds_since_snapshot, self.engine.last_snapshot_seconds),
            {"version": generator_version(), "generator": runtime_version()},
            None if self._checks is None else self._checks.counts,
            None if self._translations is None else self._translations.endings,
        )
        registry = daemon_registry(metrics)
        self._web = WebServers(
            settings.http,
            self._served,
            self,
            site,
            registry,
            self._checks,
            self._translations,
            self._hearing if settings.statements.enabled else None,
            [source for source in sources if isinstance(source, PostedEvents)],
        )

    @property
    def url(self) -> str | None:
        """The HTTP address; None if HTTP is disabled."""
        return self._web.url

    @property
    def operations_url(self) -> str | None:
        """The address of the operators' server; None without a separate server."""
        return self._web.operations_url

    def __enter__(self) -> Self:
        self._daemon.start()
        if self._checks is not None:
            self._checks.start()
        if self._translations is not None:
            self._translations.start()
        if self._hearing is not None:
            self._hearing.start()
        self._notifier.start()
        self._report.start()
        log.info("started", extra={"http": self.url})
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stops the threads within seconds; unfinished work stays in the state."""
        self._snapshots.stop()
        ended = self._daemon.stop()
        self._report.stop()
        self._notifier.close()
        self._traces.close()
        self._web.close()
        if self._checks is not None:
            self._checks.close()
        if self._translations is not None:
            self._translations.close()
        if self._hearing is not None:
            self._hearing.close()
        self._processes.close()
        self._descriptions.close()
        if ended:
            close_catalog(self._catalog)
            self._state.close()
            self._participation.close()
        log.info("stopped", extra={"cleanly": ended})

    def _build_checks(self, catalog: Catalog) -> Checks | None:
        chosen = self._settings.check
        if not (chosen.enabled and self._settings.http.enabled):
            return None
        known = KnownRelations(self._state, catalog, chosen.refresh_seconds)
        grants = None
        if chosen.grants_from_metastore:
            grants = UserGrants(build_user_grants(self._catalog), chosen.grants_refresh_seconds)
        return Checks(chosen, known, grants, catalog_names(self._settings))

    def _build_translations(self, outages: Outages) -> Translations | None:
        chosen = self._settings.translate
        if not (chosen.enabled and self._settings.http.enabled):
            return None
        options = build_options(self._settings)
        definitions = Definitions(self._catalog, outages, max_at_once=chosen.processes)
        current = catalog_traits(self._settings.default_catalog).default_namespace
        names = replace(self._names, current_namespace=current)
        known = KnownSurroundings(self._state, definitions, options, names)
        return Translations(chosen, options, known)

    def _build_hearing(self, catalog: Catalog, outages: Outages) -> Hearing | None:
        chosen = self._settings.statements
        if not chosen.are_heard:
            return None
        known = KnownRelations(self._state, catalog, _KNOWN_REFRESH_SECONDS)
        learner = Learner(
            self._state,
            lambda: known.current or {},
            chosen.dialect,
            chosen.keep_days * 86_400,
            catalogs=catalog_names(self._settings),
        )
        return Hearing(
            self._state,
            known,
            learner,
            build_statement_logs(self._settings),
            outages,
            lambda: self.engine.seconds_since_snapshot() is not None,
        )

    def _compare_catalog(self, catalog: Catalog) -> None:
        chosen = choose_runner(self._settings.snapshot.runner, self._settings, catalog)
        if chosen == "spark":
            self._snapshots.run()
        else:
            self.engine.compare_catalog()

    def is_live(self) -> bool:
        return self._health.is_live()

    def troubles(self) -> Mapping[str, str]:
        return self._health.troubles()

    def version(self) -> int:
        return self._generation()

    def status(self) -> ServiceStatus:
        troubles = self.troubles()
        shown = ServiceStatus(
            live=self.is_live(),
            ready=not troubles,
            reason="; ".join(f"{part}: {why}" for part, why in sorted(troubles.items())),
        )
        try:
            found, troubled = self._shown.figures()
        except StateUnavailable as error:
            return replace(shown, ready=False, reason=shown.reason or str(error))
        return replace(
            shown,
            figures={
                **{f"relations {name}": count for name, count in found.relations.items()},
                "versions": found.versions,
                "outstanding work": found.work,
                "conflicts": found.conflicts,
                "dead letters": found.dead_letters,
            },
            relations=troubled.relations,
            more_relations=troubled.more,
        )

    def summarize(self, name: RelationName) -> RelationSummary | None:
        """A relation's summary without its packages; None if unknown."""
        return self._shown.summarize(name)

    def relation(self, name: RelationName) -> RelationDetails | None:
        distribution = distribution_name(name, self._settings.artifacts.prefix)
        return self._details.read(name, distribution, self.engine.runtime.clock.now())

    def named(self, text: str) -> RelationName:
        return resolve_known_name(text, self._names)

    def similar(self, name: RelationName) -> Sequence[str]:
        return self._shown.similar(name)

    def lineage(
        self,
        relation: RelationName,
        column: str | None,
        direction: Direction,
        depth: int | None,
        most: int | None = None,
    ) -> Traced | NotFound:
        return self._shown.lineage(relation, column, direction, depth, most)

    def places(self, text: str, limit: int) -> FoundPlaces:
        return self._shown.places(text, self.named, limit)

    def neighbourhood(
        self, relation: RelationName, upstream: int | None, downstream: int | None
    ) -> Neighbourhood | NotFound:
        return self._shown.neighbourhood(relation, upstream, downstream)

    def publications(
        self, limit: int, before: int | None, distribution: str | None
    ) -> Sequence[Publication]:
        return self._shown.publications(limit, before, distribution)

    def catalogue(self) -> CatalogueFigures:
        return self._overview.catalogue()

    def relations(self, asked: Asked) -> ListedRelations:
        return self._lister.list(asked)

    def overview(self) -> Overview:
        return self._overview.read()

    def search(self, asked: str, limit: int) -> FoundRelations:
        return self._shown.search(asked, limit)

    def _retention(self) -> RetentionPass | None:
        retention = build_retention(self._settings)
        if retention is None:
            return None
        return RetentionPass(self.engine.runtime, self._index, retention)
