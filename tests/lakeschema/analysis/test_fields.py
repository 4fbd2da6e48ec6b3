"""Fields of structs: who reads them, their sources, and who may read them."""

from __future__ import annotations

import pytest

from lakeschema.analysis.grants import Need, Privilege, field_name, read_grants
from lakeschema.analysis.permissions import permissions
from lakeschema.catalog.identifiers import RelationName
from tests.lakeschema.analysis.analysed import all_of
from tests.lakeschema.analysis.traced import direct

TABLES = {"db.e": ["id", "p", "items", "m"], "db.f": ["id", "p"]}
TABLE = RelationName.of("db", "e")


def needed(sql: str, dialect: str = "spark", privilege: str = "SELECT") -> list[str]:
    """The columns and fields of ``db.e`` that the statements need."""
    found: set[str] = set()
    for analysed in all_of(sql, dialect, TABLES):
        for need in permissions(analysed):
            if need.relation == TABLE and need.privilege.value == privilege:
                found.update(need.columns)
    return sorted(found)


@pytest.mark.parametrize(
    ("dialect", "sql", "expected"),
    [
        ("spark", "SELECT p.addr.city FROM db.e", ["p.addr.city"]),
        ("spark", "SELECT P.Addr.CITY FROM db.e", ["p.addr.city"]),
        ("spark", "SELECT x.p.addr.city FROM db.e x WHERE p.id > 1", ["p.addr.city", "p.id"]),
        ("spark", "SELECT p['addr']['city'] FROM db.e", ["p.addr.city"]),
        ("spark", "SELECT p['addr'].city FROM db.e", ["p.addr.city"]),
        ("spark", "SELECT p, p.addr FROM db.e", ["p"]),
        ("spark", "SELECT p.addr.* FROM db.e", ["p.addr"]),
        ("spark", "SELECT items.price FROM db.e", ["items.price"]),
        ("spark", "SELECT items[0].price FROM db.e", ["items.price"]),
        ("spark", "SELECT m['k'].x FROM db.e", ["m.k.x"]),
        ("spark", "SELECT i.price FROM db.e LATERAL VIEW explode(items) t AS i", ["items.price"]),
        ("hive", "SELECT i.q FROM db.e LATERAL VIEW posexplode(items) t AS n, i", ["items.q"]),
        ("hive", "SELECT p.addr.city FROM db.e", ["p.addr.city"]),
        ("trino", "SELECT p.addr.city FROM db.e", ["p.addr.city"]),
        ("bigquery", "SELECT i.price FROM db.e, UNNEST(items) AS i", ["items.price"]),
        ("bigquery", "SELECT items[OFFSET(0)].price FROM db.e", ["items.price"]),
        ("snowflake", "SELECT p:addr.city::string FROM db.e", ["p.addr.city"]),
        ("snowflake", "SELECT p:lines[0].price FROM db.e", ["p.lines.price"]),
        ("databricks", "SELECT p:addr.city FROM db.e", ["p.addr.city"]),
        ("postgres", "SELECT (p).addr FROM db.e", ["p.addr"]),
    ],
)
def test_a_statement_needs_the_fields_that_it_reads(
    dialect: str, sql: str, expected: list[str]
) -> None:
    assert needed(sql, dialect) == expected


@pytest.mark.parametrize(
    ("dialect", "sql", "expected"),
    [
        # The first field of a row, whatever it is called.
        ("trino", "SELECT p[1].addr FROM db.e", ["p"]),
        # UNNEST makes a column of each field.
        ("trino", "SELECT a.x FROM db.e CROSS JOIN UNNEST(items) AS t(a, b)", ["items"]),
        ("postgres", "SELECT (i.a).x FROM db.e, unnest(items) AS i", ["items"]),
        ("postgres", "SELECT (a).x FROM db.e, unnest(items) AS i(a)", ["items"]),
        ("hive", "SELECT a.x FROM db.e LATERAL VIEW inline(items) t AS a, b", ["items"]),
        # Which key is read is not written out, or is another than the one in lower case.
        ("snowflake", "SELECT p['a' || 'b'].x FROM db.e", ["p"]),
        ("snowflake", "SELECT p:Addr.city FROM db.e", ["p"]),
        ("spark", "SELECT p['Addr'].city FROM db.e", ["p"]),
        # What decides which elements there are.
        (
            "spark",
            "SELECT i.a FROM db.e LATERAL VIEW explode(filter(items, x -> x.b > 1)) t AS i",
            ["items"],
        ),
        ("spark", "SELECT count(*) FROM db.e LATERAL VIEW explode(items) t AS i", ["items"]),
        ("spark", "SELECT struct(*) FROM db.e", ["id", "items", "m", "p"]),
    ],
)
def test_a_statement_that_may_read_another_field_needs_the_whole(
    dialect: str, sql: str, expected: list[str]
) -> None:
    assert needed(sql, dialect) == expected


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("UPDATE db.e SET p.addr.city = 'x'", ["p.addr.city"]),
        ("UPDATE db.e SET e.p.addr.city = 'x'", ["p.addr.city"]),
        ("UPDATE db.e t SET t.id = 1", ["id"]),
        (
            (
                "MERGE INTO db.e t USING db.f s ON t.id = s.id "
                "WHEN MATCHED THEN UPDATE SET t.p.addr.city = s.p.city"
            ),
            ["p.addr.city"],
        ),
    ],
)
def test_an_assignment_to_a_field_needs_that_field(sql: str, expected: list[str]) -> None:
    assert needed(sql, privilege="UPDATE") == expected


_READS = {
    "spark": [
        "SELECT p.addr.city FROM db.e",
        "SELECT max(p.addr.city) FROM db.e GROUP BY p.id",
        "SELECT 1 FROM db.e WHERE p.addr.city = 'x'",
        "SELECT 1 FROM db.e ORDER BY p.addr.city LIMIT 1",
        "SELECT p FROM db.e",
        "SELECT p.addr FROM db.e",
        "SELECT p.* FROM db.e",
        "SELECT * FROM db.e",
        "SELECT struct(*) FROM db.e",
        "SELECT to_json(p) FROM db.e",
        "SELECT p['addr']['city'] FROM db.e",
        "SELECT p['addr'].city FROM db.e",
        "SELECT x.c.city FROM (SELECT p.addr AS c FROM db.e) x",
        "WITH t AS (SELECT p FROM db.e) SELECT p.addr.city FROM t",
        "SELECT named_struct('zip', p.addr.city).zip FROM db.e",
        "SELECT q.zip FROM (SELECT named_struct('zip', p.addr) AS q FROM db.e)",
        "SELECT coalesce(p, p).addr.city FROM db.e",
        "SELECT f.id FROM db.f f JOIN db.e e ON f.id = e.p.addr.city",
        "SELECT f.id FROM db.f f JOIN db.e USING (p)",
        "SELECT (SELECT p.addr.city FROM db.e)",
        "SELECT id FROM db.f WHERE id IN (SELECT p.addr.city FROM db.e)",
        "SELECT p.addr AS zip, zip.city FROM db.e",
        "INSERT INTO db.f SELECT 1, p.addr.city FROM db.e",
        "UPDATE db.e SET id = p.addr.city",
        "DELETE FROM db.e WHERE p.addr.city = 'x'",
        "MERGE INTO db.f t USING db.e s ON t.id = s.p.addr.city WHEN MATCHED THEN DELETE",
        "SELECT i.city FROM db.e LATERAL VIEW explode(items) t AS i",
        "SELECT zip FROM db.e LATERAL VIEW inline(items) t AS city, zip",
        "SELECT transform(items, x -> x.city) FROM db.e",
        "CREATE TEMPORARY VIEW v AS SELECT p FROM db.e; SELECT p.addr.zip FROM v",
    ],
    "hive": [
        "SELECT p.addr.city FROM db.e",
        "SELECT i.city FROM db.e LATERAL VIEW explode(items) t AS i",
        "FROM db.e INSERT INTO TABLE db.f SELECT 1, p.addr.city",
    ],
    "trino": [
        "SELECT p.addr.city FROM db.e",
        "SELECT p[1].zip FROM db.e",
        "SELECT zip.zip FROM db.e CROSS JOIN UNNEST(items) AS t(zip, city)",
        "SELECT CAST(p AS ROW(zip VARCHAR)).zip FROM db.e",
    ],
    "bigquery": [
        "SELECT p.addr.city FROM db.e",
        "SELECT i.city FROM db.e, UNNEST(items) AS i",
        "SELECT i.city FROM db.e e, e.items AS i",
        "SELECT items[OFFSET(0)].city FROM db.e",
        "SELECT AS STRUCT p.addr.city FROM db.e",
    ],
    "snowflake": [
        "SELECT p:addr.city FROM db.e",
        "SELECT p:addr:city::string FROM db.e",
        "SELECT p['addr']['city'] FROM db.e",
        "SELECT p['ad' || 'dr'].zip FROM db.e",
        "SELECT f.value:city FROM db.e, LATERAL FLATTEN(input => items) f",
    ],
}


@pytest.mark.parametrize(
    ("dialect", "sql"), [(dialect, sql) for dialect, each in _READS.items() for sql in each]
)
def test_grants_of_other_fields_allow_none_of_these(dialect: str, sql: str) -> None:
    others = ["p.addr.zip", "p.zip", "p.id", "items.price", "items.zip", "items.addr", "m"]
    every = ["SELECT", "INSERT", "UPDATE", "DELETE"]
    grants = read_grants(
        {
            "grants": [
                {"user": "ann", "privileges": every, "on": "db.e", "columns": others},
                {"user": "ann", "privileges": ["ALL"], "on": "db.f"},
            ]
        }
    )

    missing = [grants.missing("ann", permissions(each)) for each in all_of(sql, dialect, TABLES)]

    assert any(missing)


@pytest.mark.parametrize(
    ("granted", "read", "is_allowed"),
    [
        ("p.addr.city", "p.addr.city", True),
        ("P.Addr", "p.addr.city", True),
        ("p", "p.addr.city", True),
        ("p.addr.city", "p.addr.zip", False),
        ("p.addr.city", "p.addr", False),
        ("p.addr.city", "p", False),
        ("p.addr", "p.address", False),
        ("p.addr", "*", False),
        # Of a column whose own name has a dot.
        ("p.addr", "`p.addr.city`", False),
        ("a.b", "`a.b`", True),
        ("a", "`a.b`", False),
        ("`a.b`", "`a.b`.c", True),
    ],
)
def test_a_grant_covers_what_is_inside(granted: str, read: str, *, is_allowed: bool) -> None:
    stated = {"user": "ann", "privileges": ["SELECT"], "on": "db.e", "columns": [granted]}
    grants = read_grants({"grants": [stated]})

    missing = grants.missing("ann", [Need(Privilege.SELECT, TABLE, (read,))])

    assert (missing == ()) == is_allowed


def test_a_grant_of_a_field_meets_a_count() -> None:
    stated = {"user": "ann", "privileges": ["SELECT"], "on": "db.e", "columns": ["p.addr.city"]}
    grants = read_grants({"grants": [stated]})

    assert grants.missing("ann", [Need(Privilege.SELECT, TABLE)]) == ()


def test_a_name_with_a_dot_stands_in_back_ticks() -> None:
    assert field_name("p", ("a.b", "c")) == "p.`a.b`.c"


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT named_struct('a', p, 'b', id).a.addr AS made FROM db.e", ["db.e.p.addr"]),
        ("SELECT explode(items).price AS made FROM db.e", ["db.e.items.price"]),
        ("SELECT element_at(items, 1).price AS made FROM db.e", ["db.e.items.price"]),
        ("SELECT coalesce(p, m).addr AS made FROM db.e", ["db.e.p.addr", "db.e.m.addr"]),
        ("SELECT a.x AS made FROM db.e LATERAL VIEW inline(items) t AS a, b", ["db.e.items"]),
        ("SELECT s.c.d AS made FROM (SELECT struct(p AS c, id) AS s FROM db.e)", ["db.e.p.d"]),
    ],
)
def test_a_field_of_a_value_is_made_of(sql: str, expected: list[str]) -> None:
    assert direct(sql, "spark", TABLES)["made"] == expected
