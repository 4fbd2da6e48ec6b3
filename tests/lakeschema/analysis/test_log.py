"""A log: the catalog at each position, and repeated statements."""

from __future__ import annotations

import pytest

from lakeschema.analysis import timeline
from lakeschema.analysis.catalog import KnownTable
from lakeschema.analysis.catalog_left import from_lines, to_lines
from lakeschema.analysis.fingerprints import Fingerprints
from lakeschema.analysis.log import LogAnalysis
from lakeschema.analysis.statements_logged import LoggedStatement, may_define
from lakeschema.analysis.syntax.dialects import grammar_of
from lakeschema.analysis.timeline import Timeline, timeline_of
from lakeschema.catalog.identifiers import RelationName

SPARK = grammar_of("spark")


def log_of(*texts: str, session: str = "s") -> list[LoggedStatement]:
    return [LoggedStatement(n, sql, session=session) for n, sql in enumerate(texts, 1)]


def read(statements: list[LoggedStatement]) -> Timeline:
    return timeline_of((s for s in statements if may_define(s.sql)), {})


def lineage(analysis: LogAnalysis, statement: LoggedStatement) -> set[str]:
    rows = analysis.found(statement).rows
    return {" ".join(row[1:4]) for table, row in rows if table == "column_lineage" and row[1]}


def test_each_statement_sees_the_catalog_at_its_position() -> None:
    statements = log_of(
        "CREATE TABLE t (a INT)",
        "SELECT * FROM t",
        "ALTER TABLE t ADD COLUMNS (b INT)",
        "SELECT * FROM t",
        "DROP TABLE t",
        "SELECT * FROM t",
    )
    analysis = LogAnalysis(read(statements))

    assert lineage(analysis, statements[1]) == {"a t a"}
    assert lineage(analysis, statements[3]) == {"a t a", "b t b"}
    assert lineage(analysis, statements[5]) == {"* t *"}
    # In any order.
    assert lineage(analysis, statements[1]) == {"a t a"}


def test_what_a_session_uses_and_makes_for_itself_is_its_own() -> None:
    mine = log_of("USE shop", "CREATE TEMPORARY VIEW v AS SELECT id FROM orders", "SELECT * FROM v")
    others = LoggedStatement(9, "SELECT * FROM v", session="other")
    analysis = LogAnalysis(read(mine))

    assert lineage(analysis, mine[2]) == {"id v id"}
    assert lineage(analysis, others) == {"* v *"}
    assert ("table_access", ("shop.orders", "read data")) in analysis.found(mine[1]).rows


def test_a_statement_that_failed_changes_nothing() -> None:
    failed = LoggedStatement(1, "CREATE TABLE t (a INT)", succeeded=False)
    query = LoggedStatement(2, "SELECT * FROM t")

    analysis = LogAnalysis(read([failed, query]))

    assert lineage(analysis, query) == {"* t *"}
    assert not analysis.found(failed).dataflow


def test_a_table_that_existed_before_the_log_is_known() -> None:
    name = RelationName.of("db", "t")
    timeline = timeline_of([], {name: KnownTable(("a",))})

    query = LoggedStatement(1, "SELECT * FROM t", namespace=("db",))

    assert lineage(LogAnalysis(timeline), query) == {"a db.t a"}


def test_a_statement_that_cannot_be_read_is_a_row_with_the_reason() -> None:
    (found,) = LogAnalysis(read([])).found(LoggedStatement(1, "SELECT FROM")).rows

    table, (error, message, text) = found
    assert (table, error, text) == ("failures", "MalformedSql", "SELECT FROM")
    assert "expected an expression" in message


def test_statements_that_differ_in_literals_are_analysed_once() -> None:
    texts = [f"SELECT a, b * {n} AS c FROM t WHERE a = '{n}' AND b IN ({n}, 2)" for n in range(9)]
    statements = log_of(*texts)
    analysis = LogAnalysis(read(statements))

    numbers = {analysis.found(statement).number for statement in statements}

    assert (numbers, analysis.remembered) == ({1}, 8)


def test_a_statement_over_a_changed_table_is_analysed_again() -> None:
    statements = log_of(
        "CREATE TABLE t (a INT)",
        "SELECT * FROM t WHERE a = 1",
        "ALTER TABLE t RENAME COLUMN a TO b",
        "SELECT * FROM t WHERE b = 2",
        "SELECT * FROM t WHERE b = 3",
    )
    analysis = LogAnalysis(read(statements))

    found = [lineage(analysis, statement) for statement in statements]

    assert found[1] == {"a t a"}
    assert found[3] == found[4] == {"b t b"}
    assert analysis.remembered == 1


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("SELECT a FROM t WHERE b = 1", "SELECT a FROM t WHERE b = 2.5"),
        ("SELECT a FROM t WHERE b = 'x'", "SELECT a FROM t WHERE b = 'it''s'"),
        ("SELECT `a'b` AS c FROM t WHERE b = 'x'", "SELECT `a'b` AS c FROM t WHERE b = 'y'"),
        ("INSERT INTO t VALUES (1, 'a')", "INSERT INTO t VALUES (2, 'b')"),
        ("SELECT f(a, 1) AS c FROM t", "SELECT f(a, 2) AS c FROM t"),
    ],
)
def test_literals_on_which_nothing_depends_are_left_out(first: str, second: str) -> None:
    fingerprints = Fingerprints()

    assert fingerprints.of(first, SPARK) == fingerprints.of(second, SPARK)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("SELECT a, b FROM t ORDER BY 1", "SELECT a, b FROM t ORDER BY 2"),
        ("SELECT f(a, 1) FROM t", "SELECT f(a, 2) FROM t"),
        ("SELECT (SELECT 1) AS c FROM t", "SELECT (SELECT 2) AS c FROM t"),
        ("SELECT IDENTIFIER('a') AS c FROM t", "SELECT IDENTIFIER('b') AS c FROM t"),
        (
            "SELECT * FROM t PIVOT (sum(a) FOR b IN ('x'))",
            "SELECT * FROM t PIVOT (sum(a) FOR b IN ('y'))",
        ),
        ("LOAD DATA INPATH '/a' INTO TABLE t", "LOAD DATA INPATH '/b' INTO TABLE t"),
        ("SELECT a FROM t WHERE b = 'x'", "SELECT a FROM u WHERE b = 'x'"),
        ("SELECT a FROM t WHERE b = 'x'", "SELECT a FROM t WHERE b = 'x' OR 1"),
    ],
)
def test_literals_that_may_be_names_or_positions_count(first: str, second: str) -> None:
    fingerprints = Fingerprints()

    assert fingerprints.of(first, SPARK) != fingerprints.of(second, SPARK)


def test_a_log_read_in_two_pieces_says_what_it_says_as_one() -> None:
    texts = [
        "USE shop",
        "CREATE TABLE t (a INT) PARTITIONED BY (d STRING)",
        "CREATE VIEW v AS SELECT a FROM t",
        "CREATE TEMPORARY VIEW own AS SELECT id FROM orders",
        "DROP TABLE old",
        "CREATE TABLE short (x INT)",
        "DROP TABLE short",
        "SELECT * FROM t",
        "SELECT * FROM own",
        "SELECT * FROM old",
        "ALTER TABLE t RENAME COLUMN a TO b",
        "SELECT * FROM t",
        "SELECT * FROM v",
    ]
    known = {RelationName.of("shop", "old"): KnownTable(("o",))}
    log = log_of(*texts)
    first, second = log[:7], log_of(*texts[7:])

    whole = timeline_of(log, known)
    left = timeline_of(first, known).left()
    stored = list(to_lines(left))
    rest = Timeline(known, from_lines(stored))
    for statement in second:
        rest.add(statement)

    assert from_lines(stored) == left
    assert len(stored) == 4, "t, v, old, which is gone, and the session"
    for before, after in zip(log[7:], second, strict=True):
        assert lineage(LogAnalysis(whole), before) == lineage(LogAnalysis(rest), after)
    assert rest.left() == whole.left()


def test_sessions_that_changed_nothing_lately_are_forgotten_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(timeline, "MAX_SESSIONS", 2)
    uses = [LoggedStatement(n, f"USE db{n}", session=s) for n, s in enumerate("abca", 1)]

    left = read(uses).left()

    assert list(left.sessions) == ["c", "a"]
