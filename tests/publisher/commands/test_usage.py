"""A deployment's relations in a query log."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.publisher.commands.folder import Folder

DDL = """\
CREATE TABLE shop.orders (id bigint, customer string, amount double) TBLPROPERTIES ('owner' = 'olga');
CREATE TABLE shop.customers (id string, name string);
CREATE VIEW shop.big AS SELECT id, amount FROM shop.orders WHERE amount > 100;
"""
LOG = (
    {"sql": "SELECT id FROM shop.big", "user": "ann", "started_at": "2026-03-01 10:00:00"},
    {
        "query": "SELECT name FROM orders o JOIN customers c ON o.customer = c.id",
        "database": "shop",
        "user": "bob",
        "started_at": "2026-03-02T10:00:00",
    },
    {"sql": "SELECT FROM", "user": "bob"},
)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    folder = Folder(tmp_path_factory.mktemp("shop"))
    folder.write_ddl(DDL)
    assert folder.run("snapshot").status == 0
    (folder.path / "log.jsonl").write_text("\n".join(map(json.dumps, LOG)))
    return folder


def told(folder: Folder, *options: str) -> list[dict[str, Any]]:
    ended = folder.run("usage", str(folder.path / "log.jsonl"), *options, "--json")
    assert ended.status == 0, ended
    return list(ended.lines)


@pytest.mark.thorough
def test_the_first_line_says_how_much_was_read(shop: Folder) -> None:
    assert told(shop)[0] == {
        "table": "log",
        "statements": 3,
        "failures": {"MalformedSql": 1},
        "given_up": [],
    }


def test_joins_are_those_of_tables_that_the_state_knows(shop: Folder) -> None:
    _, row = told(shop, "--show", "join_clusters")

    assert (row["relation"], row["other_relation"]) == ("shop.customers", "shop.orders")
    assert row["on"] == ["id = customer"]


def test_columns_that_nobody_reads_are_told_through_views(shop: Folder) -> None:
    rows = told(shop, "--show", "unused_since", "--days", "0", "--today", "2026-03-01")[1:]

    assert [(row["relation"], row["column"]) for row in rows] == [("shop.big", "amount")]


def test_whom_to_tell_has_owners_and_readers(shop: Folder) -> None:
    rows = told(shop, "--about", "shop.orders.amount")[1:]

    assert [(row["user"], row["concern"], row["relation"]) for row in rows] == [
        ("olga", "owns", "shop.orders"),
        ("ann", "reads", "shop.big"),
    ]


def test_sizes_weigh_what_is_repeated(shop: Folder, tmp_path: Path) -> None:
    query = {"sql": "SELECT customer, sum(amount) AS s FROM shop.orders GROUP BY customer"}
    log, sizes = tmp_path / "log.jsonl", tmp_path / "sizes.json"
    log.write_text("\n".join([json.dumps(query)] * 4))
    sizes.write_text('{"shop.orders": 50}')

    ended = shop.run("usage", str(log), "--show", "materialise", "--sizes", str(sizes), "--json")

    assert [(row["statements"], row["saved"]) for row in ended.lines[1:]] == [(4, 150.0)]


def test_people_see_tables(shop: Folder) -> None:
    shown = shop.people("usage", str(shop.path / "log.jsonl"))

    assert "join clusters" in shown
    assert "id = customer" in shown
    assert shown.endswith("3 statements, 1 could not be read")


def test_what_a_log_holds_is_never_shown_as_it_is(shop: Folder, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text(json.dumps({"sql": "SELECT id FROM shop.orders", "user": "\x1b[2Jann"}))

    shown = shop.people("usage", str(log))

    assert "\x1b" not in shown
    assert r"\x1b[2Jann" in shown
