"""Checks of statements against a cached catalog, as the child process answers them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lakeschema.analysis.catalog import KnownTable
from lakeschema.analysis.checking import (
    Checker,
    Choices,
    check_handler,
    question,
    table_value,
)
from lakeschema.analysis.defence import UnknownRule
from lakeschema.analysis.grants import MalformedGrants
from lakeschema.analysis.permissions import Views
from lakeschema.analysis.syntax.dialects import UnknownDialect
from lakeschema.catalog.identifiers import RelationName

ORDERS = {"shop.orders": table_value(KnownTable(("id", "amount", "dt"), ("dt",)))}
CHOICES = Choices("hive", 10_000)


def asked(checker: Checker, request: object) -> Any:
    return checker.answer(question({}, [], json.dumps(request).encode()))


def places(violations: list[Any]) -> list[tuple[str, int, int]]:
    return [(each["rule"], each["line"], each["column"]) for each in violations]


@pytest.fixture
def checker() -> Checker:
    checker = Checker(CHOICES)
    assert checker.answer(question(ORDERS, [], None)) is None
    return checker


def test_a_statement_is_checked_against_what_was_told_before(checker: Checker) -> None:
    found = asked(checker, {"sql": "SELECT id, totl FROM shop.orders"})["result"]

    assert not found["ok"]
    assert places(found["violations"]) == [("unknown_column", 1, 12)]
    assert places(found["warnings"]) == [("missing_partition_filter", 1, 22)]


def test_warnings_alone_are_ok(checker: Checker) -> None:
    found = asked(checker, {"sql": "SELECT id FROM shop.orders"})["result"]

    assert found["ok"]
    assert places(found["warnings"]) == [("missing_partition_filter", 1, 16)]


def test_a_statement_that_breaks_no_rule_is_ok(checker: Checker) -> None:
    request = {"sql": "SELECT id FROM orders WHERE dt = '1'", "namespace": ["Shop"]}

    assert asked(checker, request) == {"result": {"ok": True, "violations": [], "warnings": []}}


def test_what_changes_in_the_catalog_counts_for_the_next_statement(checker: Checker) -> None:
    told = {"shop.lines": table_value(KnownTable(None))}
    checker.answer(question(told, ["shop.orders"], None))

    first = asked(checker, {"sql": "SELECT id FROM shop.orders"})["result"]["violations"]
    second = asked(checker, {"sql": "SELECT id FROM shop.lines"})["result"]["violations"]

    assert [violation["rule"] for violation in first] == ["unknown_table"]
    assert second == []


def test_a_request_changes_nothing_for_the_next_one(checker: Checker) -> None:
    asked(checker, {"sql": "DROP TABLE shop.orders; CREATE TABLE shop.x (a INT)"})

    found = asked(checker, {"sql": "SELECT id FROM shop.orders WHERE dt = '1'"})["result"]

    assert found["ok"]


def test_rules_are_those_of_the_choices() -> None:
    checker = Checker(Choices("hive", 10_000, {"equals_null": False}))

    assert not asked(checker, {"sql": "SELECT 1 FROM t WHERE a = NULL"})["result"]["warnings"]


@pytest.mark.parametrize(
    "request_",
    [
        {},
        {"sql": 1},
        {"sql": "SELECT 1", "dialect": "klingon"},
        {"sql": "SELECT 1", "dialect": ["hive"]},
        {"sql": "SELECT 1", "namespace": "shop"},
        {"sql": "SELECT 1", "more": 1},
        {"sql": "SELECT 1", "user": 1},
        {"sql": "SELECT 1", "user": "\ud800"},
        [],
        None,
    ],
    ids=str,
)
def test_a_request_that_means_nothing_is_refused(checker: Checker, request_: object) -> None:
    assert asked(checker, request_)["error"]["type"] == "InvalidRequest"


@pytest.mark.parametrize("body", [b"", b" ", b"{", b"\xff", b"[" * 100_000, b"NaN"])
def test_what_is_not_an_object_in_json_is_refused(checker: Checker, body: bytes) -> None:
    found = checker.answer(question({}, [], body))

    assert found["error"]["type"] == "InvalidRequest"


def test_what_a_user_lacks_is_answered_where_grants_are_stated() -> None:
    grants = {"grants": [{"user": "ann", "privileges": ["SELECT"], "on": "shop.orders"}]}
    checker = Checker(Choices("hive", 10_000, {}, grants))
    checker.answer(question(ORDERS, [], None))
    sql = "SELECT id FROM shop.orders WHERE dt = '1'"

    ann, bob, nobody = (
        asked(checker, {"sql": sql, **more})["result"]
        for more in ({"user": "ann"}, {"user": "bob"}, {})
    )

    fine = {"ok": True, "violations": [], "warnings": []}
    assert ann == {**fine, "missing_privileges": []}
    assert nobody == fine
    assert not bob["ok"]
    assert bob["missing_privileges"] == [
        {"privilege": "SELECT", "relation": "shop.orders", "columns": ["dt", "id"]}
    ]


def test_a_view_may_be_checked_through_to_its_tables() -> None:
    grants = {"grants": [{"user": "ann", "privileges": ["SELECT"], "on": "shop.ids"}]}
    checker = Checker(Choices("hive", 10_000, {}, grants, Views.THROUGH))
    reads = ((RelationName.of("shop", "orders"), ("id",)),)
    view = table_value(KnownTable(("id",), is_view=True, reads=reads))
    checker.answer(question({**ORDERS, "shop.ids": view}, [], None))

    found = asked(checker, {"sql": "SELECT id FROM shop.ids", "user": "ann"})["result"]

    assert found["missing_privileges"] == [
        {"privilege": "SELECT", "relation": "shop.orders", "columns": ["id"]}
    ]


def test_choices_that_mean_nothing_are_refused_before_a_process_starts() -> None:
    with pytest.raises(UnknownRule):
        check_handler(Choices("hive", 1, {"typo": True}))
    with pytest.raises(UnknownDialect):
        check_handler(Choices("klingon", 1))
    with pytest.raises(MalformedGrants):
        check_handler(Choices("hive", 1, {}, []))
