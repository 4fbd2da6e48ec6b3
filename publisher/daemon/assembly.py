"""Builds the service from settings: its sources, state and engine; ``adapters`` builds the other parts."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import assert_never

from lakeschema.catalog.ddl_files import DdlFilesCatalog
from lakeschema.catalog.relations import Catalog
from lakeschema.isolation.pool import LimitedProcesses
from lakeschema.translation.deriving.deriver import Deriver
from publisher.daemon.adapters import (
    build_deriver,
    build_limited_packaging,
    build_policy,
    build_selection,
)
from publisher.daemon.canary import Canary, Contents
from publisher.daemon.engine import Engine, Parts
from publisher.daemon.hearing import StatementSource
from publisher.daemon.observed import ObservedCatalog, ObservedIndex
from publisher.daemon.self_report import forget_services
from publisher.events.ddl_folder import DDL_FOLDER, DdlFolderSource
from publisher.events.kafka_topic import KafkaSource
from publisher.events.notification_log import NOTIFICATION_LOG, NotificationLogSource
from publisher.events.protocol import EventSource
from publisher.index.protocol import PackageIndex
from publisher.outages import CATALOG, Outages, event_source
from publisher.publishing.discovery import Discovery
from publisher.publishing.drafting import Drafter
from publisher.publishing.index_comparison import IndexComparison
from publisher.publishing.packaging_protocol import Packaging
from publisher.publishing.preparation import Preparation
from publisher.publishing.publisher import Publisher
from publisher.publishing.recheck import Recheck
from publisher.publishing.retention import Retention
from publisher.publishing.versioning import VersioningMode
from publisher.runtime import Runtime
from publisher.selection import EVERYTHING, Selection
from publisher.settings import (
    DdlFolderSettings,
    EventSettings,
    HiveCatalogSettings,
    KafkaSettings,
    NotificationLogSettings,
    Settings,
    SettingsError,
)
from publisher.settling.changed_settings import SettingsNotes
from publisher.settling.comparison import CatalogComparison
from publisher.settling.findings import CatalogReader, Investigator
from publisher.settling.mass_change import MassChangeBrake
from publisher.settling.settling import Settling
from publisher.state.participation import Participation
from publisher.state.protocol import State, StateUnavailable, Transaction
from publisher.state.sqlite import SqliteState
from publisher.statements.log_files import LogFiles
from publisher.statements.topic import Topic
from publisher.steady_clock import end_leases, open_clock


def build_sources(settings: Settings, catalog: Catalog) -> Sequence[EventSource]:
    return [_source(events, settings, catalog) for events in settings.events]


def _source(events: EventSettings, settings: Settings, catalog: Catalog) -> EventSource:
    match events:
        case NotificationLogSettings():
            return _notification_log(events, settings)
        case KafkaSettings():
            return KafkaSource(
                events.bootstrap_servers,
                events.topic,
                group_id=events.group_id,
                options=events.client_options(),
            )
        case DdlFolderSettings():
            if not isinstance(catalog, DdlFilesCatalog):
                raise SettingsError(('events: "ddl-folder" needs catalog.kind = "ddl"',))
            return DdlFolderSource(catalog)
        case _:
            assert_never(events)


def _notification_log(events: NotificationLogSettings, settings: Settings) -> EventSource:
    """Uses the catalog's connection settings if the catalog is a metastore, too."""
    metastore = settings.default_catalog
    address, idle_seconds = events.uri or _metastore_uri(settings), events.poll_seconds
    if not isinstance(metastore, HiveCatalogSettings):
        return NotificationLogSource(address, idle_seconds=idle_seconds)
    return NotificationLogSource(
        address,
        timeout_seconds=metastore.timeout_seconds,
        idle_seconds=idle_seconds,
        security=metastore.security(),
    )


def shared_servers(settings: Settings) -> Mapping[str, str]:
    """Which services share a server: an event source may use the catalog's server."""
    catalog = settings.default_catalog
    names = []
    for events in settings.events:
        match events:
            case NotificationLogSettings():
                if isinstance(catalog, HiveCatalogSettings) and events.uri in {None, catalog.uri}:
                    names.append(NOTIFICATION_LOG)
            case DdlFolderSettings():
                names.append(DDL_FOLDER)
            case KafkaSettings():
                pass
            case _:
                assert_never(events)
    return {event_source(name): CATALOG for name in names}


def _metastore_uri(settings: Settings) -> str:
    catalog = settings.default_catalog
    if isinstance(catalog, HiveCatalogSettings):
        return catalog.uri
    raise SettingsError(('events: "notification-log" needs a uri, or catalog.kind = "hive"',))


def build_retention(settings: Settings) -> Retention | None:
    chosen = settings.index.retention
    if chosen is None:
        return None
    return Retention(chosen.keep_latest_per_major, chosen.yank_after_days * 86_400)


def build_state(settings: Settings) -> State:
    file = settings.state.file
    file.parent.mkdir(parents=True, exist_ok=True)
    return SqliteState(file)


def build_statement_logs(settings: Settings) -> Sequence[StatementSource]:
    chosen = settings.statements
    found: list[StatementSource] = []
    if chosen.log is not None:
        found.append(LogFiles(chosen.log))
    if chosen.kafka is not None:
        found.append(Topic(chosen.kafka))
    return found


def take_part(settings: Settings, state: State) -> Participation:
    """Registers this process as one that works on the state, until the result is closed.

    If no other process works on it, this one ends the claims of killed processes.
    """
    participation = Participation(settings.state.file)

    def put_in_order(tx: Transaction) -> None:
        end_leases(tx, now)
        forget_services(tx)

    try:
        if participation.is_alone:
            # Otherwise the claims end in minutes.
            with contextlib.suppress(StateUnavailable):
                now = open_clock(state).now()
                state.write(put_in_order)
        participation.share()
    except BaseException:
        participation.close()
        raise
    return participation


@dataclass(frozen=True, slots=True)
class Deployment:
    """The services that an engine uses: real ones, or fakes in tests.

    Attributes:
        versioning: "semantic" or "sequential".
        selection: which relations get a package.
    """

    runtime: Runtime
    catalog: Catalog
    index: PackageIndex
    deriver: Deriver
    packaging: Packaging
    versioning: VersioningMode = "semantic"
    catalog_name: str = "catalog"
    selection: Selection = EVERYTHING


def parts_of(deployment: Deployment) -> Parts:
    runtime, packaging = deployment.runtime, deployment.packaging
    reader = CatalogReader(deployment.catalog, runtime.clock)
    investigator = Investigator(runtime, deployment.deriver)
    contents = Contents(packaging, deployment.selection)
    canary = Canary(runtime, reader, investigator, contents)
    settings = SettingsNotes(deployment.selection, packaging.build_keys, deployment.catalog_name)
    return Parts(
        runtime=runtime,
        catalog=deployment.catalog,
        reader=reader,
        investigator=investigator,
        settling=Settling(runtime.policy),
        settings=settings,
        publisher=Publisher(
            runtime,
            deployment.index,
            packaging,
            Preparation(
                runtime, Drafter(packaging, deployment.versioning), Recheck(runtime, reader)
            ),
        ),
        comparison=CatalogComparison(
            runtime,
            deployment.catalog,
            reader,
            deployment.deriver,
            settings,
            MassChangeBrake(runtime, deployment.catalog_name, canary.count_changing),
            deployment.catalog_name,
        ),
        index_comparison=IndexComparison(
            runtime,
            deployment.index,
            packaging,
            Discovery(runtime, deployment.index, packaging, reader),
            deployment.catalog_name,
        ),
        packaging=packaging,
        contents=contents,
    )


def build_engine(
    settings: Settings,
    state: State,
    catalog: Catalog,
    index: PackageIndex,
    processes: LimitedProcesses,
    outages: Outages | None = None,
) -> Engine:
    """An engine whose untrusted work runs in ``processes``, made by ``build_processes``.

    It notes failures of the catalog and the index in ``outages``.
    """
    outages = Outages() if outages is None else outages
    deployment = Deployment(
        runtime=Runtime(state, open_clock(state), build_policy(settings), outages=outages),
        catalog=ObservedCatalog(catalog, outages),
        index=ObservedIndex(index, outages),
        deriver=build_deriver(settings, processes),
        packaging=build_limited_packaging(settings, processes),
        versioning=settings.artifacts.versioning,
        catalog_name=settings.default_catalog.name,
        selection=build_selection(settings),
    )
    return Engine(parts_of(deployment))
