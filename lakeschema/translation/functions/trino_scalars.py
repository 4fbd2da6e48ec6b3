"""Trino's scalar functions, except functions of text and time, in the notation of ``trino_operators``."""

from __future__ import annotations

from typing import Final

TOTAL: Final = """
abs: # -> # for tinyint smallint integer bigint real double
abs: decimal(p,s) -> decimal(p,s)
ceil ceiling floor: # -> # for tinyint smallint integer bigint real double
ceil ceiling floor: decimal(p,s) -> decimal(whole,0)
round: # -> # for tinyint smallint integer bigint real double
round: #, bigint -> # for tinyint smallint integer bigint real double
round: decimal(p,s) -> decimal(whole,0)
round: decimal(p,s), bigint -> decimal(rounded,s)
truncate: # -> # for real double
truncate: decimal(p,s) -> decimal(truncated,0)
truncate: decimal(p,s), bigint -> decimal(p,s)
sign: # -> # for tinyint smallint integer bigint real double
sign: decimal(p,s) -> decimal(1,0)
mod: #, # -> # for tinyint smallint integer bigint real double
mod: decimal(p,s), decimal(q,t) -> decimal(rest,larger)
acos asin atan cos cosh sin sinh tan tanh cbrt sqrt exp ln log10 log2 degrees radians: double -> double
atan2 pow power log: double, double -> double
beta_cdf inverse_beta_cdf normal_cdf inverse_normal_cdf: double, double, double -> double
t_cdf t_pdf: double, double -> double
is_finite is_infinite: double -> boolean
is_nan: # -> boolean for real double
width_bucket: double, double, double, bigint -> bigint
width_bucket: double, array(double) -> bigint
wilson_interval_lower wilson_interval_upper: bigint, bigint, double -> double
cosine_similarity cosine_distance: map(varchar,double), map(varchar,double) -> double
cosine_similarity cosine_distance euclidean_distance dot_product: array(double), array(double) -> double
cosine_similarity cosine_distance euclidean_distance dot_product: array(real), array(real) -> double
random rand: # -> # for tinyint smallint integer bigint
random rand: #, # -> # for tinyint smallint integer bigint

bit_count: bigint, bigint -> bigint
bitwise_and bitwise_or bitwise_xor: bigint, bigint -> bigint
bitwise_not: bigint -> bigint
bitwise_left_shift bitwise_right_shift bitwise_right_shift_arithmetic: #, bigint -> # for tinyint smallint integer bigint

cardinality: array(E) -> bigint
cardinality: map(K,V) -> bigint
cardinality: hyperloglog -> bigint
cardinality: setdigest -> bigint
array_distinct array_sort shuffle: array(E) -> array(E)
reverse: array(E) -> array(E)
array_except array_intersect array_union: array(E), array(E) -> array(E)
array_join: array(T), varchar -> varchar
array_join: array(T), varchar, varchar -> varchar
array_position: array(T), T -> bigint
array_remove: array(E), E -> array(E)
array_histogram: array(T) -> map(T,bigint)
array_sort: array(T), function(T,T,integer) -> array(T)
combinations ngrams: array(T), bigint -> array(array(T)!)
contains_sequence: array(T), array(T) -> boolean
flatten: array(array(E)) -> array(E)
sequence: bigint, bigint -> array(bigint!)
sequence: bigint, bigint, bigint -> array(bigint!)
sequence: date, date -> array(date!)
sequence: date, date, # -> array(date!) for interval_day_to_second interval_year_to_month
sequence: timestamp(p), timestamp(p), # -> array(timestamp(p)!) for interval_day_to_second interval_year_to_month
slice: array(E), bigint, bigint -> array(E)
trim_array: array(E), bigint -> array(E)
transform: array(T), function(T,U) -> array(U)
filter: array(T), function(T,boolean) -> array(T)
zip: array(A), array(B) -> array(row(A,B)!)
zip: array(A), array(B), array(C) -> array(row(A,B,C)!)
zip: array(A), array(B), array(C), array(D) -> array(row(A,B,C,D)!)
zip: array(A), array(B), array(C), array(D), array(E) -> array(row(A,B,C,D,E)!)
zip_with: array(T), array(U), function(T,U,R) -> array(R)

map_concat: map(K,V), map(K,V)... -> map(K,V)
map_entries: map(K,V) -> array(row(K,V)!)
map_from_entries: array(row(K,V)) -> map(K,V)
multimap_from_entries: array(row(K,V)) -> map(K,array(V))
map_keys: map(K,V) -> array(K!)
map_values: map(K,V) -> array(V)
map_filter: map(K,V), function(K,V,boolean) -> map(K,V)
map_zip_with: map(K,V), map(K,W), function(K,V,W,R) -> map(K,R)
transform_keys: map(K,V), function(K,V,J) -> map(J,V)
transform_values: map(K,V), function(K,V,W) -> map(K,W)

md5 sha1 sha256 sha512 murmur3 xxhash64 spooky_hash_v2_32 spooky_hash_v2_64: varbinary -> varbinary
hmac_md5 hmac_sha1 hmac_sha256 hmac_sha512: varbinary, varbinary -> varbinary
crc32: varbinary -> bigint
to_hex to_base64 to_base64url to_base32: varbinary -> varchar
from_hex from_base64 from_base64url from_base32: varchar(x) -> varbinary
from_hex from_base64 from_base64url from_base32: varbinary -> varbinary
from_big_endian_32: varbinary -> integer
from_big_endian_64: varbinary -> bigint
to_big_endian_32: integer -> varbinary
to_big_endian_64: bigint -> varbinary
from_ieee754_32: varbinary -> real
from_ieee754_64: varbinary -> double
to_ieee754_32: real -> varbinary
to_ieee754_64: double -> varbinary

hash_counts: setdigest -> map(bigint,smallint)
intersection_cardinality: setdigest, setdigest -> bigint
jaccard_index: setdigest, setdigest -> double
value_at_quantile: tdigest, double -> double
values_at_quantiles: tdigest, array(double) -> array(double)
color: varchar(x) -> color
rgb: bigint, bigint, bigint -> color
render: boolean -> varchar(16)
bar: double, bigint -> varchar

json_parse: varchar(x) -> json
json_format: json -> varchar
is_json_scalar: varchar(x) -> boolean
is_json_scalar: json -> boolean
"""
"""Signatures of functions that are null if and only if an argument is null."""

PARTIAL: Final = """
all_match any_match none_match: array(T), function(T,boolean) -> boolean
array_max array_min array_first array_last: array(T) -> T
arrays_overlap: array(E), array(E) -> boolean
contains: array(T), T -> boolean
contains: varchar, ipaddress -> boolean
element_at: map(K,V), K -> V
element_at: array(E), bigint -> E
reduce: array(T), S, function(S,T,S), function(S,R) -> R
json_array_contains: json, # -> boolean for bigint boolean double varchar(x)
json_array_contains: varchar(y), # -> boolean for bigint boolean double varchar(x)
json_array_get: json, bigint -> json
json_array_get: varchar(x), bigint -> json
json_array_length: json -> bigint
json_array_length: varchar(x) -> bigint
json_extract: json, pattern -> json
json_extract: varchar(x), pattern -> json
json_extract_scalar: json, pattern -> varchar
json_extract_scalar: varchar(x), pattern -> varchar(x)
json_size: json, pattern -> bigint
json_size: varchar(x), pattern -> bigint
json_query json_value: any, pattern, any... -> varchar
json_exists: any, pattern, any... -> boolean
fail: varchar -> unknown
fail: json -> unknown
"""

NEVER: Final = """
pi e nan infinity: -> double
random rand: -> double
uuid: -> uuid
repeat: T, bigint -> array(T)
version: -> varchar
current_user session_user user current_catalog current_schema current_path: -> varchar
current_groups: -> array(varchar)
empty_approx_set: -> hyperloglog
json_object json_array: any... -> varchar
"""
