"""A table as the metastore's Thrift gives it, to facts; pure, and no content of it raises.

Works on any object with the attributes of Thrift's ``Table``: what the server returns and what
its events carry.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from catalog.column_types import (
    ArrayType,
    ColumnType,
    MapType,
    StructField,
    StructType,
    map_type,
    parse_type_or_unknown,
)
from catalog.identifiers import RelationName
from catalog.relations import (
    Column,
    Dialect,
    Relation,
    SchemaMode,
    ViewText,
    without_volatile,
)
from catalog.spark_schema import (
    is_schema_property,
    numbered,
    stored_columns,
    stored_partition_names,
)

_PROVIDER = "spark.sql.sources.provider"
_CONTEXT = "view.catalogAndNamespace."
_OUTPUT = "view.query.out."
_SQL_CONFIG = "view.sqlConfig."
_SCHEMA_MODE = "view.schemaMode"
_SPARK_2_DATABASE = "view.default.database"
_SPARK_VIEW_PREFIXES = (_CONTEXT, _OUTPUT, _SQL_CONFIG, _SCHEMA_MODE, _SPARK_2_DATABASE)
_CONSUMED_VIEW_PREFIXES = (*_SPARK_VIEW_PREFIXES, "view.referred", "view.storingAnalyzedPlan")
_TRINO_VIEW = ("/* Presto View: ", " */")


def relation_from_table(table: Any) -> Relation:
    """Facts of a Thrift ``Table``.

    Properties that went into fields of their own (comment, Spark's schema, a view's context) are
    not repeated among ``properties``.
    """
    properties = _text_map(table.parameters)
    columns, partition_columns = _columns(table, properties)
    storage = table.sd
    serde = storage.serdeInfo if storage is not None else None
    is_view = _is_view(table)
    return Relation(
        name=RelationName((_lower(table.dbName),), _lower(table.tableName)),
        columns=columns,
        partition_columns=partition_columns,
        comment=properties.get("comment"),
        properties=_plain_properties(properties, is_view=is_view),
        serde=None if serde is None or is_view else serde.serializationLib or None,
        serde_properties={} if serde is None or is_view else _serde_properties(serde, properties),
        view=_view(table, properties) if is_view else None,
    )


def _lower(text: str | None) -> str:
    return (text or "").lower()


def _text_map(values: Mapping[Any, Any] | None) -> dict[str, str]:
    return {str(key): str(value) for key, value in (values or {}).items() if value is not None}


def _is_view(table: Any) -> bool:
    return (table.tableType or "").upper() in {"VIRTUAL_VIEW", "MATERIALIZED_VIEW"}


def _plain_properties(properties: Mapping[str, str], *, is_view: bool) -> dict[str, str]:
    consumed = _CONSUMED_VIEW_PREFIXES if is_view else ()
    return {
        key: value
        for key, value in without_volatile(properties).items()
        if key != "comment" and not is_schema_property(key) and not key.startswith(consumed)
    }


def _serde_properties(serde: Any, properties: Mapping[str, str]) -> dict[str, str]:
    found = without_volatile(_text_map(serde.parameters))
    if found.get("serialization.format") == "1":
        del found["serialization.format"]  # written by every engine, meaning nothing
    if _PROVIDER in properties:
        found.pop("path", None)  # a Spark table's location
    return found


def _columns(
    table: Any, properties: Mapping[str, str]
) -> tuple[tuple[Column, ...], tuple[Column, ...]]:
    """Columns and partition columns: Spark's own record of them where it is to be believed."""
    hive = _field_schemas(table.sd.cols if table.sd is not None else ())
    hive_partitions = _field_schemas(table.partitionKeys)
    spark = stored_columns(properties)
    if spark is None:
        return hive, hive_partitions
    # Spark itself does so: after an ALTER by Hive a Hive table's record is out of date.
    owned = _is_view(table) or properties.get(_PROVIDER, "hive").lower() != "hive"
    if not owned and not _agree(spark, (*hive, *hive_partitions)):
        return hive, hive_partitions
    partitions = {
        name.lower(): index
        for index, name in enumerate(
            stored_partition_names(properties) or [c.name for c in hive_partitions]
        )
    }
    return (
        tuple(c for c in spark if c.name.lower() not in partitions),
        tuple(
            sorted(
                (c for c in spark if c.name.lower() in partitions),
                key=lambda c: partitions[c.name.lower()],
            )
        ),
    )


def _field_schemas(fields: Iterable[Any] | None) -> tuple[Column, ...]:
    return tuple(
        Column(field.name or "", parse_type_or_unknown(field.type or ""), field.comment)
        for field in fields or ()
    )


def _agree(left: Sequence[Column], right: Sequence[Column]) -> bool:
    """Equal but for case and nullability."""
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


def _view(table: Any, properties: Mapping[str, str]) -> ViewText:
    original = table.viewOriginalText or ""
    expanded = table.viewExpandedText or original
    namespace = (_lower(table.dbName),)
    if original.startswith(_TRINO_VIEW[0]):
        return _trino_view(original, namespace)
    if any(key.startswith(_SPARK_VIEW_PREFIXES) for key in properties):
        return _spark_view(original or expanded, namespace, properties)
    return ViewText(Dialect.HIVE, expanded, original or expanded, namespace)


def _spark_view(text: str, namespace: tuple[str, ...], properties: Mapping[str, str]) -> ViewText:
    catalog: str | None = None
    context = numbered(properties, f"{_CONTEXT}numParts", f"{_CONTEXT}part.")
    if context:
        catalog, *parts = context
        namespace = tuple(parts) or namespace
    elif _SPARK_2_DATABASE in properties:
        namespace = (properties[_SPARK_2_DATABASE],)
    return ViewText(
        dialect=Dialect.SPARK,
        text=text,
        original_text=text,
        current_namespace=namespace,
        current_catalog=catalog,
        schema_mode=_schema_mode(properties.get(_SCHEMA_MODE)),
        query_columns=numbered(properties, f"{_OUTPUT}numCols", f"{_OUTPUT}col.") or (),
        sql_configs={
            key.removeprefix(_SQL_CONFIG): value
            for key, value in sorted(properties.items())
            if key.startswith(_SQL_CONFIG)
        },
    )


def _schema_mode(text: str | None) -> SchemaMode | None:
    """Spark before 4 knew no modes and bound its views."""
    try:
        return SchemaMode((text or SchemaMode.BINDING.value).upper())
    except ValueError:
        return None


def _trino_view(text: str, namespace: tuple[str, ...]) -> ViewText:
    """Trino and Presto keep a JSON document, in base64, inside a comment."""
    encoded = text.removeprefix(_TRINO_VIEW[0]).removesuffix(_TRINO_VIEW[1]).strip()
    try:
        stored = json.loads(base64.b64decode(encoded, validate=True))
        sql = stored["originalSql"]
        schema = stored.get("schema")
        catalog = stored.get("catalog")
    except (binascii.Error, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return ViewText(Dialect.TRINO, text, text, namespace)
    return ViewText(
        Dialect.TRINO,
        str(sql),
        str(sql),
        (schema,) if isinstance(schema, str) else namespace,
        catalog if isinstance(catalog, str) else None,
    )
