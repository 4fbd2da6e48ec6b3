"""Spark tables and views with capitals in their names, and the names that Spark 4.3 gives to their columns.

A column is written with the names of its fields: ``Items<ItemId Qty>``. The answers are in
``recorded/spark_names.tsv``; an integration test asks Spark again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from lakeschema.avro.key_value_maps import map_parts
from lakeschema.avro.legal_names import ORIGINAL_NAME
from lakeschema.avro.model import Array, NamedSchema, Record, Reference, Schema, without_null
from lakeschema.catalog.column_types import ArrayType, ColumnType, MapType, StructType
from lakeschema.catalog.relations import Column
from lakeschema.translation.model.interface import Interface
from tests.lakeschema.translation.asked_types import RECORDED

TABLES: Final = tuple(
    """\
CREATE TABLE t (UserId int, Nested struct<InnerCase:int, Deep:struct<LeafName:string>>, \
Items array<struct<ItemId:int, Qty:int>>, Tags map<string, struct<TagName:string>>, amount int, \
P_Part string) USING parquet PARTITIONED BY (P_Part)
CREATE TABLE u (userid int, Other string, AMOUNT bigint) USING orc
CREATE TABLE w (UserId int, OTHER string, Amount bigint) USING json
CREATE TABLE h (UserId int, Inner_S struct<AbC:int>) PARTITIONED BY (P_H string) STORED AS parquet
CREATE TABLE x (A struct<X:int>, B struct<x:int>) USING parquet
CREATE TABLE y (`We ird` int, `Ünï` struct<`Ä b`:int>, Map_C map<struct<Kk:int>, string>) USING orc
CREATE TABLE z (Id int) USING csv
ALTER TABLE z ADD COLUMNS (NewCol int)
CREATE VIEW listed (Aa, bB) AS SELECT userid, nested FROM t""".splitlines()
)

_PATH: Final = RECORDED / "spark_names.tsv"


def recorded() -> Mapping[str, str]:
    """What Spark answered, by the text of the view."""
    lines = _PATH.read_text(encoding="utf-8").splitlines()
    return dict(line.split("\t") for line in lines)


def record(answers: Mapping[str, str]) -> None:
    lines = [f"{asked}\t{names}" for asked, names in answers.items()]
    _PATH.write_text("\n".join([*lines, ""]), encoding="utf-8")


def names_of_columns(columns: Sequence[Column]) -> str:
    return " ".join(_named(column.name, _in_type(column.type)) for column in columns)


def names_of_fields(interface: Interface) -> str:
    return _in_record(interface.schema, interface.definitions)


def _named(name: str, inside: str) -> str:
    shown = f"`{name}`" if " " in name else name
    return f"{shown}<{inside}>" if inside else shown


def _in_type(type_: ColumnType) -> str:
    match type_:
        case StructType(fields):
            return " ".join(_named(field.name, _in_type(field.type)) for field in fields)
        case ArrayType(element):
            return _in_type(element)
        case MapType(key, value):
            return " ".join(filter(None, map(_in_type, (key, value))))
        case _:
            return ""


def _in_schema(schema: Schema, known: Mapping[str, NamedSchema]) -> str:
    inner = without_null(schema)
    inner = known[inner.full_name] if isinstance(inner, Reference) else inner
    parts = map_parts(inner)
    if parts is not None:
        return " ".join(filter(None, (_in_schema(part, known) for part in parts)))
    match inner:
        case Record():
            return _in_record(inner, known)
        case Array(items):
            return _in_schema(items, known)
        case _:
            return ""


def _in_record(record: Record, known: Mapping[str, NamedSchema]) -> str:
    return " ".join(
        _named(str(field.properties.get(ORIGINAL_NAME, field.name)), _in_schema(field.type, known))
        for field in record.fields
    )
