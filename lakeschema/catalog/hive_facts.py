"""Converts a metastore's Thrift table to facts. Pure; invalid content never raises an error.

Accepts any object with the attributes of Thrift's ``Table``, from answers of the server and from events.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from lakeschema.catalog.column_types import (
    ArrayType,
    ColumnType,
    MapType,
    StructField,
    StructType,
    map_type,
    parse_type_or_unknown,
    print_type,
)
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.letter_case import lower_case_columns
from lakeschema.catalog.relations import (
    NOTHING,
    SQL_CONFIG,
    Column,
    Dialect,
    Relation,
    SchemaPointer,
    TableFormat,
    ViewText,
    as_nullable,
    sql_configs,
    without_volatile,
)
from lakeschema.catalog.spark_schema import (
    is_schema_property,
    numbered,
    stored_columns,
    stored_partition_names,
)
from lakeschema.catalog.spark_views import spark_view
from lakeschema.catalog.storage_formats import PROVIDER
from lakeschema.catalog.trino_views import is_trinos, stored_view, without_marks

_TABLE_TYPE = "table_type"
_METADATA_LOCATION = "metadata_location"
_PLACEHOLDER = ("col", "array<string>")
"""The column that Spark stores in a metastore whose types cannot express the table's columns."""
_SCHEMA_LOST = (
    "its properties spark.sql.sources.schema.* are lost or incomplete, and its columns in the "
    "metastore are a placeholder; let Spark write them again, or create the table again"
)
_NO_FACTS = frozenset({"comment", "spark.sql.partitionProvider"})
_CONTEXT = "view.catalogAndNamespace."
_OUTPUT = "view.query.out."
_CREATE_VERSION = "spark.sql.create.version"
_SCHEMA_MODE = "view.schemaMode"
_SPARK_2_DATABASE = "view.default.database"
_SPARK_VIEW_PREFIXES = (_CONTEXT, _OUTPUT, SQL_CONFIG, _SCHEMA_MODE, _SPARK_2_DATABASE)
_CONSUMED_VIEW_PREFIXES = (*_SPARK_VIEW_PREFIXES, "view.referred", "view.storingAnalyzedPlan")


@dataclass(frozen=True, slots=True)
class Storage:
    """A relation's metadata in the metastore, without columns.

    ``location`` is the place of its files.
    """

    name: RelationName
    is_view: bool
    properties: Mapping[str, str]
    serde: str | None = None
    serde_properties: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    original_text: str = ""
    expanded_text: str = ""
    location: str = ""


def may_be_constrained(table: Any) -> bool:
    """Whether Hive may enforce a NOT NULL of a Thrift ``Table``.

    Hive accepts such a constraint only for a table that was created as managed, even if the
    metastore now calls it external.
    """
    properties = _text_map(table.parameters)
    translated = properties.get("TRANSLATED_TO_EXTERNAL", "").upper() == "TRUE"
    managed = (table.tableType or "").upper() == "MANAGED_TABLE"
    return (managed or translated) and PROVIDER not in properties


def relation_from_table(table: Any, not_null: Collection[str] = ()) -> Relation:
    """The facts of a Thrift ``Table``.

    ``not_null`` are the columns in which Hive allows no nulls.
    """
    serde = table.sd.serdeInfo if table.sd is not None else None
    stored = Storage(
        name=RelationName((_lower(table.dbName),), _lower(table.tableName)),
        is_view=(table.tableType or "").upper() in {"VIRTUAL_VIEW", "MATERIALIZED_VIEW"},
        properties=_text_map(table.parameters),
        serde=None if serde is None else serde.serializationLib,
        serde_properties={} if serde is None else _text_map(serde.parameters),
        original_text=table.viewOriginalText or "",
        expanded_text=table.viewExpandedText or "",
        # Event messages may lack it.
        location=getattr(table.sd, "location", None) or "",
    )
    hive = _field_schemas(table.sd.cols if table.sd is not None else ())
    hive_partitions = _field_schemas(table.partitionKeys)
    columns, partition_columns = _columns(stored, hive, hive_partitions)
    columns = tuple(
        replace(column, nullable=False) if column.name.lower() in not_null else column
        for column in columns
    )
    relation = relation_in_metastore(stored, columns, partition_columns)
    if relation.schema_pointer is not None:
        return relation
    if _lacks_schema(stored, hive):
        return replace(relation, columns=(), unreadable=_SCHEMA_LOST)
    seen_by_hive = lower_case_columns((*hive, *hive_partitions))
    if stored.is_view or _agree((*columns, *partition_columns), seen_by_hive):
        return relation
    return replace(relation, hive_columns=seen_by_hive)


def relation_in_metastore(
    stored: Storage, columns: tuple[Column, ...], partition_columns: tuple[Column, ...] = ()
) -> Relation:
    """Like ``relation_from_storage``.

    If the metastore has no columns of the table, the facts have a pointer to the schema.
    """
    pointer = _schema_pointer(stored)
    if pointer is not None:
        return _of_own_format(stored, pointer)
    return relation_from_storage(stored, columns, partition_columns)


def relation_from_storage(
    stored: Storage, columns: tuple[Column, ...], partition_columns: tuple[Column, ...] = ()
) -> Relation:
    """The facts from correct columns and the stored metadata.

    Properties that became separate fields (comment, Spark's schema, a view's context) are left out
    of ``properties``.
    """
    if stored.is_view and is_trinos(stored.original_text):
        return _trinos_view(stored)
    is_view = stored.is_view
    return Relation(
        name=stored.name,
        columns=columns,
        partition_columns=partition_columns,
        comment=stored.properties.get("comment"),
        properties=_plain_properties(stored),
        serde=None if is_view else stored.serde or None,
        serde_properties={} if is_view else _serde_properties(stored),
        view=_view(stored) if is_view else None,
    )


def _schema_pointer(stored: Storage) -> SchemaPointer | None:
    """A pointer to the schema, if the metastore has no columns or only a copy of them.

    Otherwise None.
    """
    if stored.is_view:
        return None
    properties = stored.properties
    table_type = properties.get(_TABLE_TYPE, "").lower()
    if "delta" in {properties.get(PROVIDER, "").lower(), table_type}:
        # The storage's location is a placeholder if Spark could not describe the table to Hive.
        return SchemaPointer(
            TableFormat.DELTA, stored.serde_properties.get("path", stored.location)
        )
    if table_type == "iceberg":
        return SchemaPointer(TableFormat.ICEBERG, properties.get(_METADATA_LOCATION, ""))
    return None


def _of_own_format(stored: Storage, pointer: SchemaPointer) -> Relation:
    """All facts of a table that keeps its schema in files, except the columns.

    The SerDe is left out: readers of these tables do not use it.
    """
    properties = _plain_properties(stored)
    if pointer.format is TableFormat.DELTA:
        # Athena only writes ``table_type``; Delta's types are always Spark's.
        properties.setdefault(PROVIDER, "delta")
    return Relation(
        name=stored.name,
        columns=(),
        comment=stored.properties.get("comment"),
        properties=properties,
        unreadable=f"its schema is in files of {pointer.format.value}, which were not read",
        schema_pointer=pointer,
    )


def _lacks_schema(stored: Storage, columns: Sequence[Column]) -> bool:
    """Whether Spark's schema in the properties is lost, and only a placeholder is left."""
    is_sparks = stored.properties.get(PROVIDER, "hive").lower() != "hive"
    if stored.is_view or not is_sparks or stored_columns(stored.properties) is not None:
        return False
    return [(c.name.lower(), print_type(c.type)) for c in columns] == [_PLACEHOLDER]


def _trinos_view(stored: Storage) -> Relation:
    """The view with the columns in Trino's document, in place of those in the metastore."""
    found = stored_view(stored.original_text, stored.name.namespace)
    kept = replace(stored, properties=without_marks(stored.properties))
    return Relation(
        name=stored.name,
        columns=found.columns,
        comment=found.comment or kept.properties.get("comment"),
        properties=_plain_properties(kept),
        view=found.text,
        unreadable=found.unreadable,
    )


def split_partitions(
    columns: Sequence[Column], partition_names: Iterable[str]
) -> tuple[tuple[Column, ...], tuple[Column, ...]]:
    """Splits Spark's list of all columns into columns and partition columns, in the given order."""
    place = {name.lower(): index for index, name in enumerate(partition_names)}
    partitions = [column for column in columns if column.name.lower() in place]
    return (
        tuple(column for column in columns if column.name.lower() not in place),
        tuple(sorted(partitions, key=lambda column: place[column.name.lower()])),
    )


def _lower(text: str | None) -> str:
    return (text or "").lower()


def _text_map(values: Mapping[Any, Any] | None) -> dict[str, str]:
    return {str(key): str(value) for key, value in (values or {}).items() if value is not None}


def _plain_properties(stored: Storage) -> dict[str, str]:
    consumed = _CONSUMED_VIEW_PREFIXES if stored.is_view else ()
    return {
        key: value
        for key, value in without_volatile(stored.properties).items()
        if key not in _NO_FACTS and not is_schema_property(key) and not key.startswith(consumed)
    }


def _serde_properties(stored: Storage) -> dict[str, str]:
    found = without_volatile(stored.serde_properties)
    if found.get("serialization.format") == "1":
        del found["serialization.format"]  # every engine writes it, and it has no meaning
    if PROVIDER in stored.properties:
        found.pop("path", None)  # a Spark table's location
    return found


def _columns(
    stored: Storage, hive: tuple[Column, ...], hive_partitions: tuple[Column, ...]
) -> tuple[tuple[Column, ...], tuple[Column, ...]]:
    """Columns and partition columns, from Spark's own record if it is reliable."""
    properties = stored.properties
    spark = stored_columns(properties)
    hives = (lower_case_columns(hive), lower_case_columns(hive_partitions))
    if spark is None:
        return hives
    # As in Spark: after an ALTER by Hive, a Hive table's record is out of date.
    owned = stored.is_view or properties.get(PROVIDER, "hive").lower() != "hive"
    if not owned:
        if not _agree(spark, (*hive, *hive_partitions)):
            return hives
        # Spark records NOT NULL for such a table, but lets nulls in.
        spark = tuple(map(as_nullable, spark))
    names = stored_partition_names(properties) or [column.name for column in hive_partitions]
    return split_partitions(spark, names)


def _field_schemas(fields: Iterable[Any] | None) -> tuple[Column, ...]:
    return tuple(
        Column(field.name or "", parse_type_or_unknown(field.type or ""), field.comment)
        for field in fields or ()
    )


def _agree(left: Sequence[Column], right: Sequence[Column]) -> bool:
    """Whether columns are equal except for letter case and nullability."""
    return [(c.name.lower(), _bare(c.type)) for c in left] == [
        (c.name.lower(), _bare(c.type)) for c in right
    ]


def _bare(type_: ColumnType) -> ColumnType:
    return map_type(type_, _without_nullability)


def _without_nullability(type_: ColumnType) -> ColumnType:
    match type_:
        case ArrayType(element):
            return ArrayType(element)
        case MapType(key, value):
            return MapType(key, value)
        case StructType(fields):
            return StructType(tuple(StructField(f.name.lower(), f.type) for f in fields))
        case _:
            return type_


def _view(stored: Storage) -> ViewText:
    original, expanded = stored.original_text, stored.expanded_text or stored.original_text
    namespace = stored.name.namespace
    if any(key.startswith(_SPARK_VIEW_PREFIXES) for key in stored.properties):
        return _spark_view(original or expanded, namespace, stored.properties)
    return ViewText(Dialect.HIVE, expanded, original or expanded, namespace)


def _spark_view(text: str, namespace: tuple[str, ...], properties: Mapping[str, str]) -> ViewText:
    catalog: str | None = None
    context = numbered(properties, f"{_CONTEXT}numParts", f"{_CONTEXT}part.")
    if context:
        catalog, *parts = context
        namespace = tuple(parts) or namespace
    elif _SPARK_2_DATABASE in properties:
        namespace = (properties[_SPARK_2_DATABASE],)
    return spark_view(
        text,
        namespace,
        current_catalog=catalog,
        schema_mode=properties.get(_SCHEMA_MODE),
        query_columns=numbered(properties, f"{_OUTPUT}numCols", f"{_OUTPUT}col.") or (),
        sql_configs=sql_configs(properties),
        create_version=properties.get(_CREATE_VERSION, ""),
    )
