"""Trino's aggregate and window functions, in the notation of ``trino_operators``."""

from __future__ import annotations

from typing import Final

PARTIAL: Final = """
sum: # -> # for bigint real double interval_day_to_second interval_year_to_month
sum: decimal(p,s) -> decimal(38,s)
avg: bigint -> double
avg: # -> # for real double interval_day_to_second interval_year_to_month
avg: decimal(p,s) -> decimal(p,s)
min max: E -> E
min max: E, bigint -> array(E)
min_by max_by: V, K -> V
min_by max_by: V, K, bigint -> array(V)
arbitrary any_value: T -> T
array_agg: T -> array(T)
listagg: varchar(x) -> varchar
listagg: varchar(x), varchar(y) -> varchar
bool_and bool_or: boolean -> boolean
bitwise_and_agg bitwise_or_agg bitwise_xor_agg: bigint -> bigint
stddev_pop stddev_samp var_pop var_samp skewness kurtosis: # -> double for bigint double
corr covar_pop covar_samp regr_intercept regr_slope: #, # -> # for real double
regr_avgx regr_avgy regr_count regr_r2 regr_sxx regr_sxy regr_syy: #, # -> # for real double
geometric_mean: bigint -> double
geometric_mean: # -> # for real double
approx_percentile: #, double -> # for bigint real double
approx_percentile: #, double, double -> # for bigint real double
approx_percentile: #, double, double, double -> # for bigint real double
approx_percentile: #, array(double) -> array(#) for bigint real double
approx_percentile: #, double, array(double) -> array(#) for bigint real double
approx_most_frequent: bigint, #, bigint -> map(#,bigint) for bigint varchar
approx_set: # -> hyperloglog for bigint double varchar(x)
merge: # -> # for hyperloglog tdigest
tdigest_agg: double -> tdigest
tdigest_agg: double, double -> tdigest
make_set_digest: T -> setdigest
merge_set_digest: setdigest -> setdigest
checksum: T -> varbinary
histogram: K -> map(K,bigint)
map_agg: K, V -> map(K,V)
map_union: map(K,V) -> map(K,V)
multimap_agg: K, V -> map(K,array(V))
numeric_histogram: bigint, # -> map(#,#) for real double
numeric_histogram: bigint, #, double -> map(#,#) for real double
reduce_agg: T, S, function(S,T,S), function(S,S,S) -> S
"""
"""Signatures of aggregates that are null over no rows, or over nulls only."""

NEVER: Final = """
count: -> bigint
count: T -> bigint
count_if: boolean -> bigint
approx_distinct: T -> bigint
approx_distinct: T, double -> bigint
grouping: any... -> integer
"""

WINDOWS_NEVER: Final = """
row_number rank dense_rank: -> bigint
percent_rank cume_dist: -> double
ntile: bigint -> bigint
"""

WINDOWS: Final = """
first_value last_value: T -> T
nth_value: T, bigint -> T
lag lead: T -> T
lag lead: T, bigint -> T
lag lead: T, bigint, T -> T
"""
"""Signatures of window functions that are null without such a row, or if its value is null."""

GENERATORS: Final = """
unnest unnest_with_ordinality: any... -> unknown
"""
