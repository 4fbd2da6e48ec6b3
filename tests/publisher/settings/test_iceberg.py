from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from lakeschema.catalog.iceberg_databases import DatabasesSource
from lakeschema.catalog.iceberg_glue import GlueDatabases
from lakeschema.catalog.iceberg_hive import HiveDatabases
from lakeschema.catalog.iceberg_nessie import NessieSource
from lakeschema.catalog.iceberg_rest import RestSource
from lakeschema.catalog.iceberg_sql import SqlSource
from lakeschema.catalog.metastore_security import Sasl
from publisher.daemon.adapters import catalog_traits
from publisher.daemon.iceberg_adapters import build_iceberg_catalog, build_iceberg_changes
from publisher.settings import IcebergCatalogSettings, IcebergEventSettings, SettingsError

REST = {"kind": "iceberg", "type": "rest", "uri": "https://lake.example/catalog"}
SQL = {"kind": "iceberg", "type": "sql", "uri": "sqlite:////lake.db"}
HIVE = {"kind": "iceberg", "type": "hive", "uri": "thrift://metastore.example:9083"}
NESSIE = {"kind": "iceberg", "type": "nessie", "uri": "https://nessie.example/api/v2"}
GLUE = {"kind": "iceberg", "type": "glue", "region": "eu-west-1"}


def settings(known: dict[str, str], **more: Any) -> IcebergCatalogSettings:
    return IcebergCatalogSettings.model_validate({**known, **more})


@pytest.mark.parametrize(
    ("known", "more", "reason"),
    [
        (SQL, {"token": "x"}, 'token does nothing for type = "sql"'),
        (SQL, {"warehouse": "x"}, 'warehouse does nothing for type = "sql"'),
        (REST, {"catalog_name": "x"}, 'catalog_name does nothing for type = "rest"'),
        (REST, {"password_file": "x"}, 'password_file does nothing for type = "rest"'),
        (REST, {"token": "x", "credential": "y"}, "only one of token and credential"),
        (REST, {"uri": "lake.example"}, "uri is not an address"),
        (REST, {"uri": "https://me:secret@lake.example"}, "uri is not an address"),
        (REST, {"uri": "http://lake.example", "token": "x"}, "over plain http://"),
        (REST, {"uri": None}, 'uri is missing; type = "rest" needs it'),
        (HIVE, {"uri": None}, 'uri is missing; type = "hive" needs it'),
        (HIVE, {"uri": "http://h"}, "invalid metastore address 'http://h'"),
        (HIVE, {"sasl": {"mechanism": "PLAIN"}}, "sasl would send the password unencrypted"),
        (HIVE, {"region": "eu-west-1"}, 'region does nothing for type = "hive"'),
        (GLUE, {"tls": {}}, 'tls does nothing for type = "glue"'),
        (GLUE, {"sasl": {"mechanism": "PLAIN"}}, 'sasl does nothing for type = "glue"'),
        (GLUE, {"uri": "glue.example"}, "uri is not an address"),
        (GLUE, {"uri": "http://glue.example"}, "over plain http://"),
        (REST, {"catalog_id": "1"}, 'catalog_id does nothing for type = "rest"'),
        (REST, {"reference": "main"}, 'reference does nothing for type = "rest"'),
        (NESSIE, {"warehouse": "x"}, 'warehouse does nothing for type = "nessie"'),
        (NESSIE, {"reference": "main@ab"}, "reference is not the name of a branch or tag"),
        (NESSIE, {"reference": ""}, "reference"),
        (NESSIE, {"uri": "http://nessie.example", "token": "x"}, "over plain http://"),
        (NESSIE, {"credential": "x"}, "oauth_uri is missing; Nessie itself gives no tokens"),
        (REST, {"oauth_uri": "http://o.example", "credential_file": "f"}, "oauth_uri would send"),
        (NESSIE, {"headers": {"a": "b"}}, 'headers does nothing for type = "nessie"'),
        (REST, {"headers": {"authorization": "Bearer x"}}, "use token_file or credential_file"),
        (REST, {"headers": {"a b": "c"}}, "headers"),
        (REST, {"headers": {"a": "b\r\nHost: c"}}, "headers"),
        (REST, {"headers": {"a": "é"}}, "headers"),
    ],
)
def test_a_setting_that_does_nothing_or_harm_is_refused(
    known: dict[str, str], more: dict[str, Any], reason: str
) -> None:
    with pytest.raises(ValidationError, match=reason):
        settings(known, **more)


def test_a_token_is_sent_unencrypted_to_this_machine_or_with_permission() -> None:
    assert settings(REST, uri="http://127.0.0.1:8181", token="x").token is not None
    assert settings(REST, uri="http://lake.example", token="x", allow_insecure=True).token


def test_a_secret_is_read_again_from_its_file(tmp_path: Path) -> None:
    file = tmp_path / "token"
    chosen = settings(REST, token_file=file)
    file.write_text("one\n")
    assert chosen.current_token() == "one"
    file.write_text("two")

    assert chosen.current_token() == "two"


def test_a_missing_secret_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"catalog\.credential_file .*absent"):
        settings(REST, credential_file=tmp_path / "absent").current_credential()


@pytest.mark.parametrize(
    ("known", "kind"),
    [
        (REST, RestSource),
        (SQL, SqlSource),
        (HIVE, HiveDatabases),
        (GLUE, GlueDatabases),
        (NESSIE, NessieSource),
    ],
)
def test_a_catalog_and_its_changes_are_built(known: dict[str, str], kind: type) -> None:
    catalog = build_iceberg_catalog(settings(known))
    events = IcebergEventSettings(kind="iceberg")
    changes = build_iceberg_changes(events, settings(known, name="lake"))

    source = catalog.source
    assert isinstance(source.databases if isinstance(source, DatabasesSource) else source, kind)
    assert changes.name == "iceberg-changes"
    catalog.close()
    changes.close()


@pytest.mark.parametrize(
    ("known", "folds"), [(REST, False), (SQL, False), (HIVE, True), (GLUE, True), (NESSIE, False)]
)
def test_names_of_a_metastore_compare_without_letter_case(
    known: dict[str, str], folds: bool
) -> None:
    assert catalog_traits(settings(known)).folds_case is folds


def test_a_metastores_password_crosses_the_network_within_tls_or_with_permission() -> None:
    sasl = {"mechanism": "PLAIN", "username": "u", "password": "p"}

    permissions: list[dict[str, Any]] = [
        {"tls": {}}, {"allow_insecure": True}, {"uri": "thrift://127.0.0.1:1"},
    ]  # fmt: skip
    for permission in permissions:
        chosen = settings(HIVE, sasl=sasl, **permission)

        assert chosen.security().sasl == Sasl("PLAIN", "u", "p")


def test_glue_without_its_extra_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "lakeschema.catalog.iceberg_glue", raising=False)
    monkeypatch.setitem(sys.modules, "boto3.session", None)

    with pytest.raises(SettingsError, match=r'catalog\.type = "glue" needs boto3.*\[glue\]'):
        build_iceberg_catalog(settings(GLUE))
