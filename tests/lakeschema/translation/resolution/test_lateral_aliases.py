"""Spark's aliases that later items of the same SELECT use."""

from __future__ import annotations

from lakeschema.catalog.column_types import print_type
from lakeschema.catalog.relations import Dialect
from tests.lakeschema.translation.relations import derived

TABLE = "CREATE TABLE t (Nested struct<Inner:int>)"


def test_an_alias_of_a_field_is_read_and_names_a_field() -> None:
    view = "CREATE VIEW v AS SELECT nested.inner AS a, a % 5 AS b, struct(a) AS c FROM t"

    columns = derived(f"{TABLE}; {view}", dialect=Dialect.SPARK).interface.columns

    assert [print_type(column.type) for column in columns] == ["int", "int", "struct<a:int>"]
