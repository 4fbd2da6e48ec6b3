"""Parses schema text into nodes at run time: other writers' schemas, and this package's own.

A named type is one node, however often it is referenced, so that a recursive schema is a graph.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from typing import Any, Final

from .errors import AvroError, short_repr

PRIMITIVES: Final = frozenset(
    {"null", "boolean", "int", "long", "float", "double", "bytes", "string"}
)

# The types that each logical type may annotate. By the specification, other types ignore it.
_LOGICAL: Final[dict[str, frozenset[str]]] = {
    "date": frozenset({"int"}),
    "time-millis": frozenset({"int"}),
    "time-micros": frozenset({"long"}),
    "timestamp-millis": frozenset({"long"}),
    "timestamp-micros": frozenset({"long"}),
    "local-timestamp-millis": frozenset({"long"}),
    "local-timestamp-micros": frozenset({"long"}),
    "day-time-interval-micros": frozenset({"long"}),
    "uuid": frozenset({"string", "fixed"}),
    "duration": frozenset({"fixed"}),
    "decimal": frozenset({"bytes", "fixed"}),
}
# Values of these types stay ints, and must not be read as microseconds.
_NANOS: Final = frozenset({"timestamp-nanos", "local-timestamp-nanos"})
_SIZES: Final = {"uuid": 16, "duration": 12}
MAX_DIGITS: Final = 1000


_RESERVED: Final = frozenset(
    {"aliases", "doc", "fields", "items", "name", "namespace", "size", "symbols", "type", "values"}
)
_RESERVED_IN_ENUMS: Final = _RESERVED | {"default"}
_RESERVED_IN_FIELDS: Final = frozenset({"aliases", "default", "doc", "name", "order", "type"})


class Field:
    """A field of a record.

    ``properties``, here and in ``Node``, are those unknown to the specification, as JSON text.

    ``column`` is the name of the column, which may have characters that Avro's names cannot have.
    """

    __slots__ = (
        "aliases", "column", "default", "has_default", "name", "node", "order", "properties",
    )  # fmt: skip

    def __init__(self, name: str, node: Node, document: dict[str, Any]) -> None:
        original = document.get("original-name")
        self.name = name
        self.column = original if isinstance(original, str) and original else name
        self.node = node
        self.aliases = tuple(str(alias) for alias in document.get("aliases") or ())
        self.has_default = "default" in document
        self.default = _float_default(node, document.get("default"))
        self.order = document.get("order", "ascending")
        self.properties = _properties(document, _RESERVED_IN_FIELDS)


class Node:
    """A type. ``kind`` says which of the other attributes apply.

    ``name`` is the full name of a named type; ``logical`` is "" without a logical type that this
    package maps to a class. ``meaning`` is a number's unit: a logical type and its scale, or None.
    ``map_form`` is set for an array that declares itself a map and has records of a key and a value.
    It is "dict" if its Python values are dicts, else "list".
    """

    __slots__ = (
        "aliases", "branches", "default", "fields", "items", "kind", "logical", "map_form",
        "meaning", "name", "precision", "properties", "scale", "size", "symbols",
    )  # fmt: skip

    def __init__(self, kind: str, name: str = "", aliases: tuple[str, ...] = ()) -> None:
        self.kind = kind
        self.name = name
        self.aliases = aliases
        self.logical = ""
        self.map_form = ""
        self.meaning: tuple[str, int] | None = None
        self.precision = 0
        self.properties = ""
        self.scale = 0
        self.size = 0
        self.symbols: tuple[str, ...] = ()
        self.default: str | None = None
        self.items: Node = self
        self.branches: tuple[Node, ...] = ()
        self.fields: tuple[Field, ...] = ()

    @property
    def title(self) -> str:
        """The type's name in messages and ``(name, value)`` pairs."""
        return self.name or self.kind


_NOT_FINITE: Final = frozenset({"NaN", "Infinity", "-Infinity"})


def _float_default(node: Node, default: Any) -> Any:
    """A field's default. The text "NaN" or an infinity becomes a float, as in Java, except in unions."""
    is_text = node.kind in {"float", "double"} and isinstance(default, str)
    return float(default) if is_text and default in _NOT_FINITE else default


@functools.lru_cache(1_000)
def other_names(record: Node) -> Mapping[str, str]:
    """Maps aliases, and column names that Avro does not allow, to the names of fields."""
    names = {field.name for field in record.fields}
    found: dict[str, str] = {}
    for field in record.fields:
        for other in (field.column, *field.aliases):
            if other not in names:
                found.setdefault(other, field.name)
    return found


def by_field_names(record: Node, values: Mapping[str, Any]) -> Mapping[str, Any]:
    """The values of a record by fields' names; a field's own name wins over its other names."""
    renamed: dict[str, str] = {}
    for other, name in other_names(record).items():
        if other in values and name not in values and name not in renamed.values():
            renamed[other] = name
    if not renamed:
        return values
    return {renamed.get(key, key): value for key, value in values.items()}


class MalformedSchema(AvroError):
    """Text that is not an Avro schema."""


def parse(text: str) -> Node:
    """Reads a schema.

    Raises:
        MalformedSchema: the text is not an Avro schema.
    """
    try:
        document: Any = json.loads(text)
        return _Reader().node(document, "")
    except RecursionError:
        raise MalformedSchema("the schema is nested too deeply") from None
    except MemoryError:
        raise MalformedSchema("the schema does not fit into memory") from None
    except json.JSONDecodeError as error:
        raise MalformedSchema(f"the schema is not JSON: {error}") from None
    except AvroError:
        raise
    except (TypeError, ValueError) as error:
        # A property has another type than in the specification, or a number has too many digits.
        raise MalformedSchema(f"the schema has an invalid property: {error}") from None


class _Reader:
    def __init__(self) -> None:
        self._named: dict[str, Node] = {}

    def node(self, document: Any, namespace: str) -> Node:
        if isinstance(document, str):
            if document in PRIMITIVES:
                return Node(document)
            full = document if "." in document or not namespace else f"{namespace}.{document}"
            found = self._named.get(full) or self._named.get(document)
            if found is None:
                raise MalformedSchema(f"undefined type {short_repr(document)}")
            return found
        if isinstance(document, list):
            union = Node("union")
            union.branches = tuple(self.node(branch, namespace) for branch in document)
            if any(branch.kind == "union" for branch in union.branches):
                raise MalformedSchema("union directly within a union")
            return union
        if not isinstance(document, dict):
            raise MalformedSchema(f"expected a schema, got {short_repr(document)}")
        kind = document.get("type")
        if isinstance(kind, (dict, list)):
            return self.node(kind, namespace)
        if kind == "array":
            array = Node("array")
            array.items = self.node(_required(document, "items"), namespace)
            array.properties = _properties(document, _RESERVED)
            array.map_form = "list" if _is_key_value(array.items, document) else ""
            return array
        if kind == "map":
            map_ = Node("map")
            map_.items = self.node(_required(document, "values"), namespace)
            map_.properties = _properties(document, _RESERVED)
            return map_
        if kind in {"record", "error"}:
            return self._record(document, namespace)
        if kind == "enum":
            return self._enum(document, namespace)
        if kind == "fixed":
            return self._fixed(document, namespace)
        if not isinstance(kind, str):
            raise MalformedSchema("a schema has no 'type'")
        if kind not in PRIMITIVES:
            return self.node(kind, namespace)
        primitive = Node(kind)
        primitive.properties = _properties(document, _RESERVED)
        _annotate(primitive, document)
        return primitive

    def _record(self, document: dict[str, Any], namespace: str) -> Node:
        record, space = self._named_node("record", document, namespace)
        fields: list[Field] = []
        for item in _list(document, "fields"):
            if not isinstance(item, dict):
                raise MalformedSchema(
                    f"expected an object for a field of {record.name}, got {short_repr(item)}"
                )
            name = _text(item, "name")
            fields.append(Field(name, self.node(_required(item, "type"), space), item))
        if len({field.name for field in fields}) != len(fields):
            raise MalformedSchema(f"{record.name} has two fields of one name")
        record.fields = tuple(fields)
        return record

    def _enum(self, document: dict[str, Any], namespace: str) -> Node:
        enum, _ = self._named_node("enum", document, namespace)
        enum.symbols = tuple(str(symbol) for symbol in _list(document, "symbols"))
        default = document.get("default")
        enum.default = default if isinstance(default, str) else None
        return enum

    def _fixed(self, document: dict[str, Any], namespace: str) -> Node:
        fixed, _ = self._named_node("fixed", document, namespace)
        size = _required(document, "size")
        if type(size) is not int or size < 0:
            raise MalformedSchema(
                f"expected a non-negative int as size of {fixed.name}, got {short_repr(size)}"
            )
        fixed.size = size
        _annotate(fixed, document)
        return fixed

    def _named_node(self, kind: str, document: dict[str, Any], namespace: str) -> tuple[Node, str]:
        name = _text(document, "name")
        if "." in name:
            space = name.rpartition(".")[0]
            full = name
        else:
            stated = document.get("namespace")
            space = stated if isinstance(stated, str) else namespace
            full = f"{space}.{name}" if space else name
        if full in self._named:
            raise MalformedSchema(f"the schema has two definitions of {full}")
        aliases = tuple(
            alias if "." in alias or not space else f"{space}.{alias}"
            for alias in map(str, document.get("aliases") or ())
        )
        node = Node(kind, full, aliases)
        reserved = _RESERVED_IN_ENUMS if kind == "enum" else _RESERVED
        node.properties = _properties(document, reserved)
        self._named[full] = node
        return node, space


def _is_key_value(items: Node, document: dict[str, Any]) -> bool:
    names = [field.name for field in items.fields]
    return document.get("logicalType") == "map" and names == ["key", "value"]


def _annotate(node: Node, document: dict[str, Any]) -> None:
    logical = document.get("logicalType")
    if not isinstance(logical, str):
        return
    if logical in _NANOS and node.kind == "long":
        node.meaning = logical, 0
    if node.kind not in _LOGICAL.get(logical, ()):
        return
    if node.kind == "fixed" and _SIZES.get(logical, node.size) != node.size:
        return
    if logical == "decimal":
        precision, scale = document.get("precision"), document.get("scale", 0)
        if type(precision) is not int or type(scale) is not int:
            return
        if not (0 < precision <= MAX_DIGITS and 0 <= scale <= precision):
            return
        if node.kind == "fixed" and 10**precision > 2 ** (8 * min(node.size, 1000) - 1):
            return
        node.precision, node.scale = precision, scale
    node.logical = logical
    node.meaning = logical, node.scale


def _properties(document: dict[str, Any], reserved: frozenset[str]) -> str:
    if document.keys() <= reserved:
        return ""
    return json.dumps({k: v for k, v in document.items() if k not in reserved}, sort_keys=True)


def _required(document: dict[str, Any], key: str) -> Any:
    if key not in document:
        raise MalformedSchema(f"a schema of type {short_repr(document.get('type'))} has no {key!r}")
    return document[key]


def _text(document: dict[str, Any], key: str) -> str:
    value = _required(document, key)
    if not isinstance(value, str):
        raise MalformedSchema(f"expected a string for {key!r}, got {short_repr(value)}")
    return value


def _list(document: dict[str, Any], key: str) -> list[Any]:
    value = _required(document, key)
    if not isinstance(value, list):
        raise MalformedSchema(f"expected a list for {key!r}, got {short_repr(value)}")
    return value
