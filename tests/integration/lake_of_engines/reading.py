"""Reads the files of tables through a package, as its user does, for each format."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any

import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.dataset as ds

from tests.integration.lake_of_engines import statements


def _of_arrow(package: ModuleType, files: Path, format_: Any) -> Iterable[Any]:
    """Neither ORC nor Hive's Parquet says that instants are in UTC; Spark's ORC has local times as numbers."""
    schema = package.arrow_schema()
    names = {folder.name.partition("=")[0] for folder in files.rglob("*=*")}
    of_folders = pa.schema([field for field in schema if field.name in names])
    partitions = ds.partitioning(of_folders, flavor="hive")
    read = ds.dataset(files, format=format_, partitioning=partitions).to_table()
    fields = [field for field in schema if field.name in read.column_names]
    columns = [
        read[field.name].cast(pa.timestamp("us")).cast(field.type)
        if pa.types.is_timestamp(field.type)
        else read[field.name]
        for field in fields
    ]
    found: Iterable[Any] = package.from_arrow(
        pa.table(columns, names=[field.name for field in fields])
    )
    return found


def _of_csv(package: ModuleType, files: Path, *, has_nulls: bool) -> Iterable[Any]:
    schema = package.arrow_schema()
    in_folders = {folder.name.partition("=")[0].lower() for folder in files.rglob("*=*")}
    in_files = [field for field in schema if field.name.lower() not in in_folders]
    reading = pc.ReadOptions(column_names=[field.name for field in in_files])
    converting = pc.ConvertOptions(column_types=pa.schema(in_files), strings_can_be_null=has_nulls)
    return _of_arrow(package, files, ds.CsvFileFormat(None, None, converting, reading))


def _of_text(package: ModuleType, files: Path) -> Iterable[Any]:
    lines = [line for path in files.glob("part-*") for line in path.read_text().splitlines()]
    (column,) = package.columns
    found: Iterable[Any] = package.from_arrow(pa.table({column: lines}))
    return found


def _of_hives_json(package: ModuleType, files: Path) -> Iterable[Any]:
    """Hive's times have no zone, though they are instants: in UTC, as its tables of other formats are."""
    text = "".join(path.read_text() for path in files.glob("[!.]*"))
    zoned = re.sub(r'"(\d{4}-\d\d-\d\d) (\d\d:[\d:.]+)"', r'"\1T\2Z"', text)
    found: Iterable[Any] = package.read_jsonl(io.BytesIO(zoned.encode()))
    return found


_READERS: Mapping[str, Callable[[ModuleType, Path], Iterable[Any]]] = MappingProxyType({
    "avro": lambda package, files: package.read_file(files),
    "parquet": lambda package, files: _of_arrow(package, files, "parquet"),
    "orc": lambda package, files: _of_arrow(package, files, "orc"),
    "csv": lambda package, files: _of_csv(package, files, has_nulls=True),
    # Hive gives an empty text where the file has nothing.
    "opencsvserde": lambda package, files: _of_csv(package, files, has_nulls=False),
    "json": lambda package, files: package.read_jsonl(files),
    "jsonserde": _of_hives_json,
    "text": _of_text,
})  # fmt: skip
"""By format; Python has no reader of the others, such as XML, RCFile and Hive's delimited structs."""


def exported(tables: Iterable[str]) -> list[str]:
    """The tables, by the statements that make them, that their engine has to write again as Avro."""
    formats = statements.formats(tables)
    return [name for name, format_ in formats.items() if format_ not in _READERS]


def read_table(package: ModuleType, format_: str, files: Path, again: Path | None) -> list[Any]:
    """The records in the files; in those written ``again`` where no reader knows the format."""
    if format_ in _READERS:
        return list(_READERS[format_](package, files))
    assert again is not None, f"no reader of {format_}"
    return list(package.read_file(again))


def read_delta(package: ModuleType, files: Path) -> list[Any]:
    """The records of a Delta table without deleted rows, whose files may have other names of columns."""
    commits = [path.read_text() for path in sorted(files.glob("_delta_log/*.json"))]
    log = [json.loads(line) for commit in commits for line in commit.splitlines()]
    schema = [json.loads(e["metaData"]["schemaString"]) for e in log if "metaData" in e][-1]
    if all(_physical(field) == field["name"] for field in schema["fields"]):
        return list(_of_arrow(package, files, "parquet"))
    rows = ds.dataset(files, format="parquet").to_table().to_pylist()
    return [package.RECORD.from_dict(_renamed(row, schema)) for row in rows]


def _physical(field: Mapping[str, Any]) -> str:
    name: str = field["metadata"].get("delta.columnMapping.physicalName", field["name"])
    return name


def _renamed(value: Any, type_: Any) -> Any:
    match type_:
        case {"type": "struct", "fields": fields} if value is not None:
            return {f["name"]: _renamed(value[_physical(f)], f["type"]) for f in fields}
        case _:
            return value
