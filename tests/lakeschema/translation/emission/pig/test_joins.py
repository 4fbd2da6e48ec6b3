"""Joins as Pig statements: by keys, by rows with further conditions, or of all pairs."""

from __future__ import annotations

import pytest

from tests.lakeschema.translation.emission.pig.pig_batches import script, steps


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        (
            "SELECT b.age, v.year FROM buyers b LEFT JOIN visits v ON b.name = v.who",
            [
                "buyers_visits_joined = JOIN buyers BY name LEFT OUTER, visits BY who;",
                "v = FOREACH buyers_visits_joined GENERATE buyers::age AS age, visits::year AS year;",
            ],
        ),
        (
            "SELECT b.age, v.year FROM buyers b LEFT JOIN visits v ON b.name = v.who AND v.year > 3",
            [
                "visits_filtered = FILTER visits BY year > 3;",
                "buyers_visits_joined = JOIN buyers BY name LEFT OUTER, visits_filtered BY who;",
                "v = FOREACH buyers_visits_joined GENERATE buyers::age AS age, visits_filtered::year AS year;",
            ],
        ),
        (
            "SELECT b.age, v.year FROM buyers b LEFT JOIN visits v ON b.name = v.who AND b.age > 3",
            [
                "buyers_numbered = RANK buyers;",
                "buyers_rows = FOREACH buyers_numbered GENERATE rank_buyers AS row_number, name, age;",
                "visits_marked = FOREACH visits GENERATE who, year, 1 AS found;",
                "buyers_visits_joined = JOIN buyers_rows BY name LEFT OUTER, visits_marked BY who;",
                "buyers_visits_columns = FOREACH buyers_visits_joined GENERATE buyers_rows::row_number AS row_number, buyers_rows::name AS name, buyers_rows::age AS age, visits_marked::who AS who, visits_marked::year AS year, visits_marked::found AS found;",
                "buyers_visits_by_row = GROUP buyers_visits_columns BY row_number;",
                "buyers_visits_padded = FOREACH buyers_visits_by_row { fitting = FILTER buyers_visits_columns BY found is not null AND (age is not null AND (age > 3)); paired = FOREACH fitting GENERATE name, age, who, year; one = LIMIT buyers_visits_columns 1; alone = FOREACH one GENERATE name, age, (chararray)null AS who, (int)null AS year; GENERATE FLATTEN((IsEmpty(fitting) ? alone : paired)) AS (name, age, who, year); };",
                "v = FOREACH buyers_visits_padded GENERATE age, year;",
            ],
        ),
        (
            "SELECT b.age, v.year FROM buyers b LEFT JOIN visits v ON b.age > v.year",
            [
                "buyers_numbered = RANK buyers;",
                "buyers_rows = FOREACH buyers_numbered GENERATE rank_buyers AS row_number, name, age;",
                "visits_marked = FOREACH visits GENERATE who, year, 1 AS found;",
                "buyers_visits_joined = JOIN buyers_rows BY (name is null ? 1 : 1) LEFT OUTER, visits_marked BY (who is null ? 1 : 1);",
                "buyers_visits_columns = FOREACH buyers_visits_joined GENERATE buyers_rows::row_number AS row_number, buyers_rows::name AS name, buyers_rows::age AS age, visits_marked::who AS who, visits_marked::year AS year, visits_marked::found AS found;",
                "buyers_visits_by_row = GROUP buyers_visits_columns BY row_number;",
                "buyers_visits_padded = FOREACH buyers_visits_by_row { fitting = FILTER buyers_visits_columns BY found is not null AND (age is not null AND year is not null AND (age > year)); paired = FOREACH fitting GENERATE name, age, who, year; one = LIMIT buyers_visits_columns 1; alone = FOREACH one GENERATE name, age, (chararray)null AS who, (int)null AS year; GENERATE FLATTEN((IsEmpty(fitting) ? alone : paired)) AS (name, age, who, year); };",
                "v = FOREACH buyers_visits_padded GENERATE age, year;",
            ],
        ),
        (
            "SELECT b.age, v.year FROM buyers b RIGHT JOIN visits v ON b.name = v.who AND b.age > 3",
            [
                "buyers_filtered = FILTER buyers BY age > 3;",
                "buyers_visits_joined = JOIN buyers_filtered BY name RIGHT OUTER, visits BY who;",
                "v = FOREACH buyers_visits_joined GENERATE buyers_filtered::age AS age, visits::year AS year;",
            ],
        ),
        (
            "SELECT b.age, v.year FROM buyers b RIGHT JOIN visits v ON b.name = v.who AND v.year > 3",
            [
                "visits_numbered = RANK visits;",
                "visits_rows = FOREACH visits_numbered GENERATE rank_visits AS row_number, who, year;",
                "buyers_marked = FOREACH buyers GENERATE name, age, 1 AS found;",
                "visits_buyers_joined = JOIN visits_rows BY who LEFT OUTER, buyers_marked BY name;",
                "visits_buyers_columns = FOREACH visits_buyers_joined GENERATE visits_rows::row_number AS row_number, visits_rows::who AS who, visits_rows::year AS year, buyers_marked::name AS name, buyers_marked::age AS age, buyers_marked::found AS found;",
                "visits_buyers_by_row = GROUP visits_buyers_columns BY row_number;",
                "visits_buyers_padded = FOREACH visits_buyers_by_row { fitting = FILTER visits_buyers_columns BY found is not null AND (year is not null AND (year > 3)); paired = FOREACH fitting GENERATE who, year, name, age; one = LIMIT visits_buyers_columns 1; alone = FOREACH one GENERATE who, year, (chararray)null AS name, (int)null AS age; GENERATE FLATTEN((IsEmpty(fitting) ? alone : paired)) AS (who, year, name, age); };",
                "v = FOREACH visits_buyers_padded GENERATE age, year;",
            ],
        ),
        (
            "SELECT b.age, v.year FROM buyers b FULL JOIN visits v ON b.name = v.who",
            [
                "buyers_visits_joined = JOIN buyers BY name FULL OUTER, visits BY who;",
                "v = FOREACH buyers_visits_joined GENERATE buyers::age AS age, visits::year AS year;",
            ],
        ),
        (
            "SELECT b.age, v.year FROM buyers b CROSS JOIN visits v",
            [
                "buyers_visits_crossed = CROSS buyers, visits;",
                "v = FOREACH buyers_visits_crossed GENERATE buyers::age AS age, visits::year AS year;",
            ],
        ),
        (
            "SELECT b.age, v.year FROM buyers b JOIN visits v ON v.who = b.name AND b.age = v.year",
            [
                "buyers_visits_joined = JOIN buyers BY (name, age), visits BY (who, year);",
                "v = FOREACH buyers_visits_joined GENERATE buyers::age AS age, visits::year AS year;",
            ],
        ),
        (
            "SELECT b.age, v.year FROM buyers b JOIN visits v ON b.name = v.who AND b.age > 3 AND v.year > 4 AND b.age < v.year",
            [
                "buyers_filtered = FILTER buyers BY age > 3;",
                "visits_filtered = FILTER visits BY year > 4;",
                "buyers_visits_joined = JOIN buyers_filtered BY name, visits_filtered BY who;",
                "buyers_visits_filtered = FILTER buyers_visits_joined BY buyers_filtered::age < visits_filtered::year;",
                "v = FOREACH buyers_visits_filtered GENERATE buyers_filtered::age AS age, visits_filtered::year AS year;",
            ],
        ),
        (
            "SELECT b.age, v.year FROM buyers b JOIN visits v ON upper(b.name) = lower(v.who)",
            [
                "buyers_visits_joined = JOIN buyers BY UPPER(name), visits BY LOWER(who);",
                "v = FOREACH buyers_visits_joined GENERATE buyers::age AS age, visits::year AS year;",
            ],
        ),
        (
            "SELECT b.age, v.year FROM buyers b JOIN visits v ON b.age / 2 = v.year",
            [
                "buyers_visits_joined = JOIN buyers BY (chararray)((double)age / 2.0), visits BY (chararray)((double)year);",
                "v = FOREACH buyers_visits_joined GENERATE buyers::age AS age, visits::year AS year;",
            ],
        ),
        (
            "SELECT b.age, v.year FROM buyers b JOIN visits v ON b.name <=> v.who",
            [
                "buyers_visits_crossed = CROSS buyers, visits;",
                "buyers_visits_filtered = FILTER buyers_visits_crossed BY (buyers::name is null AND visits::who is null) OR (buyers::name is not null AND visits::who is not null AND (buyers::name == visits::who));",
                "v = FOREACH buyers_visits_filtered GENERATE buyers::age AS age, visits::year AS year;",
            ],
        ),
        (
            "SELECT b.age FROM buyers b LEFT SEMI JOIN visits v ON b.name = v.who AND b.age > 3 AND v.year > 4",
            [
                "visits_filtered = FILTER visits BY year > 4;",
                "buyers_filtered = FILTER buyers BY age > 3;",
                "buyers_visits_grouped = COGROUP buyers_filtered BY name, visits_filtered BY who;",
                "buyers_kept = FILTER buyers_visits_grouped BY NOT IsEmpty(visits_filtered);",
                "buyers_rows = FOREACH buyers_kept GENERATE FLATTEN(buyers_filtered) AS (name, age);",
                "v = FOREACH buyers_rows GENERATE age;",
            ],
        ),
        (
            "SELECT b.age FROM buyers b LEFT SEMI JOIN visits v ON b.name = v.who AND b.age > v.year",
            [
                "buyers_numbered = RANK buyers;",
                "buyers_rows = FOREACH buyers_numbered GENERATE rank_buyers AS row_number, name, age;",
                "visits_marked = FOREACH visits GENERATE who, year, 1 AS found;",
                "buyers_visits_joined = JOIN buyers_rows BY name LEFT OUTER, visits_marked BY who;",
                "buyers_visits_columns = FOREACH buyers_visits_joined GENERATE buyers_rows::row_number AS row_number, buyers_rows::name AS name, buyers_rows::age AS age, visits_marked::who AS who, visits_marked::year AS year, visits_marked::found AS found;",
                "buyers_visits_by_row = GROUP buyers_visits_columns BY row_number;",
                "buyers_tested = FOREACH buyers_visits_by_row { fitting = FILTER buyers_visits_columns BY found is not null AND (age is not null AND year is not null AND (age > year)); one = LIMIT buyers_visits_columns 1; alone = FOREACH one GENERATE name, age; GENERATE FLATTEN(alone) AS (name, age), (NOT IsEmpty(fitting) ? 1 : 0) AS is_kept; };",
                "buyers_kept = FILTER buyers_tested BY is_kept == 1;",
                "buyers_columns = FOREACH buyers_kept GENERATE name, age;",
                "v = FOREACH buyers_columns GENERATE age;",
            ],
        ),
        (
            "SELECT b.age FROM buyers b LEFT ANTI JOIN visits v ON b.name = v.who",
            [
                "buyers_visits_grouped = COGROUP buyers BY name, visits BY who;",
                "buyers_kept = FILTER buyers_visits_grouped BY IsEmpty(visits);",
                "buyers_rows = FOREACH buyers_kept GENERATE FLATTEN(buyers) AS (name, age);",
                "v = FOREACH buyers_rows GENERATE age;",
            ],
        ),
        (
            "SELECT b.age FROM buyers b LEFT ANTI JOIN visits v ON b.name = v.who AND b.age > 2",
            [
                "buyers_numbered = RANK buyers;",
                "buyers_rows = FOREACH buyers_numbered GENERATE rank_buyers AS row_number, name, age;",
                "visits_marked = FOREACH visits GENERATE who, year, 1 AS found;",
                "buyers_visits_joined = JOIN buyers_rows BY name LEFT OUTER, visits_marked BY who;",
                "buyers_visits_columns = FOREACH buyers_visits_joined GENERATE buyers_rows::row_number AS row_number, buyers_rows::name AS name, buyers_rows::age AS age, visits_marked::who AS who, visits_marked::year AS year, visits_marked::found AS found;",
                "buyers_visits_by_row = GROUP buyers_visits_columns BY row_number;",
                "buyers_tested = FOREACH buyers_visits_by_row { fitting = FILTER buyers_visits_columns BY found is not null AND (age is not null AND (age > 2)); one = LIMIT buyers_visits_columns 1; alone = FOREACH one GENERATE name, age; GENERATE FLATTEN(alone) AS (name, age), (IsEmpty(fitting) ? 1 : 0) AS is_kept; };",
                "buyers_kept = FILTER buyers_tested BY is_kept == 1;",
                "buyers_columns = FOREACH buyers_kept GENERATE name, age;",
                "v = FOREACH buyers_columns GENERATE age;",
            ],
        ),
    ],
)  # fmt: skip
def test_a_join_is_written_with_the_same_rows(sql: str, expected: list[str]) -> None:
    assert steps(sql) == expected


@pytest.mark.parametrize("on", ["b.name = v.who AND b.age > 3", "b.age > v.year"])
def test_a_full_join_on_more_than_equalities_is_a_left_join_and_the_right_rows_that_it_leaves_over(
    on: str,
) -> None:
    found = steps(f"SELECT b.age, v.year FROM buyers b FULL JOIN visits v ON {on}")

    assert "buyers_visits_union = UNION buyers_visits_branch, visits_branch;" in found
    assert any("GENERATE (chararray)null AS name, (int)null AS age, who, year;" in s for s in found)


def test_rows_of_a_turned_join_have_their_fields_in_order_before_a_bag_of_them_is_flattened() -> (
    None
):
    found = steps(
        "SELECT b.age, v.year FROM buyers b RIGHT JOIN visits v ON b.name = v.who AND v.year > 3"
        " WHERE EXISTS (SELECT 1 FROM buyers c WHERE c.name = v.who)"
    )

    ordered = (
        "visits_buyers_columns_2 = FOREACH visits_buyers_padded GENERATE name, age, who, year;"
    )
    assert ordered in found
    assert any(
        "FLATTEN(visits_buyers_columns_2) AS (name, age, who, year)" in step for step in found
    )


def test_pig_does_not_push_down_what_it_fails_on_where_a_lateral_view_is_joined() -> None:
    lateral = "SELECT o.id, t FROM orders o LATERAL VIEW explode(tags) x AS t"
    setting = "SET pig.optimizer.rules.disabled 'PushDownForEachFlatten';"

    assert setting in script(f"{lateral} JOIN buyers b ON o.buyer = b.name")
    assert setting not in script(lateral)
