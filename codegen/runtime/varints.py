"""Avro's numbers, lengths and counts: zigzag varints.

Generated code inlines numbers of up to four bytes with the tables here; the functions do the rest.
No read goes past the input. ``first`` and ``b1`` to ``b3`` are bytes before ``at``, already read.
"""

from __future__ import annotations

import struct
import sys
from array import array
from collections.abc import Callable, Collection
from typing import Final, TypeAlias

from .errors import InvalidAvro, InvalidValue

More: TypeAlias = Callable[[bytes, int, int, int, int, int], tuple[int, int]]

INT_MIN: Final = -(2**31)
INT_MAX: Final = 2**31 - 1
LONG_MIN: Final = -(2**63)
LONG_MAX: Final = 2**63 - 1

of_byte: Final = tuple(raw >> 1 ^ -(raw & 1) for raw in range(128))
"""The number that one byte encodes."""
to_byte: Final = tuple(n << 1 ^ n >> 63 for n in (*range(64), *range(-64, 0)))
"""The byte of a number from -64 to 63, by the number: negative indexes count from the end."""
size_of: Final = tuple(-1 if raw & 129 else raw >> 1 for raw in range(256))
"""The length that one byte encodes; -1 if it is negative or longer than one byte."""
more_iterations: Final = range(1)
iterations_of: Final[tuple[Collection[object], ...]] = tuple(
    more_iterations if raw & 129 else (None,) * (raw >> 1) for raw in range(256)
)
"""What to loop over for a one-byte item count; ``more_iterations`` if ``block`` must read it."""

_half_of: Final = tuple((byte & 127) >> 1 for byte in range(256))
# For each first byte: its part of the number, and the value of the second byte's lowest bit.
lowest: Final = tuple(~half if byte & 1 else half for byte, half in enumerate(_half_of))
signed_64: Final = (64, -64) * 128
lowest_of_3: Final = tuple(map(lambda low, worth: low - 128 * worth, lowest, signed_64))
lowest_of_4: Final = tuple(map(lambda low, worth: low - 0x4080 * worth, lowest, signed_64))
"""``lowest`` of numbers of three and four bytes, less the continuation bits behind the first byte."""


# Reading. Bytes are multiplied and added with their continuation bits, which are subtracted at the
# end: the interpreter has faster paths for these than for shifts and masks.


def more_long(data: bytes, at: int, first: int, b1: int, b2: int, b3: int) -> tuple[int, int]:
    """A number of more than four bytes, and the position after it.

    Its first four bytes are before ``at``.
    """
    number = _half_of[first] + b1 * 64 + b2 * 0x2000 + b3 * 0x10_0000 - 0x10_2000
    b4 = data[at]
    if b4 < 128:
        number += (b4 - 1) * 0x800_0000
        return (~number if first & 1 else number), at + 1
    b5 = data[at + 1]
    if b5 < 128:
        number += (b4 + b5 * 128 - 129) * 0x800_0000
        return (~number if first & 1 else number), at + 2
    b6 = data[at + 2]
    if b6 < 128:
        number += (b4 + b5 * 128 + b6 * 0x4000 - 0x4081) * 0x800_0000
        return (~number if first & 1 else number), at + 3
    b7 = data[at + 3]
    if b7 < 128:
        number += (b4 + b5 * 128 + b6 * 0x4000 + b7 * 0x20_0000 - 0x20_4081) * 0x800_0000
        return (~number if first & 1 else number), at + 4
    number += (b4 + b5 * 128 + b6 * 0x4000 + b7 * 0x20_0000 - 0x1020_4081) * 0x800_0000
    for shift in (55, 62):
        byte = data[at + 4]
        at += 1
        number += (byte & 127) << shift
        if byte < 128:
            if number > LONG_MAX:
                raise InvalidAvro("number exceeds 64 bits")
            return (~number if first & 1 else number), at + 4
    raise InvalidAvro("number is longer than ten bytes")


def more_int(data: bytes, at: int, first: int, b1: int, b2: int, b3: int) -> tuple[int, int]:
    """The function ``more_long`` for numbers of at most 32 bits."""
    number, at = more_long(data, at, first, b1, b2, b3)
    if INT_MIN <= number <= INT_MAX:
        return number, at
    raise InvalidAvro("int exceeds 32 bits")


def long_after(data: bytes, at: int, first: int, more: More = more_long) -> tuple[int, int]:
    """The number that starts with ``first``, the byte before ``at``; and the position after it.

    ``more`` reads the rest of a number of more than four bytes; ``more_int`` refuses longs.
    """
    if first < 128:
        return of_byte[first], at
    second = data[at]
    if second < 128:
        return lowest[first] + second * signed_64[first], at + 1
    third = data[at + 1]
    if third < 128:
        return lowest_of_3[first] + (second + third * 128) * signed_64[first], at + 2
    fourth = data[at + 2]
    if fourth < 128:
        second += third * 128 + fourth * 0x4000
        return lowest_of_4[first] + second * signed_64[first], at + 3
    return more(data, at + 3, first, second, third, fourth)


def length(data: bytes, at: int, first: int) -> tuple[int, int]:
    """A non-negative number: a length, or the index of a union's branch or an enum's symbol."""
    number, at = long_after(data, at, first)
    if number < 0:
        raise InvalidAvro("negative length or index")
    return number, at


def index(data: bytes, at: int, first: int) -> tuple[int, int]:
    """Twice the ``length``, as one byte encodes it."""
    number, at = length(data, at, first)
    return number + number, at


def size(data: bytes, at: int) -> tuple[int, int]:
    """A length of more than one byte, and the position after it.

    Its first byte is before ``at``.
    """
    first = data[at - 1]
    if first & 1:
        raise InvalidAvro("negative length or index")
    second = data[at]
    if second < 128:
        return _half_of[first] + second * 64, at + 1
    return long_after(data, at, first)


def block(data: bytes, at: int, first: int) -> tuple[int, int]:
    """The item count of the next block; a negative count is followed by a size in bytes."""
    count, at = long_after(data, at, first)
    if count >= 0:
        return count, at
    bytes_after, at = length(data, at + 1, data[at])
    if bytes_after > len(data) - at:
        raise InvalidAvro("block is longer than its input")
    return -count, at


def iterations(data: bytes, at: int) -> tuple[range, int]:
    """A range to loop over for the block whose first byte is before ``at``."""
    count, at = block(data, at, data[at - 1])
    return range(count), at


# Writing. A table encodes fourteen bits at a time as two bytes.


def _pairs() -> array[int]:
    """Each number of 14 bits as its two bytes: seven bits and a continuation bit each."""
    interleaved = bytearray(1 << 15)
    interleaved[::2] = bytes(range(128, 256)) * 128
    interleaved[1::2] = b"".join(bytes((second,)) * 128 for second in range(128, 256))
    pairs = array("H", bytes(interleaved))
    if sys.byteorder == "big":
        pairs.byteswap()
    return pairs


pair_of: Final = _pairs()
pack_3: Final = struct.Struct("<HB").pack
pack_4: Final = struct.Struct("<HH").pack
_pack_5: Final = struct.Struct("<HHB").pack
_pack_6: Final = struct.Struct("<HHH").pack
_pack_7: Final = struct.Struct("<HHHB").pack
_pack_8: Final = struct.Struct("<HHHH").pack
_pack_9: Final = struct.Struct("<HHHHB").pack
_pack_10: Final = struct.Struct("<HHHHBB").pack


def put_long(out: bytearray, number: int) -> None:
    """Appends a number.

    Raises:
        InvalidValue: the number does not fit into 64 bits.
    """
    raw = number + number if number >= 0 else ~(number + number)
    if raw < 0x4000:
        if raw > 127:
            out.append((raw & 127) + 128)
            raw >>= 7
        out.append(raw)
    elif raw < 0x20_0000:
        out += pack_3(pair_of[raw & 0x3FFF], raw >> 14)
    elif raw < 1 << 28:
        out += pack_4(pair_of[raw & 0x3FFF], pair_of[raw >> 14] - 0x8000)
    else:
        put_raw_long(out, raw)


def put_raw_long(out: bytearray, raw: int) -> None:
    """Appends a number of more than four bytes. ``raw`` is its zigzag form.

    Raises:
        InvalidValue: the number does not fit into 64 bits.
    """
    high, low = raw >> 28, raw & 0xFFF_FFFF
    first, second = pair_of[low & 0x3FFF], pair_of[low >> 14]
    if high < 0x4000:
        if high < 128:
            out += _pack_5(first, second, high)
        else:
            out += _pack_6(first, second, pair_of[high] - 0x8000)
        return
    third = pair_of[high & 0x3FFF]
    if high < 0x20_0000:
        out += _pack_7(first, second, third, high >> 14)
    elif high < 1 << 28:
        out += _pack_8(first, second, third, pair_of[high >> 14] - 0x8000)
    elif high < 1 << 35:
        out += _pack_9(first, second, third, pair_of[high >> 14 & 0x3FFF], high >> 28)
    elif high < 1 << 36:
        out += _pack_10(first, second, third, pair_of[high >> 14 & 0x3FFF], high >> 28, 1)
    else:
        raise InvalidValue("", "number does not fit into 64 bits")


def put_int(out: bytearray, number: int) -> None:
    """The function ``put_long`` for numbers of at most 32 bits."""
    if INT_MIN <= number <= INT_MAX:
        put_long(out, number)
    else:
        raise InvalidValue("", "number does not fit into 32 bits")


def put_raw_int(out: bytearray, raw: int) -> None:
    """The function ``put_raw_long`` for numbers of at most 32 bits."""
    if raw < 1 << 32:
        put_raw_long(out, raw)
    else:
        raise InvalidValue("", "number does not fit into 32 bits")
