"""``impact``: what a column or relation reaches, the effects there, and the affected people."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from lakeschema.catalog.identifiers import RelationName
from publisher.daemon.assembly import build_state
from publisher.settings import load_settings
from publisher.state.records import FilledColumn, FillingRecord
from tests.publisher.commands.folder import Folder

TABLES = """
CREATE TABLE shop.customers (id bigint, email string, name string);
CREATE TABLE shop.report (email string, total double);
CREATE VIEW shop.contacts AS SELECT id, email FROM shop.customers;
CREATE VIEW shop.every AS SELECT * FROM shop.contacts;
CREATE VIEW shop.names AS SELECT name FROM shop.customers;
CREATE VIEW shop.renamed (number, mail) AS SELECT id, upper(email) FROM shop.contacts -- ends here
;
CREATE VIEW shop.big AS SELECT email AS address FROM shop.report;
"""
FILL = "INSERT INTO shop.report SELECT email, 1 FROM shop.customers"
LOG = [
    {"sql": "SELECT address FROM shop.big", "user": "ann", "started_at": "2026-11-20"},
    {"sql": "SELECT name FROM shop.names", "user": "bob", "started_at": "2026-11-20"},
    {"sql": "SELECT email FROM shop.contacts", "user": "old", "started_at": "2026-01-01"},
    {"sql": FILL, "user": "etl", "started_at": "2026-11-28"},
]
POLICIES = """
groups = ["finance"]
[tags]
pii = ["shop.customers.email"]
[[rules]]
tag = "pii"
mask = "hash"
except_groups = ["finance"]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    folder = Folder(tmp_path_factory.mktemp("impact"))
    folder.write_ddl(TABLES)
    assert folder.run("snapshot").status == 0
    customers, report = (RelationName.of("shop", name) for name in ("customers", "report"))
    columns = (FilledColumn("email", "email", ""),)
    filling = FillingRecord(report, customers, "m", FILL, "etl", columns, 1.0, 2.0)
    with closing(build_state(load_settings(folder.config))) as state:
        state.write(lambda tx: tx.fillings.add([filling]))
    (folder.path / "log.jsonl").write_text("\n".join(map(json.dumps, LOG)))
    (folder.path / "policies.toml").write_text(POLICIES)
    return folder


def impact(folder: Folder, *arguments: str) -> dict[str, Any]:
    ended = folder.run("impact", *arguments, "--json")
    assert ended.status == 0, ended
    (answer,) = ended.lines
    return answer


def hits(answer: Mapping[str, Any]) -> Iterator[tuple[str, int, list[str] | None, str | None]]:
    for hit in answer["hits"]:
        breaks = None if hit["breaks"] is None else "breaks"
        yield hit["relation"], hit["distance"], hit["columns"], hit["next_version"] or breaks


@pytest.mark.thorough
def test_all_that_a_column_reaches_stands_in_order_of_distance(folder: Folder) -> None:
    answer = impact(folder, "shop.customers.email")

    assert list(hits(answer)) == [
        ("shop.customers", 0, ["email"], "2.0.0"),
        ("shop.contacts", 1, ["email"], "breaks"),
        ("shop.report", 1, ["email"], None),
        ("shop.big", 2, ["address"], None),
        ("shop.every", 2, ["email"], "breaks"),
        ("shop.renamed", 2, ["mail"], "breaks"),
    ]
    (filled,) = [hit for hit in answer["hits"] if hit["filled_by"] is not None]
    assert filled["relation"] == "shop.report"
    assert filled["filled_by"]["text"] == FILL
    assert answer["people"] is None


@pytest.mark.thorough
def test_people_are_those_of_the_last_days(folder: Folder) -> None:
    answer = impact(folder, "shop.customers.email", "--log", f"{folder.path}/log.jsonl")

    found = [(each["name"], each["concern"], each["relation"]) for each in answer["people"]]
    assert found == [
        ("etl", "reads", "shop.customers"),
        ("etl", "fills", "shop.report"),
        ("ann", "reads", "shop.big"),
    ]
    longer = impact(
        folder, "shop.customers.email", "--log", f"{folder.path}/log.jsonl", "--days", "400"
    )
    assert "old" in {each["name"] for each in longer["people"]}


@pytest.mark.thorough
def test_tags_and_masks_follow_the_column(folder: Folder) -> None:
    answer = impact(folder, "shop.customers", "--policies", f"{folder.path}/policies.toml")

    found = {
        (hit["relation"], each["column"]): (each["tags"], each["masks"])
        for hit in answer["hits"]
        for each in hit["policies"]
    }
    governed = (["pii"], {"hash": [""]})
    assert found == {
        ("shop.customers", "email"): governed,
        ("shop.contacts", "email"): governed,
        ("shop.every", "email"): governed,
        ("shop.renamed", "mail"): governed,
    }


@pytest.mark.thorough
def test_a_view_loses_a_column_likewise(folder: Folder) -> None:
    assert list(hits(impact(folder, "shop.contacts.email"))) == [
        ("shop.contacts", 0, ["email"], "2.0.0"),
        ("shop.every", 1, ["email"], "2.0.0"),
        ("shop.renamed", 1, ["mail"], "breaks"),
    ]
    assert list(hits(impact(folder, "shop.renamed.mail"))) == [
        ("shop.renamed", 0, ["mail"], "2.0.0")
    ]


@pytest.mark.thorough
def test_a_relation_goes_as_a_whole(folder: Folder) -> None:
    answer = impact(folder, "shop.contacts")

    assert list(hits(answer)) == [
        ("shop.contacts", 0, None, "breaks"),
        ("shop.every", 1, None, "breaks"),
        ("shop.renamed", 1, None, "breaks"),
    ]


@pytest.mark.thorough
def test_the_only_column_cannot_go(folder: Folder) -> None:
    answer = impact(folder, "shop.names.name")

    assert answer["not_planned"] == "name is the only column of shop.names"


@pytest.mark.thorough
def test_markdown_and_text_tell_the_same(folder: Folder) -> None:
    for output in ("text", "markdown"):
        ended = folder.run("impact", "shop.customers.email", "--format", output)
        assert ended.status == 0
        assert "shop.customers.email reaches 4 views, 1 table, 6 packages" in ended.out.replace(
            "`", ""
        )
        assert ended.out.index("shop.contacts") < ended.out.index("shop.every")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("shop.nothing", "relation shop.nothing is not known here"),
        ("shop.customers.mail", "shop.customers has no column mail"),
        ("shop", "expected database.table or database.table.column"),
    ],
)
@pytest.mark.thorough
def test_what_is_not_known_is_refused(folder: Folder, name: str, said: str) -> None:
    ended = folder.run("impact", name)

    assert ended.status in {1, 2}
    assert said in ended.err


@pytest.mark.thorough
def test_a_log_that_is_missing_is_named(folder: Folder, tmp_path: Path) -> None:
    ended = folder.run("impact", "shop.customers", "--log", f"{tmp_path}/absent")

    assert ended.status == 3
    assert "absent: No such file" in ended.err


@pytest.mark.thorough
def test_a_plan_names_the_tables_that_statements_fill(folder: Folder) -> None:
    change = "ALTER TABLE shop.customers REPLACE COLUMNS (id bigint, email bigint, name string)"
    ended = folder.run("plan", change, "--json")

    (plan,) = ended.lines
    (hit,) = plan["hits"]
    assert hit["relation"] == "shop.customers"
    (fill,) = hit["fills"]
    assert (fill["table"], fill["user"], fill["why"]) == (
        "shop.report",
        "etl",
        "email: string → bigint",
    )
    other = folder.run(
        "plan", change.replace("email bigint, name string", "email string"), "--json"
    )
    assert other.lines[0]["hits"] == []
