"""Hive's sketches (Apache DataSketches): bytes that estimate counts, quantiles and frequencies.

It also has the sketches in which Hive keeps statistics.
"""

from __future__ import annotations

from typing import Final

from lakeschema.translation.functions.signature import PARTIAL, Kind, Row

_AGGREGATE, _GENERATOR = Kind.AGGREGATE, Kind.GENERATOR

# fmt: off
ROWS: Final = (
    # distinct values: CPC and HLL
    Row("ds_cpc_sketch", "any, int?, bigint?", "binary", PARTIAL, _AGGREGATE),
    Row("ds_cpc_union", "binary, int?, bigint?", "binary", PARTIAL, _AGGREGATE),
    Row("ds_cpc_union_f", "binary, binary, int?, bigint?", "binary", PARTIAL),
    Row("ds_cpc_estimate", "binary, bigint?", "double", PARTIAL),
    Row("ds_cpc_estimate_bounds", "binary, int?, bigint?", "array<double>", PARTIAL),
    Row("ds_cpc_stringify", "binary, bigint?", "string", PARTIAL),
    Row("ds_hll_sketch", "any, int?, string?", "binary", PARTIAL, _AGGREGATE),
    Row("ds_hll_union", "binary, int?, string?", "binary", PARTIAL, _AGGREGATE),
    Row("ds_hll_union_f", "binary, binary, int?, string?", "binary", PARTIAL),
    Row("ds_hll_estimate", "binary", "double", PARTIAL),
    Row("ds_hll_estimate_bounds", "binary, int?", "array<double>", PARTIAL),
    Row("ds_hll_stringify", "binary", "string", PARTIAL),

    # sets of values: theta
    Row("ds_theta_sketch", "any, int?, number?, bigint?", "binary", PARTIAL, _AGGREGATE),
    Row("ds_theta_union", "binary, int?, bigint?", "binary", PARTIAL, _AGGREGATE),
    Row("ds_theta_intersect", "binary, bigint?", "binary", PARTIAL, _AGGREGATE),
    Row("ds_theta_union_f", "binary, binary, int?, bigint?", "binary", PARTIAL),
    Row("ds_theta_intersect_f ds_theta_exclude", "binary, binary, bigint?", "binary", PARTIAL),
    Row("ds_theta_estimate", "binary, bigint?", "double", PARTIAL),

    # quantiles: KLL of floats, and of doubles and strings
    Row("ds_kll_sketch", "number, int?", "binary", PARTIAL, _AGGREGATE),
    Row("ds_quantile_doubles_sketch", "double, int?", "binary", PARTIAL, _AGGREGATE),
    Row("ds_quantile_strings_sketch", "any, int?", "binary", PARTIAL, _AGGREGATE),
    Row("ds_kll_union ds_quantile_doubles_union ds_quantile_strings_union", "binary, int?", "binary", PARTIAL, _AGGREGATE),
    Row("ds_kll_n ds_quantile_doubles_n ds_quantile_strings_n", "binary", "bigint", PARTIAL),
    Row("ds_quantile_doubles_k ds_quantile_strings_k", "binary", "int", PARTIAL),
    Row("ds_kll_stringify ds_quantile_doubles_stringify ds_quantile_strings_stringify", "binary", "string", PARTIAL),
    Row("ds_kll_cdf ds_kll_pmf", "binary, number...", "array<double>", PARTIAL),
    Row("ds_quantile_doubles_cdf ds_quantile_doubles_pmf", "binary, double...", "array<double>", PARTIAL),
    Row("ds_quantile_strings_cdf ds_quantile_strings_pmf", "binary, string...", "array<double>", PARTIAL),
    Row("ds_kll_rank", "binary, number", "double", PARTIAL),
    Row("ds_kll_quantile", "binary, double", "float", PARTIAL),
    Row("ds_kll_quantiles", "binary, double...", "array<float>", PARTIAL),
    Row("ds_quantile_doubles_quantile", "binary, double", "double", PARTIAL),
    Row("ds_quantile_doubles_quantiles", "binary, double...", "array<double>", PARTIAL),
    Row("ds_quantile_strings_quantile", "binary, double", "string", PARTIAL),
    Row("ds_quantile_strings_quantiles", "binary, double...", "array<string>", PARTIAL),

    # values of a key: tuples
    Row("ds_tuple_arrayofdouble_sketch", "any, any...", "binary", PARTIAL, _AGGREGATE),
    Row("ds_tuple_arrayofdouble_union", "binary, int?, int?", "binary", PARTIAL, _AGGREGATE),
    Row("ds_tuple_arrayofdouble_estimate ds_tuple_arrayofdouble_estimate_bounds", "binary", "array<double>", PARTIAL),
    Row("ds_tuple_arrayofdouble_means ds_tuple_arrayofdouble_variances", "binary", "array<double>", PARTIAL),
    Row("ds_tuple_arrayofdouble_ttest", "binary, binary", "array<double>", PARTIAL),
    Row("ds_tuple_arrayofdouble_n_retained", "binary", "int", PARTIAL),
    Row("ds_tuple_arrayofdouble_quantiles_sketch", "binary, int?, int?", "binary", PARTIAL),
    Row("ds_tuple_arrayofdouble_values", "binary", "@rows", PARTIAL, _GENERATOR),
    Row("ds_tuple_doublesummary_sketch", "any, double, int?, number?, string?", "binary", PARTIAL, _AGGREGATE),
    Row("ds_tuple_doublesummary_union", "binary, int?, string?", "binary", PARTIAL, _AGGREGATE),
    Row("ds_tuple_doublesummary_estimate", "binary", "array<double>", PARTIAL),
    Row("ds_tuple_doublesummary_percentile", "binary, double", "double", PARTIAL),

    # frequent values
    Row("ds_freq_sketch", "any, int", "binary", PARTIAL, _AGGREGATE),
    Row("ds_freq_union", "binary", "binary", PARTIAL, _AGGREGATE),
    Row("ds_freq_frequent_items", "binary, string?", "@rows", PARTIAL, _GENERATOR),

    # Hive's statistics and join filters
    Row("compute_bit_vector_fm compute_bit_vector_hll", "any, int?", "binary", PARTIAL, _AGGREGATE),
    Row("ndv_compute_bit_vector", "binary", "bigint", PARTIAL),
    Row("bloom_filter", "any, bigint?", "binary", PARTIAL, _AGGREGATE),
    Row("in_bloom_filter", "any, binary", "boolean", PARTIAL),
)
# fmt: on
