"""The expressions that decide a view's rows and values, and how its columns are computed."""

from __future__ import annotations

import json

import pytest

from lakeschema.catalog.relations import Dialect
from lakeschema.translation.deriving.derivation_json import derivation_from_json, derivation_to_json
from lakeschema.translation.model.interface import ColumnLineage, Derivation, Influence
from tests.lakeschema.translation.relations import derived

TABLES = """\
CREATE TABLE t (id bigint, name string, amount double, day date, tags array<string>,
  home struct<city:string,zip:string>);
CREATE TABLE u (id bigint, label string);
"""


def view(query: str, dialect: Dialect = Dialect.SPARK) -> Derivation:
    return derived(f"{TABLES}CREATE VIEW v AS {query}", dialect=dialect)


def shown(influences: tuple[Influence, ...] | None) -> list[str]:
    assert influences is not None
    return [f"{i.clause.value} {i.source.relation.name}.{i.source.column}" for i in influences]


def column(derivation: Derivation, name: str) -> ColumnLineage:
    return next(column for column in derivation.lineage if column.column == name)


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        ("SELECT id FROM t", []),
        ("SELECT id FROM t WHERE name > 'a'", ["where t.name"]),
        ("SELECT t.id FROM t JOIN u ON t.id = u.id", ["join t.id", "join u.id"]),
        ("SELECT t.id FROM t LEFT SEMI JOIN u USING (id)", ["join t.id", "join u.id"]),
        (
            "SELECT name, count(*) n FROM t GROUP BY name HAVING max(amount) > 1",
            ["group by t.name", "having t.amount"],
        ),
        ("SELECT DISTINCT day FROM t", ["distinct t.day"]),
        ("SELECT id FROM t ORDER BY amount", ["order by t.amount"]),
        ("SELECT id FROM (SELECT id FROM t ORDER BY amount) WHERE id > 1", ["where t.id"]),
        ("SELECT id FROM (SELECT id FROM t ORDER BY amount LIMIT 3)", ["order by t.amount"]),
        ("SELECT id FROM t UNION SELECT id FROM u", ["set operation t.id", "set operation u.id"]),
        ("SELECT id FROM t UNION ALL SELECT id FROM u", []),
        ("SELECT id, tag FROM t LATERAL VIEW explode(tags) x AS tag", ["lateral view t.tags"]),
        (
            "SELECT id FROM t LATERAL VIEW explode(transform(tags, tag -> tag || name)) x AS tag",
            ["lateral view t.tags"],
        ),
        (
            "SELECT id FROM t LATERAL VIEW explode(if(day IS NULL, tags, array(name))) x AS tag",
            ["lateral view t.day", "lateral view t.tags"],
        ),
        (
            """SELECT id FROM t LATERAL VIEW explode(CASE
              WHEN id > 1 THEN array(name) ELSE cast(array(amount) AS array<string>) END) x AS e""",
            ["lateral view t.id"],
        ),
        ("SELECT e FROM t LATERAL VIEW posexplode(array(id, amount)) x AS p, e", []),
        ("SELECT e FROM t LATERAL VIEW stack(2, id, amount) x AS e", []),
        ("SELECT e FROM t LATERAL VIEW json_tuple(name, 'a') x AS e", []),
        (
            "SELECT e FROM t LATERAL VIEW explode(map(name, id)) x AS k, e",
            ["lateral view t.name", "lateral view t.id"],
        ),
        (
            "SELECT id FROM (SELECT *, rank() OVER (PARTITION BY name ORDER BY day) r FROM t) WHERE r = 1",
            ["partition by t.name", "order by t.day"],
        ),
        (
            "SELECT id FROM t QUALIFY sum(amount) OVER (ORDER BY day) > 1",
            ["qualify t.amount", "order by t.day"],
        ),
        ("SELECT id FROM t WHERE id IN (SELECT id FROM u)", ["where t.id", "where u.id"]),
        (
            """SELECT id FROM (SELECT id, rank() OVER (ORDER BY day) r FROM t) AS o
              WHERE EXISTS (SELECT 1 FROM u WHERE u.id = o.r % 10)""",
            ["where u.id", "order by t.day"],
        ),
        (
            """SELECT id FROM (SELECT id, rank() OVER (ORDER BY day) r FROM t) AS o WHERE EXISTS
              (SELECT 1 FROM u WHERE EXISTS (SELECT 1 FROM u AS w WHERE w.id = o.r))""",
            ["where u.id", "order by t.day"],
        ),
        (
            """SELECT e FROM (SELECT id, rank() OVER (ORDER BY day) r FROM t) AS o,
              LATERAL (SELECT u.id AS e FROM u WHERE u.id > o.r)""",
            ["where u.id", "order by t.day"],
        ),
        (
            "SELECT name FROM t WHERE EXISTS (SELECT 1 FROM u WHERE label = t.name)",
            ["where u.label", "where t.name"],
        ),
        (
            """SELECT name FROM t WHERE EXISTS (WITH RECURSIVE r (n) AS
              (SELECT id FROM u UNION ALL SELECT n + 1 FROM r WHERE n < 3) SELECT 1 FROM r)""",
            ["where u.id"],
        ),
    ],
)
def test_the_clause_through_which_a_column_decides_rows_is_named(
    query: str, rows: list[str]
) -> None:
    assert shown(view(query).rows) == rows


def test_what_decides_an_element_decides_what_is_exploded_of_it() -> None:
    ranked = "SELECT id, rank() OVER (ORDER BY day) AS r FROM t"

    found = view(f"SELECT e FROM ({ranked}) LATERAL VIEW explode(array(r, id)) x AS e")

    assert shown(column(found, "e").indirect) == ["order by t.day"]
    assert found.rows == ()


def test_of_a_struct_whose_field_is_taken_the_other_fields_decide_nothing() -> None:
    ranked = "rank() OVER (ORDER BY day)"

    found = view(
        f"SELECT named_struct('a', id, 'b', {ranked}).a AS x, struct({ranked} AS a, name AS b).b AS y"
        f", named_struct('a', id, 'b', {ranked}).b AS z FROM t"
    )

    sources = {c.column: [s.column for s in c.sources] for c in found.lineage}
    assert sources == {"x": ["id"], "y": ["name"], "z": []}
    assert [shown(c.indirect) for c in found.lineage] == [[], [], ["order by t.day"]]


def test_the_keys_of_a_window_decide_its_column_alone() -> None:
    found = view("SELECT id, sum(amount) OVER (PARTITION BY name ORDER BY day) AS total FROM t")

    assert shown(column(found, "total").indirect) == ["partition by t.name", "order by t.day"]
    assert column(found, "id").indirect == ()
    assert found.rows == ()


def test_what_decides_a_column_of_a_recursive_table_decides_what_its_step_makes_of_it() -> None:
    ranked = "(SELECT max(id) FROM u WHERE label > 'a')"

    found = view(
        f"WITH RECURSIVE r (a, b) AS (SELECT 1L, 2L UNION ALL SELECT {ranked}, a FROM r WHERE b < 9)"
        " SELECT a, b FROM r"
    )

    assert [shown(c.indirect) for c in found.lineage] == [["where u.label"], ["where u.label"]]
    assert shown(found.rows) == ["where u.id", "where u.label"]


def test_what_a_sub_query_decides_passes_through_the_queries_around_it() -> None:
    found = view(
        "SELECT place + 1 AS place FROM (SELECT rank() OVER (ORDER BY day) AS place FROM t) s"
    )

    assert shown(column(found, "place").indirect) == ["order by t.day"]


def test_a_condition_chooses_values_and_is_none_of_them() -> None:
    made = column(view("SELECT CASE WHEN day > '2020-01-01' THEN name END AS n FROM t"), "n")

    assert [source.column for source in made.sources] == ["day", "name"]
    assert [source.column for source in made.direct] == ["name"]
    assert shown(made.indirect) == ["condition t.day"]


@pytest.mark.parametrize(
    ("item", "expression", "transformation"),
    [
        ("id", "", "identity"),
        ("home.city", "home.city", "identity"),
        ("upper(name)", "upper(name)", "transformation"),
        ("sum(amount) / 2", "(sum(amount) / 2)", "aggregation"),
        ("n", "", "identity"),
        ("upper(n)", "upper(n)", "transformation"),
        ("up", "upper(name)", "transformation"),
    ],
)
def test_a_column_says_how_it_is_made(item: str, expression: str, transformation: str) -> None:
    inner = "SELECT id, home, amount, name, name AS n, upper(name) AS up FROM t"

    made = column(view(f"SELECT {item} AS made FROM ({inner})"), "made")

    assert made.expression == expression
    assert made.transformation.value == transformation


def test_a_key_of_a_group_is_shown_as_it_was_written() -> None:
    found = view("SELECT upper(name) AS up, count(*) AS n FROM t GROUP BY upper(name)")

    assert [each.expression for each in found.lineage] == ["upper(name)", "count(1)"]


def test_what_is_stored_is_read_back_equal() -> None:
    found = view(
        "SELECT home.city AS c, rank() OVER (ORDER BY day) AS r FROM t WHERE home.zip > '1'"
    )

    text = json.dumps(derivation_to_json(found))

    assert derivation_from_json(json.loads(text)) == found


def test_what_an_earlier_release_stored_can_still_be_read() -> None:
    stored = derivation_to_json(view("SELECT upper(name) AS n FROM t WHERE id > 1"))
    del stored["influences"]

    found = derivation_from_json(stored)

    assert found.rows is None
    assert [source.column for source in column(found, "n").sources] == ["name"]


def test_more_influences_than_anybody_reads_are_not_kept() -> None:
    keys = ", ".join(f"c{number}" for number in range(300))
    columns = ", ".join(f"c{number} int" for number in range(300))
    items = ", ".join(f"sum(k) OVER (PARTITION BY k) AS s{number}" for number in range(300))
    ddl = (
        f"CREATE TABLE w ({columns});"
        f"CREATE VIEW v AS SELECT {items} FROM (SELECT hash({keys}) AS k FROM w)"
    )

    found = derived(ddl, dialect=Dialect.SPARK)

    assert found.rows is None
    assert len(found.lineage[299].sources) == 300


def test_what_decides_a_value_decides_what_a_sub_query_makes_of_it() -> None:
    ranked = "SELECT id, rank() OVER (ORDER BY day) r FROM t"

    found = view(
        f"""SELECT (SELECT max(u.id + o.r) FROM u) AS a, e FROM ({ranked}) AS o,
          LATERAL (SELECT o.r + 1 AS e)"""
    )

    assert shown(column(found, "a").indirect) == ["order by t.day"]
    assert shown(column(found, "e").indirect) == ["order by t.day"]
