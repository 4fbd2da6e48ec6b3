from __future__ import annotations

import contextlib
import json
from typing import Any

import avro.errors
import avro.schema
import fastavro
import fastavro.schema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeschema.avro.definitions import definitions
from lakeschema.avro.errors import MalformedAvroSchema
from lakeschema.avro.model import (
    INT,
    NO_DEFAULT,
    NULL,
    STRING,
    Array,
    EnumSchema,
    Field,
    Fixed,
    LogicalType,
    Primitive,
    Record,
    Reference,
    Union,
)
from lakeschema.avro.parsing import INVALID_DEFAULT, InvalidDefaults, parse_schema
from lakeschema.avro.printing import to_json, to_text
from tests.effort import examples
from tests.lakeschema.avro.arranging import arrange
from tests.lakeschema.avro.strategies import schemas


def record(*fields: dict[str, Any], **attributes: Any) -> dict[str, Any]:
    return {"type": "record", "name": "R", "fields": list(fields), **attributes}


def parse(schema: Any) -> Any:
    return parse_schema(json.dumps(schema))


def refusal(schema: Any) -> MalformedAvroSchema:
    with pytest.raises(MalformedAvroSchema) as caught:
        parse(schema)
    return caught.value


@given(schemas())
def test_what_is_printed_reads_back_equal(schema: Record) -> None:
    assert parse_schema(to_text(schema)) == schema
    assert to_text(parse_schema(to_text(schema))) == to_text(schema)


@pytest.mark.filterwarnings("ignore::avro.errors.IgnoredLogicalType")
@given(schemas())
def test_what_is_printed_is_a_schema_for_fastavro_and_apache_avro(schema: Record) -> None:
    fastavro.parse_schema(to_json(schema))
    avro.schema.parse(to_text(schema), validate_names=True)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: (
            st.lists(inner)
            | st.dictionaries(
                st.sampled_from([
                    "type", "name", "namespace", "fields", "items", "values", "symbols", "size",
                    "default", "doc", "aliases", "order", "logicalType", "precision", "scale",
                ]),
                inner | st.sampled_from(["record", "enum", "fixed", "array", "map", "int", "decimal"]),
            )
        ),
    )
)  # fmt: skip
def test_any_json_is_a_schema_or_malformed(document: Any) -> None:
    text = json.dumps(document)

    with contextlib.suppress(MalformedAvroSchema):
        assert parse_schema(to_text(parse_schema(text))) == parse_schema(text)


@given(schemas(), st.data())
def test_damaged_text_is_a_schema_or_malformed(schema: Record, data: st.DataObject) -> None:
    text = to_text(schema)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 5)))
    damaged = text[:start] + data.draw(st.text('"{}[],:ai1', max_size=2)) + text[end:]

    try:
        parsed = parse_schema(damaged)
    except MalformedAvroSchema:
        return
    assert parse_schema(to_text(parsed)) == parsed


def test_names_are_resolved_in_the_enclosing_namespace() -> None:
    inner = {"type": "enum", "name": "E", "symbols": ["A"], "aliases": ["Old", "x.Old"]}

    parsed = parse(
        record({"name": "a", "type": inner}, {"name": "b", "type": "E"}, namespace="n.m")
    )

    enum = parsed.fields[0].type
    assert enum == EnumSchema("E", "n.m", ("A",), aliases=("n.m.Old", "x.Old"))
    assert parsed.fields[1].type == Reference("n.m.E")


def test_a_dotted_name_overrules_the_namespace() -> None:
    parsed = parse({"type": "fixed", "name": "x.y.F", "namespace": "other", "size": 2})

    assert parsed == Fixed("F", "x.y", 2)


def test_a_name_without_namespace_is_seen_from_inside_one() -> None:
    inner = {"type": "fixed", "name": "F", "namespace": "", "size": 1}
    schema = record({"name": "a", "type": inner}, {"name": "b", "type": "F"}, namespace="n")

    parsed = parse(schema)

    assert parsed.fields[1].type == Reference("F")
    assert parse_schema(to_text(parsed)) == parsed


def test_a_recursive_record_refers_to_itself() -> None:
    parsed = parse(record({"name": "next", "type": ["null", "R"], "default": None}))

    assert parsed.fields == (Field("next", Union((NULL, Reference("R"))), None),)


def test_an_object_may_name_a_type_defined_before() -> None:
    fixed = {"type": "fixed", "name": "F", "size": 1}

    parsed = parse(record({"name": "a", "type": fixed}, {"name": "b", "type": {"type": "F"}}))

    assert parsed.fields[1].type == Reference("F")


def test_unknown_attributes_stay_as_properties() -> None:
    parsed = parse(
        record({"name": "a", "type": {"type": "int", "unit": "m"}, "pii": True}, owner="x")
    )

    assert parsed.properties == {"owner": "x"}
    assert parsed.fields[0].properties == {"pii": True}
    assert parsed.fields[0].type.properties == {"unit": "m"}


@pytest.mark.parametrize(
    ("schema", "logical"),
    [
        ({"type": "bytes", "logicalType": "decimal", "precision": 4, "scale": 2}, LogicalType("decimal", 4, 2)),
        ({"type": "bytes", "logicalType": "decimal", "precision": 4}, LogicalType("decimal", 4, 0)),
        ({"type": "int", "logicalType": "date"}, LogicalType("date")),
        ({"type": "int", "logicalType": "nobody-knows"}, LogicalType("nobody-knows")),
    ],
)  # fmt: skip
def test_logical_types_are_read(schema: Any, logical: LogicalType) -> None:
    assert parse(schema).logical == logical
    assert parse_schema(to_text(parse(schema))) == parse(schema)


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "bytes", "logicalType": "decimal"},
        {"type": "bytes", "logicalType": "decimal", "precision": 0},
        {"type": "bytes", "logicalType": "decimal", "precision": True},
        {"type": "bytes", "logicalType": "decimal", "precision": 2, "scale": 3},
        {"type": "bytes", "logicalType": "decimal", "precision": "print()"},
        {"type": "bytes", "logicalType": "decimal", "precision": 10**30},
        {"type": "string", "logicalType": "date"},
        {"type": "int", "logicalType": ["date"]},
        {"type": "fixed", "name": "F", "size": 11, "logicalType": "duration"},
        {"type": "fixed", "name": "F", "size": 2, "logicalType": "decimal", "precision": 5},
    ],
)
def test_an_impossible_logical_type_is_ignored_and_kept_as_property(schema: Any) -> None:
    parsed = parse(schema)

    assert parsed.logical is None
    assert parsed.properties["logicalType"] == schema["logicalType"]
    assert parse_schema(to_text(parsed)) == parsed


@pytest.mark.parametrize(
    ("size", "precision"), [(1, 2), (4, 9), (8, 18), (12, 28), (16, 38), (100, 240)]
)
def test_a_fixed_holds_as_many_digits_as_its_bytes_allow(size: int, precision: int) -> None:
    fixed = {"type": "fixed", "name": "F", "size": size, "logicalType": "decimal"}

    assert parse({**fixed, "precision": precision}).logical == LogicalType("decimal", precision)
    assert parse({**fixed, "precision": precision + 1}).logical is None


@pytest.mark.parametrize(
    ("schema", "path"),
    [
        (5, "$"),
        ({}, "$"),
        ("unknown", "$"),
        ([], "$"),
        (["int", "int"], "$[1]"),
        (["null", ["int"]], "$[1]"),
        ([{"type": "int", "logicalType": "date"}, "int"], "$[1]"),
        ({"type": {"type": "int"}}, "$"),
        ({"type": "array"}, "$"),
        ({"type": "fixed", "name": "F", "size": "4"}, "$.size"),
        ({"type": "fixed", "name": "F", "size": -1}, "$.size"),
        ({"type": "fixed", "name": "F", "size": True}, "$.size"),
        ({"type": "fixed", "name": "F", "size": 4.0}, "$.size"),
        ({"type": "fixed", "name": "F", "size": 10**20}, "$.size"),
        ({"type": "fixed", "name": "a b", "size": 1}, "$.name"),
        ({"type": "fixed", "name": "long", "size": 1}, "$.name"),
        ({"type": "fixed", "name": "..F", "size": 1}, "$.namespace"),
        ({"type": "fixed", "name": "F", "namespace": "../x", "size": 1}, "$.namespace"),
        ({"type": "fixed", "name": "F\n", "size": 1}, "$.name"),
        ({"type": "enum", "name": "E", "symbols": ["A", "A"]}, "$.symbols"),
        ({"type": "enum", "name": "E", "symbols": ["größe"]}, "$.symbols[0]"),
        ({"type": "enum", "name": "E", "symbols": "AB"}, "$.symbols"),
        ({"type": "enum", "name": "E", "symbols": ["A"], "default": "B"}, "$.default"),
        (record({"name": "a"}), "$.fields[0]"),
        (record({"name": "a", "type": "int"}, {"name": "a", "type": "int"}), "$.fields[1]"),
        (record({"name": "it's", "type": "int"}), "$.fields[0].name"),
        (record({"name": "a", "type": "R2"}), "$.fields[0].type"),
        (record({"name": "a", "type": "int", "doc": 5}), "$.fields[0].doc"),
        (record({"name": "a", "type": "int", "order": "up"}), "$.fields[0].order"),
        (record({"name": "a", "type": "int", "order": ["ascending"]}), "$.fields[0].order"),
        (record({"name": "a", "type": "int", "aliases": ["a-b"]}), "$.fields[0].aliases[0]"),
        (record({"name": "a", "type": "int", "aliases": [1]}), "$.fields[0].aliases[0]"),
        (record({"name": "a", "type": record()}), "$.fields[0].type.name"),
        (record() | {"fields": ["a"]}, "$.fields[0]"),
        (record(aliases=["a b"]), "$.aliases[0]"),
    ],
)  # fmt: skip
def test_a_malformed_schema_is_refused_with_its_path(schema: Any, path: str) -> None:
    assert refusal(schema).path == path


@pytest.mark.parametrize(
    ("type_", "default"),
    [
        ("int", True),
        ("int", 1.0),
        ("int", 2**31),
        ("int", None),
        ("long", 2**63),
        ("float", "one"),
        ("double", "nan"),
        ("double", ""),
        (["double", "null"], "NaN"),
        ({"type": "array", "items": "double"}, ["NaN"]),
        (
            {"type": "record", "name": "I", "fields": [{"name": "x", "type": "double"}]},
            {"x": "NaN"},
        ),
        ("double", 10**400),
        ("string", 1),
        ("bytes", "Ā"),
        ("boolean", 0),
        (["null", "int"], "x"),
        ({"type": "array", "items": "int"}, [1, "2"]),
        ({"type": "map", "values": "int"}, {"a": None}),
        ({"type": "enum", "name": "E", "symbols": ["A"]}, "B"),
        ({"type": "fixed", "name": "F", "size": 2}, "abc"),
        ({"type": "record", "name": "I", "fields": [{"name": "x", "type": "int"}]}, {}),
        ({"type": "record", "name": "I", "fields": []}, []),
    ],
)
def test_a_wrong_default_is_refused_or_dropped(type_: Any, default: Any) -> None:
    text = json.dumps(record({"name": "a", "type": type_, "default": default}))

    with pytest.raises(MalformedAvroSchema) as caught:
        parse_schema(text)
    assert caught.value.path == "$.fields[0].default"

    read = parse_schema(text, invalid_defaults=InvalidDefaults.DROP)
    assert isinstance(read, Record)
    assert read.fields[0].default is NO_DEFAULT
    assert read.fields[0].properties == {INVALID_DEFAULT: default}


@pytest.mark.parametrize("name", ["float", "double"])
@pytest.mark.parametrize(
    ("text", "default"),
    [
        ("0.0", 0.0),
        (" -1.5e3 ", -1500.0),
        ("+1", 1.0),
        (".5", 0.5),
        ("5.", 5.0),
        ("1.5f", 1.5),
        ("2D", 2.0),
        ("0x1.8p3", 12.0),
        ("NaN", "NaN"),
        ("+NaN", "NaN"),
        ("Infinity", "Infinity"),
        ("-Infinity", "-Infinity"),
        ("1e400", "Infinity"),
        ("-0x1p9999", "-Infinity"),
    ],
)
def test_a_default_of_a_float_may_be_text_as_java_reads_it(
    name: str, text: str, default: Any
) -> None:
    for type_ in (name, {"type": name}):
        (field,) = parse(record({"name": "a", "type": type_, "default": text})).fields

        assert (field.default, type(field.default)) == (default, type(default))
        assert not field.properties


def test_a_float_beyond_32_bits_is_a_default() -> None:
    """Java reads it as infinity."""
    (field,) = parse(record({"name": "a", "type": "float", "default": 1e39})).fields

    assert field.default == 1e39


def test_a_unions_default_may_fit_a_later_branch() -> None:
    parsed = parse(record({"name": "a", "type": ["null", "int"], "default": 5}))

    assert parsed.fields[0].default == 5


def test_a_default_without_end_is_refused() -> None:
    error = refusal(record({"name": "next", "type": "R", "default": {}}))

    assert error.path == "$.fields[0].default"


def test_a_default_that_ends_through_another_fields_default_is_read() -> None:
    inner = record({"name": "x", "type": "int", "default": 1}, name="I")

    parsed = parse(record({"name": "a", "type": inner, "default": {}}))

    assert parsed.fields[0].default == {}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "int",
        '{"type": "int", "type": "long"}',
        '{"type": "int", "x": NaN}',
        '{"type": "int", "x": -Infinity}',
        '{"type": "int", "x": 1e999}',
        '{"type": "int", "x": ' + "9" * 10_000 + "}",
        '{"type": "int", "x": "\\ud800"}',
        '{"type": "int", "x": "\ud800"}',
        '"int"' + " " * 5_000_000,
        '"' + "x" * 5_000_000 + '"',
        '{"type":"array","items":' * 10_000 + '"int"' + "}" * 10_000,
        "[" * 100_000,
        '{"type": "int", "x": ' + "[" * 300 + "]" * 300 + "}",
    ],
)
def test_hostile_text_is_refused(text: str) -> None:
    with pytest.raises(MalformedAvroSchema):
        parse_schema(text)


def test_a_control_character_is_refused_with_the_way_to_write_it() -> None:
    text = '{"type": "record", "name": "R", "doc": "\0", "fields": []}'

    with pytest.raises(MalformedAvroSchema) as refused:
        parse_schema(text)

    assert str(refused.value) == (
        "Avro schema is malformed at $: the text is not JSON: control character \\u0000 within a "
        "string at line 1, column 41"
    )
    assert refused.value.hint == (
        "write \\u0000 in JSON, and \\\\u0000 within a string of SQL, which takes one backslash away"
    )


def test_nesting_is_bounded_below_the_stack_of_its_readers() -> None:
    deep = '{"type":"array","items":' * 64 + '"int"' + "}" * 64

    assert isinstance(parse_schema(deep), Array)
    with pytest.raises(MalformedAvroSchema, match="levels deep"):
        parse_schema('{"type":"array","items":' + deep + "}")


def test_a_default_is_tried_once_against_each_record() -> None:
    # Without memory this takes 2^60 steps and never ends: every level offers two records, and both fail.
    union = [f"n.{name}" for name in "AB"]
    a: dict[str, Any] = {"type": "record", "name": "A"}
    b = {"type": "record", "name": "B", "fields": [{"name": "x", "type": ["n.A", "n.B", "int"]}]}
    a["fields"] = [{"name": "x", "type": ["n.A", b, "int"]}]
    value: Any = "wrong"
    for _ in range(60):
        value = {"x": value}
    schema = record(
        {"name": "f", "type": a}, {"name": "g", "type": union, "default": value}, namespace="n"
    )

    error = refusal(schema)

    assert error.path == "$.fields[1].default"


def test_java_style_nulls_mean_absent() -> None:
    parsed = parse(record({"name": "a", "type": "int", "doc": None}, doc=None, namespace=None))

    assert parsed == Record("R", "", (Field("a", INT),))


def test_quoted_untrusted_text_stays_data() -> None:
    doc = '"""\n__import__(\'os\')\n""" __proto__ \u2028 \'x\''

    parsed = parse(record({"name": "__proto__", "type": "string", "doc": doc, "default": doc}))

    assert parsed.fields == (Field("__proto__", STRING, doc, doc),)
    assert parse_schema(to_text(parsed)) == parsed


@settings(max_examples=examples(30))
@given(schemas(), st.randoms())
def test_fields_taken_out_of_a_schema_are_arranged_into_a_whole_one(
    schema: Record, random: Any
) -> None:
    fields = list(schema.fields)
    random.shuffle(fields)
    cut = Record("Cut", "cut", tuple(fields[: (len(fields) + 1) // 2]))

    whole = arrange(cut, definitions(schema))

    assert parse_schema(to_text(whole)) == whole


def test_a_property_that_would_hide_an_attribute_is_not_printed() -> None:
    with pytest.raises(ValueError, match="hides"):
        to_text(Primitive("int", properties={"type": "string"}))
