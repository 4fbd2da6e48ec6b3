"""Writes a short program that uses a package: it makes a record, writes it and reads it back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Final, assert_never

from codegen.shapes import (
    Attribute,
    DecimalShape,
    DictShape,
    EntriesShape,
    EnumReference,
    FixedReference,
    ListShape,
    PackageShape,
    RecordClass,
    RecordReference,
    Scalar,
    Shape,
    UnionShape,
)
from codegen.source import literal
from lakeschema.avro.model import NoDefault

_FEW: Final = 5
_FEW_NESTED: Final = 2
"""How many fields the program sets at the top and within a field, unless more are required."""

_MAX_SET: Final = 24
"""The maximum of required fields to set. A record with more is made by ``example``."""

_MODULES: Final = ("datetime", "decimal", "uuid")

_TEXTS: Final = (
    ("email", "ada@example.com"),
    ("phone", "+353 1 496 0000"),
    ("url", "https://example.com/"),
    ("country", "IE"),
    ("currency", "EUR"),
    ("city", "Dublin"),
    ("street", "1 Main Street"),
    ("name", "Ada"),
)
"""A plausible text for each part of a field's name; the first match counts."""

_SCALARS: Final[Mapping[Scalar, str]] = {
    Scalar.NULL: "None",
    Scalar.BOOLEAN: "True",
    Scalar.INT: "42",
    Scalar.LONG: "1001",
    Scalar.FLOAT: "1.5",
    Scalar.DOUBLE: "19.99",
    Scalar.BYTES: 'b"\\x01\\x02"',
    Scalar.DATE: "datetime.date(2026, 1, 31)",
    Scalar.TIME_MILLIS: "datetime.time(12, 30)",
    Scalar.TIME_MICROS: "datetime.time(12, 30)",
    Scalar.TIMESTAMP_MILLIS: "datetime.datetime(2026, 1, 31, 12, 30, tzinfo=datetime.UTC)",
    Scalar.TIMESTAMP_MICROS: "datetime.datetime(2026, 1, 31, 12, 30, tzinfo=datetime.UTC)",
    Scalar.LOCAL_MILLIS: "datetime.datetime(2026, 1, 31, 12, 30)",
    Scalar.LOCAL_MICROS: "datetime.datetime(2026, 1, 31, 12, 30)",
    Scalar.INTERVAL_MICROS: "datetime.timedelta(hours=1)",
    Scalar.UUID_TEXT: 'uuid.UUID("6f1c0a52-3c5b-4e3f-9a55-0d6a3f0c1b7e")',
    Scalar.UUID_FIXED: 'uuid.UUID("6f1c0a52-3c5b-4e3f-9a55-0d6a3f0c1b7e")',
}


class _NoExample(Exception):
    """The record is too large, contains itself, or needs a value that does not fit on one line."""


def usage_example(shape: PackageShape, import_package: str) -> str:
    """The program's text. ``shape`` is the shape of the package."""
    root = shape.root.class_name
    try:
        values = _Values(shape)
        made = [f"{root}(", *(f"    {line}," for line in values.arguments(shape.root)), ")"]
    except _NoExample:
        return general_example(import_package, root)
    text = "\n".join(made)
    modules = [name for name in _MODULES if f"{name}." in text]
    if not values.classes.isdisjoint({*_MODULES, "record", "data"}):
        # A class of the package would hide a name that the program uses.
        return general_example(import_package, root)
    names = ", ".join(sorted(values.classes))
    lines = [*(f"import {name}" for name in modules), *([""] if modules else [])]
    return "\n".join(
        [*lines, f"from {import_package} import {names}", "", f"record = {text}", *_uses(root)]
    )


def general_example(import_package: str, class_name: str) -> str:
    """The program with made-up values, which any package's class can make."""
    made = f"record = {class_name}.example()"
    return "\n".join([f"from {import_package} import {class_name}", "", made, *_uses(class_name)])


def _uses(class_name: str) -> Iterator[str]:
    yield "data = record.to_avro()"
    yield f"assert {class_name}.from_avro(data) == record"
    yield "print(record.to_json())"


class _Values:
    def __init__(self, shape: PackageShape) -> None:
        self.classes = {shape.root.class_name}
        self._records = {record.class_name: record for record in shape.records}
        self._enums = {enum.class_name: enum for enum in shape.enums}
        self._immutable = shape.immutable
        self._within: list[str] = []
        self._left = _MAX_SET

    def arguments(self, record: RecordClass) -> Iterator[str]:
        if record.class_name in self._within:
            raise _NoExample
        self._within.append(record.class_name)
        required = [a for a in record.attributes if isinstance(a.default, NoDefault)]
        optional = [a for a in record.attributes if not isinstance(a.default, NoDefault)]
        most = _FEW if len(self._within) == 1 else _FEW_NESTED
        # Nested records come first, since a reader mostly looks for how to make them.
        optional.sort(key=lambda attribute: not _is_nested(attribute.shape))
        few = optional[: max(0, most - len(required))]
        chosen = {a.name for a in chain(required, few)}
        for attribute in record.attributes:
            if attribute.name in chosen:
                yield from self._argument(attribute, is_optional=attribute in few)
        self._within.pop()

    def _argument(self, attribute: Attribute, *, is_optional: bool) -> Iterator[str]:
        try:
            value = self._value(attribute.shape, attribute.field.lower())
        except _NoExample:
            if is_optional:
                return
            raise
        self._left -= 1
        if self._left < 0:
            raise _NoExample
        yield f"{attribute.name}={value}"

    def _value(self, shape: Shape, field: str) -> str:
        match shape:
            case Scalar.STRING:
                return literal(_text(field)).replace("'", '"')
            case Scalar.DURATION:
                raise _NoExample
            case Scalar():
                return _SCALARS[shape]
            case DecimalShape(precision, scale):
                return f'decimal.Decimal("{_digits(precision, scale)}")'
            case ListShape(items):
                item = self._value(items, field)
                return f"({item},)" if self._immutable else f"[{item}]"
            case DictShape(values):
                return f'{{"key": {self._value(values, field)}}}'
            case EntriesShape(keys, values):
                return f"{{{self._value(keys, 'key')}: {self._value(values, field)}}}"
            case UnionShape(branches):
                valued = [branch for branch in branches if branch is not Scalar.NULL]
                return self._value(valued[0], field) if valued else "None"
            case RecordReference(name):
                made = f"{name}({', '.join(self.arguments(self._records[name]))})"
                self.classes.add(name)
                return made
            case EnumReference(name):
                self.classes.add(name)
                return f"{name}.{self._enums[name].members[0][0]}"
            case FixedReference(name, size):
                if size > 32:
                    raise _NoExample
                self.classes.add(name)
                return f"{name}({bytes(range(size))!r})"
            case _:
                assert_never(shape)


def _is_nested(shape: Shape) -> bool:
    if isinstance(shape, UnionShape):
        return any(map(_is_nested, shape.branches))
    return isinstance(shape, RecordReference)


def _text(field: str) -> str:
    return next((text for part, text in _TEXTS if part in field), "example")


def _digits(precision: int, scale: int) -> str:
    """A number with as many digits after the point as ``scale``, and at most ``precision`` in all."""
    digits = "1999"[: min(4, precision)].ljust(scale, "0")[: max(1, precision)]
    if scale <= 0:
        return digits
    padded = digits.rjust(scale + 1, "0")
    return f"{padded[:-scale]}.{padded[-scale:]}"
