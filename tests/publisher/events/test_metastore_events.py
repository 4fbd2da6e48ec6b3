from __future__ import annotations

import base64
import contextlib
import gzip
import json
from typing import Any

import pytest
from hive_metastore.ttypes import FieldSchema, Table
from hypothesis import given
from hypothesis import strategies as st
from thrift.protocol.TJSONProtocol import TJSONProtocol
from thrift.transport.TTransport import TMemoryBuffer

from lakeschema.catalog.identifiers import Namespace, RelationName
from publisher.events.decoding import MAX_MESSAGE_BYTES
from publisher.events.metastore_events import NOISE, LogEvent, decode
from publisher.events.protocol import DeadLetter, NamespaceHint, RelationHint
from publisher.events.thrift_json import MalformedThriftJson, struct_from_json
from tests.lakeschema.catalog.thrift_metastore import thrift_table


def thrift_json(struct: Any) -> str:
    """As the metastore writes it: by Thrift's own protocol."""
    buffer = TMemoryBuffer()
    struct.write(TJSONProtocol(buffer))
    return str(buffer.getvalue().decode())


def altered(before: Any, after: Any, message_format: str = "json-0.2") -> LogEvent:
    body = {
        "tableObjBeforeJson": thrift_json(before),
        "tableObjAfterJson": thrift_json(after),
        "isTruncateOp": "false",
    }
    message = json.dumps(body)
    if message_format.startswith("gzip"):
        message = base64.b64encode(gzip.compress(message.encode())).decode()
    return LogEvent(7, 1, "ALTER_TABLE", "default", after.tableName, message, message_format)


def table(name: str = "t", type_: str = "int", **properties: str) -> Any:
    return thrift_table(name, [FieldSchema("a", type_, "ü")], properties=properties)


def hints(*names: str) -> tuple[RelationHint, ...]:
    return tuple(RelationHint(RelationName.of("default", name), 7) for name in names)


@pytest.mark.parametrize("message_format", ["json-0.2", "gzip(json-2.0)"])
def test_a_changed_table_is_a_hint(message_format: str) -> None:
    event = altered(table(), table(type_="bigint"), message_format)

    assert decode(event) == hints("t")


@pytest.mark.parametrize("message_format", ["json-0.2", "gzip(json-2.0)"])
def test_an_alter_of_statistics_alone_is_noise(message_format: str) -> None:
    event = altered(table(numRows="1"), table(numRows="2", totalSize="9"), message_format)

    assert decode(event) == ()


@pytest.mark.parametrize(
    "own",
    [
        {"spark.sql.sources.provider": "delta"},
        {"table_type": "ICEBERG", "metadata_location": "file:/t/1.metadata.json"},
    ],
)
def test_any_commit_of_a_table_with_its_schema_in_files_is_a_hint(own: dict[str, str]) -> None:
    event = altered(table(numRows="1", **own), table(numRows="2", **own))

    assert decode(event) == hints("t")


def test_a_rename_is_a_hint_for_both_names() -> None:
    assert decode(altered(table("Old"), table("new"))) == hints("old", "new")


@pytest.mark.parametrize("kind", sorted(NOISE))
def test_noise_is_dropped_before_its_body_is_parsed(kind: str) -> None:
    assert decode(LogEvent(7, 1, kind, "db", "t", "\0 not json", "gzip(json-2.0)")) == ()


@pytest.mark.parametrize("kind", ["CREATE_TABLE", "DROP_TABLE", "SOMETHING_NEW"])
def test_the_names_in_the_event_are_sufficient(kind: str) -> None:
    assert decode(LogEvent(7, 1, kind, "Default", "T", "not json", "")) == hints("t")


@pytest.mark.parametrize("kind", ["CREATE_DATABASE", "ALTER_DATABASE", "DROP_DATABASE"])
def test_a_database_event_is_a_hint_for_its_namespace(kind: str) -> None:
    assert decode(LogEvent(7, 1, kind, "Club", "", "{}", "")) == (
        NamespaceHint(Namespace(("club",)), 7),
    )


@pytest.mark.parametrize(
    "message",
    ["", "{}", "[]", "null", '{"tableObjBeforeJson":1,"tableObjAfterJson":2}', "[" * 10_000,
     '{"tableObjBeforeJson":"{}","tableObjAfterJson":"{}"}', "H4sIAAAA", "\ud800"],
)  # fmt: skip
def test_an_unreadable_alter_is_a_dead_letter_of_its_database(message: str) -> None:
    dead = decode(LogEvent(7, 1, "ALTER_TABLE", "Club", "t", message, "json-0.2"))

    assert isinstance(dead, DeadLetter)
    assert dead.namespace == Namespace(("club",))
    assert dead.payload == message.encode("utf-8", "surrogatepass")
    assert "Error" not in dead.reason


@pytest.mark.thorough
@pytest.mark.parametrize("message_format", ["json-0.2", "gzip(json-2.0)"])
def test_a_message_that_is_too_large_is_refused(message_format: str) -> None:
    spaces = b" " * (MAX_MESSAGE_BYTES + 1)
    is_bomb = message_format.startswith("gzip")
    message = (base64.b64encode(gzip.compress(spaces)) if is_bomb else spaces).decode()

    dead = decode(LogEvent(7, 1, "ALTER_TABLE", "db", "t", message, message_format))

    assert isinstance(dead, DeadLetter)
    assert "larger than" in dead.reason


def test_our_parser_agrees_with_thrifts() -> None:
    written = table("T", "struct<a:int>", k='"\\ü\n')
    text = thrift_json(written)

    by_thrift = Table()
    by_thrift.read(TJSONProtocol(TMemoryBuffer(text.encode())))

    assert struct_from_json(Table, text) == by_thrift == written


values = st.recursive(
    st.none() | st.integers() | st.text(max_size=4) | st.sampled_from(["rec", "str", "lst"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["1", "2", "7", "8", "9", "12", "str", "rec", "lst", "map", "tf", "i32"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=15,
)


@given(values.map(json.dumps) | st.text())
def test_any_text_is_a_struct_or_malformed(text: str) -> None:
    with contextlib.suppress(MalformedThriftJson):
        assert isinstance(struct_from_json(Table, text), Table)


events = st.builds(
    LogEvent,
    id=st.integers(0),
    time=st.integers(0),
    type=st.sampled_from(["ALTER_TABLE", "CREATE_TABLE", "DROP_DATABASE"]) | st.text(max_size=5),
    database=st.text(max_size=5),
    table=st.text(max_size=5),
    message=st.one_of(
        st.text(),
        st.builds(
            lambda b, a: json.dumps({"tableObjBeforeJson": b, "tableObjAfterJson": a}),
            values.map(json.dumps),
            values.map(json.dumps),
        ),
        st.binary().map(lambda b: "H4sI" + base64.b64encode(b).decode()),
    ),
    message_format=st.sampled_from(["", "json-0.2", "gzip(json-2.0)", "\0"]),
)


@given(events)
def test_any_event_is_hints_or_a_dead_letter(event: LogEvent) -> None:
    decoded = decode(event)

    assert isinstance(decoded, DeadLetter | tuple)


@pytest.mark.parametrize("name", ["x" * 100_000, "\ud800"], ids=["long", "surrogate"])
@pytest.mark.parametrize("part", ["database", "table"])
def test_an_event_with_an_impossible_name_is_a_dead_letter(part: str, name: str) -> None:
    parts = {"database": "d", "table": "t"} | {part: name}
    event = LogEvent(7, 0, "CREATE_TABLE", message="{}", message_format="", **parts)

    decoded = decode(event)

    assert isinstance(decoded, DeadLetter)
    assert decoded.namespace == (None if part == "database" else Namespace(("d",)))
    decoded.reason.encode("utf-8")
