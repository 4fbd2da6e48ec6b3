"""A newcomer works with tables of each relation of a lake: Arrow, Parquet, pandas, Polars."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from tests.integration.consumer.installed import Installed
from tests.integration.consumer.lake import (
    CATEGORY,
    CUSTOMER,
    INTERACTION,
    LAST_INTERACTION,
    RELATIONS,
)
from tests.integration.consumer.lake_installed import Lake, columns_of

# A record within itself has no columns in Arrow.
TABULAR = [each for each in RELATIONS if each != CATEGORY]
WITHOUT_UNIONS = [each for each in TABULAR if each not in (CUSTOMER, INTERACTION, LAST_INTERACTION)]

tabular = pytest.mark.parametrize("relation", TABULAR, ids=str, indirect=True)


@pytest.fixture
def records(module: Any) -> list[Any]:
    return [module.RECORD.example(seed) for seed in range(30)]


@pytest.fixture
def table(module: Any, records: list[Any]) -> Any:
    return module.to_arrow(records).read_all()


@tabular
def test_an_arrow_table_of_each_relation_comes_back(
    module: Any, records: list[Any], table: Any
) -> None:
    assert table.schema == module.arrow_schema()
    assert list(module.from_arrow(table)) == records


@tabular
def test_batches_and_readers_come_back(module: Any, records: list[Any], table: Any) -> None:
    assert list(module.from_arrow(table.to_reader(max_chunksize=7))) == records
    assert list(module.from_arrow(table.to_batches(max_chunksize=7))) == records


@tabular
def test_a_parquet_file_of_each_relation_comes_back(
    module: Any, records: list[Any], table: Any, tmp_path: Path
) -> None:
    parquet.write_table(table, tmp_path / "x.parquet")

    assert list(module.from_arrow(parquet.read_table(tmp_path / "x.parquet"))) == records


@tabular
def test_a_pandas_frame_of_each_relation_comes_back(
    module: Any, records: list[Any], table: Any
) -> None:
    frame = table.to_pandas(types_mapper=pd.ArrowDtype)
    back = pa.Table.from_pandas(frame, schema=module.arrow_schema(), preserve_index=False)

    assert list(module.from_arrow(back)) == records


@tabular
def test_rows_of_each_relation_equal_its_records(
    module: Any, records: list[Any], table: Any
) -> None:
    assert list(module.rows(table)) == records
    assert [row.to_record() for row in module.rows(table)] == records


@tabular
def test_columns_in_another_order_and_case_are_found(
    module: Any, records: list[Any], table: Any
) -> None:
    names = table.column_names[::-1]
    other = table.select(names).rename_columns([n.upper() if n.isascii() else n for n in names])

    assert list(module.from_arrow(other)) == records


# Rows have a union as Spark has it, a struct of members; plain values have the member.
@pytest.mark.parametrize("relation", WITHOUT_UNIONS, ids=str, indirect=True)
def test_dictionaries_of_rows_become_records(module: Any, records: list[Any]) -> None:
    assert list(module.from_rows(record.to_dict() for record in records)) == records


@tabular
def test_a_column_of_another_type_is_named(module: Any, table: Any) -> None:
    name = table.column_names[0]
    wrong = table.set_column(0, name, pa.array([[1.5]] * len(table)))

    with pytest.raises(module.AvroError, match=f"{name}: "):
        list(module.from_arrow(wrong))


@tabular
def test_columns_name_each_field(relation: Installed, module: Any, table: Any) -> None:
    columns = importlib.import_module(f"{relation.import_name}.columns")
    names = [getattr(columns, name).strip("`") for name in columns_of(module)]

    assert names == table.column_names


def test_frames_of_polars_come_back(lake: Lake) -> None:
    names = json.dumps([str(relation) for relation in TABULAR])

    said = lake.ran_beside_libraries(
        "import json, polars\n"
        "for p in packages:\n"
        "    if p.RELATION in json.loads(sys.argv[1]):\n"
        "        records = [p.RECORD.example(seed) for seed in range(10)]\n"
        "        frame = polars.from_arrow(p.to_arrow(records).read_all())\n"
        "        assert frame.height == 10\n"
        "        assert list(p.from_arrow(frame.to_arrow())) == records, p\n"
        "        print(p.RELATION)\n",
        names,
    )

    assert said.split() == json.loads(names)


@tabular
def test_two_columns_of_one_name_are_refused(module: Any, table: Any) -> None:
    twice = table.append_column(table.column_names[0], table.column(0))

    for read in (module.from_arrow, module.rows):
        with pytest.raises(module.AvroError, match=table.column_names[0]):
            [record.validate() for record in map(to_record, read(twice))]


def to_record(found: Any) -> Any:
    """The record of a row, which is read when it is asked for."""
    return found.to_record() if hasattr(found, "to_record") else found


def test_columns_of_each_relation_are_listed(module: Any) -> None:
    names = [name.strip("`") for name in module.columns]

    assert len(names) == len(columns_of(module))
    assert len({*names}) == len(names)
