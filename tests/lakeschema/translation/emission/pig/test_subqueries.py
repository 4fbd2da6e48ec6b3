"""Sub-queries in conditions as joins, and those without such a form."""

from __future__ import annotations

import pytest

from tests.lakeschema.translation.emission.pig.pig_batches import refusal_of_steps, steps


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        (
            "SELECT age FROM buyers WHERE name IN (SELECT who FROM visits)",
            [
                "buyers_visits_grouped = COGROUP buyers BY name, visits BY who;",
                "buyers_kept = FILTER buyers_visits_grouped BY NOT IsEmpty(visits);",
                "buyers_rows = FOREACH buyers_kept GENERATE FLATTEN(buyers) AS (name, age);",
                "v = FOREACH buyers_rows GENERATE age;",
            ],
        ),
        (
            "SELECT age FROM buyers WHERE age > 3 AND name IN (SELECT who FROM visits WHERE year > 4)",
            [
                "buyers_filtered = FILTER buyers BY age > 3;",
                "visits_filtered = FILTER visits BY year > 4;",
                "buyers_visits_grouped = COGROUP buyers_filtered BY name, visits_filtered BY who;",
                "buyers_kept = FILTER buyers_visits_grouped BY NOT IsEmpty(visits_filtered);",
                "buyers_rows = FOREACH buyers_kept GENERATE FLATTEN(buyers_filtered) AS (name, age);",
                "v = FOREACH buyers_rows GENERATE age;",
            ],
        ),
        (
            "SELECT age FROM buyers WHERE name NOT IN (SELECT who FROM visits)",
            [
                "buyers_visits_grouped = COGROUP buyers BY name, visits BY who;",
                "buyers_kept = FILTER buyers_visits_grouped BY IsEmpty(visits);",
                "buyers_rows = FOREACH buyers_kept GENERATE FLATTEN(buyers) AS (name, age);",
                "visits_columns = FOREACH visits GENERATE who;",
                "visits_one = LIMIT visits 1;",
                "visits_grouped = COGROUP visits_columns BY (who is null ? 1 : 1), visits_one BY (who is null ? 1 : 1);",
                "visits_groups = FOREACH visits_grouped GENERATE COUNT_STAR(visits_columns) AS all_rows, COUNT(visits_columns.who) AS known_rows;",
                "buyers_visits_crossed = CROSS buyers_rows, visits_groups;",
                "buyers_visits_filtered = FILTER buyers_visits_crossed BY (visits_groups::all_rows == 0L) OR ((visits_groups::all_rows == visits_groups::known_rows) AND (NOT (buyers_rows::name is null)));",
                "buyers_visits_columns = FOREACH buyers_visits_filtered GENERATE buyers_rows::name AS name, buyers_rows::age AS age;",
                "v = FOREACH buyers_visits_columns GENERATE age;",
            ],
        ),
        (
            "SELECT age FROM buyers b WHERE EXISTS (SELECT 1 FROM visits v WHERE v.who = b.name AND v.year > 3)",
            [
                "visits_filtered = FILTER visits BY year > 3;",
                "buyers_visits_grouped = COGROUP buyers BY name, visits_filtered BY who;",
                "buyers_kept = FILTER buyers_visits_grouped BY NOT IsEmpty(visits_filtered);",
                "buyers_rows = FOREACH buyers_kept GENERATE FLATTEN(buyers) AS (name, age);",
                "v = FOREACH buyers_rows GENERATE age;",
            ],
        ),
        (
            "SELECT age FROM buyers b WHERE EXISTS (SELECT DISTINCT v.who FROM visits v WHERE v.year > b.age)",
            [
                "buyers_numbered = RANK buyers;",
                "buyers_rows = FOREACH buyers_numbered GENERATE rank_buyers AS row_number, name, age;",
                "visits_marked = FOREACH visits GENERATE who, year, 1 AS found;",
                "buyers_visits_joined = JOIN buyers_rows BY (name is null ? 1 : 1) LEFT OUTER, visits_marked BY (who is null ? 1 : 1);",
                "buyers_visits_columns = FOREACH buyers_visits_joined GENERATE buyers_rows::row_number AS row_number, buyers_rows::name AS name, buyers_rows::age AS age, visits_marked::who AS who, visits_marked::year AS year, visits_marked::found AS found;",
                "buyers_visits_by_row = GROUP buyers_visits_columns BY row_number;",
                "buyers_tested = FOREACH buyers_visits_by_row { fitting = FILTER buyers_visits_columns BY found is not null AND (year is not null AND age is not null AND (year > age)); one = LIMIT buyers_visits_columns 1; alone = FOREACH one GENERATE name, age; GENERATE FLATTEN(alone) AS (name, age), (NOT IsEmpty(fitting) ? 1 : 0) AS is_kept; };",
                "buyers_kept = FILTER buyers_tested BY is_kept == 1;",
                "buyers_columns = FOREACH buyers_kept GENERATE name, age;",
                "v = FOREACH buyers_columns GENERATE age;",
            ],
        ),
        (
            "SELECT age FROM buyers b WHERE EXISTS (SELECT 1 FROM visits)",
            [
                "buyers_visits_grouped = COGROUP buyers BY (name is null ? 1 : 1), visits BY (who is null ? 1 : 1);",
                "buyers_kept = FILTER buyers_visits_grouped BY NOT IsEmpty(visits);",
                "buyers_rows = FOREACH buyers_kept GENERATE FLATTEN(buyers) AS (name, age);",
                "v = FOREACH buyers_rows GENERATE age;",
            ],
        ),
        (
            "SELECT age FROM buyers b WHERE NOT EXISTS (SELECT 1 FROM visits v WHERE v.who = b.name AND v.year > b.age)",
            [
                "buyers_numbered = RANK buyers;",
                "buyers_rows = FOREACH buyers_numbered GENERATE rank_buyers AS row_number, name, age;",
                "visits_marked = FOREACH visits GENERATE who, year, 1 AS found;",
                "buyers_visits_joined = JOIN buyers_rows BY name LEFT OUTER, visits_marked BY who;",
                "buyers_visits_columns = FOREACH buyers_visits_joined GENERATE buyers_rows::row_number AS row_number, buyers_rows::name AS name, buyers_rows::age AS age, visits_marked::who AS who, visits_marked::year AS year, visits_marked::found AS found;",
                "buyers_visits_by_row = GROUP buyers_visits_columns BY row_number;",
                "buyers_tested = FOREACH buyers_visits_by_row { fitting = FILTER buyers_visits_columns BY found is not null AND (year is not null AND age is not null AND (year > age)); one = LIMIT buyers_visits_columns 1; alone = FOREACH one GENERATE name, age; GENERATE FLATTEN(alone) AS (name, age), (IsEmpty(fitting) ? 1 : 0) AS is_kept; };",
                "buyers_kept = FILTER buyers_tested BY is_kept == 1;",
                "buyers_columns = FOREACH buyers_kept GENERATE name, age;",
                "v = FOREACH buyers_columns GENERATE age;",
            ],
        ),
        (
            "SELECT name FROM buyers WHERE age > (SELECT max(year) FROM visits)",
            [
                "visits_grouped = GROUP visits ALL;",
                "visits_groups = FOREACH visits_grouped GENERATE MAX(visits.year) AS max:int;",
                "visits_columns = FOREACH visits_groups GENERATE max AS c0;",
                "buyers_visits_joined = JOIN buyers BY (name is null ? 1 : 1) LEFT OUTER, visits_columns BY (c0 is null ? 1 : 1);",
                "buyers_visits_filtered = FILTER buyers_visits_joined BY buyers::age > visits_columns::c0;",
                "buyers_visits_columns = FOREACH buyers_visits_filtered GENERATE buyers::name AS name, buyers::age AS age;",
                "v = FOREACH buyers_visits_columns GENERATE name;",
            ],
        ),
        (
            "SELECT name FROM buyers WHERE age > (SELECT year FROM visits LIMIT 1)",
            [
                "visits_columns = FOREACH visits GENERATE year;",
                "visits_limited = LIMIT visits_columns 1;",
                "buyers_visits_joined = JOIN buyers BY (name is null ? 1 : 1) LEFT OUTER, visits_limited BY (year is null ? 1 : 1);",
                "buyers_visits_filtered = FILTER buyers_visits_joined BY buyers::age > visits_limited::year;",
                "buyers_visits_columns = FOREACH buyers_visits_filtered GENERATE buyers::name AS name, buyers::age AS age;",
                "v = FOREACH buyers_visits_columns GENERATE name;",
            ],
        ),
        (
            "SELECT name, (SELECT count(*) FROM visits) AS n FROM buyers",
            [
                "visits_grouped = GROUP visits ALL;",
                "visits_groups = FOREACH visits_grouped GENERATE COUNT_STAR(visits) AS count;",
                "visits_columns = FOREACH visits_groups GENERATE count AS c0;",
                "buyers_visits_joined = JOIN buyers BY (name is null ? 1 : 1) LEFT OUTER, visits_columns BY (c0 is null ? 1 : 1);",
                "v = FOREACH buyers_visits_joined GENERATE buyers::name AS name, visits_columns::c0 AS n;",
            ],
        ),
    ],
)  # fmt: skip
def test_a_sub_query_is_written_as_a_join(sql: str, expected: list[str]) -> None:
    assert steps(sql) == expected


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("SELECT name FROM buyers WHERE age > (SELECT year FROM visits)", "a scalar sub-query that may have many rows for Pig"),
        ("SELECT name FROM buyers b WHERE age > (SELECT max(year) FROM visits v WHERE v.who = b.name)", "this kind of correlated sub-query for Pig"),
        ("SELECT age FROM buyers b WHERE age > 3 OR EXISTS (SELECT 1 FROM visits v WHERE v.who = b.name)", "EXISTS or IN of a sub-query inside another condition for Pig"),
        ("SELECT age FROM buyers b WHERE name NOT IN (SELECT who FROM visits v WHERE v.year = b.age)", "this kind of correlated sub-query for Pig"),
        ("SELECT age FROM buyers b WHERE EXISTS (SELECT max(year) FROM visits v WHERE v.who = b.name)", "this kind of correlated sub-query for Pig"),
        ("SELECT age FROM buyers b WHERE EXISTS (SELECT 1 FROM visits v WHERE v.who = b.name AND v.year IN (SELECT age FROM buyers))", "this kind of correlated sub-query for Pig"),
    ],
)  # fmt: skip
def test_a_sub_query_that_no_join_replaces_is_refused_with_the_reason(
    sql: str, reason: str
) -> None:
    assert reason in refusal_of_steps(sql)
