"""``analyze``: files for people and programs; in a batch every line gets its answer."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import typer

from lakeschema.analysis import limits
from lakeschema.isolation.limits import Limits
from publisher.commands import standalone
from publisher.commands.failures import NO, USAGE_ERROR, Refused

TOO_MUCH = f"SELECT {', '.join(f'c{n}' for n in range(1_000))} FROM t"


def analyzed(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    text = io.BytesIO("\n".join(lines).encode())
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=text))
    standalone.analyze(batch=True)


def test_a_request_that_takes_too_much_is_given_up_and_told_at_the_end(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(limits, "LIMITS", Limits(max_answer_bytes=20_000))
    usual = json.dumps({"id": "usual", "sql": "SELECT a FROM t", "ask": ["table_lineage"]})

    with pytest.raises(typer.Exit) as ended:
        analyzed(monkeypatch, usual, "", json.dumps({"id": "big", "sql": TOO_MUCH}), "{", usual)

    output = capsys.readouterr()
    answers = [json.loads(line) for line in output.out.splitlines()]
    assert [answer["id"] for answer in answers] == ["usual", "big", None, "usual"]
    assert [answer.get("error", {}).get("type") for answer in answers] == [
        *(None, limits.GIVEN_UP),
        *("InvalidRequest", None),
    ]
    assert answers[0] == answers[3]
    assert "lines 3: given up" in output.err
    assert "lines 4: they are no requests" in output.err
    assert ended.value.exit_code == NO


DDL = "CREATE TABLE shop.orders (id INT, amount INT, day STRING);"
ETL = """
INSERT OVERWRITE TABLE shop.daily SELECT day, sum(amount) AS total FROM orders WHERE id > 0 GROUP BY day;
SELECT nothing FROM shop.orders
"""


@pytest.fixture
def etl(tmp_path: Path) -> Path:
    (tmp_path / "ddl.sql").write_text(DDL)
    (tmp_path / "etl.sql").write_text(ETL)
    return tmp_path / "etl.sql"


def test_a_file_is_shown_in_tables(etl: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ddl = [etl.with_name("ddl.sql")]

    standalone.analyze([etl], dialect="hive", namespace="shop", ddl=ddl, json=False)

    shown = capsys.readouterr().out
    assert shown.startswith(f"{etl}: 2 statements\n")
    rows = [line.split() for line in shown.splitlines()]
    assert ["1", "INSERT", "read", "data", "shop.orders"] in rows
    assert ["1", "shop.daily.total", "shop.orders.amount"] in rows
    assert ["1", "which", "rows", "of", "shop.daily", "shop.orders.id", "(where)"] in rows
    assert ["shop.daily", "shop.orders"] in rows
    assert ["2", "3:8", "error", "unknown_column"] in [row[:4] for row in rows]


def test_a_file_is_answered_in_json_as_a_batch_answers_it(
    etl: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    standalone.analyze([etl, etl], dialect="hive", ask=["table_lineage"], namespace="shop")

    one, other = map(json.loads, capsys.readouterr().out.splitlines())
    assert one == other
    assert one["id"] == str(etl)
    assert one["result"]["statements"][0] == {
        "verb": "INSERT",
        "table_lineage": {"shop.daily": ["shop.orders"]},
    }


def test_a_statement_that_cannot_be_read_ends_with_status_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "broken.sql"
    path.write_text("SELECT 1;\nCREATE TABEL x (a INT)")

    with pytest.raises(typer.Exit) as ended:
        standalone.analyze([path], json=False)

    assert ended.value.exit_code == NO
    shown = capsys.readouterr().out
    assert f"{path}: 2 statements, 1 cannot be read" in shown
    assert "2:8" in shown


def test_standard_input_is_a_file_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = io.BytesIO(b"SELECT a FROM t")
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=text))

    standalone.analyze([Path("-")], json=False)

    assert capsys.readouterr().out.startswith("-: 1 statement\n")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({}, "analyze reads files, or a batch"),
        ({"files": [Path("x")], "batch": True}, "analyze reads files, or a batch"),
        ({"batch": True, "dialect": "hive"}, "each request of a batch has its own options"),
        ({"batch": True, "ddl": [Path("ddl.sql")]}, "each request of a batch has its own options"),
        ({"files": [Path("etl.sql")], "grants_from_metastore": True}, "files have no users"),
        ({"files": [Path("missing.sql")]}, "missing.sql: No such file"),
        ({"files": [Path("etl.sql")], "dialect": "klingon"}, "unknown dialect 'klingon'"),
        ({"files": [Path("etl.sql")], "ask": ["all"]}, "unknown analysis 'all'"),
    ],
)
def test_a_wrong_use_is_refused_by_name(
    etl: Path, monkeypatch: pytest.MonkeyPatch, arguments: dict[str, Any], reason: str
) -> None:
    monkeypatch.chdir(etl.parent)

    with pytest.raises(Refused, match=reason) as refused:
        standalone.analyze(**arguments)

    assert refused.value.failure.exit_status >= USAGE_ERROR
