"""The sections for sources of relations and events, and for connections to them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, field_validator, model_validator

from lakeschema.catalog.metastore_security import Sasl, SaslMechanism, Security, Tls
from lakeschema.table_files.access import (
    DEFAULT_LOCATIONS,
    FileAccess,
    ReadingLimits,
    parse_location,
)
from lakeschema.table_files.errors import UnreadableFile
from publisher.settings.fields import Metastores, is_this_machine
from publisher.settings.secrets import given_secret, require_readable
from publisher.settings.section import Section


class TlsSettings(Section):
    ca_file: Path | None = None
    """PEM: the authorities that may sign the server's certificate, which must name the server's host.

    Not set: the machine's authorities."""

    cert_file: Path | None = None
    """PEM: the client certificate, for a server that asks for it."""

    key_file: Path | None = None
    """PEM: the key of `cert_file`."""


class SaslSettings(Section):
    mechanism: SaslMechanism
    """`"PLAIN"`, with the extra `sasl`; or `"GSSAPI"` (Kerberos), with the extra `kerberos`, which is
    compiled against the system's Kerberos headers.
    """

    username: str = ""
    """The user's name, for `PLAIN`."""

    password: SecretStr | None = None
    """The password, for `PLAIN`; `password_file` is safer."""

    password_file: Path | None = None
    """For `PLAIN`: a file that holds the password and nothing else."""

    service: str = "hive"
    """For `GSSAPI`: the first part of the metastore's principal.

    The process needs a ticket: by `kinit`, or `KRB5_CLIENT_KTNAME`."""


class TableFilesSettings(Section):
    locations: tuple[str, ...] = DEFAULT_LOCATIONS
    """Where files of Delta and Iceberg tables may be read: a metastore knows only the tables'
    locations.

    Each is a scheme, as `"s3:"`, or a folder, as `"s3://lake/sales"`; nothing is read elsewhere.
    Only files in `_delta_log` and files named `*.metadata.json` are opened."""

    max_megabytes: Annotated[int, Field(ge=1, le=1024)] = 256
    """The limit for one file, uncompressed."""

    timeout_seconds: Annotated[float, Field(gt=0)] = 30.0
    """The limit for the files of one table."""

    at_once: Annotated[int, Field(ge=1, le=64)] = 4
    """How many tables are read at the same time, each by a separate process."""

    @field_validator("locations")
    @classmethod
    def _are_places(cls, locations: tuple[str, ...]) -> tuple[str, ...]:
        for text in locations:
            try:
                parse_location(text)
            except UnreadableFile:
                raise ValueError(f"{text!r} is neither a scheme nor a folder's URI") from None
        return locations

    def limits(self) -> ReadingLimits:
        access = FileAccess(self.locations, self.max_megabytes * 1024**2)
        return ReadingLimits(access, self.timeout_seconds, self.at_once)


class HiveCatalogSettings(Section):
    kind: Literal["hive"]
    """A Hive Metastore over Thrift."""

    name: str = "hive"
    """The catalog's name in errors, in the state's notes and in the lease of its snapshots."""

    uri: Metastores = "thrift://127.0.0.1:9083"
    """The metastore, or several, separated by commas."""

    timeout_seconds: Annotated[float, Field(gt=0)] = 30.0
    """How long to wait for the next bytes of an answer; a whole one may take three times as
    long."""

    max_connections: Annotated[int, Field(ge=1, le=64)] = 4
    """How many connections may be open during a snapshot on Spark."""

    tls: TlsSettings | None = None
    """Connections use TLS: `[catalog.tls]`, even if the section is empty."""

    sasl: SaslSettings | None = None
    """Connections use SASL: `[catalog.sasl]`."""

    table_files: TableFilesSettings = TableFilesSettings()
    """Files of Delta and Iceberg tables: `[catalog.table_files]`."""

    allow_insecure: bool = False
    """`true` sends a `PLAIN` password to another machine without TLS: to `uri`, and to that of a
    `notification-log`."""

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
        sends_password = self.sasl is not None and self.sasl.mechanism == "PLAIN"
        is_open = self.tls is None and not self.allow_insecure
        return sends_password and is_open and not _are_this_machine(uri)

    def security(self) -> Security:
        """The TLS and SASL of connections.

        Raises:
            SettingsError: a password file or TLS file is not readable.
        """
        tls = None if self.tls is None else Tls(**_files("catalog.tls", self.tls))
        if self.sasl is None:
            return Security(tls)
        password = given_secret("catalog.sasl", self.sasl.password, self.sasl.password_file) or ""
        chosen = self.sasl
        return Security(tls, Sasl(chosen.mechanism, chosen.username, password, chosen.service))


def _are_this_machine(addresses: str) -> bool:
    """Whether all the addresses, separated by commas, name this machine; a scheme is optional."""
    parts = [address.strip().rpartition("//")[2] for address in addresses.split(",")]
    return all(is_this_machine(urlsplit(f"//{part}").hostname or "") for part in parts)


def _files(section: str, tls: TlsSettings) -> dict[str, str]:
    """The TLS paths that are set, as text. Checked here, because later errors do not name the file."""
    found = {name: path for name, path in tls if path is not None}
    for name, path in found.items():
        require_readable(f"{section}.{name} ({path})", path)
    return {name: str(path) for name, path in found.items()}


class DdlCatalogSettings(Section):
    kind: Literal["ddl"]
    """A folder of DDL files."""

    name: str = "ddl"
    """The catalog's name in the state's notes and in the lease of its snapshots."""

    path: Path = Path("ddl")
    """The folder; its `*.sql` files, at any depth, are read in order of name."""

    dialect: Literal["hive", "spark", "trino"] = "hive"
    """The dialect of the files; a file that begins with the comment `-- dialect: trino` overrides
    it."""


class SparkCatalogSettings(Section):
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
    HiveCatalogSettings | DdlCatalogSettings | SparkCatalogSettings, Field(discriminator="kind")
]


class NotificationLogSettings(Section):
    kind: Literal["notification-log"]
    """The notification log of the metastore."""

    uri: Metastores | None = None
    """The metastore. Not set: the catalog's; mandatory if `catalog.kind` is not `"hive"`."""

    poll_seconds: Annotated[float, Field(gt=0, le=60)] = 0.02
    """The time between two requests while nothing happens. Larger values cost the metastore
    less."""


class KafkaSettings(Section):
    kind: Literal["kafka"]
    """A topic of metastore events."""

    bootstrap_servers: str
    """The first brokers to contact, as `host:port`, separated by commas."""

    topic: str
    """The topic with the events."""

    group_id: str = "schema-publisher"
    """The consumer group. If two processes share a group, the broker shuts out the earlier one."""

    format: Literal["apiary"] = "apiary"
    """The format of the messages: as Apiary's metastore listener writes them."""

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
    """Passed to kafka-python unchanged; the other settings of this section take precedence."""

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
        """The options under kafka-python's names.

        Raises:
            SettingsError: a password file or TLS file is not readable.
        """
        tls = {} if self.tls is None else _files("events.tls", self.tls)
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
    kind: Literal["ddl-folder"]
    """Changes of the files in a catalog of kind `"ddl"`."""


EventSettings = Annotated[
    NotificationLogSettings | KafkaSettings | DdlFolderSettings, Field(discriminator="kind")
]
