"""Packages of relations from Spark, Hive, Delta and pyiceberg, compared with what these engines read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from types import ModuleType
from typing import Any
from uuid import UUID

import pytest
from pyspark.sql.types import StructType

from tests.integration.lake_of_engines import statements
from tests.integration.lake_of_engines.conftest import Lake
from tests.integration.lake_of_engines.iceberg_tables import SCHEMAS
from tests.integration.lake_of_engines.reading import read_delta, read_table
from tests.integration.lake_of_engines.schemas import (
    arrow_differences,
    as_hive_writes_them,
    differences,
    of_hive,
)

pytestmark = pytest.mark.slow

OF_SPARK = statements.created(
    (*statements.SPARK_TABLES, *statements.DELTA_TABLES, *statements.SPARK_VIEWS)
)
OF_HIVE = statements.created((*statements.HIVE_TABLES, *statements.HIVE_VIEWS))
_NOON = datetime(2024, 2, 29, 12, 30, 0, 123456, tzinfo=UTC)
DELTA_ROWS: Mapping[str, Sequence[Mapping[str, Any]]] = {
    "d_plain": [
        {"Id": 1, "UserName": "Ada", "Price": Decimal("1.50"), "Home": {"City": "Rome", "zipCode": 7},
         "Tags": ["a", None], "Counts": {"k": 1}, "Born": date(2024, 2, 29), "At": _NOON,
         "Local": datetime.fromisoformat("2024-02-29T12:30:00.5")},
        {"Id": 2, "UserName": None, "Price": None, "Home": {"City": "Bari", "zipCode": None},
         "Tags": None, "Counts": None, "Born": None, "At": None, "Local": None},
    ],
    "d_parts": [{"Id": 1, "Country": "IE"}, {"Id": 2, "Country": None}],
    "d_generated": [{"Id": 1, "Next": 2}],
    "d_changed": [{"ID": 1, "Renamed": "x", "Home": {"City": "Rome", "Street": "Via"}, "More": 0.5}],
    "d_clustered": [{"Id": 1, "Amount": 2}, {"Id": 2, "Amount": None}],
}  # fmt: skip
FORMATS = statements.formats((*statements.SPARK_TABLES, *statements.HIVE_TABLES))


def test_the_lake_has_its_tables_and_views() -> None:
    tables = (*statements.SPARK_TABLES, *statements.DELTA_TABLES, *statements.HIVE_TABLES)
    views = (*statements.SPARK_VIEWS, *statements.HIVE_VIEWS)

    assert len(statements.created(tables)) + len(SCHEMAS) >= 60
    assert len(statements.created(views)) >= 40


@pytest.mark.parametrize("name", OF_SPARK)
def test_spark_has_the_same_columns(lake_of_engines: Lake, name: str) -> None:
    theirs = StructType.fromJson(lake_of_engines.spark[name]["schema"])

    assert [*differences(lake_of_engines.package(name).spark_schema(), theirs)] == []


@pytest.mark.parametrize("name", OF_HIVE)
def test_hive_has_the_same_columns(lake_of_engines: Lake, name: str) -> None:
    ours = lake_of_engines.package(name).spark_schema()

    assert as_hive_writes_them(ours) == of_hive(lake_of_engines.hive[name].columns)


def test_hives_columns_are_required_where_hive_enforces_it_or_files_cannot_hold_null(
    lake_of_engines: Lake,
) -> None:
    required = {
        (name, field.name)
        for name in OF_HIVE
        for field in lake_of_engines.package(name).spark_schema().fields
        if not field.nullable
    }

    assert required == {
        ("h_enforced", "id"), ("h_enforced", "born"), ("hv_with", "id"), ("hv_with", "born"),
        # As its Avro schema says.
        ("h_of_schema", "userId"), ("hv_schema", "userId"),
        # A count.
        ("hv_grouped", "n"),
    }  # fmt: skip


@pytest.mark.parametrize("name", SCHEMAS)
def test_iceberg_has_the_same_columns(lake_of_engines: Lake, name: str) -> None:
    ours = lake_of_engines.package(name).arrow_schema()

    assert arrow_differences(ours, lake_of_engines.iceberg[name].schema().as_arrow()) == []


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_package_reads_what_iceberg_wrote(lake_of_engines: Lake, name: str) -> None:
    package = lake_of_engines.package(name)
    rows = lake_of_engines.iceberg[name].scan().to_arrow()

    (record,) = package.from_arrow(rows)

    (written,) = package.to_arrow([record]).read_all().to_pylist()
    assert written == {
        name: str(value) if isinstance(value, UUID) else value
        for name, value in rows.to_pylist()[0].items()
    }


@pytest.mark.parametrize("name", FORMATS)
def test_a_package_reads_what_the_engine_wrote(lake_of_engines: Lake, name: str) -> None:
    """Beside the engine's own answer to SELECT *."""
    package = lake_of_engines.package(name)
    files, again = lake_of_engines.files_of(name), lake_of_engines.written_again(name)

    found = read_table(package, FORMATS[name], files, again)

    expected = lake_of_engines.rows(name)
    assert expected
    assert in_order(plain(package, found)) == in_order(expected)


@pytest.mark.parametrize("name", statements.created(statements.DELTA_TABLES))
def test_a_package_reads_what_delta_wrote(lake_of_engines: Lake, name: str) -> None:
    """Beside the values of INSERT: Delta's plugin for Spark 4.2 cannot query in 4.3, only write."""
    package = lake_of_engines.package(name)

    found = read_delta(package, lake_of_engines.files_of(name))

    assert in_order(plain(package, found)) == in_order(DELTA_ROWS[name])


def plain(package: ModuleType, records: Sequence[Any]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = (
        package.to_arrow(records).read_all().to_pylist(maps_as_pydicts="strict")
    )
    return rows


def in_order(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Rows by their first column, with names as Hive has them where these are of a table of Hive's."""
    return sorted(
        ({name.lower(): value for name, value in row.items()} for row in rows),
        key=lambda row: str(next(iter(row.values()))),
    )


def test_a_union_has_its_members(lake_of_engines: Lake) -> None:
    package = lake_of_engines.package("h_union")

    assert [
        type(value) for value in (package.RECORD(u=1, id=2).u, package.RECORD(u="a", id=2).u)
    ] == [int, str]
