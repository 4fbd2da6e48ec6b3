"""Columns of Iceberg's views over tables that changed, as Spark answered on Iceberg's plugin."""

from __future__ import annotations

from typing import Any

import pytest

from lakeschema.catalog.column_types import print_type
from lakeschema.catalog.iceberg import relation_of
from lakeschema.catalog.iceberg_metadata import read_metadata
from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.deriving.derivation import derive
from lakeschema.translation.model.errors import TypeMismatch
from lakeschema.translation.model.interface import Options
from tests.lakeschema.catalog.iceberg_documents import field_of, table_of, view_of

TABLE, VIEW = RelationName(("a", "b"), "t"), RelationName(("a", "b"), "v")
ID = field_of(1, "id", "long")
PRICE = field_of(2, "price", "decimal(10, 2)")


def columns(text: str, *table: dict[str, Any], dialect: str = "spark") -> list[tuple[str, str]]:
    """Of a view that was created when the table had the columns ID and PRICE."""
    upstream = relation_of(TABLE, read_metadata(table_of(*table)))
    stored = [field_of(1, "key", "long"), field_of(2, "total", "decimal(10, 2)")]
    view = relation_of(VIEW, read_metadata(view_of({dialect: text}, *stored)))
    upstreams = {TABLE: derive(upstream, {}, Options()).interface}
    found = derive(view, upstreams, Options()).interface.columns
    return [(column.name, print_type(column.type)) for column in found]


STATED = [("key", "bigint"), ("total", "decimal(10,2)")]


@pytest.mark.parametrize("dialect", ["spark", "trino"])
def test_a_view_has_the_stated_columns(dialect: str) -> None:
    assert columns("SELECT id AS key, price AS total FROM t", ID, PRICE, dialect=dialect) == STATED


def test_a_column_that_the_table_gained_does_not_flow() -> None:
    assert columns("SELECT * FROM t", ID, PRICE, field_of(3, "more")) == STATED


def test_a_renamed_column_is_found_by_its_position() -> None:
    assert columns("SELECT * FROM t", field_of(1, "other", "long"), PRICE) == STATED


def test_a_narrower_type_is_read_as_the_stated_one() -> None:
    assert columns("SELECT * FROM t", field_of(1, "id", "int"), PRICE) == STATED


def test_a_wider_type_makes_the_view_unreadable() -> None:
    with pytest.raises(TypeMismatch):
        columns("SELECT * FROM t", ID, field_of(2, "price", "decimal(14, 2)"))


def test_a_column_that_the_table_lost_makes_the_view_unreadable() -> None:
    with pytest.raises(TypeMismatch, match="its query returns 1"):
        columns("SELECT * FROM t", ID)


def test_a_spark_view_has_its_stored_times_as_spark_reads_them() -> None:
    times = [
        field_of(1, "at", "timestamptz"),
        field_of(2, "wall", "timestamp"),
        field_of(3, "u", "uuid"),
    ]
    nested = {"type": "list", "element-id": 5, "element": "timestamptz", "element-required": False}
    times.append(field_of(4, "l", nested))
    upstream = relation_of(TABLE, read_metadata(table_of(*times)))
    view = relation_of(VIEW, read_metadata(view_of({"spark": "SELECT * FROM t"}, *times)))
    upstreams = {TABLE: derive(upstream, {}, Options()).interface}

    found = derive(view, upstreams, Options()).interface.columns

    types = [print_type(column.type) for column in found]
    assert types == ["timestamp", "timestamp_ntz", "string", "array<timestamp>"]
