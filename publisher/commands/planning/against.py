"""Parses ``--against``, the other side of a desired state: a deployment's settings, or an index."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from publisher.commands.failures import USAGE_ERROR, Refused
from publisher.settings import DdlCatalogSettings, HiveCatalogSettings, Settings, load_settings

LIVE = "live"
_FORMS = (
    "write live, thrift://HOST:PORT, a folder of DDL, another deployment's settings file (.toml), "
    "or the address of its packages (https://HOST/simple/)"
)


@dataclass(frozen=True, slots=True)
class OtherCatalog:
    """A catalog to compare with; ``settings`` are the settings of its deployment.

    ``has_state`` says whether the settings' state belongs to that catalog.
    """

    settings: Settings
    has_state: bool


@dataclass(frozen=True, slots=True)
class OtherIndex:
    """Another deployment's packages, which show what its catalog has."""

    address: str


Against: TypeAlias = OtherCatalog | OtherIndex


def read_against(text: str, settings: Settings) -> Against:
    """Parses a word, a path or an address.

    Raises:
        Refused: the text has another form.
        SettingsError: the text names a file with wrong settings.
    """
    if text == LIVE:
        return OtherCatalog(settings, has_state=True)
    scheme, separator, _ = text.partition("://")
    if separator and scheme in {"http", "https"}:
        return OtherIndex(text)
    if separator and scheme == "thrift":
        return OtherCatalog(_of_metastore(text, settings), has_state=False)
    path = Path(text)
    if not separator and path.is_dir():
        return OtherCatalog(_of_folder(path, settings), has_state=False)
    if not separator and path.is_file():
        return OtherCatalog(load_settings(path), has_state=True)
    raise Refused(USAGE_ERROR, f"--against {text}: this folder or file does not exist", _FORMS)


def _of_metastore(uri: str, settings: Settings) -> Settings:
    """The settings with another metastore's address.

    TLS, user and time limit of a metastore in the settings stay.
    """
    configured = settings.default_catalog
    if not isinstance(configured, HiveCatalogSettings):
        configured = HiveCatalogSettings(kind="hive")
    if configured.sends_password_unencrypted(uri):
        why = "the password of [catalog.sasl] would be sent unencrypted"
        raise Refused(USAGE_ERROR, f"--against {uri}: {why}", "add [catalog.tls]")
    return _with_catalog(settings, configured.model_copy(update={"uri": uri}))


def _of_folder(path: Path, settings: Settings) -> Settings:
    configured = settings.default_catalog
    dialect = configured.dialect if isinstance(configured, DdlCatalogSettings) else "hive"
    return _with_catalog(settings, DdlCatalogSettings(kind="ddl", path=path, dialect=dialect))


def _with_catalog(
    settings: Settings, catalog: HiveCatalogSettings | DdlCatalogSettings
) -> Settings:
    return settings.model_copy(update={"catalog": (catalog,)})
