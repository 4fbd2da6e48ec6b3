"""Facts to JSON values and back, without loss; the text of it is what ``facts_hash`` hashes."""

from __future__ import annotations

from typing import Any

from lakeschema.catalog.column_types import (
    ArrayType,
    ColumnType,
    MapType,
    StructField,
    StructType,
    Uniontype,
    UnknownType,
    parse_type_or_unknown,
    print_type,
)
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import (
    Column,
    Dialect,
    Relation,
    SchemaMode,
    ViewText,
    facts_to_json,
    type_to_json,
)

__all__ = ["facts_from_json", "facts_to_json", "type_from_json", "type_to_json"]


def facts_from_json(facts: dict[str, Any]) -> Relation:
    """Reads what ``facts_to_json`` wrote; anything else may raise KeyError, TypeError or ValueError."""
    *namespace, name = facts["name"]
    return Relation(
        name=RelationName(tuple(namespace), name),
        columns=tuple(_column(c) for c in facts["columns"]),
        partition_columns=tuple(_column(c) for c in facts["partition_columns"]),
        comment=facts["comment"],
        properties=facts["properties"],
        serde=facts["serde"],
        serde_properties=facts["serde_properties"],
        view=None if facts["view"] is None else _view(facts["view"]),
        unreadable=facts.get("unreadable"),
    )


def type_from_json(value: Any) -> ColumnType:
    match value:
        case str():
            parsed = parse_type_or_unknown(value)
            # A leaf that prints differently was never printed from a type: it is unknown text.
            return parsed if print_type(parsed) == value else UnknownType(value)
        case ["array", element, nullable]:
            return ArrayType(type_from_json(element), nullable)
        case ["map", key, element, nullable]:
            return MapType(type_from_json(key), type_from_json(element), nullable)
        case ["struct", fields]:
            return StructType(
                tuple(StructField(n, type_from_json(t), null, doc) for n, t, null, doc in fields)
            )
        case ["uniontype", branches]:
            return Uniontype(tuple(type_from_json(branch) for branch in branches))
        case _:
            raise ValueError(f"not a type: {value!r:.80}")


def _column(value: list[Any]) -> Column:
    name, type_, comment, nullable = value
    return Column(name, type_from_json(type_), comment, nullable)


def _view(value: dict[str, Any]) -> ViewText:
    mode = value["schema_mode"]
    return ViewText(
        dialect=Dialect(value["dialect"]),
        text=value["text"],
        original_text=value["original_text"],
        current_namespace=tuple(value["current_namespace"]),
        current_catalog=value["current_catalog"],
        schema_mode=None if mode is None else SchemaMode(mode),
        query_columns=tuple(value["query_columns"]),
        sql_configs=value["sql_configs"],
    )
