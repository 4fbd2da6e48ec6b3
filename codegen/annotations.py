"""Writes shapes as type annotations of generated code."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import assert_never

from codegen.shapes import (
    DecimalShape,
    DictShape,
    EntriesShape,
    EnumReference,
    FixedReference,
    ListShape,
    RecordReference,
    Scalar,
    Shape,
    UnionShape,
    is_nameless,
)

_BUILTIN = {
    Scalar.BOOLEAN: "bool",
    Scalar.INT: "int",
    Scalar.LONG: "int",
    Scalar.FLOAT: "float",
    Scalar.DOUBLE: "float",
    Scalar.BYTES: "bytes",
    Scalar.STRING: "str",
}

_IMPORTED = {
    Scalar.NULL: "None",
    Scalar.DATE: "_datetime.date",
    Scalar.TIME_MILLIS: "_datetime.time",
    Scalar.TIME_MICROS: "_datetime.time",
    Scalar.TIMESTAMP_MILLIS: "_datetime.datetime",
    Scalar.TIMESTAMP_MICROS: "_datetime.datetime",
    Scalar.LOCAL_MILLIS: "_datetime.datetime",
    Scalar.LOCAL_MICROS: "_datetime.datetime",
    Scalar.INTERVAL_MICROS: "_datetime.timedelta",
    Scalar.UUID_TEXT: "_uuid.UUID",
    Scalar.UUID_FIXED: "_uuid.UUID",
    Scalar.DURATION: "_Duration",
}

_USED = frozenset({*_BUILTIN.values(), "list", "dict", "tuple"})
"""The builtins that annotations use."""


def name_inside(class_name: str) -> str:
    """The alias of a class in function bodies, where a parameter may have the class's name."""
    return f"__type_{class_name}__"


_MAX_ROW = 1_000


def alternatives(types: Sequence[str]) -> str:
    """The union ``A | B | C``. Long unions are grouped, since compilers recurse into each ``|``."""
    if len(types) <= _MAX_ROW:
        return " | ".join(types)
    rows = [types[start : start + _MAX_ROW] for start in range(0, len(types), _MAX_ROW)]
    return alternatives([f"({' | '.join(row)})" for row in rows])


class Annotations:
    """Writes annotations with names that nothing in the package hides.

    ``taken`` are the names that the package defines; they may hide builtins. ``hidden`` are classes whose
    names an attribute or a parameter hides; annotations use their aliases.
    """

    def __init__(
        self, taken: Collection[str], *, immutable: bool = False, hidden: Collection[str] = ()
    ) -> None:
        self._immutable = immutable
        self.hidden_classes = hidden
        self._taken = frozenset(taken)
        self._hidden = self._taken & _USED
        # The key is a shape's identity, since hashing a shape takes longer than rendering it. The
        # shapes are kept alive, so that no identity is reused.
        self._known: dict[int, tuple[Shape, str]] = {}
        self._others: list[Annotations] = []

    def builtin(self, name: str) -> str:
        """A builtin's name, qualified if the package defines the same name."""
        return f"_builtins.{name}" if name in self._taken else name

    def mentions(self, part: str) -> bool:
        """Whether any annotation rendered so far contains this text."""
        own = any(part in text for _, text in self._known.values())
        return own or any(other.mentions(part) for other in self._others)

    def hiding(self, classes: Collection[str]) -> Annotations:
        """Annotations for a class that hides ``classes``.

        ``mentions`` of the outer object also searches these annotations.
        """
        if not classes:
            return self
        other = Annotations(self._taken, immutable=self._immutable, hidden=classes)
        self._others.append(other)
        return other

    def of(self, shape: Shape) -> str:
        known = self._known.get(id(shape))
        if known is None:
            text = (
                _nameless(shape, self._hidden, self._immutable)
                if is_nameless(shape)
                else self._text(shape)
            )
            known = self._known[id(shape)] = (shape, text)
        return known[1]

    def _text(self, shape: Shape) -> str:
        match shape:
            case Scalar():
                if shape in _BUILTIN:
                    return self.builtin(_BUILTIN[shape])
                return _IMPORTED[shape]
            case DecimalShape():
                return "_decimal.Decimal"
            case ListShape(items) if self._immutable:
                return f"{self.builtin('tuple')}[{self.of(items)}, ...]"
            case ListShape(items):
                return f"{self.builtin('list')}[{self.of(items)}]"
            case DictShape(values):
                text = self.builtin("str")
                if self._immutable:
                    return f"_Mapping[{text}, {self.of(values)}]"
                return f"{self.builtin('dict')}[{text}, {self.of(values)}]"
            case EntriesShape(keys, values):
                name = "_Mapping" if self._immutable else self.builtin("dict")
                return f"{name}[{self.of(keys)}, {self.of(values)}]"
            case UnionShape(branches):
                # Branches may have the same class, as int and long. By convention None is last.
                parts = dict.fromkeys(self.of(branch) for branch in branches)
                ordered = sorted(parts, key=lambda part: part == "None")
                return alternatives(ordered)
            case RecordReference(name) | EnumReference(name) | FixedReference(name):
                return name_inside(name) if name in self.hidden_classes else name
            case _:
                assert_never(shape)


@lru_cache(10_000)
def _nameless(shape: Shape, taken: frozenset[str], immutable: bool) -> str:
    return Annotations(taken, immutable=immutable)._text(shape)  # noqa: SLF001 - the class above
