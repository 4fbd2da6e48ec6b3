"""Settings from ``schema-publisher.toml`` and the environment, checked as a whole before anything starts.

Any key may also be set as ``SCHEMA_PUBLISHER__SECTION__KEY``, which wins over the file. A setting
that is unknown, missing or of the wrong type is reported with its name, where it was read and what
is allowed.
"""

from publisher.settings.errors import SettingsError
from publisher.settings.loading import load_settings
from publisher.settings.sections import (
    Artifacts,
    Engine,
    Http,
    Planning,
    Retention,
    Runner,
    RunnerChoice,
    Settings,
    Snapshot,
    State,
    StaticIndexSettings,
    Translation,
    TwineIndexSettings,
    UdfSettings,
)
from publisher.settings.sources import (
    DdlCatalogSettings,
    DdlFolderSettings,
    EventSettings,
    HiveCatalogSettings,
    KafkaSettings,
    NotificationLogSettings,
    SparkCatalogSettings,
)

__all__ = [
    "Artifacts",
    "DdlCatalogSettings",
    "DdlFolderSettings",
    "Engine",
    "EventSettings",
    "HiveCatalogSettings",
    "Http",
    "KafkaSettings",
    "NotificationLogSettings",
    "Planning",
    "Retention",
    "Runner",
    "RunnerChoice",
    "Settings",
    "SettingsError",
    "Snapshot",
    "SparkCatalogSettings",
    "State",
    "StaticIndexSettings",
    "Translation",
    "TwineIndexSettings",
    "UdfSettings",
    "load_settings",
]
