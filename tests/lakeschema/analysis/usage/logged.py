"""A small warehouse and a log of it, for tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lakeschema.analysis.catalog import KnownTable
from lakeschema.analysis.statements_logged import LoggedStatement
from lakeschema.analysis.usage.counting import Counts
from lakeschema.analysis.usage.running import Ran
from lakeschema.analysis.usage.tables import Question, count_log, derived_tables, row_of
from lakeschema.catalog.identifiers import RelationName

ORDERS = RelationName.of("shop", "orders")
CUSTOMERS = RelationName.of("shop", "customers")
BIG = RelationName.of("shop", "big")
OLD = RelationName.of("shop", "old")
KNOWN: Mapping[RelationName, KnownTable] = {
    ORDERS: KnownTable(("id", "customer", "amount", "note", "day"), ("day",)),
    CUSTOMERS: KnownTable(("id", "name", "country")),
    BIG: KnownTable(("id", "total"), is_view=True, reads=((ORDERS, ("id", "amount")),)),
    OLD: KnownTable(("id",)),
}

STATEMENTS = (
    ("ann", 1, "SELECT id FROM shop.old"),
    (
        "etl",
        2,
        (
            "INSERT OVERWRITE TABLE shop.daily SELECT o.day, c.country, sum(o.amount) AS total FROM shop.orders o"
            " JOIN shop.customers c ON o.customer = c.id WHERE o.day > '2026-01-01' GROUP BY o.day, c.country"
        ),
    ),
    ("ann", 3, "SELECT country, max(total) AS t FROM shop.daily GROUP BY country ORDER BY country"),
    ("bob", 3, "SELECT sum(total) AS t FROM shop.daily WHERE day = '2026-02-02'"),
    ("bob", 4, "SELECT total FROM shop.big WHERE id = 7"),
    ("eve", 4, "INSERT INTO shop.stolen SELECT * FROM shop.customers"),
)


def log_of(statements: Sequence[tuple[str, int, str]] = STATEMENTS) -> list[Ran]:
    """By user, day of March and text. What eve does fails."""
    return [
        Ran(LoggedStatement(place, sql, user=user, succeeded=user != "eve"), f"2026-03-{day:02d}")
        for place, (user, day, sql) in enumerate(statements, 1)
    ]


def counts_of(*statements: tuple[str, int, str]) -> Counts:
    return count_log(log_of(statements or STATEMENTS), KNOWN).counts


def table(name: str, *statements: tuple[str, int, str], **asked: Any) -> list[dict[str, Any]]:
    """The rows of one derived table."""
    counts = counts_of(*statements)
    rows = derived_tables(counts, Question(**{"known": KNOWN, **asked}))[name]
    return [row_of(row) for row in rows]
