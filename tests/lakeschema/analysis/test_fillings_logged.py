"""Lines of a log: their forms, times and order, and unreadable lines."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from lakeschema.analysis.catalog import KnownTable
from lakeschema.analysis.checking import table_value
from lakeschema.analysis.fillings_logged import (
    MAX_TEXT,
    Learnt,
    answer_fillings,
    learnt_from,
    question,
)
from lakeschema.isolation.frames import decode, encode

KNOWN = {
    "shop.s": table_value(KnownTable(("a", "b"))),
    "shop.t": table_value(KnownTable(("p", "q"))),
}
FILL = "INSERT INTO shop.t SELECT a, b FROM shop.s"
NOW = 1_800_000_000.0
SOON = 1e-3
"""Seconds by which statements of one time may be apart here."""


class Reader:
    """The child's function, with questions and answers as they cross the pipe."""

    def __init__(self) -> None:
        self._answer = answer_fillings(("spark", {}))
        self._order = 0

    def learn(
        self,
        lines: bytes,
        now: float = NOW,
        known: Mapping[str, Any] = KNOWN,
        *,
        removed: tuple[str, ...] = (),
    ) -> Learnt:
        asked = decode(encode(question(known, removed, lines, now, self._order)))
        found = learnt_from(decode(encode(self._answer(asked))))
        self._order = found.order
        return found


def learn(*lines: Mapping[str, Any]) -> Learnt:
    return Reader().learn(json_lines(*lines))


def json_lines(*lines: Mapping[str, Any]) -> bytes:
    return b"\n".join(json.dumps(line).encode() for line in lines)


LINES = [{"sql": FILL, "user": "etl"}, {"query": "SELECT 1"}, {"statement": FILL}]


@pytest.mark.parametrize(
    "data",
    [
        json_lines(*LINES),
        json_lines(*LINES) + b"\n\n",
        json_lines(*LINES).replace(b"\n", b"\r\n"),
        json.dumps(LINES).encode(),
        json.dumps(LINES, indent=2).encode(),
    ],
    ids=["lines", "lines with empty ones", "lines of Windows", "array", "array over lines"],
)
def test_forms_say_the_same(data: bytes) -> None:
    found = Reader().learn(data)

    assert (found.statements, found.unread) == (3, 0)
    assert [(each.text, each.user) for each in found.fillings] == [(FILL, "etl"), (FILL, "")]


@pytest.mark.parametrize("data", [b"", b"  \n", b"{", b"null", b"1", b'"text"', b"{}", b"\xff\xfe"])
def test_what_is_no_line_is_told(data: bytes) -> None:
    found = Reader().learn(data)

    assert (found.fillings, found.unread, len(found.failures)) == ((), 1, 1)


def test_an_empty_array_says_nothing() -> None:
    assert Reader().learn(b"[]") == Learnt(0, (), 0, (), 0)


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        (b"{", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b'{"sql": "\\ud800"}', "not JSON"),
        (b'{"sql": 1}', "expected an object with a text under sql"),
        (b'["sql"]', "expected an object with a text under sql"),
        (b'{"sql": "INSERT INTO"}', "line 1"),
        (b'{"sql": "SELECT 1", "dialect": "klingon"}', "klingon"),
        (b'{"sql": "SELECT 1", "dialect": ["spark"]}', "spark"),
    ],
)
def test_one_bad_line_costs_no_other(bad: bytes, why: str) -> None:
    good = json_lines({"sql": FILL})

    found = Reader().learn(b"\n".join((good, bad, good)))

    assert (found.statements, len(found.fillings), found.unread) == (3, 2, 1)
    ((number, failure),) = found.failures
    assert number == 2
    assert why in failure


@pytest.mark.parametrize(
    ("line", "fills"),
    [
        ({"database": "shop"}, True),
        ({"current_namespace": "shop"}, True),
        ({"database": "other"}, False),
        ({"database": None, "user": None, "session": None, "dialect": None}, False),
        ({"database": 1, "user": {}, "session": [1], "current_catalog": 2}, False),
    ],
)
def test_bare_names_are_those_of_the_database(line: Mapping[str, Any], fills: bool) -> None:
    found = learn({"sql": "INSERT INTO t SELECT a, b FROM s", **line})

    assert found.unread == 0
    targets = {str(each.filling.target) for each in found.fillings}
    assert ("shop.t" in targets) is fills


@pytest.mark.parametrize("succeeded", [True, None, "false", 0])
def test_what_is_not_said_to_have_failed_fills(succeeded: object) -> None:
    assert len(learn({"sql": FILL, "succeeded": succeeded}).fillings) == 1


def test_what_failed_fills_nothing_and_changes_nothing() -> None:
    found = learn(
        {
            "sql": "CREATE TEMPORARY VIEW s AS SELECT 1 AS a, 2 AS b",
            "succeeded": False,
            "session": "1",
        },
        {"sql": FILL, "succeeded": False},
        {"sql": "INSERT INTO shop.t SELECT a, b FROM s", "database": "shop", "session": "1"},
    )

    assert (found.statements, found.unread) == (3, 0)
    assert [[str(s) for s in each.filling.sources] for each in found.fillings] == [["shop.s"]]


DAY = datetime(2026, 1, 31, 12, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("stated", "at"),
    [
        ("2026-01-31T12:30:00Z", DAY.timestamp()),
        ("2026-01-31T12:30:00+00:00", DAY.timestamp()),
        ("2026-01-31T14:30:00+02:00", DAY.timestamp()),
        ("2026-01-31T12:30:00", DAY.timestamp()),
        ("2026-01-31 12:30:00", DAY.timestamp()),
        ("2026-01-31 12:30:00.250", DAY.timestamp() + 0.25),
        ("2026-01-31", DAY.timestamp() - 12.5 * 3600),
        (DAY.timestamp(), DAY.timestamp()),
        (int(DAY.timestamp()), DAY.timestamp()),
        (int(DAY.timestamp() * 1000), DAY.timestamp()),
        (str(int(DAY.timestamp())), DAY.timestamp()),
        (str(int(DAY.timestamp() * 1000)), DAY.timestamp()),
        (repr(DAY.timestamp() + 0.5), DAY.timestamp() + 0.5),
        (NOW + 3600, NOW),
        ((NOW + 3600) * 1000, NOW),
        ((datetime.fromtimestamp(NOW, UTC) + timedelta(days=1)).isoformat(), NOW),
        ("9999-12-31T23:59:59-12:00", NOW),
        ("0001-01-01T00:00:00+14:00", NOW),
        ("yesterday", NOW),
        ("", NOW),
        (None, NOW),
        (True, NOW),
        (0, NOW),
        (-5, NOW),
        (2026, NOW),
        ("2026", NOW),
        (10**400, NOW),
        (float("nan"), NOW),
        (float("inf"), NOW),
        ([2026], NOW),
        ({}, NOW),
    ],
)
def test_when_a_statement_ran(stated: object, at: float) -> None:
    found = learn({"sql": FILL, "started_at": stated})

    (filling,) = found.fillings
    assert at <= filling.at < at + SOON


def test_what_ran_at_one_time_stays_in_its_order() -> None:
    reader = Reader()
    line = {"sql": f"{FILL}; {FILL}", "started_at": "2026-01-31"}

    found = [
        each.at
        for lines in (json_lines(line, line), json_lines(line), b"[]", json_lines(line))
        for each in reader.learn(lines).fillings
    ]

    assert len(set(found)) == 8
    assert found == sorted(found)


def test_statements_that_differ_in_values_alone_have_one_mark() -> None:
    one, same, other = learn(
        {"sql": f"{FILL} WHERE a > 1"},
        {"sql": f"{FILL} WHERE a > 22"},
        {"sql": f"{FILL} WHERE b > 1"},
    ).fillings

    assert one.mark == same.mark != other.mark


def test_of_a_long_text_the_beginning_is_kept() -> None:
    (found,) = learn({"sql": f"{FILL} WHERE a > 1 {' OR a > 1' * 1_000}"}).fillings

    assert len(found.text) == MAX_TEXT


@pytest.mark.thorough
def test_many_statements_at_once() -> None:
    failing = {"sql": "INSERT INTO"}
    found = Reader().learn(json_lines(*[{"sql": FILL}] * 3_000, *[failing] * 30, {"sql": FILL}))

    assert (found.statements, len(found.fillings), found.unread) == (3_031, 3_001, 30)
    assert 0 < len(found.failures) < 30


def test_the_catalog_and_sessions_are_kept_between_questions() -> None:
    reader = Reader()
    view = {
        "sql": "CREATE TEMPORARY VIEW x AS SELECT b, a FROM s",
        "database": "shop",
        "session": "1",
    }
    reader.learn(json_lines(view))

    learnt = reader.learn(
        json_lines({"sql": "INSERT INTO shop.t SELECT * FROM x", "session": "1"}), known={}
    )
    gone = reader.learn(
        json_lines({"sql": FILL}), known={}, removed=("shop.t", "shop.s", "shop.none")
    )

    def links(found: Learnt) -> list[tuple[str, str]]:
        return [
            (c.column, c.source_column) for each in found.fillings for c in each.filling.columns
        ]

    assert links(learnt) == [("p", "b"), ("q", "a")]
    # The names of the target are not known any more.
    assert links(gone) == [("a", "a"), ("b", "b")]


def test_what_is_kept_of_a_statement_is_bounded() -> None:
    many = " UNION ALL ".join(f"SELECT a FROM shop.s{number}" for number in range(1_200))
    found = learn(
        {"sql": f"INSERT INTO shop.t {many}", "user": "u" * 1_000},
        {"sql": f"INSERT INTO shop.{'t' * 2_000} SELECT a FROM shop.s"},
        {"sql": f"INSERT INTO shop.t SELECT a FROM shop.{'s' * 2_000}"},
        {"sql": "SELECT 1", "dialect": "d" * 10_000},
    )

    (filling,) = found.fillings
    assert len(filling.filling.sources) == 1_000
    assert {each.source for each in filling.filling.columns} <= {*filling.filling.sources}
    assert filling.user == "u" * 200
    assert [len(why) <= 500 for _, why in found.failures] == [True]
