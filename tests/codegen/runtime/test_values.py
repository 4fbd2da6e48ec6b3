"""A value gets the same answer, however it is written and wherever it occurs.

Each row of the table is a value of a subclass or of another library, and the equal plain value.
It is written in every way: required, optional, in a larger union, an array, a map, a nested record.
"""

from __future__ import annotations

import collections
import contextlib
import datetime as dt
import decimal
import io
import sys
import types
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.codegen.generated import imported, record
from tests.codegen.value_kinds import (
    ACCEPTED,
    BESIDE,
    MOMENT,
    REFUSED,
    TYPES,
    Day,
    Number,
    Price,
    Real,
    Word,
)

_IDS = [f"{type_}-{type(value).__name__}" for type_, value, _ in ACCEPTED]
_PLAIN_CLASSES = {
    bool, int, float, str, bytes, decimal.Decimal, uuid.UUID, dt.date, dt.time, dt.datetime,
    dt.timedelta, list, dict, type(None),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Place:
    """Where a value stands in a record: the field's type, and what the value is put into."""

    name: str
    schema: Callable[[Any], Any]
    around: Callable[[Any], Any] = lambda value: value
    has_column: bool = True

    def __str__(self) -> str:
        return self.name


PLACES = (
    Place("required", lambda t: t),
    Place("optional", lambda t: ["null", t]),
    Place("union", lambda t: ["null", t, BESIDE], has_column=False),
    Place("item", lambda t: {"type": "array", "items": t}, lambda v: [v]),
    Place("value", lambda t: {"type": "map", "values": ["null", t]}, lambda v: {"k": v}),
    Place(
        "nested", lambda t: {"type": "record", "name": "N", "fields": [{"name": "f", "type": t}]}
    ),
)


class Packages:
    """A package for each type and place: a record ``R`` with one field ``f``."""

    def __init__(self, immutable: bool, stack: contextlib.ExitStack) -> None:
        self._immutable = immutable
        self._stack = stack
        self._made: dict[tuple[str, str], ModuleType] = {}

    def of(self, type_: str, place: Place) -> ModuleType:
        key = (type_, place.name)
        if key not in self._made:
            schema = record({"f": {"type": place.schema(TYPES[type_])}})
            package = imported(schema, immutable=self._immutable)
            self._made[key] = self._stack.enter_context(package)
        return self._made[key]


@pytest.fixture(scope="module", params=[False, True], ids=["mutable", "immutable"])
def packages(request: pytest.FixtureRequest) -> Iterator[Packages]:
    with contextlib.ExitStack() as stack:
        yield Packages(request.param, stack)


def record_with(package: ModuleType, place: Place, value: Any) -> Any:
    inner = package.N(f=value) if place.name == "nested" else place.around(value)
    return package.R(f=inner)


def _file(package: ModuleType, made: Any) -> Any:
    target = io.BytesIO()
    package.write_file(target, [made])
    target.seek(0)
    return list(package.read_file(target))


def _lines(package: ModuleType, made: Any) -> Any:
    target = io.BytesIO()
    package.write_jsonl(target, [made])
    return target.getvalue()


Way = Callable[[ModuleType, Any], Any]
WAYS: Mapping[str, Way] = {
    "validate": lambda _, made: made.validate() is made,
    "to_avro": lambda _, made: made.to_avro(),
    "to_single_object": lambda _, made: made.to_single_object(),
    "to_confluent": lambda _, made: made.to_confluent(1),
    "to_dict": lambda _, made: made.to_dict(),
    "to_dict json": lambda _, made: made.to_dict(mode="json"),
    "to_json": lambda _, made: made.to_json(),
    "to_json avro": lambda _, made: made.to_json("avro"),
    "write_file": _file,
    "write_jsonl": _lines,
}
IN_COLUMNS: Mapping[str, Way] = {
    "to_arrow": lambda package, made: package.to_arrow([made]).read_all().to_pylist(),
    "to_rows": lambda package, made: [repr(row) for row in package.to_rows([made])],
}


def ways_to(place: Place) -> Mapping[str, Way]:
    return {**WAYS, **IN_COLUMNS} if place.has_column else WAYS


@pytest.mark.alike("place", keep=2)
@pytest.mark.parametrize("place", PLACES, ids=str)
@pytest.mark.parametrize(("type_", "value", "plain"), ACCEPTED, ids=_IDS)
def test_every_way_accepts_a_value_as_the_plain_one(
    packages: Packages, place: Place, type_: str, value: Any, plain: Any
) -> None:
    package = packages.of(type_, place)
    made, expected = record_with(package, place, value), record_with(package, place, plain)

    for name, way in ways_to(place).items():
        assert way(package, made) == way(package, expected), name
    assert package.R(f=made.f, strict=True).to_avro() == expected.to_avro()
    assert package.R.from_avro(made.to_avro()) == package.R.from_avro(expected.to_avro())


@pytest.mark.alike("place", keep=2)
@pytest.mark.parametrize("place", PLACES, ids=str)
@pytest.mark.parametrize(("type_", "value", "plain"), ACCEPTED, ids=_IDS)
def test_plain_results_hold_plain_classes(
    packages: Packages, place: Place, type_: str, value: Any, plain: Any
) -> None:
    package = packages.of(type_, place)
    made = record_with(package, place, value)
    around = {"f": value} if place.name == "nested" else place.around(value)

    for found in (
        made.to_dict(),
        made.to_dict(mode="json"),
        package.R.from_dict({"f": around}).to_dict(),
        package.R.from_dict({"f": made.f}).to_dict(),
    ):
        assert classes_in(found) <= _PLAIN_CLASSES
    assert package.R.from_dict({"f": around}).to_avro() == made.to_avro()


@pytest.mark.alike("place", keep=2)
@pytest.mark.parametrize("place", PLACES, ids=str)
@pytest.mark.parametrize(("type_", "value", "plain"), ACCEPTED, ids=_IDS)
def test_a_record_of_plain_values_holds_plain_classes(
    packages: Packages, place: Place, type_: str, value: Any, plain: Any
) -> None:
    package = packages.of(type_, place)
    given = {"f": value} if place.name == "nested" else place.around(value)

    held = package.R.from_dict({"f": given}).f

    of_package = {
        getattr(package, "Four", bytes),
        sys.modules[f"{package.__name__}._avro"].FrozenMap,
    }
    inner = held.f if place.name == "nested" else held
    assert classes_in(inner) <= _PLAIN_CLASSES | of_package | {tuple}


def classes_in(value: Any) -> set[type]:
    match value:
        case dict():
            parts = [*value, *value.values()]
        case list() | tuple():
            parts = list(value)
        case _:
            parts = []
    return {type(value)}.union(*map(classes_in, parts))


_PATHS = {"item": "f[0]", "value": "f['k']", "nested": "f.f"}


@pytest.mark.alike("place", keep=2)
@pytest.mark.parametrize("place", PLACES, ids=str)
@pytest.mark.parametrize(
    ("type_", "value"), REFUSED, ids=[f"{type_}-{type(value).__name__}" for type_, value in REFUSED]
)
def test_every_way_refuses_a_value_with_the_same_path_and_reason(
    packages: Packages, place: Place, type_: str, value: Any
) -> None:
    package = packages.of(type_, place)
    made = record_with(package, place, value)

    said = {name: refusal(package, way, made) for name, way in ways_to(place).items()}
    said["strict"] = refusal(package, lambda p, m: p.R(f=m.f, strict=True), made)

    reasons = {text.partition("f")[2] for text in said.values()}
    assert len(reasons) == 1, said
    assert said["validate"].startswith(_PATHS.get(place.name, "f"))


def refusal(package: ModuleType, way: Way, made: Any) -> str:
    with pytest.raises(package.InvalidValue) as caught:
        way(package, made)
    return str(caught.value)


_OPEN: tuple[tuple[list[Any], Any, Any], ...] = (
    (["string", "long"], Word.ONE, "one"),
    (["string", "long"], Number.SEVEN, 7),
    (["long", "double"], np.int32(7), 7),
    (["long", "double"], np.float32(1.5), 1.5),
    (["int", "double"], np.float64(7.0), 7.0),
    (["int", "long"], np.int64(2**31), 2**31),
    (["double", "string"], np.int32(7), 7.0),
    (["boolean", "long"], np.bool_(True), True),
    (["float", "double"], np.float64(0.1), 0.1),
    (["bytes", TYPES["fixed"]], bytearray(b"abcd"), b"abcd"),
    (["string", TYPES["fixed"]], bytearray(b"abcd"), b"abcd"),
    ([TYPES["date"], TYPES["timestamp-micros"]], pd.Timestamp(MOMENT), MOMENT),
    ([TYPES["date"], TYPES["timestamp-micros"]], Day(2024, 5, 6), dt.date(2024, 5, 6)),
    ([TYPES["longs"], TYPES["map"]], collections.Counter(a=1), {"a": 1}),
    ([TYPES["longs"], TYPES["map"]], np.array([1]), [1]),
    ([TYPES["decimal"], "double"], Price("1.5"), decimal.Decimal("1.5")),
    ([TYPES["decimal"], "double"], Real(1.5), 1.5),
)


@pytest.mark.parametrize("immutable", [False, True])
@pytest.mark.parametrize(
    ("branches", "value", "plain"), _OPEN, ids=[f"{type(row[1]).__name__}" for row in _OPEN]
)
def test_a_value_has_the_branch_of_its_plain_class(
    branches: list[Any], value: Any, plain: Any, immutable: bool
) -> None:
    with imported(record({"f": {"type": ["null", *branches]}}), immutable=immutable) as package:
        made, expected = package.R(f=value), package.R(f=plain)

        for name, way in WAYS.items():
            assert way(package, made) == way(package, expected), name
        assert package.R.from_dict({"f": value}).to_avro() == expected.to_avro()


def test_the_class_of_the_package_comes_before_the_plain_class() -> None:
    """A symbol's class may be text, and a fixed is bytes."""
    fixed, enum_ = TYPES["fixed"], {"type": "enum", "name": "E", "symbols": ["one"]}
    schema = record({"f": {"type": ["bytes", "string", fixed, enum_]}})
    with imported(schema) as package:
        assert package.R(f=package.Four(b"abcd")).to_avro() == b"\x04abcd"
        assert package.R(f=b"abcd").to_avro() == b"\x00\x08abcd"
        assert package.R(f=package.E.one).to_avro() == b"\x06\x00"
        assert package.R(f="one").to_avro() == b"\x02\x06one"


def test_a_subclass_of_a_record_is_written_as_the_record() -> None:
    inner = {"type": "record", "name": "N", "fields": [{"name": "f", "type": "long"}]}
    schema = record(
        {"f": {"type": ["null", inner, "string"]}, "l": {"type": "array", "items": "N"}}
    )
    with imported(schema) as package:
        subclass: Any = type("Mine", (package.N,), {})

        made = package.R(f=subclass(f=1), l=[subclass(f=2)])

        plain = package.R(f=package.N(f=1), l=[package.N(f=2)])
        for name, way in WAYS.items():
            assert way(package, made) == way(package, plain), name


@pytest.mark.parametrize("immutable", [False, True])
def test_all_faults_of_a_record_are_reported_with_their_paths(immutable: bool) -> None:
    inner = {"type": "record", "name": "N", "fields": [{"name": "g", "type": "long"}]}
    schema = record({
        "a": "int",
        "b": {"type": "array", "items": inner},
        "c": {"type": "map", "values": ["null", "string"]},
        "d": {"type": ["null", "long", "string"]},
        "e": {"type": TYPES["timestamp-micros"]},
        "ok": "string",
    })  # fmt: skip
    with imported(schema, immutable=immutable) as package:
        given = {
            "a": "x",
            "b": [package.N(g=1), package.N(g="x"), None],
            "c": {"k": 1, "l": "fine"},
            "d": 1.5,
            "e": pd.NaT,
            "ok": "fine",
        }
        expected = ["a", "b[1].g", "b[2]", "c['k']", "d", "e"]

        made = package.R(**given)
        calls: list[Callable[[], Any]] = [
            lambda: package.R(**given, strict=True),
            made.validate,
            made.to_avro,
            made.to_dict,
            made.to_json,
            lambda: made.to_json("avro"),
            lambda: package.R.from_dict(given),
        ]
        for call in calls:
            with pytest.raises(package.InvalidValues) as caught:
                call()
            assert [fault.path for fault in caught.value.faults] == expected
            assert (caught.value.path, str(caught.value).count("\n")) == ("a", 6)
        for write in (package.write_file, package.write_jsonl):
            with pytest.raises(package.InvalidValues) as caught:
                write(io.BytesIO(), [package.R(**given)])
            assert [fault.path.rpartition(": ")[2] for fault in caught.value.faults] == expected


def test_attributes_that_are_not_set_are_all_reported() -> None:
    with imported(record({"a": "int", "b": "int", "c": "int"})) as package:
        made = package.R(a=1, b=2, c=3)
        del made.a, made.c

        with pytest.raises(package.InvalidValues) as caught:
            made.validate()

        assert [str(fault) for fault in caught.value.faults] == ["a: is not set", "c: is not set"]


def test_one_fault_is_no_list_of_faults() -> None:
    with imported(record({"a": "int", "b": "int"})) as package:
        with pytest.raises(package.InvalidValue) as caught:
            package.R(a=1, b="x").validate()

        assert type(caught.value) is package.InvalidValue
        assert str(caught.value) == "b: expected int, got 'x'"


def test_what_contains_itself_is_refused_in_every_way() -> None:
    schema = record({"f": {"type": ["null", {"type": "array", "items": "R"}]}})
    with imported(schema) as package:
        made = package.R(f=[])
        made.f.append(made)

        for name, way in WAYS.items():
            with pytest.raises(package.InvalidValue, match="contains itself"):
                way(package, made)
            assert name


@pytest.mark.parametrize("immutable", [False, True])
def test_records_hash_where_their_lists_and_maps_were_of_other_classes(immutable: bool) -> None:
    schema = record({"f": {"type": TYPES["matrix"]}, "m": {"type": TYPES["map"]}})
    with imported(schema, immutable=immutable) as package:
        made = package.R(f=np.array([[1, 2]]), m=types.MappingProxyType({"a": 1}))

        assert made.to_avro() == package.R(f=[[1, 2]], m={"a": 1}).to_avro()
        if immutable:
            assert made == package.R(f=((1, 2),), m={"a": 1})
            assert hash(made) == hash(package.R(f=((1, 2),), m={"a": 1}))
