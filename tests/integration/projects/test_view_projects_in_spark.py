"""A project's views for Spark, read by Spark, and compared with those that Spark creates."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from deploy.local_stack import Metastore
from lakeschema.catalog.hive_metastore import HiveMetastoreCatalog
from lakeschema.catalog.identifiers import RelationName
from tests.integration.projects.member_company import ProjectFolder, member_company

QUERY = """\
SELECT m.*, named_struct('id', c.Id, 'names', array(c.Name)) AS company, map('a', 1) AS counts,
  CAST(m.Id AS DECIMAL(10,2)) AS exact, CAST(m.Name AS VARCHAR(9)) AS short, current_date() AS today
FROM Member m JOIN Company c ON m.CompanyId = c.Id
"""


@pytest.fixture
def project(
    spark: SparkSession, metastore: Metastore, database: str, tmp_path: Path
) -> ProjectFolder:
    spark.sql(
        f"CREATE TABLE {database}.Member (Id BIGINT, Name STRING COMMENT 'their name', CompanyId BIGINT)"
    )
    spark.sql(f"CREATE TABLE {database}.Company (Id BIGINT, Name STRING)")
    spark.sql(f"INSERT INTO {database}.Member VALUES (1, 'Ada', 1)")
    spark.sql(f"INSERT INTO {database}.Company VALUES (1, 'Acme')")
    found = member_company(tmp_path, database, metastore.uri, dialect="spark")
    for path in found.path.glob("views/*"):
        path.unlink()
    found.write({"views/applied.sql": QUERY})
    return found


def test_spark_reads_an_applied_view(
    spark: SparkSession, project: ProjectFolder, database: str
) -> None:
    assert project.endings() == {"applied": "created"}

    (row,) = spark.table(f"{database}.applied").drop("today").collect()
    assert row.asDict(recursive=True) | {"exact": str(row["exact"])} == {
        "Id": 1,
        "Name": "Ada",
        "CompanyId": 1,
        "company": {"id": 1, "names": ["Acme"]},
        "counts": {"a": 1},
        "exact": "1.00",
        "short": "Ada",
    }
    assert spark.sql(f"SHOW TBLPROPERTIES {database}.applied").count() > 0


def test_an_applied_view_has_the_facts_of_one_that_spark_creates(
    spark: SparkSession, project: ProjectFolder, metastore: Metastore, database: str
) -> None:
    project.endings()
    spark.sql(f"USE {database}")
    spark.sql(f"CREATE VIEW {database}.created AS {QUERY.rstrip()}")
    spark.sql("USE default")

    catalog = HiveMetastoreCatalog(metastore.uri)
    names = [RelationName.of(database, name) for name in ("applied", "created")]
    applied, created = (catalog.read(names)[name] for name in names)
    catalog.close()

    assert [replace(c, comment=None) for c in applied.columns] == [
        replace(c, comment=None) for c in created.columns
    ]
    assert applied.view is not None
    assert created.view is not None
    ours = replace(applied.view, sql_configs=created.view.sql_configs)
    assert ours == created.view


def test_create_or_replace_in_spark_is_drift(
    spark: SparkSession, project: ProjectFolder, database: str
) -> None:
    project.endings()

    spark.sql(f"CREATE OR REPLACE VIEW {database}.applied AS SELECT 1 AS one")

    assert project.drifted() == {"applied": "has no record: it was created by hand"}


def test_a_view_may_call_a_sql_function_of_the_metastore(
    spark: SparkSession, project: ProjectFolder, database: str
) -> None:
    spark.sql(f"CREATE FUNCTION {database}.twice(x BIGINT) RETURNS BIGINT RETURN x * 2")
    project.write({"views/applied.sql": f"SELECT {database}.twice(Id) AS double FROM Member"})

    assert project.endings() == {"applied": "created"}

    assert [tuple(row) for row in spark.table(f"{database}.applied").collect()] == [(2,)]
    assert project.answer("plan")["project"]["steps"] == []
