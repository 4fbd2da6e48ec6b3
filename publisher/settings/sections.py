"""The sections of ``schema-publisher.toml``, each a value that checks itself."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias
from urllib.parse import urlsplit

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    field_validator,
    model_validator,
)
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from lakeschema.catalog.errors import MalformedType
from lakeschema.translation.interface import (
    Casing,
    Nullability,
    SparkUdfRule,
    UdfReturn,
    ViewEvolution,
)
from lakeschema.translation.option_values import read_spark_rule, read_udf
from lakeschema.translation.udf_plugins import is_reference
from publisher.selection import EVERYTHING, is_pattern
from publisher.settings.fields import Address, Metastores, Prefix, StateUrl, option
from publisher.settings.secrets import secret_in_file, secret_in_keyring

# Of a Project-URL (core metadata); its characters are those of RFC 3986, and our two placeholders.
_LABEL = re.compile(r"[ -+\--~]{1,32}")
_URL = re.compile(r"https?://([A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=%]|\{name\}|\{relation\})+")

ENVIRONMENT_PREFIX = "SCHEMA_PUBLISHER__"

Runner: TypeAlias = Literal["spark", "local"]
"""Where a snapshot reads and derives: on Spark's executors, or in its own process."""


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Artifacts(_Section):
    """``prefix`` is mandatory: without one of its own, a deployment's names could be squatted on.

    ``include`` and ``exclude``: patterns of relations that get a package; see ``Selection``.
    ``immutable``: whether packages' records are; from the next snapshot after another choice on,
    each package has a new major version.
    ``project_urls``: links of every package, by label; ``{name}`` and ``{relation}`` are filled in.
    """

    prefix: Prefix
    versioning: Literal["semantic", "sequential"] = "semantic"
    immutable: bool = False
    project_urls: Mapping[str, str] = Field(default_factory=dict)
    include: tuple[str, ...] = EVERYTHING.include
    exclude: tuple[str, ...] = EVERYTHING.exclude

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


class HiveCatalogSettings(_Section):
    """``uri`` may name several metastores, separated by commas."""

    kind: Literal["hive"]
    name: str = "hive"
    uri: Metastores = "thrift://127.0.0.1:9083"
    timeout_seconds: Annotated[float, Field(gt=0)] = 30.0
    max_connections: Annotated[int, Field(ge=1, le=64)] = 4


class DdlCatalogSettings(_Section):
    kind: Literal["ddl"]
    name: str = "ddl"
    path: Path = Path("ddl")
    dialect: Literal["hive", "spark"] = "hive"


class SparkCatalogSettings(_Section):
    """``name`` is the catalog's name inside Spark, ``conf`` what a session needs to reach it."""

    kind: Literal["spark"]
    name: str = "spark_catalog"
    conf: Mapping[str, str] = Field(default_factory=dict)
    max_connections: Annotated[int, Field(ge=1, le=64)] = 4


CatalogSettings = Annotated[
    HiveCatalogSettings | DdlCatalogSettings | SparkCatalogSettings, Field(discriminator="kind")
]


class NotificationLogSettings(_Section):
    """``uri`` defaults to the catalog's."""

    kind: Literal["notification-log"]
    uri: Metastores | None = None
    poll_seconds: Annotated[float, Field(gt=0, le=60)] = 0.02


class KafkaSettings(_Section):
    """``options`` go to the Kafka client as they are (SASL, TLS …)."""

    kind: Literal["kafka"]
    bootstrap_servers: str
    topic: str
    group_id: str = "schema-publisher"
    format: Literal["apiary"] = "apiary"
    options: Mapping[str, Any] = Field(default_factory=dict)


class DdlFolderSettings(_Section):
    """Watches the folder of the DDL catalog."""

    kind: Literal["ddl-folder"]


EventSettings = Annotated[
    NotificationLogSettings | KafkaSettings | DdlFolderSettings, Field(discriminator="kind")
]


class State(_Section):
    url: StateUrl = "sqlite:///state.db"


class Retention(_Section):
    """Beyond the newest of each major, versions are yanked some days after a newer one came.

    A pin of a yanked version keeps working; no file is ever deleted.
    """

    keep_latest_per_major: Annotated[int, Field(ge=1)]
    yank_after_days: Annotated[float, Field(ge=0)] = 30.0


class StaticIndexSettings(_Section):
    kind: Literal["static"]
    path: Path = Path("index")
    retention: Retention | None = None


class TwineIndexSettings(_Section):
    """Without ``password`` and ``password_file`` the keyring is asked for the username's password."""

    kind: Literal["twine"]
    repository_url: Address
    simple_url: Address
    username: str | None = None
    password: SecretStr | None = None
    password_file: Path | None = None
    retention: Retention | None = None

    def secret(self) -> str | None:
        """The password as it is now; None where there is none, or one in the address.

        Raises:
            SettingsError: the file is not readable, or the keyring does not open.
        """
        if self.password is not None:
            return self.password.get_secret_value()
        if self.password_file is not None:
            return secret_in_file(self.password_file)
        if self.username is not None and urlsplit(self.repository_url).password is None:
            return secret_in_keyring(self.repository_url, self.username)
        return None


IndexSettings = Annotated[StaticIndexSettings | TwineIndexSettings, Field(discriminator="kind")]


class UdfSettings(_Section):
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


class SparkUdfSettings(_Section):
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


class Translation(_Section):
    """``view_evolution`` defaults to "follow" for a folder of DDL files, else to "engine".

    ``udf_plugins`` are ``module:callable``; left out, they are the installed entry points.
    """

    casing: Annotated[Casing, option("casing")] = Casing.PRESERVE
    nullability: Annotated[Nullability, option("nullability")] = Nullability.PRESERVE
    strict: bool = False
    view_evolution: Annotated[ViewEvolution | None, option("view_evolution")] = None
    timestamp_unit: Annotated[str, option("timestamp_unit")] = "millis"
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


class Snapshot(_Section):
    """``runner`` "spark" reads and derives on executors; "local" does the same in this process."""

    interval_seconds: Annotated[float, Field(gt=0)] = 3600.0
    on_start: bool = True
    runner: Runner = "spark"
    tasks: Annotated[int, Field(ge=1)] = 2
    conf: Mapping[str, str] = Field(default_factory=dict)


class Engine(_Section):
    debounce_seconds: Annotated[float, Field(ge=0)] = 5.0
    max_wait_seconds: Annotated[float, Field(ge=0)] = 60.0
    workers: Annotated[int, Field(ge=1, le=64)] = 2
    max_sql_bytes: Annotated[int, Field(ge=1)] = 1_000_000
    derivation_timeout_seconds: Annotated[float, Field(gt=0)] = 30.0
    drop_grace_seconds: Annotated[float, Field(ge=0)] = 300.0
    staleness_seconds: Annotated[float, Field(ge=0)] = 2.0


class Http(_Section):
    """``port`` 0 takes a free one."""

    host: str = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535)] = 8765
    enabled: bool = True


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
