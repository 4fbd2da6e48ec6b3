"""The one place where settings become real objects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import MappingProxyType
from typing import assert_never

from lakeschema.catalog.ddl_files import DdlFilesCatalog
from lakeschema.catalog.hive_metastore import HiveMetastoreCatalog
from lakeschema.catalog.relations import Catalog, Dialect
from lakeschema.translation.interface import (
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
from publisher.daemon.engine import Engine, Parts
from publisher.events.ddl_folder import DdlFolderSource
from publisher.events.kafka_topic import KafkaSource
from publisher.events.notification_log import NotificationLogSource
from publisher.events.protocol import EventSource
from publisher.index.protocol import PackageIndex
from publisher.index.static import StaticIndex
from publisher.index.twine_index import TwineIndex
from publisher.policy import Policy
from publisher.publishing.drafting import Drafter
from publisher.publishing.packaging import WheelPackaging
from publisher.publishing.packaging_protocol import Packaging
from publisher.publishing.publisher import Publisher
from publisher.publishing.recheck import Recheck
from publisher.publishing.retention import Retention
from publisher.publishing.versioning import VersioningMode
from publisher.runtime import Runtime, SystemClock
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
from publisher.settling.comparison import CatalogComparison
from publisher.settling.deriving import Deriver
from publisher.settling.findings import CatalogReader, Investigator
from publisher.settling.settling import Settling
from publisher.state.protocol import State
from publisher.state.sqlite import SqliteState


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
                catalog.uri, name=catalog.name, timeout_seconds=catalog.timeout_seconds
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
            return NotificationLogSource(
                events.uri or _metastore_uri(settings), idle_seconds=events.poll_seconds
            )
        case KafkaSettings():
            return KafkaSource(
                events.bootstrap_servers,
                events.topic,
                group_id=events.group_id,
                options=events.options,
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
    index = settings.index
    match index:
        case StaticIndexSettings():
            return StaticIndex(index.path)
        case TwineIndexSettings():
            return TwineIndex(
                index.repository_url, index.simple_url, index.username, index.secret()
            )
        case _:
            assert_never(index)


def build_retention(settings: Settings) -> Retention | None:
    chosen = settings.index.retention
    if chosen is None:
        return None
    return Retention(chosen.keep_latest_per_major, chosen.yank_after_days * 86_400)


def build_state(settings: Settings) -> State:
    path = Path(settings.state.url.removeprefix("sqlite:///"))
    path.parent.mkdir(parents=True, exist_ok=True)
    return SqliteState(path)


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


def build_packaging(settings: Settings) -> WheelPackaging:
    artifacts = settings.artifacts
    return WheelPackaging(
        artifacts.prefix,
        immutable=artifacts.immutable,
        project_urls=artifacts.project_urls,
        generator_version=generator_version(),
    )


def build_selection(settings: Settings) -> Selection:
    return Selection(settings.artifacts.include, settings.artifacts.exclude)


def build_policy(settings: Settings) -> Policy:
    engine = settings.engine
    return Policy(
        debounce_seconds=engine.debounce_seconds,
        max_wait_seconds=engine.max_wait_seconds,
        staleness_seconds=engine.staleness_seconds,
        drop_grace_seconds=engine.drop_grace_seconds,
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
    return Parts(
        runtime=runtime,
        catalog=deployment.catalog,
        reader=reader,
        investigator=Investigator(runtime, deployment.deriver),
        settling=Settling(runtime.policy),
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
            deployment.selection,
            packaging.build_keys,
            deployment.catalog_name,
        ),
        packaging=packaging,
        selection=deployment.selection,
    )


def build_engine(
    settings: Settings, state: State, catalog: Catalog, index: PackageIndex, deriver: Deriver
) -> Engine:
    (catalog_settings,) = settings.catalog
    deployment = Deployment(
        runtime=Runtime(state, SystemClock(), build_policy(settings)),
        catalog=catalog,
        index=index,
        deriver=deriver,
        packaging=build_packaging(settings),
        versioning=settings.artifacts.versioning,
        catalog_name=catalog_settings.name,
        selection=build_selection(settings),
    )
    return Engine(parts_of(deployment))
