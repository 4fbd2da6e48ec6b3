"""``analyze --batch``: one request, one answer."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from lakeschema.analysis.batch import answer


def test_statements_of_a_procedure_say_so() -> None:
    sql = "CREATE PROCEDURE s.p AS BEGIN DELETE FROM t; END"

    found = answer({"id": 1, "sql": sql, "dialect": "tsql", "ask": []})

    assert found["result"]["statements"] == [{"verb": "DELETE", "procedure": "s.p"}]


def test_a_request_is_answered_in_the_stable_form() -> None:
    request = {
        "id": 7,
        "sql": "INSERT INTO t SELECT s.a.b, max(c) AS m FROM s WHERE d > 1 GROUP BY s.a.b",
        "dialect": "spark",
        "ddl": ["CREATE TABLE s (a STRUCT<b: INT>, c INT, d INT)", "CREATE TABLE t (x INT, y INT)"],
    }

    found = answer(request)

    (statement,) = found["result"]["statements"]
    assert found["id"] == 7
    assert statement["verb"] == "INSERT"
    assert statement["table_lineage"] == {"t": ["s", "t"]}
    assert statement["column_lineage"] == [
        {
            "target": "t",
            "columns": [
                {
                    "column": "x",
                    "direct": [{"relation": "s", "column": "a", "path": ["b"]}],
                    "indirect": [],
                },
                {
                    "column": "y",
                    "direct": [{"relation": "s", "column": "c"}],
                    "indirect": [],
                },
            ],
            "rows": [
                {"clause": "where", "relation": "s", "column": "d"},
                {"clause": "group by", "relation": "s", "column": "a", "path": ["b"]},
            ],
        }
    ]
    assert found["result"]["dataflow"] == {"t": ["s", "t"]}


def test_only_what_is_asked_is_answered() -> None:
    found = answer({"id": 1, "sql": "SELECT a FROM t", "ask": ["table_access"]})

    assert found["result"] == {
        "statements": [
            {"verb": "SELECT", "table_access": [{"relation": "t", "access": "read data"}]}
        ]
    }


def test_a_statement_that_is_not_understood_says_where() -> None:
    found = answer({"id": 1, "sql": "SELECT 1;\nSELECT a FROM", "ask": ["joins"]})

    first, second = found["result"]["statements"]
    assert first == {"verb": "SELECT", "joins": []}
    assert second["error"]["type"] == "MalformedSql"
    assert (second["error"]["line"], second["error"]["column"]) == (2, 14)


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ("x", "expected a request to be a JSON object"),
        ({"sql": 1}, "expected 'sql' to be a text"),
        ({"sql": "", "dialect": "klingon"}, "unknown dialect 'klingon'; the dialects are"),
        ({"sql": "", "ask": ["all"]}, "unknown analysis 'all'; the analyses are table_access"),
        ({"sql": "", "options": {"x": True}}, "unknown option 'x'; the options are"),
        ({"sql": "", "options": {"count_reads_all": 1}}, "to be true or false, got 1"),
        ({"sql": "", "tables": {"t": "a"}}, "expected 'tables' to be an object"),
        ({"sql": "", "namespace": "db"}, "expected 'namespace' to be a list of names"),
        ({"sql": "", "ddl": ["CREATE TABLE ("]}, "expected a table"),
        ({"sql": "", "tables": {"a..b": []}}, "a..b"),
        ({"sql": "", "quel": 1}, "unknown key 'quel'; the keys are"),
    ],
)
def test_a_wrong_request_is_told_what_is_allowed(request_: Any, message: str) -> None:
    assert message in answer(request_)["error"]["message"]


@pytest.mark.thorough
def test_the_command_answers_line_by_line() -> None:
    lines = [json.dumps({"id": 1, "sql": "SELECT 1", "ask": []}), "{", json.dumps({"id": 2})]

    done = subprocess.run(
        [sys.executable, "-m", "publisher", "analyze", "--batch"],
        input="\n".join(lines),
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 1
    assert done.stderr == "lines 2, 3: they are no requests\n"
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert answers[0] == {"id": 1, "result": {"statements": [{"verb": "SELECT"}]}}
    assert answers[1]["error"]["message"].startswith("the line is not JSON")
    assert answers[2]["error"]["message"] == "expected 'sql' to be a text"


def test_broken_rules_are_answered_with_their_places() -> None:
    found = answer(
        {
            "id": 1,
            "sql": "SELECT t.a FROM t, u WHERE t.b = NULL; SELECT )",
            "ask": ["defence"],
            "rules": {"equals_null": False},
        }
    )

    first, second = found["result"]["statements"]
    assert first == {
        "verb": "SELECT",
        "defence": [
            {
                "rule": "cross_join",
                "severity": "warning",
                "message": "no condition connects u with t",
                "line": 1,
                "column": 20,
                "hint": "add the condition of the join",
            }
        ],
    }
    (violation,) = second["defence"]
    assert (violation["rule"], violation["line"], violation["column"]) == ("unreadable", 1, 47)


@pytest.mark.parametrize("rules", [{"typo": True}, {"cross_join": 1}, ["cross_join"]])
def test_rules_that_mean_nothing_are_refused(rules: object) -> None:
    found = answer({"id": 1, "sql": "SELECT 1", "rules": rules})

    assert found["error"]["type"] == "InvalidRequest"
