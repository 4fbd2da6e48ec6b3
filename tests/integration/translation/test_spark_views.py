"""The columns of Spark's views after changes of their tables, by Spark and by a derivation."""

from __future__ import annotations

from contextlib import closing

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

from deploy.local_stack import Metastore
from lakeschema.catalog.column_types import print_type
from lakeschema.catalog.hive_metastore import HiveMetastoreCatalog
from lakeschema.catalog.identifiers import Namespace, RelationName
from lakeschema.translation.model.errors import Broken
from tests.lakeschema.translation.relations import derived_in

ADD_COLUMN = "ALTER TABLE t ADD COLUMNS (added STRING)"
RECREATE = "DROP TABLE t; CREATE TABLE t ({}) STORED AS PARQUET"
BASE = "id INT, s STRUCT<a:INT>, name STRING"

CASES = [
    (f"CREATE VIEW v {mode} AS SELECT {items} FROM t", change)
    for mode in (
        "",
        "WITH SCHEMA BINDING",
        "WITH SCHEMA COMPENSATION",
        "WITH SCHEMA TYPE EVOLUTION",
        "WITH SCHEMA EVOLUTION",
    )
    for items in ("*", "id AS x, s")
    for change in (
        ADD_COLUMN,
        RECREATE.format("id INT, s STRUCT<a:INT,b:INT>, name STRING"),
        RECREATE.format("id BIGINT, s STRUCT<a:INT>, name STRING"),
        RECREATE.format("name STRING, s STRUCT<a:BIGINT>, id INT"),
        RECREATE.format("id STRING, s STRUCT<renamed:INT>, name STRING"),
        RECREATE.format("id INT, name STRING"),
    )
] + [
    (f"CREATE VIEW v AS SELECT {items} FROM t", "SELECT 1")
    for items in (
        "s.a, cast(id AS BIGINT), NAME",
        "count(*) AS n, max(s) AS s",
        "id % 2 AS odd, name AS Name, upper(name) AS `UPPER Name`",
        "id, id + 1 AS next, next * 2 AS double_next",
    )
]


@pytest.mark.parametrize(("view", "change"), CASES)
def test_a_view_shows_what_spark_shows(
    view: str, change: str, spark: SparkSession, metastore: Metastore, database: str
) -> None:
    spark.sql(f"USE {database}")
    spark.sql(f"CREATE TABLE t ({BASE}) STORED AS PARQUET")
    spark.sql(view)
    for statement in change.split("; "):
        spark.sql(statement)
    with closing(HiveMetastoreCatalog(metastore.uri)) as catalog:
        relations = dict(catalog.read(catalog.relations(Namespace((database,)))))
    name = RelationName.of(database, "v")

    expected: list[tuple[str, str]] | None
    try:
        fields = spark.table("v").schema.fields
        expected = [(f.name, f.dataType.simpleString()) for f in fields]
    except AnalysisException:
        expected = None
    spark.sql("USE default")

    if expected is None:
        with pytest.raises(Broken):
            derived_in(relations, name)
    else:
        columns = derived_in(relations, name).interface.columns
        assert [(c.name, print_type(c.type)) for c in columns] == expected
