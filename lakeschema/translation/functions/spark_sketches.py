"""Spark's sketches of counts, sets, quantiles and bitmaps; they are bytes (Spark 4.3)."""

from __future__ import annotations

from typing import Final

from lakeschema.translation.functions.signature import NEVER, TOTAL, Kind, Row

_AGGREGATE = Kind.AGGREGATE

# fmt: off
ROWS: Final = (
    Row("count_min_sketch", "any, double, double, int", "binary", NEVER, _AGGREGATE),

    # bitmaps
    Row("bitmap_construct_agg", "bigint", "binary", NEVER, _AGGREGATE),
    Row("bitmap_and_agg bitmap_or_agg", "binary", "binary", NEVER, _AGGREGATE),
    Row("bitmap_bit_position bitmap_bucket_number", "bigint", "bigint", TOTAL),
    Row("bitmap_count", "binary", "bigint", TOTAL),

    # numbers of distinct values
    Row("hll_sketch_agg", "any, int?", "binary", NEVER, _AGGREGATE),
    Row("hll_union_agg", "binary, boolean?", "binary", NEVER, _AGGREGATE),
    Row("hll_sketch_estimate", "binary", "bigint", TOTAL),
    Row("hll_union", "binary, binary, boolean?", "binary", TOTAL),
    Row("theta_sketch_agg", "any, int?", "binary", NEVER, _AGGREGATE),
    Row("theta_union_agg", "binary, int?", "binary", NEVER, _AGGREGATE),
    Row("theta_intersection_agg", "binary", "binary", NEVER, _AGGREGATE),
    Row("theta_sketch_estimate", "binary", "bigint", TOTAL),
    Row("theta_union", "binary, binary, int?", "binary", TOTAL),
    Row("theta_difference theta_intersection", "binary, binary", "binary", TOTAL),

    # numbers of distinct values, with a summary of each value
    Row("tuple_sketch_agg_double tuple_sketch_agg_integer", "any, number, int?, string?", "binary", NEVER, _AGGREGATE),
    Row("tuple_union_agg_double tuple_union_agg_integer", "binary, int?, string?", "binary", NEVER, _AGGREGATE),
    Row("tuple_intersection_agg_double tuple_intersection_agg_integer", "binary, string?", "binary", NEVER, _AGGREGATE),
    Row("tuple_sketch_estimate_double tuple_sketch_estimate_integer", "binary", "double", TOTAL),
    Row("tuple_sketch_theta_double tuple_sketch_theta_integer", "binary", "double", TOTAL),
    Row("tuple_sketch_summary_double", "binary, string?", "double", TOTAL),
    Row("tuple_sketch_summary_integer", "binary, string?", "bigint", TOTAL),
    Row("tuple_union_double tuple_union_integer", "binary, binary, int?, string?", "binary", TOTAL),
    Row("tuple_union_theta_double tuple_union_theta_integer", "binary, binary, int?, string?", "binary", TOTAL),
    Row("tuple_intersection_double tuple_intersection_integer", "binary, binary, string?", "binary", TOTAL),
    Row("tuple_intersection_theta_double tuple_intersection_theta_integer", "binary, binary, string?", "binary", TOTAL),
    Row("tuple_difference_double tuple_difference_integer", "binary, binary", "binary", TOTAL),
    Row("tuple_difference_theta_double tuple_difference_theta_integer", "binary, binary", "binary", TOTAL),

    # quantiles
    Row("kll_sketch_agg_bigint kll_sketch_agg_double kll_sketch_agg_float", "any, int?", "binary", NEVER, _AGGREGATE),
    Row("kll_merge_agg_bigint kll_merge_agg_double kll_merge_agg_float", "binary, int?", "binary", NEVER, _AGGREGATE),
    Row("kll_sketch_merge_bigint kll_sketch_merge_double kll_sketch_merge_float", "binary, binary", "binary", TOTAL),
    Row("kll_sketch_get_n_bigint kll_sketch_get_n_double kll_sketch_get_n_float", "binary", "bigint", TOTAL),
    Row("kll_sketch_get_quantile_bigint", "binary, any", "@quantile_bigint", TOTAL),
    Row("kll_sketch_get_quantile_double", "binary, any", "@quantile_double", TOTAL),
    Row("kll_sketch_get_quantile_float", "binary, any", "@quantile_float", TOTAL),
    Row("kll_sketch_get_rank_bigint", "binary, any", "@rank_of_bigint", TOTAL),
    Row("kll_sketch_get_rank_double", "binary, any", "@rank_of_double", TOTAL),
    Row("kll_sketch_get_rank_float", "binary, any", "@rank_of_float", TOTAL),
    Row("kll_sketch_to_string_bigint kll_sketch_to_string_double kll_sketch_to_string_float", "binary", "string", TOTAL),
)
# fmt: on
