"""Settings from ``schema-publisher.toml`` and the environment, checked as a whole before anything starts.

Any key may also be set as ``SCHEMA_PUBLISHER__SECTION__KEY``, which wins over the file. A setting
that is unknown, missing or of the wrong type is reported with its name, where it was read and what
is allowed.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from lakeschema.translation.emission.udf_rules import rule_problem
from lakeschema.translation.interface import SparkUdfRule
from lakeschema.translation.udf_plugins import is_reference
from publisher.selection import EVERYTHING, is_pattern

# Of a Project-URL (core metadata); its characters are those of RFC 3986, and our two placeholders.
_LABEL = re.compile(r"[ -+\--~]{1,32}")
_URL = re.compile(r"https?://([A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=%]|\{name\}|\{relation\})+")

ENVIRONMENT_PREFIX = "SCHEMA_PUBLISHER__"
DEFAULT_FILE = Path("schema-publisher.toml")


class SettingsError(Exception):
    """``problems``: one line for each setting that is wrong, naming it and where it was read."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__(*problems)
        self.problems = problems

    def __str__(self) -> str:
        return "\n".join(self.problems)


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Artifacts(_Section):
    """``prefix`` is mandatory: without one of its own, a deployment's names could be squatted on.

    ``include`` and ``exclude``: patterns of relations that get a package; see ``Selection``.
    ``immutable``: whether packages' records are; from the next snapshot after another choice on,
    each package has a new major version.
    ``project_urls``: links of every package, by label; ``{name}`` and ``{relation}`` are filled in.
    """

    prefix: Annotated[str, Field(pattern=r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$", max_length=40)]
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
                    f"{pattern!r} is no pattern database.table; "
                    "staging.* stands for a whole database, *.tmp_* for tables of any"
                )
        return value

    @field_validator("project_urls")
    @classmethod
    def _linkable(cls, value: Mapping[str, str]) -> Mapping[str, str]:
        for label, url in value.items():
            if not _LABEL.fullmatch(label):
                raise ValueError(f"{label!r} is no label: up to 32 characters, without a comma")
            if not _URL.fullmatch(url):
                raise ValueError(
                    f"{url!r} is no address http://… or https://… "
                    "in which nothing but {name} and {relation} stands in braces"
                )
        return value


class HiveCatalogSettings(_Section):
    """``uri`` may name several metastores, separated by commas."""

    kind: Literal["hive"]
    name: str = "hive"
    uri: str = "thrift://127.0.0.1:9083"
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
    uri: str | None = None
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
    url: Annotated[str, Field(pattern=r"^sqlite:///")] = "sqlite:///state.db"


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


_Address = Annotated[str, Field(pattern=r"^https?://[^/@]*@?[^/@]+", repr=False)]
"""Not shown, because credentials may stand in it."""


class TwineIndexSettings(_Section):
    """Without ``password`` and ``password_file`` the keyring is asked for the username's password."""

    kind: Literal["twine"]
    repository_url: _Address
    simple_url: _Address
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
            return _secret_in(self.password_file)
        if self.username is not None and urlsplit(self.repository_url).password is None:
            return _secret_in_keyring(self.repository_url, self.username)
        return None


def _secret_in(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8").strip()
    except OSError as error:
        why = os.strerror(error.errno) if error.errno else "it is not readable"
    except UnicodeDecodeError:
        why = "it is not UTF-8"
    raise SettingsError((f"index.password_file ({file}): {why}",))


def _secret_in_keyring(service: str, username: str) -> str | None:
    """As twine and pip keep it: under the address of the index."""
    try:
        from keyring import get_password
        from keyring.errors import KeyringError, NoKeyringError
    except ImportError:
        return None  # there are platforms on which twine comes without it
    try:
        return get_password(service, username)
    except NoKeyringError:
        return None
    except KeyringError as error:
        raise SettingsError(
            (f"index.password: the keyring does not open: {type(error).__name__}",)
        ) from None


IndexSettings = Annotated[StaticIndexSettings | TwineIndexSettings, Field(discriminator="kind")]


class UdfSettings(_Section):
    """What a UDF class returns: exactly one of the three."""

    returns: str | None = None
    returns_argument: Annotated[int, Field(ge=0)] | None = None
    returns_rows: str | None = None

    @model_validator(mode="after")
    def _exactly_one(self) -> UdfSettings:
        given = [
            v for v in (self.returns, self.returns_argument, self.returns_rows) if v is not None
        ]
        if len(given) != 1:
            raise ValueError("give exactly one of returns, returns_argument, returns_rows")
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
        return SparkUdfRule(
            self.class_pattern, self.dependency, self.spark_class, self.spark_dependency
        )

    @model_validator(mode="after")
    def _sound(self) -> SparkUdfSettings:
        problem = rule_problem(self.rule)
        if problem is not None:
            raise ValueError(problem)
        return self


class Translation(_Section):
    """``view_evolution`` defaults to "follow" for a folder of DDL files, else to "engine".

    ``udf_plugins`` are ``module:callable``; left out, they are the installed entry points.
    """

    casing: Literal["preserve", "lower"] = "preserve"
    nullability: Literal["preserve", "all-nullable"] = "preserve"
    strict: bool = False
    view_evolution: Literal["engine", "follow"] | None = None
    timestamp_unit: Literal["millis", "micros"] = "millis"
    local_timestamps: bool = False
    udfs: Mapping[str, UdfSettings] = Field(default_factory=dict)
    udf_plugins: tuple[str, ...] | None = None
    spark_udfs: tuple[SparkUdfSettings, ...] = ()

    @field_validator("udf_plugins")
    @classmethod
    def _references(cls, value: tuple[str, ...] | None) -> tuple[str, ...] | None:
        for reference in value or ():
            if not is_reference(reference):
                raise ValueError(f"{reference!r} is not module:callable")
        return value


class Snapshot(_Section):
    """``runner`` "spark" reads and derives on executors; "local" does the same in this process."""

    interval_seconds: Annotated[float, Field(gt=0)] = 3600.0
    on_start: bool = True
    runner: Literal["spark", "local"] = "spark"
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


def load_settings(path: Path | None) -> Settings:
    """Reads ``path`` (None: ``schema-publisher.toml`` here, if there is one) and the environment.

    Raises:
        SettingsError: naming each setting that is wrong.
    """
    file = path or DEFAULT_FILE
    content = _read_file(file, required=path is not None)
    problems = _unknown_variables(os.environ)
    if problems:
        raise SettingsError(problems)
    try:
        return Settings(**content)
    except ValidationError as error:
        raise SettingsError(
            tuple(_problem(detail, file, os.environ) for detail in error.errors())
        ) from None
    except json.JSONDecodeError as error:
        raise SettingsError((f"the environment: a value is not JSON: {error}",)) from None


def _read_file(file: Path, *, required: bool) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        if not required:
            return {}
        raise SettingsError((f"{file}: there is no such file",)) from None
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError((f"{file}: cannot be read: {error}",)) from None
    except tomllib.TOMLDecodeError as error:
        raise SettingsError((f"{file}: is not TOML: {error}",)) from None


def _unknown_variables(environment: Mapping[str, str]) -> tuple[str, ...]:
    known = {name.upper() for name in Settings.model_fields}
    return tuple(
        f"{variable} (environment): there is no section {section.lower()!r}; "
        f"there are {', '.join(sorted(k.lower() for k in known))}"
        for variable in sorted(environment)
        if variable.upper().startswith(ENVIRONMENT_PREFIX)
        and (section := variable.upper()[len(ENVIRONMENT_PREFIX) :].split("__")[0]) not in known
    )


def _problem(detail: Any, file: Path, environment: Mapping[str, str]) -> str:
    path = [str(part) for part in detail["loc"]]
    variable = ENVIRONMENT_PREFIX + "__".join(path).upper()
    origin = "environment" if any(v.upper() == variable for v in environment) else str(file)
    message = str(detail["msg"])
    match detail["type"]:
        case "missing":
            message = "is missing"
        case "extra_forbidden":
            message = f"is unknown; allowed here: {', '.join(_allowed(path[:-1]))}"
    return f"{'.'.join(path)} ({origin}): {message}"


def _translation_section(path: list[str]) -> type[BaseModel]:
    if len(path) < 3:
        return Translation
    return UdfSettings if path[1] == "udfs" else SparkUdfSettings


def _allowed(path: list[str]) -> list[str]:
    """Names that a section may have; for a section of several kinds, those of all kinds."""
    sections: dict[str, tuple[type[BaseModel], ...]] = {
        "artifacts": (Artifacts,),
        "catalog": (HiveCatalogSettings, DdlCatalogSettings, SparkCatalogSettings),
        "events": (NotificationLogSettings, KafkaSettings, DdlFolderSettings),
        "state": (State,),
        "index": (Retention,) if "retention" in path else (StaticIndexSettings, TwineIndexSettings),
        "translation": (_translation_section(path),),
        "snapshot": (Snapshot,),
        "engine": (Engine,),
        "http": (Http,),
    }
    models: tuple[type[BaseModel], ...] = (
        sections.get(path[0], (Settings,)) if path else (Settings,)
    )
    return sorted({f.alias or name for model in models for name, f in model.model_fields.items()})
