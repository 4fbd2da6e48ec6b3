"""Opens an index for commands that consumers of packages run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from packaging.utils import canonicalize_name

from lakeschema.isolation.pool import LimitedProcesses
from publisher.commands.failures import USAGE_ERROR, Refused
from publisher.daemon.adapters import build_index_to_read
from publisher.index.protocol import PackageIndex
from publisher.index.twine_index import TwineIndex
from publisher.publishing.limited_packaging import HANDLER, LimitedPackaging, packaging_handler
from publisher.publishing.packaging import WheelPackaging
from publisher.publishing.packaging_protocol import Packaging
from publisher.settings import Settings, SettingsError, load_settings
from publisher.settings.loading import DEFAULT_FILE


@dataclass(frozen=True, slots=True)
class OpenIndex:
    """An open index. ``packaging`` reads wheels in a limited process; its prefix is normalised."""

    index: PackageIndex
    packaging: Packaging


@contextmanager
def opened_index(
    config: Path | None, address: str | None, prefix: str | None
) -> Iterator[OpenIndex]:
    """The index at ``address``, or the deployment's.

    With ``address`` and ``prefix``, no settings are needed.

    Raises:
        SettingsError: the settings are needed and wrong.
        Refused: the settings are needed and missing, or the address is invalid.
    """
    settings = None if address is not None and prefix is not None else _settings(config, address)
    if settings is not None:
        prefix = prefix or settings.artifacts.prefix
    normalised = canonicalize_name(prefix or "")
    index = (
        build_index_to_read(settings) if settings and address is None else index_at(address or "")
    )
    # Nothing is built, so the packaging's other options have no effect.
    handler = packaging_handler(normalised, immutable=False, project_urls={}, second_opinion="off")
    with LimitedProcesses({HANDLER: handler}, count=1) as processes:
        yield OpenIndex(index, LimitedPackaging(processes, WheelPackaging(normalised), "off"))


def _settings(config: Path | None, address: str | None) -> Settings:
    """The settings, from which a missing address or prefix is taken."""
    try:
        return load_settings(config)
    except SettingsError as error:
        if config is not None or DEFAULT_FILE.exists():
            raise
        if address is None:
            lacking, flags = (
                "the index's address",
                "--against https://…/simple/ --prefix acme-schema",
            )
        else:
            lacking, flags = "the prefix of our packages", "--prefix, such as --prefix acme-schema"
        message = f"{lacking} is not known: there is no {DEFAULT_FILE} here"
        raise Refused(USAGE_ERROR, message, f"add {flags}; or --config FILE") from error


def index_at(address: str) -> PackageIndex:
    """An index that is read through its simple pages.

    Raises:
        Refused: the address is invalid.
    """
    try:
        return TwineIndex(address, address)
    except ValueError as error:
        raise Refused(
            USAGE_ERROR, str(error), "call it with --against https://…/simple/"
        ) from error
