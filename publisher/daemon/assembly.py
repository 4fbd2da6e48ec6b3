"""Builds the service's sources, state and engine from settings; ``adapters`` builds the other parts."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import assert_never

from lakeschema.catalog.catalogs import adapter_of
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
from publisher.daemon.event_sources import build_named_source, group_of_this_process
from publisher.daemon.hearing import StatementSource
from publisher.daemon.notification_adapters import build_notices
from publisher.daemon.notifying import forget_former_receivers
from publisher.daemon.observed import ObservedIndex, observed
from publisher.daemon.same_default import require_same_default
from publisher.daemon.self_report import forget_services
from publisher.events.catalog_events import of_catalog, source_name
from publisher.events.ddl_folder import DDL_FOLDER, DdlFolderSource
from publisher.events.iceberg_changes import ICEBERG_CHANGES
from publisher.events.notification_log import NOTIFICATION_LOG, NotificationLogSource
from publisher.events.protocol import EventSource
from publisher.index.protocol import PackageIndex
from publisher.outages import Outages, catalog_service, event_source
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
    CatalogSettings,
    DdlFolderSettings,
    EventFolderSettings,
    EventSettings,
    HiveCatalogSettings,
    HttpEventsSettings,
    IcebergCatalogSettings,
    IcebergEventSettings,
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
from publisher.spans import NO_TRACES, Traces
from publisher.state import opening
from publisher.state.opening import Participation, StoredState, open_state
from publisher.state.places import place_of
from publisher.state.protocol import State, StateUnavailable, Transaction
from publisher.statements.log_files import LogFiles
from publisher.statements.topic import Topic
from publisher.steady_clock import LocalMachine, Machine, ServerTime, end_leases, open_clock


def build_sources(settings: Settings, catalog: Catalog) -> Sequence[EventSource]:
    """The sources. Each has a separate position.

    Raises:
        SettingsError: a source cannot be built, or two sources would share a position.
    """
    sources = [_source(events, settings, catalog) for events in settings.events]
    names = Counter(source.name for source in sources)
    name, count = names.most_common(1)[0] if names else ("", 0)
    if count > 1:
        for source in sources:
            source.close()
        why = f"events: {count} sources would share one position, {name!r}"
        raise SettingsError((f"{why}; set `catalog` of each, or remove all but one",))
    return sources


def _source(events: EventSettings, settings: Settings, catalog: Catalog) -> EventSource:
    match events:
        case NotificationLogSettings():
            of = settings.key_of_catalog(events.catalog)
            return of_catalog(_notification_log(events, settings.catalogs[of]), of)
        case KafkaSettings() | HttpEventsSettings() | EventFolderSettings():
            return build_named_source(events, settings)
        case DdlFolderSettings():
            of = settings.key_of_catalog(events.catalog)
            folder = adapter_of(catalog, of)
            if not isinstance(folder, DdlFilesCatalog):
                raise SettingsError(('events: "ddl-folder" needs catalog.kind = "ddl"',))
            return of_catalog(DdlFolderSource(folder), of)
        case IcebergEventSettings():
            of = settings.key_of_catalog(events.catalog)
            return of_catalog(_iceberg_changes(events, settings.catalogs[of]), of)
        case _:
            assert_never(events)


def _notification_log(
    events: NotificationLogSettings, metastore: CatalogSettings
) -> NotificationLogSource:
    """The source of a metastore's events.

    It uses the catalog's connection if the catalog is a metastore.
    """
    idle_seconds = events.poll_seconds
    if not isinstance(metastore, HiveCatalogSettings):
        if events.uri is None:
            why = 'events: "notification-log" needs a uri, or catalog.kind = "hive"'
            raise SettingsError((why,))
        return NotificationLogSource(events.uri, idle_seconds=idle_seconds)
    return NotificationLogSource(
        events.uri or metastore.uri,
        timeout_seconds=metastore.timeout_seconds,
        idle_seconds=idle_seconds,
        security=metastore.security(),
    )


def _iceberg_changes(events: IcebergEventSettings, catalog: CatalogSettings) -> EventSource:
    from publisher.daemon.iceberg_adapters import build_iceberg_changes

    if not isinstance(catalog, IcebergCatalogSettings):
        raise SettingsError(('events: "iceberg" needs catalog.kind = "iceberg"',))
    return build_iceberg_changes(events, catalog)


def shared_servers(settings: Settings) -> Mapping[str, str]:
    """Pairs of services that use one server, such as a catalog and the source of its events."""
    found: dict[str, str] = {}
    for events in settings.events:
        match events:
            case NotificationLogSettings():
                of = settings.key_of_catalog(events.catalog)
                catalog = settings.catalogs[of]
                if isinstance(catalog, HiveCatalogSettings) and events.uri in {None, catalog.uri}:
                    found[event_source(source_name(NOTIFICATION_LOG, of))] = catalog_service(of)
            case DdlFolderSettings():
                of = settings.key_of_catalog(events.catalog)
                found[event_source(source_name(DDL_FOLDER, of))] = catalog_service(of)
            case IcebergEventSettings():
                of = settings.key_of_catalog(events.catalog)
                found[event_source(source_name(ICEBERG_CHANGES, of))] = catalog_service(of)
            case KafkaSettings() | HttpEventsSettings() | EventFolderSettings():
                pass
            case _:
                assert_never(events)
    return found


def build_retention(settings: Settings) -> Retention | None:
    chosen = settings.index.retention
    if chosen is None:
        return None
    return Retention(chosen.keep_latest_per_major, chosen.yank_after_days * 86_400)


def build_state(settings: Settings) -> StoredState:
    return open_state(place_of(settings.state))


def _machine(settings: Settings) -> Machine:
    """The machine whose time counts: the server of a database, which other machines use, too."""
    place = place_of(settings.state)
    if isinstance(place, Path):
        return LocalMachine()
    from publisher.state.postgresql_connections import time_of

    return ServerTime(time_of(place))


def build_statement_logs(settings: Settings) -> Sequence[StatementSource]:
    chosen = settings.statements
    found: list[StatementSource] = []
    if chosen.log is not None:
        found.append(LogFiles(chosen.log))
    if chosen.kafka is not None:
        group = group_of_this_process(chosen.kafka.group_id, settings)
        found.append(Topic(chosen.kafka.model_copy(update={"group_id": group})))
    return found


def take_part(settings: Settings, state: State) -> Participation:
    """Registers that this process works on the state, until the result is closed.

    If no other process works on the state, this process releases the claims of killed processes.
    """
    participation = opening.take_part(place_of(settings.state))

    def put_in_order(tx: Transaction) -> None:
        end_leases(tx, now)
        forget_services(tx)
        forget_former_receivers(tx, [each.name for each in settings.notification])

    try:
        if participation.is_alone:
            # If this fails, the claims end by themselves after minutes.
            with contextlib.suppress(StateUnavailable):
                now = open_clock(state, _machine(settings)).now()
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
        settling=Settling(runtime.policy, runtime.notices),
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
    traces: Traces = NO_TRACES,
) -> Engine:
    """An engine. It handles untrusted input in ``processes``, which ``build_processes`` makes.

    It records failures of the catalog and the index in ``outages``.

    Raises:
        SettingsError: the state belongs to another default catalog.
    """
    require_same_default(settings, state)
    outages = Outages() if outages is None else outages
    deployment = Deployment(
        runtime=Runtime(
            state,
            open_clock(state, _machine(settings)),
            build_policy(settings),
            outages=outages,
            notices=build_notices(settings),
            traces=traces,
        ),
        catalog=observed(catalog, outages),
        index=ObservedIndex(index, outages),
        deriver=build_deriver(settings, processes),
        packaging=build_limited_packaging(settings, processes),
        versioning=settings.artifacts.versioning,
        catalog_name=settings.default_catalog.name,
        selection=build_selection(settings),
    )
    return Engine(parts_of(deployment))
