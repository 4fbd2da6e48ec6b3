"""Views for readers under policies, run on Spark: masked values, and no others."""

from __future__ import annotations

import hashlib

import pytest
from pyspark.sql import SparkSession

from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect
from lakeschema.translation.model.interface import Options
from lakeschema.translation.policies.reading import read_policies
from lakeschema.translation.products.governed import govern
from tests.judges.compared_values import in_no_order
from tests.judges.engines.spark import SparkEngine

ANSI = "spark.sql.ansi.enabled"


@pytest.mark.parametrize("dialect", [Dialect.HIVE, Dialect.SPARK])
def test_readers_get_masked_values_alone(
    dialect: Dialect, spark: SparkSession, database: str
) -> None:
    columns = "id INT, email STRING, card STRING, age INT, country STRING"
    spark.sql(f"CREATE TABLE {database}.customers ({columns}) USING parquet")
    spark.sql(
        f"INSERT INTO {database}.customers VALUES (1, 'ann@x', '12345678', 40, 'DE'),"
        " (2, 'bob@x', '87654321', 17, 'DE'), (3, 'cid@x', '1234', 50, 'DE'),"
        " (4, 'dot@x', NULL, 60, 'FR'), (5, NULL, '11112222', 70, 'DE')"
    )
    rules: list[dict[str, str | int | list[str]]] = [
        {"columns": ["email"], "mask": "hash", "salt": "it's"},
        {"columns": ["card"], "mask": "partial", "keep_last": 4},
        {"columns": ["age"], "mask": "null"},
        {"filter": "country = 'DE' AND age >= 18"},
    ]
    tables = [f"{database}.customers"]
    # No digest is equal to the text, so that this condition tells nothing of it.
    where = "WHERE email IS NULL OR email <> 'ann@x'"
    policies = read_policies({"rules": [{"tables": tables, **rule} for rule in rules]})
    ddl = [
        f"CREATE DATABASE {database}; USE {database}; CREATE TABLE customers ({columns})",
        f"CREATE VIEW {database}.below AS SELECT * FROM {database}.customers WHERE id < 9",
        f"CREATE VIEW {database}.v AS SELECT id, email, card, age FROM {database}.below {where}",
    ]
    relations = relations_from_ddl(ddl, dialect)

    query = govern(RelationName.of(database, "v"), relations, policies, Options()).spark()
    rows = in_no_order(SparkEngine(spark, query.settings).rows(query.sql, query.columns))

    def digest(email: str) -> str:
        return hashlib.sha256(f"it's{email}".encode()).hexdigest()

    assert rows == [
        (1, digest("ann@x"), "****5678", None),
        (3, digest("cid@x"), "****", None),
        (5, None, "****2222", None),
    ]


def test_readers_of_a_table_get_masked_values_alone(spark: SparkSession, database: str) -> None:
    columns = "id INT, email STRING, code CHAR(4), `a b` STRING"
    spark.sql(
        f"CREATE TABLE {database}.customers ({columns}, day DATE) USING parquet PARTITIONED BY (day)"
    )
    spark.sql(
        f"INSERT INTO {database}.customers VALUES (1, 'ann@x', 'ab', 'p', DATE '2024-01-02'),"
        " (2, 'bob@x', 'cd', 'q', DATE '2024-01-02'), (3, NULL, NULL, 'r', DATE '2024-01-03')"
    )
    tables = [f"{database}.customers"]
    rules: list[dict[str, str | int | list[str]]] = [
        {"columns": ["email"], "mask": "hash"},
        {"columns": ["a b"], "mask": "constant", "value": "it's"},
        {"columns": ["day"], "mask": "hash", "salt": "s"},
        {"filter": "email IS NULL OR email <> 'bob@x'"},
    ]
    policies = read_policies({"rules": [{"tables": tables, **rule} for rule in rules]})
    ddl = [
        (
            f"CREATE DATABASE {database}; USE {database};"
            f" CREATE TABLE customers ({columns}) PARTITIONED BY (day DATE)"
        )
    ]
    relations = relations_from_ddl(ddl, Dialect.HIVE)

    query = govern(RelationName.of(database, "customers"), relations, policies, Options()).spark()
    rows = in_no_order(SparkEngine(spark, query.settings).rows(query.sql, query.columns))

    def digest(text: str) -> str:
        return hashlib.sha256(text.encode()).hexdigest()

    assert rows == [
        (1, digest("ann@x"), "ab  ", "it's", digest("s2024-01-02")),
        (3, None, None, "it's", digest("s2024-01-03")),
    ]
