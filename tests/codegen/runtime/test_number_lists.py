"""Lists of numbers, coded many at a time, compared with numbers coded one at a time."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from codegen.modules import render_modules
from codegen.runtime import number_lists
from codegen.runtime.errors import InvalidAvro, InvalidValue
from tests.codegen import random_bytes
from tests.codegen.generated import imported, record, record_of

_EDGES = [sign * 2**bits + off for bits in range(63) for sign in (1, -1) for off in (-1, 0, 1)]
_OF_ONE_LENGTH = st.integers(0, 63).flatmap(
    lambda bits: st.lists(st.integers(-(2**bits), 2**bits - 1), max_size=150)
)
_OF_MANY_LENGTHS = st.lists(
    st.integers(0, 63).flatmap(lambda bits: st.integers(-(2**bits), 2**bits - 1)), max_size=150
)
_LISTS = st.one_of(_OF_ONE_LENGTH, _OF_MANY_LENGTHS)


def _written(numbers: Sequence[int]) -> bytes:
    out = bytearray()
    for number in numbers:
        random_bytes.put_long(number, out)
    return bytes(out)


@given(_LISTS, st.binary(max_size=80))
@example(_EDGES, b"")
@example([-(2**55)] * 70, b"\xff" * 80)
@example([2**55 - 1] * 64 + [2**55], b"")
@example([2**40, -1, -2, 0, 0, -(2**54), 0] * 20, b"\0\0")
@example([2**60, -1, -2, 0, 0, -(2**63), 0] * 20, b"")
@example([*range(100), *range(-100, 0)], b"\0")
@example([5] * 20 + [2**31] * 20 + [5] * 30, b"")
def test_longs_are_written_and_read_as_one_after_the_other(
    numbers: list[int], behind: bytes
) -> None:
    data = _written(numbers)
    out = bytearray(b"before")

    number_lists.put_longs(out, numbers)

    assert out == b"before" + data
    found = number_lists.longs(b"before" + data + behind, 6, len(numbers))
    assert (list(found[0]), found[1]) == (numbers, len(data) + 6)


@given(st.lists(st.integers(-(2**31), 2**31 - 1), max_size=150))
@example([2**31 - 1, -(2**31)] * 20)
def test_ints_are_written_and_read_as_one_after_the_other(numbers: list[int]) -> None:
    out = bytearray()

    number_lists.put_ints(out, numbers)

    assert out == _written(numbers)
    assert number_lists.ints(bytes(out), 0, len(numbers)) == (numbers, len(out))


@given(st.lists(st.sampled_from([b"\x80", b"\xff", b"\x00", b"\x01"]), max_size=200))
@example([b"\x80"] * 9 + [b"\x00"] + [b"\x01"] * 60)
@example([*[b"\x80"] * 7, b"\x01"] * 20 + [b"\x80"] * 8 + [b"\x01"] * 200)
def test_any_bytes_are_read_as_one_number_after_the_other(pieces: list[bytes]) -> None:
    data = b"".join(pieces)
    for count in (16, 17, 64, 65):
        assert _outcome(number_lists.longs, data, count) == _outcome(_one_by_one, data, count)


@pytest.mark.parametrize("number", [0, 1, 70, 2**20, 2**40, -(2**60)])
def test_a_list_cut_short_is_noticed(number: int) -> None:
    data = _written([200, *[number] * 99])

    for read in (number_lists.longs, *([number_lists.ints] if abs(number) < 2**31 else [])):
        for cut in range(len(data)):
            with pytest.raises(IndexError):
                read(data[:cut], 0, 100)


def _one_by_one(data: bytes, at: int, count: int) -> tuple[list[int], int]:
    numbers: list[int] = []
    for _ in range(count):
        # A list of one number is read by the loop.
        (number,), at = number_lists.longs(data, at, 1)
        numbers.append(number)
    return numbers, at


def _outcome(read: Any, data: bytes, count: int) -> object:
    try:
        return read(data, 0, count)
    except (IndexError, InvalidAvro) as error:
        return type(error)


@pytest.mark.parametrize("count", [1, 20, 70])
@pytest.mark.parametrize("wrong", [2**31, -(2**31) - 1, True, 1.0, "1", None])
def test_what_is_not_an_int_is_refused_wherever_it_stands(count: int, wrong: object) -> None:
    for place in (0, count // 2, count):
        numbers: list[Any] = [2**30] * count
        numbers.insert(place, wrong)
        with pytest.raises(InvalidValue):
            number_lists.put_ints(bytearray(), numbers)


@pytest.mark.parametrize("wrong", [2**63, -(2**63) - 1, False, 1.0])
def test_what_is_not_a_long_is_refused(wrong: object) -> None:
    with pytest.raises(InvalidValue):
        number_lists.put_longs(bytearray(), [2**40] * 20 + [wrong])


def test_a_long_of_the_input_that_is_not_an_int_is_refused() -> None:
    data = _written([2**30] * 40 + [2**31])

    with pytest.raises(InvalidAvro):
        number_lists.ints(data, 0, 41)


@pytest.mark.parametrize(("read", "form"), [("doubles", "<3d"), ("floats", "<3f")])
def test_fractions_end_with_the_input(read: str, form: str) -> None:
    data = b"\0" + struct.pack(form, 0.5, -2.0, float("inf"))

    found, at = getattr(number_lists, read)(data, 1, 3)

    assert (list(found), at) == ([0.5, -2.0, float("inf")], len(data))
    for count in (4, 2**40, 2**62):
        with pytest.raises(InvalidAvro):
            getattr(number_lists, read)(data, 1, count)


@pytest.mark.parametrize("kind", ["int", "long", "float", "double"])
@pytest.mark.parametrize("immutable", [False, True])
def test_arrays_of_all_lengths_round_trip_through_a_package(kind: str, immutable: bool) -> None:
    document = record({"values": {"type": "array", "items": kind}})
    with imported(document, immutable=immutable) as package:
        for count in (0, 1, 3, 4, 5, 7, 8, 15, 16, 63, 64, 65, 200):
            for scale in (1, 90, 2**23):
                numbers = [number * scale for number in range(1, count + 1)]
                written = package.R(values=numbers)
                assert list(package.R.from_avro(written.to_avro()).values) == numbers


@pytest.mark.parametrize("kind", ["int", "long", "float", "double"])
def test_an_error_names_the_wrong_item_of_a_long_array(kind: str) -> None:
    document = record({"values": {"type": "array", "items": kind}})
    with imported(document) as package:
        value = package.R(values=[1] * 30 + ["x"] + [2] * 30)

        with pytest.raises(package.InvalidValue, match=r"values\[30\]"):
            value.to_avro()


def test_a_package_without_arrays_of_numbers_lacks_the_module_for_them() -> None:
    with_some = record(
        {"values": ["null", {"type": "map", "values": {"type": "array", "items": "long"}}]}
    )
    without = record({"values": {"type": "array", "items": "string"}, "n": "long"})

    assert "p/_avro/number_lists.py" in render_modules(record_of(with_some), "p")
    assert "p/_avro/number_lists.py" not in render_modules(record_of(without), "p")
