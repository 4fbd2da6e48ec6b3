"""Calls of Hive's functions that need special arguments or syntax."""

from __future__ import annotations

from typing import Final

# fmt: off
CALLS: Final = (
    # sketches: a size is written
    *("ds_cpc_sketch(i, 12)", "ds_cpc_sketch(s, 12, 123)", "ds_cpc_union(bi, 12)", "ds_cpc_union(bi, 12, 5)"),
    *("ds_hll_sketch(s, 12)", "ds_hll_sketch(s, 12, 'HLL_8')", "ds_hll_union(bi, 12)", "ds_hll_union(bi, 12, 'HLL_4')"),
    *("ds_theta_sketch(s, 1024)", "ds_theta_sketch(s, 1024, 0.5)", "ds_theta_sketch(s, 1024, 0.5, 5)"),
    *("ds_kll_sketch(f)", "ds_kll_sketch(f, 100)", "ds_kll_cdf(bi, f)", "ds_kll_cdf(bi, 1.0, 2.0)", "ds_kll_pmf(bi, 1, 2)"),
    *("ds_kll_rank(bi, f)", "ds_kll_rank(bi, 1.5)", "ds_kll_quantiles(bi, 0.1, 0.5, 0.9)", "ds_quantile_doubles_quantiles(bi, 3)"),
    *("ds_tuple_arrayofdouble_sketch(s, d, d)", "ds_tuple_arrayofdouble_sketch(s, d, 1024)"),
    *("ds_tuple_doublesummary_sketch(s, d, 1024)", "ds_freq_sketch(s, 16)"),
    *("ds_hll_estimate(ds_hll_sketch(s))", "ds_kll_quantile(ds_kll_sketch(f), 0.5)"),
    *("compute_bit_vector_fm(i, 16)", "compute_bit_vector_fm(s, 16)", "ndv_compute_bit_vector(compute_bit_vector_hll(s))"),
    *("bloom_filter(i, 1000)", "in_bloom_filter(1, bloom_filter(i))"),
    # geometry of arrays and texts
    *("st_linestring(array(1.0D, 2.0D), array(1D, 2D))", "st_linestring(array(bi))", "st_linestring('linestring (1 1, 2 2)')"),
    *("st_polygon('polygon ((1 1, 4 1, 1 4))')", "st_polygon(1, 1, 1, 4, 4, 4)", "st_multipoint('multipoint ((1 0), (2 3))')"),
    *("st_multilinestring(array(1D, 1D, 2D, 2D), array(1D, 2D))", "st_multilinestring('multilinestring ((1 1, 2 2))')"),
    *("st_multipolygon(array(1D, 1D, 2D, 2D))", "st_multipolygon('multipolygon (((0 0, 0 1, 1 0, 0 0)))')"),
    *("st_contains(st_polygon(1, 1, 1, 4, 4, 4), st_point(2, 3))", "st_astext(st_setsrid(st_point(d, d), 4326))"),
    *("st_bin(1, st_point(1, 1))", "st_binenvelope(1, st_bin(1, st_point(1, 1)))", "st_union(bi, bi, bi)"),
    # types, formats and units that are written
    *("json_read(s, 'struct<a:int,b:array<string>>')", "json_read(s, 'map<string,int>')", "json_read(s, 'decimal(5,1)')"),
    *("CAST(da AS string FORMAT 'yyyy')", "CAST(s AS date FORMAT 'yyyy-mm-dd')", "CAST(s AS timestamp FORMAT 'yyyy-mm-dd')"),
    *("CAST(ts AS char(4) FORMAT 'yyyy')", "CAST(ts AS varchar(4) FORMAT 'yyyy')", "CAST(v AS date FORMAT 'yyyy-mm-dd')"),
    *("tumbling_window(ts, INTERVAL '5' SECOND)", "tumbling_window(da, INTERVAL '5' SECOND)"),
    "tumbling_window(ts, INTERVAL '1 2:00:00' DAY TO SECOND, ts)",
    *("sort_array_by(ast, 'x')", "sort_array_by(ast, 'x', 'y')", "sort_array_by(ast, 'x', 'DESC')"),
    *("ngrams(a_s, 2, 10)", "ngrams(sentences(s), 2, 10, 100)", "context_ngrams(a_s, array('a', NULL), 10)"),
    "context_ngrams(sentences(s), array('a', NULL), 10, 20)",
    *("surrogate_key(10, 20)", "restrict_information_schema()", "percentile_cont(i, 0.5)", "percentile_disc(de, 0.5)"),
    # casts under another name
    *(f"{name}({column})" for name in ("udftoboolean", "udftobyte", "udftoshort", "udftointeger")
      for column in ("bo", "ti", "b", "d", "de", "s", "v", "da")),
    *(f"{name}({column})" for name in ("udftolong", "udftofloat", "udftodouble")
      for column in ("bo", "ti", "b", "d", "de", "s", "v", "da")),
    # several patterns; equal or both null
    *("s LIKE ANY ('a', 'b%')", "s LIKE ALL ('a')", "s NOT LIKE ANY ('a', v)", "NOT s LIKE ALL ('a', 'b')"),
    *("i IS NOT DISTINCT FROM b", "is_not_distinct_from(i, b)", "i IS DISTINCT FROM s"),
)
# fmt: on
