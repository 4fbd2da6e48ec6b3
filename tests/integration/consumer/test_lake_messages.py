"""A newcomer sends records of each relation of a lake as bytes, JSON and messages."""

from __future__ import annotations

import io
import json
from typing import Any

import fastavro
import pytest

from deploy.avro import AvroJudge, AvroRefused
from tests.integration.consumer.installed import Installed
from tests.integration.consumer.lake_installed import columns_of


def plain_by_fastavro(data: bytes, schema: Any) -> Any:
    """What fastavro reads; it says which record of a union it was."""
    return fastavro.schemaless_reader(io.BytesIO(data), schema, None, return_record_name=True)


def test_avro_bytes_come_back(module: Any) -> None:
    for seed in range(20):
        record = module.RECORD.example(seed)

        assert module.RECORD.from_avro(record.to_avro()) == record


def test_bytes_that_end_early_are_refused(module: Any, example: Any) -> None:
    data = example.to_avro()

    for length in {0, 1, len(data) // 2, len(data) - 1} - {len(data)}:
        with pytest.raises(module.InvalidAvro):
            module.RECORD.from_avro(data[:length])


def test_bytes_behind_a_record_are_refused(module: Any, example: Any) -> None:
    with pytest.raises(module.InvalidAvro):
        module.RECORD.from_avro(example.to_avro() + b"\0")


def test_noise_is_refused_with_our_own_error(module: Any) -> None:
    for noise in (b"\xff" * 64, bytes(range(256)), b"\x80" * 11):
        with pytest.raises(module.AvroError):
            module.RECORD.from_avro(noise)


def test_fastavro_reads_and_writes_the_same_bytes(module: Any, example: Any) -> None:
    schema = json.loads(module.SCHEMA)
    read = plain_by_fastavro(example.to_avro(), schema)
    out = io.BytesIO()
    fastavro.schemaless_writer(out, schema, read)

    assert module.RECORD.from_avro(out.getvalue()) == example


def test_java_reads_a_file_and_writes_it_for_us(module: Any, example: Any, avro: AvroJudge) -> None:
    file = io.BytesIO()
    module.write_file(file, [example] * 3)

    (rewritten,) = avro.rewrite([file.getvalue()])

    assert not isinstance(rewritten, AvroRefused), rewritten.message
    assert list(module.read_file(io.BytesIO(rewritten))) == [example] * 3


def test_json_for_people_comes_back(module: Any) -> None:
    for seed in range(20):
        record = module.RECORD.example(seed)

        assert module.RECORD.from_json(record.to_json()) == record
        assert module.RECORD.from_json(record.to_json(indent=2).encode()) == record


def test_json_of_avros_specification_comes_back(module: Any) -> None:
    for seed in range(20):
        record = module.RECORD.example(seed)

        assert module.RECORD.from_json(record.to_json(form="avro"), form="avro") == record


def test_the_json_module_takes_plain_values(module: Any, example: Any) -> None:
    text = json.dumps(example.to_dict(mode="json"))

    assert module.RECORD.from_dict(json.loads(text), mode="json") == example
    assert json.loads(text) == json.loads(example.to_json())


def test_the_keys_of_json_are_the_columns(module: Any, example: Any) -> None:
    assert list(json.loads(example.to_json())) == list(columns_of(module).values())


def test_an_unknown_key_of_json_is_refused_or_ignored(module: Any, example: Any) -> None:
    text = json.dumps({**json.loads(example.to_json()), "no such column": {"deep": [1]}})

    with pytest.raises(module.InvalidValue, match="no such column"):
        module.RECORD.from_json(text)
    assert module.RECORD.from_json(text, unknown="ignore") == example


def test_a_wrong_value_in_json_is_named_by_its_path(module: Any, example: Any) -> None:
    for column in list(columns_of(module).values())[:20]:
        text = json.dumps({**json.loads(example.to_json()), column: [[{}]]})

        with pytest.raises(module.InvalidValue) as caught:
            module.RECORD.from_json(text)
        assert caught.value.path.startswith(column)


def test_text_that_is_no_json_is_refused(module: Any, example: Any) -> None:
    text = example.to_json()

    for broken in ("", text[:-1], text + "}", "[1]", "null", '{"a":1,"a":2}', "\0"):
        with pytest.raises(module.AvroError):
            module.RECORD.from_json(broken)


def test_a_single_object_of_each_relation_comes_back(module: Any, example: Any) -> None:
    message = example.to_single_object()

    assert message[:10] == b"\xc3\x01" + module.CRC_64_AVRO.to_bytes(8, "little")
    assert module.RECORD.from_single_object(message) == example


def test_a_message_of_the_registry_comes_back(module: Any, example: Any) -> None:
    message = example.to_confluent(42)

    assert module.RECORD.from_confluent(message, {42: module.SCHEMA}.__getitem__) == example


def test_a_message_of_another_schema_says_so(module: Any, example: Any) -> None:
    with pytest.raises(module.UnknownSchema, match="42"):
        module.RECORD.from_confluent(example.to_confluent(42), {}.__getitem__)
    with pytest.raises(module.UnknownSchema):
        module.RECORD.from_single_object(b"\xc3\x01" + b"8 bytes!" + example.to_avro())


def test_a_damaged_message_of_each_relation_is_refused(module: Any, example: Any) -> None:
    schema_of = {42: module.SCHEMA}.__getitem__
    message = example.to_confluent(42)

    for damaged in (b"", message[:4], b"\1" + message[1:], message[:-1], message + b"\0"):
        with pytest.raises(module.InvalidAvro):
            module.RECORD.from_confluent(damaged, schema_of)


def test_every_class_writes_with_its_own_schema(module: Any) -> None:
    classes: list[Any] = [getattr(module, name) for name in module.__all__]
    records: list[Any] = [
        each for each in classes if isinstance(each, type) and hasattr(each, "to_avro")
    ]
    assert module.RECORD in records

    for each in records:
        schema = json.loads(each.SCHEMA)
        data = each.example(3).to_avro()

        assert each.from_dict(plain_by_fastavro(data, schema)) == each.example(3)


def test_old_messages_are_read_with_the_schema_of_their_writer(relation: Installed) -> None:
    with relation.version("1.0.0") as old:
        schema, fingerprint, record = old.SCHEMA, old.CRC_64_AVRO, old.RECORD.example(3)
        confluent, single, text = (
            record.to_confluent(1),
            record.to_single_object(),
            record.to_json(),
        )
    with relation.version("1.1.0") as new:
        for found in (
            new.RECORD.from_confluent(confluent, {1: schema}.__getitem__),
            new.RECORD.from_single_object(single, {fingerprint: schema}),
        ):
            assert found == new.RECORD.from_json(text)
