"""The one place where settings become real objects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from math import inf
from types import MappingProxyType
from typing import assert_never

from lakeschema.catalog.ddl_files import DdlFilesCatalog
from lakeschema.catalog.hive_metastore import HiveMetastoreCatalog
from lakeschema.catalog.metastore_security import UNSECURED
from lakeschema.catalog.relations import Catalog, Dialect
from lakeschema.isolation.limits import Limits
from lakeschema.isolation.pool import LimitedProcesses
from lakeschema.translation import limited_deriver
from lakeschema.translation.deriver import Deriver
from lakeschema.translation.interface import (
    Inexpressible,
    Options,
    UdfResolver,
    ViewEvolution,
)
from lakeschema.translation.udf_plugins import (
    GROUP,
    PluginResolver,
    UnusablePlugin,
    installed_references,
)
from publisher.daemon.canary import Canary, Contents
from publisher.daemon.engine import Engine, Parts
from publisher.daemon.observed import ObservedCatalog, ObservedIndex
from publisher.daemon.package_links import package_links
from publisher.daemon.signing import build_sign
from publisher.events.ddl_folder import DdlFolderSource
from publisher.events.kafka_topic import KafkaSource
from publisher.events.notification_log import NotificationLogSource
from publisher.events.protocol import EventSource
from publisher.index.protocol import PackageIndex
from publisher.index.static import Sign, StaticIndex
from publisher.index.twine_index import TwineIndex
from publisher.outages import Outages
from publisher.policy import DeadLetterLimit, DeletionLimit, Policy
from publisher.publishing import limited_packaging
from publisher.publishing.discovery import Discovery
from publisher.publishing.drafting import Drafter
from publisher.publishing.index_comparison import IndexComparison
from publisher.publishing.packaging import WheelPackaging
from publisher.publishing.packaging_protocol import Packaging
from publisher.publishing.publisher import Publisher
from publisher.publishing.recheck import Recheck
from publisher.publishing.retention import Retention
from publisher.publishing.versioning import VersioningMode
from publisher.runtime import Runtime
from publisher.selection import EVERYTHING, Selection
from publisher.settings import (
    DdlCatalogSettings,
    DdlFolderSettings,
    EventSettings,
    HiveCatalogSettings,
    KafkaSettings,
    NotificationLogSettings,
    Settings,
    SettingsError,
    SparkCatalogSettings,
    StaticIndexSettings,
    Translation,
    TwineIndexSettings,
)
from publisher.settling.changed_settings import SettingsNotes
from publisher.settling.comparison import CatalogComparison
from publisher.settling.findings import CatalogReader, Investigator
from publisher.settling.mass_change import MassChangeBrake
from publisher.settling.settling import Settling
from publisher.state.protocol import State
from publisher.state.sqlite import SqliteState
from publisher.steady_clock import open_clock


def generator_version() -> str:
    """This distribution's version; it goes into every package's provenance."""
    try:
        return version("schema-publisher")
    except PackageNotFoundError:
        return "unknown"


def build_catalog(settings: Settings) -> Catalog:
    (catalog,) = settings.catalog
    match catalog:
        case HiveCatalogSettings():
            return HiveMetastoreCatalog(
                catalog.uri,
                name=catalog.name,
                timeout_seconds=catalog.timeout_seconds,
                security=catalog.security(),
            )
        case DdlCatalogSettings():
            return DdlFilesCatalog(catalog.path, Dialect(catalog.dialect))
        case SparkCatalogSettings():
            # PySpark is an optional extra, which only Spark catalogs need.
            from lakeschema.catalog.spark import SparkCatalog
            from lakeschema.spark.session import spark_session

            return SparkCatalog(spark_session(catalog.conf), catalog.name)
        case _:
            assert_never(catalog)


def build_ddl_dialect(settings: Settings) -> Dialect | None:
    """Whose DDL changes the catalog; None for a metastore, which Hive and Spark may share."""
    (catalog,) = settings.catalog
    match catalog:
        case HiveCatalogSettings():
            return None
        case DdlCatalogSettings():
            return Dialect(catalog.dialect)
        case SparkCatalogSettings():
            return Dialect.SPARK
        case _:
            assert_never(catalog)


@contextmanager
def open_catalog(settings: Settings) -> Iterator[Catalog]:
    """Builds the catalog, and closes its connections at the end."""
    catalog = build_catalog(settings)
    try:
        yield catalog
    finally:
        close_catalog(catalog)


def close_catalog(catalog: Catalog) -> None:
    if isinstance(catalog, HiveMetastoreCatalog):
        catalog.close()


def build_sources(settings: Settings, catalog: Catalog) -> Sequence[EventSource]:
    return [_source(events, settings, catalog) for events in settings.events]


def _source(events: EventSettings, settings: Settings, catalog: Catalog) -> EventSource:
    match events:
        case NotificationLogSettings():
            (metastore,) = settings.catalog
            return NotificationLogSource(
                events.uri or _metastore_uri(settings),
                idle_seconds=events.poll_seconds,
                security=(
                    metastore.security()
                    if isinstance(metastore, HiveCatalogSettings)
                    else UNSECURED
                ),
            )
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


def _metastore_uri(settings: Settings) -> str:
    (catalog,) = settings.catalog
    if isinstance(catalog, HiveCatalogSettings):
        return catalog.uri
    raise SettingsError(
        ('events: "notification-log" needs a uri of its own, or catalog.kind = "hive"',)
    )


def build_index(settings: Settings) -> PackageIndex:
    return _index(settings, build_sign(settings))


def build_index_to_read(settings: Settings) -> PackageIndex:
    """For whoever uploads nothing, and need not be able to read the signing key."""
    return _index(settings, None)


def _index(settings: Settings, sign: Sign | None) -> PackageIndex:
    index, artifacts = settings.index, settings.artifacts
    match index:
        case StaticIndexSettings():
            return StaticIndex(index.path, sign=sign)
        case TwineIndexSettings() if artifacts.signing_key_file or artifacts.trusted_keys:
            why = 'need index.kind = "static": an upload by twine has no provenance'
            raise SettingsError((f"artifacts.signing_key_file and artifacts.trusted_keys {why}",))
        case TwineIndexSettings():
            return TwineIndex(
                index.repository_url,
                index.simple_url,
                index.username,
                index.secret(),
                file_hosts=index.file_hosts,
            )
        case _:
            assert_never(index)


def build_retention(settings: Settings) -> Retention | None:
    chosen = settings.index.retention
    if chosen is None:
        return None
    return Retention(chosen.keep_latest_per_major, chosen.yank_after_days * 86_400)


def build_state(settings: Settings) -> State:
    file = settings.state.file
    file.parent.mkdir(parents=True, exist_ok=True)
    return SqliteState(file)


def build_options(settings: Settings) -> Options:
    translation = settings.translation
    (catalog,) = settings.catalog
    by_kind = ViewEvolution.FOLLOW if catalog.kind == "ddl" else ViewEvolution.ENGINE
    return Options(
        casing=translation.casing,
        nullability=translation.nullability,
        strict=translation.strict,
        view_evolution=translation.view_evolution or by_kind,
        timestamp_unit=translation.timestamp_unit,
        local_timestamps=translation.local_timestamps,
        inexpressible=translation.inexpressible,
        max_sql_bytes=settings.engine.max_sql_bytes,
        udfs=MappingProxyType({k: v.udf_return for k, v in sorted(translation.udfs.items())}),
        udf_resolver=_udf_resolver(translation),
        spark_udfs=tuple(udf.rule for udf in translation.spark_udfs),
    )


def _udf_resolver(translation: Translation) -> UdfResolver | None:
    """Imports the plugins now, so that the start fails if one is missing."""
    chosen = translation.udf_plugins
    references = installed_references() if chosen is None else chosen
    if not references:
        return None
    resolver = PluginResolver(references)
    try:
        resolver.load()
    except UnusablePlugin as error:
        where = (
            f"the installed entry points of {GROUP}"
            if chosen is None
            else "translation.udf_plugins"
        )
        raise SettingsError((f"{where}: {error}",)) from None
    return resolver


def build_limits(settings: Settings) -> Limits:
    return Limits(timeout_seconds=settings.engine.derivation_timeout_seconds)


def build_processes(settings: Settings) -> LimitedProcesses:
    """The processes that do what depends on untrusted input; each starts with its first question."""
    return LimitedProcesses(
        {
            limited_deriver.HANDLER: limited_deriver.derivation_handler(build_options(settings)),
            limited_packaging.HANDLER: limited_packaging.packaging_handler(
                settings.artifacts.prefix,
                immutable=settings.artifacts.immutable,
                project_urls=package_links(settings),
                second_opinion=settings.artifacts.second_opinion,
            ),
        },
        count=settings.engine.workers,
        limits=build_limits(settings),
    )


def build_deriver(settings: Settings, processes: LimitedProcesses) -> Deriver:
    return limited_deriver.LimitedDeriver(processes, build_options(settings))


def build_packaging(settings: Settings) -> WheelPackaging:
    artifacts = settings.artifacts
    return WheelPackaging(
        artifacts.prefix,
        immutable=artifacts.immutable,
        project_urls=package_links(settings),
        generator_version=generator_version(),
        refuses_omissions=settings.translation.inexpressible is Inexpressible.REFUSE,
    )


def build_limited_packaging(settings: Settings, processes: LimitedProcesses) -> Packaging:
    """As ``build_packaging``; what depends on untrusted input is done by ``processes``."""
    return limited_packaging.LimitedPackaging(processes, build_packaging(settings))


def build_selection(settings: Settings) -> Selection:
    return Selection(settings.artifacts.include, settings.artifacts.exclude)


def build_policy(settings: Settings) -> Policy:
    engine = settings.engine
    return Policy(
        questions_at_once=settings.engine.workers,
        debounce_seconds=engine.debounce_seconds,
        max_wait_seconds=engine.max_wait_seconds,
        staleness_seconds=engine.staleness_seconds,
        max_lag_seconds=engine.max_lag_seconds,
        max_backoff_seconds=engine.max_backoff_seconds,
        dead_letter_limit=DeadLetterLimit(
            count=engine.max_dead_letters,
            bytes=engine.max_dead_letter_bytes,
            age_seconds=engine.max_dead_letter_days * 86_400,
        ),
        drop_grace_seconds=engine.drop_grace_seconds,
        max_versions_per_hour=engine.max_versions_per_hour,
        mass_change=engine.mass_change,
        deletion_limit=DeletionLimit(engine.max_deletions, engine.max_deletion_share),
        index_checks_per_second=settings.index.checks_per_second
        if isinstance(settings.index, TwineIndexSettings)
        else inf,
        # A server's root page may list millions of projects.
        discovers_packages=isinstance(settings.index, StaticIndexSettings),
        trusted_keys=settings.artifacts.public_keys,
    )


@dataclass(frozen=True, slots=True)
class Deployment:
    """What an engine works with: real services, or fakes in tests.

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
            Drafter(packaging, deployment.versioning),
            Recheck(runtime, reader),
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
    """An engine whose untrusted work is done by ``processes``, those of ``build_processes``.

    It notes in ``outages`` what fails of the catalog and the index.
    """
    (catalog_settings,) = settings.catalog
    outages = Outages() if outages is None else outages
    deployment = Deployment(
        runtime=Runtime(state, open_clock(state), build_policy(settings), outages=outages),
        catalog=ObservedCatalog(catalog, outages),
        index=ObservedIndex(index, outages),
        deriver=build_deriver(settings, processes),
        packaging=build_limited_packaging(settings, processes),
        versioning=settings.artifacts.versioning,
        catalog_name=catalog_settings.name,
        selection=build_selection(settings),
    )
    return Engine(parts_of(deployment))
