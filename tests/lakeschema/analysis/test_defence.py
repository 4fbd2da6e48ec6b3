"""Each rule: statements that break it, with the position, and similar statements that do not."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from lakeschema.analysis.catalog import KnownCatalog
from lakeschema.analysis.defence import (
    DEFAULT_RULES,
    RULES,
    Severity,
    UnknownRule,
    Violation,
    chosen_rules,
    defence,
)
from lakeschema.analysis.scripts import analyse
from lakeschema.analysis.syntax.dialects import grammar_of
from tests import documents

_DDL = """
    CREATE TABLE shop.orders (id INT, customer INT, amount INT, at DATE);
    CREATE TABLE shop.customers (id INT, name STRING, country STRING);
    CREATE TABLE shop.totals (customer INT, total INT);
    CREATE TABLE shop.events (id INT, body STRING) PARTITIONED BY (dt STRING, hour STRING);
    CREATE TABLE shop.visits (id INT, page STRING) PARTITIONED BY (dt STRING);
    USE shop
"""


@dataclass(frozen=True, slots=True)
class Case:
    rule: str
    sql: str
    message: str = ""
    place: tuple[int, int] | None = None
    dialect: str = "spark"

    def __str__(self) -> str:
        return f"{self.rule}: {self.sql}"


FIRING = (
    Case("unreadable", "SELECT a +\n) FROM t", "expected", (2, 1)),
    Case("unknown_statement", "CALL load_orders(1)", "what CALL reads and writes", (1, 6)),
    Case("unknown_statement", "EXECUTE IMMEDIATE text", "EXECUTE IMMEDIATE", (1, 1)),
    Case("unknown_table", "SELECT id FROM order", "shop.order", (1, 16)),
    Case("unknown_table", "INSERT INTO total SELECT 1, 2", "shop.total", (1, 13)),
    Case("unknown_table", "DROP TABLE shop.total", "shop.total", (1, 12)),
    Case(
        "unknown_table",
        "FROM orders INSERT INTO totals SELECT id, amount INSERT INTO total SELECT id, amount",
        "shop.total",
        (1, 62),
        "hive",
    ),
    Case("unknown_table", "DROP TABLE totals; SELECT * FROM totals", "shop.totals", (1, 34)),
    Case("unknown_column", "SELECT id,\n  totl FROM orders", "totl", (2, 3)),
    Case("unknown_column", "SELECT o.name FROM orders o", "o.name", (1, 8)),
    Case("unknown_column", "DELETE FROM orders WHERE name = 'x'", "name", (1, 26)),
    Case("unknown_column", "SELECT total FROM (SELECT id FROM orders) x", "total", (1, 8)),
    Case(
        "ambiguous_column",
        "SELECT id FROM orders o JOIN customers c ON o.customer = c.id",
        "shop.orders, shop.customers",
        (1, 8),
    ),
    Case(
        "ambiguous_column",
        "SELECT * FROM orders o JOIN customers c ON o.customer = c.id WHERE id > 1",
        "shop.orders, shop.customers",
        (1, 68),
    ),
    Case("column_count", "INSERT INTO totals SELECT customer FROM orders", "takes 2", (1, 13)),
    Case("column_count", "INSERT INTO totals (customer) SELECT 1, 2", "takes 1", (1, 13)),
    Case("column_count", "INSERT INTO totals VALUES (1, 2, 3)", "gets 3", (1, 13)),
    Case(
        "column_count",
        "INSERT OVERWRITE TABLE events PARTITION (dt = '1', hour) SELECT 1, 'x'",
        "takes 3",
    ),
    Case(
        "duplicate_column",
        "CREATE VIEW v AS SELECT o.id, c.ID FROM orders o JOIN customers c ON o.customer = c.id",
        "2 columns called id",
    ),
    Case("set_operation_width", "SELECT 1, 2 UNION ALL SELECT 3", "1 and 2"),
    Case("cross_join", "SELECT o.id FROM orders o, customers c", "shop.customers", (1, 28)),
    Case("cross_join", "SELECT o.id FROM orders o CROSS JOIN customers c", "shop.customers"),
    Case("cross_join", "SELECT o.id FROM orders o JOIN customers c ON true", "shop.customers"),
    Case(
        "cross_join",
        "SELECT 1 FROM orders o JOIN customers c ON o.customer = c.id, totals WHERE o.id = 1",
        "shop.totals",
    ),
    Case("cross_join", "SELECT 1 FROM orders o JOIN customers c ON o.id = 1", "shop.customers"),
    Case(
        "join_without_equality",
        "SELECT 1 FROM orders o JOIN customers c ON o.at > c.name",
        "shop.customers",
        (1, 44),
    ),
    Case(
        "join_without_equality",
        "SELECT 1 FROM orders o JOIN customers c ON o.id = c.id OR o.customer = c.id",
        "shop.customers",
    ),
    Case(
        "outer_join_undone",
        "SELECT o.id FROM orders o LEFT JOIN customers c ON o.customer = c.id\n"
        "WHERE c.country = 'IE'",
        "country",
        (2, 7),
    ),
    Case(
        "outer_join_undone",
        "SELECT 1 FROM orders o RIGHT JOIN customers c ON o.customer = c.id WHERE o.amount > 1",
        "amount",
    ),
    Case("self_comparison", "SELECT 1 FROM orders o WHERE o.id = o.id", "id", (1, 37)),
    Case(
        "self_comparison",
        "SELECT 1 FROM orders o JOIN customers c ON c.id = c.id AND o.id = c.id",
        "id",
    ),
    Case("missing_partition_filter", "SELECT id FROM events", "(dt, hour)", (1, 16)),
    Case("missing_partition_filter", "SELECT id FROM events WHERE body = 'x'", "shop.events"),
    Case("missing_partition_filter", "SELECT id FROM events WHERE dt IS NOT NULL", "shop.events"),
    Case(
        "missing_partition_filter",
        "SELECT id FROM events WHERE dt = '1' OR body = 'x'",
        "shop.events",
    ),
    Case(
        "missing_partition_filter",
        "SELECT 1 FROM events e JOIN visits v ON e.dt = v.dt AND e.id = v.id",
        "shop.events",
    ),
    Case(
        "missing_partition_filter",
        "SELECT 1 FROM events a JOIN events b ON a.id = b.id WHERE a.dt = '1'",
        "shop.events",
        (1, 29),
    ),
    Case("star_written", "INSERT INTO totals SELECT * FROM orders", "shop.orders", (1, 34)),
    Case("star_written", "CREATE TABLE t AS SELECT o.* FROM orders o", "shop.orders"),
    Case("star_written", "CREATE VIEW v AS WITH x AS (SELECT * FROM orders) SELECT * FROM x"),
    Case("star_written", "CREATE VIEW v AS SELECT * FROM elsewhere.t", "elsewhere.t"),
    Case("change_without_filter", "DELETE FROM orders", "shop.orders", (1, 13)),
    Case("change_without_filter", "UPDATE orders SET amount = 1", "shop.orders"),
    Case("equals_null", "SELECT 1 FROM orders WHERE amount = NULL", "= NULL", (1, 28)),
    Case("equals_null", "SELECT 1 FROM orders WHERE amount <> NULL", "<> NULL"),
    Case("equals_null", "SELECT CASE amount WHEN NULL THEN 0 END FROM orders", "WHEN NULL"),
    Case(
        "not_in_nullable",
        "SELECT 1 FROM orders WHERE customer NOT IN (SELECT id FROM customers)",
        "NOT IN",
        (1, 28),
    ),
    Case("not_in_nullable", "SELECT 1 FROM orders WHERE NOT customer IN (1, NULL)", "NULL"),
    Case("nested_sort", "SELECT id FROM (SELECT id FROM orders ORDER BY at) x", "sorted", (1, 48)),
    Case("nested_sort", "WITH x AS (SELECT id FROM orders ORDER BY at) SELECT id FROM x"),
    Case("needless_union", "SELECT 'a', id FROM orders UNION SELECT 'b', id FROM customers"),
    Case(
        "needless_distinct", "SELECT DISTINCT id, sum(amount) FROM orders GROUP BY id", "", (1, 54)
    ),
    Case("unused_common_table", "WITH x AS (SELECT 1), y AS (SELECT 2) SELECT * FROM y", "x"),
    Case("limit_without_order", "INSERT INTO totals SELECT id, amount FROM orders LIMIT 5"),
    Case(
        "computed_join_key",
        "SELECT 1 FROM orders o JOIN customers c ON lower(o.customer) = c.id",
        "lower",
    ),
    Case("leading_wildcard", "SELECT 1 FROM customers WHERE name LIKE '%x'", "'%x'", (1, 31)),
)

QUIET = (
    Case("unreadable", "SELECT a FROM b"),
    Case("unknown_statement", "GRANT SELECT ON TABLE orders TO ROLE r"),
    Case("unknown_statement", "EXECUTE IMMEDIATE 'SELECT id FROM orders'"),
    Case("unknown_table", "SELECT id FROM orders"),
    Case("unknown_table", "SELECT id FROM elsewhere.anything"),
    Case("unknown_table", "WITH order AS (SELECT 1 AS id) SELECT id FROM order"),
    Case("unknown_table", "CREATE TABLE made (a INT); INSERT INTO made SELECT 1"),
    Case("unknown_table", "DROP TABLE IF EXISTS total"),
    Case("unknown_table", "ALTER TABLE orders RENAME TO bills"),
    Case("unknown_column", "SELECT x.y FROM elsewhere.t"),
    Case("unknown_column", "SELECT o FROM orders o"),
    Case("unknown_column", "SELECT * FROM elsewhere.t UNION SELECT * FROM elsewhere.u ORDER BY a"),
    Case("unknown_column", "SELECT customer AS c, sum(amount) s FROM orders GROUP BY c ORDER BY s"),
    Case("unknown_column", "SELECT current_date, date_add(day, 1, at) FROM orders"),
    Case("unknown_column", "SELECT w.b FROM orders LATERAL VIEW explode(split(at, ',')) w AS b"),
    Case("unknown_column", "SELECT transform(array(id), x -> x + 1) FROM orders"),
    Case("unknown_column", "SELECT id FROM orders WHERE at = ${day} AND customer = :c"),
    Case(
        "unknown_column",
        "SELECT id FROM orders o WHERE EXISTS (SELECT 1 FROM totals WHERE o.at = total)",
    ),
    Case("ambiguous_column", "SELECT id FROM orders JOIN customers USING (id)"),
    Case("ambiguous_column", "SELECT * FROM orders JOIN customers USING (id) ORDER BY id"),
    Case(
        "ambiguous_column",
        "SELECT o.* FROM orders o JOIN customers c ON o.customer = c.id ORDER BY id",
    ),
    Case("ambiguous_column", "SELECT name, amount FROM orders o JOIN customers c ON o.id = c.id"),
    Case("column_count", "INSERT INTO totals SELECT customer, amount FROM orders"),
    Case("column_count", "INSERT INTO totals SELECT * FROM elsewhere.t"),
    Case("column_count", "INSERT INTO totals (total) VALUES (1)"),
    Case("column_count", "INSERT INTO totals BY NAME SELECT 1 AS total"),
    Case(
        "column_count",
        "INSERT OVERWRITE TABLE events PARTITION (dt = '1', hour) SELECT 1, 'x', '2'",
    ),
    Case("duplicate_column", "SELECT o.id, c.id FROM orders o JOIN customers c ON o.id = c.id"),
    Case("duplicate_column", "CREATE VIEW v (a, b) AS SELECT id, id FROM orders"),
    Case("set_operation_width", "SELECT 1, 2 UNION ALL SELECT * FROM elsewhere.t"),
    Case("cross_join", "SELECT 1 FROM orders o, customers c WHERE o.customer = c.id"),
    Case("cross_join", "SELECT 1 FROM orders o JOIN customers c USING (id)"),
    Case("cross_join", "SELECT 1 FROM orders o, customers c WHERE o.id < c.id"),
    Case("cross_join", "SELECT 1 FROM orders, (SELECT max(at) AS last FROM orders) m"),
    Case("cross_join", "SELECT 1 FROM orders LATERAL VIEW explode(array(1, 2)) x AS y"),
    Case("cross_join", "SELECT 1 FROM orders, (VALUES (1), (2)) AS n (i)"),
    Case("cross_join", "SELECT 1 FROM elsewhere.a, elsewhere.b WHERE x = y"),
    Case(
        "cross_join",
        "SELECT 1 FROM orders o, LATERAL (SELECT id FROM customers c WHERE c.id = o.id) x",
    ),
    Case(
        "cross_join",
        "SELECT 1 FROM orders o, customers c "
        "WHERE EXISTS (SELECT 1 FROM totals t WHERE t.customer = o.id AND t.total = c.id)",
    ),
    Case(
        "join_without_equality",
        "SELECT 1 FROM orders o JOIN customers c ON o.customer = c.id AND o.at > c.name",
    ),
    Case(
        "join_without_equality",
        "SELECT 1 FROM orders o JOIN customers c ON o.at > c.name WHERE o.customer = c.id",
    ),
    Case(
        "join_without_equality",
        "SELECT 1 FROM orders o JOIN customers c "
        "ON (o.customer = c.id AND o.id = 1) OR (c.id = o.customer AND o.id = 2)",
    ),
    Case("join_without_equality", "SELECT 1 FROM orders JOIN customers USING (id)"),
    Case(
        "join_without_equality",
        "SELECT 1 FROM orders o, totals t, customers c "
        "WHERE c.id = t.customer AND o.customer = c.id AND t.total > o.amount",
    ),
    Case(
        "outer_join_undone",
        "SELECT 1 FROM orders o LEFT JOIN customers c ON o.customer = c.id WHERE c.id IS NULL",
    ),
    Case(
        "outer_join_undone",
        "SELECT 1 FROM orders o LEFT JOIN customers c ON o.customer = c.id AND c.name = 'x' "
        "WHERE o.amount > 1 AND coalesce(c.country, 'IE') = 'IE'",
    ),
    Case("self_comparison", "SELECT 1 FROM orders a JOIN orders b ON a.id = b.id"),
    Case("missing_partition_filter", "SELECT id FROM events WHERE dt = '1'"),
    Case("missing_partition_filter", "SELECT id FROM events WHERE substr(dt, 1, 4) IN ('2026')"),
    Case("missing_partition_filter", "SELECT id FROM events WHERE dt = '1' OR hour = '2'"),
    Case("missing_partition_filter", "SELECT max(dt) FROM events"),
    Case("missing_partition_filter", "SELECT id FROM (SELECT * FROM events) e WHERE e.dt > '1'"),
    Case(
        "missing_partition_filter",
        "WITH e AS (SELECT id, dt AS day FROM events UNION ALL SELECT id, dt FROM visits) "
        "SELECT id FROM e WHERE day = '1'",
    ),
    Case(
        "missing_partition_filter",
        "SELECT 1 FROM events e JOIN visits v ON e.dt = v.dt AND e.id = v.id WHERE v.dt = '1'",
    ),
    Case(
        "missing_partition_filter",
        "SELECT 1 FROM events e JOIN orders o ON e.dt = o.at WHERE o.id = 1",
    ),
    Case("missing_partition_filter", "SELECT id FROM orders"),
    Case("star_written", "SELECT * FROM orders"),
    Case("star_written", "INSERT INTO totals SELECT customer, count(*) FROM orders GROUP BY 1"),
    Case("star_written", "CREATE VIEW v AS SELECT * FROM (SELECT id, at FROM orders) x"),
    Case("change_without_filter", "DELETE FROM orders WHERE id = 1"),
    Case("change_without_filter", "TRUNCATE TABLE orders"),
    Case("equals_null", "SELECT 1 FROM orders WHERE amount IS NULL OR amount <=> NULL"),
    Case("equals_null", "UPDATE orders SET amount = NULL WHERE id = 1"),
    Case("not_in_nullable", "SELECT 1 FROM orders WHERE customer IN (SELECT id FROM customers)"),
    Case("not_in_nullable", "SELECT 1 FROM orders WHERE customer NOT IN (1, 2)"),
    Case(
        "not_in_nullable",
        "SELECT 1 FROM orders WHERE customer NOT IN "
        "(SELECT c.id FROM customers c WHERE c.id IS NOT NULL)",
    ),
    Case("nested_sort", "SELECT id FROM orders ORDER BY at"),
    Case("nested_sort", "SELECT id FROM (SELECT id FROM orders ORDER BY at LIMIT 3) x"),
    Case("nested_sort", "SELECT id FROM (SELECT id FROM orders SORT BY at) x"),
    Case("needless_union", "SELECT 'a', id FROM orders UNION ALL SELECT 'b', id FROM customers"),
    Case("needless_union", "SELECT 'a', id FROM orders UNION SELECT 'a', id FROM customers"),
    Case("needless_distinct", "SELECT DISTINCT sum(amount) FROM orders GROUP BY id"),
    Case("needless_distinct", "SELECT DISTINCT id FROM orders"),
    Case(
        "unused_common_table", "WITH x AS (SELECT 1 AS a), y AS (SELECT a FROM x) SELECT a FROM y"
    ),
    Case("limit_without_order", "INSERT INTO totals SELECT 1, 2 FROM orders ORDER BY id LIMIT 5"),
    Case("limit_without_order", "SELECT id FROM orders LIMIT 5"),
    Case("computed_join_key", "SELECT 1 FROM orders o JOIN customers c ON o.id = c.id"),
    Case("leading_wildcard", "SELECT 1 FROM customers WHERE name LIKE 'x%'"),
)


@pytest.fixture(scope="module")
def catalog() -> KnownCatalog:
    return list(analyse(_DDL, grammar_of("spark"), KnownCatalog()))[-1].catalog


def _broken(case: Case, catalog: KnownCatalog, rules: frozenset[str]) -> list[Violation]:
    found = analyse(case.sql, grammar_of(case.dialect), catalog)
    return [violation for each in found for violation in defence(each, rules)]


@pytest.mark.parametrize("case", FIRING, ids=str)
def test_a_rule_fires_where_it_should(case: Case, catalog: KnownCatalog) -> None:
    violations = _broken(case, catalog, frozenset({case.rule}))

    assert {violation.rule for violation in violations} == {case.rule}
    assert case.message in violations[0].message
    if case.place is not None:
        position = violations[0].position
        assert position is not None
        assert (position.line, position.column) == case.place


@pytest.mark.parametrize("case", QUIET, ids=str)
def test_a_rule_is_silent_where_it_should_be(case: Case, catalog: KnownCatalog) -> None:
    assert _broken(case, catalog, frozenset({case.rule})) == []


def test_every_rule_has_a_case_that_fires_and_one_that_does_not() -> None:
    assert {case.rule for case in FIRING} == set(RULES)
    assert {case.rule for case in QUIET} == set(RULES)


def test_a_rule_that_is_off_says_nothing(catalog: KnownCatalog) -> None:
    for case in FIRING:
        others = frozenset(RULES) - {case.rule}

        assert case.rule not in {v.rule for v in _broken(case, catalog, others)}


def test_rules_are_turned_on_and_off_by_name() -> None:
    chosen = chosen_rules({"leading_wildcard": True, "cross_join": False})

    assert chosen == (DEFAULT_RULES | {"leading_wildcard"}) - {"cross_join"}
    with pytest.raises(UnknownRule, match="unknown rule 'typo'; the rules are unreadable"):
        chosen_rules({"typo": True})


def test_a_violation_has_a_hint_and_a_severity(catalog: KnownCatalog) -> None:
    (violation,) = _broken(Case("", "DELETE FROM orders"), catalog, DEFAULT_RULES)

    assert violation.severity is Severity.WARNING
    assert violation.hint == "add WHERE, or use TRUNCATE to empty a table"


@pytest.mark.thorough
def test_a_chain_of_many_joins_is_checked(catalog: KnownCatalog) -> None:
    joins = " ".join(f"JOIN customers c{n} ON c{n}.id = o.customer" for n in range(1_500))

    assert _broken(Case("", f"SELECT o.id FROM orders o {joins}"), catalog, DEFAULT_RULES) == []


def test_explain_runs_nothing_and_breaks_nothing(catalog: KnownCatalog) -> None:
    sql = "EXPLAIN SELECT * FROM orders, customers WHERE amount = NULL"

    assert _broken(Case("", sql), catalog, frozenset(RULES)) == []


def test_the_guide_lists_every_rule() -> None:
    guide = (documents.ROOT / "docs/analysis.md").read_text()

    for name, rule in RULES.items():
        off = "" if rule.is_default else " (off)"
        assert f"| `{name}` | {rule.severity.value} | {rule.forbids}{off} |" in guide
