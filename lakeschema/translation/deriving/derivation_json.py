"""Converts derivations to plain JSON values, for stores and Spark's rows, and back to equal values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, assert_never

from lakeschema.avro.model import Record
from lakeschema.avro.parsing import parse_schema
from lakeschema.avro.printing import to_text
from lakeschema.catalog.facts_json import type_from_json, type_to_json
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Column
from lakeschema.translation.model.clauses import Clause
from lakeschema.translation.model.interface import (
    ColumnLineage,
    Derivation,
    Influence,
    Interface,
    OmittedColumn,
    ResolverFailure,
    Returns,
    ReturnsArgument,
    ReturnsRows,
    SourceColumn,
    Transformation,
    UdfAnswer,
)


def derivation_to_json(derivation: Derivation) -> dict[str, Any]:
    """A derivation as JSON.

    The schema stays a text, because the order of its fields and properties matters. Earlier releases
    ignore the key ``influences``.
    """
    influences = {} if derivation.rows is None else {"influences": _influences_to_json(derivation)}
    return {
        "interface": interface_to_json(derivation.interface),
        "upstreams": [name.to_json() for name in derivation.upstreams],
        "lineage": [
            [
                column.column,
                [_source_to_json(source) for source in column.sources],
            ]
            for column in derivation.lineage
        ],
        **influences,
    }


def derivation_from_json(value: dict[str, Any]) -> Derivation:
    """Reads the output of ``derivation_to_json``; accepts and repairs nothing else."""
    lineage = lineage_from_json(value)
    return Derivation(
        interface_from_json(value["interface"]), lineage.upstreams, lineage.lineage, lineage.rows
    )


@dataclass(frozen=True, slots=True)
class StoredLineage:
    """The lineage part of a derivation.

    Attributes:
        columns: all columns, by their names in SQL; the columns of ``lineage`` come first, in order.
    """

    columns: tuple[str, ...]
    upstreams: tuple[RelationName, ...]
    lineage: tuple[ColumnLineage, ...]
    rows: tuple[Influence, ...] | None


def lineage_from_json(value: dict[str, Any]) -> StoredLineage:
    """The stored lineage; does not read the schema, which would take most of the time."""
    influences = value.get("influences")
    lineage = tuple(
        ColumnLineage(column, tuple(map(_source_from_json, sources)))
        for column, sources in value["lineage"]
    )
    if influences is not None:
        both = zip(lineage, influences["columns"], strict=True)
        lineage = tuple(_with_influences(column, found) for column, found in both)
    interface = value["interface"]
    omitted = (column for _, column, _ in interface.get("omitted", ()))
    return StoredLineage(
        tuple(column[0] for column in (*interface["columns"], *omitted)),
        tuple(RelationName.from_json(name) for name in value["upstreams"]),
        lineage,
        None if influences is None else tuple(map(_influence_from_json, influences["rows"])),
    )


def _influences_to_json(derivation: Derivation) -> dict[str, Any]:
    """The influences as JSON, with one entry for each column of the lineage, in its order."""
    return {
        "rows": [_influence_to_json(each) for each in derivation.rows or ()],
        "columns": [
            [
                column.expression,
                column.transformation.value,
                [_influence_to_json(each) for each in column.indirect],
            ]
            for column in derivation.lineage
        ],
    }


def _with_influences(column: ColumnLineage, found: list[Any]) -> ColumnLineage:
    expression, transformation, indirect = found
    return ColumnLineage(
        column.column,
        column.sources,
        tuple(map(_influence_from_json, indirect)),
        expression,
        Transformation(transformation),
    )


def _influence_to_json(influence: Influence) -> list[Any]:
    return [influence.clause.value, *_source_to_json(influence.source)]


def _influence_from_json(value: list[Any]) -> Influence:
    clause, *source = value
    return Influence(Clause(clause), _source_from_json(source))


def _source_to_json(source: SourceColumn) -> list[Any]:
    return [source.relation.to_json(), source.column, list(source.path)]


def _source_from_json(value: list[Any]) -> SourceColumn:
    relation, column, path = value
    return SourceColumn(RelationName.from_json(relation), column, tuple(path))


def interface_to_json(interface: Interface) -> dict[str, Any]:
    return {
        "name": interface.name.to_json(),
        "columns": [_column_to_json(column) for column in interface.columns],
        "schema": to_text(interface.schema),
        **({"omitted": omitted_to_json(interface)} if interface.omitted else {}),
        **({"has_capitals": True} if interface.has_capitals else {}),
    }


def omitted_to_json(interface: Interface) -> list[Any]:
    return [
        [each.position, _column_to_json(each.column), each.reason] for each in interface.omitted
    ]


def interface_from_json(value: dict[str, Any]) -> Interface:
    schema = parse_schema(value["schema"])
    assert isinstance(schema, Record)
    return Interface(
        RelationName.from_json(value["name"]),
        tuple(map(_column_from_json, value["columns"])),
        schema,
        tuple(
            OmittedColumn(position, _column_from_json(column), reason)
            for position, column, reason in value.get("omitted", ())
        ),
        value.get("has_capitals", False),
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
