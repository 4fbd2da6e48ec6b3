"""A consumer works with tables: Arrow, Parquet, pandas and Polars."""

from __future__ import annotations

import datetime as dt
import importlib
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from deploy.tool_environments import tool_python
from tests.integration.consumer.installed import PLACED_AT, Shop, ran


@pytest.fixture
def orders(shop: Shop, package: Any) -> list[Any]:
    return [shop.order(package, id=number) for number in range(5)]


def test_records_become_an_arrow_table_and_come_back(package: Any, orders: list[Any]) -> None:
    table = package.to_arrow(orders).read_all()

    assert table.schema == package.arrow_schema()
    assert table["total"].to_pylist() == [Decimal("12.50")] * 5
    assert list(package.from_arrow(table)) == orders


def test_the_arrow_schema_says_what_may_be_null(package: Any) -> None:
    schema = package.arrow_schema()

    assert schema.field("placed_at").type == pa.timestamp("us", "UTC")
    assert schema.field("total").type == pa.decimal128(10, 2)
    assert schema.field("id").nullable


def test_records_pass_through_parquet(package: Any, orders: list[Any], tmp_path: Path) -> None:
    parquet.write_table(package.to_arrow(orders).read_all(), tmp_path / "orders.parquet")

    assert list(package.from_arrow(parquet.read_table(tmp_path / "orders.parquet"))) == orders


def test_columns_of_nanoseconds_and_milliseconds_are_converted(
    package: Any, orders: list[Any]
) -> None:
    table = package.to_arrow(orders).read_all()
    place = table.schema.get_field_index("placed_at")
    for unit, placed_at in (("ns", PLACED_AT), ("ms", PLACED_AT.replace(microsecond=123000))):
        column = table["placed_at"].cast(pa.timestamp(unit, "UTC"), safe=False)
        other = table.set_column(place, "placed_at", column)

        assert {order.placed_at for order in package.from_arrow(other)} == {placed_at}


def test_rows_are_read_without_decoding_others(package: Any, orders: list[Any]) -> None:
    table = package.to_arrow(orders).read_all()

    found = [(row.id, row.ship.city) for row in package.rows(table)]

    assert found == [(number, "Acton") for number in range(5)]
    assert next(package.rows(table)) == orders[0]


def test_records_pass_through_pandas(package: Any, orders: list[Any]) -> None:
    frame = package.to_arrow(orders).read_all().to_pandas(types_mapper=pd.ArrowDtype)
    back = pa.Table.from_pandas(frame, schema=package.arrow_schema(), preserve_index=False)

    assert frame["total"].sum() == Decimal("62.50")
    assert list(package.from_arrow(back)) == orders


def test_columns_are_named_for_data_frames(package: Any, orders: list[Any]) -> None:
    columns = importlib.import_module(f"{package.__name__}.columns")
    frame = package.to_arrow(orders).read_all().to_pandas(types_mapper=pd.ArrowDtype)

    assert list(frame[[columns.id, columns.customer]]) == ["id", "customer"]
    assert columns.ship.city == "ship.city"
    with pytest.raises(AttributeError, match="has no column 'custmer'"):
        _ = columns.custmer


def test_rows_of_dictionaries_become_records(package: Any, order: Any) -> None:
    row = {name.upper(): value for name, value in order.to_dict().items()}

    assert list(package.from_rows([row])) == [order]


def test_a_column_that_is_missing_has_its_default_and_others_are_ignored(
    package: Any, orders: list[Any]
) -> None:
    table = package.to_arrow(orders).read_all().drop_columns(["unit"])
    table = table.append_column("extra", pa.array([1] * 5))

    assert {order.unit for order in package.from_arrow(table)} == {None}


def test_an_invalid_column_is_named(package: Any, orders: list[Any]) -> None:
    table = package.to_arrow(orders).read_all()
    place = table.schema.get_field_index("day")
    wrong = table.set_column(place, "day", pa.array(["Monday"] * 5))

    with pytest.raises(package.InvalidValue, match="day: expected date, got 'Monday'"):
        list(package.from_arrow(wrong))


POLARS = """
import sys, datetime, decimal, polars, pyarrow
from {package} import RECORD, arrow_schema, from_arrow, read_file, rows, to_arrow
orders = list(read_file(sys.argv[1]))
table = to_arrow(orders).read_all()
frame = polars.from_arrow(table)
assert frame["total"].sum() == decimal.Decimal("62.50"), frame
assert frame.filter(polars.col("id") > 2).height == 2
assert [row.id for row in rows(frame.select("id", "customer", *{required}))] == [0, 1, 2, 3, 4]
print(list(from_arrow(frame.drop({maps}).to_arrow())) == [o.replace(**dict.fromkeys({maps})) for o in orders])
"""


def test_records_pass_through_polars(
    shop: Shop, package: Any, orders: list[Any], tmp_path: Path
) -> None:
    package.write_file(tmp_path / "orders.avro", orders)
    required = [name for name in package.RECORD.__slots__ if name == "tag_count"]
    program = POLARS.format(package=shop.import_name, required=required, maps=[])

    said = ran(tool_python("consumer"), "-c", program, tmp_path / "orders.avro", path=shop.site)

    assert said == "True\n"


def test_days_are_days_and_times_are_moments(package: Any, orders: list[Any]) -> None:
    table = package.to_arrow(orders).read_all()

    assert table["day"][0].as_py() == dt.date(2024, 1, 31)
    assert table["placed_at"][0].as_py() == PLACED_AT
