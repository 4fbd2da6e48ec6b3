"""Numbers as bytes, compared with a few lines that follow the Avro specification."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from codegen.runtime import varints
from codegen.runtime.errors import InvalidAvro, InvalidValue
from tests.codegen import random_bytes

_INTS = st.integers(-(2**31), 2**31 - 1)
_LONGS = st.integers(0, 63).flatmap(lambda bits: st.integers(-(2**bits), 2**bits - 1))
_EDGES = [sign * 2**bits + off for bits in range(63) for sign in (1, -1) for off in (-1, 0, 1)]


def _written(number: int) -> bytes:
    out = bytearray()
    random_bytes.put_long(number, out)
    return bytes(out)


@given(_LONGS)
@example(2**63 - 1)
@example(-(2**63))
def test_longs_are_written_as_zigzag_varints(number: int) -> None:
    out = bytearray(b"before")

    varints.put_long(out, number)

    assert out == b"before" + _written(number)


@given(_INTS)
@example(2**31 - 1)
@example(-(2**31))
def test_ints_are_written_as_longs_are(number: int) -> None:
    out = bytearray()

    varints.put_int(out, number)

    assert out == _written(number)


def test_numbers_at_the_edges_of_each_length_are_written_and_read() -> None:
    for number in _EDGES:
        out = bytearray()
        varints.put_long(out, number)

        assert bytes(out) == _written(number)
        if len(out) > 1:
            assert varints.long_after(bytes(out), 1, out[0]) == (number, len(out))


@given(_LONGS.filter(lambda number: not -64 <= number < 64), st.data())
def test_a_number_cut_short_is_noticed(number: int, draw: st.DataObject) -> None:
    data = _written(number)
    cut = data[: draw.draw(st.integers(1, len(data) - 1))]

    with pytest.raises(IndexError):
        varints.long_after(cut, 1, cut[0])


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1, 2**70, -(2**90)])
def test_numbers_past_64_bits_are_refused(number: int) -> None:
    with pytest.raises(InvalidValue, match="64 bits"):
        varints.put_long(bytearray(), number)


@pytest.mark.parametrize("number", [2**31, -(2**31) - 1, 2**63, -(2**90)])
def test_ints_past_32_bits_are_refused(number: int) -> None:
    with pytest.raises(InvalidValue, match="32 bits"):
        varints.put_int(bytearray(), number)


@pytest.mark.parametrize("number", [2**27, -(2**27) - 1, 2**31 - 1, -(2**31)])
def test_zigzag_numbers_of_more_than_four_bytes_are_written(number: int) -> None:
    raw = number + number if number >= 0 else ~(number + number)
    as_int, as_long = bytearray(), bytearray()

    varints.put_raw_int(as_int, raw)
    varints.put_raw_long(as_long, raw)

    assert as_int == as_long == _written(number)


def test_zigzag_numbers_past_32_bits_are_refused_as_ints() -> None:
    with pytest.raises(InvalidValue, match="32 bits"):
        varints.put_raw_int(bytearray(), 2**32)


@pytest.mark.parametrize("end", [b"\x02", b"\x7f", b"\x80\x00", b"\xff\x01"])
def test_bytes_of_numbers_past_64_bits_are_refused(end: bytes) -> None:
    data = b"\xff" * 9 + end

    with pytest.raises(InvalidAvro):
        varints.long_after(data, 1, data[0])


@pytest.mark.parametrize("number", [2**31, -(2**31) - 1, 2**63 - 1])
def test_bytes_of_ints_past_32_bits_are_refused(number: int) -> None:
    data = _written(number)

    with pytest.raises(InvalidAvro, match="32 bits"):
        varints.long_after(data, 1, data[0], varints.more_int)


@given(st.integers(0, 2**40))
def test_lengths_come_back_however_long_they_are(length: int) -> None:
    data = _written(length)
    inline = varints.size_of[data[0]]

    assert (
        (inline, 1) == (length, 1) if inline >= 0 else varints.size(data, 1) == (length, len(data))
    )


@given(st.integers(-(2**40), -1))
def test_negative_lengths_are_refused(length: int) -> None:
    data = _written(length)

    assert varints.size_of[data[0]] < 0
    with pytest.raises(InvalidAvro, match="negative"):
        varints.size(data, 1)


@pytest.mark.parametrize("data", [b"\x80\x00", b"\x84\x00", b"\x84\x80\x80\x00"])
def test_a_length_of_more_bytes_than_it_needs_is_one(data: bytes) -> None:
    assert varints.size(data, 1) == ((data[0] & 127) >> 1, len(data))


@given(st.integers(0, 2**40))
def test_a_block_has_as_many_iterations_as_items(count: int) -> None:
    data = _written(count)
    found = varints.iterations_of[data[0]]

    if found is varints.more_iterations:
        assert varints.iterations(data, 1) == (range(count), len(data))
    else:
        assert len(found) == count


def test_a_block_may_tell_its_size() -> None:
    data = _written(-3) + _written(2) + b"ab"

    assert varints.iterations_of[data[0]] is varints.more_iterations
    assert varints.iterations(data, 1) == (range(3), 2)


def test_a_block_longer_than_its_input_is_refused() -> None:
    with pytest.raises(InvalidAvro, match="longer than its input"):
        varints.iterations(_written(-3) + _written(3) + b"ab", 1)
