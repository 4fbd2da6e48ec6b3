"""Generates and compiles source of fast functions that write and read a record's JSON.

The functions are a shortcut of ``json_documents``, not a second set of rules. They handle values of
the exact classes in their usual notation. They pass every other value to the ``Writers`` or
``Readers``. After any exception, the caller starts again with the ``Writers`` or ``Readers``, whose
errors say what is wrong.

The source contains no text of a schema. Texts and classes are in its namespace, under numbered names;
attributes are identifiers, as in the package's own code.
"""

from __future__ import annotations

import json.encoder
from collections.abc import Sequence
from typing import Any, Final

from .varints import INT_MAX, INT_MIN, LONG_MAX, LONG_MIN

quote: Final = json.encoder.encode_basestring
_FLOAT_MAX: Final = float.fromhex("0x1.fffffep127")
_RANGES: Final = {
    "int": (INT_MIN, INT_MAX),
    "long": (LONG_MIN, LONG_MAX),
}


class Part:
    """Code for one type.

    Attributes:
        condition: an expression that is true for usual values.
        result: the expression that converts a usual value.
        is_text: whether the result is a string; otherwise it is a number.
    """

    __slots__ = ("condition", "is_text", "result")

    def __init__(self, condition: str, result: str, *, is_text: bool = True) -> None:
        self.condition = condition
        self.result = result
        self.is_text = is_text


class Source:
    """Source under construction, with the values of the names that occur in it."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._variables = 0
        self._names: dict[str, Any] = {"new": object.__new__}

    def add(self, *lines: str) -> None:
        self._lines += lines

    def name_of(self, value: object) -> str:
        """A new name for a value."""
        name = f"c{len(self._names)}"
        self._names[name] = value
        return name

    def variable(self) -> str:
        self._variables += 1
        return f"v{self._variables}"

    def compile(self, function: str) -> Any:
        exec(compile("\n".join(self._lines), "<json of a record>", "exec"), self._names)  # noqa: S102 - no text of others is in it
        return self._names[function]


def number_part(kind: str, first: str, name: str) -> Part:
    """Code for a number. ``first`` is evaluated first, and assigns the value to ``name``."""
    if kind in _RANGES:
        least, most = _RANGES[kind]
        return Part(f"type({first}) is int and {least}<={name}<={most}", name, is_text=False)
    is_single = f"-{_FLOAT_MAX!r}<={name}<={_FLOAT_MAX!r}"
    finite = is_single if kind == "float" else f"{name}-{name}==0"
    return Part(f"type({first}) is float and {finite}", name, is_text=False)


def chained(parts: Sequence[Part], otherwise: str) -> str:
    """The result of the first part whose condition is true."""
    return " else ".join([*(f"{part.result} if {part.condition}" for part in parts), otherwise])


def attribute_of(name: str, attribute: str) -> str:
    """An attribute's value. Only an identifier gets into source."""
    assert attribute.isidentifier()
    return f"{name}.{attribute}"
