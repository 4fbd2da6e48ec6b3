"""Trino's operators and special forms, in the notation of ``trino_signatures``.

A line is ``names: parameters -> result``. A line that ends in ``for types`` stands for one line per
type, with the type in place of ``#``.
"""

from __future__ import annotations

from typing import Final

TOTAL: Final = """
and or: boolean... -> boolean
not: boolean -> boolean
= <> < <= > >=: T, T -> boolean
between: T, T, T -> boolean
in: T, T... -> boolean
like: varchar(x), pattern -> boolean
like: varchar(x), pattern, pattern -> boolean
like: char(x), pattern -> boolean
like: char(x), pattern, pattern -> boolean

+ - * / %: #, # -> # for tinyint smallint integer bigint real double
+ -: decimal(p,s), decimal(q,t) -> decimal(sum,larger)
*: decimal(p,s), decimal(q,t) -> decimal(product,fractions)
/: decimal(p,s), decimal(q,t) -> decimal(quotient,larger)
%: decimal(p,s), decimal(q,t) -> decimal(rest,larger)
negative positive: # -> # for tinyint smallint integer bigint real double
negative positive: decimal(p,s) -> decimal(p,s)
negative positive: interval day to second -> interval day to second
negative positive: interval year to month -> interval year to month

+ -: #, interval day to second -> # for date time(p)
+ -: #, interval year to month -> # for date timestamp(p) timestamp(p)_with_time_zone
+ -: timestamp(p), interval day to second -> timestamp(millis)
+ -: timestamp(p) with time zone, interval day to second -> timestamp(millis) with time zone
+ -: time(p) with time zone, interval day to second -> time(millis) with time zone
+: interval day to second, # -> # for date time(p)
+: interval year to month, # -> # for date timestamp(p) timestamp(p)_with_time_zone
+: interval day to second, timestamp(p) -> timestamp(millis)
+: interval day to second, timestamp(p) with time zone -> timestamp(millis) with time zone
+ -: #, # -> # for interval_day_to_second interval_year_to_month
-: #, # -> interval day to second for date timestamp(p) timestamp(p)_with_time_zone time(p) time(p)_with_time_zone
*: #, bigint -> # for interval_day_to_second interval_year_to_month
*: #, double -> # for interval_day_to_second interval_year_to_month
*: bigint, # -> # for interval_day_to_second interval_year_to_month
*: double, # -> # for interval_day_to_second interval_year_to_month
/: #, double -> # for interval_day_to_second interval_year_to_month

|| concat: varchar, varchar, varchar... -> varchar
|| concat: varbinary, varbinary, varbinary... -> varbinary
|| concat: char(x), char(y) -> char(joined)
|| concat: array(E), array(E), array(E)... -> array(E)
|| concat: array(E), E -> array(E)
|| concat: E, array(E) -> array(E)
[]: array(E), bigint -> E
[]: map(K,V), K -> V

map: array(K), array(V) -> map(K,V)
greatest least: E, E... -> E
"""
"""Signatures of operators that are null if and only if an argument is null."""

PARTIAL: Final = """
=_all <>_any <_all <_any <=_all <=_any >_all >_any >=_all >=_any: T, T -> boolean
nullif: T, T -> T
try: T -> T
"""

NEVER: Final = """
is_null isnull: T -> boolean
<=> is_distinct_from: T, T -> boolean
is_true is_false: boolean -> boolean
map: -> map(unknown,unknown)
typeof: T -> varchar
array: T... -> array(T)
"""

ABSORBING: Final = """
coalesce: T... -> T
if: boolean, T -> T
if: boolean, T, T -> T
"""
