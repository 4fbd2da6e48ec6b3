"""Facts as JSON values, without loss, and the hash of that JSON's text."""

from __future__ import annotations

import hashlib
import json
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
    SchemaPointer,
    TableFormat,
    UnreadText,
    ViewText,
)
from lakeschema.catalog.sql_functions import Parameter, SqlFunction
from lakeschema.catalog.trino_types import own_leaf


def facts_hash(relation: Relation) -> str:
    """SHA-256, in hex, of the relation's facts: equal facts have equal hashes on any host."""
    text = json.dumps(facts_to_json(relation), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def have_equal_facts(before: Relation, after: Relation) -> bool:
    """Whether the facts are equal; always False if the schema has not been read."""
    return after.schema_pointer is None and facts_hash(before) == facts_hash(after)


def facts_to_json(relation: Relation) -> dict[str, Any]:
    """Facts as plain JSON values; ``facts_from_json`` reads them back."""
    view, unread = relation.view, relation.unread
    # Present only with a value, so that recorded hashes stay valid.
    unreadable = {} if relation.unreadable is None else {"unreadable": relation.unreadable}
    return {
        **unreadable,
        **_pointer_to_json(relation.schema_pointer),
        "name": relation.name.to_json(),
        "columns": [column_to_json(c) for c in relation.columns],
        "partition_columns": [column_to_json(c) for c in relation.partition_columns],
        "comment": relation.comment,
        "properties": dict(relation.properties),
        "serde": relation.serde,
        "serde_properties": dict(relation.serde_properties),
        "view": None if view is None else view_to_json(view),
        **({} if unread is None else {"unread": unread_to_json(unread)}),
    }


def facts_from_json(facts: dict[str, Any]) -> Relation:
    """Reads the output of ``facts_to_json``; other values may raise KeyError, TypeError or ValueError."""
    return Relation(
        name=RelationName.from_json(facts["name"]),
        columns=tuple(column_from_json(c) for c in facts["columns"]),
        partition_columns=tuple(column_from_json(c) for c in facts["partition_columns"]),
        comment=facts["comment"],
        properties=facts["properties"],
        serde=facts["serde"],
        serde_properties=facts["serde_properties"],
        view=None if facts["view"] is None else view_from_json(facts["view"]),
        unread=unread_from_json(facts.get("unread")),
        unreadable=facts.get("unreadable"),
        schema_pointer=_pointer_from_json(facts.get("schema_pointer")),
    )


def type_to_json(type_: ColumnType) -> Any:
    """A type as JSON values, including nullability and comments, which Hive's type text lacks."""
    match type_:
        case ArrayType(element, nullable):
            return ["array", type_to_json(element), nullable]
        case MapType(key, value, nullable):
            return ["map", type_to_json(key), type_to_json(value), nullable]
        case StructType(fields):
            return [
                "struct",
                [[f.name, type_to_json(f.type), f.nullable, f.comment] for f in fields],
            ]
        case Uniontype(branches):
            return ["uniontype", [type_to_json(b) for b in branches]]
        case _:
            return print_type(type_)


def type_from_json(value: Any) -> ColumnType:
    match value:
        case str():
            parsed = own_leaf(value) or parse_type_or_unknown(value)
            # A leaf that prints differently was never a printed type: it is unknown text.
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


def _pointer_to_json(pointer: SchemaPointer | None) -> dict[str, Any]:
    """The pointer as JSON. Facts contain a pointer only while the schema is not read."""
    if pointer is None:
        return {}
    return {"schema_pointer": [pointer.format.value, pointer.location]}


def _pointer_from_json(value: list[Any] | None) -> SchemaPointer | None:
    return None if value is None else SchemaPointer(TableFormat(value[0]), value[1])


def column_to_json(column: Column) -> list[Any]:
    # Present only if there are any, so that recorded hashes stay valid.
    former = [list(column.former_names)] if column.former_names else []
    return [column.name, type_to_json(column.type), column.comment, column.nullable, *former]


def column_from_json(value: list[Any]) -> Column:
    name, type_, comment, nullable, *former = value
    return Column(name, type_from_json(type_), comment, nullable, *map(tuple, former))


def unread_to_json(unread: UnreadText | None) -> list[str] | None:
    return None if unread is None else [unread.dialect, unread.text]


def unread_from_json(value: list[str] | None) -> UnreadText | None:
    return None if value is None else UnreadText(*value)


def view_to_json(view: ViewText) -> dict[str, Any]:
    return {
        "dialect": view.dialect.value,
        "text": view.text,
        "original_text": view.original_text,
        "current_namespace": list(view.current_namespace),
        "current_catalog": view.current_catalog,
        "schema_mode": view.schema_mode.value if view.schema_mode else None,
        "query_columns": list(view.query_columns),
        "sql_configs": dict(view.sql_configs),
        # Present only if there are any, so that recorded hashes stay valid.
        **({"functions": [_function_to_json(f) for f in view.functions]} if view.functions else {}),
    }


def view_from_json(value: dict[str, Any]) -> ViewText:
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
        functions=tuple(_function_from_json(f) for f in value.get("functions", ())),
    )


def _function_to_json(function: SqlFunction) -> dict[str, Any]:
    returns = function.returns
    return {
        "name": function.name.to_json(),
        "parameters": [_parameter_to_json(p) for p in function.parameters],
        "body": function.body,
        "is_table": function.is_table,
        "returns": None if returns is None else type_to_json(returns),
        "columns": [_parameter_to_json(c) for c in function.columns],
        "current_namespace": list(function.current_namespace),
        "current_catalog": function.current_catalog,
        "sql_configs": dict(function.sql_configs),
    }


def _function_from_json(value: dict[str, Any]) -> SqlFunction:
    returns = value["returns"]
    return SqlFunction(
        name=RelationName.from_json(value["name"]),
        parameters=tuple(_parameter_from_json(p) for p in value["parameters"]),
        body=value["body"],
        is_table=value["is_table"],
        returns=None if returns is None else type_from_json(returns),
        columns=tuple(_parameter_from_json(c) for c in value["columns"]),
        current_namespace=tuple(value["current_namespace"]),
        current_catalog=value["current_catalog"],
        sql_configs=value["sql_configs"],
    )


def _parameter_to_json(parameter: Parameter) -> list[Any]:
    return [parameter.name, type_to_json(parameter.type), parameter.default]


def _parameter_from_json(value: list[Any]) -> Parameter:
    name, type_, default = value
    return Parameter(name, type_from_json(type_), default)
