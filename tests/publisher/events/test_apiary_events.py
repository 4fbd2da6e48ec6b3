from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeschema.catalog.identifiers import Namespace, RelationName
from publisher.events.apiary_events import decode_apiary
from publisher.events.decoding import MAX_MESSAGE_BYTES
from publisher.events.protocol import DeadLetter, RelationHint


def table(name: str = "t", type_: str = "int", **parameters: str) -> dict[str, Any]:
    return {
        "tableName": name,
        "dbName": "Club",
        "tableType": "EXTERNAL_TABLE",
        "sd": {
            "cols": [{"name": "a", "type": type_, "comment": None}],
            "serdeInfo": {"serializationLib": "x", "parameters": {}},
        },
        "partitionKeys": [{"name": "p", "type": "string", "comment": None}],
        "parameters": parameters,
        "viewOriginalText": None,
        "viewExpandedText": None,
    }


def event(kind: str, **more: Any) -> bytes:
    body = {
        "parameters": {"DB_NOTIFICATION_EVENT_ID_KEY_NAME": "7"},
        "databaseName": "Club",
        "tableName": "T",
        "eventType": kind,
    }
    return json.dumps(body | more, ensure_ascii=False).encode("utf-8", "replace")


def hints(*names: str) -> tuple[RelationHint, ...]:
    return tuple(RelationHint(RelationName.of("club", name), 7) for name in names)


@pytest.mark.parametrize("kind", ["ON_CREATE_TABLE", "ON_DROP_TABLE", "ON_SOMETHING_NEW"])
def test_an_event_has_its_relation_and_its_id_in_the_log(kind: str) -> None:
    assert decode_apiary(event(kind)) == hints("t")


def test_a_changed_table_is_a_hint() -> None:
    payload = event("ON_ALTER_TABLE", oldTable=table(), newTable=table(type_="bigint"))

    assert decode_apiary(payload) == hints("t")


def test_an_alter_that_changes_no_facts_is_noise() -> None:
    payload = event("ON_ALTER_TABLE", oldTable=table(), newTable=table(numRows="7"))

    assert decode_apiary(payload) == ()


def test_a_rename_is_a_hint_for_both_names() -> None:
    payload = event("ON_ALTER_TABLE", tableName="new", oldTable=table("old"), newTable=table("new"))

    assert decode_apiary(payload) == hints("old", "new")


def test_an_incomplete_table_proves_nothing() -> None:
    part = {key: value for key, value in table().items() if key != "sd"}

    assert decode_apiary(event("ON_ALTER_TABLE", oldTable=part, newTable=part)) == hints("t")


@pytest.mark.parametrize("kind", ["ON_ADD_PARTITION", "ON_INSERT", "ALTER_PARTITION"])
def test_partition_and_data_events_are_noise_even_if_broken(kind: str) -> None:
    assert decode_apiary(event(kind)[:-1]) == ()


def test_a_property_called_event_type_does_not_hide_a_change() -> None:
    old = table(eventType="ON_ADD_PARTITION")
    new = table(type_="bigint", eventType="ON_ADD_PARTITION")

    assert decode_apiary(event("ON_ALTER_TABLE", oldTable=old, newTable=new)) == hints("t")


def test_the_short_form_of_the_sns_listener_is_decoded() -> None:
    payload = json.dumps(
        {
            "protocolVersion": "1.0",
            "eventType": "ALTER_TABLE",
            "dbName": "club",
            "tableName": "t",
            "oldTableName": "s",
        }
    ).encode()

    assert decode_apiary(payload) == (
        RelationHint(RelationName.of("club", "s")),
        RelationHint(RelationName.of("club", "t")),
    )


@pytest.mark.parametrize(
    "payload",
    [b"", b"\xff\xfe", b"null", b"[]", b"{}", b"[" * 100_000, event("ON_ALTER_TABLE", tableName=None),
     event("ON_ALTER_TABLE", oldTable=table() | {"parameters": 5}, newTable=table())],
)  # fmt: skip
def test_an_unreadable_message_is_a_dead_letter_with_its_bytes(payload: bytes) -> None:
    dead = decode_apiary(payload)

    assert isinstance(dead, DeadLetter)
    assert dead.payload == payload
    assert "Error" not in dead.reason


@pytest.mark.thorough
def test_a_message_that_is_too_large_is_not_decoded() -> None:
    payload = event("ON_CREATE_TABLE")
    largest = payload + b" " * (MAX_MESSAGE_BYTES - len(payload))

    dead = decode_apiary(largest + b" ")

    assert decode_apiary(largest) == hints("t")
    assert decode_apiary(event("ON_ADD_PARTITION") + b" " * MAX_MESSAGE_BYTES) == ()
    assert isinstance(dead, DeadLetter)
    assert "larger than" in dead.reason


def test_a_dead_letter_has_its_database_if_that_is_known() -> None:
    dead = decode_apiary(event("ON_ALTER_TABLE", tableName=None))

    assert isinstance(dead, DeadLetter)
    assert dead.namespace == Namespace(("club",))


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from([
                "eventType", "databaseName", "tableName", "oldTable", "newTable", "sd", "cols", "parameters",
                "name", "type", "serdeInfo", "partitionKeys", "dbName", "tableType", "oldTableName",
                "oldDbName", "viewOriginalText",
            ]),
            inner,
            max_size=6,
        )
    ),
    max_leaves=20,
)  # fmt: skip
wholes = st.fixed_dictionaries(
    {
        "eventType": st.just("ON_ALTER_TABLE"),
        "databaseName": st.just("db"),
        "tableName": st.just("t") | values,
        "oldTable": st.fixed_dictionaries({"sd": st.fixed_dictionaries({"cols": st.lists(values)})})
        | values,
        "newTable": values,
        "parameters": values,
    }
)


@given(st.binary() | (values | wholes).map(lambda v: json.dumps(v).encode()))
def test_any_bytes_are_hints_or_a_dead_letter(payload: bytes) -> None:
    assert isinstance(decode_apiary(payload), DeadLetter | tuple)
