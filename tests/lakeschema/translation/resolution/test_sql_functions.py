"""Views that call functions which are defined in Spark SQL."""

from __future__ import annotations

import pytest

from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.facts_json import facts_hash
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect
from lakeschema.translation.deriving.derivation import upstreams_of
from lakeschema.translation.emission.spark.view import spark_view
from lakeschema.translation.model.errors import (
    MalformedSql,
    TooLarge,
    TranslationError,
    TypeMismatch,
    UnknownRelation,
    UnsupportedFunction,
)
from lakeschema.translation.model.interface import Options, SourceColumn
from tests.lakeschema.translation.relations import columns, derived, interfaces

TABLES = (
    "CREATE TABLE t (id INT NOT NULL, name STRING) USING delta;"
    "CREATE TABLE u (id INT, label STRING);"
)
VIEW = RelationName.parse("default.v")

# The functions, the query, and what each of its columns is: "!" where it is never null.
YIELDS = [
    ("f(x INT) RETURNS INT RETURN x + 1", "SELECT f(id) AS a FROM t", "a int!"),
    ("f(x INT) RETURNS BIGINT RETURN x + 1", "SELECT f(id) AS a FROM t", "a bigint!"),
    ("f(x BIGINT) RETURN x", "SELECT f(id) AS a FROM t", "a bigint!"),
    ("f(x INT) RETURNS STRING RETURN x", "SELECT default.f(id) AS a FROM t", "a string!"),
    ("f(x INT) RETURN x", "SELECT spark_catalog.default.f(u.id) AS a FROM u", "a int"),
    ("f(x INT, y INT DEFAULT 1 + 1) RETURN x * y", "SELECT f(1) AS a", "a int!"),
    ("f(x INT, y STRING DEFAULT NULL) RETURN y", "SELECT f(1) AS a", "a string"),
    ("f(x INT, y STRING) RETURN y", "SELECT f(y => name, x => id) AS a FROM t", "a string"),
    ("f(x INT) RETURN SELECT max(label) FROM u WHERE u.id = x", "SELECT f(id) AS a FROM t", "a string"),
    ("f(id INT) RETURN SELECT max(u.id + f.id) FROM u", "SELECT f(id) AS a FROM t", "a int"),
    ("f(x INT) RETURN x IN (SELECT id FROM u)", "SELECT id FROM t WHERE f(id)", "id int!"),
    ("f(x INT) RETURN (SELECT count(*) FROM u WHERE id = x)", "SELECT f(max(id)) AS n FROM t", "n bigint"),
    ("f(x INT) RETURN x", "SELECT f(id) AS a, count(*) AS n FROM t GROUP BY f(id)", "a int!, n bigint!"),
    ("f(x INT) RETURN (SELECT x)", "SELECT f(id) AS a FROM t GROUP BY id", "a int"),
    ("f(x INT) RETURN x", "SELECT sum(f(id)) OVER (ORDER BY f(id)) AS a FROM t", "a bigint!"),
    ("upper(x STRING) RETURN 1", "SELECT upper(name) AS a, default.upper(name) AS b FROM t", "a string, b int!"),
    ("f() RETURNS TABLE (a BIGINT, b STRING) RETURN SELECT * FROM t", "SELECT * FROM f()", "a bigint!, b string"),
    ("f(x INT) RETURNS TABLE RETURN SELECT x AS a, label FROM u", "SELECT f.* FROM t, LATERAL f(t.id)", "a int!, label string"),
    ("f(x INT) RETURNS TABLE (a INT) RETURN SELECT x", "SELECT id, y FROM t LEFT JOIN LATERAL f(id) AS r(y)", "id int!, y int"),
    ("f(x INT) RETURNS TABLE (a INT) RETURN VALUES (x)", "SELECT (SELECT max(a) FROM f(id)) AS m FROM t", "m int"),
    ("f(a INT, b STRING) RETURNS TABLE RETURN SELECT struct(a, b) AS s", "SELECT s FROM f(1, 'x')", "s struct<a:int,b:string>!"),
]  # fmt: skip

REFUSED = [
    ("f(x INT) RETURN x", "SELECT f() AS a", TypeMismatch, "needs its argument x"),
    ("f(x INT) RETURN x", "SELECT f(1, 2) AS a", TypeMismatch, "does not take these arguments"),
    ("f(x INT) RETURN x", "SELECT f(y => 2) AS a", TypeMismatch, "does not take these arguments"),
    ("f(x INT) RETURN x", "SELECT f(1, x => 2) AS a", TypeMismatch, "does not take these"),
    ("f(x INT) RETURN x", "SELECT f(array(1)) AS a", TypeMismatch, "cannot be cast to int"),
    ("f(x INT) RETURN x", "SELECT other.f(1) AS a", UnsupportedFunction, "other.f"),
    ("f(x INT) RETURN x", "SELECT * FROM f(1)", TypeMismatch, "makes a value, not rows"),
    ("f() RETURNS TABLE (a INT) RETURN SELECT 1", "SELECT f() AS a", TypeMismatch, "makes rows"),
    ("f(x INT) RETURN x +", "SELECT f(1) AS a", MalformedSql, "cannot be parsed"),
    ("f(x INT) RETURN SELECT a FROM gone", "SELECT f(1) AS a", UnknownRelation, "gone"),
    ("f(x INT) RETURN f(x)", "SELECT f(1) AS a", MalformedSql, "function default.f calls itself"),
    ("f() RETURNS TABLE RETURN SELECT * FROM f()", "SELECT * FROM f()", MalformedSql, "calls itself"),
]  # fmt: skip


def described(functions: str, query: str) -> str:
    ddl = f"{TABLES}CREATE FUNCTION {functions}; CREATE VIEW v AS {query};"
    found = columns(derived(ddl, dialect=Dialect.SPARK))
    return ", ".join(f"{name} {type_}{'' if nullable else '!'}" for name, type_, nullable in found)


@pytest.mark.parametrize(("functions", "query", "expected"), YIELDS)
def test_a_call_is_what_the_body_says_of_the_arguments(
    functions: str, query: str, expected: str
) -> None:
    assert described(functions, query) == expected


@pytest.mark.parametrize(("functions", "query", "error", "named"), REFUSED)
def test_a_call_that_spark_does_not_take_is_refused(
    functions: str, query: str, error: type[TranslationError], named: str
) -> None:
    with pytest.raises(error, match=named):
        described(functions, query)


def test_a_view_reads_what_the_functions_read_that_it_calls_through_others() -> None:
    ddl = f"""{TABLES}
        CREATE FUNCTION unused() RETURN (SELECT max(id) FROM t);
        CREATE FUNCTION inner_() RETURNS TABLE RETURN SELECT id FROM u;
        CREATE FUNCTION outer_(x INT DEFAULT (SELECT max(id) FROM t)) RETURN (SELECT max(id) FROM inner_());
        CREATE VIEW v AS SELECT outer_() AS a; CREATE VIEW w AS SELECT 1 AS unused;"""

    relations = relations_from_ddl([ddl], Dialect.SPARK)

    assert [str(name) for name in upstreams_of(relations[VIEW])] == ["default.t", "default.u"]
    assert upstreams_of(relations[RelationName.parse("default.w")]) == ()


def test_lineage_goes_through_a_function() -> None:
    ddl = f"""{TABLES} CREATE FUNCTION f(x INT) RETURN (SELECT max(label) FROM u WHERE u.id = x);
        CREATE VIEW v AS SELECT f(id) AS a, default.g(id, name) AS b FROM t;
        CREATE FUNCTION g(x INT, y STRING) RETURN y;"""

    found = derived(ddl, dialect=Dialect.SPARK).lineage

    table, other = RelationName.parse("default.t"), RelationName.parse("default.u")
    assert found[0].sources == (SourceColumn(other, "label"),)
    assert found[1].sources == (SourceColumn(table, "name"),)


def test_a_view_is_another_one_when_a_function_below_it_changes() -> None:
    def hash_with(body: str) -> str:
        ddl = f"""CREATE FUNCTION f() RETURN {body}; CREATE FUNCTION g() RETURN f();
            CREATE VIEW v AS SELECT g() AS a;"""
        return facts_hash(relations_from_ddl([ddl], Dialect.SPARK)[VIEW])

    assert hash_with("1") == hash_with("1")
    assert hash_with("1") != hash_with("'a'")


@pytest.mark.thorough
def test_functions_that_double_their_calls_end_with_a_limit() -> None:
    doubling = " ".join(
        f"CREATE FUNCTION f{i}(x INT) RETURN f{i + 1}(x) + f{i + 1}(x);" for i in range(30)
    )
    ddl = f"{doubling} CREATE FUNCTION f30(x INT) RETURN x; CREATE VIEW v AS SELECT f0(1) AS a;"

    with pytest.raises(TooLarge, match="expand to more than"):
        derived(ddl, dialect=Dialect.SPARK)


@pytest.mark.thorough
def test_arguments_that_double_end_with_a_limit() -> None:
    calls = "f(" * 40 + "1" + ")" * 40
    ddl = f"CREATE FUNCTION f(x INT) RETURN x + x; CREATE VIEW v AS SELECT {calls} AS a;"

    with pytest.raises(TooLarge, match="expand to more than"):
        derived(ddl, dialect=Dialect.SPARK)


def test_a_thousand_functions_in_a_row_end_with_a_limit() -> None:
    chain = " ".join(f"CREATE FUNCTION f{i}() RETURN f{i + 1}() + f{i + 1}();" for i in range(999))
    ddl = f"{chain} CREATE VIEW v AS SELECT f0() AS a;"

    with pytest.raises(TooLarge, match="levels deep"):
        derived(ddl, dialect=Dialect.SPARK)


def test_a_view_that_may_call_too_many_functions_is_unreadable() -> None:
    many = " ".join(f"CREATE FUNCTION f{i}() RETURN 1;" for i in range(1_001))
    calls = ", ".join(f"f{i}() AS a{i}" for i in range(1_001))

    found = relations_from_ddl([f"{many} CREATE VIEW v AS SELECT {calls};"], Dialect.SPARK)

    assert found[VIEW].unreadable == (
        "its text may call more than 1000 SQL functions, some through others"
    )


def test_what_is_emitted_calls_no_function() -> None:
    ddl = f"""{TABLES} CREATE FUNCTION f(x INT) RETURN (SELECT max(label) FROM u WHERE u.id = x);
        CREATE VIEW v AS SELECT f(id) AS a FROM t;"""
    relations = relations_from_ddl([ddl], Dialect.SPARK)

    query = spark_view(relations[VIEW], interfaces(relations, VIEW), Options())

    assert "f(" not in query.sql
    assert "SELECT" in query.sql
