"""The text for Hive of Spark views over a small table."""

from __future__ import annotations

from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect
from lakeschema.translation.emission.hive.query import HiveQuery
from lakeschema.translation.emission.hive.view import hive_view
from tests.lakeschema.translation.emission.trino.written import LEGACY, TABLES
from tests.lakeschema.translation.relations import interfaces

VIEW = RelationName.of("default", "v")


def query(text: str, dialect: Dialect = Dialect.SPARK, properties: str = "") -> HiveQuery:
    relations = relations_from_ddl([*TABLES, f"CREATE VIEW v {properties}AS {text}"], dialect)
    return hive_view(relations[VIEW], interfaces(relations, VIEW))


def ansi(expression: str) -> str:
    return _item(query(f"SELECT {expression} AS x FROM t").sql)


def legacy(expression: str) -> str:
    return _item(query(f"SELECT {expression} AS x FROM t", properties=LEGACY).sql)


def _item(sql: str) -> str:
    return sql.removeprefix("SELECT ").partition(" AS `x`")[0].replace("t1.", "").replace("`", "")
