"""The tables that each kind of statement fills, through temporary tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import pytest

from lakeschema.analysis.catalog import KnownTable
from lakeschema.analysis.fillings import MAX_COLUMNS, ROWS, Filling, Fillings
from lakeschema.analysis.scripts import analyse
from lakeschema.analysis.statements_logged import LoggedStatement
from lakeschema.analysis.syntax.dialects import grammar_of
from lakeschema.analysis.timeline import Timeline
from lakeschema.analysis.tracing import EVERY_COLUMN
from lakeschema.catalog.identifiers import RelationName

KNOWN = {
    RelationName.of(*name.split(".")): KnownTable(columns)
    for name, columns in {
        "s": ("a", "b", "c"),
        "r": ("a", "d"),
        "t": ("p", "q"),
        "u": ("p", "q"),
        "open": None,
        "open2": None,
    }.items()
} | {
    RelationName.of("above"): KnownTable(
        ("p", "q"), is_view=True, reads=((RelationName.of("t"), ("p", "q")),)
    )
}


class Told:
    """Statements told one after the other."""

    def __init__(self) -> None:
        self._timeline = Timeline(MappingProxyType(KNOWN))
        self._fillings = Fillings()
        self._position = 0

    def tell(self, sql: str, *, session: str = "1", dialect: str = "spark") -> Sequence[Filling]:
        self._position += 1
        statement = LoggedStatement(self._position, sql, dialect, session)
        catalog = self._timeline.at(self._position, session)
        found: list[Filling] = []
        for each in analyse(sql, grammar_of(dialect), catalog):
            assert each.error is None
            found += self._fillings.of(each, session)
        self._timeline.add(statement)
        return found


def tell(*texts: str, dialect: str = "spark") -> Sequence[str]:
    """What the last of the statements fills."""
    told = Told()
    for text in texts[:-1]:
        told.tell(text, dialect=dialect)
    return shown(told.tell(texts[-1], dialect=dialect))


def shown(fillings: Sequence[Filling]) -> Sequence[str]:
    """``t <- s, r`` or, if it replaces, ``t = s, r``, then ``p: s.a`` and ``p: s.a by where``."""
    found = []
    for each in fillings:
        sources = ", ".join(map(str, each.sources))
        links = [
            f"{link.column or 'rows'}: {link.source}.{link.source_column}"
            + (f" by {link.clause}" if link.clause else "")
            for link in each.columns
        ]
        sign = "=" if each.replaces else "<-"
        found.append("; ".join((f"{each.target} {sign} {sources}".rstrip(), *links)))
    return found


MERGE = """
    MERGE INTO t USING s ON t.p = s.a WHEN MATCHED AND s.c > 1 THEN UPDATE SET q = s.b
    WHEN NOT MATCHED THEN INSERT (p, q) VALUES (s.a, s.c)
"""
KINDS: Mapping[str, tuple[str, str, Sequence[str]]] = {
    "insert": (
        "spark",
        "INSERT INTO t SELECT a, b FROM s WHERE c > 1",
        ["t <- s; p: s.a; q: s.b; rows: s.c by where"],
    ),
    "insert of some columns": ("spark", "INSERT INTO t (q) SELECT a FROM s", ["t <- s; q: s.a"]),
    "insert of values": ("spark", "INSERT INTO t VALUES (1, 2)", []),
    "insert of itself": ("spark", "INSERT INTO t SELECT q, p FROM t", []),
    "insert of itself and others": (
        "spark",
        "INSERT INTO t SELECT t.p, s.a FROM t JOIN s ON t.q = s.b",
        ["t <- s; q: s.a; rows: s.b by join"],
    ),
    "rows alone": ("spark", "INSERT INTO t SELECT 1, count(*) FROM s", ["t <- s"]),
    "overwrite": ("spark", "INSERT OVERWRITE TABLE t SELECT a, 1 FROM s", ["t = s; p: s.a"]),
    "overwrite by values": ("spark", "INSERT OVERWRITE TABLE t VALUES (1, 2)", ["t ="]),
    "overwrite by itself": (
        "spark",
        "INSERT OVERWRITE TABLE t SELECT p, q FROM t UNION ALL SELECT a, b FROM s",
        ["t <- s; p: s.a; q: s.b"],
    ),
    "overwrite by a view of itself": (
        "spark",
        "INSERT OVERWRITE TABLE t SELECT p, q FROM above UNION ALL SELECT a, b FROM s",
        ["t <- above, s; p: above.p; p: s.a; q: above.q; q: s.b"],
    ),
    "overwrite of a partition": (
        "spark",
        "INSERT OVERWRITE TABLE t PARTITION (q = 1) SELECT a FROM s",
        ["t <- s; p: s.a"],
    ),
    "overwrite of dynamic partitions": (
        "hive",
        "INSERT OVERWRITE TABLE t PARTITION (q) SELECT a, b FROM s",
        ["t <- s; p: s.a; q: s.b"],
    ),
    "create as select": (
        "spark",
        "CREATE TABLE n AS SELECT a AS x, b + c AS y FROM s",
        ["n = s; x: s.a; y: s.b; y: s.c"],
    ),
    "create or replace": (
        "spark",
        "CREATE OR REPLACE TABLE t AS SELECT a AS p FROM s",
        ["t = s; p: s.a"],
    ),
    "create where it may be there": (
        "spark",
        "CREATE TABLE IF NOT EXISTS t AS SELECT a AS p FROM s",
        ["t <- s; p: s.a"],
    ),
    "create of columns": ("spark", "CREATE TABLE n (x int)", []),
    "create like": ("spark", "CREATE TABLE n LIKE s", []),
    "clone": (
        "databricks",
        "CREATE TABLE n CLONE s",
        ["n = s; a: s.a; b: s.b; c: s.c"],
    ),
    "select into": ("tsql", "SELECT a AS x INTO n FROM s", ["n = s; x: s.a"]),
    "merge": (
        "spark",
        MERGE,
        ["t <- s; q: s.b; q: s.c; p: s.a; rows: s.a by join; rows: s.c by condition"],
    ),
    "update": (
        "spark",
        "UPDATE t SET q = (SELECT max(b) FROM s) WHERE p IN (SELECT d FROM r)",
        ["t <- r, s; q: s.b; rows: r.d by where"],
    ),
    "update of itself": ("spark", "UPDATE t SET q = p + 1", []),
    "delete": (
        "spark",
        "DELETE FROM t WHERE p IN (SELECT a FROM s)",
        ["t <- s; rows: s.a by where"],
    ),
    "several inserts": (
        "hive",
        "FROM s INSERT INTO TABLE t SELECT a, 1 INSERT OVERWRITE TABLE u SELECT b, c WHERE a > 1",
        ["t <- s; p: s.a", "u = s; p: s.b; q: s.c; rows: s.a by where"],
    ),
    "several inserts into one table": (
        "hive",
        "FROM s INSERT INTO TABLE t SELECT a, 1 INSERT INTO TABLE t SELECT b, c",
        ["t <- s; p: s.b; p: s.a; q: s.c"],
    ),
    "rename": ("spark", "ALTER TABLE s RENAME TO n", ["n = s; a: s.a; b: s.b; c: s.c"]),
    "rename of unknown columns": ("spark", "ALTER TABLE open RENAME TO n", ["n = open; *: open.*"]),
    "renames in a circle": (
        "mysql",
        "RENAME TABLE t TO n, u TO t, n TO u",
        ["n = t; p: t.p; q: t.q", "t = u; p: u.p; q: u.q", "u = n; *: n.*"],
    ),
    "swap": (
        "snowflake",
        "ALTER TABLE t SWAP WITH u",
        ["t <- u; p: u.p; q: u.q", "u <- t; p: t.p; q: t.q"],
    ),
    "load of files": ("hive", "LOAD DATA INPATH '/in' INTO TABLE t", []),
    "load of files instead": ("hive", "LOAD DATA INPATH '/in' OVERWRITE INTO TABLE t", ["t ="]),
    "select of files": ("spark", "INSERT OVERWRITE TABLE t SELECT a, b FROM parquet.`/in`", ["t ="]),
    "files beside a table": (
        "spark",
        "INSERT INTO t SELECT s.a, f.b FROM s JOIN parquet.`/in` f ON s.a = f.a",
        ["t <- s; p: s.a; rows: s.a by join"],
    ),
    "files as the target": ("spark", "INSERT OVERWRITE DIRECTORY '/out' SELECT a FROM s", []),
    "view": ("spark", "CREATE VIEW v AS SELECT a FROM s", []),
    "truncate": ("spark", "TRUNCATE TABLE t", []),
    "drop": ("spark", "DROP TABLE t", []),
    "query": ("spark", "SELECT a FROM s", []),
    "explain": ("spark", "EXPLAIN INSERT INTO t SELECT a, b FROM s", []),
    "star": ("spark", "INSERT INTO t SELECT * FROM r", ["t <- r; p: r.a; q: r.d"]),
    "star of unknown columns": ("spark", "INSERT INTO t SELECT * FROM open", ["t <- open; *: open.*"]),
    "unknown column of one table": ("spark", "INSERT INTO t SELECT x, 1 FROM open", ["t <- open; p: open.x"]),
    "unknown column of one of two": (
        "spark",
        "INSERT INTO t SELECT x, a FROM s JOIN open JOIN open2",
        ["t <- open, open2, s; p: open.*; p: open2.*; q: s.a"],
    ),
    "unknown name beside known columns": (
        "spark",
        "INSERT INTO t SELECT x, a FROM s JOIN u",
        ["t <- s, u; q: s.a"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_a_statement_fills(kind: str) -> None:
    dialect, sql, fills = KINDS[kind]

    assert tell(sql, dialect=dialect) == fills


FILL = "INSERT INTO t SELECT * FROM x"
TEMPORARY: Mapping[str, tuple[Sequence[str], Sequence[str]]] = {
    "table": (
        ["CREATE TEMPORARY TABLE x AS SELECT a AS k, b + c AS l FROM s WHERE c > 1", FILL],
        ["t <- s; p: s.a; q: s.b; q: s.c; rows: s.c by where"],
    ),
    "view": (
        ["CREATE TEMPORARY VIEW x AS SELECT a, count(*) AS n FROM s GROUP BY a", FILL],
        ["t <- s; p: s.a; rows: s.a by group by"],
    ),
    "cached query": (["CACHE TABLE x AS SELECT a, d FROM r", FILL], ["t <- r; p: r.a; q: r.d"]),
    "table of a table": (
        [
            "CREATE TEMPORARY TABLE y AS SELECT a, b FROM s WHERE c > 1",
            "CREATE TEMPORARY TABLE x AS SELECT y.b, r.d FROM y JOIN r ON y.a = r.a",
            FILL,
        ],
        [
            "t <- r, s; p: s.b; q: r.d; rows: s.c by where; rows: s.a by join; rows: r.a by join",
        ],
    ),
    "view of a table": (
        [
            "CREATE TEMPORARY TABLE y AS SELECT a, b FROM s",
            "CREATE TEMPORARY VIEW x AS SELECT b, a FROM y",
            FILL,
        ],
        ["t <- s; p: s.b; q: s.a"],
    ),
    "view of a table that gets rows later": (
        [
            "CREATE TEMPORARY TABLE y AS SELECT a, b FROM s",
            "CREATE TEMPORARY VIEW z AS SELECT b, a FROM y",
            "CREATE TEMPORARY VIEW x AS SELECT a, b FROM z",
            "INSERT INTO y SELECT a, d FROM r",
            FILL,
        ],
        ["t <- r, s; p: r.a; p: s.a; q: r.d; q: s.b"],
    ),
    "table of a table that gets rows later": (
        [
            "CREATE TEMPORARY TABLE y AS SELECT a, b FROM s",
            "CREATE TEMPORARY TABLE x AS SELECT a, b FROM y",
            "INSERT INTO y SELECT a, d FROM r",
            FILL,
        ],
        ["t <- s; p: s.a; q: s.b"],
    ),
    "view that is replaced below a view": (
        [
            "CREATE TEMPORARY VIEW y AS SELECT a, b FROM s",
            "CREATE TEMPORARY VIEW x AS SELECT a, b FROM y",
            "CREATE OR REPLACE TEMPORARY VIEW y AS SELECT a, d AS b FROM r",
            FILL,
        ],
        ["t <- r; p: r.a; q: r.d"],
    ),
    "table that gets rows": (
        [
            "CREATE TEMPORARY TABLE x (k int, l int)",
            "INSERT INTO x SELECT a, b FROM s WHERE c > 1",
            "INSERT INTO x SELECT a, d FROM r",
            FILL,
        ],
        ["t <- r, s; p: r.a; p: s.a; q: r.d; q: s.b; rows: s.c by where"],
    ),
    "table whose column changes": (
        [
            "CREATE TEMPORARY TABLE x AS SELECT a, b FROM s",
            "UPDATE x SET b = (SELECT max(d) FROM r)",
            FILL,
        ],
        ["t <- r, s; p: s.a; q: r.d; q: s.b"],
    ),
    "table of unknown columns whose column changes": (
        [
            "CREATE TEMPORARY TABLE x AS SELECT * FROM open",
            "UPDATE x SET b = (SELECT max(d) FROM r)",
            "INSERT INTO t SELECT b, c FROM x",
        ],
        ["t <- r, open; p: r.d; p: open.*; q: open.*"],
    ),
    "table that is overwritten": (
        [
            "CREATE TEMPORARY TABLE x AS SELECT a, b FROM s",
            "INSERT OVERWRITE TABLE x SELECT a, d FROM r",
            FILL,
        ],
        ["t <- r; p: r.a; q: r.d"],
    ),
    "table that is emptied": (
        [
            "CREATE TEMPORARY TABLE x AS SELECT a, b FROM s",
            "TRUNCATE TABLE x",
            "INSERT INTO x SELECT a, d FROM r",
            FILL,
        ],
        ["t <- r; p: r.a; q: r.d"],
    ),
    "table that is dropped and made again": (
        [
            "CREATE TEMPORARY TABLE x AS SELECT a, b FROM s",
            "DROP TABLE x",
            "CREATE TEMPORARY TABLE x (k int, l int)",
            "INSERT INTO x SELECT a, d FROM r",
            FILL,
        ],
        ["t <- r; p: r.a; q: r.d"],
    ),
    "table that is there already": (
        [
            "CREATE TEMPORARY TABLE x AS SELECT a, b FROM s",
            "CREATE TEMPORARY TABLE IF NOT EXISTS x AS SELECT d AS a, d AS b FROM r",
            FILL,
        ],
        ["t <- s; p: s.a; q: s.b"],
    ),
    "table that is made if it is missing": (
        ["CREATE TEMPORARY TABLE IF NOT EXISTS x AS SELECT a, d FROM r", FILL],
        ["t <- r; p: r.a; q: r.d"],
    ),
    "table that is dropped, and another of its name": (
        [
            "CREATE TEMPORARY TABLE s AS SELECT a, d AS b FROM r",
            "DROP TABLE s",
            "INSERT INTO t SELECT a, b FROM s",
        ],
        ["t <- s; p: s.a; q: s.b"],
    ),
    "view of the table that is overwritten by it": (
        [
            "CREATE TEMPORARY VIEW x AS SELECT p, q FROM t UNION ALL SELECT a, b FROM s",
            "INSERT OVERWRITE TABLE t SELECT p, q FROM x",
        ],
        ["t <- s; p: s.a; q: s.b"],
    ),
    "view of files": (["CREATE TEMPORARY VIEW x AS SELECT a, b FROM parquet.`/in`", FILL], []),
    "table of itself": (
        [
            "CREATE TEMPORARY TABLE x AS SELECT a, b FROM s",
            "INSERT INTO x SELECT b, a FROM x",
            FILL,
        ],
        ["t <- s; p: s.b; p: s.a; q: s.a; q: s.b"],
    ),
}


@pytest.mark.parametrize("kind", TEMPORARY)
def test_a_temporary_relation_stands_for_what_it_is_made_of(kind: str) -> None:
    texts, fills = TEMPORARY[kind]

    assert tell(*texts) == fills
    # As one text, too.
    assert [each for each in tell(";".join(texts)) if each.startswith("t ")] == fills


def test_sessions_do_not_see_the_temporary_tables_of_others() -> None:
    told = Told()
    told.tell("CREATE TEMPORARY TABLE x AS SELECT a, b FROM s", session="1")
    told.tell("CREATE TEMPORARY TABLE x AS SELECT a, d FROM r", session="2")

    first = told.tell(FILL, session="1")
    second = told.tell(FILL, session="2")
    third = told.tell(FILL, session="3")

    assert shown(first) == ["t <- s; p: s.a; q: s.b"]
    assert shown(second) == ["t <- r; p: r.a; q: r.d"]
    assert shown(third) == ["t <- x; *: x.*"]


def test_of_many_links_the_last_are_told_as_one() -> None:
    wide = ", ".join(f"a + b AS c{number}" for number in range(MAX_COLUMNS // 2))
    told = Told()

    (filling,) = told.tell(f"CREATE TABLE n AS SELECT {wide}, c FROM s")

    assert len(filling.columns) == MAX_COLUMNS + 1
    assert filling.columns[-1] == (EVERY_COLUMN, RelationName.of("s"), ROWS, "")


@pytest.mark.parametrize(
    "texts",
    [
        ["INSERT OVERWRITE TABLE u SELECT p, q FROM t", "INSERT OVERWRITE TABLE t SELECT p, q FROM u"],
        [
            "CREATE TABLE t_new AS SELECT p, q FROM t UNION ALL SELECT a, b FROM s",
            "DROP TABLE t",
            "ALTER TABLE t_new RENAME TO t",
        ],
        [
            "CREATE TABLE one AS SELECT p, q FROM above",
            "CREATE TABLE two AS SELECT p, q FROM one",
            "CREATE TEMPORARY VIEW x AS SELECT p, q FROM two",
            "CREATE OR REPLACE TABLE t AS SELECT p, q FROM x",
        ],
    ],
    ids=["table", "rename", "views and tables"],
)  # fmt: skip
def test_a_table_that_is_made_anew_of_what_was_made_of_it_keeps_its_sources(
    texts: Sequence[str],
) -> None:
    told = Told()
    (*_, last) = (told.tell(text) for text in texts)

    assert [(str(each.target), each.replaces) for each in last] == [("t", False)]


@pytest.mark.parametrize(
    "texts",
    [
        ["INSERT OVERWRITE TABLE u SELECT a, b FROM s", "INSERT OVERWRITE TABLE t SELECT p, q FROM u"],
        [
            "INSERT OVERWRITE TABLE u SELECT p, q FROM t",
            "INSERT OVERWRITE TABLE u SELECT a, b FROM s",
            "INSERT OVERWRITE TABLE t SELECT p, q FROM u",
        ],
        [
            "INSERT INTO u SELECT p, q FROM t",
            "TRUNCATE TABLE u",
            "INSERT INTO u SELECT a, b FROM s",
            "INSERT OVERWRITE TABLE t SELECT p, q FROM u",
        ],
    ],
    ids=["others", "others by now", "emptied in between"],
)  # fmt: skip
def test_a_table_that_is_made_anew_of_others_keeps_nothing(texts: Sequence[str]) -> None:
    told = Told()
    (*_, last) = (told.tell(text) for text in texts)

    assert [(str(each.target), each.replaces) for each in last] == [("t", True)]
