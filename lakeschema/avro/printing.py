"""Prints a ``Schema`` as JSON: equal schemas give equal text, which ``parse_schema`` reads.

A named type is printed in full at its first occurrence, and by its full name afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from lakeschema.avro.json_text import compact
from lakeschema.avro.model import (
    Array,
    EnumSchema,
    Field,
    Fixed,
    Json,
    LogicalType,
    MapSchema,
    NamedSchema,
    NoDefault,
    Primitive,
    Record,
    Reference,
    Schema,
    Union,
)


def to_json(schema: Schema) -> Json:
    """The schema as JSON values.

    A namespace is printed if it differs from the enclosing namespace. Objects in defaults and properties
    are ordered by key.
    """
    return _json(schema, "", set())


def to_text(schema: Schema) -> str:
    """The schema as compact JSON text, in Unicode."""
    return compact(to_json(schema))


def _json(schema: Schema, namespace: str, seen: set[str]) -> Json:
    match schema:
        case Primitive(name, logical, properties):
            if logical is None and not properties:
                return name
            return _with_properties({"type": name, **_logical(logical)}, properties)
        case Reference(full_name):
            return full_name
        case Union(branches):
            return [_json(branch, namespace, seen) for branch in branches]
        case Array(items, properties):
            items_json = _json(items, namespace, seen)
            return _with_properties({"type": "array", "items": items_json}, properties)
        case MapSchema(values, properties):
            values_json = _json(values, namespace, seen)
            return _with_properties({"type": "map", "values": values_json}, properties)
        case Record() | EnumSchema() | Fixed():
            if schema.full_name in seen:
                return schema.full_name
            seen.add(schema.full_name)
            return _definition(schema, namespace, seen)
        case _:
            assert_never(schema)


def _definition(schema: NamedSchema, namespace: str, seen: set[str]) -> Json:
    match schema:
        case Record(fields=fields):
            node = _head("record", schema, namespace)
            node["fields"] = [_field(field, schema.namespace, seen) for field in fields]
        case EnumSchema(symbols=symbols, default=default):
            node = _head("enum", schema, namespace)
            node["symbols"] = list(symbols)
            if default is not None:
                node["default"] = default
        case Fixed(size=size, logical=logical):
            node = _head("fixed", schema, namespace) | {"size": size} | _logical(logical)
        case _:
            assert_never(schema)
    return _with_properties(node, schema.properties)


def _head(kind: str, schema: NamedSchema, namespace: str) -> dict[str, Json]:
    node: dict[str, Json] = {"type": kind, "name": schema.name}
    if schema.namespace != namespace:
        node["namespace"] = schema.namespace
    if schema.doc is not None:
        node["doc"] = schema.doc
    if schema.aliases:
        # Inside a namespace, an alias without namespace can only be written like this. Java's writer
        # does the same, and leaves its meaning to the reader.
        node["aliases"] = list(schema.aliases)
    return node


def _field(field: Field, namespace: str, seen: set[str]) -> Json:
    node: dict[str, Json] = {"name": field.name, "type": _json(field.type, namespace, seen)}
    if not isinstance(field.default, NoDefault):
        node["default"] = _sort_keys(field.default)
    if field.doc is not None:
        node["doc"] = field.doc
    if field.aliases:
        node["aliases"] = list(field.aliases)
    if field.order != "ascending":
        node["order"] = field.order
    return _with_properties(node, field.properties)


def _logical(logical: LogicalType | None) -> dict[str, Json]:
    if logical is None:
        return {}
    if logical.precision is None:
        return {"logicalType": logical.name}
    return {
        "logicalType": logical.name,
        "precision": logical.precision,
        "scale": logical.scale,
    }


def _with_properties(node: dict[str, Json], properties: Mapping[str, Json]) -> dict[str, Json]:
    if not properties:
        return node
    for key in sorted(properties):
        if key in node:
            raise ValueError(f"property {key!r} hides an attribute of the same name")
        node[key] = _sort_keys(properties[key])
    return node


def _sort_keys(value: Json) -> Json:
    match value:
        case dict():
            return {key: _sort_keys(value[key]) for key in sorted(value)}
        case list():
            return [_sort_keys(item) for item in value]
        case _:
            return value
