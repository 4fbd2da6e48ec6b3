"""Rows written under the old schema, read under the new one, as pyiceberg reads them by field ids."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.table import StaticTable, Table

from lakeschema.avro.compatibility import Level, compare
from lakeschema.avro.model import Record
from lakeschema.avro.printing import to_text
from lakeschema.catalog.iceberg import metadata_pointer, relation_of
from lakeschema.catalog.identifiers import RelationName
from lakeschema.table_files.access import FileAccess
from lakeschema.table_files.reading import read_schema
from lakeschema.translation.deriving.derivation import derive
from lakeschema.translation.model.interface import Options
from tests.codegen.generated import imported
from tests.lakeschema.translation.avro.iceberg_evolutions import (
    BEFORE,
    DEFAULTS,
    EVOLUTIONS,
    REPLACEMENTS,
    ROW,
    Step,
)

NAME = RelationName(("a",), "T")


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[SqlCatalog]:
    catalog = SqlCatalog("sq", uri="sqlite:///:memory:", warehouse=tmp_path.as_uri())
    catalog.create_namespace("a")
    yield catalog
    catalog.close()


def written(catalog: SqlCatalog) -> Table:
    table = catalog.create_table("a.T", BEFORE)
    rows = pa.Table.from_pylist(
        [{**ROW, "amount": Decimal(ROW["amount"])}], schema=table.schema().as_arrow()
    )
    table.append(rows)
    return table


def evolved(table: Table, steps: Sequence[Step]) -> Table:
    for step in steps:
        with table.update_schema() as update:
            step(update)
    return table


def with_column(table: Table, column: dict[str, Any], file: Path) -> StaticTable:
    """The table with one more column, as Iceberg's Java library writes it in format 3."""
    metadata = json.loads(table.metadata.model_dump_json())
    (schema,) = metadata["schemas"]
    fields = [*schema["fields"], {"id": 99, "name": "more", **column}]
    metadata["schemas"].append({**schema, "schema-id": 1, "fields": fields})
    metadata |= {
        "format-version": 3,
        "current-schema-id": 1,
        "next-row-id": 1,
        "last-column-id": 99,
    }
    file.write_text(json.dumps(metadata))
    return StaticTable.from_metadata(file.as_uri())


def schema_of(table: Table) -> Record:
    found = read_schema(metadata_pointer(table.metadata_location), FileAccess())
    return derive(relation_of(NAME, found), {}, Options()).interface.schema


def reread(row: Mapping[str, Any], old: Record, new: Record) -> Any:
    """A row written with the old schema, and read with the new one."""
    file = io.BytesIO()
    fastavro.schemaless_writer(file, json.loads(to_text(old)), row)
    file.seek(0)
    return fastavro.schemaless_reader(file, json.loads(to_text(old)), json.loads(to_text(new)))


def reread_by_packages(row: Mapping[str, Any], old: Record, new: Record) -> Any:
    """A row written by the old package, and read by the new one."""
    with imported(json.loads(to_text(old))) as before, imported(json.loads(to_text(new))) as now:
        data = before.RECORD.from_dict(row).to_single_object()
        return now.RECORD.from_single_object(data, {before.CRC_64_AVRO: before.SCHEMA}).to_dict()


def avro_row() -> dict[str, Any]:
    return {**ROW, "amount": Decimal(ROW["amount"]), "m": dict(ROW["m"])}


def scanned(table: Table) -> Any:
    (row,) = table.scan().to_arrow().to_pylist()
    row["m"] = dict(row["m"])
    return row


@pytest.mark.parametrize("name", EVOLUTIONS)
def test_old_rows_are_read_as_iceberg_reads_them(catalog: SqlCatalog, name: str) -> None:
    level, steps = EVOLUTIONS[name]
    table = written(catalog)
    old = schema_of(table)

    new = schema_of(evolved(table, steps))

    assert reread(avro_row(), old, new) == scanned(table)
    assert reread_by_packages(avro_row(), old, new) == scanned(table)
    assert compare([old], new).level is level, compare([old], new).reasons


@pytest.mark.parametrize("name", DEFAULTS)
def test_old_rows_have_the_default_of_a_new_column(
    catalog: SqlCatalog, tmp_path: Path, name: str
) -> None:
    table = written(catalog)
    old = schema_of(table)
    changed = with_column(table, DEFAULTS[name], tmp_path / "v9.metadata.json")

    new = schema_of(changed)

    # fastavro returns defaults of logical types as Avro's JSON states them.
    assert reread_by_packages(avro_row(), old, new) == scanned(changed)
    assert compare([old], new).level is Level.MINOR


@pytest.mark.parametrize("name", REPLACEMENTS)
def test_a_column_with_the_name_of_an_earlier_one_is_another_one(
    catalog: SqlCatalog, name: str
) -> None:
    path, steps = REPLACEMENTS[name]
    table = written(catalog)
    old = schema_of(table)

    change = compare([old], schema_of(evolved(table, steps)))

    assert change.level is Level.MAJOR
    assert any(f"{path} is another column of the Iceberg table" in each for each in change.reasons)
