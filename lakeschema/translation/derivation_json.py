"""Derivations as plain JSON values, for stores and for Spark's rows; read back equal."""

from __future__ import annotations

from typing import Any, assert_never

from lakeschema.avro.model import Record
from lakeschema.avro.parsing import parse_schema
from lakeschema.avro.printing import to_text
from lakeschema.catalog.facts_json import type_from_json, type_to_json
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Column
from lakeschema.translation.interface import (
    ColumnLineage,
    Derivation,
    Interface,
    OmittedColumn,
    ResolverFailure,
    Returns,
    ReturnsArgument,
    ReturnsRows,
    SourceColumn,
    UdfAnswer,
)


def derivation_to_json(derivation: Derivation) -> dict[str, Any]:
    """The schema is kept as its text, whose order of fields and properties matters."""
    return {
        "interface": interface_to_json(derivation.interface),
        "upstreams": [list(name.parts) for name in derivation.upstreams],
        "lineage": [
            [
                column.column,
                [[list(s.relation.parts), s.column, list(s.path)] for s in column.sources],
            ]
            for column in derivation.lineage
        ],
    }


def derivation_from_json(value: dict[str, Any]) -> Derivation:
    """Reads what ``derivation_to_json`` wrote; nothing else is accepted or repaired."""
    return Derivation(
        interface_from_json(value["interface"]),
        tuple(_name(parts) for parts in value["upstreams"]),
        tuple(
            ColumnLineage(
                column, tuple(SourceColumn(_name(r), c, tuple(path)) for r, c, path in sources)
            )
            for column, sources in value["lineage"]
        ),
    )


def interface_to_json(interface: Interface) -> dict[str, Any]:
    return {
        "name": list(interface.name.parts),
        "columns": [_column_to_json(column) for column in interface.columns],
        "schema": to_text(interface.schema),
        **({"omitted": omitted_to_json(interface)} if interface.omitted else {}),
    }


def omitted_to_json(interface: Interface) -> list[Any]:
    return [
        [each.position, _column_to_json(each.column), each.reason] for each in interface.omitted
    ]


def interface_from_json(value: dict[str, Any]) -> Interface:
    schema = parse_schema(value["schema"])
    assert isinstance(schema, Record)
    return Interface(
        _name(value["name"]),
        tuple(map(_column_from_json, value["columns"])),
        schema,
        tuple(
            OmittedColumn(position, _column_from_json(column), reason)
            for position, column, reason in value.get("omitted", ())
        ),
    )


def _column_to_json(column: Column) -> list[Any]:
    return [column.name, type_to_json(column.type), column.comment, column.nullable]


def _column_from_json(value: list[Any]) -> Column:
    name, type_, comment, nullable = value
    return Column(name, type_from_json(type_), comment, nullable)


def udf_to_json(udf: UdfAnswer) -> list[Any]:
    match udf:
        case Returns(type_):
            return ["returns", type_to_json(type_)]
        case ReturnsArgument(index):
            return ["returns_argument", index]
        case ReturnsRows(type_):
            return ["returns_rows", type_to_json(type_)]
        case ResolverFailure(reason):
            return ["failed", reason]
        case _:
            assert_never(udf)


def udf_from_json(value: list[Any]) -> UdfAnswer:
    match value:
        case ["returns", type_]:
            return Returns(type_from_json(type_))
        case ["returns_argument", int(index)]:
            return ReturnsArgument(index)
        case ["returns_rows", type_]:
            return ReturnsRows(type_from_json(type_))
        case ["failed", str(reason)]:
            return ResolverFailure(reason)
        case _:
            raise ValueError(f"not what a UDF returns: {value!r:.80}")


def _name(parts: list[str]) -> RelationName:
    *namespace, name = parts
    return RelationName(tuple(namespace), name)
