"""Calls written for Trino where its function differs; each form was run on Trino 476."""

from __future__ import annotations

import pytest

from lakeschema.translation.model.errors import UnsupportedConstruct
from lakeschema.translation.model.interface import Options, Overflow
from tests.lakeschema.translation.emission.trino.written import hive, legacy, spark


@pytest.mark.parametrize(
    ("call", "form"),
    [
        ("a[0]", "element_at(a, 1)"),
        ("a[i]", "CASE WHEN i >= 0 THEN element_at(a, CAST(i AS bigint) + 1) END"),
        ("m['k']", "element_at(m, 'k')"),
        ("1 / i", "(1e0 / IF(CAST(i AS double) = 0e0, NULL, CAST(i AS double)))"),
        ("i % 3", "(i % 3)"),
        ("d = d", "(d = d OR (is_nan(d) AND is_nan(d)))"),
        ("d > 2", "(d > 2e0 OR is_nan(d))"),
        ("d < 2", "(d < 2e0)"),
        ("de * 2", "TRY_CAST((de * 2) AS decimal(12,2))"),
        (
            "avg(de)",
            "TRY_CAST(CAST(sum(de) AS decimal(38,6)) / nullif(count(de), 0) AS decimal(14,6))",
        ),
        ("sqrt(d)", "CASE WHEN NOT (d < 0e0) THEN sqrt(d) END"),
        ("stddev(i) OVER ()", "stddev_pop(CAST(i AS double)) OVER ()"),
        ("substr(s, -3)", "CAST(substr(s, -3) AS varchar)"),
        ("trim(s)", "CAST(trim(BOTH ' ' FROM s) AS varchar)"),
        ("lpad(s, 5, '')", "CAST(NULL AS varchar)"),
        ("length(s)", "CAST(length(s) AS integer)"),
        ("c = s", "(rtrim(CAST(c AS varchar)) = s)"),
        (r"s LIKE 'a\\%%'", r"(s LIKE 'a\%%' ESCAPE '\')"),
        (r"s LIKE 'a\\b%'", r"(s LIKE 'a\\b%' ESCAPE '\')"),
        (r"s RLIKE '^\\w'", "regexp_like(s, '^[a-zA-Z0-9_]')"),
        ("s RLIKE '(?i)ab'", "regexp_like(s, '[aA][bB]')"),
        (r"s RLIKE '\\Qa.b\\E'", r"regexp_like(s, 'a\.b')"),
        ("split(s, ',')", "CAST(regexp_split(s, ',') AS array(varchar))"),
        ("date_add(da, 2)", "date_add('day', 2, da)"),
        ("last_day(da)", "CAST(last_day_of_month(da) AS varchar)"),
        (
            "date_format(ts, 'yyyyMM')",
            "CAST((IF(year(ts) > 9999, '+', '') || format_datetime(date_trunc('millisecond', ts), 'yyyyMM')) AS varchar)",
        ),
        (
            "da + INTERVAL '1' DAY",
            "(CAST(da AS timestamp(6)) + INTERVAL '1 00:00:00' DAY TO SECOND)",
        ),
        ("size(a)", "CAST(coalesce(cardinality(a), -1) AS integer)"),
        ("array_contains(a, 1)", "coalesce(contains(a, 1), false)"),
        (
            "map('a', 1, 'a', i)",
            "CAST(map_concat(MAP(ARRAY['a'], ARRAY[1]), MAP(ARRAY['a'], ARRAY[i])) AS map(varchar, integer))",
        ),
        ("named_struct('A', i)", "CAST(ROW(i) AS ROW(A integer))"),
        ("ast.p", "transform(ast, e -> e.p)"),
        ("sum(f)", "sum(CAST(f AS double))"),
        (
            "count(DISTINCT i) OVER (PARTITION BY s)",
            "CAST(coalesce(cardinality(array_distinct(filter(array_agg(i) OVER (PARTITION BY s), e -> e IS NOT NULL))), 0) AS bigint)",
        ),
    ],
)
def test_a_call_is_written_with_hives_meaning(call: str, form: str) -> None:
    assert hive(call) == form


@pytest.mark.parametrize(
    ("call", "form"),
    [
        ("a[0]", "a[1]"),
        ("substr(s, -3)", "CAST(CASE WHEN length(s) < 3 THEN s ELSE substr(s, -3) END AS varchar)"),
        ("stddev(f)", "stddev_samp(CAST(f AS double))"),
        ("i <=> l", "(CAST(i AS bigint) IS NOT DISTINCT FROM l)"),
        ("(i > 5) IS TRUE", "coalesce((i > 5), false)"),
        (
            "st = st",
            "CASE WHEN st IS NOT NULL AND st IS NOT NULL THEN st IS NOT DISTINCT FROM st END",
        ),
        ("greatest(i, 2)", "array_max(filter(ARRAY[i, 2], e -> e IS NOT NULL))"),
        ("dayofweek(da)", "CAST(day_of_week(da) % 7 + 1 AS integer)"),
        ("CAST(d AS INT)", "CAST(truncate(d) AS integer)"),
        (
            "first_value(i, true) OVER (ORDER BY i)",
            "first_value(i) IGNORE NULLS OVER (ORDER BY i ASC NULLS FIRST)",
        ),
        (
            "row_number() OVER (ORDER BY d DESC)",
            "CAST(row_number() OVER (ORDER BY is_nan(d) DESC NULLS LAST, d DESC NULLS LAST) AS integer)",
        ),
        ("exists(a, x -> x > 1)", "any_match(a, x -> (x > 1))"),
        (
            "aggregate(a, 0, (r, x) -> r + x)",
            "reduce(a, CAST(0 AS integer), (r, x) -> (r + x), r -> r)",
        ),
    ],
)
def test_a_call_is_written_with_sparks_meaning(call: str, form: str) -> None:
    assert spark(call) == form


@pytest.mark.parametrize(
    ("call", "form"),
    [
        ("7 % i", "(7 % IF(i = 0, NULL, i))"),
        (
            "CAST(l AS INT)",
            "CAST(bitwise_and(l, 4294967295) - CASE WHEN bitwise_and(l, 2147483648) <> 0 THEN 4294967296 ELSE 0 END AS integer)",
        ),
        (
            "CAST(s AS DATE)",
            r"CASE WHEN regexp_like(s, '^\s*(\d\d\d\d)(?:-(\d{1,2})(?:-(\d{1,2})(?:[ T][\s\S]*)?)?)?\s*$') THEN TRY_CAST(regexp_replace(s, '^\s*(\d\d\d\d)(?:-(\d{1,2})(?:-(\d{1,2})(?:[ T][\s\S]*)?)?)?\s*$', m -> m[1] || '-' || coalesce(m[2], '1') || '-' || coalesce(m[3], '1')) AS date) WHEN regexp_like(s, '^\s*(?:[+-]\d{4,7}|\d{5,7})(?:-\d{1,2}(?:-\d{1,2}(?:[ T][\s\S]*)?)?)?\s*$') THEN CAST(fail('not the same in Trino: a date beyond the years of four digits') AS date) END",
        ),
    ],
)
def test_without_ansi_mode_what_cannot_be_is_null(call: str, form: str) -> None:
    assert legacy(call) == form


def test_ansi_spark_refuses_where_trino_would_not() -> None:
    assert "fail('division by zero')" in spark("d / d")
    assert "fail('not a date')" in spark("CAST(s AS DATE)")


def test_what_a_form_reads_twice_is_computed_once() -> None:
    assert hive("sqrt(sin(d))") == (
        "element_at(transform(ARRAY[sin(d)], bound0 -> CASE WHEN NOT (bound0 < 0e0) THEN sqrt(bound0) END), 1)"
    )


def test_whole_numbers_wrap_where_that_is_asked() -> None:
    wrapping = hive("i + 1", Options(overflow=Overflow.WRAP))

    assert hive("i + 1") == "(i + 1)"
    assert wrapping.startswith(
        "CAST(bitwise_and((CAST(i AS bigint) + CAST(1 AS bigint)), 4294967295)"
    )


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        ("hash(s)", "other numbers"),
        ("xpath_int(s, 'a')", "no functions of XML"),
        ("percentile_approx(d, 0.5)", "approximations give other values"),
        ("s RLIKE s", "a pattern must be a constant"),
        (r"s RLIKE '\\p{IsGreek}'", "has .p.IsGreek"),
        ("date_format(ts, 'YYYY')", "letters that Trino prints differently"),
        ("de * CAST(de AS DECIMAL(38,37))", "more than 38 fractional digits"),
        ("st = st", "compares as null if they contain nulls"),
        ("input__file__name", "names files"),
        ("sum(DISTINCT i) OVER ()", "DISTINCT over a window"),
    ],
)
def test_what_trino_cannot_give_is_refused_with_the_reason(call: str, reason: str) -> None:
    with pytest.raises(UnsupportedConstruct, match=reason):
        hive(call)


def test_no_function_is_written_by_its_name_in_hope() -> None:
    with pytest.raises(UnsupportedConstruct, match="no equivalent form is known"):
        spark("jaro_winkler_similarity(s, s)")
