"""Single objects and Confluent's wire format: compared with fastavro, and damaged."""

from __future__ import annotations

import io
import json
import struct
from collections.abc import Iterator
from typing import Any

import fastavro
import pytest
from hypothesis import given, settings

from lakeschema.avro.fingerprint import crc64_avro
from lakeschema.avro.parsing import parse_schema
from tests.codegen.generated import imported, record, schemas_and_values
from tests.codegen.runtime.test_codec import fastavro_bytes
from tests.effort import examples

few = settings(max_examples=examples(30))

INNER = record({"x": "int"}, "Inner")
SCHEMA = record({"id": "int", "inner": INNER, "name": {"type": ["null", "string"]}})
OLDER = record({"id": "int", "inner": INNER, "name": {"type": ["null", "string"]}, "gone": "long"})
PLAIN = {"id": 7, "inner": {"x": -1}, "name": "é"}
OLD_PLAIN = {**PLAIN, "gone": 1}


@pytest.fixture(scope="module")
def package() -> Iterator[Any]:
    with imported(SCHEMA) as module:
        module.RECORD.resolve_from(module.SCHEMA)
        yield module


def number_of(schema: Any) -> int:
    return crc64_avro(parse_schema(json.dumps(schema)))


def single(schema: Any, value: Any) -> bytes:
    """As fastavro has it: its fingerprints are little-endian text already."""
    canonical = fastavro.schema.to_parsing_canonical_form(schema)
    written = bytes.fromhex(fastavro.schema.fingerprint(canonical, "CRC-64-AVRO"))
    return b"\xc3\x01" + written + fastavro_bytes(schema, value)


def confluent(schema_id: int, schema: Any, value: Any) -> bytes:
    return struct.pack(">bI", 0, schema_id) + fastavro_bytes(schema, value)


@few
@given(schemas_and_values())
def test_single_object_is_the_fingerprint_and_the_bytes(
    case: tuple[dict[str, Any], list[Any]],
) -> None:
    schema, values = case
    with imported(schema) as package:
        typed = package.RECORD.from_dict(values[0])

        data = typed.to_single_object()

        assert data[:10] == b"\xc3\x01" + package.CRC_64_AVRO.to_bytes(8, "little")
        assert data[10:] == typed.to_avro()
        assert package.RECORD.from_single_object(data) == typed


def test_single_object_equals_that_of_fastavro(package: Any) -> None:
    assert package.RECORD.from_dict(PLAIN).to_single_object() == single(SCHEMA, PLAIN)
    assert package.Inner(x=5).to_single_object() == single(INNER, {"x": 5})


def test_record_within_another_has_a_fingerprint_of_its_own(package: Any) -> None:
    inner = package.Inner(x=5)

    assert package.Inner.from_single_object(inner.to_single_object()) == inner
    with pytest.raises(package.UnknownSchema):
        package.RECORD.from_single_object(inner.to_single_object())


@pytest.mark.parametrize("give", [lambda known: known, lambda known: known.get,
                                  lambda known: known.__getitem__])  # fmt: skip
def test_single_object_of_another_schema_is_resolved(package: Any, give: Any) -> None:
    schemas = give({number_of(OLDER): json.dumps(OLDER)})

    read = package.RECORD.from_single_object(single(OLDER, OLD_PLAIN), schemas)

    assert read == package.RECORD.from_dict(PLAIN)


@pytest.mark.parametrize("schemas", [None, {}, {1: "x"}, lambda _: None, {}.__getitem__])
def test_unknown_fingerprint_is_named(package: Any, schemas: Any) -> None:
    with pytest.raises(package.UnknownSchema, match=f"0x{number_of(OLDER):016X}"):
        package.RECORD.from_single_object(single(OLDER, OLD_PLAIN), schemas)


def test_schema_that_has_another_fingerprint_is_refused(package: Any) -> None:
    wrong = {number_of(OLDER): json.dumps(SCHEMA)}

    with pytest.raises(package.UnknownSchema, match=f"has 0x{package.CRC_64_AVRO:016X}"):
        package.RECORD.from_single_object(single(OLDER, OLD_PLAIN), wrong)


def test_text_that_is_no_schema_is_an_error(package: Any) -> None:
    with pytest.raises(package.AvroError, match="JSON"):
        package.RECORD.from_single_object(single(OLDER, OLD_PLAIN), {number_of(OLDER): "{"})
    with pytest.raises(package.AvroError, match="JSON"):
        package.RECORD.from_confluent(confluent(1, SCHEMA, PLAIN), lambda _: "{")


def test_confluent_frame_is_the_id_and_fastavros_bytes(package: Any) -> None:
    typed = package.RECORD.from_dict(PLAIN)

    data = typed.to_confluent(70_000)

    assert data == confluent(70_000, SCHEMA, PLAIN)
    assert package.RECORD.from_confluent(data, {70_000: package.SCHEMA}.__getitem__) == typed
    # A registry keeps a schema's text in a formatting of its own.
    assert package.RECORD.from_confluent(data, lambda _: json.dumps(SCHEMA, indent=2)) == typed


def test_confluent_frame_of_another_schema_is_resolved(package: Any) -> None:
    asked: list[int] = []

    def schema_of(schema_id: int) -> str:
        asked.append(schema_id)
        return json.dumps(OLDER)

    read = package.RECORD.from_confluent(confluent(2**32 - 1, OLDER, OLD_PLAIN), schema_of)

    assert read == package.RECORD.from_dict(PLAIN)
    assert asked == [2**32 - 1]


def test_unknown_id_is_named_and_a_registrys_errors_are_its_own(package: Any) -> None:
    data = confluent(12, SCHEMA, PLAIN)

    def unreachable(_: int) -> str:
        raise ConnectionError("registry")

    with pytest.raises(package.UnknownSchema, match="id 12"):
        package.RECORD.from_confluent(data, {}.__getitem__)
    with pytest.raises(ConnectionError, match="registry"):
        package.RECORD.from_confluent(data, unreachable)


@pytest.mark.parametrize("schema_id", [-1, 2**32, True, "1", 1.0, None])
def test_what_is_no_id_is_refused(package: Any, schema_id: Any) -> None:
    with pytest.raises(package.InvalidValue, match="id"):
        package.RECORD.from_dict(PLAIN).to_confluent(schema_id)


def test_bad_values_are_refused_with_their_path(package: Any) -> None:
    bad = package.RECORD(id=1, inner=package.Inner(x="1"), name=None)

    for write in (bad.to_single_object, lambda: bad.to_confluent(1)):
        with pytest.raises(package.InvalidValue) as refused:
            write()
        assert refused.value.path == "inner.x"


def test_truncated_and_lengthened_frames_are_invalid(package: Any) -> None:
    typed = package.RECORD.from_dict(PLAIN)
    single_object, framed = typed.to_single_object(), typed.to_confluent(1)
    for end in range(len(single_object)):
        with pytest.raises(package.InvalidAvro):
            package.RECORD.from_single_object(single_object[:end])
    for end in range(len(framed)):
        with pytest.raises(package.InvalidAvro):
            package.RECORD.from_confluent(framed[:end], lambda _: package.SCHEMA)
    with pytest.raises(package.InvalidAvro, match="follow"):
        package.RECORD.from_single_object(single_object + b"\0")
    with pytest.raises(package.InvalidAvro, match="follow"):
        package.RECORD.from_confluent(framed + b"\0", lambda _: package.SCHEMA)


@pytest.mark.parametrize("place", range(10))
def test_a_damaged_head_of_a_frame_is_an_error(package: Any, place: int) -> None:
    data = bytearray(package.RECORD.from_dict(PLAIN).to_single_object())
    data[place] ^= 1

    with pytest.raises(package.InvalidAvro if place < 2 else package.UnknownSchema):
        package.RECORD.from_single_object(bytes(data))


def test_other_magic_than_zero_is_an_error(package: Any) -> None:
    with pytest.raises(package.InvalidAvro, match="00"):
        package.RECORD.from_confluent(b"\1" + bytes(20), lambda _: package.SCHEMA)


@few
@given(schemas_and_values())
def test_functions_are_what_confluents_serialisers_call(
    case: tuple[dict[str, Any], list[Any]],
) -> None:
    """They call ``to_dict(obj, ctx)`` before fastavro writes, ``from_dict(dict, ctx)`` after it reads."""
    schema, values = case
    parsed = fastavro.parse_schema(schema)
    with imported(schema) as package:
        typed = package.RECORD.from_dict(values[0])

        frame = confluent(3, schema, package.to_dict(typed, None))
        read: Any = fastavro.schemaless_reader(io.BytesIO(frame[5:]), parsed, None)

        assert frame == typed.to_confluent(3)
        assert package.from_dict(read, object()) == typed
