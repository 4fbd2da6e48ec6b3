"""Builds the catalog, the index and the deriver from settings, for reading commands and the service.

Each function imports the drivers that the settings choose: a command waits only for those that it
uses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from math import inf
from types import MappingProxyType
from typing import Any, Protocol, assert_never, runtime_checkable

from lakeschema.catalog.ddl_files import DdlFilesCatalog
from lakeschema.catalog.errors import MalformedDdl
from lakeschema.catalog.relations import Catalog, Dialect
from lakeschema.isolation.limits import Limits
from lakeschema.isolation.pool import LimitedProcesses
from lakeschema.isolation.process import Child
from lakeschema.table_files.limited import LimitedOwnSchemas
from lakeschema.translation.deriving import limited_deriver
from lakeschema.translation.deriving.deriver import Deriver
from lakeschema.translation.deriving.made_tables import query_columns
from lakeschema.translation.functions.udf_plugins import (
    GROUP,
    PluginResolver,
    UnusablePlugin,
    installed_references,
)
from lakeschema.translation.model.interface import (
    Inexpressible,
    Options,
    UdfResolver,
    ViewEvolution,
)
from publisher.daemon.package_links import package_links
from publisher.index.protocol import PackageIndex, Sign
from publisher.index.static import StaticIndex
from publisher.policy import DeadLetterLimit, DeletionLimit, Policy
from publisher.publishing import limited_packaging
from publisher.publishing.packaging import WheelPackaging
from publisher.publishing.packaging_protocol import Packaging
from publisher.selection import Selection
from publisher.settings import (
    DdlCatalogSettings,
    HiveCatalogSettings,
    Settings,
    SettingsError,
    SparkCatalogSettings,
    StaticIndexSettings,
    Translation,
    TwineIndexSettings,
)


def generator_version() -> str:
    """This distribution's version; it goes into every package's provenance."""
    try:
        return version("schema-publisher")
    except PackageNotFoundError:
        return "unknown"


def build_catalog(settings: Settings) -> Catalog:
    catalog = settings.default_catalog
    match catalog:
        case HiveCatalogSettings():
            from lakeschema.catalog.hive_metastore import HiveMetastoreCatalog

            return HiveMetastoreCatalog(
                catalog.uri,
                name=catalog.name,
                timeout_seconds=catalog.timeout_seconds,
                security=catalog.security(),
                own_schemas=LimitedOwnSchemas(catalog.table_files.limits()),
            )
        case DdlCatalogSettings():
            # The processes start with the first query of a CREATE TABLE … AS SELECT.
            processes = build_processes(settings)
            columns = query_columns(build_deriver(settings, processes))
            return DdlFilesCatalog(
                catalog.path, Dialect(catalog.dialect), columns, on_close=processes.close
            )
        case SparkCatalogSettings():
            # PySpark is an optional extra that only Spark catalogs need.
            from lakeschema.catalog.spark import SparkCatalog
            from lakeschema.spark.session import spark_session

            schemas = LimitedOwnSchemas(catalog.table_files.limits())
            return SparkCatalog(spark_session(catalog.conf), catalog.name, schemas)
        case _:
            assert_never(catalog)


def unapplied_statements(catalog: Catalog) -> Sequence[MalformedDdl]:
    """Statements of a DDL folder that could not be read or applied; the relations involved report them too."""
    return catalog.problems() if isinstance(catalog, DdlFilesCatalog) else ()


def build_user_grants(catalog: Catalog) -> Callable[[str], Mapping[str, Any]]:
    """Returns a function that reads a user's grants.

    Raises:
        SettingsError: the catalog has no grants.
    """
    from lakeschema.catalog.hive_metastore import HiveMetastoreCatalog
    from lakeschema.catalog.metastore_grants import MetastoreGrants

    if not isinstance(catalog, HiveMetastoreCatalog):
        raise SettingsError(('check.grants_from_metastore needs catalog.kind = "hive"',))
    return MetastoreGrants(catalog.client).of


def build_ddl_dialect(settings: Settings) -> Dialect | None:
    """The dialect of DDL that changes the catalog; None for a metastore, which Hive and Spark may share."""
    catalog = settings.default_catalog
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
    catalog = build_catalog(settings)
    try:
        yield catalog
    finally:
        close_catalog(catalog)


def close_catalog(catalog: Catalog) -> None:
    if isinstance(catalog, _Closeable):
        catalog.close()


@runtime_checkable
class _Closeable(Protocol):
    def close(self) -> None: ...


def build_index(settings: Settings) -> PackageIndex:
    from publisher.daemon.signing import build_sign

    _require_signable(settings)
    return _index(settings, build_sign(settings))


def build_index_to_read(settings: Settings) -> PackageIndex:
    """The index for commands that upload nothing and may be unable to read the signing key."""
    _require_signable(settings)
    return _index(settings, None)


def _require_signable(settings: Settings) -> None:
    artifacts = settings.artifacts
    asks_for_signatures = artifacts.signing_key_file or artifacts.trusted_keys
    if asks_for_signatures and isinstance(settings.index, TwineIndexSettings):
        why = 'need index.kind = "static": an upload by twine has no provenance'
        raise SettingsError((f"artifacts.signing_key_file and artifacts.trusted_keys {why}",))


def _index(settings: Settings, sign: Sign | None) -> PackageIndex:
    index = settings.index
    match index:
        case StaticIndexSettings():
            return StaticIndex(index.path, sign=sign)
        case TwineIndexSettings():
            from publisher.index.twine_index import TwineIndex

            return TwineIndex(
                index.repository_url,
                index.simple_url,
                index.username,
                index.secret(),
                timeout_seconds=index.timeout_seconds,
                file_hosts=index.file_hosts,
            )
        case _:
            assert_never(index)


def build_options(settings: Settings) -> Options:
    translation, trino = settings.translation, settings.trino
    is_ddl = settings.default_catalog.kind == "ddl"
    by_kind = ViewEvolution.FOLLOW if is_ddl else ViewEvolution.ENGINE
    return Options(
        casing=translation.casing,
        nullability=translation.nullability,
        strict=translation.strict,
        view_evolution=translation.view_evolution or by_kind,
        timestamp_unit=translation.timestamp_unit,
        local_timestamps=translation.local_timestamps,
        spark_catalogs=frozenset(name.lower() for name in translation.spark_catalogs),
        inexpressible=translation.inexpressible,
        max_sql_bytes=settings.engine.max_sql_bytes,
        udfs=MappingProxyType({k: v.udf_return for k, v in sorted(translation.udfs.items())}),
        udf_resolver=_udf_resolver(translation),
        spark_udfs=tuple(udf.rule for udf in translation.spark_udfs),
        trino_udfs=tuple(udf.rule for udf in trino.udfs),
        trino_catalogs=MappingProxyType(dict(trino.catalogs)),
        overflow=trino.overflow,
        nulls=trino.nulls,
    )


def _udf_resolver(translation: Translation) -> UdfResolver | None:
    """Imports the plugins now, so that a missing one fails the start."""
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


def build_processes(settings: Settings, early: Child | None = None) -> LimitedProcesses:
    """The processes that handle untrusted input; each starts with its first question.

    ``early`` is a process that already runs.
    """
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
        early=early,
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
    """Like ``build_packaging``, but ``processes`` handle untrusted input."""
    return limited_packaging.LimitedPackaging(
        processes, build_packaging(settings), settings.artifacts.second_opinion
    )


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
