"""A message as a CloudEvent 1.0 in structured JSON. Pure.

https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/formats/json-format.md
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from publisher.notifications.facts import Kind
from publisher.notifications.messages import MAX_LISTED, Message, Told

CONTENT_TYPE: Final = "application/cloudevents+json; charset=utf-8"

TYPES: Final[Mapping[Kind, str]] = {
    Kind.MAJOR: "schema-publisher.version.major",
    Kind.BROKEN: "schema-publisher.relation.broken",
    Kind.HELD: "schema-publisher.deletions.held",
    Kind.TEST: "schema-publisher.test",
}
DIGEST: Final = "schema-publisher.digest"
_EVERYTHING: Final = "*"
"""The subject of an event about the whole catalog: a subject may not be empty."""


def cloud_event(message: Message) -> bytes:
    if not message.is_digest:
        (fact,) = message.facts
        event = {
            **_envelope(message, TYPES[fact.kind], fact.happened_at),
            "subject": fact.subject or _EVERYTHING,
            "data": _data(fact),
        }
    else:
        event = {
            **_envelope(message, DIGEST, max(fact.happened_at for fact in message.facts)),
            "data": {
                "counts": {kind.value: count for kind, count in message.counts().items()},
                "facts": [_listed(fact) for fact in message.facts[:MAX_LISTED]],
                "omitted": max(0, len(message.facts) - MAX_LISTED),
            },
        }
    return json.dumps(event).encode()


def _envelope(message: Message, type_: str, at: float) -> dict[str, Any]:
    return {
        "specversion": "1.0",
        "id": message.id,
        "source": message.source,
        "type": type_,
        "time": _time(at),
        "datacontenttype": "application/json",
    }


def _listed(fact: Told) -> Mapping[str, Any]:
    return {
        "id": fact.id,
        "type": TYPES[fact.kind],
        "subject": fact.subject or _EVERYTHING,
        "time": _time(fact.happened_at),
        "data": _data(fact),
    }


def _data(fact: Told) -> Mapping[str, Any]:
    match fact.kind:
        case Kind.MAJOR | Kind.BROKEN:
            about: Mapping[str, Any] = {"relation": fact.subject, "owner": fact.owner or None}
        case _:
            about = {"namespace": fact.subject or None} if fact.kind is Kind.HELD else {}
    return {**about, **fact.details, **({"page": fact.page} if fact.page else {})}


def _time(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
