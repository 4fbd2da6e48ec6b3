"""Decodes messages of the Apiary metastore listeners to hints. No input raises an error.

Their Kafka listener sends whole tables and ``ON_ALTER_TABLE``; their SNS listener sends names and
``ALTER_TABLE``. Both are read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

from lakeschema.catalog.facts_json import have_equal_facts
from lakeschema.catalog.hive_facts import relation_from_table
from lakeschema.catalog.identifiers import Namespace, RelationName, check_parts
from lakeschema.catalog.relations import Relation
from publisher.events.decoding import (
    MAX_MESSAGE_BYTES,
    Decoded,
    Heard,
    MalformedMessage,
    checked,
    reason_of,
)
from publisher.events.messages import Message
from publisher.events.metastore_events import NOISE
from publisher.events.protocol import DeadLetter, NamespaceHint, RelationHint

_EVENT_TYPE = re.compile(rb'"eventType"\s*:\s*"(?:ON_)?([A-Z_]+)"')
_EVENT_ID = "DB_NOTIFICATION_EVENT_ID_KEY_NAME"


def decode_apiary(payload: bytes) -> Decoded:
    """Hints for the named relations, no hints for noise, or a dead letter for an unreadable message."""
    if _is_noise(payload):
        return ()
    if len(payload) > MAX_MESSAGE_BYTES:
        return DeadLetter(payload, f"the message is larger than {MAX_MESSAGE_BYTES} bytes")
    namespace: Namespace | None = None
    try:
        event = json.loads(payload)
        database = _text(event.get("databaseName") or event.get("dbName"))
        check_parts((database,))
        namespace = Namespace((database.lower(),))
        return _hints(event, database)
    except Exception as error:  # noqa: BLE001 (recorded as the message's failure)
        return DeadLetter(payload, reason_of(error), namespace)


def decode_apiary_message(message: Message) -> Heard:
    return Heard.of(decode_apiary(message.body))


def _is_noise(payload: bytes) -> bool:
    """Whether a message is noise. Searches the bytes for the event type, so that noise is not parsed.

    A table property may be called ``eventType`` too, so every match must be noise.
    """
    found = {match.decode() for match in _EVENT_TYPE.findall(payload)}
    return bool(found) and found <= NOISE


def _hints(event: Mapping[str, Any], database: str) -> Decoded:
    kind = _text(event.get("eventType")).removeprefix("ON_")
    if kind in NOISE:
        return ()
    event_id = _event_id(event)
    if kind.endswith("_DATABASE"):
        return checked([NamespaceHint(Namespace((database.lower(),)), event_id)])
    name = RelationName.of(database, _text(event.get("tableName")))
    before, after = _table(event.get("oldTable")), _table(event.get("newTable"))
    if before is not None and after is not None and have_equal_facts(before, after):
        return ()
    tables = [table.name for table in (before, after) if table is not None]
    names = [_old_name(event, name), *tables, name]
    known = dict.fromkeys(n for n in names if n is not None and all(n.parts))
    return checked(RelationHint(n, event_id) for n in known)


def _text(value: object) -> str:
    if not isinstance(value, str) or not value:
        raise MalformedMessage(f"expected a name, got {json.dumps(value):.80}")
    return value


def _event_id(event: Mapping[str, Any]) -> int | None:
    """The event's id in the metastore's log; None unless the metastore's own listener runs, too."""
    parameters = event.get("parameters")
    text = parameters.get(_EVENT_ID) if isinstance(parameters, dict) else None
    return int(text) if isinstance(text, str) and re.fullmatch("[0-9]{1,18}", text) else None


def _old_name(event: Mapping[str, Any], name: RelationName) -> RelationName | None:
    old = event.get("oldTableName")
    if not isinstance(old, str) or not old:
        return None
    database = event.get("oldDbName")
    return RelationName.of(database if isinstance(database, str) else name.namespace[0], old)


def _table(value: object) -> Relation | None:
    """The facts of a table object; None if it is absent or incomplete."""
    if not isinstance(value, dict) or not isinstance(value.get("sd"), dict):
        return None
    if not isinstance(value["sd"].get("cols"), list):
        return None
    storage = value["sd"]
    return relation_from_table(
        SimpleNamespace(
            tableName=value.get("tableName"),
            dbName=value.get("dbName"),
            tableType=value.get("tableType"),
            parameters=value.get("parameters"),
            viewOriginalText=value.get("viewOriginalText"),
            viewExpandedText=value.get("viewExpandedText"),
            partitionKeys=[_field(field) for field in value.get("partitionKeys") or ()],
            sd=SimpleNamespace(
                cols=[_field(field) for field in storage["cols"]],
                serdeInfo=_serde(storage.get("serdeInfo")),
                location=storage.get("location"),
            ),
        )
    )


def _field(value: Mapping[str, Any]) -> SimpleNamespace:
    return SimpleNamespace(
        name=value.get("name"), type=value.get("type"), comment=value.get("comment")
    )


def _serde(value: Mapping[str, Any] | None) -> SimpleNamespace | None:
    if value is None:
        return None
    return SimpleNamespace(
        serializationLib=value.get("serializationLib"), parameters=value.get("parameters")
    )
