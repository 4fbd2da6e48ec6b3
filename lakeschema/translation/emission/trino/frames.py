"""Checks whether Trino supports a window frame, and whether its bounds may exceed their type."""

from __future__ import annotations

import re
from typing import Final

from lakeschema.translation.emission.trino.text import fails, type_text
from lakeschema.translation.functions.constants import BITS
from lakeschema.translation.model.errors import UnsupportedConstruct
from lakeschema.translation.plan.expressions import WindowCall

_UNIT: Final = "(?:day|month|year|hour|minute|second)"
_BOUND: Final = (
    rf"(?:(?:unbounded|[0-9]+|interval '[0-9]+' {_UNIT}) (?:preceding|following)|current row)"
)
_FRAME: Final = re.compile(
    rf"(?:rows|range) (?:between )?{_BOUND}(?: and {_BOUND})?", re.IGNORECASE
)
_BY_VALUE: Final = re.compile("range ", re.IGNORECASE)
_NUMBER: Final = re.compile("([0-9]+) (preceding|following)", re.IGNORECASE)


def check_frame(frame: str) -> None:
    """Raises ``UnsupportedConstruct`` for a frame that Trino lacks."""
    if not _FRAME.fullmatch(frame):
        raise UnsupportedConstruct(f"window frame {frame!r:.60} for Trino")


def bounded_key(call: WindowCall) -> str | None:
    """The key of a RANGE window whose bounds may wrap around in Spark; else None.

    ``{0}`` stands for the key.

    Spark computes a bound in the key's own type.
    """
    if not call.frame or not _BY_VALUE.match(call.frame) or len(call.order_by) != 1:
        return None
    (key,) = call.order_by
    bits = BITS.get(key.expression.type)
    if bits is None:
        return None
    least, tests = -(2 ** (bits - 1)), []
    for number, way in _NUMBER.findall(call.frame):
        if (way.lower() == "preceding") != key.descending:
            tests.append(f"{{0}} < {least + int(number)}")
        else:
            tests.append(f"{{0}} > {-least - 1 - int(number)}")
    if not tests:
        return None
    wraps = fails("a bound of a window that wraps", type_text(key.expression.type))
    return f"CASE WHEN {' OR '.join(tests)} THEN {wraps} ELSE {{0}} END"
