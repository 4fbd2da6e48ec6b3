"""Records in pydantic models: reading, refusals with their position, and the JSON Schema."""

from __future__ import annotations

import datetime as dt
import decimal
import json
import uuid
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import jsonschema
import pydantic
import pytest
from hypothesis import given, settings

from tests.codegen.generated import imported, pairs, record, schemas_and_values
from tests.effort import examples

LINE = record({
    "price": {"type": {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}},
    "sku": {"type": ["null", "string"], "default": None, "doc": "What is sold."},
}, "Line")  # fmt: skip
ORDER = record({
    "id": "long",
    "at": {"type": {"type": "long", "logicalType": "timestamp-micros"}},
    "day": {"type": ["null", {"type": "int", "logicalType": "date"}], "default": None},
    "local": {"type": ["null", {"type": "long", "logicalType": "local-timestamp-millis"}],
              "default": None},
    "clock": {"type": ["null", {"type": "long", "logicalType": "time-micros"}], "default": None},
    "key": {"type": ["null", {"type": "string", "logicalType": "uuid"}], "default": None},
    "photo": {"type": ["null", "bytes"], "default": None},
    "hash": {"type": ["null", {"type": "fixed", "name": "Four", "size": 4}], "default": None},
    "span": {"type": ["null", {"type": "fixed", "name": "Span", "size": 12,
                               "logicalType": "duration"}], "default": None},
    "took": {"type": ["null", {"type": "long", "logicalType": "day-time-interval-micros"}],
             "default": None},
    "kind": {"type": {"type": "enum", "name": "Kind", "symbols": ["A", "B"]}, "default": "B"},
    "lines": {"type": {"type": "array", "items": LINE}, "default": []},
    "counts": {"type": {"type": "map", "values": "int"}, "default": {}},
    "years": {"type": pairs("Year", "int", {"type": "array", "items": "double"}), "default": []},
    "either": {"type": ["null", "Line", record({"x": "float"}, "Other")], "default": None},
    "class": {"type": ["null", "string"], "default": None},
    "next": {"type": ["null", "Order"], "default": None},
}, "Order")  # fmt: skip
AT = dt.datetime(2024, 1, 31, 23, 59, 59, 123456, tzinfo=dt.UTC)


@pytest.fixture(params=[False, True], ids=["mutable", "immutable"])
def package(request: pytest.FixtureRequest) -> Iterator[ModuleType]:
    with imported(ORDER, immutable=request.param) as module:
        yield module


def order(package: Any, **changes: Any) -> Any:
    known = {
        "id": 1,
        "at": AT,
        "day": dt.date(2024, 1, 31),
        "local": dt.datetime(2024, 1, 31, 23, 59, 59, 123000),  # noqa: DTZ001 [local]
        "clock": dt.time(1, 2, 3, 4),
        "key": uuid.UUID(int=7),
        "photo": b"\0\xff",
        "hash": package.Four(b"1234"),
        "span": package.Duration(months=14, days=3, milliseconds=1500),
        "took": dt.timedelta(days=3, seconds=4.5),
        "kind": package.Kind.A,
        "lines": [package.Line(price=decimal.Decimal("6.25"), sku="s")],
        "counts": {"a": 1},
        "years": {2024: [1.5, float("inf")]},
        "either": package.Other(x=0.5),
        "class_": "c",
    }
    return package.Order(**known | changes)


def loc_of(error: pydantic.ValidationError) -> dict[tuple[int | str, ...], str]:
    return {fault["loc"]: fault["type"] for fault in error.errors()}


def test_json_that_a_framework_has_parsed_is_read(package: Any) -> None:
    adapter = pydantic.TypeAdapter(package.Order)
    value = order(package, next=order(package))

    for document in (json.loads(value.to_json()), adapter.dump_python(value, mode="json")):
        assert adapter.validate_python(document) == value
    assert adapter.validate_json(value.to_json()) == value
    assert adapter.validate_json(adapter.dump_json(value)) == value
    assert adapter.validate_python(value.to_dict()) == value
    assert adapter.validate_python(adapter.dump_python(value)) == value


def test_text_and_values_may_be_mixed(package: Any) -> None:
    read = pydantic.TypeAdapter(package.Order).validate_python

    found = read({"id": 1, "at": "2024-01-31T23:59:59.123456Z", "day": dt.date(2024, 1, 31),
                  "lines": [{"price": "6.25"}, package.Line(price=decimal.Decimal(1))],
                  "photo": b"x", "kind": "A"})  # fmt: skip

    assert (found.at, found.day, found.kind) == (AT, dt.date(2024, 1, 31), package.Kind.A)
    assert [line.price for line in found.lines] == [decimal.Decimal("6.25"), decimal.Decimal(1)]


WRONG = {
    "at": "yesterday",
    "kind": "C",
    "lines": [{"price": "1.00"}, {"price": "x", "sku": 5}, {}],
    "counts": {"a": 1, "b.c": "many"},
    "next": {"id": 1, "at": "2024-01-31T23:59:59Z", "hash": "AP8="},
    "surprise": 1,
}
PLACES = {
    ("id",): "missing",
    ("at",): "value_error",
    ("kind",): "value_error",
    ("lines", 1, "price"): "value_error",
    ("lines", 1, "sku"): "value_error",
    ("lines", 2, "price"): "missing",
    ("counts", "b.c"): "value_error",
    ("next", "hash"): "value_error",
    ("surprise",): "extra_forbidden",
}


def test_all_faults_are_told_with_their_places(package: Any) -> None:
    adapter = pydantic.TypeAdapter(package.Order)
    model: Any = pydantic.create_model("Event", orders=(list[package.Order], ...))

    with pytest.raises(pydantic.ValidationError) as of_values:
        adapter.validate_python(WRONG)
    with pytest.raises(pydantic.ValidationError) as of_json:
        adapter.validate_json(json.dumps(WRONG))
    with pytest.raises(pydantic.ValidationError) as within:
        model(orders=[order(package), WRONG])

    assert loc_of(of_values.value) == loc_of(of_json.value) == PLACES
    assert loc_of(within.value) == {("orders", 1, *loc): kind for loc, kind in PLACES.items()}
    messages = {fault["loc"]: fault["msg"] for fault in of_values.value.errors()}
    assert messages["kind",] == "expected one of A, B; got 'C'"
    assert messages["at",].startswith("expected a moment with a zone such as")


def test_the_faults_of_a_record_have_their_places(package: Any) -> None:
    wrong = order(package, lines=[package.Line(price=1.5)])

    with pytest.raises(pydantic.ValidationError) as caught:
        pydantic.TypeAdapter(package.Order).validate_python(wrong)

    assert loc_of(caught.value) == {("lines", 0, "price"): "value_error"}


@pytest.mark.parametrize("value", [None, 1, "x", [], {1: 2}, float("nan"), object()])
def test_what_is_no_record_is_refused(package: Any, value: Any) -> None:
    adapter = pydantic.TypeAdapter(package.Order)

    with pytest.raises(pydantic.ValidationError):
        adapter.validate_python(value)


def test_a_value_that_contains_itself_is_refused(package: Any) -> None:
    endless: dict[str, Any] = {"id": 1, "at": AT}
    endless["next"] = endless

    with pytest.raises(pydantic.ValidationError, match="contains itself"):
        pydantic.TypeAdapter(package.Order).validate_python(endless)


def test_json_schema_has_each_type_once_and_describes_it(package: Any) -> None:
    schema = pydantic.TypeAdapter(package.Order).json_schema()

    assert schema["$ref"] == "#/$defs/Order"
    assert {*schema["$defs"]} == {"Order", "Line", "Other", "Kind"}
    of_order = schema["$defs"]["Order"]
    assert of_order["required"] == ["id", "at"]
    assert of_order["properties"]["at"] == {"type": "string", "format": "date-time"}
    assert of_order["properties"]["kind"] == {"$ref": "#/$defs/Kind", "default": "B"}
    assert of_order["properties"]["lines"]["items"] == {"$ref": "#/$defs/Line"}
    assert "class" in of_order["properties"]
    assert schema["$defs"]["Kind"] == {"title": "Kind", "type": "string", "enum": ["A", "B"]}


@pytest.mark.parametrize("mode", ["validation", "serialization"])
def test_models_describe_records_where_they_have_them(package: Any, mode: Any) -> None:
    model: Any = pydantic.create_model(
        "Event",
        order=(package.Order, ...),
        lines=(dict[str, package.Line], {}),
        maybe=(package.Line | None, None),
    )

    schema = model.model_json_schema(mode=mode)

    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["properties"]["order"] == {"$ref": "#/$defs/Order"}
    event = model(order=order(package, next=order(package)), maybe=order(package).lines[0])
    jsonschema.validate(json.loads(event.model_dump_json()), schema)
    assert model.model_validate_json(event.model_dump_json()) == event
    assert {*schema["$defs"]} == {"Order", "Line", "Other", "Kind"}


@settings(max_examples=examples(60))
@given(schemas_and_values())
def test_the_schema_allows_what_is_written(drawn: tuple[dict[str, Any], list[Any]]) -> None:
    document, values = drawn
    with imported(document) as package:
        adapter = pydantic.TypeAdapter(package.RECORD)
        schemas: list[Any] = [adapter.json_schema(mode="validation"),
                              adapter.json_schema(mode="serialization")]  # fmt: skip
        for plain in values:
            value = package.RECORD.from_dict(plain)
            text = value.to_json()

            for schema in schemas:
                jsonschema.Draft202012Validator.check_schema(schema)
                jsonschema.validate(json.loads(text), schema)
            assert adapter.validate_json(text) == value


def test_the_schema_refuses_what_is_refused(package: Any) -> None:
    schema = pydantic.TypeAdapter(package.Order).json_schema()
    validator = jsonschema.Draft202012Validator(schema)

    wrong: list[dict[str, Any]] = [
        {"id": "1"}, {"id": 2**63}, {"surprise": 1}, {"kind": "C"}, {"lines": [{}]},
        {"counts": {"a": 1.5}}, {"either": {"x": 0.5}}, {"hash": "AP8="},
    ]  # fmt: skip
    for changes in wrong:
        assert not validator.is_valid({"id": 1, "at": "2024-01-31T23:59:59Z"} | changes)
