"""Trino's functions of text and time, in the notation of ``trino_operators``."""

from __future__ import annotations

from typing import Final

TOTAL: Final = """
char2hexint: varchar -> varchar
chr: bigint -> varchar(1)
codepoint: varchar(1) -> integer
ends_with starts_with: varchar(x), varchar(y) -> boolean
format_number: # -> varchar for bigint double
from_base: varchar(x), bigint -> bigint
to_base: bigint, bigint -> varchar(64)
from_utf8: varbinary -> varchar
from_utf8: varbinary, # -> varchar for bigint varchar(x)
to_utf8: # -> varbinary for varchar(x) char(x)
hamming_distance levenshtein_distance: varchar(x), varchar(y) -> bigint
length: # -> bigint for varchar(x) char(x) varbinary
lower upper: # -> # for varchar(x) char(x)
trim ltrim rtrim: # -> varchar(x) for varchar(x) char(x)
trim ltrim rtrim: #, pattern -> varchar(x) for varchar(x) char(x)
lpad rpad: varchar(x), bigint, varchar(y) -> varchar
lpad: char(x), bigint, varchar(y) -> varchar
lpad rpad: varbinary, bigint, varbinary -> varbinary
luhn_check: varchar -> boolean
normalize: varchar(x) -> varchar
normalize: varchar(x), varchar(y) -> varchar
regexp_count: varchar(x), pattern -> bigint
regexp_extract_all: varchar(x), pattern -> array(varchar(x))
regexp_extract_all: varchar(x), pattern, bigint -> array(varchar(x))
regexp_like: varchar(x), pattern -> boolean
regexp_position: varchar(x), pattern -> integer
regexp_position: varchar(x), pattern, bigint -> integer
regexp_position: varchar(x), pattern, bigint, bigint -> integer
regexp_replace: varchar(x), pattern -> varchar(x)
regexp_replace: varchar(x), pattern, varchar(y) -> varchar(matched)
regexp_replace: varchar, pattern, function(array(varchar),varchar(x)) -> varchar
regexp_split: varchar(x), pattern -> array(varchar(x)!)
replace: varchar(x), varchar(y) -> varchar(x)
replace: varchar(x), varchar(y), varchar(z) -> varchar(replaced)
reverse: # -> # for varchar(x) char(x) varbinary
soundex: varchar -> varchar(4)
split: varchar(x), varchar(y) -> array(varchar(x)!)
split: varchar(x), varchar(y), bigint -> array(varchar(x)!)
split_to_map: varchar, varchar, varchar -> map(varchar,varchar)
split_to_map: varchar, varchar, varchar, function(varchar,varchar,varchar,varchar) -> map(varchar,varchar)
split_to_multimap: varchar, varchar, varchar -> map(varchar,array(varchar))
strpos: varchar(x), varchar(y) -> bigint
strpos: varchar(x), varchar(y), bigint -> bigint
index: varchar, varchar -> bigint
substr substring: varchar(x), bigint -> varchar(x)
substr substring: varchar(x), bigint, bigint -> varchar(x)
substr substring: char(x), bigint -> varchar(x)
substr substring: char(x), bigint, bigint -> varchar(x)
substr substring: varbinary, bigint -> varbinary
substr substring: varbinary, bigint, bigint -> varbinary
translate: varchar(x), varchar(y), varchar(z) -> varchar
url_decode: varchar(x) -> varchar(x)
url_encode: varchar(x) -> varchar(encoded)
word_stem: varchar(x) -> varchar(x)
word_stem: varchar(x), varchar(2) -> varchar(x)
parse_data_size parse_presto_data_size: varchar(x) -> decimal(38,0)
human_readable_seconds: double -> varchar

date: # -> date for timestamp(p) timestamp(p)_with_time_zone varchar(x)
date_add: varchar(x), bigint, # -> # for date time(p) time(p)_with_time_zone timestamp(p) timestamp(p)_with_time_zone
date_diff: varchar(x), #, # -> bigint for date time(p) time(p)_with_time_zone timestamp(p) timestamp(p)_with_time_zone
date_format format_datetime: #, varchar(x) -> varchar for timestamp(p) timestamp(p)_with_time_zone
date_parse: varchar(x), varchar(y) -> timestamp(3)
date_trunc: varchar(x), # -> # for date time(p) time(p)_with_time_zone timestamp(p) timestamp(p)_with_time_zone
day day_of_month: # -> bigint for date timestamp(p) timestamp(p)_with_time_zone interval_day_to_second
day_of_week dow day_of_year doy quarter week week_of_year year_of_week yow: # -> bigint for date timestamp(p) timestamp(p)_with_time_zone
month year: # -> bigint for date timestamp(p) timestamp(p)_with_time_zone interval_year_to_month
hour minute second millisecond: # -> bigint for time(p) time(p)_with_time_zone timestamp(p) timestamp(p)_with_time_zone interval_day_to_second
timezone_hour timezone_minute: # -> bigint for time(p)_with_time_zone timestamp(p)_with_time_zone
timezone: # -> varchar for time(p)_with_time_zone timestamp(p)_with_time_zone
last_day_of_month: # -> date for date timestamp(p) timestamp(p)_with_time_zone
at_timezone: #, varchar(x) -> # for timestamp(p)_with_time_zone time(p)_with_time_zone
at_timezone: #, interval day to second -> # for timestamp(p)_with_time_zone time(p)_with_time_zone
at_timezone: timestamp(p), # -> timestamp(p) with time zone for varchar(x) interval_day_to_second
at_timezone: time(p), # -> time(p) with time zone for varchar(x) interval_day_to_second
with_timezone: timestamp(p), varchar(x) -> timestamp(p) with time zone
from_iso8601_date: varchar(x) -> date
from_iso8601_timestamp: varchar(x) -> timestamp(3) with time zone
from_iso8601_timestamp_nanos: varchar(x) -> timestamp(9) with time zone
from_unixtime: double -> timestamp(3) with time zone
from_unixtime: double, varchar(x) -> timestamp(3) with time zone
from_unixtime: double, bigint, bigint -> timestamp(3) with time zone
from_unixtime_nanos: bigint -> timestamp(9) with time zone
from_unixtime_nanos: decimal(p,s) -> timestamp(9) with time zone
parse_datetime: varchar(x), varchar(y) -> timestamp(3) with time zone
parse_duration: varchar(x) -> interval day to second
to_char: timestamp(p) with time zone, varchar -> varchar
to_date: varchar, varchar -> date
to_timestamp: varchar, varchar -> timestamp(3)
to_iso8601: date -> varchar(16)
to_iso8601: timestamp(p) -> varchar(iso)
to_iso8601: timestamp(p) with time zone -> varchar(isozone)
to_milliseconds: interval day to second -> bigint
to_unixtime: timestamp(p) with time zone -> double
"""
"""Signatures of functions that are null if and only if an argument is null."""

PARTIAL: Final = """
concat_ws: varchar, varchar, varchar... -> varchar
concat_ws: varchar, array(varchar) -> varchar
format: varchar, any... -> varchar
regexp_extract: varchar(x), pattern -> varchar(x)
regexp_extract: varchar(x), pattern, bigint -> varchar(x)
split_part: varchar(x), varchar(y), bigint -> varchar(x)
url_extract_fragment url_extract_host url_extract_path url_extract_protocol url_extract_query: varchar(x) -> varchar(x)
url_extract_parameter: varchar(x), varchar(y) -> varchar(x)
url_extract_port: varchar(x) -> bigint
"""

NEVER: Final = """
current_date: -> date
now current_timestamp: -> timestamp(3) with time zone
localtimestamp: -> timestamp(3)
current_time: -> time(3) with time zone
localtime: -> time(3)
current_timezone: -> varchar
"""
