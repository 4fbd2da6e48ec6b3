"""Converts lists of numbers to and from bytes, many numbers at a time.

Numbers of several bytes are packed into one integer, each in its own lane of bits. Then a few
operations convert the digits of all lanes at once. That takes between a tenth and half of a loop's
time (measured).
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Sequence
from functools import cache
from operator import countOf
from typing import Any, Final

from . import scalars
from .errors import InvalidAvro
from .varints import (
    More,
    long_after,
    lowest,
    more_int,
    more_long,
    of_byte,
    put_int,
    put_long,
    signed_64,
    to_byte,
)

_STEP: Final = 16
_MOST: Final = 64
"""Numbers taken together are this many at most, and so many or a multiple of ``_STEP``."""

_CONTINUED: Final = bytes(range(128, 256))
# Maps encoded bytes to bytes of two's complement, and back. Other bytes map to an impossible byte.
_SIGNED_BYTE: Final = bytes(number & 255 for number in of_byte).ljust(256)
_BYTE_OF_SIGNED: Final = bytes(to_byte[:64]) + b"\xff" * 128 + bytes(to_byte[64:])


class _Lanes:
    """Numbers that are encoded in up to ``width`` bytes, in lanes of ``width`` bytes.

    ``form`` packs a number of ``bits`` bits into a lane; its encoding uses at most ``used_bits``.
    Reading joins two digits of 7 bits into one digit of 14 bits, and so on: 28, 56 and 64 bits.
    Writing reverses these steps.
    """

    def __init__(self, form: str, bits: int, used_bits: int, width: int) -> None:
        def in_each(lane: int) -> int:
            lane &= (1 << 8 * width) - 1
            return int.from_bytes(lane.to_bytes(width, "little") * _MOST, "little")

        self.form = form
        self.bits = bits
        self.width = width
        self.one = in_each(1)
        self.first_marks = in_each(0x80)
        self.marks = in_each(0x8080_8080_8080_8080_8080)
        self.digits = in_each(0x7F7F_7F7F_7F7F_7F7F_7F7F)
        # Masks of the upper of two digits, while each digit has 8, 16, 32 and 64 bits of room ...
        self.upper_7 = in_each(0x7F00_7F00_7F00_7F00_7F00)
        self.upper_14 = in_each(0x3FFF_0000_3FFF_0000)
        self.upper_28 = in_each(0x0FFF_FFFF << 32)
        self.upper_56 = in_each(0x3FFF << 64)
        # ... and after it was moved next to the lower digit.
        self.next_7 = in_each(0x3F80_3F80_3F80_3F80_3F80)
        self.next_14 = in_each(0x3FFF << 46 | 0x3FFF << 14)
        self.next_28 = in_each(0x0FFF_FFFF << 28)
        self.next_56 = in_each(0xFF << 56)
        self.beyond_byte = in_each(-1 << 7)
        self.beyond_bits = in_each(-1 << used_bits)
        # Masks of marks that are still in their lane after a shift by 1, 2, 4 and 8 bytes.
        self.from_1, self.from_2, self.from_4, self.from_8 = (
            in_each(0x8080_8080_8080_8080_8080 & (1 << 8 * max(width - by, 0)) - 1)
            for by in (1, 2, 4, 8)
        )

    def numbers(self, found: Sequence[bytes]) -> Sequence[int] | None:
        """The numbers that these bytes encode; None if a number is out of range."""
        lanes = _packing(f"{self.width}s", len(found)).pack(*found)
        raw = int.from_bytes(lanes, "little") & self.digits
        # Digits move by ``^``, which takes a third of the time of a sum or a product.
        upper = raw & self.upper_7
        raw ^= upper ^ upper >> 1
        upper = raw & self.upper_14
        raw ^= upper ^ upper >> 2
        upper = raw & self.upper_28
        if upper:
            raw ^= upper ^ upper >> 4
        top = raw & self.upper_56
        if top:
            raw ^= top ^ top >> 8
        if raw & self.beyond_bits:
            return None
        odd = raw & self.one
        raw = (raw ^ odd) >> 1 ^ (odd << self.bits) - odd
        return _packing(self.form, len(found)).unpack(raw.to_bytes(len(lanes), "little"))

    def encoded(self, numbers: Sequence[int]) -> bytes | None:
        """The bytes of these numbers; None if the encoding of a number is too long.

        Raises:
            struct.error: a number has more than ``bits`` bits.
        """
        count = len(numbers)
        padding = (0,) * (-count % _STEP)
        lanes = _packing(self.form, count + len(padding)).pack(*numbers, *padding)
        raw = int.from_bytes(lanes, "little")
        negative = raw >> self.bits - 1 & self.one
        if negative:
            signs = negative << self.bits
            raw = raw << 1 ^ signs ^ signs - negative
        else:
            raw += raw
        size = count * self.width
        if not raw & self.beyond_byte:
            return raw.to_bytes(size, "little")[:: self.width]
        if raw & self.beyond_bits:
            return None
        top = raw & self.next_56
        if top:
            raw ^= top ^ top << 8
        upper = raw & self.next_28
        if upper:
            raw ^= upper ^ upper << 4
        longer = raw & self.next_14
        if longer:
            raw ^= longer ^ longer << 2
        raw += raw & self.next_7
        # Marks each byte that is not zero, and then all bytes below it: another byte follows these.
        used = raw + self.digits & self.marks
        used |= used >> 8 & self.from_1
        if longer or upper or top:
            used |= used >> 16 & self.from_2
            if upper or top:
                used |= used >> 32 & self.from_4
            if top:
                used |= used >> 64 & self.from_8
        spread = (raw | used >> 8 & self.from_1).to_bytes(size, "little")
        if (used & self.first_marks).bit_count() == count:
            return spread.translate(None, b"\0")
        # A lane with only zero bytes is the number 0. Every other lane ends with fewer zero bytes.
        pieces = spread.split(bytes(self.width))
        return b"\0".join([piece.translate(None, b"\0") for piece in pieces])


# Most longs have less than 56 bits and fit into narrower lanes.
_OF_INTS: Final = _Lanes("ix", bits=32, used_bits=32, width=5)
_OF_MOST_LONGS: Final = _Lanes("q", bits=64, used_bits=56, width=8)
_OF_LONGS: Final = _Lanes("q2x", bits=64, used_bits=64, width=10)


@cache
def _packing(form: str, count: int) -> struct.Struct:
    return struct.Struct("<" + form * count)


@cache
def _step(width: int) -> Callable[[bytes, int], re.Match[bytes] | None]:
    """A function that finds ``_STEP`` numbers of at most ``width`` bytes.

    It is compiled at the first use.
    """
    number = rb"([\x80-\xff]{0,%d}+[\x00-\x7f])" % (width - 1)
    return re.compile(number * _STEP).match


def longs(data: bytes, at: int, count: int) -> tuple[list[int], int]:
    """Consecutive numbers, and the position after them."""
    return _numbers(data, at, count, more_long, (_OF_INTS, _OF_MOST_LONGS, _OF_LONGS))


def ints(data: bytes, at: int, count: int) -> tuple[list[int], int]:
    return _numbers(data, at, count, more_int, (_OF_INTS,))


def _numbers(
    data: bytes, at: int, count: int, more: More, lanes: Sequence[_Lanes]
) -> tuple[list[int], int]:
    found = data[at : at + count]
    if found.isascii() and len(found) == count:
        return _of_bytes(found), at + count
    numbers: list[int] = []
    taken: tuple[Sequence[int], int] | None
    while count >= _STEP:
        some = min(count - count % _STEP, _MOST)
        # The numbers of a list mostly have similar lengths, so the first number shows if they are short.
        if data[at] < 128 or data[at + 1] < 128:
            found = data[at : at + some]
            short = found.isascii() and len(found) == some
            taken = (_of_bytes(found), at + some) if short else None
        else:
            taken = _many(data, at, some, lanes)
        if taken is None:
            at = _each(data, at, some, more, numbers)
        else:
            numbers += taken[0]
            at = taken[1]
        count -= some
    return numbers, _each(data, at, count, more, numbers)


def _of_bytes(data: bytes) -> list[int]:
    """The numbers in these bytes, one byte each."""
    return memoryview(data.translate(_SIGNED_BYTE)).cast("b").tolist()


def _each(data: bytes, at: int, count: int, more: More, numbers: list[int]) -> int:
    append = numbers.append
    for _ in range(count):
        first = data[at]
        at += 1
        if first < 128:
            append(of_byte[first])
            continue
        second = data[at]
        if second < 128:
            append(lowest[first] + second * signed_64[first])
            at += 1
        else:
            number, at = long_after(data, at, first, more)
            append(number)
    return at


def _many(
    data: bytes, at: int, count: int, lanes: Sequence[_Lanes]
) -> tuple[Sequence[int], int] | None:
    """``count`` numbers; None if most of them have one or two bytes, or if one is invalid."""
    sample = data[at : at + count]
    ends = len(sample.translate(None, _CONTINUED))
    if 5 * ends > 2 * count:
        return None
    if 9 * ends < 2 * count:
        # The numbers are longer than ints.
        lanes = lanes[1:]
    for each in lanes:
        found = _found(data, at, count, each)
        if found is not None:
            return found
    return None


def _found(data: bytes, at: int, count: int, lanes: _Lanes) -> tuple[Sequence[int], int] | None:
    match = _step(lanes.width)
    pieces: list[bytes] = []
    for _ in range(0, count, _STEP):
        found = match(data, at)
        if found is None:
            return None
        pieces += found.groups()
        at = found.end()
    numbers = lanes.numbers(pieces)
    return None if numbers is None else (numbers, at)


def doubles(data: bytes, at: int, count: int) -> tuple[Sequence[float], int]:
    if count > (len(data) - at) >> 3:
        raise InvalidAvro("unexpected end of input")
    return struct.unpack_from(f"<{count}d", data, at), at + 8 * count


def floats(data: bytes, at: int, count: int) -> tuple[Sequence[float], int]:
    if count > (len(data) - at) >> 2:
        raise InvalidAvro("unexpected end of input")
    return struct.unpack_from(f"<{count}f", data, at), at + 4 * count


# Writing. Each function refuses a list for the same reasons as its items.


def put_longs(out: bytearray, numbers: Sequence[Any]) -> None:
    if countOf(map(type, numbers), int) != len(numbers):
        numbers = [*map(scalars.long_of, numbers)]
    _put_numbers(out, numbers, put_long, _WAYS_OF_LONGS)


def put_ints(out: bytearray, numbers: Sequence[Any]) -> None:
    if countOf(map(type, numbers), int) != len(numbers):
        numbers = [*map(scalars.int_of, numbers)]
    _put_numbers(out, numbers, put_int, _WAYS_OF_INTS)


def _put_numbers(
    out: bytearray,
    numbers: Sequence[int],
    put: Callable[[bytearray, int], None],
    ways: Sequence[Callable[[Sequence[int]], bytes | None]],
) -> None:
    for start in range(0, len(numbers), _MOST):
        some = numbers[start : start + _MOST]
        # The numbers of a list mostly have similar lengths.
        for way in ways[max(_least_way(some[0]), _least_way(some[-1])) :]:
            try:
                encoded = way(some)
            except struct.error:
                continue
            if encoded is not None:
                out += encoded
                break
        else:
            for number in some:
                put(out, number)


def _encoded_bytes(numbers: Sequence[int]) -> bytes | None:
    """The bytes of numbers that take one byte each; None if a number takes more.

    Raises:
        struct.error: a number has more than 8 bits.
    """
    found = struct.pack(f"{len(numbers)}b", *numbers).translate(_BYTE_OF_SIGNED)
    return found if found.isascii() else None


_WAYS_OF_INTS: Final = (_encoded_bytes, _OF_INTS.encoded)
_WAYS_OF_LONGS: Final = (*_WAYS_OF_INTS, _OF_MOST_LONGS.encoded, _OF_LONGS.encoded)


def _least_way(number: int) -> int:
    """The index of the shortest encoding that can hold a number."""
    if -64 <= number < 64:
        return 0
    return 1 if -(2**31) <= number < 2**31 else 2


def put_doubles(out: bytearray, numbers: Sequence[Any]) -> None:
    if countOf(map(type, numbers), float) != len(numbers):
        numbers = [*map(scalars.double_of, numbers)]
    out += struct.pack(f"<{len(numbers)}d", *numbers)


def put_floats(out: bytearray, numbers: Sequence[Any]) -> None:
    if countOf(map(type, numbers), float) != len(numbers):
        numbers = [*map(scalars.float_of, numbers)]
    out += struct.pack(f"<{len(numbers)}f", *numbers)
