"""Arrays, maps and structs written for Trino."""

from __future__ import annotations

import pytest

from lakeschema.translation.model.errors import UnsupportedConstruct
from tests.lakeschema.translation.emission.trino.written import (
    Written,
    hive,
    legacy,
    query,
    spark,
)


@pytest.mark.parametrize(
    ("written", "call", "form"),
    [
        (hive, "array(1, NULL)", "ARRAY[1, CAST(NULL AS integer)]"),
        (hive, "array(NULL)", "CAST(ARRAY[CAST(NULL AS varchar)] AS array(varchar))"),
        (hive, "array(st, st)", "CAST(ARRAY[st, st] AS array(ROW(x integer, y varchar)))"),
        (hive, "map('a', 1)", "CAST(MAP(ARRAY['a'], ARRAY[1]) AS map(varchar, integer))"),
        (hive, "map(s, i)", "CAST(MAP(ARRAY[s], ARRAY[i]) AS map(varchar, integer))"),
        (hive, "map()", "CAST(MAP() AS map(varchar, varchar))"),
        (hive, "struct(i, s)", "CAST(ROW(i, s) AS ROW(col1 integer, col2 varchar))"),
        (hive, "coalesce(a, array(2))", "coalesce(a, CAST(ARRAY[2] AS array(integer)))"),
        (hive, "sort_array(a)", "array_sort(a, (x, y) -> CASE WHEN x IS NULL AND y IS NULL THEN 0 WHEN x IS NULL THEN -1 WHEN y IS NULL THEN 1 WHEN x < y THEN -1 WHEN x > y THEN 1 ELSE 0 END)"),
        (hive, "array_join(sa, ',')", "CAST(CASE WHEN cardinality(sa) > 0 THEN array_join(sa, ',') END AS varchar)"),
        (hive, "array_max(a)", "array_max(filter(a, e -> e IS NOT NULL))"),
        (hive, "array_slice(a, 1, 2)", "CASE WHEN 1 + 2 > cardinality(a) THEN slice(a, 1, 0) ELSE slice(a, 1 + 1, 2) END"),
        (hive, "array_remove(a, 1)", "array_remove(a, 1)"),
        (hive, "size(m)", "CAST(coalesce(cardinality(m), -1) AS integer)"),
        (hive, "map_keys(m)", "CAST(coalesce(map_keys(m), CAST(ARRAY[] AS array(varchar))) AS array(varchar))"),
        (hive, "elt(1, s, 'a')", "CAST(CASE WHEN 1 > 0 THEN element_at(ARRAY[s, 'a'], 1) END AS varchar)"),
        (spark, "size(a)", "CAST(cardinality(a) AS integer)"),
        (spark, "sort_array(a, false)", "array_sort(a, (x, y) -> CASE WHEN x IS NULL AND y IS NULL THEN 0 WHEN x IS NULL THEN 1 WHEN y IS NULL THEN -1 WHEN x < y THEN 1 WHEN x > y THEN -1 ELSE 0 END)"),
        (spark, "array_sort(a)", "array_sort(a)"),
        (spark, "array_sort(a, (x, y) -> x - y)", "array_sort(a, (x, y) -> (x - y))"),
        (spark, "array_contains(a, 1)", "contains(a, 1)"),
        (spark, "array_join(sa, ',', 'x')", "CAST(array_join(sa, ',', 'x') AS varchar)"),
        (spark, "array_join(array(o), ',')", "CAST(array_join(transform(ARRAY[o], e -> CAST(e AS varchar)), ',') AS varchar)"),
        (spark, "array_join(a, ',')", "CAST(array_join(a, ',') AS varchar)"),
        (spark, "element_at(a, 1)", "CASE WHEN abs(1) > cardinality(a) THEN CAST(fail('no such element') AS integer) ELSE element_at(a, 1) END"),
        (spark, "element_at(m, 'a')", "element_at(m, 'a')"),
        (spark, "try_element_at(a, 1)", "element_at(a, 1)"),
        (spark, "map_concat(m, m)", "CAST(CASE WHEN arrays_overlap(map_keys(m), map_keys(m)) THEN CAST(fail('a key is in both maps') AS map(varchar, integer)) ELSE map_concat(m, m) END AS map(varchar, integer))"),
        (spark, "map_filter(m, (k, v) -> v > 1)", "CAST(map_filter(m, (k, v) -> (v > 1)) AS map(varchar, integer))"),
        (spark, "flatten(array(a, a))", "element_at(transform(ARRAY[ARRAY[a, a]], bound0 -> CASE WHEN none_match(bound0, e -> e IS NULL) THEN flatten(bound0) END), 1)"),
        (spark, "sequence(1, 3)", "CAST(sequence(1, 3, CASE WHEN 1 <= 3 THEN 1 ELSE -1 END) AS array(integer))"),
        (spark, "sequence(i, l, 2)", "CAST(sequence(CAST(i AS bigint), l, BIGINT '2') AS array(bigint))"),
        (spark, "transform(a, x -> x + 1)", "transform(a, x -> (x + 1))"),
        (spark, "forall(a, x -> x > 1)", "all_match(a, x -> (x > 1))"),
        (spark, "aggregate(a, 0, (r, x) -> r + x, r -> r * 2)", "reduce(a, CAST(0 AS integer), (r, x) -> (r + x), r -> (r * 2))"),
        (spark, "zip_with(a, a, (x, y) -> x + y)", "zip_with(a, a, (x, y) -> (x + y))"),
        (spark, "array_repeat(i, 2)", "repeat(i, greatest(2, 0))"),
        (spark, "concat(a, a)", "concat(a, a)"),
        (legacy, "size(a)", "CAST(coalesce(cardinality(a), -1) AS integer)"),
        (legacy, "element_at(a, 1)", "element_at(a, 1)"),
    ],
)  # fmt: skip
def test_collections_are_written_with_the_same_meaning(
    written: Written, call: str, form: str
) -> None:
    assert written(call) == form


@pytest.mark.parametrize(
    ("written", "call", "reason"),
    [
        (hive, "array_contains(ast, st)", "array_contains for Trino is not supported: nested values"),
        (hive, "sort_array(array(d))", "sort_array for Trino is not supported: elements that may be NaN"),
        (spark, "array_contains(ast, st)", "array_contains for Trino is not supported: nested values"),
        (spark, "sort_array(a, o)", "sort_array for Trino is not supported: the order must be a constant"),
        (spark, "sort_array(array(m))", "sort_array for Trino is not supported: elements without an order"),
        (spark, "array_sort(array(d))", "array_sort for Trino is not supported: elements without Trino's order"),
        (spark, "array_max(array(1D, d))", "array_max for Trino is not supported: elements without Trino's order"),
        (spark, "array_join(sa, ',', s)", "array_join for Trino is not supported: the replacement for null must be a constant"),
        (spark, "map_concat(m)", "map_concat for Trino is not supported: it requires exactly two maps"),
        (spark, "sequence(da, da)", "sequence for Trino is not supported: a sequence of values other than integers"),
        (spark, "filter(a, (x, n) -> x > n)", "filter for Trino is not supported: a lambda with the element's position"),
    ],
)  # fmt: skip
def test_collections_that_trino_computes_otherwise_are_refused_with_the_reason(
    written: Written, call: str, reason: str
) -> None:
    with pytest.raises(UnsupportedConstruct) as refused:
        written(call)

    assert reason in str(refused.value)


_UNIONS = "CREATE TABLE unions (b UNIONTYPE<INT, STRUCT<p: UNIONTYPE<INT, STRING>>>, a ARRAY<UNIONTYPE<INT>>)"


def test_a_union_and_those_in_its_structs_are_extracted() -> None:
    inner = 'CAST(ROW(t1."b".field1."p".field0, t1."b".field1."p".field1) AS ROW("tag_0" integer, "tag_1" varchar))'
    struct = 'ROW("p" ROW("tag_0" integer, "tag_1" varchar))'

    sql = query("SELECT extract_union(b) AS x FROM unions", before=(_UNIONS,)).sql

    assert sql == (
        'SELECT CAST(ROW(t1."b".field0,'
        f' CASE WHEN t1."b".field1 IS NOT NULL THEN CAST(ROW({inner}) AS {struct}) END)'
        f' AS ROW("tag_0" integer, "tag_1" {struct})) AS "x" FROM "default"."unions" AS t1'
    )


def test_unions_in_an_array_are_refused() -> None:
    with pytest.raises(UnsupportedConstruct, match="unions inside arrays or maps"):
        query("SELECT extract_union(named_struct('a', a)) AS x FROM unions", before=(_UNIONS,))
