"""Builds Iceberg catalogs and their event sources from settings."""

from __future__ import annotations

from functools import partial
from typing import assert_never

from lakeschema.catalog.iceberg import IcebergCatalog, IcebergSource
from lakeschema.catalog.iceberg_databases import Databases, DatabasesSource
from lakeschema.catalog.iceberg_http import RestLogin, RestServer
from lakeschema.catalog.iceberg_nessie import NessieSource
from lakeschema.catalog.iceberg_rest import RestSource
from lakeschema.catalog.iceberg_sql import SqlSource
from lakeschema.table_files.limited import LimitedOwnSchemas
from publisher.events.iceberg_changes import IcebergChanges
from publisher.settings import IcebergCatalogSettings, IcebergEventSettings, SettingsError
from publisher.settings.connections import tls_files


def build_iceberg_catalog(chosen: IcebergCatalogSettings) -> IcebergCatalog:
    """Builds the catalog.

    Raises:
        SettingsError: a file is unreadable, or an extra is not installed.
        CatalogRefused: the URL is malformed, or boto3's configuration is incomplete.
    """
    return IcebergCatalog(_source(chosen), LimitedOwnSchemas(chosen.table_files.limits()))


def build_iceberg_changes(
    events: IcebergEventSettings, catalog: IcebergCatalogSettings
) -> IcebergChanges:
    """Builds the event source, which has separate connections.

    Raises the errors of ``build_iceberg_catalog``.
    """
    return IcebergChanges(_source(catalog), poll_seconds=events.poll_seconds)


def _source(chosen: IcebergCatalogSettings) -> IcebergSource:
    match chosen.type:
        case "sql":
            stored_name = chosen.catalog_name or chosen.name
            password = chosen.current_password()
            return SqlSource(
                chosen.address,
                stored_name,
                name=chosen.name,
                password=password,
                timeout_seconds=chosen.timeout_seconds,
            )
        case "rest":
            at_once = chosen.max_connections
            return RestSource(_server(chosen), partial(_login, chosen), at_once=at_once)
        case "nessie":
            return NessieSource(
                _server(chosen), partial(_login, chosen), reference=chosen.reference
            )
        case "hive":
            # The Thrift bindings are slow to import, and other types do not need them.
            from lakeschema.catalog.iceberg_hive import HiveDatabases

            metastore = HiveDatabases(
                chosen.address,
                name=chosen.name,
                timeout_seconds=chosen.timeout_seconds,
                security=chosen.security(),
            )
            return DatabasesSource(metastore)
        case "glue":
            return DatabasesSource(_glue(chosen))
        case _:
            assert_never(chosen.type)


def _glue(chosen: IcebergCatalogSettings) -> Databases:
    try:
        from lakeschema.catalog.iceberg_glue import GlueDatabases
    except ModuleNotFoundError as error:
        why = (
            f'catalog.type = "glue" needs {error.name}: '
            "pip install '.[glue]' in the checkout of schema-publisher"
        )
        raise SettingsError((why,)) from None
    return GlueDatabases(
        name=chosen.name,
        region=chosen.region,
        endpoint=chosen.uri,
        catalog_id=chosen.catalog_id,
        timeout_seconds=chosen.timeout_seconds,
        at_once=chosen.max_connections,
    )


def _server(chosen: IcebergCatalogSettings) -> RestServer:
    files = {} if chosen.tls is None else tls_files("catalog.tls", chosen.tls)
    return RestServer(
        chosen.address,
        chosen.name,
        chosen.warehouse,
        ca_file=files.get("ca_file"),
        cert_file=files.get("cert_file"),
        key_file=files.get("key_file"),
        timeout_seconds=chosen.timeout_seconds,
        max_bytes=chosen.table_files.max_megabytes * 1024**2,
        headers=chosen.headers or {},
    )


def _login(chosen: IcebergCatalogSettings) -> RestLogin:
    scope = "catalog" if chosen.type == "rest" else ""
    return RestLogin(
        chosen.current_token(),
        chosen.current_credential(),
        chosen.oauth_uri,
        scope if chosen.scope is None else chosen.scope,
    )
