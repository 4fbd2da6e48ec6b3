"""The whole of ``schema-publisher.toml``, as a value that checks itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from publisher.settings.artifacts import Artifacts
from publisher.settings.indexes import IndexSettings, StaticIndexSettings
from publisher.settings.running import Engine, Http, Planning, Snapshot, State
from publisher.settings.sources import (
    CatalogSettings,
    EventSettings,
    HiveCatalogSettings,
    NotificationLogSettings,
)
from publisher.settings.statement_checks import Check
from publisher.settings.statements import Statements
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

    @property
    def default_catalog(self) -> CatalogSettings:
        """The catalog that a name without a catalog belongs to."""
        return self.catalog[0]

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
        """A notification log uses the catalog's TLS and SASL at a separate address."""
        # The catalog is absent if it was refused.
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
        # The file's content comes as arguments, so the environment comes first.
        return env_settings, init_settings
