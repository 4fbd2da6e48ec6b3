"""Converts typed values to and from JSON documents, which ``json.loads`` returns and ``json.dumps`` takes.

A ``Form`` decides how leaves and unions look; records, arrays and maps look the same in each form.
An invalid value raises ``InvalidValue``; each caller on the way up adds its part of the path.
"""

from __future__ import annotations

import json
from _thread import allocate_lock
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol, Self, TypeAlias

from . import scalars
from .binding import Binding
from .entries import dict_of_entries, entries_of
from .errors import InvalidAvro, InvalidValue, short_repr
from .plain import default_of, known_symbol
from .schema import Field, Node, by_field_names
from .values import from_base, is_of, to_base

Convert: TypeAlias = Callable[[Any], Any]
ConverterOf: TypeAlias = Callable[[Node], Convert]

COMPACT: Final = json.JSONEncoder(
    ensure_ascii=False, check_circular=False, allow_nan=False, separators=(",", ":")
)
NOT_FINITE: Final = {
    "NaN": float("nan"),
    "Infinity": float("inf"),
    "-Infinity": float("-inf"),
}


class WrittenNumber(float):
    """A number with a fraction or an exponent. It keeps all digits of its text for decimals."""

    __slots__ = ("text",)

    def __new__(cls, text: str) -> Self:
        number = super().__new__(cls, text)
        number.text = text
        return number

    text: str


class Form(Protocol):
    """The form of leaves and unions in JSON. Its functions convert one value of a type."""

    @property
    def fills_defaults(self) -> bool:
        """Whether a field with a default may be missing."""
        ...

    @property
    def tags_all(self) -> bool:
        """Whether all non-null values of unions have tags, and leaves have their Avro types."""
        ...

    def is_told_by_class(self, union: Node) -> bool:
        """Whether a value's class alone decides its branch, in Python and in JSON."""
        ...

    def leaf_writer(self, node: Node) -> Convert: ...

    def leaf_reader(self, node: Node) -> Convert: ...

    def union_writer(self, union: Node, writer: ConverterOf) -> Convert: ...

    def union_reader(self, union: Node, reader: ConverterOf) -> Convert: ...


class Made:
    """The functions that a thread is making.

    A node's function uses those of its parts.
    """

    def __init__(self, make: Callable[[Node, Made], Convert], whole: Mapping[int, Convert]) -> None:
        self._make = make
        self.functions = dict(whole)

    def of(self, node: Node) -> Convert:
        found = self.functions.get(id(node))
        if found is None:
            found = self.functions[id(node)] = self._make(node, self)
        return found

    def add_recursive(self, node: Node, function: Convert) -> None:
        """Adds a record's function before those of its parts: a part may contain the record."""
        self.functions[id(node)] = function


class Converters:
    """The function for each node, made when needed. No thread gets an incomplete function."""

    def __init__(self, make: Callable[[Node, Made], Convert]) -> None:
        self._make = make
        self._whole: Mapping[int, Convert] = {}
        self._lock = allocate_lock()

    def of(self, node: Node) -> Convert:
        found = self._whole.get(id(node))
        if found is None:
            with self._lock:
                made = Made(self._make, self._whole)
                found = made.of(node)
                self._whole = made.functions
        return found


class Writers:
    """Makes functions on demand: the function for a node converts its typed values to documents."""

    def __init__(self, binding: Binding, form: Form) -> None:
        self._binding = binding
        self.form = form
        self._converters = Converters(self._make)
        self.of = self._converters.of

    def _make(self, node: Node, made: Made) -> Convert:
        of = made.of
        match node.kind:
            case "record":
                return self._record(node, made)
            case "array":
                write = _array_writer(of(node.items))
                return (
                    (lambda value: write(entries_of(value))) if node.map_form == "dict" else write
                )
            case "map":
                return _map_writer(of(node.items))
            case "union":
                return self.form.union_writer(node, of)
            case "enum":
                return _enum_writer(self._binding, node)
            case _:
                return self.form.leaf_writer(node)

    def _record(self, node: Node, made: Made) -> Convert:
        binding = self._binding
        class_ = binding.classes[node.name]
        parts: list[tuple[str, str, Convert]] = []

        def write(value: Any) -> dict[str, Any]:
            if not is_of(binding, node, value):
                raise InvalidValue("", f"expected {class_.__name__}, got {short_repr(value)}")
            document: dict[str, Any] = {}
            for name, attribute, convert in parts:
                try:
                    document[name] = convert(getattr(value, attribute))
                except InvalidValue as error:
                    raise within(name, error) from None
                except AttributeError:
                    raise InvalidValue(name, "is not set") from None
            return document

        made.add_recursive(node, write)
        attributes = binding.attributes[node.name]
        for field, attribute in zip(node.fields, attributes, strict=True):
            parts.append((field.name, attribute, made.of(field.node)))
        return write


class Readers:
    """Makes functions on demand: the function for a node converts documents to its typed values."""

    def __init__(self, binding: Binding, form: Form, *, ignores_unknown: bool) -> None:
        self._binding = binding
        self.form = form
        self.ignores_unknown = ignores_unknown
        self._converters = Converters(self._make)
        self.of = self._converters.of

    def _make(self, node: Node, made: Made) -> Convert:
        of = made.of
        match node.kind:
            case "record":
                return self._record(node, made)
            case "array":
                read = _array_reader(of(node.items))
                if node.map_form == "dict":
                    return lambda document: dict_of_entries(read(document))
                return read
            case "map":
                return _map_reader(of(node.items))
            case "union":
                return self.form.union_reader(node, of)
            case "enum":
                read = enum_reader(self._binding.classes[node.name], node.symbols)
                if self.ignores_unknown:
                    return lambda document: read(known_symbol(node, document, ""))
                return read
            case _:
                return self.form.leaf_reader(node)

    def _record(self, node: Node, made: Made) -> Convert:
        binding = self._binding
        class_ = binding.classes[node.name]
        parts: list[tuple[Field, str, Convert]] = []

        def read(document: Any) -> Any:
            if not isinstance(document, dict):
                raise InvalidValue("", f"expected an object, got {shown(document)}")
            document = by_field_names(node, document)
            record: Any = object.__new__(class_)
            known = 0
            for field, attribute, convert in parts:
                if field.name in document:
                    known += 1
                    try:
                        part = convert(document[field.name])
                    except InvalidValue as error:
                        raise within(field.name, error) from None
                else:
                    part = self.default_of(field)
                binding.put(record, attribute, part)
            if known < len(document) and not self.ignores_unknown:
                names = {field.name for field in node.fields}
                unknown = next(key for key in document if key not in names)
                raise InvalidValue("", f"unknown field {short_repr(unknown)} of {class_.__name__}")
            return record

        made.add_recursive(node, read)
        attributes = binding.attributes[node.name]
        for field, attribute in zip(node.fields, attributes, strict=True):
            parts.append((field, attribute, made.of(field.node)))
        return read

    def default_of(self, field: Field) -> Any:
        """The value of a field that is missing.

        Raises:
            InvalidValue: the field must not be missing.
        """
        if not self.form.fills_defaults:
            raise InvalidValue(field.name, "is missing")
        return default_of(self._binding, field, field.name)


def within(step: str, error: InvalidValue) -> InvalidValue:
    """The error of a part, with ``step`` at the front of its path."""
    path = error.path
    joint = "" if not path or path.startswith("[") else "."
    return InvalidValue(f"{step}{joint}{path}", error.reason)


def object_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object without repeated keys, since readers disagree about which value of a repeated key counts.

    Raises:
        InvalidValue: a key occurs twice.
    """
    found = dict(pairs)
    if len(found) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        twice = next(key for key in counts if counts[key] > 1)
        raise InvalidValue("", f"the key {short_repr(twice)} occurs twice in an object")
    return found


def shown(document: Any) -> str:
    """A document in the words of JSON, short enough for an error message."""
    match document:
        case None:
            return "null"
        case bool():
            return "true" if document else "false"
        case dict():
            return "an object"
        case list() | tuple():
            return "an array"
        case _:
            return short_repr(document)


def text_in(document: Any, expected: str) -> str:
    """Checks that the document is a string; ``expected`` names in the error what it should describe."""
    if not isinstance(document, str):
        raise InvalidValue("", f"expected {expected}, got {shown(document)}")
    return document


def number_out(value: float) -> float | str:
    """A float for JSON: text if it is not finite."""
    if value - value == 0:
        return value
    if value != value:  # noqa: PLR0124 [only NaN differs from itself]
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"


def number_in(document: Any) -> float:
    """A float from JSON: the opposite of ``number_out``."""
    if isinstance(document, str):
        if document in NOT_FINITE:
            return NOT_FINITE[document]
        names = ", ".join(f'"{name}"' for name in NOT_FINITE)
        raise InvalidValue("", f"expected a number or {names}; got {short_repr(document)}")
    if isinstance(document, bool) or not isinstance(document, (int, float)):
        raise InvalidValue("", f"expected a number, got {shown(document)}")
    number = scalars.double_of(document)
    if number - number != 0:
        # ``json`` reads ``1e999`` as infinity, and accepts the words NaN and Infinity as numbers.
        raise InvalidValue("", "expected a number that fits into a double")
    return number


def base_writer(node: Node) -> Convert:
    """A leaf as the value of its Avro type, checked."""
    return lambda value: to_base(node, value, "")


def typed_reader(binding: Binding, node: Node) -> Convert:
    """A function that converts a value of the Avro type to the logical type.

    It raises ``InvalidValue`` if the logical type does not have the value.
    """
    convert = from_base(binding, node)
    if convert is None:
        return lambda base: base

    def read(base: Any) -> Any:
        try:
            return convert(base)
        except InvalidAvro as error:
            raise InvalidValue("", str(error)) from None

    return read


def _array_writer(convert: Convert) -> Convert:
    def write(value: Any) -> list[Any]:
        return _items(convert, scalars.list_of(value))

    return write


def _array_reader(convert: Convert) -> Convert:
    def read(document: Any) -> list[Any]:
        if not isinstance(document, (list, tuple)):
            raise InvalidValue("", f"expected an array, got {shown(document)}")
        return _items(convert, document)

    return read


def _items(convert: Convert, items: list[Any] | tuple[Any, ...]) -> list[Any]:
    made: list[Any] = []
    for index, item in enumerate(items):
        try:
            made.append(convert(item))
        except InvalidValue as error:
            raise within(f"[{index}]", error) from None
    return made


def _map_writer(convert: Convert) -> Convert:
    def write(value: Any) -> dict[str, Any]:
        return _entries(convert, scalars.dict_of(value))

    return write


def _map_reader(convert: Convert) -> Convert:
    def read(document: Any) -> dict[str, Any]:
        if not isinstance(document, dict):
            raise InvalidValue("", f"expected an object, got {shown(document)}")
        return _entries(convert, document)

    return read


def _entries(convert: Convert, entries: dict[Any, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key, item in entries.items():
        try:
            text = scalars.text_of(key)
        except InvalidValue as error:
            raise InvalidValue(f"[{short_repr(key)}] as a key", error.reason) from None
        try:
            made[text] = convert(item)
        except InvalidValue as error:
            raise within(f"[{short_repr(key)}]", error) from None
    return made


def _enum_writer(binding: Binding, node: Node) -> Convert:
    def write(value: Any) -> str:
        if not is_of(binding, node, value):
            expected = binding.classes[node.name].__name__
            raise InvalidValue("", f"expected {expected}, got {short_repr(value)}")
        symbol: str = value.value
        return symbol

    return write


def enum_reader(class_: Any, symbols: tuple[str, ...]) -> Convert:
    members = {symbol: class_(symbol) for symbol in symbols}

    def read(document: Any) -> Any:
        if isinstance(document, str) and document in members:
            return members[document]
        raise InvalidValue("", f"expected one of {', '.join(symbols)}; got {shown(document)}")

    return read
