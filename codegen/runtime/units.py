"""Converts counts between units of time of one kind: an instant stays an instant.

Avro's own resolution ignores the unit, so the time is a thousand times too large or too small.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, Literal, TypeAlias

from .errors import InvalidValue
from .schema import Node
from .varints import LONG_MAX, LONG_MIN

Narrowing: TypeAlias = Literal["exact", "down", "refused"]
"""What is finer than the wanted unit: "exact" refuses the value, "down" rounds it down; "refused"
refuses every other unit, as Avro has no conversion."""

MILLIS: Final = 10**3
MICROS: Final = 10**6
NANOS: Final = 10**9

_NAMES: Final[Mapping[int, str]] = {
    1: "seconds",
    MILLIS: "milliseconds",
    MICROS: "microseconds",
    NANOS: "nanoseconds",
}
_PER_SECOND: Final[Mapping[str, int]] = {"millis": MILLIS, "micros": MICROS, "nanos": NANOS}


def narrowing(*, round_times: bool) -> Narrowing:
    return "down" if round_times else "exact"


def unit_of(node: Node) -> tuple[str, int] | None:
    """The kind and the units in a second.

    The kind is ``time``, ``timestamp`` or ``local-timestamp``. None for other types.
    """
    kind, _, unit = (node.meaning or ("", 0))[0].rpartition("-")
    per_second = _PER_SECOND.get(unit)
    return None if per_second is None else (kind, per_second)


def unit_conversion(writer: Node, reader: Node, how: Narrowing) -> Callable[[int], int] | None:
    """Converts the writer's counts to the reader's; None unless they are two units of one kind.

    The function raises ``InvalidValue`` for a count that the reader's unit cannot hold.
    """
    written, wanted = unit_of(writer), unit_of(reader)
    if how == "refused" or written is None or wanted is None:
        return None
    if written == wanted or written[0] != wanted[0]:
        return None
    return conversion(written[1], wanted[1], how)


def conversion(given: int, wanted: int, how: Narrowing) -> Callable[[int], int]:
    """A function that converts counts; ``given`` and ``wanted`` are units in a second."""
    if given == wanted:
        return lambda count: count
    if given < wanted:
        return _widening(given, wanted)
    factor = given // wanted
    return (lambda count: count // factor) if how == "down" else _narrowing(given, wanted)


def _widening(given: int, wanted: int) -> Callable[[int], int]:
    factor = wanted // given

    def widen(count: int) -> int:
        widened = count * factor
        if LONG_MIN <= widened <= LONG_MAX:
            return widened
        raise InvalidValue(
            "", f"expected {_NAMES[wanted]} that fit into 64 bits, got {count} {_NAMES[given]}"
        )

    return widen


def _narrowing(given: int, wanted: int) -> Callable[[int], int]:
    factor = given // wanted

    def narrow(count: int) -> int:
        narrowed, rest = divmod(count, factor)
        if not rest:
            return narrowed
        raise InvalidValue(
            "",
            f"expected whole {_NAMES[wanted]}, got {count} {_NAMES[given]}"
            " (round_times=True rounds down)",
        )

    return narrow
