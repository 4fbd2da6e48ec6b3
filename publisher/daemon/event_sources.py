"""Builds the sources of events that name tables, with their decoder, from settings."""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import assert_never

from publisher.daemon.adapters import catalog_traits
from publisher.events.apiary_events import decode_apiary_message
from publisher.events.catalog_events import of_catalog
from publisher.events.decoding import Heard
from publisher.events.event_folder import EventFolderSource
from publisher.events.event_spool import EventSpool
from publisher.events.kafka_topic import KafkaSource
from publisher.events.messages import Message
from publisher.events.named_events import NamedEvents
from publisher.events.posted_events import PostedEvents, Signing
from publisher.events.protocol import EventSource
from publisher.events.signed_messages import SignatureHeaders, UnusableSecret, read_secrets
from publisher.redaction import SECRETS
from publisher.settings import (
    EventFolderSettings,
    HttpEventsSettings,
    KafkaSettings,
    NamedEventsSettings,
    Settings,
    SettingsError,
)
from publisher.settings.secrets import secret_in_file

_MEGABYTE = 1024**2


def build_named_source(
    events: KafkaSettings | HttpEventsSettings | EventFolderSettings, settings: Settings
) -> EventSource:
    """The source of events that name tables.

    Raises:
        SettingsError: the catalog is unknown, or a file with a secret is unusable.
    """
    match events:
        case KafkaSettings():
            return _of_topic(events, settings)
        case HttpEventsSettings():
            return _posted(events, settings)
        case EventFolderSettings():
            return EventFolderSource(events.name, events.path, _decoder(events, settings))
        case _:
            assert_never(events)


def _of_topic(events: KafkaSettings, settings: Settings) -> EventSource:
    """The source of a topic.

    Several catalogs may read the same topic, each with a separate position.
    """
    catalog = settings.key_of_catalog(events.catalog)
    is_apiary = events.format == "apiary"
    is_given = "group_id" in events.model_fields_set
    group = events.group_id if is_given or not catalog else f"{events.group_id}-{catalog}"
    source = KafkaSource(
        events.bootstrap_servers,
        events.topic,
        group_id=group_of_this_process(group, settings),
        name=None if is_apiary or not catalog else f"kafka:{events.topic}:{catalog}",
        options=events.client_options(),
        decode=_decoder(events, settings),
    )
    return of_catalog(source, catalog) if is_apiary else source


def group_of_this_process(group: str, settings: Settings) -> str:
    """A consumer group that no other process has; replicas on one database run on several machines.

    Each replica reads the whole topic, from the position in the state.
    """
    return group if settings.state.file is not None else f"{group}-{socket.gethostname()}"


def _posted(events: HttpEventsSettings, settings: Settings) -> PostedEvents:
    if not settings.http.enabled:
        raise SettingsError(('events: kind = "http" needs http.enabled = true',))
    secrets = partial(_secrets, events.secret_file)
    try:
        secrets()
    except UnusableSecret as error:
        raise SettingsError((str(error),)) from None
    names = SignatureHeaders(events.id_header, events.timestamp_header, events.signature_header)
    spool = events.spool or _beside_state(settings, f"events-{events.name}.db")
    return PostedEvents(
        events.name,
        EventSpool(spool, events.max_spool_megabytes * _MEGABYTE),
        Signing(secrets, names, events.tolerance_seconds),
        _decoder(events, settings),
        max_bytes=events.max_bytes,
    )


def _beside_state(settings: Settings, name: str) -> Path:
    file = settings.state.file
    if file is None:
        raise SettingsError(
            ("events.spool: must name a file on a local disk, because the state is in PostgreSQL",)
        )
    return file.with_name(name)


def _secrets(file: Path) -> Sequence[bytes]:
    """The secrets in a file.

    Raises ``UnusableSecret`` if the file cannot be read or has no usable secret.
    """
    setting = f"events.secret_file ({file})"
    try:
        text = secret_in_file(setting, file)
        for line in text.splitlines():
            SECRETS.learn(line.strip())
        return read_secrets(text)
    except SettingsError as error:
        raise UnusableSecret("; ".join(error.problems)) from None
    except UnusableSecret as error:
        raise UnusableSecret(f"{setting}: {error}") from None


def _decoder(events: NamedEventsSettings, settings: Settings) -> Callable[[Message], Heard]:
    catalog = settings.key_of_catalog(events.catalog)
    if isinstance(events, KafkaSettings) and events.format == "apiary":
        return decode_apiary_message
    return NamedEvents(
        events.event_format(),
        catalog=catalog,
        only_catalog=events.only_catalog,
        folds_case=catalog_traits(settings.catalogs[catalog]).folds_case,
    ).decode
