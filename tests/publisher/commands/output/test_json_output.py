"""The output for programs: the same keys since the first release."""

from __future__ import annotations

import base64
import json
from datetime import UTC, datetime

import pytest

from lakeschema.catalog.identifiers import Namespace
from publisher.events.protocol import DeadLetter
from tests.publisher.commands.folder import WRONG, Folder

WRONG_RELATION = {"relation": "shop.wrong", "status": "BROKEN", "reason": WRONG}


def version(distribution: str, shown: dict[str, object]) -> dict[str, object]:
    """As it is shown, but for what differs from run to run."""
    return {
        "distribution": distribution,
        "number": "1.0.0",
        "status": "PUBLISHED",
        "change": "first",
        "reasons": ["first version"],
        "sha256": shown["sha256"],
        "created_at": shown["created_at"],
    }


@pytest.mark.thorough
def test_a_snapshot_is_one_line(folder: Folder) -> None:
    ended = folder.run("snapshot", "--json")

    (line,) = ended.lines
    assert ended.status == 0
    assert ended.out == json.dumps(line) + "\n"
    assert list(line) == ["runner", "listed", "differing", "missing", "seconds", "counters"]
    assert list(line["seconds"]) == ["publish"]
    assert line["counters"] == {"snapshots": 1, "derived": 3, "published": 2}
    assert (line["runner"], line["listed"], line["differing"]) == ("local", 3, 3)


def test_a_snapshot_that_leaves_the_work_to_a_daemon_has_no_seconds(folder: Folder) -> None:
    (line,) = folder.run("snapshot", "--enqueue-only").lines

    assert list(line) == ["runner", "listed", "differing", "missing", "counters"]


@pytest.mark.thorough
def test_a_dry_run_is_one_line(folder: Folder) -> None:
    (line,) = folder.run("snapshot", "--dry-run", "--json").lines

    assert line == {
        "runner": "dry-run",
        "listed": 3,
        "differing": ["shop.ids", "shop.orders"],
        "missing": [],
        "errors": {"shop.wrong": WRONG},
    }


@pytest.mark.thorough
def test_a_plan_is_one_object(folder: Folder) -> None:
    (plan,) = folder.run("plan", "--json").lines

    assert list(plan) == [
        "format",
        "breaks",
        "relations",
        "versions",
        "broken",
        "failing",
        "already_failing",
        "mended",
        "dropped_packages",
        "offered_again",
        "withheld",
        "hits",
    ]
    assert plan["versions"][1] == {
        "relation": "shop.orders",
        "distribution": "acme-schema-shop-orders",
        "from": None,
        "to": "1.0.0",
        "change": "first",
        "reasons": ["first version"],
        "dependents": ["shop.ids"],
        "causes": [],
    }
    assert plan["already_failing"] == [
        {
            "relation": "shop.wrong",
            "status": "BROKEN",
            "reason": WRONG,
            "causes": [],
            "published": None,
        }
    ]


@pytest.mark.thorough
def test_an_explanation_is_one_line(published: Folder) -> None:
    (line,) = published.run("explain", "shop.orders", "--json").lines

    (shown,) = line["versions"]
    assert datetime.fromisoformat(shown["created_at"]).tzinfo == UTC
    assert line == {
        "relation": {"relation": "shop.orders", "status": "OK", "reason": ""},
        "meaning": "its schema is known, and its package is current",
        "remedy": "",
        "withheld": False,
        "omitted": [],
        "lineage": None,
        "upstreams": [],
        "dependents": ["shop.ids", "shop.wrong"],
        "versions": [version("acme-schema-shop-orders", shown)],
        "work": None,
    }


@pytest.mark.thorough
def test_a_status_has_no_json_within_strings(published: Folder) -> None:
    (line,) = published.run("status", "--json").lines

    (snapshot,) = line["last_snapshots"]
    assert datetime.fromisoformat(snapshot.pop("ended_at")).tzinfo == UTC
    assert snapshot == {"catalog": "ddl", "listed": 3, "differing": 3, "missing": 0}
    assert line["indexes"] == [
        {
            "catalog": "ddl",
            "checked": 2,
            "differing": 0,
            "adopted": 0,
            "held": [],
            "foreign": [],
            "failed": {},
        }
    ]
    waiting = ("snapshot_due", "retention", "held_deletions", "held_changes", "not_listed")
    assert [line[key] for key in waiting] == [None, None, [], [], {}]


@pytest.mark.thorough
def test_an_upstream_is_explained_with_its_status(published: Folder) -> None:
    (line,) = published.run("explain", "shop.wrong", "--json").lines

    assert line["upstreams"] == [{"relation": "shop.orders", "status": "OK"}]
    assert line["relation"] == WRONG_RELATION


def test_work_is_shown_with_its_attempts(folder: Folder) -> None:
    folder.run("snapshot", "--enqueue-only")

    (line,) = folder.run("explain", "shop.ids", "--json").lines

    assert list(line["work"]) == ["relation", "due_at", "attempts", "retries", "last_error"]
    assert line["work"]["relation"] == "shop.ids"


@pytest.mark.thorough
def test_a_verification_is_a_line_for_each_difference(published: Folder) -> None:
    ended = published.run("verify", "--json")

    assert ended.status == 0
    assert ended.lines == [
        {
            "relation": "shop.wrong",
            "distribution": "acme-schema-shop-wrong",
            "reason": f"cannot be derived: {WRONG}",
            "never_published": True,
        }
    ]


def test_a_dead_letter_has_its_bytes(folder: Folder) -> None:
    letter = DeadLetter(b"\xff{", "not JSON", Namespace(("shop",)))
    with folder.state() as state:
        state.write(lambda tx: tx.journal.add_dead_letters("kafka", [letter], 7.0))

    (line,) = folder.run("dead-letters", "--json").lines

    assert line == {
        "id": 1,
        "source": "kafka",
        "reason": "not JSON",
        "namespace": ["shop"],
        "received_at": "1970-01-01T00:00:07Z",
        "payload_base64": base64.b64encode(letter.payload).decode(),
    }


def test_a_discarded_letter_is_gone(folder: Folder) -> None:
    with folder.state() as state:
        letters = [DeadLetter(b"a", "not JSON", None), DeadLetter(b"b", "not JSON", None)]
        state.write(lambda tx: tx.journal.add_dead_letters("kafka", letters, 7.0))

    shown = folder.run("dead-letters", "--discard", "1").lines

    assert [line["id"] for line in shown] == [2]
    assert [line["id"] for line in folder.run("dead-letters").lines] == [2]


@pytest.mark.thorough
def test_a_retired_version_is_a_line(folder: Folder) -> None:
    folder.write_settings(
        rest="[index.retention]\nkeep_latest_per_major = 1\nyank_after_days = 0\n"
    )
    folder.write_ddl("CREATE TABLE shop.t (a int);")
    folder.run("snapshot")
    folder.write_ddl("CREATE TABLE shop.t (a int, b int);")
    folder.run("snapshot")

    dry = folder.run("retire", "--dry-run", "--json")
    done = folder.run("retire", "--json")
    again = folder.run("retire", "--json")

    assert (dry.status, done.status, again.status) == (0, 0, 0)
    assert [line["done"] for line in [*dry.lines, *done.lines]] == [False, True]
    assert again.lines == []
    assert done.lines[0] == {
        "distribution": "acme-schema-shop-t",
        "version": "1.0.0",
        "file": "acme_schema_shop_t-1.0.0-py3-none-any.whl",
        "action": "yank",
        "done": True,
    }


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["shop.orders"], {"relation": "shop.orders", "requested": True}),
        ([], {"listed": 3, "differing": 0, "missing": 0, "held": {}}),
    ],
)
def test_a_resync_tells_what_is_read_again(
    published: Folder, arguments: list[str], line: dict[str, object]
) -> None:
    assert published.run("resync", *arguments, "--json").lines == [line]
