"""Settings from ``schema-publisher.toml`` and the environment, all checked before anything starts.

Any key may also be set as ``SCHEMA_PUBLISHER__SECTION__KEY``, which wins over the file. The error
for an unknown, missing or wrong setting names the setting, its source and the allowed values.
"""

from publisher.settings.artifacts import Artifacts
from publisher.settings.deployments import Deployment
from publisher.settings.errors import SettingsError
from publisher.settings.event_sources import EventFolderSettings, HttpEventsSettings
from publisher.settings.iceberg import IcebergCatalogSettings, IcebergEventSettings
from publisher.settings.indexes import Retention, StaticIndexSettings, TwineIndexSettings
from publisher.settings.loading import load_settings
from publisher.settings.named_events import NamedEventsSettings
from publisher.settings.notifications import NotificationSettings
from publisher.settings.running import (
    Engine,
    Http,
    Planning,
    Runner,
    RunnerChoice,
    Snapshot,
    State,
)
from publisher.settings.sections import Settings
from publisher.settings.sources import (
    CatalogSettings,
    DdlCatalogSettings,
    DdlFolderSettings,
    EventSettings,
    HiveCatalogSettings,
    KafkaSettings,
    NotificationLogSettings,
    SparkCatalogSettings,
)
from publisher.settings.statement_checks import Check
from publisher.settings.statements import Statements
from publisher.settings.translation import Translation, UdfSettings
from publisher.settings.translation_requests import Translate
from publisher.settings.trino import Trino

__all__ = [
    "Artifacts",
    "CatalogSettings",
    "Check",
    "DdlCatalogSettings",
    "DdlFolderSettings",
    "Deployment",
    "Engine",
    "EventFolderSettings",
    "EventSettings",
    "HiveCatalogSettings",
    "Http",
    "HttpEventsSettings",
    "IcebergCatalogSettings",
    "IcebergEventSettings",
    "KafkaSettings",
    "NamedEventsSettings",
    "NotificationLogSettings",
    "NotificationSettings",
    "Planning",
    "Retention",
    "Runner",
    "RunnerChoice",
    "Settings",
    "SettingsError",
    "Snapshot",
    "SparkCatalogSettings",
    "State",
    "Statements",
    "StaticIndexSettings",
    "Translate",
    "Translation",
    "Trino",
    "TwineIndexSettings",
    "UdfSettings",
    "load_settings",
]
