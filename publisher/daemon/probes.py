"""Tests once whether each part that the settings name is usable.

The tests change nothing, except that they create and remove a folder in the index's folder.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import assert_never

from lakeschema.catalog.catalogs import parts_of
from lakeschema.catalog.errors import CatalogError
from lakeschema.catalog.listing import list_relations
from lakeschema.catalog.relations import Catalog
from lakeschema.spark.session import SparkMissing
from publisher.daemon.adapters import build_index, build_options, open_catalog
from publisher.daemon.assembly import build_sources
from publisher.daemon.notification_adapters import signing_secrets
from publisher.daemon.runner_choice import choose_runner
from publisher.daemon.statement_checks import handler_of
from publisher.daemon.tracing_adapters import build_traces
from publisher.events.kafka_topic import KafkaSource
from publisher.events.posted_events import EVENTS_ADDRESS, PostedEvents
from publisher.events.protocol import EventSource, SourceUnavailable
from publisher.index.atomic_files import rehearse
from publisher.index.protocol import PackageIndexError
from publisher.outages import catalog_service
from publisher.settings import (
    NotificationSettings,
    Settings,
    SettingsError,
    StaticIndexSettings,
    TwineIndexSettings,
)
from publisher.state.opening import state_exists
from publisher.state.places import place_of
from publisher.state.protocol import StateUnavailable

_FAILURES = (
    CatalogError,
    PackageIndexError,
    SettingsError,
    SourceUnavailable,
    SparkMissing,
    StateUnavailable,
    OSError,
)


@dataclass(frozen=True, slots=True)
class Probe:
    """A test. ``part`` is a section of the settings.

    ``found`` is the answer, or why it is unusable.
    """

    part: str
    is_usable: bool
    found: str


def probes(settings: Settings) -> Iterator[Probe]:
    """Runs the tests, and yields each result at once: a server that does not answer takes long."""
    translation = _probe("translation", partial(_translation, settings))
    yield translation
    yield _probe("state", partial(_state, settings))
    yield _probe("index", partial(_index, settings))
    try:
        with open_catalog(settings) as catalog:
            listed = []
            for name, part in parts_of(catalog).items():
                listed.append(_probe(catalog_service(name), partial(_catalog, part)))
                yield listed[-1]
            if any(each.is_usable for each in listed):
                yield _probe("snapshot", partial(_snapshot, settings, catalog))
            yield from _events(settings, catalog)
    except _FAILURES as error:
        # A folder of DDL also needs the translation, whose error is reported above.
        if _reason(error) != translation.found:
            yield Probe("catalog", is_usable=False, found=_reason(error))
    if settings.http.operations_token_file is not None:
        yield _probe("http", partial(_token, settings))
    if settings.check.enabled:
        yield _probe("check", partial(_checks, settings))
    if settings.tracing.enabled:
        yield _probe("tracing", partial(_traces, settings))
    for receiver in settings.notification:
        yield _probe(f"notification.{receiver.name}", partial(_receiver, receiver))


def _events(settings: Settings, catalog: Catalog) -> Iterator[Probe]:
    try:
        sources = build_sources(settings, catalog)
    except SettingsError as error:
        yield Probe("events", is_usable=False, found=_reason(error))
        return
    for number, source in enumerate(sources):
        yield _probe(f"events.{number}", partial(_source, source))


def _probe(part: str, ask: Callable[[], str]) -> Probe:
    try:
        return Probe(part, is_usable=True, found=ask())
    except _FAILURES as error:
        return Probe(part, is_usable=False, found=_reason(error))


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename and error.strerror:
        return f"{error.filename}: {error.strerror}"
    hint = getattr(error, "hint", "")
    return f"{error}; {hint}" if hint else str(error)


def _translation(settings: Settings) -> str:
    build_options(settings)
    return "read"


def _index(settings: Settings) -> str:
    index = build_index(settings)
    match settings.index:
        case StaticIndexSettings(path=path):
            return _folder_of_index(path)
        case TwineIndexSettings():
            from publisher.index.twine_index import TwineIndex

            assert isinstance(index, TwineIndex)
            # Every index can serve this page, even if it lacks the package.
            index.files(f"{settings.artifacts.prefix}-config-check")
            index.require_root()
            return "answers; whether it takes uploads shows with the first one"
        case _:
            assert_never(settings.index)


def _folder_of_index(path: Path) -> str:
    """Tests the file operations that the service needs, in the folder or its first existing parent.

    Raises:
        OSError: an operation fails; ``strerror`` says which.
    """
    found = _writable(path)
    if rehearse(_existing(path / "simple")):
        return found
    return f"{found}; its file system cannot sync folders: see docs/operations.md"


def _catalog(catalog: Catalog) -> str:
    listing = list_relations(catalog)
    namespaces = {name.place for name in listing.names}
    found = (
        f"{_counted(len(listing.names), 'relation')} in {_counted(len(namespaces), 'namespace')}"
    )
    refused = "; ".join(f"{namespace}: {why}" for namespace, why in sorted(listing.refused.items()))
    return f"{found}; not listed: {refused}" if refused else found


def _snapshot(settings: Settings, catalog: Catalog) -> str:
    runner = choose_runner(settings.snapshot.runner, settings, catalog)
    return "runs on Spark" if runner == "spark" else "runs in its own process"


def _source(source: EventSource) -> str:
    with closing(source):
        if isinstance(source, KafkaSource):
            return f"a topic of {_counted(source.count_partitions(), 'partition')}"
        if isinstance(source, PostedEvents):
            # Does not poll, because a poll would create the spool.
            source.require_secret()
            return f"takes POST {EVENTS_ADDRESS}{source.address_name}"
        source.poll(None, 0.0)
    return "answers"


def _token(settings: Settings) -> str:
    settings.http.operations_token()
    return "the token is read"


def _checks(settings: Settings) -> str:
    chosen = settings.check
    handler_of(chosen, asks_grants=chosen.grants_from_metastore)
    return "rules and grants are read"


def _traces(settings: Settings) -> str:
    build_traces(settings).close()
    return "the extra is installed"


def _receiver(receiver: NotificationSettings) -> str:
    receiver.address()
    signing_secrets(receiver)
    return f"is read; to send a message: schema-publisher notify-test {receiver.name}"


def _counted(count: int, thing: str) -> str:
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"


def _writable(folder: Path) -> str:
    """Describes ``folder`` or, if it does not exist, its first existing parent.

    Raises:
        OSError: the process's user may not write there.
    """
    existing = _existing(folder)
    if not existing.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, "is not a folder", str(existing))
    if not os.access(existing, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, "this user may not write there", str(existing))
    return f"{folder} can be written"


def _state(settings: Settings) -> str:
    place = place_of(settings.state)
    if isinstance(place, Path):
        return _writable(place.parent)
    return f"{place} answers; {'it has a state' if state_exists(place) else 'a new state is made'}"


def _existing(folder: Path) -> Path:
    return next(each for each in (folder, *folder.absolute().parents) if each.exists())
