"""The sections of Iceberg catalogs and of their changes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Final, Literal, Self, assert_never
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, StringConstraints, model_validator

from lakeschema.catalog.metastore_security import Security
from publisher.settings.connections import (
    CatalogSection,
    SaslSettings,
    TableFilesSettings,
    TlsSettings,
    metastore_security,
    sends_password,
)
from publisher.settings.fields import (
    are_this_machine,
    check_metastores,
    crosses_network_in_plain_text,
)
from publisher.settings.secrets import secret_in_file
from publisher.settings.section import Section

_HeaderName = Annotated[str, StringConstraints(pattern=r"^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")]
_HeaderValue = Annotated[str, StringConstraints(pattern=r"^[!-~]([ -~]*[!-~])?$")]
_LOGINS: Final = ("token", "token_file", "credential", "credential_file")
_TYPES_OF: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys((*_LOGINS, "oauth_uri"), ("rest", "nessie")),
    **dict.fromkeys(("warehouse", "headers"), ("rest",)),
    "reference": ("nessie",),
    **dict.fromkeys(("catalog_name", "password", "password_file"), ("sql",)),
    **dict.fromkeys(("region", "catalog_id"), ("glue",)),
    "tls": ("rest", "hive", "nessie"),
    "sasl": ("hive",),
}
"""The types for which a setting has an effect."""


class IcebergCatalogSettings(CatalogSection):
    kind: Literal["iceberg"]
    """An Iceberg catalog. In a metastore or Glue, only Iceberg's tables and views are read, and names are
    lower-cased. In other catalogs, names keep their letter case, and namespaces have any depth.
    """

    type: Literal["rest", "sql", "hive", "glue", "nessie"]
    """`"rest"`: a server of Iceberg's REST API. `"sql"`: the tables of a database, which Iceberg's Java
    library calls a JDBC catalog. `"hive"`: a Hive Metastore. `"glue"`: AWS Glue, with the extra
    `glue`; boto3 finds profile, role and credentials by its own configuration. `"nessie"`: a branch
    or tag of a Nessie server."""

    name: str = "iceberg"
    """The catalog's name in errors, in the state's notes and in the lease of its snapshots."""

    uri: Annotated[str | None, Field(repr=False)] = None
    """For `rest`: `https://HOST/…`, without `/v1`. For `sql`: SQLAlchemy's URL of the database, as
    `sqlite:////FOLDER/FILE` or `postgresql+psycopg://USER@HOST/NAME`; its driver must be installed.
    For `hive`: `thrift://HOST:9083`, or several, separated by commas. For `nessie`:
    `https://HOST/…/api/v2`. For `glue`: an endpoint in place of the region's endpoint. Mandatory, except
    for `glue`."""

    warehouse: str | None = None
    """For `rest`: the warehouse, if the server has several."""

    headers: Annotated[Mapping[_HeaderName, _HeaderValue] | None, Field(repr=False)] = None
    """For `rest`: headers of each request to `uri`, such as Polaris's realm: `[catalog.headers]`. Servers of
    other addresses, such as `oauth_uri`, do not get them."""

    reference: Annotated[str | None, Field(min_length=1)] = None
    """For `nessie`: the branch or tag. Not set: the server's default branch."""

    catalog_name: str | None = None
    """For `sql`: the catalog's name in the database. Not set: `name`."""

    region: str | None = None
    """For `glue`: the region. Not set: the region in boto3's configuration, such as
    `AWS_DEFAULT_REGION`.
    """

    catalog_id: str | None = None
    """For `glue`: the Data Catalog, such as another account's number. Not set: the account's own."""

    token: SecretStr | None = None
    """For `rest` and `nessie`: a token; `token_file` is safer."""

    token_file: Path | None = None
    """For `rest` and `nessie`: a file that holds a token and nothing else. It is read again when the
    server refuses the token."""

    credential: SecretStr | None = None
    """For `rest` and `nessie`: `ID:SECRET`, which an OAuth server exchanges for a token;
    `credential_file` is safer."""

    credential_file: Path | None = None
    """For `rest` and `nessie`: a file that holds `ID:SECRET` and nothing else."""

    oauth_uri: Annotated[str | None, Field(repr=False)] = None
    """For `credential`: the address at which an OAuth server gives tokens. Not set:
    `/v1/oauth/tokens` of `uri`; mandatory for `nessie`."""

    scope: str | None = None
    """For `credential`: the scope of the token. Not set: `catalog` for `rest`, and no scope for
    `nessie`.
    """

    password: SecretStr | None = None
    """For `sql`: the database's password; `password_file` is safer."""

    password_file: Path | None = None
    """For `sql`: a file that holds the password and nothing else."""

    tls: TlsSettings | None = None
    """For `rest` and `nessie`: PEM files for `https`. For `hive`: connections use TLS. `[catalog.tls]`."""

    sasl: SaslSettings | None = None
    """For `hive`: connections use SASL: `[catalog.sasl]`."""

    timeout_seconds: Annotated[float, Field(gt=0)] = 30.0
    """How long to wait for the next bytes of an answer; a whole answer may take three times as long.
    For `sql`: how long PostgreSQL may take to connect, and to answer a statement; other databases
    have no limit.
    """

    max_connections: Annotated[int, Field(ge=1, le=64)] = 4
    """For `rest` and `glue`: how many relations are asked for at the same time."""

    table_files: TableFilesSettings = TableFilesSettings()
    """Metadata files, for all types but `rest`; `max_megabytes` also limits the answers of `rest`
    and `nessie`: `[catalog.table_files]`."""

    allow_insecure: bool = False
    """`true` sends a token or credential over plain `http://`, or a `PLAIN` password without TLS, to
    another machine."""

    @model_validator(mode="after")
    def _of_its_type(self) -> Self:
        for setting, types in _TYPES_OF.items():
            if getattr(self, setting) is not None and self.type not in types:
                raise ValueError(f'{setting} does nothing for type = "{self.type}"')
        given = [s for s in _LOGINS if getattr(self, s) is not None]
        if len(given) > 1:
            raise ValueError(f"only one of {' and '.join(given)} can be used")
        if self.uri is None and self.type != "glue":
            raise ValueError(f'uri is missing; type = "{self.type}" needs it')
        if self.type == "nessie":
            self._check_nessie()
        if "authorization" in {each.lower() for each in self.headers or ()}:
            raise ValueError("headers has Authorization; use token_file or credential_file")
        return self

    def _check_nessie(self) -> None:
        is_exchanged = self.credential is not None or self.credential_file is not None
        if is_exchanged and self.oauth_uri is None:
            raise ValueError("oauth_uri is missing; Nessie itself gives no tokens for a credential")
        if "@" in (self.reference or ""):
            raise ValueError("reference is not the name of a branch or tag: it contains @")

    @model_validator(mode="after")
    def _encrypted(self) -> Self:
        match self.type:
            case "hive":
                self._check_metastore()
            case "rest" | "glue" | "nessie":
                self._check_addresses()
            case "sql":
                pass
            case _:
                assert_never(self.type)
        return self

    def _check_metastore(self) -> None:
        check_metastores(self.address)
        is_open = self.tls is None and not self.allow_insecure
        if sends_password(self.sasl) and is_open and not are_this_machine(self.address):
            raise ValueError(
                "sasl would send the password unencrypted; "
                "add [catalog.tls], or set catalog.allow_insecure = true"
            )

    def _check_addresses(self) -> None:
        for setting, address in (("uri", self.uri), ("oauth_uri", self.oauth_uri)):
            if address is None:
                continue
            parts = urlsplit(address)
            if parts.scheme not in {"http", "https"} or not parts.hostname or parts.username:
                raise ValueError(f"{setting} is not an address: expected https://HOST/…")
            is_secret = self._has_login and crosses_network_in_plain_text(address)
            if is_secret and not self.allow_insecure:
                raise ValueError(
                    f"{setting} would send the token or credential over plain http://; "
                    "use https://, or set catalog.allow_insecure = true"
                )

    @property
    def address(self) -> str:
        """The ``uri`` of a type for which it is mandatory."""
        return self.uri or ""

    @property
    def folds_case(self) -> bool:
        """Whether the catalog compares names regardless of letter case."""
        return self.type in {"hive", "glue"}

    @property
    def _has_login(self) -> bool:
        # A request to Glue may carry a role's temporary token.
        return self.type == "glue" or any(getattr(self, each) is not None for each in _LOGINS)

    def current_token(self) -> str | None:
        """The token, read again from its file.

        Raises:
            SettingsError: the file is not readable.
        """
        return _secret("catalog.token_file", self.token, self.token_file)

    def current_credential(self) -> str | None:
        """The credential, read again from its file; see ``current_token``."""
        return _secret("catalog.credential_file", self.credential, self.credential_file)

    def current_password(self) -> str | None:
        """The password, read again from its file; see ``current_token``."""
        return _secret("catalog.password_file", self.password, self.password_file)

    def security(self) -> Security:
        """The TLS and SASL of connections to a metastore.

        Raises:
            SettingsError: a password file or TLS file is not readable.
        """
        return metastore_security(self.tls, self.sasl)


def _secret(setting: str, given: SecretStr | None, file: Path | None) -> str | None:
    if given is not None:
        return given.get_secret_value()
    return None if file is None else secret_in_file(f"{setting} ({file})", file)


class IcebergEventSettings(Section):
    kind: Literal["iceberg"]
    """Changes of a catalog of kind `"iceberg"`, by comparing it with the last poll."""

    catalog: str = ""
    """The name of the catalog that the events concern. Default: the default catalog."""

    poll_seconds: Annotated[float, Field(gt=0, le=86_400)] = 60.0
    """The time between two polls. A poll of a SQL catalog is one statement. A poll of a metastore
    or of Glue is one listing of each database. A poll of a REST catalog is one request for each
    namespace and relation, with an empty answer for each relation that did not change. A poll of Nessie
    is one request, and two more after a commit.
    """
