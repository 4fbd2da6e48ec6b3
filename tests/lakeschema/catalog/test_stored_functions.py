"""SQL functions as Spark 4 stores them in a metastore; asked of Spark 4.3."""

from __future__ import annotations

import json

import pytest

from lakeschema.catalog.column_types import BIGINT, DOUBLE, INT, STRING
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.sql_functions import Parameter, SqlFunction
from lakeschema.catalog.stored_functions import SQL_FUNCTION, sql_function

NAME = RelationName.parse("d1.f")
CONTEXT = {
    "catalogAndNamespace.numParts": "2",
    "catalogAndNamespace.part.0": "spark_catalog",
    "catalogAndNamespace.part.1": "d2",
    "sqlConfig.spark.sql.ansi.enabled": "true",
    "sqlFunction.createTime": "1795413214887",
    "sqlFunction.deterministic": "true",
}
SCALAR = {
    **CONTEXT,
    "sqlFunction.comment": "c",
    "sqlFunction.inputParam": "y STRING, x INT DEFAULT 3 COMMENT 'the x'",
    "sqlFunction.isTableFunc": "false",
    "sqlFunction.returnType": "DOUBLE",
    "sqlFunction.expression": "x + (select max(a) from t)",
}
TABLE = {
    **CONTEXT,
    "sqlFunction.inputParam": "x INT",
    "sqlFunction.isTableFunc": "true",
    "sqlFunction.returnType": "p BIGINT COMMENT 'pp',q STRING",
    "sqlFunction.query": "select a, b from t where a > x",
}


def stored(properties: dict[str, str], size: int = 4000) -> list[str]:
    text = json.dumps(properties)
    parts = [text[start : start + size] for start in range(0, len(text), size)]
    return [f"{number:03}{part}" for number, part in enumerate(parts)]


def test_a_scalar_function_is_read() -> None:
    assert sql_function(NAME, SQL_FUNCTION, stored(SCALAR)) == SqlFunction(
        NAME,
        (Parameter("y", STRING), Parameter("x", INT, "3")),
        "x + (select max(a) from t)",
        returns=DOUBLE,
        current_namespace=("d2",),
        current_catalog="spark_catalog",
        sql_configs={"spark.sql.ansi.enabled": "true"},
    )


def test_a_table_function_is_read() -> None:
    found = sql_function(NAME, SQL_FUNCTION, stored(TABLE))

    assert found is not None
    assert found.is_table
    assert found.columns == (Parameter("p", BIGINT), Parameter("q", STRING))


def test_the_parts_of_a_long_one_are_put_together_by_their_numbers() -> None:
    parts = stored(SCALAR, 7)

    assert len(parts) > 10
    assert sql_function(NAME, SQL_FUNCTION, reversed(parts)) == sql_function(
        NAME, SQL_FUNCTION, stored(SCALAR)
    )


@pytest.mark.parametrize(
    ("class_name", "resources"),
    [
        ("com.example.F", stored(SCALAR)),
        (SQL_FUNCTION, []),
        (SQL_FUNCTION, ["000not JSON"]),
        (SQL_FUNCTION, ["000[1]"]),
        (SQL_FUNCTION, ["000" + "[" * 100_000]),
        (SQL_FUNCTION, stored(CONTEXT)),
        (SQL_FUNCTION, stored({**SCALAR, "sqlFunction.inputParam": "x INT, ("})),
    ],
)
def test_what_is_not_a_readable_sql_function_is_none(class_name: str, resources: list[str]) -> None:
    assert sql_function(NAME, class_name, resources) is None
