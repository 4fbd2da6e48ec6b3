"""The effects of a table's format on its declared columns: a row for each SerDe and provider.

Every row was observed in Hive 4.0.1 or Spark 4.3; ``docs/table-formats.md`` describes the queries.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from types import MappingProxyType
from typing import assert_never

from lakeschema.catalog.column_types import (
    BIGINT,
    BINARY,
    INT,
    SMALLINT,
    STRING,
    TIMESTAMP,
    TINYINT,
    ColumnType,
    MapType,
    StructField,
    StructType,
    map_type,
    with_nullable_parts,
)
from lakeschema.catalog.relations import Column, Relation, as_nullable
from lakeschema.catalog.storage_formats import PROVIDER


class ReadAs(Enum):
    """A rule for a column's type: from its declared type to the type of its values.

    Partition columns keep their declared types.
    """

    DECLARED = "as declared"
    TEXT = "string, whatever is declared"
    AVRO = "tinyint and smallint as int, nested ones too"


class NotNull(Enum):
    """The declared NOT NULL constraints that hold for every row."""

    NOWHERE = "nowhere"
    OUTSIDE_COLLECTIONS = "columns and fields of structs that are not in an array or map"
    EVERYWHERE = "columns, fields, elements and values"


@dataclass(frozen=True, slots=True)
class FormatRule:
    """How readers see a table of one format.

    Attributes:
        columns: the table's columns if none are declared.
        ignores_declared: whether the table has ``columns`` even if others are declared.
    """

    read_as: ReadAs = ReadAs.DECLARED
    not_null: NotNull = NotNull.NOWHERE
    columns: tuple[Column, ...] = ()
    ignores_declared: bool = False


def as_read(relation: Relation) -> Relation:
    """A table with the columns, types and nullability that its format gives readers."""
    provider = relation.properties.get(PROVIDER)
    if provider is not None:
        # The SerDe may be a placeholder.
        rule = PROVIDERS.get(provider.lower(), _IN_SPARK)
        partitions = tuple(_enforced(c, rule.not_null) for c in relation.partition_columns)
    else:
        rule = SERDES.get((relation.serde or "").lower(), _IN_HIVE)
        # The partition __HIVE_DEFAULT_PARTITION__ is read as null.
        partitions = tuple(map(as_nullable, relation.partition_columns))
    columns = relation.columns
    if rule.columns and (rule.ignores_declared or not columns):
        columns = rule.columns
    read = (replace(column, type=_type_read(column.type, rule.read_as)) for column in columns)
    return replace(
        relation,
        columns=tuple(_enforced(column, rule.not_null) for column in read),
        partition_columns=partitions,
    )


def _type_read(type_: ColumnType, read_as: ReadAs) -> ColumnType:
    match read_as:
        case ReadAs.DECLARED:
            return type_
        case ReadAs.TEXT:
            return STRING
        case ReadAs.AVRO:
            return map_type(type_, lambda part: INT if part in {TINYINT, SMALLINT} else part)
        case _:
            assert_never(read_as)


def _enforced(column: Column, where: NotNull) -> Column:
    match where:
        case NotNull.NOWHERE:
            return as_nullable(column)
        case NotNull.OUTSIDE_COLLECTIONS:
            return replace(column, type=_with_nullable_collections(column.type))
        case NotNull.EVERYWHERE:
            return column
        case _:
            assert_never(where)


def _with_nullable_collections(type_: ColumnType) -> ColumnType:
    if not isinstance(type_, StructType):
        return with_nullable_parts(type_)
    return StructType(
        tuple(replace(f, type=_with_nullable_collections(f.type)) for f in type_.fields)
    )


def _columns(*columns: tuple[str, ColumnType]) -> tuple[Column, ...]:
    return tuple(Column(name, type_) for name, type_ in columns)


def _struct(*fields: tuple[str, ColumnType]) -> StructType:
    return StructType(tuple(StructField(name, type_) for name, type_ in fields))


_TEXT_COLUMNS = _columns(("value", STRING))
_BINARY_FILE_COLUMNS = _columns(
    ("path", STRING), ("modificationTime", TIMESTAMP), ("length", BIGINT), ("content", BINARY)
)
_IMAGE = _struct(
    ("origin", STRING), ("height", INT), ("width", INT), ("nChannels", INT), ("mode", INT),
    ("data", BINARY),
)  # fmt: skip
_SYSLOG_COLUMNS = _columns(
    ("facility", STRING), ("severity", STRING), ("version", STRING), ("ts", TIMESTAMP),
    ("hostname", STRING), ("app_name", STRING), ("proc_id", STRING), ("msg_id", STRING),
    ("structured_data", MapType(STRING, STRING)), ("msg", BINARY), ("unmatched", BINARY),
)  # fmt: skip

_IN_HIVE = FormatRule(not_null=NotNull.EVERYWHERE)
"""Hive enforces the constraints in facts, whatever the SerDe, but not on nested fields."""

_SERDE2 = "org.apache.hadoop.hive.serde2"
_CONTRIB = "org.apache.hadoop.hive.contrib.serde2"
_QL = "org.apache.hadoop.hive.ql"

_SERDES: Mapping[str, FormatRule] = {
    f"{_SERDE2}.lazy.LazySimpleSerDe": _IN_HIVE,
    f"{_SERDE2}.lazybinary.LazyBinarySerDe": _IN_HIVE,
    f"{_SERDE2}.lazybinary.LazyBinarySerDe2": _IN_HIVE,
    f"{_SERDE2}.binarysortable.BinarySortableSerDe": _IN_HIVE,
    f"{_SERDE2}.columnar.ColumnarSerDe": _IN_HIVE,
    f"{_SERDE2}.columnar.LazyBinaryColumnarSerDe": _IN_HIVE,
    f"{_QL}.io.parquet.serde.ParquetHiveSerDe": _IN_HIVE,
    f"{_QL}.io.orc.OrcSerde": _IN_HIVE,
    f"{_SERDE2}.avro.AvroSerDe": replace(_IN_HIVE, read_as=ReadAs.AVRO),
    f"{_SERDE2}.JsonSerDe": _IN_HIVE,
    "org.apache.hive.hcatalog.data.JsonSerDe": _IN_HIVE,
    f"{_SERDE2}.DelimitedJSONSerDe": _IN_HIVE,
    f"{_SERDE2}.RegexSerDe": _IN_HIVE,
    f"{_CONTRIB}.RegexSerDe": _IN_HIVE,
    f"{_SERDE2}.MultiDelimitSerDe": _IN_HIVE,
    f"{_CONTRIB}.MultiDelimitSerDe": _IN_HIVE,
    f"{_SERDE2}.OpenCSVSerde": replace(_IN_HIVE, read_as=ReadAs.TEXT),
    f"{_SERDE2}.MetadataTypedColumnsetSerDe": _IN_HIVE,
    f"{_CONTRIB}.TypedBytesSerDe": _IN_HIVE,
    f"{_SERDE2}.teradata.TeradataBinarySerde": _IN_HIVE,
    f"{_SERDE2}.thrift.ThriftDeserializer": _IN_HIVE,
    f"{_SERDE2}.thrift.ThriftJDBCBinarySerDe": _IN_HIVE,
    f"{_QL}.udf.esri.serde.EsriJsonSerDe": _IN_HIVE,
    f"{_QL}.udf.esri.serde.GeoJsonSerDe": _IN_HIVE,
    f"{_QL}.log.syslog.SyslogSerDe": replace(
        _IN_HIVE, columns=_SYSLOG_COLUMNS, ignores_declared=True
    ),
}  # fmt: skip

_IN_SPARK = FormatRule()
"""Spark reads these as nullable, including nested fields, and lets nulls in."""

_PROVIDERS: Mapping[str, FormatRule] = {
    "parquet": _IN_SPARK,
    "orc": _IN_SPARK,
    "csv": _IN_SPARK,
    "json": _IN_SPARK,
    "xml": _IN_SPARK,
    "avro": _IN_SPARK,
    "text": replace(_IN_SPARK, columns=_TEXT_COLUMNS),
    "binaryFile": replace(_IN_SPARK, columns=_BINARY_FILE_COLUMNS),
    "image": replace(_IN_SPARK, columns=_columns(("image", _IMAGE))),
    "libsvm": _IN_SPARK,
    "jdbc": _IN_SPARK,
    "kafka": _IN_SPARK,
    "delta": FormatRule(not_null=NotNull.OUTSIDE_COLLECTIONS),
    "iceberg": FormatRule(not_null=NotNull.EVERYWHERE),
}

SERDES = MappingProxyType({name.lower(): rule for name, rule in _SERDES.items()})
"""Rules by the SerDe's class, in lower case."""

PROVIDERS = MappingProxyType({name.lower(): rule for name, rule in _PROVIDERS.items()})
"""Rules by the provider that Spark records, in lower case."""
