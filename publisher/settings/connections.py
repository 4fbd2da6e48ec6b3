"""Parts of several sections: TLS, SASL, the files of tables, and what every catalog has."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field, SecretStr, field_validator

from lakeschema.catalog.metastore_security import Sasl, SaslMechanism, Security, Tls
from lakeschema.table_files.access import (
    DEFAULT_LOCATIONS,
    FileAccess,
    ReadingLimits,
    parse_location,
)
from lakeschema.table_files.errors import UnreadableFile
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


def tls_files(section: str, tls: TlsSettings) -> dict[str, str]:
    """The TLS paths that are set, as text.

    They are checked here, because later errors do not name the file.
    """
    found = {name: path for name, path in tls if path is not None}
    for name, path in found.items():
        require_readable(f"{section}.{name} ({path})", path)
    return {name: str(path) for name, path in found.items()}


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


def sends_password(sasl: SaslSettings | None) -> bool:
    return sasl is not None and sasl.mechanism == "PLAIN"


def metastore_security(tls: TlsSettings | None, sasl: SaslSettings | None) -> Security:
    """The TLS and SASL of a catalog's connections.

    Raises:
        SettingsError: a password file or TLS file is not readable.
    """
    files = None if tls is None else Tls(**tls_files("catalog.tls", tls))
    if sasl is None:
        return Security(files)
    password = given_secret("catalog.sasl", sasl.password, sasl.password_file) or ""
    return Security(files, Sasl(sasl.mechanism, sasl.username, password, sasl.service))


class CatalogSection(Section):
    """The settings that every kind of catalog has."""

    default: bool = False
    """`true` for one of several catalogs. Names without a catalog belong to it, and its packages are
    named as if it were the only catalog.
    """

    sql_names: tuple[str, ...] = ()
    """Further names of this catalog in the texts of views, because engines may call it by other names
    than `name`.
    """

    @field_validator("sql_names")
    @classmethod
    def _are_names(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if not all(name.strip() for name in value):
            raise ValueError("a name is empty")
        return value


class TableFilesSettings(Section):
    locations: tuple[str, ...] = DEFAULT_LOCATIONS
    """Where files of Delta and Iceberg tables may be read: a metastore knows only the tables'
    locations.

    Each is a scheme, as `"s3:"`, or a folder, as `"s3://lake/sales"`; other places are not read.
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
