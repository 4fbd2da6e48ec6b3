"""Decodes one event of the metastore's notification log to hints. No input raises an error.

The event's type is checked first: partition and data events, 77 of 78 in a real cluster, are dropped
without parsing their body.
"""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from dataclasses import dataclass

from hive_metastore.ttypes import Table

from lakeschema.catalog.errors import MalformedName
from lakeschema.catalog.facts_json import have_equal_facts
from lakeschema.catalog.hive_facts import relation_from_table
from lakeschema.catalog.identifiers import Namespace, RelationName, check_parts
from lakeschema.catalog.relations import Relation
from publisher.events.decoding import (
    MAX_MESSAGE_BYTES,
    Decoded,
    MalformedMessage,
    checked,
    reason_of,
)
from publisher.events.protocol import DeadLetter, NamespaceHint, RelationHint
from publisher.events.thrift_json import struct_from_json

NOISE = frozenset({
    "ADD_PARTITION", "ALTER_PARTITION", "ALTER_PARTITIONS", "DROP_PARTITION", "INSERT", "BATCH_INSERT",
    "CREATE_FUNCTION", "DROP_FUNCTION", "CREATE_INDEX", "DROP_INDEX", "ALTER_INDEX",
    "ADD_PRIMARYKEY", "ADD_FOREIGNKEY", "ADD_UNIQUECONSTRAINT", "ADD_DEFAULTCONSTRAINT",
    "ADD_CHECKCONSTRAINT",
    "CREATE_ISCHEMA", "ALTER_ISCHEMA", "DROP_ISCHEMA", "ADD_SCHEMA_VERSION", "ALTER_SCHEMA_VERSION",
    "DROP_SCHEMA_VERSION", "CREATE_CATALOG", "DROP_CATALOG", "ALTER_CATALOG",
    "OPEN_TXN", "COMMIT_TXN", "ABORT_TXN", "ALLOC_WRITE_ID", "ACID_WRITE", "BATCH_ACID_WRITE",
    "COMMIT_COMPACTION", "CREATE_DATACONNECTOR", "DROP_DATACONNECTOR", "ALTER_DATACONNECTOR", "RELOAD",
    "UPDATE_TABLE_COLUMN_STAT", "DELETE_TABLE_COLUMN_STAT", "UPDATE_PARTITION_COLUMN_STAT",
    "DELETE_PARTITION_COLUMN_STAT", "UPDATE_PARTITION_COLUMN_STAT_BATCH",
    "LOAD_DONE", "LOCK", "UNLOCK",
})  # fmt: skip
"""Event types that change no facts. An unknown type counts as a hint."""

_NAMESPACE_EVENTS = frozenset({"CREATE_DATABASE", "ALTER_DATABASE", "DROP_DATABASE"})


@dataclass(frozen=True, slots=True)
class LogEvent:
    """The log's Thrift event, with its message still unparsed.

    Attributes:
        time: seconds since 1970, by the metastore's clock.
        message_format: ``json-0.2``, ``gzip(json-2.0)``, or empty if the metastore is old.
    """

    id: int
    time: int
    type: str
    database: str
    table: str
    message: str
    message_format: str


def decode(event: LogEvent) -> Decoded:
    """Hints for the relations that the event may have changed; nothing for noise."""
    if event.type in NOISE:
        return ()
    try:
        decoded = _decode(event)
        return decoded if isinstance(decoded, DeadLetter) else checked(decoded)
    except Exception as error:  # noqa: BLE001 (recorded as the event's failure)
        return _dead_letter(event, reason_of(error))


def _decode(event: LogEvent) -> Decoded:
    if event.type in _NAMESPACE_EVENTS or not event.table:
        if not event.database:
            return _dead_letter(event, f"{event.type} does not name a database")
        return (NamespaceHint(Namespace((event.database.lower(),)), event.id),)
    if not event.database:
        return _dead_letter(event, f"{event.type} does not name a database")
    if event.type == "ALTER_TABLE":
        return _decode_alter(event)
    return (RelationHint(RelationName.of(event.database, event.table), event.id),)


def _decode_alter(event: LogEvent) -> Decoded:
    """Hints for both names of a rename; none if the facts before and after are equal.

    The event of a Delta or Iceberg commit does not show its changes; only the table's files do.
    """
    body = json.loads(_message_text(event))
    before = _parse_table(body["tableObjBeforeJson"])
    after = _parse_table(body["tableObjAfterJson"])
    if have_equal_facts(before, after):
        return ()
    names = dict.fromkeys((before.name, after.name))
    return tuple(RelationHint(name, event.id) for name in names)


def _parse_table(text: object) -> Relation:
    if not isinstance(text, str):
        raise MalformedMessage("the event has no table object")
    relation = relation_from_table(struct_from_json(Table, text))
    if not all(relation.name.parts):
        raise MalformedMessage("the table object of the event has no name")
    return relation


def _message_text(event: LogEvent) -> str:
    message = event.message
    if len(message) > MAX_MESSAGE_BYTES:
        raise MalformedMessage(f"the message is larger than {MAX_MESSAGE_BYTES} bytes")
    if not (event.message_format.startswith("gzip") or message.startswith("H4sI")):
        return message
    try:
        compressed = base64.b64decode(message, validate=True)
        inflating = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
        text = inflating.decompress(compressed, MAX_MESSAGE_BYTES)
    except (binascii.Error, ValueError, zlib.error) as error:
        raise MalformedMessage(f"expected gzip in base64: {error}") from error
    if inflating.unconsumed_tail:
        raise MalformedMessage(f"the message is larger than {MAX_MESSAGE_BYTES} bytes")
    if not inflating.eof:
        raise MalformedMessage("the compressed message is truncated")
    return text.decode("utf-8", "replace")


def _dead_letter(event: LogEvent, reason: str) -> DeadLetter:
    payload = event.message.encode("utf-8", "surrogatepass")
    return DeadLetter(payload, f"event {event.id}, {event.type[:100]}: {reason}", _namespace(event))


def _namespace(event: LogEvent) -> Namespace | None:
    try:
        check_parts((event.database,))
    except MalformedName:
        return None
    return Namespace((event.database.lower(),))
