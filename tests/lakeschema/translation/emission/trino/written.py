"""The text for Trino of an expression over a small table, in each dialect."""

from __future__ import annotations

from collections.abc import Callable

from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect
from lakeschema.translation.emission.trino.query import TrinoQuery
from lakeschema.translation.emission.trino.view import trino_view
from lakeschema.translation.model.interface import Options
from tests.lakeschema.translation.relations import DEFAULT, interfaces

_COLUMNS = (
    "i INT, l BIGINT, ti TINYINT, d DOUBLE, f FLOAT, de DECIMAL(10,2), s STRING, c CHAR(5), o BOOLEAN,"
    " b BINARY, da DATE, ts TIMESTAMP, a ARRAY<INT>, sa ARRAY<STRING>, m MAP<STRING,INT>,"
    " st STRUCT<x:INT,y:STRING>, ast ARRAY<STRUCT<p:INT,q:STRING>>"
)
TABLES = (f"CREATE TABLE t ({_COLUMNS})", "CREATE TABLE u (i INT, w STRING)")
VIEW = RelationName.of("default", "v")
Written = Callable[[str], str]
LEGACY = "TBLPROPERTIES ('view.sqlConfig.spark.sql.ansi.enabled'='false') "


def query(
    text: str,
    dialect: str = "hive",
    options: Options = DEFAULT,
    properties: str = "",
    before: tuple[str, ...] = (),
) -> TrinoQuery:
    relations = relations_from_ddl(
        [*TABLES, *before, f"CREATE VIEW v {properties}AS {text}"], Dialect(dialect)
    )
    return trino_view(relations[VIEW], interfaces(relations, VIEW, options), options)


def hive(expression: str, options: Options = DEFAULT) -> str:
    return _item(query(f"SELECT {expression} AS x FROM t", options=options).sql)


def spark(expression: str) -> str:
    return _item(query(f"SELECT {expression} AS x FROM t", "spark").sql)


def legacy(expression: str) -> str:
    return _item(query(f"SELECT {expression} AS x FROM t", "spark", properties=LEGACY).sql)


def _item(sql: str) -> str:
    return sql.removeprefix("SELECT ").partition(' AS "x"')[0].replace("t1.", "").replace('"', "")
