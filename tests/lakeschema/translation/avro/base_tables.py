"""Base tables, and the fields of their Avro schemas."""

from __future__ import annotations

import json
from typing import Any

from lakeschema.avro.model import is_nullable
from lakeschema.avro.parsing import parse_schema
from lakeschema.avro.printing import to_json, to_text
from lakeschema.catalog.column_types import (
    StructType,
    parse_type,
    print_type,
)
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Column, Relation
from lakeschema.translation.avro.base_table import LITERAL, base_table_interface
from lakeschema.translation.model.interface import Interface, Options

OPTIONS = Options()


def table(columns: str = "", literal: Any = None, **facts: Any) -> Relation:
    parsed = parse_type(f"struct<{columns}>")
    assert isinstance(parsed, StructType)
    properties = dict(facts.pop("properties", {}))
    if literal is not None:
        properties[LITERAL] = literal if isinstance(literal, str) else json.dumps(literal)
    return Relation(
        RelationName.of("db", "user_events"),
        tuple(Column(f.name, f.type, f.comment, f.nullable) for f in parsed.fields),
        properties=properties,
        **facts,
    )


def record(*fields: Any, **attributes: Any) -> dict[str, Any]:
    return {"type": "record", "name": "R", "namespace": "n", "fields": list(fields), **attributes}


def field(name: str, type_: Any, **attributes: Any) -> dict[str, Any]:
    return {"name": name, "type": type_, **attributes}


def optional(name: str, type_: Any, **attributes: Any) -> dict[str, Any]:
    return {"name": name, "type": ["null", type_], "default": None, **attributes}


def interface(relation: Relation, options: Options = OPTIONS) -> Interface:
    found = base_table_interface(relation, options)
    assert len(found.columns) == len(found.schema.fields)
    assert [c.nullable for c in found.columns] == [is_nullable(f.type) for f in found.schema.fields]
    assert parse_schema(to_text(found.schema)) == found.schema
    return found


def fields_of(relation: Relation, options: Options = OPTIONS) -> Any:
    schema: Any = to_json(interface(relation, options).schema)
    return schema["fields"]


def types_of(relation: Relation) -> dict[str, str]:
    return {column.name: print_type(column.type) for column in interface(relation).columns}
