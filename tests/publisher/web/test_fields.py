"""A schema's fields as rows: every depth, every kind of type, recursion that ends."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

from codegen.naming import TypeNamer
from lakeschema.avro.model import Record
from publisher.web.fields import FieldRow, field_rows
from tests.effort import examples
from tests.lakeschema.avro.strategies import schemas
from tests.publisher.web.packages import field, record_schema


def rows(*fields: Any) -> list[FieldRow]:
    return list(field_rows(record_schema(*fields)))


def record(name: str, *fields: Any, **more: Any) -> dict[str, Any]:
    return {"type": "record", "name": name, "fields": list(fields), **more}


def test_a_field_says_its_type_whether_it_may_be_null_its_default_and_documentation() -> None:
    [row] = rows(field("total", ["null", "long"], default=None, doc="In cents."))

    assert row == FieldRow("total", 0, "long", False, "null", "In cents.", column="total")


DECIMAL = {"type": "bytes", "logicalType": "decimal", "precision": 5, "scale": 2}
MICROS = {"type": "long", "logicalType": "timestamp-micros"}


@pytest.mark.parametrize(
    ("type_", "default", "shown"),
    [
        (DECIMAL, "\u0000", "0.00"),
        (DECIMAL, "\u00ff", "-0.01"),
        ([DECIMAL, "null"], "\u0004\u00e2", "12.50"),
        (DECIMAL | {"type": "fixed", "name": "F", "size": 3}, "\u0000\u0000\u0001", "0.01"),
        ({"type": "int", "logicalType": "date"}, 19753, "2024-01-31"),
        (MICROS, 1, "1970-01-01 00:00:00.000001+00:00"),
        (MICROS, 2**63 - 1, "9223372036854775807"),
        ({"type": "array", "items": DECIMAL}, ["\u0000"], '["0.00"]'),
        (record("P", field("price", DECIMAL), field("n", "int", default=1)), {"price": "\u0001"}, '{"price": "0.01"}'),
        ("string", "2024", '"2024"'),
        ("bytes", "\u00ff", '"ÿ"'),
        (["null", DECIMAL], None, "null"),
    ],
)  # fmt: skip
def test_a_default_is_told_as_people_write_it(type_: Any, default: Any, shown: str) -> None:
    row, *_ = rows(field("f", type_, default=default))

    assert row.default == shown


def test_fields_of_fields_stand_below_theirs_with_the_changelogs_paths() -> None:
    address = record("Address", field("unit", "string"))
    parts = record("Part", field("sku", "string"))
    tag = record("Tag", field("label", "string"))

    found = rows(
        field("address", ["null", address]),
        field("items", {"type": "array", "items": parts}),
        field("tags", {"type": "map", "values": ["null", tag]}),
        field("last"),
    )

    assert [(row.path, row.depth, row.type) for row in found] == [
        ("address", 0, "Address"),
        ("address.unit", 1, "string"),
        ("items", 0, "array of Part"),
        ("items[].sku", 1, "string"),
        ("tags", 0, "map of (Tag or null)"),
        ("tags{}.label", 1, "string"),
        ("last", 0, "int"),
    ]


def test_branches_of_a_union_are_told_apart() -> None:
    left, right = record("L", field("a")), record("R", field("a", "long"))

    found = rows(field("side", [left, right, "boolean"]))

    assert [(row.path, row.type) for row in found] == [
        ("side", "L or R or boolean"),
        ("side<x.L>.a", "int"),
        ("side<x.R>.a", "long"),
    ]


def test_a_recursive_type_leads_back_to_where_its_fields_stand() -> None:
    node = record("Node", field("next", ["null", "Node"]), field("value"))

    found = rows(field("head", node), field("spare", ["null", "Node"]), field("up", "Company"))

    assert [(row.path, row.fields_at) for row in found] == [
        ("head", ()),
        ("head.next", ("head",)),
        ("head.value", ()),
        ("spare", ("head",)),
        ("up", ("",)),
    ]


def test_fields_within_an_array_or_a_branch_are_found_below_the_row_that_holds_it() -> None:
    part, side = record("Part", field("sku")), record("Side", field("length"))

    found = rows(
        field("parts", {"type": "array", "items": part}),
        field("side", [side, "boolean"]),
        field("first", "Part"),
        field("other", ["Part", "Side"]),
    )

    assert {row.path: row.fields_at for row in found if row.fields_at} == {
        "first": ("parts",),
        "other": ("parts", "side"),
    }


def test_a_record_without_fields_leads_nowhere() -> None:
    found = rows(field("choice", ["null", record("Empty"), "boolean"]), field("again", "Empty"))

    assert [(row.path, row.fields_at) for row in found] == [("choice", ()), ("again", ())]


def test_symbols_of_an_enum_are_listed_where_it_first_stands() -> None:
    state = {"type": "enum", "name": "State", "symbols": ["CA", "NY"], "doc": "Of the union."}

    first, again = rows(field("state", ["null", state]), field("other", "State"))

    assert first.symbols == ("CA", "NY")
    assert (again.symbols, again.type, again.documentation) == ((), "State", "Of the union.")


def test_logical_types_and_fixed_are_named_with_what_lies_below() -> None:
    digest = {"type": "fixed", "name": "Digest", "size": 16}
    money = {"type": "bytes", "logicalType": "decimal", "precision": 10, "scale": 2}
    day = {"type": "int", "logicalType": "date"}

    found = rows(field("a", digest), field("b", money), field("c", day), field("d", "null"))

    assert [row.type for row in found] == [
        "Digest, 16 bytes",
        "decimal(10,2) (bytes)",
        "date (int)",
        "null",
    ]


def test_a_name_that_python_cannot_have_is_shown_with_the_one_it_gets() -> None:
    [row] = rows(field("class"))

    assert row.attribute == "class_"


@settings(max_examples=examples(100), deadline=None)
@given(schemas())
def test_every_schema_has_rows_with_paths_of_their_own(schema: Record) -> None:
    found = field_rows(schema)

    paths = [row.path for row in found]
    assert len(set(paths)) == len(paths)
    assert [row.path for row in found if row.depth == 0] == [f.name for f in schema.fields]
    assert {path for row in found for path in row.fields_at} <= {"", *paths}


def test_types_are_shown_by_the_names_of_their_classes() -> None:
    schema = record_schema(
        field("device", record("web_device", field("kind", {"type": "enum", "name": "kind", "symbols": ["A"]}))),
        field("spare", ["null", "x.web_device"], default=None),
        field("key", {"type": "fixed", "name": "key", "size": 2}),
    )  # fmt: skip

    found = field_rows(schema, TypeNamer.of(schema).class_name)

    assert [(row.path, row.type) for row in found] == [
        ("device", "WebDevice_"),
        ("device.kind", "Kind_"),
        ("spare", "WebDevice_"),
        ("key", "Key_, 2 bytes"),
    ]
