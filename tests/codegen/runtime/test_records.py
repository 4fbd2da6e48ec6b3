"""Operations on records other than reading and writing."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.codegen.generated import imported, record, schemas_and_values
from tests.codegen.test_classes import NAMES
from tests.effort import examples

PROTOCOLS = range(2, pickle.HIGHEST_PROTOCOL + 1)

LINE = record({"price": "double", "tags": {"type": {"type": "map", "values": "string"}}}, "Line")
ORDER = record({
    "id": "long",
    "lines": {"type": {"type": "array", "items": LINE}},
    "address": {"type": record({"street": {"type": ["null", "string"], "default": None}},
                               "Address")},
    "kind": {"type": {"type": "enum", "name": "Kind", "symbols": ["A", "class", "mro"]}},
    "four": {"type": {"type": "fixed", "name": "Four", "size": 4}},
    "span": {"type": {"type": "fixed", "name": "Span", "size": 12, "logicalType": "duration"}},
    "next": {"type": ["null", "Order"], "default": None},
}, "Order")  # fmt: skip


def order(package: Any, **changes: Any) -> Any:
    given = {
        "id": 1,
        "lines": [
            package.Line(price=1.5, tags={"k": "v"}),
            package.Line(price=2.5, tags={}),
        ],
        "address": package.Address(street="High"),
        "kind": package.Kind.mro_,
        "four": package.Four(b"1234"),
        "span": package.Duration(months=1, days=2, milliseconds=3),
    }
    return package.Order(**given | changes)


@settings(max_examples=examples(40))
@given(schemas_and_values(), st.booleans())
def test_copies_of_every_kind_are_equal(
    drawn: tuple[dict[str, Any], list[Any]], immutable: bool
) -> None:
    schema, values = drawn
    with imported(schema, immutable=immutable) as package:
        for plain in values:
            value = package.RECORD.from_dict(plain)

            copies = [pickle.loads(pickle.dumps(value, protocol)) for protocol in PROTOCOLS]
            copies += [copy.copy(value), copy.deepcopy(value), value.replace()]

            for each in copies:
                assert type(each) is package.RECORD
                assert each is not value
                assert each == value
                assert each.to_avro() == value.to_avro()


@pytest.mark.parametrize("immutable", [False, True])
def test_enums_fixeds_durations_and_recursion_are_copied(immutable: bool) -> None:
    with imported(ORDER, immutable=immutable) as package:
        value = order(package, next=order(package, id=2))

        for each in [
            *(pickle.loads(pickle.dumps(value, protocol)) for protocol in PROTOCOLS),
            copy.deepcopy(value),
        ]:
            assert each == value
            assert each.kind is value.kind
            assert type(each.four) is package.Four
            assert type(each.span) is package.Duration
            assert each.next is not value.next
            assert each.lines[0] is not value.lines[0]
        assert copy.copy(value).lines is value.lines


@pytest.mark.parametrize("immutable", [False, True])
def test_replace_changes_a_copy(immutable: bool) -> None:
    with imported(ORDER, immutable=immutable) as package:
        value = order(package, next=order(package))

        changed = value.replace(id=9, next=None)

        assert changed == order(package, id=9)
        assert value == order(package, next=order(package))
        with pytest.raises(TypeError):
            value.replace(nothing=1)
        with pytest.raises(TypeError):
            value.replace(2)


@pytest.mark.parametrize("immutable", [False, True])
def test_fields_of_any_name_can_be_replaced(immutable: bool) -> None:
    names = [*NAMES, "replace", "locals", "__locals__", "__records__", "__changed__", "_builtins"]
    schema = record({name: {"type": ["null", "string"], "default": None} for name in names})
    with imported(schema, immutable=immutable) as package:
        attributes = package.RECORD.__slots__
        everything = {name: name for name in attributes}

        changed = package.RECORD().replace(**everything)

        assert {name: getattr(changed, name) for name in attributes} == everything
        assert package.RECORD().replace_ is None


@pytest.mark.parametrize("immutable", [False, True])
def test_differences_are_told_by_path_in_order(immutable: bool) -> None:
    with imported(ORDER, immutable=immutable) as package:
        left = order(package)
        right = order(
            package,
            id=2,
            lines=[
                package.Line(price=1.5, tags={"k": "w", "l": ""}),
                package.Line(price=3.5, tags={}),
                package.Line(price=0.0, tags={}),
            ],
            address=package.Address(),
            next=left,
        )

        assert package.diff(left, right) == [
            ("id", 1, 2),
            ("lines[0].tags['k']", "v", "w"),
            ("lines[0].tags['l']", package.ABSENT, ""),
            ("lines[1].price", 2.5, 3.5),
            ("lines[2]", package.ABSENT, right.lines[2]),
            ("address.street", "High", None),
            ("next", None, left),
        ]
        assert package.diff(left, left.address) == [("", left, left.address)]
        assert package.diff(left, copy.deepcopy(left)) == []


def test_what_is_absent_stays_so_when_it_is_copied() -> None:
    with imported(ORDER) as package:
        assert repr(package.ABSENT) == "<absent>"
        assert copy.deepcopy(package.ABSENT) is package.ABSENT
        assert pickle.loads(pickle.dumps(package.ABSENT)) is package.ABSENT


def test_what_is_no_number_differs_as_equality_says() -> None:
    with imported(ORDER) as package:
        line = package.Line(price=float("nan"), tags={})
        value = order(package, lines=[line])

        assert [path for path, _, _ in package.diff(line, line)] == ["price"]
        assert value == copy.copy(value)
        assert package.diff(value, copy.copy(value)) == []


@settings(max_examples=examples(60))
@given(schemas_and_values(), st.booleans(), st.data())
def test_no_difference_if_and_only_if_equal(
    drawn: tuple[dict[str, Any], list[Any]], immutable: bool, data: st.DataObject
) -> None:
    schema, values = drawn
    with imported(schema, immutable=immutable) as package:
        records = [package.RECORD.from_dict(plain) for plain in values]
        left, right = data.draw(st.sampled_from(records)), data.draw(st.sampled_from(records))

        assert (package.diff(left, right) == []) == (left == right)
        assert package.diff(left, copy.deepcopy(left)) == []
        assert {(path, id(b), id(a)) for path, a, b in package.diff(left, right)} == {
            (path, id(a), id(b)) for path, a, b in package.diff(right, left)
        }
