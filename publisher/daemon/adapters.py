"""Builds the catalog, the index and the deriver from settings, for commands and the service.

Each function imports only the drivers that the settings choose, so a command loads only the drivers that
it needs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from math import inf
from types import MappingProxyType
from typing import Any, Protocol, assert_never, runtime_checkable

from lakeschema.catalog.catalogs import Catalogs, adapter_of, parts_of
from lakeschema.catalog.ddl_files import DdlFilesCatalog
from lakeschema.catalog.ddl_state import NamedInDdl
from lakeschema.catalog.errors import CatalogError, MalformedDdl
from lakeschema.catalog.registered_catalogs import RegisteredCatalog
from lakeschema.catalog.relations import Catalog, Dialect
from lakeschema.catalog.sessions import SPARKS_SESSION_CATALOG, CatalogTraits
from lakeschema.catalog.typed_names import NamingRules
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
    CatalogRule,
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
    CatalogSettings,
    DdlCatalogSettings,
    HiveCatalogSettings,
    IcebergCatalogSettings,
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
    """The catalog of the settings, or ``Catalogs`` if they have several."""
    built: dict[str, Catalog] = {}
    try:
        for name, chosen in settings.catalogs.items():
            built[name] = _adapter(chosen, settings)
    except BaseException:
        for each in built.values():
            _close_adapter(each)
        raise
    default = built.pop("")
    return Catalogs.of(default, built) if built else default


def _adapter(catalog: CatalogSettings, settings: Settings) -> Catalog:
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
            # A process starts only when a CREATE TABLE … AS SELECT needs it.
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
        case IcebergCatalogSettings():
            from publisher.daemon.iceberg_adapters import build_iceberg_catalog

            return build_iceberg_catalog(catalog)
        case _:
            assert_never(catalog)


def unapplied_statements(catalog: Catalog) -> Sequence[MalformedDdl]:
    """Statements of a DDL folder that could not be read or applied.

    Their relations report these problems, too.
    """
    adapters = [adapter_of(catalog, name) for name in parts_of(catalog)]
    return [p for each in adapters if isinstance(each, DdlFilesCatalog) for p in each.problems()]


def build_user_grants(catalog: Catalog) -> Callable[[str], Mapping[str, Any]]:
    """Returns a function that reads a user's grants in every metastore of the catalog.

    Raises:
        SettingsError: the catalog has no grants.
    """
    from lakeschema.catalog.hive_metastore import HiveMetastoreCatalog
    from lakeschema.catalog.metastore_grants import MetastoreGrants

    adapters = {name: adapter_of(catalog, name) for name in parts_of(catalog)}
    metastores = [
        MetastoreGrants(adapter.client, name)
        for name, adapter in adapters.items()
        if isinstance(adapter, HiveMetastoreCatalog)
    ]
    if not metastores:
        raise SettingsError(('check.grants_from_metastore needs catalog.kind = "hive"',))

    def of(user: str) -> Mapping[str, Any]:
        found = [metastore.of(user) for metastore in metastores]
        roles = {role: users for each in found for role, users in each["roles"].items()}
        return {"roles": roles, "grants": [grant for each in found for grant in each["grants"]]}

    return of


def build_ddl_dialect(settings: Settings) -> Dialect | None:
    """The dialect of the DDL that changes the catalog; None for a metastore: Hive and Spark may share it."""
    catalog = settings.default_catalog
    match catalog:
        case HiveCatalogSettings():
            return None
        case DdlCatalogSettings():
            return Dialect(catalog.dialect)
        case SparkCatalogSettings():
            return Dialect.SPARK
        case IcebergCatalogSettings():
            # Several engines may share a metastore.
            return None
        case _:
            assert_never(catalog)


def build_ddl_catalogs(settings: Settings) -> Mapping[str, NamedInDdl]:
    """The meaning of catalogs' names in DDL that changes these catalogs; empty for a single catalog."""
    if len(settings.catalog) == 1:
        return {}
    rules = _catalog_rules(settings).items()
    return {name: NamedInDdl(rule.key, rule.folds_case) for name, rule in rules}


@contextmanager
def open_catalog(settings: Settings) -> Iterator[Catalog]:
    catalog = build_catalog(settings)
    try:
        yield catalog
    finally:
        close_catalog(catalog)


@contextmanager
def open_catalogs(settings: Settings) -> Iterator[Mapping[str, RegisteredCatalog]]:
    """Every catalog by its name, with its rules for names; the default catalog comes first.

    If a catalog cannot be built, all others are still opened.
    """
    found: dict[str, RegisteredCatalog] = {}
    with ExitStack() as opened:
        for chosen in settings.catalogs.values():
            traits = catalog_traits(chosen)
            try:
                adapter = _adapter(chosen, settings)
            except (SettingsError, CatalogError) as error:
                if len(settings.catalog) == 1:
                    raise
                failed = replace(traits, not_loaded=str(error))
                found[chosen.name] = RegisteredCatalog(None, failed)
            else:
                opened.callback(_close_adapter, adapter)
                found[chosen.name] = RegisteredCatalog(adapter, traits)
        yield found


def naming_rules(settings: Settings) -> NamingRules:
    """The rules for names that people type."""
    return NamingRules(
        {chosen.name: catalog_traits(chosen).folds_case for chosen in settings.catalog},
        settings.default_catalog.name,
    )


def catalog_traits(chosen: CatalogSettings) -> CatalogTraits:
    """The traits of a catalog: how it compares names, and where a session begins in it."""
    match chosen:
        case HiveCatalogSettings() | DdlCatalogSettings():
            return CatalogTraits(default_namespace=("default",), folds_case=True)
        case SparkCatalogSettings():
            is_sparks = chosen.name == SPARKS_SESSION_CATALOG
            return CatalogTraits(
                default_namespace=("default",) if is_sparks else (), folds_case=is_sparks
            )
        case IcebergCatalogSettings():
            return CatalogTraits(folds_case=chosen.folds_case)
        case _:
            assert_never(chosen)


def close_catalog(catalog: Catalog) -> None:
    for name in parts_of(catalog):
        _close_adapter(adapter_of(catalog, name))


def _close_adapter(catalog: Catalog) -> None:
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
    """The index for commands that upload nothing. It needs no signing key."""
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
        catalogs=MappingProxyType(_catalog_rules(settings)),
        overflow=trino.overflow,
        nulls=trino.nulls,
    )


def catalog_names(settings: Settings) -> Mapping[str, str]:
    """Maps the name of each catalog in statements to the ``RelationName.catalog`` of its relations."""
    return {name: rule.key for name, rule in _catalog_rules(settings).items()}


def _catalog_rules(settings: Settings) -> dict[str, CatalogRule]:
    """The rules for catalogs' names in views; empty for a single catalog that has no name in SQL.

    Iceberg's views record the catalog that the names in their text belong to.
    """
    catalogs = settings.catalogs
    only = catalogs[""] if len(catalogs) == 1 else None
    is_like_hives = only is not None and catalog_traits(only).folds_case and not only.sql_names
    if is_like_hives and not isinstance(only, IcebergCatalogSettings):
        return {}
    return {
        sql_name: CatalogRule(name, catalog_traits(chosen).folds_case)
        for name, chosen in catalogs.items()
        for sql_name in (chosen.name, *chosen.sql_names)
    }


def _udf_resolver(translation: Translation) -> UdfResolver | None:
    """The resolver of UDFs; imports its plugins now, so that a missing plugin fails the start."""
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
    """The processes that handle untrusted input; each starts at its first request.

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
        removed_catalogs=frozenset(settings.snapshot.removed_catalogs),
        trusted_keys=settings.artifacts.public_keys,
    )
