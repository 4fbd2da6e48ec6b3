"""Makes a view's record from derived fields; names nested types by place, and defines each once.

A nested type keeps its simple name, in the namespace of its parents' path. If two different types
would have the same full name, they are numbered.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import replace
from typing import assert_never

from lakeschema.avro.model import (
    Array,
    EnumSchema,
    Field,
    Fixed,
    MapSchema,
    NamedSchema,
    Primitive,
    Record,
    Reference,
    Schema,
    Union,
    full_name,
)
from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.avro.names import relation_namespace, type_name


def place_types(relation: RelationName, fields: Sequence[Field], doc: str | None) -> Record:
    """The view's record with all types placed; its namespace is ``db.view``."""
    name, namespace = type_name(relation.name), relation_namespace(relation)
    own = full_name(name, namespace)
    placer = _Placer(own)
    return Record(name, namespace, tuple(placer.field(f, own) for f in fields), doc)


class _Placer:
    def __init__(self, own: str) -> None:
        self._sources: dict[str, NamedSchema | None] = {own: None}
        self._open: dict[str, str] = {}

    def field(self, field: Field, parent: str) -> Field:
        type_ = self._type(field.type, parent)
        return field if type_ is field.type else replace(field, type=type_)

    def _type(self, schema: Schema, parent: str) -> Schema:
        match schema:
            case Primitive():
                return schema
            case Array(items):
                return replace(schema, items=self._type(items, parent))
            case MapSchema(values):
                return replace(schema, values=self._type(values, parent))
            case Union(branches):
                placed = tuple([self._type(branch, parent) for branch in branches])
                return schema if all(map(operator.is_, placed, branches)) else Union(placed)
            case Reference(name):
                # Only a recursive type still has a reference, inside its own definition.
                return Reference(self._open.get(name, name))
            case Record() | EnumSchema() | Fixed():
                return self._named(schema, parent)
            case _:
                assert_never(schema)

    def _named(self, schema: NamedSchema, parent: str) -> Schema:
        name, number = schema.name, 1
        while (known := self._sources.get(full_name(name, parent), schema)) != schema:
            number += 1
            name = f"{schema.name}_{number}"
        full = full_name(name, parent)
        if full in self._sources and known == schema:
            return Reference(full)
        self._sources[full] = schema
        if not isinstance(schema, Record):
            return replace(schema, name=name, namespace=parent)
        self._open[schema.full_name] = full
        fields = tuple(self.field(field, full) for field in schema.fields)
        return replace(schema, name=name, namespace=parent, fields=fields)
