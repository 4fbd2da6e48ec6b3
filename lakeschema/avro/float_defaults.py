"""Reads text defaults of float and double, which Java accepts: only text can express infinity.

Java's parser passes the text to ``Double.valueOf`` if the field's own type is float or double.
Within unions, arrays, maps and records' values it refuses the default (Avro 1.12).
"""

from __future__ import annotations

import math
import re

from lakeschema.avro.model import Json, NoDefault, Primitive, Schema

NOT_FINITE = frozenset({"NaN", "Infinity", "-Infinity"})
"""The texts that stay text, since JSON has no such numbers; Java prints them in this form."""

_DECIMAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,9})?[fFdD]?", re.ASCII)
_HEXADECIMAL = re.compile(
    r"[+-]?0[xX]([0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)[pP][+-]?\d{1,9}[fFdD]?", re.ASCII
)
_MAX_CHARACTERS = 1_000


def is_floating(schema: Schema) -> bool:
    return isinstance(schema, Primitive) and schema.name in {"float", "double"}


def is_not_finite(default: Json | NoDefault, schema: Schema) -> bool:
    """Whether a field's default is the text of NaN or infinity."""
    return isinstance(default, str) and default in NOT_FINITE and is_floating(schema)


def read_float_default(default: Json | NoDefault, schema: Schema) -> Json | NoDefault:
    """A field's default with its text converted to a number; other defaults unchanged."""
    if not isinstance(default, str) or not is_floating(schema):
        return default
    # Java's ``trim``.
    text = default[:_MAX_CHARACTERS].strip("".join(map(chr, range(33))))
    if text.lstrip("+-") == "NaN" and len(text) <= 4:
        return "NaN"
    if text in {"Infinity", "+Infinity", "-Infinity"}:
        return text.lstrip("+")
    if _HEXADECIMAL.fullmatch(text):
        number = _from_hexadecimal(text.rstrip("fFdD") if text[-1] in "fFdD" else text)
    elif _DECIMAL.fullmatch(text):
        number = float(text.rstrip("fFdD"))
    else:
        return default
    if math.isinf(number):
        return "Infinity" if number > 0 else "-Infinity"
    return number


def _from_hexadecimal(text: str) -> float:
    try:
        return float.fromhex(text)
    except OverflowError:
        return math.copysign(math.inf, -1 if text[0] == "-" else 1)
