"""CREATE FUNCTION and DROP FUNCTION: which become facts of the views, and which are ignored."""

from __future__ import annotations

import pytest

from lakeschema.catalog.column_types import BIGINT, INT, STRING, ArrayType, StructField, StructType
from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.errors import MalformedDdl
from lakeschema.catalog.facts_json import facts_from_json, facts_to_json
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect
from lakeschema.catalog.sql_functions import Parameter, SqlFunction

VIEW = RelationName.parse("default.v")


def functions_of(ddl: str, query: str = "SELECT f(1) AS a") -> tuple[SqlFunction, ...]:
    relations = relations_from_ddl([f"{ddl}; CREATE VIEW default.v AS {query};"], Dialect.SPARK)
    view = relations[VIEW].view
    assert view is not None
    return view.functions


def test_a_scalar_function_has_parameters_defaults_a_type_and_a_body() -> None:
    (found,) = functions_of(
        "CREATE FUNCTION db.f(`a b` ARRAY<STRUCT<x: INT>> COMMENT 'it', c BIGINT DEFAULT g(1, ')') + 1)"
        " RETURNS STRING LANGUAGE SQL NOT DETERMINISTIC COMMENT 'RETURN' READS SQL DATA"
        " RETURN concat(c, ';')",
        "SELECT db.f(1) AS a",
    )

    assert found == SqlFunction(
        RelationName.parse("db.f"),
        (
            Parameter("a b", ArrayType(StructType((StructField("x", INT),)))),
            Parameter("c", BIGINT, "g(1, ')') + 1"),
        ),
        "concat(c, ';')",
        returns=STRING,
    )


def test_a_table_function_has_columns() -> None:
    (found,) = functions_of(
        "CREATE OR REPLACE FUNCTION f() RETURNS TABLE (a INT COMMENT 'x', b STRING) RETURN SELECT 1, 'a'"
    )

    assert found.is_table
    assert found.columns == (Parameter("a", INT), Parameter("b", STRING))
    assert found.body == "SELECT 1, 'a'"


def test_what_it_returns_need_not_be_said() -> None:
    (scalar,) = functions_of("CREATE FUNCTION f() RETURN 1")
    (table,) = functions_of("CREATE FUNCTION f() RETURNS TABLE RETURN SELECT 1 AS a")

    assert (scalar.is_table, scalar.returns) == (False, None)
    assert (table.is_table, table.columns) == (True, ())


@pytest.mark.parametrize(
    "ddl",
    [
        "CREATE FUNCTION f AS 'com.example.F' USING JAR 'f.jar'",
        "CREATE TEMPORARY FUNCTION f(x INT) RETURN x",
        "CREATE FUNCTION f(x INT) RETURNS INT LANGUAGE PYTHON AS $$ RETURN $$",
        "CREATE FUNCTION f(x INT) RETURN x; DROP FUNCTION IF EXISTS f",
        "DROP FUNCTION f",
        "CREATE FUNCTION g(x INT) RETURN x",
    ],
)
def test_a_view_knows_no_function_of_a_class_a_session_or_another_name(ddl: str) -> None:
    assert functions_of(ddl) == ()


def test_the_last_one_made_counts_unless_it_says_otherwise() -> None:
    first = "CREATE FUNCTION f() RETURN 1"

    (replaced,) = functions_of(f"{first}; CREATE OR REPLACE FUNCTION f() RETURN 2")
    (kept,) = functions_of(f"{first}; CREATE FUNCTION IF NOT EXISTS f() RETURN 2")

    assert (replaced.body, kept.body) == ("2", "1")
    with pytest.raises(MalformedDdl, match=r"function default\.f exists already"):
        functions_of(f"{first}; CREATE FUNCTION f() RETURN 2")


def test_a_function_that_is_made_after_the_view_is_known_to_it() -> None:
    ddl = "CREATE VIEW v AS SELECT f() AS a; CREATE FUNCTION f() RETURN 1;"

    view = relations_from_ddl([ddl], Dialect.SPARK)[VIEW].view

    assert view is not None
    assert [function.body for function in view.functions] == ["1"]


def test_names_in_a_body_are_looked_up_where_the_function_was_made() -> None:
    (found,) = functions_of(
        "CREATE DATABASE db; USE db; CREATE FUNCTION f() RETURN 1; USE default",
        "SELECT db.f() AS a",
    )

    assert found.name == RelationName.parse("db.f")
    assert found.current_namespace == ("db",)


def test_facts_with_functions_are_read_back() -> None:
    relation = relations_from_ddl(
        [
            """CREATE FUNCTION f(x INT DEFAULT 1) RETURNS TABLE (a STRING) RETURN SELECT g(x);
            CREATE FUNCTION g(x INT) RETURNS ARRAY<INT> RETURN array(x);
            CREATE VIEW v AS SELECT * FROM f();"""
        ],
        Dialect.SPARK,
    )[VIEW]

    assert facts_from_json(facts_to_json(relation)) == relation
    assert relation.view is not None
    assert len(relation.view.functions) == 2


@pytest.mark.parametrize(
    ("ddl", "named"),
    [
        ("CREATE FUNCTION f(x INT RETURN x", "expected a comma or a parenthesis"),
        ("CREATE FUNCTION f(x) RETURN x", "expected a column type"),
        ("CREATE FUNCTION f(x INT) RETURNS INT RETURN", "expected an expression or a query"),
    ],
)
def test_a_function_that_cannot_be_read_says_what_was_expected(ddl: str, named: str) -> None:
    with pytest.raises(MalformedDdl, match=named):
        functions_of(ddl)
