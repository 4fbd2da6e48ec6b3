"""Faults that other Avro implementations, and Python, find in a wheel before anybody sees it."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest
from hypothesis import given

from codegen.errors import CodegenError
from codegen.package import PackageRequest, Provenance, Wheel
from codegen.wheel import build_wheel
from lakeschema.avro.model import Record
from lakeschema.catalog.identifiers import RelationName
from publisher.publishing.packaging_protocol import OpinionMode
from publisher.publishing.sample_values import sample_values
from publisher.publishing.schema_shapes import shapes_of
from publisher.publishing.second_opinion import (
    MAX_WHEEL_BYTES,
    SAMPLED_ONE_IN,
    SecondOpinionFailed,
    SecondOpinions,
    check,
)
from tests.codegen.generated import LEAVES, pairs, record, record_of
from tests.lakeschema.avro.strategies import schemas
from tests.publisher.publishing.broken_generator import BREAKS, SCHEMA, break_generator


def wheel_of(schema: Record, *, immutable: bool = False) -> Wheel:
    return build_wheel(
        PackageRequest(
            RelationName.of("example", "company"),
            "acme-schema",
            "1.0.0",
            schema,
            Provenance(),
            immutable=immutable,
        )
    )


@pytest.mark.parametrize("immutable", [False, True])
def test_nothing_is_wrong_with_a_wheel_of_ours(*, immutable: bool) -> None:
    assert check(wheel_of(SCHEMA, immutable=immutable).data, SCHEMA) is None


@pytest.mark.parametrize("what", BREAKS)
def test_a_broken_generator_is_noticed(monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    break_generator(monkeypatch, what)

    reason = check(wheel_of(SCHEMA).data, SCHEMA)

    assert reason is not None
    assert reason.startswith(BREAKS[what][2])


@pytest.mark.thorough
@given(schemas())
def test_others_agree_about_the_wheels_of_random_schemas(schema: Record) -> None:
    try:
        wheel = wheel_of(schema)
    except CodegenError:
        return

    assert check(wheel.data, schema) is None


_FIXED: list[dict[str, Any]] = [
    {"type": "fixed", "name": "F", "size": 16, "logicalType": "uuid"},
    {"type": "fixed", "name": "F", "size": 12, "logicalType": "duration"},
    {"type": "fixed", "name": "F", "size": 0},
    {
        "type": "fixed", "name": "F", "size": 9,
        "logicalType": "decimal", "precision": 20, "scale": 20,
    },
]  # fmt: skip
_IGNORED = [
    {"type": "bytes", "logicalType": "decimal", "precision": "5", "scale": "2"},
    {"type": "bytes", "logicalType": "decimal", "precision": 5.0},
    {"type": "bytes", "logicalType": "decimal", "precision": True},
    {"type": "bytes", "logicalType": "decimal", "precision": 0},
    {"type": "bytes", "logicalType": "decimal", "precision": 2, "scale": 5},
    {"type": "bytes", "logicalType": "decimal", "precision": 5, "scale": -2},
    {"type": "bytes", "logicalType": "decimal"},
    {"type": "fixed", "name": "F", "size": 2, "logicalType": "decimal", "precision": 50},
    {"type": "enum", "name": "E", "symbols": ["A"], "logicalType": "decimal", "precision": "x"},
    {"type": "string", "logicalType": "timestamp-millis"},
    {"type": "int", "logicalType": ["date"]},
    {"type": "int", "logicalType": {"name": "date"}},
]
"""What readers ignore, and read as the type beneath."""

_UNKNOWN_TO_FASTAVRO = [
    {"type": "long", "logicalType": "timestamp-nanos"},
    {"type": "bytes", "logicalType": "big-decimal"},
    {"type": "string", "logicalType": "country"},
]


@pytest.mark.parametrize(
    "leaf",
    [*(leaf for leaf, _ in LEAVES), *_FIXED, *_UNKNOWN_TO_FASTAVRO, *_IGNORED],
    ids=json.dumps,
)
def test_others_agree_about_every_type(leaf: Any) -> None:
    again = f"n.{leaf['name']}" if isinstance(leaf, dict) and "name" in leaf else leaf
    optional = {"type": ["null", again], "default": None}
    fields = {"plain": {"type": leaf} if isinstance(leaf, dict) else leaf}
    if leaf != "null":
        fields |= {"optional": optional, "list": {"type": {"type": "array", "items": again}}}
        fields["dict"] = {"type": pairs("Entry", again, ["null", again])}
    schema = record_of(record(fields))

    assert check(wheel_of(schema).data, schema) is None


@pytest.mark.parametrize(
    ("type_", "default"),
    [
        (["bytes", "null"], "\u00ff"),
        (["double", "string"], 1),
        (["null", "string"], "text"),
        (["int", "long"], 2**40),
        ([{"type": "enum", "name": "E", "symbols": ["A"]}, "string"], "B"),
        ({"type": "array", "items": ["null", "long"]}, [None, 1]),
        (pairs("Entry", "int", "string"), [{"key": 1, "value": "a"}]),
        ({"type": "bytes", "logicalType": "decimal", "precision": 2, "scale": 1}, "\u0000\u0005"),
        ({"type": "string", "logicalType": "uuid"}, "0F14D0AB-9605-4A62-A9E4-5ED26688389B"),
        ("double", "NaN"),
        ("float", "-Infinity"),
        ("float", "0.0"),
        ("float", 0.1),
        ("float", 1e39),
        # Avro allows them, and Python cannot hold them.
        ({"type": "string", "logicalType": "uuid"}, ""),
        ({"type": "long", "logicalType": "timestamp-millis"}, 2**63 - 1),
        ({"type": "int", "logicalType": "date"}, -(2**31)),
        ({"type": "bytes", "logicalType": "decimal", "precision": 2, "scale": 1}, "\u0000\u00ff"),
    ],
    ids=json.dumps,
)
def test_others_agree_about_defaults(type_: Any, default: Any) -> None:
    fields = [{"name": "a", "type": type_, "default": default}]
    schema = record_of({"type": "record", "name": "R", "namespace": "n", "fields": fields})

    assert check(wheel_of(schema).data, schema) is None


def test_defaults_within_defaults_are_the_schemas() -> None:
    inner = record({"x": {"type": ["null", "long"], "default": 3}, "y": "long"}, "Inner")
    schema = record_of(record({"a": {"type": inner, "default": {"y": 5}}}))

    assert check(wheel_of(schema).data, schema) is None


def test_values_of_a_recursive_record_end() -> None:
    schema = record_of(record({"next": {"type": ["null", "n.R"], "default": None}, "v": "int"}))

    assert [value["next"][0] for value in sample_values(schema)] == ["n.R", "null"]
    assert check(wheel_of(schema).data, schema) is None


@pytest.mark.parametrize("times", [20, 60])
def test_a_schema_without_a_small_value_is_imported_only(times: int) -> None:
    """Each record holds the one before it twice, and its text only names it."""
    inner: Any = "int"
    for number in range(times):
        again = f"n.D{number - 1}" if number else "int"
        inner = {
            "type": "record",
            "name": f"D{number}",
            "fields": [{"name": "a", "type": inner}, {"name": "b", "type": again}],
        }
    schema = record_of(record({"x": {"type": inner}}))

    assert list(sample_values(schema)) == []
    assert check(wheel_of(schema).data, schema) is None


def test_nothing_of_the_package_stays_imported() -> None:
    before = set(sys.modules), list(sys.meta_path)

    check(wheel_of(SCHEMA).data, SCHEMA)

    assert (set(sys.modules), list(sys.meta_path)) == before


def test_bytes_that_are_not_a_wheel_are_a_reason() -> None:
    reason = check(b"PK", SCHEMA)

    assert reason == "the wheel cannot be read: UnreadableArchive: not a zip archive"


# Which wheels are checked


def is_checked(opinions: SecondOpinions, schema: Record, sha256: str, size: int = 1) -> bool:
    """A wheel of these bytes is wrong, which only a check notices."""
    wheel = Wheel("p", "1.0.0", "p-1.0.0-py3-none-any.whl", b"x" * size, sha256)
    try:
        opinions.require(wheel, schema)
    except SecondOpinionFailed:
        return True
    return False


SAMPLE, OTHER = f"{SAMPLED_ONE_IN * 5:08x}", f"{SAMPLED_ONE_IN * 5 + 1:08x}"


@pytest.mark.parametrize(
    ("mode", "new", "sample", "other"),
    [("always", True, True, True), ("sampled", True, True, False), ("off", False, False, False)],
)
def test_what_is_new_is_checked_and_of_the_rest_samples(
    mode: OpinionMode, *, new: bool, sample: bool, other: bool
) -> None:
    opinions = SecondOpinions(mode)

    assert is_checked(opinions, SCHEMA, OTHER) is new
    opinions.require(wheel_of(SCHEMA), SCHEMA)
    assert is_checked(opinions, SCHEMA, SAMPLE) is sample
    assert is_checked(opinions, SCHEMA, OTHER) is other


def test_what_a_check_refuses_is_new_the_next_time() -> None:
    opinions = SecondOpinions("sampled")

    assert [is_checked(opinions, SCHEMA, OTHER) for _ in range(3)] == [True] * 3


_KNOWN: dict[str, Any] = {"a": "long", "b": {"type": "array", "items": "string"}}


@pytest.mark.parametrize(
    "changed",
    [
        {"c": "string"},
        {"c": {"type": "long", "logicalType": "timestamp-micros"}},
        {"c": {"type": "array", "items": "long"}},
        {"c": {"type": "map", "values": "string"}},
        {"c": {"type": ["long", "null"], "default": 7}},
        {f"c{i}": "long" for i in range(9)},
    ],
)
def test_a_type_in_a_new_place_is_new(changed: dict[str, Any]) -> None:
    known, other = record_of(record(_KNOWN)), record_of(record({**_KNOWN, **changed}))
    opinions = SecondOpinions("sampled")
    opinions.require(wheel_of(known), known)

    assert not is_checked(opinions, known, OTHER)
    assert is_checked(opinions, other, OTHER)


def test_a_deep_schema_has_few_shapes() -> None:
    deep: Any = "long"
    for _ in range(50):
        deep = {"type": "array", "items": deep}

    assert shapes_of(record_of(record({"a": deep}))) == {
        ">record of 2", "record of 2>Array", "Array>Array", "Array>long",
    }  # fmt: skip


def test_a_very_large_wheel_is_not_checked() -> None:
    assert not is_checked(SecondOpinions("always"), SCHEMA, SAMPLE, MAX_WHEEL_BYTES + 1)
