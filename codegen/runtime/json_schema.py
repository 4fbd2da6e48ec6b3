"""JSON Schema (2020-12) of the plain JSON of a package's types.

With ``mode`` "validation" it describes the JSON that ``from_json`` reads, with "serialization" the JSON
that ``to_json`` writes. They differ in the keys that may be missing and in the forms of decimals.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from .binding import Binding
from .class_schemas import definitions
from .errors import AvroError
from .json_plain import needs_tags
from .json_text import part_writer
from .plain import from_default
from .schema import Field, Node
from .varints import INT_MAX, INT_MIN, LONG_MAX, LONG_MIN

Json = dict[str, Any]

_TEXTS: Final[Mapping[str, Json]] = {
    "date": {"format": "date"},
    "time-millis": {"format": "time"},
    "time-micros": {"format": "time"},
    "timestamp-millis": {"format": "date-time"},
    "timestamp-micros": {"format": "date-time"},
    # JSON Schema's formats follow RFC 3339, in which every moment has an offset.
    "local-timestamp-millis": {"pattern": r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,6})?$"},
    "local-timestamp-micros": {"pattern": r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,6})?$"},
    "day-time-interval-micros": {"examples": ["P3DT4.500000S"]},
    "duration": {"examples": ["P14M3DT1.500S"]},
    "uuid": {"format": "uuid"},
}
_NOT_FINITE: Final[Json] = {"enum": ["NaN", "Infinity", "-Infinity"]}


class JsonSchemas:
    """The schemas of one package's types; ``reference`` gives the schema of a named type."""

    def __init__(self, binding: Binding, mode: str, reference: Callable[[Node], Json]) -> None:
        self._binding = binding
        self._reads = mode == "validation"
        self._reference = reference

    def definition(self, node: Node) -> Json:
        """A record, or an enum, in full."""
        stated = definitions(self._binding)[node.name]
        named: Json = {"title": self._binding.classes[node.name].__name__}
        if isinstance(stated.get("doc"), str):
            named["description"] = stated["doc"]
        if node.kind == "enum":
            return {**named, "type": "string", "enum": [*node.symbols]}
        docs = [field.get("doc") for field in stated["fields"]]
        return {**named, **self._object(node, docs)}

    def _object(self, node: Node, docs: list[Any]) -> Json:
        properties = {
            field.name: self._property(field, doc)
            for field, doc in zip(node.fields, docs, strict=True)
        }
        found: Json = {"type": "object", "properties": properties, "additionalProperties": False}
        required = [f.name for f in node.fields if not (self._reads and f.has_default)]
        return {**found, "required": required} if required else found

    def _property(self, field: Field, doc: Any) -> Json:
        found = self.of(field.node)
        if isinstance(doc, str):
            found = {**found, "description": doc}
        if self._reads and field.has_default:
            try:
                value = from_default(self._binding, field.node, field.default)
                found = {**found, "default": part_writer(self._binding, field.node)(value)}
            except AvroError:
                pass
        return found

    def of(self, node: Node) -> Json:
        match node.kind:
            case "enum":
                return self._reference(node)
            case "record" if node.name in self._binding.readers:
                return self._reference(node)
            case "record":
                # A record of a map's entries, for which the package has no class.
                return self._object(node, [None] * len(node.fields))
            case "array":
                return {"type": "array", "items": self.of(node.items)}
            case "map":
                return {"type": "object", "additionalProperties": self.of(node.items)}
            case "union":
                return self._union(node)
            case _:
                return self._leaf(node)

    def _union(self, union: Node) -> Json:
        branches = [(branch, self.of(branch)) for branch in union.branches]
        if not needs_tags(union):
            return {"anyOf": [found for _, found in branches]}
        untagged = [found for branch, found in branches if branch.kind not in {"record", "map"}]
        tagged = [
            {
                "type": "object",
                "properties": {branch.title: found},
                "required": [branch.title],
                "additionalProperties": False,
            }
            for branch, found in branches
            if branch.kind != "null"
        ]
        return {"anyOf": [*untagged, *tagged]}

    def _leaf(self, node: Node) -> Json:
        if node.logical == "decimal":
            return self._decimal(node)
        if node.logical:
            return {"type": "string", **_TEXTS[node.logical]}
        match node.kind:
            case "int":
                return {"type": "integer", "minimum": INT_MIN, "maximum": INT_MAX}
            case "long":
                return {"type": "integer", "minimum": LONG_MIN, "maximum": LONG_MAX}
            case "float" | "double":
                return {"anyOf": [{"type": "number"}, _NOT_FINITE]}
            case "bytes":
                return {"type": "string", "contentEncoding": "base64"}
            case "fixed":
                length = (node.size + 2) // 3 * 4
                of_base64 = {"contentEncoding": "base64", "minLength": length, "maxLength": length}
                return {"type": "string", **of_base64}
            case plain:
                return {"type": plain}

    def _decimal(self, node: Node) -> Json:
        if self._reads:
            # The reader checks which numbers fit.
            text = {"type": "string", "pattern": r"^[+-]?\d+(\.\d+)?([eE][+-]?\d{1,9})?$"}
            return {"anyOf": [text, {"type": "integer"}]}
        fraction = rf"\.\d{{{node.scale}}}" if node.scale else ""
        return {"type": "string", "pattern": rf"^-?\d+{fraction}$"}
