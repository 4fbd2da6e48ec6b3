"""Pig runs the emitted scripts over the tables and files of Hive's own rows."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from deploy.hive import HiveQueries
from deploy.pig import PigQueries
from lakeschema.catalog.column_types import parse_type
from lakeschema.translation.requests.batch import answer
from tests.judges.compared_values import in_no_order
from tests.judges.engines.hive import BYTES, HiveEngine
from tests.judges.hive_and_pig import DATABASE, Table, comparable, hive_and_pig

TABLES = {
    "sales": Table(
        [
            *(("id", parse_type("int")), ("buyer", parse_type("string"))),
            *(("amount", parse_type("int")), ("price", parse_type("decimal(10,2)"))),
            *(("weight", parse_type("double")), ("day", parse_type("date"))),
            *(("tags", parse_type("array<string>")), ("notes", parse_type("map<string,int>"))),
            *(("place", parse_type("struct<street:string,number:int>")), ("paid", parse_type("boolean"))),
        ],
        [
            [1, "ann", 5, "1.50", 0.5, "2020-02-29", ["x", "y"], {"a": 1, "c": 3}, {"street": "s", "number": 4}, True],
            [2, "bob", None, "2.25", "NaN", None, [], {}, None, False],
            [3, None, -7, None, -0.0, "2021-01-03", None, None, {"street": None, "number": 1}, None],
            [4, "ann", 20, "0.10", 0.0, "1969-12-31", ["z"], {"b": 2}, {"street": "t", "number": 9}, True],
        ],
    ),
    "people": Table(
        [("Name", parse_type("string")), ("age", parse_type("int"))],
        [["ann", 30], ["cid", 40], [None, 50], ["ann", 31]],
    ),
}  # fmt: skip

QUERIES = (
    (
        "SELECT id, upper(buyer) AS u, amount / 2 AS half, price * price AS p, place.number AS n,"
        " notes['a'] AS a, tags[0] AS t, year(day) AS y, size(tags) AS s FROM sales"
    ),
    (
        "SELECT id, amount > 3 AS big, if(amount > 3, 'y', 'n') AS w, coalesce(amount, 0) AS c,"
        " CAST(paid AS STRING) AS p, CAST(day AS STRING) AS d, reverse(buyer) AS i FROM sales"
        " WHERE NOT (amount > 10) OR buyer LIKE '%b%' OR buyer IS NULL"
    ),
    "SELECT s.id, p.age FROM sales s LEFT JOIN people p ON s.buyer = p.name AND p.age > s.amount",
    (
        "SELECT s.id FROM sales s LEFT SEMI JOIN people p ON s.buyer = p.name AND p.age > s.amount"
        " LEFT SEMI JOIN people q ON s.buyer = q.name"
    ),
    "SELECT id FROM sales s WHERE NOT EXISTS (SELECT 1 FROM people p WHERE p.name = s.buyer)",
    "SELECT buyer, count(*) AS n, sum(amount) AS a, avg(amount) AS b FROM sales GROUP BY buyer",
    "SELECT count(DISTINCT buyer) AS n, sum(amount) AS s FROM sales WHERE id > 100",
    "SELECT weight, count(*) AS n FROM sales GROUP BY weight",
    "SELECT name FROM people INTERSECT SELECT buyer FROM sales",
    "SELECT id, t FROM sales LATERAL VIEW OUTER explode(tags) x AS t",
    "SELECT id FROM sales LATERAL VIEW OUTER explode(notes) x AS k, n",
    "SELECT id FROM sales LATERAL VIEW explode(tags) x AS t",
    "SELECT id FROM sales LATERAL VIEW posexplode(tags) x AS p, t",
    "SELECT id FROM sales LATERAL VIEW stack(2, amount, id, 5, 6) x AS a, b",
    "SELECT id, amount FROM sales ORDER BY amount DESC, id LIMIT 3",
    "SELECT 3 AS n FROM (SELECT sum(amount + 1) AS s FROM sales) x WHERE 1 = 1",
    "SELECT id FROM sales WHERE 'b2' NOT LIKE concat('b', id)",
    "SELECT size(collect_set(-2)) AS n, floor(sum(id) + 9007199254740983L) AS f FROM sales",
    (
        "SELECT id, sum(amount) OVER (PARTITION BY buyer ORDER BY id) AS s,"
        " rank() OVER (ORDER BY buyer) AS r FROM sales"
    ),
)


@pytest.fixture(scope="module")
def engines(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[HiveQueries, PigQueries]]:
    with hive_and_pig(tmp_path_factory.mktemp("pig"), TABLES) as both:
        yield both


@pytest.mark.parametrize("sql", QUERIES)
@pytest.mark.alike("sql", keep=8)
def test_pig_returns_hives_rows(sql: str, engines: tuple[HiveQueries, PigQueries]) -> None:
    hive, pig = engines
    reply = answer(
        {
            "id": 1,
            "ddl": [
                *(f"CREATE TABLE {DATABASE}.{name} ({held.ddl})" for name, held in TABLES.items()),
                *(f"USE {DATABASE}", f"CREATE VIEW v AS {sql}"),
            ],
            "relation": f"{DATABASE}.v",
            "to": "pig",
        }
    )
    result = reply["result"]

    found = pig.answer("\n".join((*result["defines"], *result["statements"])), result["alias"])

    judge = HiveEngine(hive, BYTES)
    types = [column.type for column in judge.columns(sql)]
    rows = judge.rows(sql)
    ordered = "ORDER BY amount" in sql
    assert comparable(found.rows, types, ordered=ordered, bags=True) == (
        rows if ordered else in_no_order(rows)
    )
