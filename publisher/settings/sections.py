"""The sections of ``schema-publisher.toml``, each a value that checks itself."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias
from urllib.parse import urlsplit

from pydantic import (
    ConfigDict,
    Field,
    SecretStr,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from lakeschema.catalog.errors import MalformedType
from lakeschema.translation.interface import (
    Casing,
    Inexpressible,
    Nullability,
    SparkUdfRule,
    UdfReturn,
    ViewEvolution,
)
from lakeschema.translation.option_values import read_spark_rule, read_udf
from lakeschema.translation.udf_plugins import is_reference
from publisher.selection import EVERYTHING, is_pattern
from publisher.settings.errors import SettingsError
from publisher.settings.fields import (
    SQLITE,
    Address,
    Port,
    Prefix,
    PublicUrl,
    StateUrl,
    crosses_network_in_plain_text,
    option,
)
from publisher.settings.public_keys import decode_public_key
from publisher.settings.secrets import given_secret, secret_in_file, secret_in_keyring
from publisher.settings.section import Section
from publisher.settings.sources import (
    CatalogSettings,
    EventSettings,
    HiveCatalogSettings,
    NotificationLogSettings,
)

# Of a Project-URL (core metadata); its characters are those of RFC 3986, and our two placeholders.
_LABEL = re.compile(r"[ -+\--~]{1,32}")
_URL = re.compile(r"https?://([A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=%]|\{name\}|\{relation\})+")

MIN_TOKEN_LENGTH = 16

ENVIRONMENT_PREFIX = "SCHEMA_PUBLISHER__"

Runner: TypeAlias = Literal["spark", "local"]
"""Where a snapshot reads and derives: on Spark's executors, or in its own process."""

RunnerChoice: TypeAlias = Literal["auto", "spark", "local"]
"""``auto``: what suits the catalog's size, of what is installed."""

PYPI_FILE_HOSTS = ("files.pythonhosted.org", "test-files.pythonhosted.org")


class Artifacts(Section):
    """``prefix`` is mandatory: without one of its own, a deployment's names could be squatted on.

    ``include`` and ``exclude``: patterns of relations that get a package; see ``Selection``.
    ``immutable``: whether packages' records are; from the next snapshot after another choice on,
    each package has a new major version.
    ``second_opinion``: which wheels two other implementations of Avro and an import check.
    ``project_urls``: links of every package, by label; ``{name}`` and ``{relation}`` are filled in.
    ``signing_key_file``: signs the provenance of each wheel, on an index of kind "static".
    ``trusted_keys``: if there are some, wheels that the state does not know count only if one of
    these keys signed their provenance.
    """

    prefix: Prefix
    versioning: Literal["semantic", "sequential"] = "semantic"
    immutable: bool = False
    second_opinion: Literal["always", "sampled", "off"] = "sampled"
    project_urls: Mapping[str, str] = Field(default_factory=dict)
    include: tuple[str, ...] = EVERYTHING.include
    exclude: tuple[str, ...] = EVERYTHING.exclude
    signing_key_file: Path | None = None
    trusted_keys: tuple[str, ...] = ()

    @property
    def public_keys(self) -> tuple[bytes, ...]:
        return tuple(decode_public_key(key) for key in self.trusted_keys)

    @field_validator("trusted_keys")
    @classmethod
    def _of_ed25519(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for key in value:
            decode_public_key(key)
        return value

    @field_validator("include", "exclude")
    @classmethod
    def _of_two_parts(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for pattern in value:
            if not is_pattern(pattern):
                raise ValueError(
                    f"invalid pattern {pattern!r}: expected database.table; "
                    "staging.* names a whole database, *.tmp_* tables of any database"
                )
        return value

    @field_validator("project_urls")
    @classmethod
    def _linkable(cls, value: Mapping[str, str]) -> Mapping[str, str]:
        for label, url in value.items():
            if not _LABEL.fullmatch(label):
                raise ValueError(
                    f"invalid label {label!r}: expected up to 32 characters without a comma"
                )
            if not _URL.fullmatch(url):
                raise ValueError(
                    f"invalid URL {url!r}: expected http://… or https://… "
                    "with no placeholders but {name} and {relation}"
                )
        return value


class State(Section):
    url: StateUrl = f"{SQLITE}state.db"

    @property
    def file(self) -> Path:
        return Path(self.url.removeprefix(SQLITE))


class Retention(Section):
    """Beyond the newest of each major, versions are yanked some days after a newer one came.

    A pin of a yanked version keeps working; no file is ever deleted.
    """

    keep_latest_per_major: Annotated[int, Field(ge=1)]
    yank_after_days: Annotated[float, Field(ge=0)] = 30.0


class StaticIndexSettings(Section):
    kind: Literal["static"]
    path: Path = Path("index")
    retention: Retention | None = None


class TwineIndexSettings(Section):
    """Without ``password`` and ``password_file`` the keyring is asked for the username's password.

    ``allow_insecure``: whether the password may cross a network in plain text.
    ``file_hosts``: hosts, beside the index's own, from which its files are fetched.
    ``checks_per_second``: how many packages a snapshot compares with the index, at most.
    ``timeout_seconds``: for the next bytes of a response; a whole one may take three times as long.
    """

    kind: Literal["twine"]
    repository_url: Address
    simple_url: Address
    username: Annotated[str | None, Field(repr=False)] = None
    password: SecretStr | None = None
    password_file: Path | None = None
    allow_insecure: bool = False
    file_hosts: tuple[str, ...] = PYPI_FILE_HOSTS
    checks_per_second: Annotated[float, Field(gt=0)] = 50.0
    timeout_seconds: Annotated[float, Field(gt=0)] = 30.0
    retention: Retention | None = None

    @model_validator(mode="after")
    def _encrypted(self) -> TwineIndexSettings:
        given = (self.username, self.password, self.password_file)
        for setting in ("repository_url", "simple_url"):
            address = getattr(self, setting)
            has_password = any(given) or urlsplit(address).password is not None
            if has_password and crosses_network_in_plain_text(address) and not self.allow_insecure:
                raise ValueError(
                    f"{setting} would send the password over plain http://; "
                    "use https://, or set index.allow_insecure = true"
                )
        return self

    def secret(self) -> str | None:
        """The password as it is now; None where there is none, or one in the address.

        Raises:
            SettingsError: the file is not readable, or the keyring does not open.
        """
        given = given_secret("index", self.password, self.password_file)
        if given is not None:
            return given
        if self.username is not None and urlsplit(self.repository_url).password is None:
            return secret_in_keyring(self.repository_url, self.username)
        return None


IndexSettings = Annotated[StaticIndexSettings | TwineIndexSettings, Field(discriminator="kind")]


class UdfSettings(Section):
    """What a UDF class returns: exactly one of the three."""

    returns: str | None = None
    returns_argument: int | None = None
    returns_rows: str | None = None

    @property
    def udf_return(self) -> UdfReturn:
        return read_udf("a UDF class", self.model_dump(exclude_none=True))

    @model_validator(mode="after")
    def _readable(self) -> UdfSettings:
        try:
            _ = self.udf_return
        except MalformedType as error:
            raise ValueError(f"{error}; {error.hint}") from None
        return self


class SparkUdfSettings(Section):
    """See ``SparkUdfRule``; ``class`` and ``dependency`` are its patterns."""

    model_config = ConfigDict(extra="forbid", frozen=True, validate_by_name=False)

    class_pattern: Annotated[str, Field(alias="class")]
    dependency: str | None = None
    spark_class: str | None = None
    spark_dependency: str | None = None

    @property
    def rule(self) -> SparkUdfRule:
        return read_spark_rule(self.model_dump(by_alias=True, exclude_none=True))

    @model_validator(mode="after")
    def _readable(self) -> SparkUdfSettings:
        _ = self.rule
        return self


class Translation(Section):
    """``view_evolution`` defaults to "follow" for a folder of DDL files, else to "engine".

    ``udf_plugins`` are ``module:callable``; left out, they are the installed entry points.
    """

    casing: Annotated[Casing, option("casing")] = Casing.PRESERVE
    nullability: Annotated[Nullability, option("nullability")] = Nullability.PRESERVE
    strict: bool = False
    view_evolution: Annotated[ViewEvolution | None, option("view_evolution")] = None
    timestamp_unit: Annotated[str, option("timestamp_unit")] = "micros"
    inexpressible: Annotated[Inexpressible, option("inexpressible")] = Inexpressible.OMIT
    local_timestamps: bool = False
    udfs: Mapping[str, UdfSettings] = Field(default_factory=dict)
    udf_plugins: tuple[str, ...] | None = None
    spark_udfs: tuple[SparkUdfSettings, ...] = ()

    @field_validator("udf_plugins")
    @classmethod
    def _references(cls, value: tuple[str, ...] | None) -> tuple[str, ...] | None:
        for reference in value or ():
            if not is_reference(reference):
                raise ValueError(f"invalid plugin {reference!r}: expected module:callable")
        return value


class Snapshot(Section):
    """``runner`` "spark" reads and derives on executors; "local" does the same in this process.

    "auto" is "spark" for large catalogs, where Spark is installed.
    """

    interval_seconds: Annotated[float, Field(gt=0)] = 3600.0
    on_start: bool = True
    runner: RunnerChoice = "auto"
    tasks: Annotated[int, Field(ge=1)] = 2
    conf: Mapping[str, str] = Field(default_factory=dict, repr=False)


class Planning(Section):
    """Files that tell ``plan`` who uses the packages and relations."""

    lock_files: tuple[Path, ...] = ()
    downloads: Path | None = None
    query_log: Path | None = None
    query_dialect: Literal["hive", "spark"] = "spark"


class Engine(Section):
    debounce_seconds: Annotated[float, Field(ge=0)] = 5.0
    max_wait_seconds: Annotated[float, Field(ge=0)] = 60.0
    workers: Annotated[int, Field(ge=1, le=64)] = 2
    max_sql_bytes: Annotated[int, Field(ge=1)] = 1_000_000
    derivation_timeout_seconds: Annotated[float, Field(gt=0)] = 30.0
    drop_grace_seconds: Annotated[float, Field(ge=0)] = 300.0
    max_versions_per_hour: Annotated[int, Field(ge=1)] = 12
    mass_change: Literal["canary", "confirm", "off"] = "canary"
    max_deletions: Annotated[int, Field(ge=0)] = 10
    max_deletion_share: Annotated[float, Field(ge=0, le=1)] = 0.2
    staleness_seconds: Annotated[float, Field(ge=0)] = 2.0
    stuck_after_seconds: Annotated[float, Field(gt=0)] = 600.0
    max_lag_seconds: Annotated[float, Field(ge=0)] = 60.0
    max_backoff_seconds: Annotated[float, Field(gt=0)] = 14_400.0
    max_dead_letters: Annotated[int, Field(ge=0)] = 1000
    max_dead_letter_bytes: Annotated[int, Field(ge=0)] = 16_777_216
    max_dead_letter_days: Annotated[float, Field(gt=0)] = 30.0


class Http(Section):
    """``port`` 0 takes a free one.

    ``public_url``: where installers reach the index; pages show it in their commands.
    ``operations_port``, ``operations_token_file``: the dashboard, metrics and the reasons of health
    checks are served on a port of their own, or to whoever has the token, or both.
    """

    host: str = "127.0.0.1"
    port: Port = 8765
    enabled: bool = True
    public_url: PublicUrl | None = None
    operations_port: Port | None = None
    operations_token_file: Path | None = None
    max_connections: Annotated[int, Field(ge=8, le=65536)] = 256

    def operations_token(self) -> str | None:
        """The token of the file; None where none is asked for.

        Raises:
            SettingsError: the file is not readable, or what it holds could be guessed.
        """
        if self.operations_token_file is None:
            return None
        setting = f"http.operations_token_file ({self.operations_token_file})"
        token = secret_in_file(setting, self.operations_token_file)
        if len(token) < MIN_TOKEN_LENGTH:
            raise SettingsError((f"{setting}: expected at least {MIN_TOKEN_LENGTH} characters",))
        return token


class Settings(BaseSettings):
    """All of it. ``catalog`` may be one table or, as ``[[catalog]]``, several."""

    model_config = SettingsConfigDict(
        env_prefix=ENVIRONMENT_PREFIX,
        env_nested_delimiter="__",
        extra="forbid",
        frozen=True,
    )

    artifacts: Artifacts
    catalog: tuple[CatalogSettings, ...]
    events: tuple[EventSettings, ...] = ()
    state: State = State()
    index: IndexSettings = Field(default_factory=lambda: StaticIndexSettings(kind="static"))
    translation: Translation = Translation()
    snapshot: Snapshot = Snapshot()
    plan: Planning = Planning()
    engine: Engine = Engine()
    http: Http = Http()

    @field_validator("catalog", "events", mode="before")
    @classmethod
    def _one_or_more(cls, value: Any) -> Any:
        return [value] if isinstance(value, Mapping) else value

    @field_validator("catalog")
    @classmethod
    def _at_least_one(cls, value: tuple[CatalogSettings, ...]) -> tuple[CatalogSettings, ...]:
        if len(value) != 1:
            raise ValueError("exactly one catalog is supported in this version")
        return value

    @field_validator("events")
    @classmethod
    def _as_encrypted_as_the_catalog(
        cls, value: tuple[EventSettings, ...], info: ValidationInfo
    ) -> tuple[EventSettings, ...]:
        """A notification log is read with the catalog's TLS and SASL, at an address of its own."""
        # Absent if it was refused itself.
        (catalog,) = info.data.get("catalog") or (None,)
        if not isinstance(catalog, HiveCatalogSettings):
            return value
        for number, source in enumerate(value):
            if not isinstance(source, NotificationLogSettings) or source.uri is None:
                continue
            if catalog.sends_password_unencrypted(source.uri):
                raise ValueError(
                    f"catalog.sasl would send the password unencrypted to events.{number}.uri; "
                    "add [catalog.tls], or set catalog.allow_insecure = true"
                )
        return value

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],  # noqa: ARG003 (pydantic names the arguments)
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        # The file is handed in as arguments, so the environment comes first.
        return env_settings, init_settings
