"""The whole of ``schema-publisher.toml``, as a value that checks itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from pydantic import Field, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from lakeschema.catalog.identifiers import is_catalog_name
from publisher.settings.artifacts import Artifacts
from publisher.settings.deployments import Deployment
from publisher.settings.errors import SettingsError
from publisher.settings.event_sources import EventFolderSettings, HttpEventsSettings
from publisher.settings.indexes import IndexSettings, StaticIndexSettings
from publisher.settings.notifications import NotificationSettings
from publisher.settings.running import Engine, Http, Planning, Snapshot, State
from publisher.settings.sources import (
    CatalogSettings,
    EventSettings,
    HiveCatalogSettings,
    NotificationLogSettings,
)
from publisher.settings.statement_checks import Check
from publisher.settings.statements import Statements
from publisher.settings.tracing import Tracing
from publisher.settings.translation import Translation
from publisher.settings.translation_requests import Translate
from publisher.settings.trino import Trino

ENVIRONMENT_PREFIX = "SCHEMA_PUBLISHER__"


class Settings(BaseSettings):
    """All settings. ``catalog`` may be one table or, as ``[[catalog]]``, several."""

    model_config = SettingsConfigDict(
        env_prefix=ENVIRONMENT_PREFIX,
        env_nested_delimiter="__",
        extra="forbid",
        frozen=True,
    )

    artifacts: Artifacts
    """Which relations get a package, and the form of every package."""

    catalog: tuple[CatalogSettings, ...]
    """Where relations are read."""

    events: tuple[EventSettings, ...] = ()
    """Sources that report changes; several are possible. Without any, snapshots find all
    changes."""

    state: State = State()
    """Where the service keeps its data."""

    index: IndexSettings = Field(default_factory=lambda: StaticIndexSettings(kind="static"))
    """Where packages go. Default: the folder `index`, which the service serves."""

    translation: Translation = Translation()
    """How SQL types become schemas."""

    trino: Trino = Trino()
    """The SQL for Trino, and the server on which `register` creates views."""

    snapshot: Snapshot = Snapshot()
    """The regular snapshot of the whole catalog."""

    plan: Planning = Planning()
    """Files that tell `plan` who uses the relations."""

    deployment: Deployment = Deployment()
    """How people tell this deployment from others."""

    engine: Engine = Engine()
    """The pace of the service."""

    http: Http = Http()
    """The pages, the index and the health checks."""

    check: Check = Check()
    """Checks of statements before they run."""

    statements: Statements = Statements()
    """Statements that ran: from them the service learns which tables are filled from which
    others."""

    translate: Translate = Translate()
    """Requests over HTTP for schemas and other engines' SQL."""

    notification: tuple[NotificationSettings, ...] = ()
    """Receivers of notifications; several are possible."""

    tracing: Tracing = Tracing()
    """Traces of events with OpenTelemetry."""

    @property
    def default_catalog(self) -> CatalogSettings:
        """The catalog that a name without a catalog belongs to."""
        return next((each for each in self.catalog if each.default), self.catalog[0])

    @property
    def catalogs(self) -> Mapping[str, CatalogSettings]:
        """All catalogs by name. The default catalog comes first, under the name ""."""
        default = self.default_catalog
        others = {each.name: each for each in self.catalog if each is not default}
        return {"": default, **others}

    def key_of_catalog(self, name: str) -> str:
        """The name in ``catalogs`` of a catalog that a setting names.

        "" and the default catalog's own name mean the default catalog.

        Raises:
            SettingsError: there is no such catalog.
        """
        if name in {"", self.default_catalog.name}:
            return ""
        if name not in self.catalogs:
            known = ", ".join(each.name for each in self.catalog)
            raise SettingsError((f"no [[catalog]] has the name {name!r}; known: {known}",))
        return name

    @field_validator("catalog", "events", "notification", mode="before")
    @classmethod
    def _one_or_more(cls, value: Any) -> Any:
        return [value] if isinstance(value, Mapping) else value

    @field_validator("catalog")
    @classmethod
    def _at_least_one(cls, value: tuple[CatalogSettings, ...]) -> tuple[CatalogSettings, ...]:
        if not value:
            raise ValueError("at least one catalog is needed")
        if len(value) == 1:
            return value
        names = [each.name for each in value]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"two catalogs have the name {name!r}; give each its own `name`")
        if sum(each.default for each in value) != 1:
            raise ValueError("of several catalogs, exactly one needs `default = true`")
        for each in value:
            if not each.default and not is_catalog_name(each.name):
                raise ValueError(
                    f"{each.name!r} is no name for a catalog: write a letter, then at most 63 letters, "
                    "digits, _ or -"
                )
        _check_sql_names(value)
        return value

    @field_validator("events")
    @classmethod
    def _named_apart(cls, value: tuple[EventSettings, ...]) -> tuple[EventSettings, ...]:
        """Checks that sources' names differ.

        A name is a part of an address and of a position's key.
        """
        named = [
            (each.kind, each.name)
            for each in value
            if isinstance(each, HttpEventsSettings | EventFolderSettings)
        ]
        for kind, name in named:
            if named.count((kind, name)) > 1:
                raise ValueError(f"two sources of kind {kind} are called {name}")
        return value

    @field_validator("notification")
    @classmethod
    def _receivers_named_apart(
        cls, value: tuple[NotificationSettings, ...]
    ) -> tuple[NotificationSettings, ...]:
        for name, count in Counter(each.name for each in value).items():
            if count > 1:
                raise ValueError(f"two receivers are called {name}; give each its own `name`")
        return value

    @field_validator("events")
    @classmethod
    def _as_encrypted_as_the_catalog(
        cls, value: tuple[EventSettings, ...], info: ValidationInfo
    ) -> tuple[EventSettings, ...]:
        """Checks a notification log at a separate address.

        It uses the catalog's TLS and SASL.
        """
        # The catalogs are absent if one was refused.
        catalogs: tuple[CatalogSettings, ...] = info.data.get("catalog") or ()
        for number, source in enumerate(value):
            if not isinstance(source, NotificationLogSettings) or source.uri is None:
                continue
            catalog = next((c for c in catalogs if _is_of(source.catalog, c, catalogs)), None)
            if not isinstance(catalog, HiveCatalogSettings):
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
        # The file's content comes as arguments, so the environment comes first.
        return env_settings, init_settings


def _check_sql_names(catalogs: tuple[CatalogSettings, ...]) -> None:
    """Refuses a name that views could use for two catalogs."""
    known: dict[str, str] = {}
    for each in catalogs:
        for name in dict.fromkeys((each.name, *each.sql_names)):
            other = known.setdefault(name, each.name)
            if other != each.name:
                raise ValueError(
                    f"views call two catalogs {name!r}: {other!r} and {each.name!r}; "
                    "change the `sql_names` of one"
                )


def _is_of(name: str, catalog: CatalogSettings, catalogs: tuple[CatalogSettings, ...]) -> bool:
    """Whether an event source names this catalog; "" is the default catalog."""
    return catalog.name == name if name else catalog.default or len(catalogs) == 1
