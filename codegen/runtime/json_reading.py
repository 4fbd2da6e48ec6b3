"""The source of functions that make records of JSON text: see ``json_code``.

An object is a tuple of its pairs of key and value, in the order of the text. Most texts have a record's fields in the
schema's order, so no dict is needed to find them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

from . import json_moments
from .binding import Binding
from .errors import InvalidValue
from .frozen import FrozenMap, freeze
from .json_code import Part, Source, attribute_of, chained, number_part
from .json_documents import Readers, object_of
from .schema import MAX_DIGITS, Field, Node, by_field_names

Pairs: TypeAlias = tuple[tuple[str, Any], ...]
_ABSENT: Final = object()
_SPACES: Final = " \t\n\r"
_DECODER: Final[Any] = json.JSONDecoder(object_pairs_hook=tuple)
_scan: Final = _DECODER.scan_once
_MOMENTS: Final[dict[str, Callable[[str], Any]]] = {
    "date": json_moments.date_in,
    "time-millis": json_moments.whole_millis(json_moments.time_in),
    "time-micros": json_moments.time_in,
    "timestamp-millis": json_moments.whole_millis(json_moments.moment_in),
    "timestamp-micros": json_moments.moment_in,
    "local-timestamp-millis": json_moments.whole_millis(json_moments.local_in),
    "local-timestamp-micros": json_moments.local_in,
}


def json_reader(binding: Binding, root: Node, readers: Readers) -> Callable[[Any], Any]:
    """A function that makes a record of JSON text or UTF-8, or raises any exception."""
    read = _Code(binding, readers).function(root)
    scan = _scan

    def read_text(text: Any) -> Any:
        if type(text) is bytes:
            text = text.decode()
        elif not text.isascii():
            # Encoding fails if a surrogate is unpaired.
            text.encode()
        if "\\u" in text and ("\\ud" in text or "\\uD" in text):
            raise ValueError
        if len(text) > MAX_DIGITS and _has_long_number(text):
            raise ValueError
        text = text.strip(_SPACES)
        found, end = scan(text, 0)
        if end != len(text) or type(found) is not tuple:
            raise ValueError
        return read(found)

    return read_text


def _has_long_number(text: str) -> bool:
    """Whether the text may have a number of more than ``MAX_DIGITS`` digits.

    Looks at one character in every ``MAX_DIGITS + 1``. Any such number contains one of these
    characters, with half of the number's digits on one side of it.
    """
    step, half = MAX_DIGITS + 1, MAX_DIGITS // 2
    return any(
        text[place].isdigit()
        and (text[place : place + half].isdigit() or text[max(place - half, 0) : place].isdigit())
        for place in range(0, len(text), step)
    )


class _Code:
    def __init__(self, binding: Binding, readers: Readers) -> None:
        self._binding = binding
        self._form = readers.form
        self._readers = readers
        self._source = Source()
        self._functions: dict[str, str] = {}
        self._waiting: list[Node] = []
        name_of = self._source.name_of
        self._new, self._absent = name_of(object.__new__), name_of(_ABSENT)
        self._map = name_of(_frozen_map if binding.immutable else _map)

    def function(self, root: Node) -> Callable[[Pairs], Any]:
        read = self._record(root)
        while self._waiting:
            self._render(self._waiting.pop())
        found: Callable[[Pairs], Any] = self._source.compile(read)
        return found

    def _record(self, node: Node) -> str:
        """The name of a record's function."""
        name = self._functions.get(node.name)
        if name is None:
            name = self._functions[node.name] = f"read_{len(self._functions)}"
            self._waiting.append(node)
        return name

    def _render(self, node: Node) -> None:
        of, add = self._source.name_of, self._source.add
        class_: Any = self._binding.classes[node.name]
        immutable = self._binding.immutable
        drawn = of(_draft(class_) if immutable else class_)
        count = len(node.fields)
        keys = "".join(f"k{n}," for n in range(count))
        values = "".join(f"x{n}," for n in range(count))
        names = tuple(field.name for field in node.fields)
        fetched = f"{of(self._fetcher(node))}(p)"
        add(f"def {self._functions[node.name]}(p):")
        if count:
            pairs = "".join(f"(k{n},x{n})," for n in range(count))
            add(f" if len(p)=={count}:", f"  {pairs}=p")
            add(f"  if ({keys})!={of(names)}:{values}={fetched}", f" else:{values}={fetched}")
        else:
            add(f" if p:{fetched}")
        add(f" o={self._new}({drawn})")
        attributes = self._binding.attributes[node.name]
        for n, (field, attribute) in enumerate(zip(node.fields, attributes, strict=True)):
            value = self._value(field.node, f"x{n}")
            if _absent_value(field) is _ABSENT and self._form.fills_defaults and field.has_default:
                value = f"{of(self._default(field))}() if x{n} is {self._absent} else {value}"
            add(f" {attribute_of('o', attribute)}={value}")
        if immutable:
            add(f" o.__class__={of(class_)}")
        add(" return o")

    def _fetcher(self, node: Node) -> Callable[[Pairs], Sequence[Any]]:
        """Finds a record's values in an object with other keys, or with keys in another order."""
        fills = self._form.fills_defaults
        absent = {f.name: _absent_value(f) if fills else _ABSENT for f in node.fields}
        ignores_unknown = self._readers.ignores_unknown

        def fetch(pairs: Pairs) -> Sequence[Any]:
            given = dict(pairs)
            found = by_field_names(node, given)
            unknown = found.keys() - absent.keys()
            if len(given) < len(pairs) or (unknown and not ignores_unknown):
                raise InvalidValue("", "a key is unknown or occurs twice")
            for key in unknown:
                # Ignored values must not repeat a key, either.
                _document(found[key])
            return [found.get(name, value) for name, value in absent.items()]

        return fetch

    def _value(self, node: Node, name: str) -> str:
        parts: list[Part] = []
        for branch in self._branches(node):
            part = self._part(branch, name)
            if part is None:
                continue
            if node.kind == "union" and self._form.tags_all and branch.kind != "null":
                part = self._tagged(branch, name)
            if part is not None:
                parts.append(part)
        return chained(parts, f"{self._source.name_of(self._slow(node))}({name})")

    def _branches(self, node: Node) -> Sequence[Node]:
        """The types to distinguish by the JSON value's class; empty if the ``Readers`` must do it."""
        if node.kind != "union":
            return (node,)
        is_short = len(node.branches) <= _MAX_TAGGED or not self._form.tags_all
        return node.branches if is_short and self._form.is_told_by_class(node) else ()

    def _tagged(self, branch: Node, name: str) -> Part | None:
        inner = self._source.variable()
        part = self._part(branch, inner)
        if part is None:
            return None
        tag = self._source.name_of(branch.title)
        is_tagged = f"type({name}) is tuple and len({name})==1 and {name}[0][0]=={tag}"
        return Part(f"{is_tagged} and (({inner}:={name}[0][1]),{part.condition})[1]", part.result)

    def _part(self, node: Node, name: str) -> Part | None:
        """The code for a type; None if the ``Readers`` read all its values."""
        if node.logical:
            return self._logical(node, name)
        of = self._source.name_of
        match node.kind:
            case "null":
                return Part(f"{name} is None", "None")
            case "boolean":
                return Part(f"type({name}) is bool", name)
            case "float" if self._form.tags_all:
                # The general reader rounds to 32 bits.
                return None
            case "int" | "long" | "float" | "double":
                return number_part(node.kind, name, name)
            case "string":
                return Part(f"type({name}) is str", name)
            case "enum":
                class_: Any = self._binding.classes[node.name]
                members = of({symbol: class_(symbol) for symbol in node.symbols})
                return Part(f"type({name}) is str and {name} in {members}", f"{members}[{name}]")
            case "record":
                return Part(f"type({name}) is tuple", f"{self._record(node)}({name})")
            case "array" if node.map_form != "dict":
                item = self._source.variable()
                items = f"[{self._value(node.items, item)} for {item} in {name}]"
                if self._binding.immutable:
                    items = f"{of(tuple)}({items})"
                return Part(f"type({name}) is list", items)
            case "map":
                key, item = self._source.variable(), self._source.variable()
                value = self._value(node.items, item)
                entries = f"{{{key}:{value} for {key},{item} in {name}}}"
                return Part(f"type({name}) is tuple", f"{self._map}({name},{entries})")
            case _:
                return None

    def _logical(self, node: Node, name: str) -> Part | None:
        if self._form.tags_all:
            return None
        if node.logical == "decimal":
            if not node.scale:
                return None
            read: Callable[[str], Any] = json_moments.decimal_in(node.precision, node.scale)
        elif node.logical in _MOMENTS:
            read = _MOMENTS[node.logical]
        else:
            return None
        value = self._source.variable()
        found = f"({value}:={self._source.name_of(read)}({name})) is not None"
        return Part(f"type({name}) is str and {found}", value)

    def _slow(self, node: Node) -> Callable[[Any], Any]:
        def read(given: Any) -> Any:
            return self._frozen(self._readers.of(node)(_document(given)))

        return read

    def _default(self, field: Field) -> Callable[[], Any]:
        return lambda: self._frozen(self._readers.default_of(field))

    def _frozen(self, value: Any) -> Any:
        return freeze(value) if self._binding.immutable else value


_MAX_TAGGED: Final = 4


def _draft(record_class: Any) -> type:
    """A class for records under construction: the same slots as the record's, but not frozen."""
    return type("Draft", (), {"__slots__": record_class.__slots__})


def _absent_value(field: Field) -> Any:
    """The value of an absent field.

    It is ``None`` if the type is a union and the default null; otherwise a mark.
    """
    is_null = field.has_default and field.default is None and field.node.kind == "union"
    return None if is_null else _ABSENT


def _document(given: Any) -> Any:
    """The value in the form of ``json.loads``."""
    match given:
        case tuple():
            return object_of([(key, _document(value)) for key, value in given])
        case list():
            return [_document(value) for value in given]
        case _:
            return given


def _map(pairs: Pairs, entries: dict[str, Any]) -> dict[str, Any]:
    if len(entries) < len(pairs):
        raise InvalidValue("", "a key occurs twice")
    return entries


def _frozen_map(pairs: Pairs, entries: dict[str, Any]) -> dict[str, Any]:
    return FrozenMap(_map(pairs, entries))
