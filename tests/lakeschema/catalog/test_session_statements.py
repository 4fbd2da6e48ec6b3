from __future__ import annotations

import pytest

from lakeschema.catalog.errors import Refusal, SessionRefused
from lakeschema.catalog.name_resolution import NameForm, WrittenName
from lakeschema.catalog.session_statements import (
    CreateNamespace,
    Describe,
    DropNamespace,
    Listed,
    Resolve,
    Show,
    ShowCatalogs,
    Statement,
    Use,
    UseCatalog,
    UseNamespace,
    read_statement,
)
from lakeschema.catalog.sessions import Rules


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("USE a.b", Use(("a", "b"))),
        ("use `A b`.c;", Use(("A b", "c"))),
        ("USE CATALOG prod", UseCatalog("prod")),
        ("SET CATALOG prod", UseCatalog("prod")),
        ("USE a.b IN prod", UseNamespace(("a", "b"), "prod")),
        ("USE SCHEMA a", UseNamespace(("a",))),
        ("USE DATABASE a IN prod", UseNamespace(("a",), "prod")),
        # The keywords are also names.
        ("USE catalog", Use(("catalog",))),
        ("USE schema.x", Use(("schema", "x"))),
        ("USE namespace IN prod", UseNamespace(("namespace",), "prod")),
        ("SHOW CATALOGS", ShowCatalogs()),
        ("SHOW CATALOGS LIKE 'p%'", ShowCatalogs("p%")),
        ("SHOW SCHEMAS FROM prod LIKE a%", Show(Listed.NAMESPACES, ("prod",), "a%")),
        ("SHOW TABLES", Show(Listed.TABLES)),
        ("SHOW TABLES 'a*'", Show(Listed.TABLES, None, "a*")),
        ("SHOW VIEWS IN prod.a.b LIKE 'x y'", Show(Listed.VIEWS, ("prod", "a", "b"), "x y")),
        ("SHOW FUNCTIONS IN prod;", Show(Listed.FUNCTIONS, ("prod",))),
        ("CREATE NAMESPACE a.b", CreateNamespace(("a", "b"))),
        ("CREATE DATABASE IF NOT EXISTS a", CreateNamespace(("a",), if_not_exists=True)),
        ("DROP SCHEMA IF EXISTS a", DropNamespace(("a",), if_exists=True)),
        ("RESOLVE a.b.c -- a remark", Resolve(WrittenName(("a", "b", "c")))),
        ("DESCRIBE a.b", Describe(WrittenName(("a", "b")))),
        ("DESC TABLE a.b", Describe(WrittenName(("a", "b")))),
        ("DESCRIBE table", Describe(WrittenName(("table",)))),
        ("RESOLVE 's3://b/p'", Resolve(WrittenName(("s3://b/p",), NameForm.PATH))),
        ("RESOLVE IDENTIFIER('a.b')", Resolve(WrittenName(("a", "b"), NameForm.IDENTIFIER))),
    ],
)
def test_a_statement_is_read(text: str, statement: Statement) -> None:
    assert read_statement(text) == statement


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'' is not a statement of this shell"),
        ("SELECT 1", "'SELECT 1' is not a statement of this shell"),
        ("USE", "cannot read 'USE': expected a name, the statement ends"),
        ("USE a b", "expected the end of the statement, found 'b'"),
        ("USE a.b IN", "expected a catalog, the statement ends"),
        ("SET x = 1", "expected CATALOG, found 'x'"),
        ("SHOW PARTITIONS t", "expected one of CATALOGS, NAMESPACES,"),
        ("SHOW TABLES IN", "expected a catalog, the statement ends"),
        ("SHOW TABLES LIKE", "expected one pattern in quotes after LIKE"),
        ("SHOW TABLES LIKE a b", "expected one pattern in quotes after LIKE"),
        ("SHOW TABLES LIKE 'a", "' is not closed"),
        ("CREATE TABLE t", "expected one of NAMESPACE, DATABASE, SCHEMA, found 'TABLE'"),
        ("DROP NAMESPACE a CASCADE", "expected the end of the statement, found 'CASCADE'"),
        ("RESOLVE a..b", "expected a name, found '.'"),
        ("RESOLVE " + "x." * 40 + "x", "expected a name of at most 32 parts"),
    ],
)
def test_another_text_is_refused(text: str, message: str) -> None:
    with pytest.raises(SessionRefused) as refused:
        read_statement(text)

    assert refused.value.kind is Refusal.SYNTAX
    assert message in str(refused.value)
    assert refused.value.hint


@pytest.mark.parametrize("text", ["USE CATALOG cat", "USE a IN cat"])
def test_spark_lacks_some_statements(text: str) -> None:
    with pytest.raises(SessionRefused, match="expected the end of the statement"):
        read_statement(text, Rules.SPARK)
