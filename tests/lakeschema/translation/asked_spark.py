"""Questions for Spark only: its own types, and the clauses of aggregates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

COLUMNS: Mapping[str, str] = {
    "tn": "timestamp_ntz",
    "tm": "time(6)",
    "t3": "time(3)",
    "ym": "interval year to month",
    "dt": "interval day to second",
    "va": "variant",
    "af": "array<float>",
}
"""Columns that only Spark has, for the functions of such types."""

_FORMS = (
    *("mode() WITHIN GROUP (ORDER BY {})", "percentile_cont(0.5) WITHIN GROUP (ORDER BY {})"),
    "percentile_disc(array(0.1, 0.9)) WITHIN GROUP (ORDER BY {} DESC)",
    *("listagg({}, ',')", "listagg(DISTINCT {})", "count(*) FILTER (WHERE {} IS NULL)"),
    *("collect_list({}) RESPECT NULLS", "first({}) IGNORE NULLS", "any_value({} IGNORE NULLS)"),
    *("sum({}) FILTER (WHERE bo)", "sum({}) FILTER (WHERE bo) OVER (PARTITION BY i)"),
    *("last_value({}) IGNORE NULLS OVER (ORDER BY i)", "counter_diff({}) OVER (ORDER BY i)"),
    *("approx_top_k({}, 3)", "approx_top_k_estimate(approx_top_k_accumulate({}))"),
    "approx_top_k_combine(named_struct('a', bi, 'b', i, 'c', {}, 'd', s))",
    *("histogram_numeric({}, 5)", "window({}, '1 day')", "window_time(window({}, '1 day'))"),
    *("session_window({}, '1 day').end", "time_bucket(INTERVAL '1' HOUR, {})"),
    "variant_insert(va, s, {})",
    *("CAST({} AS VARIANT)", "TRY_CAST({} AS VARIANT)", "CAST({} AS TIME(0))", "{}::time"),
    *("coalesce({}, tm)", "coalesce({}, va)", "array({}, t3)", "tm = {}", "t3 < {}"),
    *("{} + INTERVAL '1' HOUR", "{} - tm", "tm + {}", "t3 - {}", "extract(SECOND FROM {})"),
    *("hour({})", "to_variant_object({})", "kll_sketch_get_quantile_bigint(bi, {})"),
)
_QUESTIONS = (
    *("current_time", "localtime", "current_time(3)", "localtime(0)", "TIME '10:00:00.1234'"),
    *("try_variant_get(va, '$.a', 'int')", "variant_get(va, '$.a', 'a int, b string')"),
    *("kll_sketch_get_quantile_double(bi, array(0.1, 0.9))", "kll_sketch_get_rank_float(bi, 1F)"),
    *("st_geomfromwkb(bi, 4326)", "st_setsrid(st_geomfromwkb(bi), 3857)", "time_trunc('HOUR', t3)"),
    *("st_setsrid(st_geogfromwkb(bi), i)", "st_srid(st_geogfromwkb(bi))", "current_time(9)"),
    *("st_asbinary(st_geomfromwkb(bi))", "array(st_geomfromwkb(bi), st_geomfromwkb(bi, 4326))"),
    *("approx_top_k(i, 5, 100)", "count_min_sketch(s, 0.5D, 0.5D, 1)", "mode(i, true)"),
    *("tuple_sketch_agg_double(i, d, 12, 'sum')", "tuple_union_agg_integer(bi, 12, 'sum')"),
    *("histogram_numeric(s, 5)", "vector_norm(af, 2.0F)", "vector_normalize(af, 1.0F)"),
    *(
        "variant_set(va, '$.a', 1, false)",
        "variant_strip_nulls(va, false)",
        "counter_diff(i, ts) OVER (ORDER BY i)",
    ),
)


def questions(primitives: Mapping[str, str], columns: Mapping[str, str]) -> Iterator[str]:
    """``columns`` are all of the table's by name, ``primitives`` the types of those both engines have."""
    yield from _QUESTIONS
    for form in _FORMS:
        yield from (form.format(name) for name in columns)
    for name in COLUMNS:
        for type_ in (*primitives.values(), *COLUMNS.values()):
            yield f"CAST({name} AS {type_})"
