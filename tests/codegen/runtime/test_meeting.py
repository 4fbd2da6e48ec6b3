"""The same named type in two packages: equal, assignable, and converted by ``of``."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pyarrow as pa
import pytest

from lakeschema.avro.parsing import parse_schema
from tests.codegen.generated import imported, record
from tests.codegen.runtime.test_records import ORDER, order

HOLDER = record({
    "order": {"type": ORDER},
    "orders": {"type": {"type": "array", "items": "Order"}},
    "kinds": {"type": {"type": "map", "values": "Kind"}},
    "any": {"type": ["null", "Line", "Order", "Kind", "string"], "default": None},
    "four": {"type": ["null", "Four"], "default": None},
}, "Holder")  # fmt: skip
FLAT = record({"kind": {"type": {"type": "enum", "name": "Kind", "symbols": ["A", "class", "mro"]}},
               "place": {"type": record({"street": {"type": ["null", "string"], "default": None}},
                                        "Address")}}, "Flat")  # fmt: skip
FORMS = [(False, False), (False, True), (True, False), (True, True)]


@pytest.fixture(params=FORMS, ids=str)
def packages(request: pytest.FixtureRequest) -> Iterator[tuple[ModuleType, ModuleType]]:
    """That of a table, and that of a view which reads it."""
    immutable, is_view_immutable = request.param
    with (
        imported(ORDER, immutable=immutable) as table,
        imported(HOLDER, immutable=is_view_immutable) as view,
    ):
        yield table, view


def test_values_of_one_type_are_equal(packages: tuple[Any, Any]) -> None:
    table, view = packages

    assert order(table) == order(view)
    assert order(view) == order(table)
    assert order(table) != order(view, id=2)
    assert table.Kind.A == view.Kind.A != table.Kind.mro_
    assert {table.Kind.A: 1}[view.Kind.A] == 1
    assert table.Four(b"1234") == view.Four(b"1234")
    assert order(table).span == order(view).span
    if table.Order.__hash__ and view.Order.__hash__:
        assert len({order(table), order(view)}) == 1


def test_of_makes_a_value_of_its_own_class(packages: tuple[Any, Any]) -> None:
    table, view = packages
    given = order(table, next=order(table))

    made = view.Order.of(given)

    assert made == order(view, next=order(view))
    assert view.Order.of(made) is made
    parts = (made, made.next, made.lines[0], made.address, made.kind, made.four, made.span)
    classes = (view.Order, view.Order, view.Line, view.Address, view.Kind, view.Four, view.Duration)
    assert tuple(map(type, parts)) == classes
    assert view.Kind.of(table.Kind.mro_) is view.Kind.mro_
    assert view.Kind.of(view.Kind.A) is view.Kind.A
    assert type(view.Four.of(table.Four(b"1234"))) is view.Four


def test_a_record_with_values_of_another_package_is_written_as_its_own(
    packages: tuple[Any, Any],
) -> None:
    table, view = packages
    mixed, own = (
        view.Holder(
            order=order(each),
            orders=[order(each), order(view)],
            kinds={"k": each.Kind.A},
            any=each.Line(price=1.5, tags={}),
            four=each.Four(b"1234"),
        )
        for each in (table, view)
    )
    file, lines = io.BytesIO(), io.BytesIO()

    view.write_file(file, [mixed.validate()])
    view.write_jsonl(lines, [mixed])

    assert mixed == own
    assert mixed.to_avro() == own.to_avro()
    assert mixed.to_dict() == own.to_dict()
    assert mixed.to_dict(mode="json") == own.to_dict(mode="json")
    for form in ("plain", "avro"):
        assert mixed.to_json(form=form) == own.to_json(form=form)
    for stream in (file, lines):
        stream.seek(0)
    assert list(view.read_file(file)) == list(view.read_jsonl(lines)) == [own]
    assert view.Holder.from_dict({"order": order(table), "orders": [], "kinds": {},
                                  "any": table.Kind.A}).any is view.Kind.A  # fmt: skip


@pytest.mark.parametrize(("immutable", "is_other_immutable"), FORMS)
def test_columns_are_made_of_values_of_another_package(
    *, immutable: bool, is_other_immutable: bool
) -> None:
    with (
        imported(FLAT, immutable=immutable) as own,
        imported(FLAT, immutable=is_other_immutable) as p,
    ):
        made = p.Flat(kind=p.Kind.A, place=p.Address(street="High"))
        given = [made, own.Flat(kind=p.Kind.A, place=p.Address())]

        table: pa.Table = own.to_arrow(given).read_all()

        assert table.to_pylist() == [
            {"kind": "A", "place": {"street": "High"}},
            {"kind": "A", "place": {"street": None}},
        ]


def test_what_is_of_another_type_is_refused_with_both_names(packages: tuple[Any, Any]) -> None:
    table, view = packages

    for value in (table.Line(price=1.5, tags={}), table.Kind.A, table.Four(b"1234")):
        with pytest.raises(view.InvalidValue) as caught:
            view.Order.of(value)
        assert f"{view.__name__}.Order" in str(caught.value)
        assert f"{table.__name__}.{type(value).__name__}" in str(caught.value)
    for wrong in (None, 5, "A", {"id": 1}, object()):
        with pytest.raises(view.InvalidValue, match=r"expected .*\.Kind, got"):
            view.Kind.of(wrong)


@pytest.mark.parametrize(
    "other",
    [
        {"type": "long", "logicalType": "timestamp-millis"},
        {"type": "long", "logicalType": "timestamp-nanos"},
        {"type": "long", "logicalType": "local-timestamp-micros"},
        "long",
        "string",
    ],
    ids=str,
)
def test_types_of_one_name_and_other_schemas_do_not_meet(other: Any) -> None:
    micros = {"type": "long", "logicalType": "timestamp-micros"}
    with (
        imported(record({"at": {"type": ["null", micros], "default": None}})) as one,
        imported(record({"at": {"type": ["null", other], "default": None}})) as two,
    ):
        assert one.R() != two.R()
        with pytest.raises(one.InvalidValue, match="another schema"):
            one.R.of(two.R())


def test_documentation_defaults_and_aliases_make_no_difference() -> None:
    field = {"name": "x", "type": ["null", "long"]}
    plain = {"type": "record", "name": "R", "namespace": "n", "fields": [field]}
    more = plain | {"doc": "Told.", "aliases": ["Q"],
                    "fields": [field | {"doc": "Told, too.", "default": None}]}  # fmt: skip
    assert parse_schema(json.dumps(more)) != parse_schema(json.dumps(plain))
    with imported(plain) as one, imported(more) as two:
        assert one.R(x=1) == two.R(x=1)
        assert type(one.R.of(two.R())) is one.R


def test_namespaces_make_no_difference_as_in_resolution() -> None:
    tier = {"type": "enum", "name": "com.acme.Tier", "symbols": ["GOLD"]}
    address = {"type": "record", "name": "com.acme.Address", "fields": [
        {"name": "tier", "type": tier}, {"name": "next", "type": ["null", "com.acme.Tier"]}]}  # fmt: skip
    text = json.dumps(record({"home": {"type": address}}, "Customer"))
    table, view = json.loads(text), json.loads(text.replace("com.acme", "mart.gold.gold"))
    with imported(table) as one, imported(view | {"name": "Gold"}) as two:
        mine, theirs = [
            next(getattr(package, name) for name in package.__all__ if name.endswith("Address"))
            for package in (one, two)
        ]
        tiers = [next(getattr(p, n) for n in p.__all__ if n.endswith("Tier")) for p in (one, two)]

        given = theirs(tier=tiers[1].GOLD, next=None)

        assert given == mine(tier=tiers[0].GOLD, next=None)
        assert tiers[0].GOLD == tiers[1].GOLD
        assert one.Customer(home=given, strict=True).to_avro() == b"\0\0"
        assert type(mine.of(given).tier) is tiers[0]


def test_two_types_of_one_package_are_never_the_same() -> None:
    parts = [{"type": "record", "name": f"{space}.Part", "fields": []} for space in ("a", "b")]
    with imported(record({"part": {"type": parts}})) as package:
        one, other = [each for each in package.__all__ if each.endswith("Part")]

        assert getattr(package, one)() != getattr(package, other)()


def test_of_is_the_name_of_no_attribute_and_no_member() -> None:
    kind = {"type": "enum", "name": "Kind", "symbols": ["of", "of_"]}
    with imported(record({"of": {"type": kind}, "of_": "int"})) as package:
        value = package.R(of_=package.Kind.of_, of__=1)

        assert package.R.of(value) is value
        assert package.Kind.of(value.of_) is package.Kind.of_
        assert value.to_dict() == {"of": "of", "of_": 1}


def test_errors_of_one_package_are_caught_as_those_of_another() -> None:
    with imported(record({"f": "int"})) as one, imported(record({"g": "string"})) as two:
        for name in ("AvroError", "InvalidAvro", "InvalidValue", "UnknownSchema",
                     "UnresolvableSchema"):  # fmt: skip
            assert getattr(one, name) is getattr(two, name)
        with pytest.raises(one.InvalidValue) as caught:
            two.R(g=1, strict=True)
        assert (caught.value.path, caught.value.reason) == ("g", "expected str, got 1")
        with pytest.raises(one.InvalidAvro):
            two.R.from_avro(b"\x02")
