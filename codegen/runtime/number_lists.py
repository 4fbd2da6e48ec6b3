"""Lists of numbers to and from bytes, many numbers at a time.

Numbers of several bytes are taken together as one integer of 64 bits for each: what its digits need
to become numbers is then done by a few operations on all of them. From ``MANY`` numbers on this takes
a third to a half of the time that a loop takes (measured).
"""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence
from typing import Any, Final

from . import scalars
from .errors import InvalidAvro
from .varints import (
    INT_MAX,
    INT_MIN,
    lowest,
    more_long,
    of_byte,
    put_int,
    put_long,
    signed_64,
    to_byte,
)

MANY: Final = 16
_MOST: Final = 64


def _in_each(lane: int) -> int:
    """An integer of ``_MOST`` lanes of 64 bits, the same in each."""
    return int.from_bytes(lane.to_bytes(8, "little") * _MOST, "little")


_ONE: Final = _in_each(1)
_BELOW_SIGN: Final = _in_each(2**63 - 1)
_MARKS: Final = _in_each(0x8080_8080_8080_8080)
_DIGITS: Final = _in_each(0x7F7F_7F7F_7F7F_7F7F)
# The upper of two digits of 7, 14 and 28 bits, where they have 8, 16 and 32 bits of room ...
_UPPER_7: Final = _in_each(0x7F00_7F00_7F00_7F00)
_UPPER_14: Final = _in_each(0x3FFF_0000_3FFF_0000)
_UPPER_28: Final = _in_each(0x0FFF_FFFF_0000_0000)
# ... and where they follow the lower one.
_NEXT_7: Final = _UPPER_7 >> 1
_NEXT_14: Final = _UPPER_14 >> 2
_NEXT_28: Final = _UPPER_28 >> 4
# Beyond one byte, 32 bits and 56 bits.
_BEYOND_BYTE: Final = _in_each(2**64 - 2**7)
_BEYOND_INT: Final = _in_each(2**64 - 2**32)
_BEYOND_LANE: Final = _in_each(2**64 - 2**56)
# Marks that came from a byte of the same lane, when shifted down by one, two and four bytes.
_FROM_1: Final = _in_each(0x0080_8080_8080_8080)
_FROM_2: Final = _in_each(0x0000_8080_8080_8080)
_FROM_4: Final = _in_each(0x0000_0000_8080_8080)

# A number of more bytes than a lane has is not found whole.
_numbers_in: Final = re.compile(rb"[\x80-\xff]{0,7}+[\x00-\x7f]").findall
_CONTINUED: Final = bytes(range(128, 256))


def longs(data: bytes, at: int, count: int) -> tuple[list[int], int]:
    """Consecutive numbers, and the position after them."""
    end = at + count
    found = data[at:end]
    if found.isascii() and len(found) == count:
        return [of_byte[raw] for raw in found], end
    numbers: list[int] = []
    while count:
        some = min(count, _MOST)
        # Lists are mostly of numbers that are alike: the first one tells whether they are short.
        is_long = some >= MANY and data[at] > 127 < data[at + 1]
        taken, at = (is_long and _many(data, at, some)) or _each(data, at, some)
        numbers += taken
        count -= len(taken)
    return numbers, at


def _each(data: bytes, at: int, count: int) -> tuple[list[int], int]:
    numbers: list[int] = []
    for _ in range(count):
        first = data[at]
        at += 1
        if first < 128:
            numbers.append(of_byte[first])
            continue
        second = data[at]
        if second < 128:
            numbers.append(lowest[first] + second * signed_64[first])
            at += 1
        else:
            number, at = more_long(data, at, first)
            numbers.append(number)
    return numbers, at


def _many(data: bytes, at: int, count: int) -> tuple[list[int], int] | None:
    """Up to ``count`` numbers; None if they are short, or one of them longer than eight bytes."""
    window = data[at : at + 8 * count]
    ends = len(window.translate(None, _CONTINUED))
    if not 3 * ends <= len(window) < 9 * ends:
        return None
    found = _numbers_in(window, 0, len(window) * count // ends + 8)[:count]
    joined = b"".join(found)
    if not found or not window.startswith(joined):
        return None
    lanes = struct.pack("8s" * len(found), *found)
    raw = int.from_bytes(lanes, "little") & _DIGITS
    raw -= (raw & _UPPER_7) >> 1
    raw -= ((raw & _UPPER_14) >> 2) * 3
    raw -= ((raw & _UPPER_28) >> 4) * 15
    odd = raw & _ONE
    numbers = (raw - odd) >> 1 ^ ((odd << 64) - odd)
    form = f"<{len(found)}q"
    return [*struct.unpack(form, numbers.to_bytes(len(lanes), "little"))], at + len(joined)


def ints(data: bytes, at: int, count: int) -> tuple[list[int], int]:
    numbers, end = longs(data, at, count)
    # A number of one byte is an int.
    if end - at > count and not INT_MIN <= min(numbers) <= max(numbers) <= INT_MAX:
        raise InvalidAvro("int exceeds 32 bits")
    return numbers, end


def doubles(data: bytes, at: int, count: int) -> tuple[Sequence[float], int]:
    if count > (len(data) - at) >> 3:
        raise InvalidAvro("unexpected end of input")
    return struct.unpack_from(f"<{count}d", data, at), at + 8 * count


def floats(data: bytes, at: int, count: int) -> tuple[Sequence[float], int]:
    if count > (len(data) - at) >> 2:
        raise InvalidAvro("unexpected end of input")
    return struct.unpack_from(f"<{count}f", data, at), at + 4 * count


# Writing. Each refuses a list as its items would be refused.


def put_longs(out: bytearray, numbers: Sequence[Any]) -> None:
    if {*map(type, numbers)} != {int}:
        numbers = [*map(scalars.long_of, numbers)]
    for start in range(0, len(numbers), _MOST):
        some = numbers[start : start + _MOST]
        if not _put_many(out, some, _BEYOND_LANE):
            for number in some:
                if -64 <= number < 64:
                    out.append(to_byte[number])
                else:
                    put_long(out, number)


def put_ints(out: bytearray, numbers: Sequence[Any]) -> None:
    if {*map(type, numbers)} != {int}:
        numbers = [*map(scalars.int_of, numbers)]
    for start in range(0, len(numbers), _MOST):
        some = numbers[start : start + _MOST]
        if not _put_many(out, some, _BEYOND_INT):
            for number in some:
                if -64 <= number < 64:
                    out.append(to_byte[number])
                else:
                    put_int(out, number)


def _put_many(out: bytearray, numbers: Sequence[int], beyond: int) -> bool:
    """Appends them and says so, unless one is too long, or zero among longer ones."""
    try:
        lanes = struct.pack(f"<{len(numbers)}q", *numbers)
    except struct.error:
        return False
    raw = int.from_bytes(lanes, "little")
    negative = raw >> 63 & _ONE
    raw = (raw & _BELOW_SIGN) << 1 ^ ((negative << 64) - negative)
    if not raw & _BEYOND_BYTE:
        out += raw.to_bytes(len(lanes), "little")[::8]
        return True
    if raw & beyond or 0 in numbers:
        return False
    raw += (raw & _NEXT_28) * 15
    raw += (raw & _NEXT_14) * 3
    raw += raw & _NEXT_7
    # A mark for each byte that is not zero, then for all below it; those have a byte behind them.
    used = raw + _DIGITS & _MARKS
    used |= used >> 8 & _FROM_1
    used |= used >> 16 & _FROM_2
    used |= used >> 32 & _FROM_4
    raw |= used >> 8 & _FROM_1
    out += raw.to_bytes(len(lanes), "little").translate(None, b"\0")
    return True


def put_doubles(out: bytearray, numbers: Sequence[Any]) -> None:
    if {*map(type, numbers)} != {float}:
        numbers = [*map(scalars.double_of, numbers)]
    out += struct.pack(f"<{len(numbers)}d", *numbers)


def put_floats(out: bytearray, numbers: Sequence[Any]) -> None:
    if {*map(type, numbers)} != {float}:
        numbers = [*map(scalars.float_of, numbers)]
    out += struct.pack(f"<{len(numbers)}f", *numbers)
