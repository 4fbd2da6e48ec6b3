"""Hive and Pig over the same tables of one catalog, in ORC files such as other programs write."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import orc

from deploy.hive import LONG_RUN_MEGABYTES, HiveQueries
from deploy.pig import PigQueries
from deploy.ports import LOOPBACK, free_ports
from lakeschema.catalog.column_types import (
    BINARY,
    DATE,
    DOUBLE,
    FLOAT,
    TIMESTAMP,
    ArrayType,
    CharType,
    ColumnType,
    DecimalType,
    MapType,
    PrimitiveType,
    StructType,
    VarcharType,
    parse_type,
    print_type,
)
from tests.judges.compared_values import in_no_order, moment
from tests.judges.compared_values import scalar as printed_scalar
from tests.judges.engines.hive import external_table

DATABASE = "facts"


@dataclass(frozen=True, slots=True)
class Table:
    """``rows`` in JSON: decimals, dates and timestamps as text, bytes in hexadecimal."""

    columns: Sequence[tuple[str, ColumnType]]
    rows: Sequence[Sequence[Any]]

    @property
    def ddl(self) -> str:
        return ", ".join(f"`{name}` {print_type(type_)}" for name, type_ in self.columns)


def read_tables(texts: Mapping[str, Any]) -> dict[str, Table]:
    """Tables by name, from a file with ``columns`` (name and type) and ``rows``."""
    return {
        name: Table([(c, parse_type(t)) for c, t in held["columns"]], held["rows"])
        for name, held in texts.items()
    }


@contextmanager
def hive_and_pig(
    folder: Path, tables: Mapping[str, Table]
) -> Iterator[tuple[HiveQueries, PigQueries]]:
    """Both engines over one catalog that has the tables in ``DATABASE``."""
    (port,) = free_ports(1)
    with HiveQueries.start(
        folder / "hive", metastore_port=port, heap_megabytes=LONG_RUN_MEGABYTES
    ) as hive:
        hive.answer(f"CREATE DATABASE {DATABASE}")
        create_tables(hive, folder / "data", DATABASE, tables)
        hive.answer(f"USE {DATABASE}")
        with PigQueries.start(folder / "pig", metastore_uri=f"thrift://{LOOPBACK}:{port}") as pig:
            yield hive, pig


def create_tables(
    hive: HiveQueries, folder: Path, database: str, tables: Mapping[str, Table]
) -> None:
    """Creates the tables, with their files in ``folder``."""
    for name, table in tables.items():
        location = folder / name
        write_orc(table, location)
        hive.answer(external_table(f"{database}.`{name}`", table.ddl, location.as_uri()))


def write_orc(table: Table, location: Path) -> None:
    location.mkdir(parents=True)
    fields = [(name, _arrow(type_)) for name, type_ in table.columns]
    columns = [
        pa.array([python_value(row[place], type_) for row in table.rows], arrow)
        for place, ((_, type_), (_, arrow)) in enumerate(zip(table.columns, fields, strict=True))
    ]
    orc.write_table(pa.table(columns, pa.schema(fields)), location / "part.orc", compression="zlib")


_ARROW = {
    "boolean": pa.bool_(),
    "tinyint": pa.int8(),
    "smallint": pa.int16(),
    "int": pa.int32(),
    "bigint": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "string": pa.string(),
    "binary": pa.binary(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us"),
}


def _arrow(type_: ColumnType) -> pa.DataType:
    match type_:
        case PrimitiveType(name):
            return _ARROW[name]
        case DecimalType(precision, scale):
            return pa.decimal128(precision, scale)
        case ArrayType(element):
            return pa.list_(_arrow(element))
        case MapType(key, value):
            return pa.map_(_arrow(key), _arrow(value))
        case StructType(fields):
            return pa.struct([(field.name, _arrow(field.type)) for field in fields])
        case CharType() | VarcharType():
            return pa.string()
        case _:
            raise ValueError(f"no ORC column of type {print_type(type_)}")


def python_value(value: Any, type_: ColumnType) -> Any:
    """A value of ``Table.rows`` as Arrow and Spark take it."""
    if value is None:
        return None
    match type_:
        case ArrayType(element):
            return [python_value(item, element) for item in value]
        case MapType(key, held):
            return {_key(k, key): python_value(v, held) for k, v in value.items()}
        case StructType(fields):
            return {field.name: python_value(value[field.name], field.type) for field in fields}
        case DecimalType():
            return Decimal(value)
        case _ if type_ in {FLOAT, DOUBLE}:
            return float(value)
        case _ if type_ == DATE:
            return date.fromisoformat(value)
        case _ if type_ == TIMESTAMP:
            return datetime.fromisoformat(value)
        case _ if type_ == BINARY:
            return bytes.fromhex(value)
        case _:
            return value


def _key(text: str, type_: ColumnType) -> Any:
    return text if print_type(type_) == "string" else int(text)


def comparable(
    rows: Sequence[Sequence[Any]],
    types: Sequence[ColumnType],
    *,
    ordered: bool = False,
    bags: bool = False,
) -> list[tuple[object, ...]]:
    """Rows of JSON in the form of ``from_hive``; ``bags``: arrays are Pig's bags of tuples."""
    found = [tuple(_value(v, t, bags) for v, t in zip(row, types, strict=True)) for row in rows]
    return found if ordered else in_no_order(found)


def _value(value: Any, type_: ColumnType, bags: bool) -> object:
    if value is None:
        return None
    match type_:
        case ArrayType(element):
            alone = bags and not isinstance(element, StructType)
            return tuple(_value(v[0] if alone else v, element, bags) for v in value)
        case MapType(key, held):
            pairs = ((_value(k, key, bags), _value(v, held, bags)) for k, v in value.items())
            return tuple(sorted(pairs, key=repr))
        case StructType(fields):
            return tuple(_value(v, f.type, bags) for v, f in zip(value, fields, strict=True))
        case _ if type_ == BINARY:
            return str(value).encode("latin-1").hex()
        case _ if type_ == DATE:
            day = str(value).partition("T")[0]
            return day if len(day) == len("yyyy-MM-dd") else f"+{day}"
        case _ if type_ == TIMESTAMP:
            return moment(datetime.fromisoformat(str(value).removesuffix("Z")))
        case _:
            return printed_scalar(str(value), type_)
