"""Aggregates that only Spark has, or that differ from Hive's (Spark 4.3)."""

from __future__ import annotations

from typing import Final

from lakeschema.translation.functions.signature import NEVER, PARTIAL, TOTAL, Kind, Row

_AGGREGATE, _WINDOW = Kind.AGGREGATE, Kind.WINDOW

# fmt: off
ROWS: Final = (
    Row("regr_count", "double, double", "bigint", NEVER, _AGGREGATE),
    Row("regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy", "double, double", "double", PARTIAL, _AGGREGATE),
    Row("regr_avgy", "number, double", "@average", PARTIAL, _AGGREGATE),
    Row("regr_avgx", "double, number", "@second_average", PARTIAL, _AGGREGATE),
    Row("try_sum", "summed", "@sum", PARTIAL, _AGGREGATE),
    Row("try_avg", "summed", "@average_of_any", PARTIAL, _AGGREGATE),

    # the aggregated value may stand in WITHIN GROUP
    Row("mode", "T, boolean?", "T", TOTAL, _AGGREGATE, keeps=0),
    Row("percentile_cont percentile_disc", "any, any", "@percentile_of_order", PARTIAL, _AGGREGATE),
    Row("listagg", "text_or_binary, text_or_binary?", "@same_text", TOTAL, _AGGREGATE),

    # arrays
    Row("collect_union", "array<T>", "@elements", NEVER, _AGGREGATE),
    Row("histogram_numeric", "any, int", "@histogram", PARTIAL, _AGGREGATE),
    Row("approx_top_k", "any, int?, int?", "@top_k", NEVER, _AGGREGATE),
    Row("approx_top_k_accumulate", "any, int?", "@top_k_sketch", NEVER, _AGGREGATE),
    Row("approx_top_k_combine", "any, int?", "@top_k_union", NEVER, _AGGREGATE),
    Row("approx_top_k_estimate", "any, int?", "@top_k_of_sketch", NEVER),

    # over windows
    Row("counter_diff", "any, any?", "@counter", PARTIAL, _WINDOW),
)
# fmt: on
