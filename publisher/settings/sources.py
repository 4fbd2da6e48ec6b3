"""The sections for sources of relations and events, and for connections to them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, SecretStr, model_validator

from lakeschema.catalog.metastore_security import Security
from publisher.settings.connections import (
    CatalogSection,
    SaslSettings,
    TableFilesSettings,
    TlsSettings,
    metastore_security,
    sends_password,
    tls_files,
)
from publisher.settings.event_sources import EventFolderSettings, HttpEventsSettings
from publisher.settings.fields import Metastores, are_this_machine
from publisher.settings.iceberg import IcebergCatalogSettings, IcebergEventSettings
from publisher.settings.named_events import EventMapping, NamedEventsSettings, NamedFormat
from publisher.settings.secrets import given_secret
from publisher.settings.section import Section


class HiveCatalogSettings(CatalogSection):
    kind: Literal["hive"]
    """A Hive Metastore over Thrift."""

    name: str = "hive"
    """The catalog's name in errors, in the state's notes and in the lease of its snapshots."""

    uri: Metastores = "thrift://127.0.0.1:9083"
    """The metastore, or several, separated by commas."""

    timeout_seconds: Annotated[float, Field(gt=0)] = 30.0
    """How long to wait for the next bytes of an answer; a whole answer may take three times as long."""

    max_connections: Annotated[int, Field(ge=1, le=64)] = 4
    """How many connections may be open during a snapshot on Spark."""

    tls: TlsSettings | None = None
    """Connections use TLS: `[catalog.tls]`, even if the section is empty."""

    sasl: SaslSettings | None = None
    """Connections use SASL: `[catalog.sasl]`."""

    table_files: TableFilesSettings = TableFilesSettings()
    """Files of Delta and Iceberg tables: `[catalog.table_files]`."""

    allow_insecure: bool = False
    """`true` allows sending a `PLAIN` password to another machine without TLS: to the `uri` of the
    catalog and of a `notification-log`.
    """

    @model_validator(mode="after")
    def _encrypted(self) -> Self:
        if self.sends_password_unencrypted(self.uri):
            raise ValueError(
                "sasl would send the password unencrypted; "
                "add [catalog.tls], or set catalog.allow_insecure = true"
            )
        return self

    def sends_password_unencrypted(self, uri: str) -> bool:
        """Whether the password would be sent to the metastores at ``uri`` unencrypted and without permission."""
        is_open = self.tls is None and not self.allow_insecure
        return sends_password(self.sasl) and is_open and not are_this_machine(uri)

    def security(self) -> Security:
        """The TLS and SASL of connections.

        Raises:
            SettingsError: a password file or TLS file is not readable.
        """
        return metastore_security(self.tls, self.sasl)


class DdlCatalogSettings(CatalogSection):
    kind: Literal["ddl"]
    """A folder of DDL files."""

    name: str = "ddl"
    """The catalog's name in the state's notes and in the lease of its snapshots."""

    path: Path = Path("ddl")
    """The folder; its `*.sql` files, at any depth but not in hidden folders, are read in order of
    name."""

    dialect: Literal["hive", "spark", "trino"] = "hive"
    """The dialect of the files; a file that begins with the comment `-- dialect: trino` overrides
    it."""


class SparkCatalogSettings(CatalogSection):
    kind: Literal["spark"]
    """A catalog of a Spark session, with the extra `spark`."""

    name: str = "spark_catalog"
    """The catalog's name in the session, in the state's notes and in the lease of its snapshots."""

    conf: Mapping[str, str] = Field(default_factory=dict, repr=False)
    """Settings of the session."""

    max_connections: Annotated[int, Field(ge=1, le=64)] = 4
    """How many connections may be open during a snapshot on Spark."""

    table_files: TableFilesSettings = TableFilesSettings()
    """Files of Delta and Iceberg tables of `spark_catalog`: `[catalog.table_files]`."""


CatalogSettings = Annotated[
    HiveCatalogSettings | DdlCatalogSettings | SparkCatalogSettings | IcebergCatalogSettings,
    Field(discriminator="kind"),
]


class NotificationLogSettings(Section):
    kind: Literal["notification-log"]
    """The notification log of the metastore."""

    catalog: str = ""
    """The name of the catalog that the events concern. Default: the default catalog."""

    uri: Metastores | None = None
    """The metastore. Not set: the catalog's metastore. It is mandatory if `catalog.kind` is not
    `"hive"`.
    """

    poll_seconds: Annotated[float, Field(gt=0, le=60)] = 0.02
    """The time between two requests while nothing happens. Larger values cost the metastore
    less."""


class KafkaTopicSettings(Section):
    """A topic, and how to connect to its brokers."""

    bootstrap_servers: str
    """The first brokers to contact, as `host:port`, separated by commas."""

    topic: str
    """The topic."""

    group_id: str = "schema-publisher"
    """The consumer group. If two processes share a group, the broker shuts out the earlier one."""

    security_protocol: Literal["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"] | None = None
    """Not set: `"PLAINTEXT"`."""

    sasl_mechanism: Literal["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "GSSAPI"] | None = None
    """For SASL."""

    username: str | None = None
    """For SASL."""

    password: SecretStr | None = None
    """For SASL; `password_file` is safer."""

    password_file: Path | None = None
    """For SASL: a file that holds the password and nothing else."""

    tls: TlsSettings | None = None
    """PEM files, `ca_file`, `cert_file` and `key_file`, as in `[catalog.tls]`."""

    allow_insecure: bool = False
    """`true` sends a `PLAIN` password to another machine within `SASL_PLAINTEXT`."""

    options: Mapping[str, Any] = Field(default_factory=dict, repr=False)
    """Options that are passed to kafka-python unchanged; the other settings of this section take
    precedence.
    """

    @model_validator(mode="after")
    def _encrypted(self) -> Self:
        protocol = self.security_protocol or self.options.get("security_protocol")
        mechanism = self.sasl_mechanism or self.options.get("sasl_mechanism")
        sends_password = (protocol, mechanism) == ("SASL_PLAINTEXT", "PLAIN")
        is_remote = not are_this_machine(self.bootstrap_servers)
        if sends_password and is_remote and not self.allow_insecure:
            raise ValueError(
                "SASL_PLAINTEXT with PLAIN would send the password unencrypted; "
                'use "SASL_SSL" or a SCRAM mechanism, or set allow_insecure = true'
            )
        return self

    def client_options(self) -> Mapping[str, Any]:
        """The options under kafka-python's names.

        Raises:
            SettingsError: a password file or TLS file is not readable.
        """
        tls = {} if self.tls is None else tls_files("events.tls", self.tls)
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


class KafkaSettings(NamedEventsSettings, KafkaTopicSettings):
    kind: Literal["kafka"]
    """A topic of events."""

    format: Literal["apiary", NamedFormat] = "apiary"  # type: ignore[assignment]  # one more
    """The format of the messages: `"apiary"`, as Apiary's metastore listener writes them, or a
    format of [events that name tables](operations.md#events-that-name-tables)."""

    @model_validator(mode="after")
    def _fits_its_format(self) -> Self:
        is_changed = self.mapping != EventMapping() or self.only_catalog
        if self.format == "apiary" and is_changed:
            raise ValueError('format "apiary" has no mapping and no only_catalog')
        return self


class DdlFolderSettings(Section):
    kind: Literal["ddl-folder"]
    """Changes of the files in a catalog of kind `"ddl"`."""

    catalog: str = ""
    """The name of the catalog that the events concern. Default: the default catalog."""


EventSettings = Annotated[
    NotificationLogSettings
    | KafkaSettings
    | HttpEventsSettings
    | EventFolderSettings
    | DdlFolderSettings
    | IcebergEventSettings,
    Field(discriminator="kind"),
]
