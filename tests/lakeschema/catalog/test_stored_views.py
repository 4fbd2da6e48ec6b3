from __future__ import annotations

import pytest

from lakeschema.catalog.column_types import parse_type
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.metastore_views import facts_of
from lakeschema.catalog.relations import Column, Dialect
from lakeschema.catalog.spark_schema import schema_properties, stored_columns
from lakeschema.catalog.stored_views import view_for_hive, view_for_spark

NAME = RelationName.of("shop", "totals")


@pytest.mark.parametrize(
    "type_text",
    [
        *("bigint", "int", "smallint", "tinyint", "string", "decimal(10,2)", "timestamp", "date"),
        *("char(3)", "varchar(9)", "array<varchar(9)>", "map<string,array<int>>", "binary"),
        "struct<Id:bigint,names:array<struct<a:char(2),b:boolean>>>",
    ],
)
def test_sparks_schema_is_read_back_as_it_was_written(type_text: str) -> None:
    columns = (Column("One", parse_type(type_text), "a 'comment'", nullable=False),)

    assert stored_columns(schema_properties(columns)) == columns


def test_a_long_schema_of_spark_is_split_and_read_back() -> None:
    columns = tuple(Column(f"column_{n}", parse_type("string")) for n in range(200))

    properties = schema_properties(columns)

    assert len(properties) > 2
    assert max(map(len, properties.values())) <= 4000
    assert stored_columns(properties) == columns


def test_a_view_for_spark_is_read_as_sparks_in_its_database_and_ansi_mode() -> None:
    columns = (Column("Id", parse_type("bigint")),)

    facts = facts_of(view_for_spark(NAME, columns, "SELECT Id FROM t", {"comment": "c"}, "team"))

    assert facts.columns == columns
    assert facts.comment == "c"
    assert facts.properties == {}
    assert facts.view is not None
    assert facts.view.dialect is Dialect.SPARK
    assert facts.view.current_namespace == ("shop",)
    assert facts.view.query_columns == ("Id",)
    assert facts.view.sql_configs == {"spark.sql.ansi.enabled": "true"}


def test_a_view_for_hive_has_both_texts_and_names_in_lower_case() -> None:
    texts = ("SELECT Id FROM t", "SELECT Id FROM `shop`.t")

    facts = facts_of(view_for_hive(NAME, (Column("Id", parse_type("bigint")),), texts, {}, "team"))

    assert [column.name for column in facts.columns] == ["id"]
    assert facts.view is not None
    assert facts.view.dialect is Dialect.HIVE
    assert (facts.view.original_text, facts.view.text) == texts
