"""``catalog`` over a folder of DDL."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from lakeschema.catalog.catalog_identifiers import CatalogIdentifier
from lakeschema.catalog.name_resolution import FileSource, Resolved, TemporaryView
from lakeschema.catalog.registered_catalogs import RegisteredCatalog
from lakeschema.catalog.session_commands import (
    Answer,
    CatalogShown,
    CatalogsShown,
    NamespaceChanged,
    NamesShown,
    SessionChanged,
)
from lakeschema.catalog.session_statements import Listed
from lakeschema.catalog.sessions import CatalogTraits, Rules
from publisher.commands.catalog_shell import Shell, converse, statements_of
from publisher.commands.cli import app
from publisher.commands.failures import Failure
from publisher.commands.output.console import ConsoleOutput
from publisher.commands.output.json_lines import JsonLines
from publisher.commands.output.session_answers import answer_json
from publisher.commands.reports import SessionAnswer
from tests.lakeschema.catalog.recording_catalogs import FlatCatalog, NestedCatalog
from tests.publisher.commands.folder import Folder


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def test_the_words_of_one_statement_are_run(folder: Folder) -> None:
    ended = folder.run("catalog", "SHOW", "TABLES", "IN", "ddl.Shop", "LIKE", "O%")

    assert ended.status == 0
    assert ended.lines == [
        {
            "listed": "tables",
            "catalog": "ddl",
            "namespace": ["shop"],
            "name": "orders",
            "text": "ddl.shop.orders",
        }
    ]


def test_each_argument_with_a_blank_is_a_statement_of_one_session(folder: Folder) -> None:
    ended = folder.run("catalog", "USE shop; SHOW VIEWS LIKE 'i%'", "RESOLVE Items")

    assert ended.lines == [
        {"catalog": "ddl", "namespace": ["shop"], "current": True},
        {
            "listed": "views",
            "catalog": "ddl",
            "namespace": ["shop"],
            "name": "ids",
            "text": "ddl.shop.ids",
        },
        {
            "catalog": "ddl",
            "namespace": ["shop"],
            "name": "items",
            "path": None,
            "text": "ddl.shop.items",
        },
    ]


def test_a_relation_is_described(folder: Folder) -> None:
    ended = folder.run("catalog", "DESCRIBE Shop.Orders")

    assert ended.lines == [
        {
            "catalog": "ddl",
            "namespace": ["shop"],
            "name": "orders",
            "path": None,
            "text": "ddl.shop.orders",
            "view": False,
            "comment": None,
            "unreadable": None,
            "columns": [
                {"name": "id", "type": "bigint", "nullable": True, "comment": None},
                {"name": "note", "type": "string", "nullable": True, "comment": None},
            ],
        }
    ]
    assert "is         a view" in folder.people("catalog", "DESCRIBE shop.ids")
    assert "columns\n  name  type\n" in folder.people("catalog", "DESCRIBE shop.orders")


def test_statements_come_from_standard_input(folder: Folder) -> None:
    arguments = ["catalog", "--json", "--spark", "--config", str(folder.config)]

    result = CliRunner().invoke(app, arguments, input="use shop; -- a remark\nresolve orders;\n")

    assert result.exit_code == 0
    assert '"text": "spark_catalog.shop.orders"' in result.stdout


def test_standard_input_must_be_utf8(folder: Folder) -> None:
    result = CliRunner().invoke(app, ["catalog", "-c", str(folder.config)], input=b"use \xff")

    assert result.exit_code == 2
    assert "standard input: statements must be UTF-8" in result.stderr


@pytest.mark.parametrize(
    ("statement", "status", "message"),
    [
        ("SELECT 1", 2, "'SELECT 1' is not a statement of this shell"),
        ("USE", 2, "expected a name, the statement ends"),
        ("RESOLVE `\x1b[2J", 2, r"cannot read"),
        ("USE nope", 1, "catalog ddl refused namespace nope: there is no such namespace"),
        ("USE nope", 1, "to see those that exist: SHOW NAMESPACES IN ddl, or SHOW CATALOGS"),
        ("SHOW TABLES IN nope", 1, "'nope' is not a catalog"),
        ("CREATE NAMESPACE nope", 1, "catalog ddl cannot create namespaces"),
        ("DESCRIBE shop.x", 1, "catalog ddl refused relation shop.x: there is no such table or"),
        ("DROP NAMESPACE shop", 1, "catalog ddl cannot drop namespaces"),
        ("SHOW FUNCTIONS", 1, "catalog ddl cannot list functions"),
    ],
)
def test_a_refusal_has_its_status_and_its_reason(
    folder: Folder, statement: str, status: int, message: str
) -> None:
    ended = folder.run("catalog", statement)

    assert ended.status == status
    assert ended.err.startswith("schema-publisher: ")
    assert message in ended.err
    assert "\x1b" not in ended.err


def test_the_first_failure_ends_the_statements(folder: Folder) -> None:
    ended = folder.run("catalog", "USE shop; USE nope; SHOW TABLES")

    assert ended.status == 1
    assert len(ended.lines) == 1


def test_people_see_tables_and_sentences(folder: Folder) -> None:
    shown = folder.people(
        "catalog", "SHOW CATALOGS; USE shop; SHOW TABLES; RESOLVE x; SHOW TABLES 'n'"
    )

    assert "  ddl      yes      default    tables, namespaces, views" in shown
    assert "current namespace: ddl.shop" in shown
    assert "tables of ddl.shop\n  name    as text\n  ids     ddl.shop.ids\n" in shown
    assert "as text    ddl.shop.x" in shown
    assert "no tables of ddl.shop" in shown


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["USE", "a"], ["USE a"]),
        (["USE a"], ["USE a"]),
        (["USE a", "SHOW TABLES"], ["USE a", "SHOW TABLES"]),
        (["USE a; SHOW TABLES;", "USE b"], ["USE a", "SHOW TABLES", "USE b"]),
        (["RESOLVE", "`a;b`"], ["RESOLVE `a;b`"]),
        (["RESOLVE", "`a b`"], ["RESOLVE `a b`"]),
    ],
)
def test_arguments_are_words_or_statements(arguments: list[str], expected: list[str]) -> None:
    assert list(statements_of(arguments)) == expected


def a_shell(stream: io.StringIO) -> Shell:
    calls: list[str] = []
    hive = NestedCatalog("hive", calls, [("shop",), ("shop", "A\x1b")])
    flat = FlatCatalog("flat", calls)
    registered = {
        "hive": RegisteredCatalog(hive, CatalogTraits(folds_case=False)),
        "flat": RegisteredCatalog(flat, CatalogTraits()),
    }
    return Shell(registered, Rules.PROPOSAL, JsonLines(stream))


def test_a_conversation_continues_after_a_failure() -> None:
    stream = io.StringIO()
    prompts: list[str] = []
    failures: list[Failure] = []
    lines: Iterator[str] = iter(["USE shop", "", "nonsense", "USE nope; USE flat", "SHOW TABLES"])

    def read(prompt: str) -> str:
        prompts.append(prompt)
        try:
            return next(lines)
        except StopIteration:
            raise EOFError from None

    converse(a_shell(stream), read, failures.append)

    assert prompts == ["hive> ", *["hive.shop> "] * 5]
    assert [failure.exit_status for failure in failures] == [2, 1]
    assert '"text": "hive.shop.t"' in stream.getvalue().splitlines()[-1]


def test_a_prompt_has_no_control_characters() -> None:
    shell = a_shell(io.StringIO())

    shell.run("USE shop.`A\x1b`")

    assert shell.prompt == "hive.shop.A\\x1b> "


TABLE = Resolved("hive", CatalogIdentifier(("parquet",), "/x"))
ANSWERS: list[tuple[Answer, list[str], str, list[dict[str, Any]]]] = [
    (
        SessionChanged("prod", ("a",), is_current=False),
        [],
        "prod is not the current catalog; its namespace: prod.a\n",
        [{"catalog": "prod", "namespace": ("a",), "current": False}],
    ),
    (
        NamespaceChanged("prod", ("a",), "created"),
        [],
        "prod.a: created\n",
        [{"catalog": "prod", "namespace": ("a",), "change": "created"}],
    ),
    (
        TemporaryView("v"),
        [],
        "the temporary view v of the session\n",
        [{"temporary_view": "v"}],
    ),
    (
        Resolved("prod", CatalogIdentifier.of_path("s3://b/p/")),
        ["prod.'s3://b/p/'"],
        "catalog  prod\npath     s3://b/p/\nname     p\nas text  prod.'s3://b/p/'\n",
        [
            {
                "catalog": "prod",
                "namespace": (),
                "name": "p",
                "path": "s3://b/p/",
                "text": "prod.'s3://b/p/'",
            }
        ],
    ),
    (
        FileSource("parquet", "/x", TABLE),
        [""],
        (
            "files of the format parquet at /x, unless this table exists:\n"
            "catalog    hive\nnamespace  parquet\nname       /x\nas text    no text has this meaning\n"
        ),
        [
            {
                "format": "parquet",
                "path": "/x",
                "unless": {
                    "catalog": "hive",
                    "namespace": ("parquet",),
                    "name": "/x",
                    "path": None,
                    "text": None,
                },
            }
        ],
    ),
    (
        NamesShown(Listed.FUNCTIONS, "prod", (), [("f",)]),
        [""],
        "\nfunctions of prod\n  name  as text\n  f     no text has this meaning\n",
        [{"listed": "functions", "catalog": "prod", "namespace": (), "name": "f", "text": None}],
    ),
    (
        NamesShown(Listed.TABLES, "prod", (), []),
        [],
        "no tables of prod; for its namespaces: SHOW NAMESPACES IN prod\n",
        [],
    ),
    (NamesShown(Listed.TABLES, "prod", ("a",), []), [], "no tables of prod.a\n", []),
    (CatalogsShown([]), [], "no catalogs\n", []),
    (
        CatalogsShown([CatalogShown("prod", False, (), (), "its class is missing")]),
        [],
        "\ncatalogs\n  catalog  cannot be loaded\n  prod     its class is missing\n",
        [
            {
                "catalog": "prod",
                "current": False,
                "namespace": (),
                "abilities": [],
                "not_loaded": "its class is missing",
            }
        ],
    ),
]


@pytest.mark.parametrize(("answer", "texts", "text", "lines"), ANSWERS)
def test_every_answer_has_a_text_and_json(
    answer: Answer, texts: list[str], text: str, lines: list[dict[str, Any]]
) -> None:
    report = SessionAnswer(answer, texts)
    stream = io.StringIO()

    ConsoleOutput(stream, is_terminal=False).session_answer(report)

    assert stream.getvalue() == text
    assert list(answer_json(report)) == lines
