"""The source of functions that make JSON text of records: see ``json_code``."""

from __future__ import annotations

import datetime as dt
import decimal
import uuid
from collections.abc import Callable, Sequence
from typing import Any, Final

from . import json_moments
from .binding import Binding
from .errors import InvalidValue
from .frozen import FrozenMap
from .json_code import Part, Source, attribute_of, chained, number_part, quote
from .json_documents import COMPACT, Writers
from .schema import Node

_MAX_PIECES: Final = 40
"""Of a text: Python compiles longer ones in quadratic time."""
_MOMENTS: Final[dict[str, tuple[type, Callable[[Any], str | None]]]] = {
    "date": (dt.date, json_moments.date_out),
    "time-millis": (dt.time, json_moments.of_millis(json_moments.time_out)),
    "time-micros": (dt.time, json_moments.time_out),
    "timestamp-millis": (dt.datetime, json_moments.of_millis(json_moments.moment_out)),
    "timestamp-micros": (dt.datetime, json_moments.moment_out),
    "local-timestamp-millis": (dt.datetime, json_moments.of_millis(json_moments.local_out)),
    "local-timestamp-micros": (dt.datetime, json_moments.local_out),
    "uuid": (uuid.UUID, json_moments.uuid_out),
}


def json_writer(binding: Binding, root: Node, writers: Writers) -> Callable[[Any], str]:
    """A function that makes compact JSON of a record, or raises any exception."""
    write = _Code(binding, writers).function(root)
    class_ = binding.classes[root.name]

    def write_text(record: Any) -> str:
        if not isinstance(record, class_):
            raise TypeError
        text = write(record)
        if not text.isascii():
            # Encoding fails if a surrogate is unpaired.
            text.encode()
        return text

    return write_text


class _Code:
    def __init__(self, binding: Binding, writers: Writers) -> None:
        self._binding = binding
        self._form = writers.form
        self._writers = writers
        self._source = Source()
        self._functions: dict[str, str] = {}
        self._waiting: list[Node] = []
        name_of = self._source.name_of
        self._quote, self._key, self._join = name_of(quote), name_of(_key), name_of(",".join)
        self._null, self._true, self._false = map(name_of, ("null", "true", "false"))
        self._brackets, self._braces = (name_of("["), name_of("]")), (name_of("{"), name_of("}"))
        self._list = name_of(tuple if binding.immutable else list)
        self._dict = name_of(FrozenMap if binding.immutable else dict)
        self._str, self._concatenated = name_of(str), name_of("".join)

    def function(self, root: Node) -> Callable[[Any], str]:
        write = self._record(root)
        while self._waiting:
            self._render(self._waiting.pop())
        found: Callable[[Any], str] = self._source.compile(write)
        return found

    def _record(self, node: Node) -> str:
        """The name of a record's function."""
        name = self._functions.get(node.name)
        if name is None:
            name = self._functions[node.name] = f"write_{len(self._functions)}"
            self._waiting.append(node)
        return name

    def _render(self, node: Node) -> None:
        pieces = []
        before = "{"
        attributes = self._binding.attributes[node.name]
        for field, attribute in zip(node.fields, attributes, strict=True):
            key = self._source.name_of(f"{before}{quote(field.name)}:")
            value = self._value(field.node, f"(x:={attribute_of('v', attribute)})", "x")
            # Without ``!s``, formatting a float takes twice as long.
            pieces.append(f"{{{key}}}{{({value})!s}}")
            before = ","
        pieces.append(f"{{{self._source.name_of('}' if pieces else '{}')}}}")
        texts = [
            f"f'{''.join(pieces[start : start + _MAX_PIECES])}'"
            for start in range(0, len(pieces), _MAX_PIECES)
        ]
        whole = texts[0] if len(texts) == 1 else f"{self._concatenated}(({','.join(texts)}))"
        self._source.add(f"def {self._functions[node.name]}(v):", f" return {whole}")

    def _value(self, node: Node, first: str, name: str, *, as_text: bool = False) -> str:
        """An expression for a value's JSON: a string or, unless ``as_text``, a number."""
        slow = self._source.name_of(self._slow(node))
        parts: list[Part] = []
        for branch in self._branches(node):
            part = self._part(branch, name if parts else first, name)
            if part is None:
                continue
            tagged = node.kind == "union" and self._form.tags_all and branch.kind != "null"
            if not part.is_text and (as_text or tagged):
                part = Part(part.condition, f"{self._str}({part.result})")
            if tagged:
                tag = self._source.name_of(f"{{{quote(branch.title)}:")
                part = Part(part.condition, f"{tag}+{part.result}+{self._braces[1]}")
            parts.append(part)
        return chained(parts, f"{slow}({name if parts else first})")

    def _branches(self, node: Node) -> Sequence[Node]:
        """The types that the class of a value tells apart."""
        if node.kind != "union":
            return (node,)
        return node.branches if self._form.is_told_by_class(node) else ()

    def _part(self, node: Node, first: str, name: str) -> Part | None:
        """The code for a type; None if the ``Writers`` write all its values."""
        if node.logical:
            return self._logical(node, first, name)
        of = self._source.name_of
        match node.kind:
            case "null":
                return Part(f"{first} is None", self._null)
            case "boolean":
                result = f"({self._true} if {name} else {self._false})"
                return Part(f"type({first}) is bool", result)
            case "int" | "long" | "float" | "double":
                return number_part(node.kind, first, name)
            case "string":
                return Part(f"type({first}) is str", f"{self._quote}({name})")
            case "enum":
                class_ = of(self._binding.classes[node.name])
                symbols = of({symbol: quote(symbol) for symbol in node.symbols})
                return Part(f"type({first}) is {class_}", f"{symbols}[{name}._value_]")
            case "record":
                class_ = of(self._binding.classes[node.name])
                return Part(f"type({first}) is {class_}", f"{self._record(node)}({name})")
            case "array" if node.map_form != "dict":
                item = self._source.variable()
                items = f"{self._join}([{self._value(node.items, item, item, as_text=True)} for {item} in {name}])"
                opening, closing = self._brackets
                return Part(f"type({first}) is {self._list}", f"{opening}+{items}+{closing}")
            case "map":
                key, item = self._source.variable(), self._source.variable()
                value = self._value(node.items, item, item, as_text=True)
                entry = f"{self._key}({key})+({value})"
                entries = f"{self._join}([{entry} for {key},{item} in {name}.items()])"
                opening, closing = self._braces
                return Part(f"type({first}) is {self._dict}", f"{opening}+{entries}+{closing}")
            case _:
                return None

    def _logical(self, node: Node, first: str, name: str) -> Part | None:
        if self._form.tags_all:
            return None
        if node.logical == "decimal":
            class_: type = decimal.Decimal
            write: Callable[[Any], str | None] = json_moments.decimal_out(
                node.precision, node.scale
            )
        elif node.logical in _MOMENTS:
            class_, write = _MOMENTS[node.logical]
        else:
            return None
        of = self._source.name_of
        text = self._source.variable()
        usual = f"type({first}) is {of(class_)} and ({text}:={of(write)}({name}))"
        return Part(usual, text)

    def _slow(self, node: Node) -> Callable[[Any], str]:
        return lambda value: COMPACT.encode(self._writers.of(node)(value))


def _key(key: object) -> str:
    if type(key) is not str:
        # Two different keys that are not plain strings may become the same text.
        raise InvalidValue("", "expected str")
    return f"{quote(key)}:"
