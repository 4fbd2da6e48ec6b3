"""A consumer reads and writes messages of topics."""

from __future__ import annotations

import functools
import io
import json
from typing import Any

import fastavro
import pytest

from tests.integration.consumer.installed import Shop


def test_a_single_object_names_its_schema(package: Any, order: Any) -> None:
    message = order.to_single_object()

    assert message[:10] == b"\xc3\x01" + package.CRC_64_AVRO.to_bytes(8, "little")
    assert package.RECORD.from_single_object(message) == order


def test_a_message_of_confluents_registry_is_read(package: Any, order: Any) -> None:
    message = order.to_confluent(42)

    assert message[:5] == b"\0\0\0\0\x2a"
    assert package.RECORD.from_confluent(message, {42: package.SCHEMA}.__getitem__) == order


def test_a_registry_is_asked_once(package: Any, order: Any) -> None:
    asked: list[int] = []

    @functools.cache
    def schema_of(number: int) -> str:
        asked.append(number)
        return str(package.SCHEMA)

    for _ in range(3):
        package.RECORD.from_confluent(order.to_confluent(42), schema_of)

    assert asked == [42]


def test_an_unknown_schema_is_named(package: Any, order: Any) -> None:
    with pytest.raises(package.UnknownSchema, match="id 42: schema not found"):
        package.RECORD.from_confluent(order.to_confluent(42), {}.__getitem__)
    with pytest.raises(package.UnknownSchema, match="fingerprint 0x"):
        package.RECORD.from_single_object(b"\xc3\x01" + bytes(8) + order.to_avro())


def test_a_damaged_message_is_refused(package: Any, order: Any) -> None:
    schema_of = {42: package.SCHEMA}.__getitem__
    for damaged in (b"", b"\1" + order.to_confluent(42)[1:], order.to_confluent(42)[:-1]):
        with pytest.raises(package.InvalidAvro):
            package.RECORD.from_confluent(damaged, schema_of)


def test_messages_of_an_older_producer_are_read(shop: Shop) -> None:
    with shop.version("1.0.0") as old:
        schema, message = old.SCHEMA, shop.order(old).to_confluent(1)
    with shop.version("1.1.0") as new:
        found = new.RECORD.from_confluent(message, {1: schema}.__getitem__)

        assert (found.customer, found.unit) == ("Ada", None)


def test_another_programs_serialiser_takes_our_plain_values(package: Any, order: Any) -> None:
    out = io.BytesIO()
    fastavro.schemaless_writer(out, json.loads(package.SCHEMA), package.to_dict(order, None))

    assert out.getvalue() == order.to_avro()
    read = fastavro.schemaless_reader(io.BytesIO(order.to_avro()), json.loads(package.SCHEMA), None)
    assert package.from_dict(read, None) == order
