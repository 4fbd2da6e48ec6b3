"""Maps with keys of any type, and intervals: a package reads Spark's values."""

from __future__ import annotations

import datetime as dt

from pyspark.sql import SparkSession

from codegen.modules import render_modules
from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect
from lakeschema.translation.deriving.derivation import derive
from lakeschema.translation.model.interface import Options
from tests.codegen.generated import imported_modules

COLUMNS = {
    "days": ("MAP<DATE, MAP<TINYINT, STRING>>", "map(DATE'2020-01-31', map(1Y, 'a'))"),
    "places": ("MAP<STRUCT<x: INT>, STRING>", "map(named_struct('x', 1), 'here')"),
    "waited": ("INTERVAL HOUR TO SECOND", "INTERVAL '25:00:00.000001' HOUR TO SECOND"),
    "term": ("INTERVAL YEAR TO MONTH", "INTERVAL '-1-2' YEAR TO MONTH"),
}


def test_what_spark_shows_of_a_relation_becomes_its_records(spark: SparkSession) -> None:
    name = RelationName.of("shop", "orders")
    types = ", ".join(f"{column} {type_}" for column, (type_, _) in COLUMNS.items())
    relation = relations_from_ddl([f"CREATE TABLE shop.orders ({types});"], Dialect.SPARK)[name]
    schema = derive(relation, {}, Options()).interface.schema
    shown = ", ".join(f"{value} AS {column}" for column, (_, value) in COLUMNS.items())
    nothing = ", ".join(f"CAST(NULL AS {type_})" for type_, _ in COLUMNS.values())
    spark.sql(
        f"CREATE OR REPLACE TEMPORARY VIEW maps_and_intervals AS SELECT {shown} UNION ALL SELECT {nothing}"
    )
    with imported_modules(render_modules(schema, "orders_on_spark", name), "orders_on_spark") as p:
        expected = p.Orders(
            days={dt.date(2020, 1, 31): {1: "a"}},
            places=[p.Places(key=p.Places_Key(x=1), value="here")],
            waited=dt.timedelta(hours=25, microseconds=1),
            term=-14,
        )

        frame = p.dataset(spark, "maps_and_intervals")

        assert frame.schema == p.spark_schema()
        assert list(p.from_rows(frame.collect())) == [expected, p.Orders()]
        as_stored = spark.table("maps_and_intervals").drop("term").collect()
        rows = [{**row.asDict(), "term": None} for row in as_stored]
        assert list(p.from_rows(rows)) == [expected.replace(term=None), p.Orders()]
