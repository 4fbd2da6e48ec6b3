"""Converts the message of a transport to events, which are JSON objects.

A message is one object, an array of objects, or a CloudEvent in any of its modes. An event from a
CloudEvent has the envelope's attributes, and the actual event in ``data``.
"""

from __future__ import annotations

import base64
import contextlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NoReturn, TypeAlias
from urllib.parse import unquote

from publisher.events.decoding import MalformedMessage
from publisher.json_paths import Path

MAX_EVENT_BYTES: Final = 4 * 1024**2
"""The size of the largest message that is decoded. Brokers and EventBridge have far lower limits."""
MAX_DEPTH: Final = 200
"""The limit of JSON's nesting. It is enough for schemas of nested types, which some events have."""
MAX_EVENTS: Final = 1_000
"""The limit for the events of one message."""

Event: TypeAlias = dict[str, Any]

_HTTP_PREFIX: Final = "ce-"
_KAFKA_PREFIX: Final = "ce_"
_CONTENT_TYPE: Final = "content-type"
_VERSION: Final = "specversion"


@dataclass(frozen=True, slots=True)
class Message:
    """A message.

    Attributes:
        content_type: "" if the transport does not state it.
        attributes: the attributes of a CloudEvent in binary mode, without their prefix; else empty.
    """

    body: bytes
    attributes: Mapping[str, str] = field(default_factory=dict)
    content_type: str = ""


def from_kafka(body: bytes, headers: Iterable[tuple[str, bytes | None]]) -> Message:
    """The message in a record of a topic; headers may have the attributes of a CloudEvent."""
    texts = {
        name.lower(): (value or b"").decode("utf-8", "replace") for name, value in headers or ()
    }
    return Message(body, _attributes(texts, _KAFKA_PREFIX), texts.get(_CONTENT_TYPE, ""))


def from_http(body: bytes, headers: Mapping[str, str]) -> Message:
    """The message in a request; ``headers`` have names in lower case.

    CloudEvents percent-encodes the values of headers.
    """
    attributes = _attributes(headers, _HTTP_PREFIX)
    decoded = {name: unquote(value, errors="replace") for name, value in attributes.items()}
    return Message(body, decoded, headers.get(_CONTENT_TYPE, ""))


def events_of(message: Message, where: Path | None = None) -> list[object]:
    """The events of the message, each an object unless the message is malformed.

    ``where`` is the path of the events within an object; a text there is read as JSON.

    Raises:
        ValueError, RecursionError: the message cannot be read as JSON.
    """
    if message.attributes:
        return [_binary(message)]
    if len(message.body) > MAX_EVENT_BYTES:
        raise MalformedMessage(f"the message is larger than {MAX_EVENT_BYTES} bytes")
    found = read_json(message.body)
    listed = found if isinstance(found, list) else [found]
    if where is not None:
        listed = [inner for each in listed for inner in _within(each, where)]
    if len(listed) > MAX_EVENTS:
        raise MalformedMessage(f"the message has more than {MAX_EVENTS} events")
    return [_structured(each) for each in listed]


def read_json(text: bytes | str) -> Any:
    """Parses strict JSON of limited depth.

    Raises:
        ValueError, RecursionError: the text is not such JSON.
    """
    found = json.loads(text, parse_constant=_refuse_constant)
    if _is_deeper(found, MAX_DEPTH):
        raise MalformedMessage(f"the message is nested deeper than {MAX_DEPTH} levels")
    return found


def _attributes(headers: Mapping[str, str], prefix: str) -> Mapping[str, str]:
    """The attributes in headers; empty if the headers are not those of a CloudEvent."""
    if f"{prefix}{_VERSION}" not in headers:
        return {}
    return {
        name.removeprefix(prefix): value
        for name, value in headers.items()
        if name.startswith(prefix)
    }


def _binary(message: Message) -> Event:
    """The event of a message in binary mode.

    If the body is not JSON or too large, the event has no ``data``: its attributes may suffice.
    """
    event: Event = dict(message.attributes)
    media_type = message.content_type.partition(";")[0].strip().lower()
    is_json = not media_type or media_type.endswith(("/json", "+json"))
    if is_json and message.body.strip() and len(message.body) <= MAX_EVENT_BYTES:
        with contextlib.suppress(ValueError, RecursionError):
            event["data"] = read_json(message.body)
    return event


def _within(event: object, where: Path) -> Iterable[object]:
    if not isinstance(event, dict):
        return [event]
    found = where.find(event)
    if not found:
        raise MalformedMessage(f"the message has no events at {where}")
    return [read_json(each) if isinstance(each, str) else each for each in found]


def _structured(event: object) -> object:
    """Decodes the ``data_base64`` of a CloudEvent, if it is JSON."""
    if not isinstance(event, dict) or _VERSION not in event or "data" in event:
        return event
    encoded = event.get("data_base64")
    if not isinstance(encoded, str):
        return event
    try:
        return {**event, "data": read_json(base64.b64decode(encoded, validate=True))}
    except (ValueError, RecursionError):
        return event


def _refuse_constant(name: str) -> NoReturn:
    raise MalformedMessage(f"the message is not JSON: it has the value {name}")


def _is_deeper(value: object, levels: int) -> bool:
    here = [value]
    for _ in range(levels):
        here = [inner for each in here for inner in _parts(each)]
        if not here:
            return False
    return True


def _parts(value: object) -> Iterable[object]:
    match value:
        case dict():
            return value.values()
        case list():
            return value
        case _:
            return ()
