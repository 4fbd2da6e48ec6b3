"""Makes a table's interface, with its Avro schema, from the table's facts.

Some tables have an Avro schema in a property: the literal. The result is the literal, the literal
merged with the columns, or a schema made from the columns. Columns and fields match one to one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeAlias, TypeVar

from lakeschema.avro.definitions import definitions as definitions_of
from lakeschema.avro.definitions import parts
from lakeschema.avro.errors import MalformedAvroSchema
from lakeschema.avro.legal_names import legal_name
from lakeschema.avro.model import Field, NamedSchema, Record, is_nullable
from lakeschema.avro.omissions import with_omissions
from lakeschema.avro.parsing import InvalidDefaults, parse_schema
from lakeschema.catalog.column_types import (
    TIMESTAMP,
    TIMESTAMP_LOCAL,
    ColumnType,
    StructField,
    UnknownType,
    map_type,
)
from lakeschema.catalog.format_rules import as_read
from lakeschema.catalog.letter_case import have_capitals
from lakeschema.catalog.relations import Column, Relation, column_of
from lakeschema.translation.avro.base_table_merge import merge
from lakeschema.translation.avro.column_types import column_type_of
from lakeschema.translation.avro.iceberg_fields import with_iceberg_fields
from lakeschema.translation.avro.iceberg_names import other_names
from lakeschema.translation.avro.inexpressible import omissions, omitted_column
from lakeschema.translation.avro.names import (
    has_case_twins,
    record_name,
    relation_namespace,
)
from lakeschema.translation.avro.types import (
    avro_fields,
    documentation,
)
from lakeschema.translation.avro.vanilla_hive import apply_options
from lakeschema.translation.model.errors import (
    MalformedSchema,
    TranslationError,
    UnsupportedConstruct,
    UnsupportedType,
)
from lakeschema.translation.model.interface import Interface, OmittedColumn, Options
from lakeschema.translation.model.nullability import with_nullability

LITERAL = "avro.schema.literal"
URL = "avro.schema.url"
AVRO_SERDE = "org.apache.hadoop.hive.serde2.avro.AvroSerDe"

PARTITION_DOC = (
    "This is the partition column. Partition columns, if present in the schema, should also be "
    "projected in the data."
)
"""The documentation of partition columns. LinkedIn's Coral uses the same words."""


Omitted: TypeAlias = tuple[OmittedColumn, ...]
Made: TypeAlias = tuple[Record, Omitted]
Result = TypeVar("Result")


def base_table_interface(relation: Relation, options: Options) -> Interface:
    """The interface of a table, from its own facts.

    Raises:
        MalformedSchema: the literal is not a record schema, or a name occurs twice. The table has
            no columns and no literal, or no literal although the deployment requires one.
        UnsupportedType: the columns have no distinct names.
        UnsupportedConstruct: the only schema is behind ``avro.schema.url``.
    """
    try:
        return _interface(as_read(relation), options)
    except TranslationError as error:
        error.relation = error.relation or relation.name
        raise


def _interface(relation: Relation, options: Options) -> Interface:
    literal = _literal(relation)
    keeps_literal = literal is not None and _keeps_literal(relation, literal)
    if literal is None:
        schema, omitted = _from_columns(relation, options)
    elif keeps_literal:
        schema, omitted = _with_partitions(relation, literal, options)
    else:
        schema, omitted = _merge(relation, literal, options)
    if not keeps_literal:
        schema = _with_former_names(relation, schema, omitted)
        columns_kept = _expressible(relation, omitted)
        schema = with_iceberg_fields(schema, columns_kept, relation.properties)
    schema = with_omissions(apply_options(schema, options), omissions(omitted))
    if keeps_literal:
        columns = _columns_of_literal(relation, schema)
    else:
        columns = _columns(relation, schema, omitted)
    facts = (*relation.columns, *relation.partition_columns)
    return Interface(relation.name, columns, schema, omitted, have_capitals(facts))


def _keeps_literal(relation: Relation, literal: Record) -> bool:
    """Whether the literal is used unchanged instead of merged with the columns."""
    return _is_avro(relation) or any(has_case_twins(record) for record in _records(literal))


def _literal(relation: Relation) -> Record | None:
    """The record of the table's literal; None if there is no literal, or Hive wrote "none" instead."""
    for properties in (relation.properties, relation.serde_properties):
        text = properties.get(LITERAL, "").strip()
        if text and text != "none":
            return _parse(text)
    return None


def _parse(text: str) -> Record:
    try:
        schema = parse_schema(text, invalid_defaults=InvalidDefaults.DROP)
    except MalformedAvroSchema as error:
        raise MalformedSchema(
            f"{LITERAL} is malformed at {error.path}: {error.reason}", hint=error.hint
        ) from error
    if not isinstance(schema, Record):
        raise MalformedSchema(
            f"{LITERAL} is not a record schema", hint="the schema of a table is a record"
        )
    return schema


def _is_avro(relation: Relation) -> bool:
    return (relation.serde or "").lower() == AVRO_SERDE.lower()


def _records(schema: Record) -> tuple[Record, ...]:
    return tuple(part for part in parts(schema) if isinstance(part, Record))


def _from_columns(relation: Relation, options: Options) -> Made:
    _require_columns(relation)
    if options.strict:
        raise MalformedSchema(
            "the table has no Avro schema, and this deployment requires one",
            hint=f"give the table the property {LITERAL}, or set strict to false",
        )
    name, namespace = record_name(relation.name), relation_namespace(relation.name)
    fields, omitted = _fields(_struct_fields(relation), f"{namespace}.{name}", options)
    return Record(name, namespace, fields, documentation(relation.comment)), omitted


def _fields(
    columns: tuple[StructField, ...], namespace: str, options: Options
) -> tuple[tuple[Field, ...], Omitted]:
    def fields_of(some: tuple[StructField, ...]) -> tuple[Field, ...]:
        return avro_fields(some, subject="", namespace=namespace, options=options)

    return _without_inexpressible(columns, fields_of)


def _without_inexpressible(
    columns: tuple[StructField, ...], make: Callable[[tuple[StructField, ...]], Result]
) -> tuple[Result, Omitted]:
    """The result of ``make`` for the columns that it accepts, and the columns that it refuses."""
    try:
        return make(columns), ()
    except UnsupportedType:
        pass
    kept: list[StructField] = []
    omitted: list[OmittedColumn] = []
    for position, field in enumerate(columns):
        try:
            make((field,))
            kept.append(field)
        except UnsupportedType as error:
            column = column_of(field)
            omitted.append(omitted_column(position, column, error.type_text, error.reason))
    return make(tuple(kept)), tuple(omitted)


def _require_columns(relation: Relation) -> None:
    if relation.columns:
        return
    if URL in relation.properties or URL in relation.serde_properties:
        raise UnsupportedConstruct(
            URL,
            hint=f"put the schema into the table property {LITERAL}: it is not fetched from there",
        )
    raise MalformedSchema(
        "the table has neither columns nor an Avro schema",
        hint=f"give the table columns, or the property {LITERAL}",
    )


def _merge(relation: Relation, literal: Record, options: Options) -> Made:
    columns = _struct_fields(relation)
    if not relation.columns:
        # No columns and no Avro SerDe: the literal is the only source.
        return _with_partitions(relation, literal, options)
    merged, omitted = _without_inexpressible(columns, lambda some: merge(some, literal, options))
    return replace(merged, doc=merged.doc or documentation(relation.comment)), omitted


def _with_partitions(relation: Relation, literal: Record, options: Options) -> Made:
    """The unchanged literal, with the partition columns added that the literal lacks."""
    present = {field.name.lower() for field in literal.fields}
    missing = tuple(
        field
        for field in _struct_fields(replace(relation, columns=()))
        if field.name.lower() not in present
    )
    added, omitted = _fields(missing, literal.full_name, options)
    record = replace(
        literal,
        fields=literal.fields + added,
        doc=literal.doc or documentation(relation.comment),
    )
    behind = len(literal.fields)
    return record, tuple(replace(each, position=behind + each.position) for each in omitted)


def _struct_fields(relation: Relation) -> tuple[StructField, ...]:
    """The columns and then the partition columns, as fields of a struct."""
    return (
        *(
            StructField(c.name, _instants(c.type, relation), c.nullable, c.comment)
            for c in relation.columns
        ),
        *(
            StructField(c.name, _instants(c.type, relation), c.nullable, c.comment or PARTITION_DOC)
            for c in relation.partition_columns
        ),
    )


def _instants(type_: ColumnType, relation: Relation) -> ColumnType:
    """The type with instants for timestamps if Spark made the table; Hive's timestamps have no zone."""
    if not any(key.startswith("spark.sql.sources.") for key in relation.properties):
        return type_
    return map_type(type_, lambda part: TIMESTAMP_LOCAL if part == TIMESTAMP else part)


def _with_former_names(relation: Relation, schema: Record, omitted: Omitted) -> Record:
    """The record with aliases for columns' former names, so that older data can be read."""
    facts = _expressible(relation, omitted)
    mapped = other_names(relation.properties)
    if len(facts) != len(schema.fields) or not (mapped or any(c.former_names for c in facts)):
        return schema
    taken = {name.lower() for f in schema.fields for name in (f.name, *f.aliases)}
    fields = []
    for column, field in zip(facts, schema.fields, strict=True):
        told = (*column.former_names, *mapped.get(column.name.lower(), ()))
        names = dict.fromkeys(map(legal_name, told))
        former = [name for name in names if name.lower() not in taken]
        taken.update(name.lower() for name in former)
        fields.append(replace(field, aliases=(*field.aliases, *former)))
    return replace(schema, fields=tuple(fields))


def _expressible(relation: Relation, omitted: Omitted) -> list[Column]:
    left_out = {each.position for each in omitted}
    every = enumerate(relation.every_column)
    return [column for position, column in every if position not in left_out]


def _columns(relation: Relation, schema: Record, omitted: Omitted) -> tuple[Column, ...]:
    """The relation's columns that the schema contains, with the schema's nullability."""
    known = definitions_of(schema)
    facts = _expressible(relation, omitted)
    if len(facts) != len(schema.fields):
        return _columns_of_literal(relation, schema)
    return tuple(
        Column(
            column.name,
            with_nullability(column.type, field.type, known),
            column.comment,
            is_nullable(field.type),
        )
        for column, field in zip(facts, schema.fields, strict=True)
    )


def _columns_of_literal(relation: Relation, schema: Record) -> tuple[Column, ...]:
    """The columns that Hive's AvroSerDe reads from the schema.

    The stored columns may be out of date, except for partition columns, which the literal omits or
    describes only for the data files.
    """
    known = definitions_of(schema)
    partitions = {column.name.lower(): column for column in relation.partition_columns}
    return tuple(
        replace(partitions[field.name.lower()], nullable=is_nullable(field.type))
        if field.name.lower() in partitions
        else Column(
            field.name.lower(), _column_type(field, known), field.doc, is_nullable(field.type)
        )
        for field in schema.fields
    )


def _column_type(field: Field, known: Mapping[str, NamedSchema]) -> ColumnType:
    """The column type of a field. A field without one gets an unknown type; other fields still work."""
    try:
        return column_type_of(field.type, known, subject=field.name)
    except UnsupportedType as error:
        return UnknownType(error.message)
