"""Events that only name tables become hints in every format, and no input raises an error."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeschema.catalog.identifiers import Namespace, RelationName
from publisher.event_formats import FORMATS, EventFormat, Places
from publisher.events.decoding import Heard
from publisher.events.messages import MAX_EVENT_BYTES, Message, from_http, from_kafka
from publisher.events.named_events import NamedEvents, read_time
from publisher.events.protocol import NamespaceHint, RelationHint
from publisher.json_paths import InvalidPath
from publisher.json_paths import Path as JsonPath

SAMPLES = Path(__file__).parent / "samples"
VIEWS = RelationName(("analytics",), "page_views")

ICEBERG_REST = EventFormat(
    Places(
        events=("$.events[*]", "$"),
        type=("$.operation['operation-type']",),
        id=("$['event-id']",),
        time=("$['timestamp-ms']",),
        namespace=("$.operation.identifier.namespace", "$.operation.namespace"),
        name=("$.operation.identifier.name",),
    ),
    types=("*-table", "*-view", "*-namespace"),
    namespace_types=("*-namespace",),
)
APIARY_SNS = EventFormat(
    Places(
        type=("$.eventType",),
        namespace=("$.dbName",),
        name=("$.tableName",),
        other_name=("$.oldTableName",),
    ),
    ignored_types=("*_PARTITION", "INSERT"),
)
APIARY_KAFKA = EventFormat(
    Places(
        type=("$.eventType",),
        namespace=("$.databaseName",),
        name=("$.tableName",),
        other_namespace=("$.oldTable.dbName",),
        other_name=("$.oldTable.tableName",),
    )
)
HMS = EventFormat(
    Places(
        type=("$.eventType",),
        time=("$.eventTime",),
        catalog=("$.catName",),
        namespace=("$.dbName",),
        name=("$.tableName",),
    ),
    types=("*_TABLE",),
)
DATAHUB = EventFormat(
    Places(type=("$.aspectName",), full_name=("$.entityUrn",)), types=("schemaMetadata",)
)


def sample(name: str) -> bytes:
    return (SAMPLES / name).read_bytes()


def decoded(format_: EventFormat | str, body: object, **options: Any) -> Heard:
    chosen = FORMATS[format_] if isinstance(format_, str) else format_
    message = body if isinstance(body, Message) else Message(_bytes(body))
    return NamedEvents(chosen, **options).decode(message)


def _bytes(body: object) -> bytes:
    return body if isinstance(body, bytes) else json.dumps(body).encode()


def names(heard: Heard) -> list[RelationName]:
    assert heard.dead_letters == ()
    return [hint.relation for hint in heard.hints if isinstance(hint, RelationHint)]


def reason(heard: Heard) -> str:
    assert heard.hints == ()
    (letter,) = heard.dead_letters
    return letter.reason


@pytest.mark.parametrize(
    ("format_", "file", "expected"),
    [
        ("glue", "glue_create_table.json", ["dbname.table_name"]),
        ("polaris", "polaris_update_table.json", ["analytics.page_views"]),
        (
            "polaris",
            "polaris_rename_table.json",
            ["analytics.page_views_v2", "analytics.page_views"],
        ),
        ("unity", "unity_create_table.json", ["sales.orders"]),
        ("unity", "unity_delete_table.json", ["sales.orders"]),
        (ICEBERG_REST, "iceberg_rest_create_table.json", ["analytics.events.page_views"]),
        (APIARY_SNS, "apiary_sns_create_table.json", ["some_db.some_table"]),
        (APIARY_SNS, "apiary_sns_drop_table.json", ["some_db.some_table"]),
        (APIARY_SNS, "apiary_sns_alter_table.json", ["some_db.some_table"]),
        (APIARY_SNS, "apiary_sns_add_partition.json", []),
        (APIARY_SNS, "apiary_sns_insert_table.json", []),
        (APIARY_KAFKA, "apiary_kafka_alter_table.json", ["test_db.test_table"]),
        (APIARY_KAFKA, "apiary_kafka_drop_table.json", ["test_db.test_table"]),
        (HMS, "hms_create_table.json", ["tmp_db.notification_test"]),
        (HMS, "hms_drop_table.json", ["tmp_db.notification_test"]),
        (DATAHUB, "datahub_glossary_terms.json", []),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_sample_names_its_relations(
    format_: EventFormat | str, file: str, expected: list[str]
) -> None:
    heard = decoded(format_, sample(file))

    assert [str(name) for name in names(heard)] == expected


def test_both_names_of_a_rename_are_read() -> None:
    event = json.loads(sample("apiary_kafka_rename_table.json"))

    heard = decoded(APIARY_KAFKA, event)

    old = RelationName.of(event["oldTable"]["dbName"], event["oldTable"]["tableName"])
    assert names(heard) == [RelationName.of(event["databaseName"], event["tableName"]), old]
    assert len(heard.hints) == 2


def test_a_dropped_namespace_concerns_the_whole_namespace() -> None:
    heard = decoded(ICEBERG_REST, sample("iceberg_rest_query_response.json"))

    assert heard.hints == (NamespaceHint(Namespace(("ns1",))),)


def lakekeeper(**changes: Any) -> Message:
    record = json.loads(sample("lakekeeper_update_table.json"))
    headers = {**record["headers"], **{f"ce_{name}": value for name, value in changes.items()}}
    value = changes.get("value", record["value"])
    encoded = [(name, str(text).encode()) for name, text in headers.items() if name != "ce_value"]
    return from_kafka(json.dumps(value).encode(), encoded)


def test_a_cloud_event_in_the_headers_of_kafka_names_its_relation() -> None:
    assert names(decoded("lakekeeper", lakekeeper())) == [VIEWS]


def test_a_namespace_of_lakekeeper_has_levels() -> None:
    heard = decoded("lakekeeper", lakekeeper(namespace="sales\x1feu.west"))

    assert names(heard) == [RelationName(("sales", "eu.west"), "page_views")]


def test_a_rename_of_lakekeeper_has_the_new_name_in_its_body() -> None:
    body = {
        "source": {"namespace": ["analytics"], "name": "page_views"},
        "destination": {"namespace": ["archive", "old"], "name": "Views"},
    }

    heard = decoded("lakekeeper", lakekeeper(type="renameTable", value=body))

    assert names(heard) == [VIEWS, RelationName(("archive", "old"), "Views")]


def test_a_cloud_event_over_http_has_percent_encoded_attributes() -> None:
    headers = {
        "content-type": "application/json",
        "ce-specversion": "1.0",
        "ce-type": "dropTable",
        "ce-name": "caf%C3%A9",
        "ce-namespace": "sales%1Feu",
    }

    heard = decoded("lakekeeper", from_http(b"", headers))

    assert names(heard) == [RelationName(("sales", "eu"), "café")]


@pytest.mark.parametrize(
    "body", [b"{", b"[" * 100_000, b" " * (MAX_EVENT_BYTES + 1), b"\xff"], ids=len
)
def test_names_in_headers_count_although_the_body_cannot_be_read(body: bytes) -> None:
    attributes = {"specversion": "1.0", "type": "dropTable", "name": "t", "namespace": "n"}

    heard = decoded("lakekeeper", Message(body, attributes, "application/json"))

    assert names(heard) == [RelationName.of("n", "t")]


CLOUD = EventFormat(
    Places(type=("$.type",), time=("$.time",), namespace=("$.data.schema",), name=("$.data.table",))
)


def cloud_event(table: object, **more: Any) -> dict[str, Any]:
    data = {"schema": "analytics", "table": table}
    return {"specversion": "1.0", "id": "e-1", "type": "changed", "data": data, **more}


def test_a_structured_cloud_event_and_a_batch_of_them_are_read() -> None:
    one = decoded(CLOUD, cloud_event("a", time="2026-08-21T10:15:30Z"))
    batch = decoded(CLOUD, [cloud_event("a"), cloud_event(None), cloud_event("b")])

    assert names(one) == [RelationName.of("analytics", "a")]
    assert one.times == {RelationName.of("analytics", "a"): 1787307330.0}
    assert [str(hint.relation) for hint in batch.hints if isinstance(hint, RelationHint)] == [
        "analytics.a",
        "analytics.b",
    ]
    (letter,) = batch.dead_letters
    assert json.loads(letter.payload) == cloud_event(None)
    assert letter.namespace == Namespace(("analytics",))


def test_a_cloud_event_may_have_its_data_in_base64() -> None:
    data = base64.b64encode(b'{"schema": "s", "table": "t"}').decode()

    heard = decoded(CLOUD, {"specversion": "1.0", "type": "x", "data_base64": data})

    assert names(heard) == [RelationName.of("s", "t")]


def test_an_event_of_eventbridge_is_also_read_within_a_cloud_event_or_a_queues_message() -> None:
    event = json.loads(sample("glue_create_table.json"))
    wrapped = {"specversion": "1.0", "id": "1", "type": "x", "source": "y", "data": event}
    queued = {"Records": [{"body": json.dumps(event)}, {"body": json.dumps(event)}]}

    glue = FORMATS["glue"]
    of_queue = replace(glue, places=replace(glue.places, events=("$.Records[*].body",)))

    assert names(decoded("glue", wrapped)) == [RelationName.of("dbname", "table_name")]
    assert names(decoded("glue", [event, event])) == [RelationName.of("dbname", "table_name")] * 2
    assert names(decoded(of_queue, queued)) == [RelationName.of("dbname", "table_name")] * 2


def test_the_envelopes_source_is_not_the_other_name_of_a_rename() -> None:
    event = json.loads(sample("polaris_rename_table.json"))
    wrapped = {"specversion": "1.0", "type": "t", "source": "urn.polaris", "data": event}

    heard = decoded("polaris", wrapped)

    assert names(heard) == [RelationName.of("analytics", "page_views_v2"), VIEWS]


def test_partitions_of_glue_and_readings_of_polaris_are_noise() -> None:
    glue = json.loads(sample("glue_create_table.json"))
    glue["detail"]["typeOfChange"] = "BatchCreatePartition"
    polaris = json.loads(sample("polaris_update_table.json"))
    polaris["event_type"] = "AFTER_LOAD_TABLE"

    assert decoded("glue", glue) == Heard()
    assert decoded("polaris", polaris) == Heard()


def test_a_database_of_glue_is_a_namespace() -> None:
    event = {"detail": {"databaseName": "Db", "typeOfChange": "DeleteDatabase"}}

    heard = decoded("glue", event, folds_case=True)

    assert heard.hints == (NamespaceHint(Namespace(("db",))),)


def test_the_letter_case_is_kept_unless_the_catalog_folds_it() -> None:
    event = cloud_event("Orders")

    assert names(decoded(CLOUD, event)) == [RelationName(("analytics",), "Orders")]
    assert names(decoded(CLOUD, event, folds_case=True)) == [VIEWS.of("analytics", "orders")]


def test_the_source_gives_names_its_catalog() -> None:
    heard = decoded("polaris", sample("polaris_update_table.json"), catalog="lake")

    assert names(heard) == [RelationName(("analytics",), "page_views", "lake")]


@pytest.mark.parametrize(
    ("format_", "file"),
    [
        ("polaris", "polaris_update_table.json"),
        ("polaris", "polaris_rename_table.json"),
        ("unity", "unity_create_table.json"),
        ("unity", "unity_delete_table.json"),
    ],
)
def test_events_of_another_catalog_say_nothing(format_: str, file: str) -> None:
    assert names(decoded(format_, sample(file), only_catalog="prod"))
    assert decoded(format_, sample(file), only_catalog="test") == Heard()


def test_a_text_of_several_levels_is_split_and_a_list_is_not() -> None:
    split = EventFormat(Places(full_name=("$.n",)), separator="/")

    assert names(decoded(split, {"n": "a.b/c/t"})) == [RelationName(("a.b", "c"), "t")]
    assert names(decoded(split, {"n": ["a/b", "t"]})) == [RelationName(("a/b",), "t")]
    assert "level" not in reason(decoded(split, {"n": "a//t"}))


HOSTILE = (
    b"",
    b"\xff\xfe{}",
    b"[" * 100_000,
    b'{"a":' * 900 + b"1" + b"}" * 900,
    b'{"data": NaN}',
    b"9" * 5_000,
    b'"text"',
    b"null",
    b"[1, 2]",
    b'{"type": 5}',
    b'{"data": {"schema": ["a"], "table": {"t": 1}}}',
)


@pytest.mark.parametrize("payload", HOSTILE, ids=lambda payload: repr(payload[:20]))
@pytest.mark.parametrize("format_", [*FORMATS, CLOUD], ids=str)
def test_hostile_bytes_are_dead_letters(payload: bytes, format_: EventFormat | str) -> None:
    heard = decoded(format_, payload)

    assert heard.hints == ()
    assert heard.dead_letters
    if not payload.startswith(b"[1"):
        assert [letter.payload for letter in heard.dead_letters] == [payload]


@pytest.mark.parametrize(
    ("table", "why"),
    [
        (5, "expected a name of a relation, got 5"),
        ("", 'got ""'),
        ([], "empty list"),
        ([["x"]], 'got ["x"]'),
        ("a\0b", "invalid"),
        ("\ud800", "invalid"),
        ("x" * 1_025, "invalid"),
    ],
    ids=repr,
)
def test_a_name_of_another_kind_is_refused_with_the_reason(table: object, why: str) -> None:
    heard = decoded(CLOUD, cloud_event(table))

    assert why.replace("invalid", "") in reason(heard)
    assert heard.dead_letters[0].namespace == Namespace(("analytics",))
    reason(heard).encode()


@pytest.mark.parametrize("table", ["a.b", "a\nb\x07", "x" * 1_024, "🐘", "../../etc", "`", " "])
def test_an_unusual_name_is_kept_as_it_is(table: str) -> None:
    (name,) = names(decoded(CLOUD, cloud_event(table)))

    assert name == RelationName(("analytics",), table)
    assert RelationName.from_key(str(name)) == name


def test_too_large_a_message_and_too_many_events_or_names_are_refused() -> None:
    large = decoded(CLOUD, b" " * (MAX_EVENT_BYTES + 1))
    many = decoded(CLOUD, [{}] * 1_001)
    names_ = decoded(CLOUD, cloud_event(["t"] * 1_001))

    assert "larger than" in reason(large)
    assert "more than 1000 events" in reason(many)
    assert "more than 1000 names" in reason(names_)


def test_the_reason_names_the_event_and_the_path() -> None:
    event = cloud_event("t", id="e\ud800")
    custom = FORMATS["custom"]
    format_ = replace(custom, places=replace(custom.places, namespace=("$.db",), name=("$.t",)))

    assert reason(decoded(format_, event)) == (
        "event e\\ud800: expected one namespace, got nothing at $.db"
    )


@pytest.mark.parametrize("part", ["type", "namespace", "name", "other_name", "other_namespace"])
@given(value=st.recursive(st.none() | st.booleans() | st.floats() | st.text(), st.lists))
def test_any_value_at_any_path_gives_hints_or_a_dead_letter(part: str, value: object) -> None:
    event = {"type": "x", "namespace": "n", "name": "t", "other_namespace": "o", "other_name": "u"}
    places = Places(**{name: (f"$.{name}",) for name in event})
    format_ = EventFormat(places, types=("*",))
    body = json.dumps({**event, part: value}).encode()

    heard = decoded(format_, body)

    assert bool(heard.hints) != bool(heard.dead_letters)


@given(st.binary())
def test_any_bytes_are_decoded_without_an_error(payload: bytes) -> None:
    heard = decoded("glue", payload)

    assert heard.hints or heard.dead_letters or heard == Heard()


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (1_700_000_000, 1_700_000_000.0),
        (1_700_000_000_000, 1_700_000_000.0),
        (1_700_000_000_000_000_000, 1_700_000_000.0),
        ("1700000000000", 1_700_000_000.0),
        ("2023-11-14T22:13:20Z", 1_700_000_000.0),
        ("2023-11-14T23:13:20+01:00", 1_700_000_000.0),
        ("2023-11-14T22:13:20", 1_700_000_000.0),
        ("yesterday", None),
        ("1e999", None),
        (-5, None),
        (True, None),
        (10**400, None),
        ([], None),
    ],
    ids=repr,
)
def test_a_time_is_read_in_each_unit(value: object, seconds: float | None) -> None:
    assert read_time(value) == seconds


@pytest.mark.parametrize(
    "text", ["a", "$..a", "$[?@.a]", "$.a | $.b", "$[", "$.a[99999999999999999999]", ""]
)
def test_a_path_beyond_names_and_indexes_is_refused(text: str) -> None:
    with pytest.raises(InvalidPath, match="invalid path"):
        JsonPath.of(text)


@pytest.mark.parametrize(
    ("pattern", "kind", "matches"),
    [
        ("*", "", True),
        ("a*b*c", "a1b2c", True),
        ("a*a", "a", False),
        ("*Table", "CreateTable", True),
        ("*Table", "CreateTableX", False),
        ("[x]?", "[x]?", True),
        ("[x]?", "xy", False),
    ],
)
def test_a_star_in_a_type_stands_for_any_text(pattern: str, kind: str, matches: bool) -> None:
    format_ = EventFormat(Places(type=("$.k",), full_name=("$.n",)), types=(pattern, "never"))
    event = {"k": kind or "anything", "n": "a.t"}

    assert bool(decoded(format_, event).hints) == matches
