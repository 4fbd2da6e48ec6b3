from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from typing import Any

import fastavro
import pytest
from hypothesis import HealthCheck, assume, event, given, reject, settings
from hypothesis import strategies as st

from lakeschema.avro.compatibility import Change, Level, compare
from lakeschema.avro.model import INT, EnumSchema, Field, Fixed, Record, Union
from lakeschema.avro.parsing import parse_schema
from lakeschema.avro.printing import to_json
from tests.effort import examples
from tests.lakeschema.avro.strategies import bare, changed, schemas, values


def company(*fields: Any, **attributes: Any) -> Record:
    node = {"type": "record", "name": "Company", "namespace": "x", "fields": fields, **attributes}
    parsed = parse_schema(json.dumps(node))
    assert isinstance(parsed, Record)
    return parsed


def field(name: str, type_: Any = "int", **attributes: Any) -> dict[str, Any]:
    return {"name": name, "type": type_, **attributes}


def enum(*symbols: str, **attributes: Any) -> dict[str, Any]:
    return {"type": "enum", "name": "E", "symbols": symbols, **attributes}


def long(logical: str) -> dict[str, Any]:
    return {"type": "long", "logicalType": logical}


def decimal(precision: int, scale: int) -> dict[str, Any]:
    return {"type": "bytes", "logicalType": "decimal", "precision": precision, "scale": scale}


MAJOR = [
    (field("a"), field("a", "long")),
    (field("a"), field("a", ["null", "int"])),
    (field("a", ["null", "int"]), field("a")),
    (field("a", ["null", "int"]), field("a", ["null", "int", "string"])),
    (field("a", ["null", "int", "string"]), field("a", ["null", "int"])),
    (field("a", "string"), field("a", "bytes")),
    (field("a", long("timestamp-millis")), field("a", long("timestamp-micros"))),
    (field("a", "long"), field("a", long("timestamp-millis"))),
    (field("a", long("mine")), field("a", long("yours"))),
    (field("a", decimal(9, 2)), field("a", decimal(9, 4))),
    (field("a", decimal(9, 2)), field("a", decimal(10, 2))),
    (field("a", {"type": "bytes", "logicalType": "decimal"}), field("a", decimal(9, 2))),
    (field("a", default=1), field("a")),
    (field("a", aliases=["b"]), field("a")),
    (field("a"), field("b", aliases=["a"], default=1)),
    (field("a", enum("A", "B")), field("a", enum("A"))),
    (field("a", enum("A")), field("a", enum("A", "B"))),
    (field("a", enum("A")), field("a", enum("A", "B", default="A"))),
    (field("a", enum("A", default="A")), field("a", enum("A"))),
    (field("a", enum("A")), field("a", {**enum("A"), "name": "F"})),
    (field("a", enum("A")), field("a", {**enum("A"), "namespace": "y"})),
    (field("a", enum("A", aliases=["Old"])), field("a", enum("A"))),
    (field("a", {"type": "fixed", "name": "F", "size": 1}), field("a", {"type": "fixed", "name": "F", "size": 2})),
    (field("a", {"type": "array", "items": "int"}), field("a", {"type": "array", "items": "long"})),
    (field("a", {"type": "map", "values": "int"}), field("a", {"type": "map", "values": ["null", "int"]})),
    (field("a", [long("timestamp-millis"), {"type": "int", "logicalType": "date"}]),
     field("a", [{"type": "int", "logicalType": "date"}, long("timestamp-millis")])),
]  # fmt: skip

MINOR = [
    (field("a"), field("a", default=1)),
    (field("a", default=1), field("a", default=2)),
    (field("a", default=1), field("a", default=1, aliases=["b"])),
    (field("a", ["null", "string"]), field("a", ["string", "null"])),
    (field("a", ["int", "long"]), field("a", ["long", "int"])),
    (field("a", enum("A", "B")), field("a", enum("B", "A"))),
    (field("a", enum("A", default="A")), field("a", enum("A", "B", default="A"))),
    (field("a", enum("A")), field("a", enum("A", default="A"))),
    (field("a", enum("A", "B", default="A")), field("a", enum("A", "B", default="B"))),
    (field("a", enum("A")), field("a", enum("A", aliases=["Old"]))),
]

PATCH = [
    (field("a"), field("a", doc="what")),
    (field("a", doc="what"), field("a", doc="which")),
    (field("a"), field("a", pii=True)),
    (field("a", pii=1), field("a", pii=True)),
    (field("a"), field("a", {"type": "int", "unit": "m"})),
    (field("a", enum("A")), field("a", enum("A", doc="d"))),
]


@pytest.mark.parametrize(("old", "new"), MAJOR)
def test_what_breaks_or_misleads_a_reader_is_major(old: Any, new: Any) -> None:
    assert compare([company(old)], company(new)).level is Level.MAJOR


@pytest.mark.parametrize(("old", "new"), MINOR)
def test_what_every_reader_survives_is_minor(old: Any, new: Any) -> None:
    assert compare([company(old)], company(new)).level is Level.MINOR


@pytest.mark.parametrize(("old", "new"), PATCH)
def test_documentation_and_properties_are_a_patch(old: Any, new: Any) -> None:
    assert compare([company(old)], company(new)).level is Level.PATCH


def test_an_equal_schema_is_not_a_change() -> None:
    schema = company(field("a", doc="x"))

    assert compare([schema], company(field("a", doc="x"))) == Change(Level.NONE, ())


def test_a_renamed_record_is_major() -> None:
    assert compare([company()], company(name="Firm", aliases=["Company"])).level is Level.MAJOR


def test_a_nested_optional_field_is_described_in_words() -> None:
    address = {"type": "record", "name": "Address", "fields": [field("street", "string")]}
    unit = field("unit", ["null", "string"], default=None)
    grown = {**address, "fields": [*address["fields"], unit]}

    change = compare([company(field("address", address))], company(field("address", grown)))

    assert change == Change(
        Level.MINOR, ("field `address.unit` added: optional string, default null",)
    )


def test_a_field_without_default_is_major_and_says_why() -> None:
    change = compare([company()], company(field("a")))

    assert change == Change(
        Level.MAJOR, ("field `a` added: int, without a default to read older data with",)
    )


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (field("a"), field("b", aliases=["a"]), ()),
        (field("a"), field("b", aliases=["a"], default=1), ("field `b`: default 1 added",)),
        (
            field("a", doc="x"),
            field("b", "string", aliases=["a"], doc="y"),
            ("field `b` changed from int to string", "field `b`: documentation changed"),
        ),
        (field("a", aliases=["z"]), field("b", aliases=["a", "z"]), ()),
        (field("a", aliases=["z"]), field("b", aliases=["a"]), ("field `b`: alias z removed",)),
    ],
)
def test_a_rename_is_told_once_with_what_else_changed(
    before: dict[str, Any], after: dict[str, Any], expected: tuple[str, ...]
) -> None:
    change = compare([company(before)], company(after))

    assert change.level is Level.MAJOR
    assert change.reasons == ("field `a` renamed to `b`", *expected)


def test_two_fields_that_become_one_are_both_told() -> None:
    change = compare([company(field("a"), field("b"))], company(field("c", aliases=["a", "b"])))

    assert change.reasons == ("field `a` renamed to `c`", "field `b` renamed to `c`")


def test_a_field_that_another_one_has_as_an_alias_from_now_on_is_renamed_to_it() -> None:
    change = compare([company(field("a"), field("b"))], company(field("b", aliases=["a"])))

    assert change.reasons == ("field `a` renamed to `b`", "field `b`: alias a added")


def test_an_older_version_of_the_major_still_counts() -> None:
    without_default = company(field("a", enum("A")))
    with_default = company(field("a", enum("A", default="A")))
    grown = company(field("a", enum("A", "B", default="A")))

    assert compare([with_default], grown).level is Level.MINOR
    change = compare([without_default, with_default], grown)
    assert change.level is Level.MAJOR
    assert change.reasons[0].startswith("against an earlier version of this major: ")


def test_a_new_field_on_an_old_alias_is_major() -> None:
    old = company(field("a", aliases=["b"]))
    new = company(field("a", aliases=["b"]), field("b", default=1))

    # An old reader renames the written b to a, and then finds a twice.
    assert compare([old], new).level is Level.MAJOR


@pytest.mark.parametrize(
    "fields",
    [
        (field("a", aliases=["b"]), field("b")),
        (field("a", enum("A")), field("b", {**enum("A"), "name": "F", "aliases": ["E"]})),
    ],
)
def test_any_change_beside_an_alias_that_is_another_name_is_major(fields: Any) -> None:
    # Java leaves equal schemas alone, documentation aside; between others it renames b to a.
    old, documented = company(*fields), company(*fields, doc="d")
    labelled = company(*fields, owner="x")

    assert compare([old], documented).level is Level.PATCH
    assert compare([old], labelled).level is Level.MAJOR


def test_a_recursive_schema_is_compared_once_around() -> None:
    node = field("next", ["null", "Company"], default=None)

    change = compare([company(node)], company(node, field("a", default=1)))

    assert change == Change(Level.MINOR, ("field `a` added: int, default 1",))


def test_nothing_to_compare_with_is_a_callers_mistake() -> None:
    with pytest.raises(ValueError, match="no earlier version"):
        compare([], company())


@pytest.mark.thorough
@settings(max_examples=examples(300), suppress_health_check=list(HealthCheck))
@given(st.data())
def test_below_major_data_reads_both_ways(data: st.DataObject) -> None:
    old = data.draw(schemas())
    new = data.draw(changed(old))
    level = compare([old], new).level
    event(level.value)
    assume(level is not Level.MAJOR)

    for writer, reader in ((old, new), (new, old)):
        value = data.draw(values(writer))
        written = io.BytesIO()
        fastavro.schemaless_writer(written, bare(to_json(writer)), value)
        written.seek(0)
        try:
            fastavro.schemaless_reader(written, bare(to_json(writer)), bare(to_json(reader)))
        except UnicodeDecodeError:
            # Of a union's string and bytes it takes the first, where Java's takes bytes for bytes.
            reject()
        assert not written.read()


@pytest.mark.thorough
@settings(max_examples=examples(200), suppress_health_check=list(HealthCheck))
@given(st.data())
def test_a_schema_does_not_differ_from_itself_and_changes_are_described(
    data: st.DataObject,
) -> None:
    old = data.draw(schemas())
    new = data.draw(changed(old))

    assert compare([old], old).level is Level.NONE
    change = compare([old], new)
    assert (change.level is Level.NONE) == (to_json(old) == to_json(new))
    assert bool(change.reasons) == (change.level is not Level.NONE)


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [
        (field("a", "int"), field("a", "long"), ["field `a` changed from int to long"]),
        (field("a", "int"), field("a", ["null", "int"]), ["field `a` became optional"]),
        (field("a", ["null", "int"]), field("a", "int"), ["field `a` became required"]),
        (
            field("a", ["null", "int"]),
            field("a", ["null", "long"]),
            ["field `a` changed from int to long"],
        ),
        (
            field("a", "int"),
            field("a", ["null", "string"]),
            ["field `a` changed from int to string", "field `a` became optional"],
        ),
        (
            field("a", ["int", "string"]),
            field("a", ["int", "string", "boolean"]),
            ["field `a`: branch boolean added"],
        ),
        (field("a", "int"), field("a", ["int"]), ["field `a` changed from int to union of int"]),
        (
            field("a", {"type": "array", "items": "int"}),
            field("a", {"type": "array", "items": ["null", "int"]}),
            ["field `a[]` became optional"],
        ),
        (
            field("a", {"type": "map", "values": enum("A", default="A")}),
            field("a", {"type": "map", "values": enum("A", "B", default="A")}),
            ["enum `x.E`: symbol B added; older readers read A"],
        ),
        (
            field("a", ["null", enum("A", default="A")]),
            field("a", ["null", {**enum("A", "B", default="A"), "name": "F"}]),
            [
                "field `a`: enum `x.E` renamed to `x.F`",
                "enum `x.F`: symbol B added; older readers read A",
            ],
        ),
        (
            field("a", {"type": "record", "name": "R", "fields": [field("b")]}),
            field("a", {"type": "record", "name": "S", "fields": [field("c", default=1)]}),
            [
                "field `a`: record `x.R` renamed to `x.S`",
                "field `a.b` removed",
                "field `a.c` added: int, default 1",
            ],
        ),
    ],
)
def test_a_change_is_described_in_words(old: Any, new: Any, lines: list[str]) -> None:
    assert list(compare([company(old)], company(new)).reasons) == lines


def every_kind_of_type() -> list[Any]:
    named = [
        enum("A"),
        {**enum("A"), "name": "F"},
        {"type": "fixed", "name": "G", "size": 2},
        {"type": "fixed", "name": "H", "size": 3},
        {"type": "record", "name": "R", "fields": []},
        {"type": "record", "name": "S", "fields": [field("z")]},
    ]
    plain = ["null", "boolean", "int", "long", "float", "double", "bytes", "string"]
    dated = {"type": "int", "logicalType": "date"}
    return [
        *plain,
        *named,
        dated,
        {"type": "array", "items": "int"},
        {"type": "array", "items": ["null", "int"]},
        {"type": "map", "values": "int"},
        ["int"],
        *(["null", other] for other in (*plain[1:], *named, dated)),
        ["int", "null"],
        ["null", "int", "string"],
        ["null", "long", "string"],
        ["int", "string"],
        ["string", "int"],
    ]


def test_any_change_of_type_is_described_and_only_an_order_is_below_major() -> None:
    kinds = every_kind_of_type()
    schemas_ = [company(field("a", kind)) for kind in kinds]

    for (old, before), (new, after) in product(zip(kinds, schemas_, strict=True), repeat=2):
        change = compare([before], after)
        reordered = (
            isinstance(old, list)
            and isinstance(new, list)
            and sorted(map(str, old)) == sorted(map(str, new))
        )
        expected = Level.NONE if old == new else Level.MINOR if reordered else Level.MAJOR
        assert (change.level, bool(change.reasons)) == (expected, old != new), (old, new)


class CountedText(str):
    """Text that counts how often it is compared: what a search through a list costs."""

    __slots__ = ()
    comparisons = 0

    def __eq__(self, other: object) -> bool:
        CountedText.comparisons += 1
        return str.__eq__(self, other) is True

    def __hash__(self) -> int:
        return str.__hash__(self)


def _counted(prefix: str, count: int) -> tuple[str, ...]:
    return tuple(CountedText(f"{prefix}{index}") for index in range(count))


def _enum_of(prefix: str, count: int) -> Record:
    return _record(Field("e", EnumSchema("E", "", _counted(prefix, count))))


def _fields_of(prefix: str, count: int) -> Record:
    return _record(*(Field(name, INT, aliases=("z",)) for name in _counted(prefix, count)))


def _aliases_of(prefix: str, count: int) -> Record:
    return _record(Field("a", INT, aliases=_counted(prefix, count)))


def _type_aliases_of(prefix: str, count: int) -> Record:
    fixed = Fixed("F", "", 1, aliases=_counted(prefix, count))
    return replace(_record(Field("f", fixed)), aliases=_counted(prefix, count))


def _branches_of(prefix: str, count: int) -> Record:
    return _record(Field("u", Union(tuple(Fixed(n, "", 1) for n in _counted(prefix, count)))))


def _record(*fields: Field) -> Record:
    return Record("R", "", fields)


@pytest.mark.parametrize("after", ["old", "new"])
@pytest.mark.parametrize(
    "schema_of", [_enum_of, _fields_of, _aliases_of, _type_aliases_of, _branches_of]
)
def test_the_comparisons_of_two_schemas_are_linear_in_their_size(
    schema_of: Callable[[str, int], Record], after: str
) -> None:
    size = 2_000
    old, new = schema_of("old", size), schema_of(after, size)
    CountedText.comparisons = 0

    compare([old], new)

    assert CountedText.comparisons < 20 * size


def test_a_reason_does_not_repeat_a_long_name() -> None:
    name = "n" * 100_000
    old, new = (
        _record(Field(name, Record(name, "", tuple(Field(f"{p}{i}", INT) for i in range(100)))))
        for p in "ab"
    )

    change = compare([old], new)

    assert max(map(len, change.reasons)) < 1_000
