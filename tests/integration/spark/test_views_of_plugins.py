"""A session registers the views of its plugins, which read their tables by names of any length."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pytest
from pyspark.sql import SparkSession

from deploy.recording_catalog import recording_catalog_conf
from lakeschema.catalog.column_types import INT, STRING
from lakeschema.catalog.identifiers import Namespace, RelationName
from lakeschema.catalog.relations import Column, Dialect, Relation, ViewText
from lakeschema.catalog.spark import SparkCatalog
from lakeschema.spark.registration import register_views
from lakeschema.translation.model.errors import TranslationError


def registered(found: Mapping[RelationName, str | TranslationError]) -> dict[str, str]:
    return {str(name): str(result) for name, result in found.items()}


def test_views_of_a_plugin_are_registered_over_its_tables(spark: SparkSession) -> None:
    lake = f"lake_{secrets.token_hex(4)}"
    view = {"name": ["a", "b", "v"], "columns": "id INT", "query": "SELECT id FROM plain"}
    long = {
        "name": ["a", "by_long_name"],
        "columns": "id INT, day DATE",
        "query": f"SELECT v.id, p.day FROM {lake}.a.b.v JOIN {lake}.a.b.plain p ON v.id = p.id",
    }
    content = {
        "tables": [{"name": ["a", "b", "plain"], "columns": "id INT NOT NULL, day DATE"}],
        "views": [view, long],
    }
    for key, value in recording_catalog_conf(lake, content).items():
        spark.conf.set(key, value)

    found = register_views(spark, SparkCatalog(spark, lake))

    assert registered(found) == {"a.b.v": "a_b_v", "a.by_long_name": "a_by_long_name"}
    assert spark.catalog.currentCatalog() == "spark_catalog"
    schema = spark.table("a_by_long_name").schema
    assert [(f.name, f.dataType.simpleString()) for f in schema] == [("id", "int"), ("day", "date")]


@dataclass
class WithViews:
    """A catalog with views that only we have."""

    catalog: SparkCatalog
    views: Mapping[RelationName, Relation] = field(default_factory=dict)

    def namespaces(self) -> Sequence[Namespace]:
        return [*self.catalog.namespaces(), Namespace(("ours",))]

    def relations(self, namespace: Namespace) -> Sequence[RelationName]:
        return [
            *self.catalog.relations(namespace),
            *(n for n in self.views if n.place == namespace),
        ]

    def read(self, names: Sequence[RelationName]) -> Mapping[RelationName, Relation]:
        return {**self.catalog.read(names), **{n: self.views[n] for n in names if n in self.views}}

    def current_event_id(self) -> int | None:
        return None


@pytest.mark.parametrize("table", ["members", "club.members", "{catalog}.club.members"])
def test_a_view_returns_the_rows_of_a_plugins_table(spark: SparkSession, table: str) -> None:
    catalog = f"jdbc_{secrets.token_hex(4)}"
    plugin = "org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCTableCatalog"
    spark.conf.set(f"spark.sql.catalog.{catalog}", plugin)
    spark.conf.set(f"spark.sql.catalog.{catalog}.url", f"jdbc:derby:memory:{catalog};create=true")
    driver = "org.apache.derby.iapi.jdbc.AutoloadedDriver"
    spark.conf.set(f"spark.sql.catalog.{catalog}.driver", driver)
    spark.sql(f"CREATE SCHEMA {catalog}.club")
    spark.sql(f"CREATE TABLE {catalog}.club.members (id INT, nm STRING)")
    spark.sql(f"INSERT INTO {catalog}.club.members VALUES (1, 'ann'), (2, 'lee')")
    name = RelationName(("ours",), "upper_names")
    query = f"SELECT id, upper(nm) AS nm FROM {table.format(catalog=catalog)}"
    text = ViewText(Dialect.SPARK, query, query, ("club",), catalog, query_columns=("id", "nm"))
    view = Relation(name, (Column("id", INT), Column("nm", STRING)), view=text)
    source = WithViews(SparkCatalog(spark, catalog), {name: view})

    found = register_views(spark, source, session_catalogs={"": catalog})

    assert registered(found) == {"ours.upper_names": "ours_upper_names"}
    rows = [tuple(row) for row in spark.table("ours_upper_names").collect()]
    assert sorted(rows) == [(1, "ANN"), (2, "LEE")]
