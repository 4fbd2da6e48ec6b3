"""The sections of where relations and events come from, and how that is reached."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, model_validator

from lakeschema.catalog.metastore_security import Sasl, SaslMechanism, Security, Tls
from publisher.settings.fields import Metastores, is_this_machine
from publisher.settings.secrets import given_secret
from publisher.settings.section import Section


class TlsSettings(Section):
    """Without ``ca_file`` the machine's authorities are trusted."""

    ca_file: Path | None = None
    cert_file: Path | None = None
    key_file: Path | None = None


class SaslSettings(Section):
    """``service``: the first part of the metastore's principal, for GSSAPI."""

    mechanism: SaslMechanism
    username: str = ""
    password: SecretStr | None = None
    password_file: Path | None = None
    service: str = "hive"


class HiveCatalogSettings(Section):
    """``uri`` may name several metastores, separated by commas."""

    kind: Literal["hive"]
    name: str = "hive"
    uri: Metastores = "thrift://127.0.0.1:9083"
    timeout_seconds: Annotated[float, Field(gt=0)] = 30.0
    max_connections: Annotated[int, Field(ge=1, le=64)] = 4
    tls: TlsSettings | None = None
    sasl: SaslSettings | None = None
    allow_insecure: bool = False

    @model_validator(mode="after")
    def _encrypted(self) -> Self:
        if self.sends_password_unencrypted(self.uri):
            raise ValueError(
                "sasl would send the password unencrypted; "
                "add [catalog.tls], or set catalog.allow_insecure = true"
            )
        return self

    def sends_password_unencrypted(self, uri: str) -> bool:
        """Whether the metastores at ``uri`` would be sent it, although nobody allowed that."""
        sends_password = self.sasl is not None and self.sasl.mechanism == "PLAIN"
        is_open = self.tls is None and not self.allow_insecure
        return sends_password and is_open and not _are_this_machine(uri)

    def security(self) -> Security:
        """How connections are made.

        Raises:
            SettingsError: the file of the password is not readable.
        """
        tls = None if self.tls is None else Tls(**_paths_as_text(self.tls))
        if self.sasl is None:
            return Security(tls)
        password = given_secret("catalog.sasl", self.sasl.password, self.sasl.password_file) or ""
        chosen = self.sasl
        return Security(tls, Sasl(chosen.mechanism, chosen.username, password, chosen.service))


def _are_this_machine(addresses: str) -> bool:
    """Whether all of these are, separated by commas, with a scheme or without."""
    parts = [address.strip().rpartition("//")[2] for address in addresses.split(",")]
    return all(is_this_machine(urlsplit(f"//{part}").hostname or "") for part in parts)


def _paths_as_text(section: Section) -> dict[str, str]:
    return {name: str(path) for name, path in section if path is not None}


class DdlCatalogSettings(Section):
    kind: Literal["ddl"]
    name: str = "ddl"
    path: Path = Path("ddl")
    dialect: Literal["hive", "spark"] = "hive"


class SparkCatalogSettings(Section):
    """``name`` is the catalog's name inside Spark, ``conf`` what a session needs to reach it."""

    kind: Literal["spark"]
    name: str = "spark_catalog"
    conf: Mapping[str, str] = Field(default_factory=dict, repr=False)
    max_connections: Annotated[int, Field(ge=1, le=64)] = 4


CatalogSettings = Annotated[
    HiveCatalogSettings | DdlCatalogSettings | SparkCatalogSettings, Field(discriminator="kind")
]


class NotificationLogSettings(Section):
    """``uri`` defaults to the catalog's."""

    kind: Literal["notification-log"]
    uri: Metastores | None = None
    poll_seconds: Annotated[float, Field(gt=0, le=60)] = 0.02


class KafkaSettings(Section):
    """``options`` go to the Kafka client as they are; what is set beside them takes precedence.

    ``allow_insecure``: whether the password may cross a network in plain text.
    """

    kind: Literal["kafka"]
    bootstrap_servers: str
    topic: str
    group_id: str = "schema-publisher"
    format: Literal["apiary"] = "apiary"
    security_protocol: Literal["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"] | None = None
    sasl_mechanism: Literal["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "GSSAPI"] | None = None
    username: str | None = None
    password: SecretStr | None = None
    password_file: Path | None = None
    tls: TlsSettings | None = None
    allow_insecure: bool = False
    options: Mapping[str, Any] = Field(default_factory=dict, repr=False)

    @model_validator(mode="after")
    def _encrypted(self) -> Self:
        protocol = self.security_protocol or self.options.get("security_protocol")
        mechanism = self.sasl_mechanism or self.options.get("sasl_mechanism")
        sends_password = (protocol, mechanism) == ("SASL_PLAINTEXT", "PLAIN")
        is_remote = not _are_this_machine(self.bootstrap_servers)
        if sends_password and is_remote and not self.allow_insecure:
            raise ValueError(
                "SASL_PLAINTEXT with PLAIN would send the password unencrypted; "
                'use "SASL_SSL" or a SCRAM mechanism, or set allow_insecure = true'
            )
        return self

    def client_options(self) -> Mapping[str, Any]:
        """Under the names of kafka-python.

        Raises:
            SettingsError: the file of the password is not readable.
        """
        tls = {} if self.tls is None else _paths_as_text(self.tls)
        chosen = {
            "security_protocol": self.security_protocol,
            "sasl_mechanism": self.sasl_mechanism,
            "sasl_plain_username": self.username,
            "sasl_plain_password": given_secret("events", self.password, self.password_file),
            "ssl_cafile": tls.get("ca_file"),
            "ssl_certfile": tls.get("cert_file"),
            "ssl_keyfile": tls.get("key_file"),
        }
        return {**self.options, **{k: v for k, v in chosen.items() if v is not None}}


class DdlFolderSettings(Section):
    """Watches the folder of the DDL catalog."""

    kind: Literal["ddl-folder"]


EventSettings = Annotated[
    NotificationLogSettings | KafkaSettings | DdlFolderSettings, Field(discriminator="kind")
]
