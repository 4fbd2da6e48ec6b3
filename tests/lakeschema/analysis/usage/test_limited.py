"""A statement that costs too much is given up and reported with its position; others keep their answers."""

from __future__ import annotations

from collections.abc import Sequence

from lakeschema.analysis.catalog import KnownTable
from lakeschema.analysis.limits import GIVEN_UP
from lakeschema.analysis.statements_logged import LoggedStatement
from lakeschema.analysis.usage.running import Ran
from lakeschema.analysis.usage.tables import count_log, count_log_within_limits
from lakeschema.catalog.identifiers import RelationName
from lakeschema.isolation.limits import Limits

KNOWN = {
    RelationName.of("shop", "orders"): KnownTable(("id", "total")),
    RelationName.of("shop", "wide"): KnownTable(tuple(f"c{n}" for n in range(1_000))),
}
LITTLE = Limits(max_answer_bytes=20_000)
TOO_MUCH = "SELECT * FROM shop.wide"


def log_of(*texts: str) -> Sequence[Ran]:
    return [Ran(LoggedStatement(n, text), "2026-01-01") for n, text in enumerate(texts, 1)]


def test_what_is_counted_within_limits_is_what_is_counted_without() -> None:
    log = log_of(
        "CREATE TABLE shop.made AS SELECT id FROM shop.orders",
        *["SELECT id FROM shop.made", "SELECT total FROM shop.orders", "SELECT FROM"] * 80,
        "DROP TABLE shop.made",
        "SELECT id FROM shop.made",
    )

    assert count_log_within_limits(log, KNOWN) == count_log(log, KNOWN)


def test_a_statement_that_takes_too_much_is_given_up_alone() -> None:
    others = [
        "CREATE TABLE shop.made AS SELECT id FROM shop.orders",
        "SELECT id FROM shop.made",
        "CREATE TABLE shop.later AS SELECT id FROM shop.made",
        "SELECT id FROM shop.later",
    ]
    log = log_of(
        *others[:1], f"CREATE VIEW shop.v AS {TOO_MUCH}", *others[1:3], TOO_MUCH, others[3]
    )

    found = count_log_within_limits(log, KNOWN, LITTLE)

    assert (found.given_up, found.failures) == ([1, 4], {GIVEN_UP: 2})
    assert found.counts == count_log(log_of(*others), KNOWN).counts
