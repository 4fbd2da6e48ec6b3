"""The relation that a name in DDL or a view means."""

from __future__ import annotations

import pytest

from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect
from lakeschema.translation.model.errors import UnknownRelation
from lakeschema.translation.model.interface import Options
from tests.lakeschema.translation.relations import columns_in, derived, derived_in

TABLES = "CREATE DATABASE d; CREATE TABLE `d.t` (a INT, s STRUCT<`x.y`:INT>);"


@pytest.mark.parametrize("dialect", [Dialect.HIVE, Dialect.SPARK])
@pytest.mark.parametrize(
    ("query", "columns"),
    [
        ("SELECT a FROM `d.t`", "a int"),
        ("SELECT `t`.`a` FROM `d`.`t`", "a int"),
        ("SELECT `d.t`.a, d.t.a b, t.a c FROM `d.t`", "a int, b int, c int"),
        ("SELECT `d.t`.* FROM `d.t` JOIN d.t u ON u.a = `d.t`.a", "a int, s struct<x.y:int>"),
        ("SELECT `D.T`.s.`x.y` z, s.`x.y` FROM `d.t`", "z int, x.y int"),
        ("WITH `d.t` AS (SELECT 'x' a) SELECT `d.t`.a FROM `d.t`", "a string"),
        ("SELECT `p.q`.a FROM d.t `p.q`", "a int"),
    ],
)
def test_a_name_in_one_pair_of_backticks_holds_its_database(
    query: str, columns: str, dialect: Dialect
) -> None:
    """Hive 2.3.10 makes ``d.t`` of it, and prints it so; Hive 4 and Spark 4.3 refuse it."""
    relations = relations_from_ddl([f"{TABLES} CREATE VIEW `d.v` AS {query}"], dialect)

    assert columns_in(relations, RelationName.of("d", "v")) == columns


def test_every_statement_takes_a_name_in_one_pair_of_backticks() -> None:
    changed = (
        "CREATE TABLE d.u LIKE `d.t`; ALTER TABLE `d.t` ADD COLUMNS (b INT);"
        " ALTER TABLE `d.t` RENAME TO `d.w`; DROP TABLE `d.u`"
    )

    relations = relations_from_ddl([TABLES + changed])

    assert {str(name) for name in relations} == {"d.w"}
    assert [c.name for c in relations[RelationName.of("d", "w")].columns] == ["a", "s", "b"]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM iceberg.d.t",
        "SELECT iceberg.d.t.a, d.t.s FROM Iceberg.d.t",
        "SELECT t.* FROM `ICEBERG`.d.t",
        "SELECT * FROM spark_catalog.d.t WHERE a IN (SELECT a FROM iceberg.d.t)",
    ],
)
def test_a_catalog_of_the_session_that_the_settings_name_is_this_one(query: str) -> None:
    ddl = f"{TABLES} CREATE VIEW v AS {query}"

    named = derived(
        ddl, dialect=Dialect.SPARK, options=Options(spark_catalogs=frozenset({"iceberg"}))
    )

    assert [column.name for column in named.interface.columns] == ["a", "s"]
    assert named.upstreams == (RelationName.of("d", "t"),)
    with pytest.raises(UnknownRelation):
        derived(ddl, dialect=Dialect.SPARK)


def test_a_catalog_of_sparks_session_means_nothing_in_hive() -> None:
    relations = relations_from_ddl([f"{TABLES} CREATE VIEW v AS SELECT * FROM iceberg.d.t"])

    with pytest.raises(UnknownRelation):
        derived_in(
            relations,
            RelationName.of("default", "v"),
            Options(spark_catalogs=frozenset({"iceberg"})),
        )
