"""The sections of sources that take events over HTTP or from a folder."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator, Field

from publisher.settings.named_events import NamedEventsSettings

_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*", re.ASCII)
_HEADER = re.compile(r"[A-Za-z0-9-]{1,64}", re.ASCII)


def _source_name(value: str) -> str:
    if len(value) > 40 or not _NAME.fullmatch(value):
        raise ValueError(f"invalid name {value!r:.60}: expected lower-case words joined by '-'")
    return value


def _header(value: str) -> str:
    if not _HEADER.fullmatch(value):
        raise ValueError(f"invalid header {value!r:.80}: expected letters, digits and '-'")
    return value.lower()


SourceName: TypeAlias = Annotated[str, AfterValidator(_source_name)]
HeaderName: TypeAlias = Annotated[str, AfterValidator(_header)]


class HttpEventsSettings(NamedEventsSettings):
    kind: Literal["http"]
    """Signed events that other programs send to `POST /events/NAME` of the service."""

    name: SourceName
    """The last part of the address, as `"glue"`."""

    secret_file: Path
    """A file with the secret that signs events, of at least 16 bytes: `whsec_` and base64, or a
    text. Two lines are two secrets, so that you can change it without a pause."""

    id_header: HeaderName = "webhook-id"
    """The header with the message's id. An id is accepted once."""

    timestamp_header: HeaderName = "webhook-timestamp"
    """The header with the time of sending, in seconds since the epoch."""

    signature_header: HeaderName = "webhook-signature"
    """The header with the signature, `v1,` and base64 of HMAC-SHA256 over `id.timestamp.body`."""

    tolerance_seconds: Annotated[float, Field(gt=0, le=3600)] = 300.0
    """How far the time of sending may be from now."""

    max_bytes: Annotated[int, Field(ge=1, le=4_194_304)] = 1_048_576
    """The limit for one message."""

    spool: Path | None = None
    """The file for messages that the state does not have yet. Not set: `events-NAME.db` next to the
    state; mandatory if the state is in PostgreSQL."""

    max_spool_megabytes: Annotated[int, Field(ge=1, le=65_536)] = 256
    """The limit for all messages in the spool. Beyond it, messages are refused with 429."""


class EventFolderSettings(NamedEventsSettings):
    kind: Literal["event-folder"]
    """Files with events, which another program puts into a folder."""

    name: SourceName = "events"
    """The name in the log and in metrics."""

    path: Path
    """The folder; its files `*.json`, `*.jsonl` and `*.ndjson`, at any depth, are read in order of
    name. A file is one message, or has one message in each line."""
