"""Conversions written for Trino."""

from __future__ import annotations

import pytest

from lakeschema.translation.model.errors import UnsupportedConstruct
from tests.lakeschema.translation.emission.trino.written import Written, hive, legacy, spark


@pytest.mark.parametrize(
    ("written", "call", "form"),
    [
        (hive, "CAST(s AS BOOLEAN)", "(lower(s) NOT IN ('', '0', 'no', 'off', 'false'))"),
        (hive, "CAST(s AS INT)", r"TRY_CAST(regexp_replace(regexp_extract(s, '^\s*[+-]?(?:\d+\.?\d*|\.\d+)\s*$'), '^\s*([+-]?)(\d*)[\s\S]*$', m -> m[1] || '0' || m[2]) AS integer)"),
        (hive, "CAST(s AS DECIMAL(5,2))", "TRY_CAST(trim(s) AS decimal(5,2))"),
        (hive, "CAST(c AS DECIMAL(5,2))", "TRY_CAST(trim(rtrim(CAST(c AS varchar))) AS decimal(5,2))"),
        (hive, "CAST(c AS BOOLEAN)", "(lower(rtrim(CAST(c AS varchar))) NOT IN ('', '0', 'no', 'off', 'false'))"),
        (hive, "CAST(s AS BINARY)", "to_utf8(s)"),
        (hive, "CAST(s AS TIMESTAMP)", r"CASE WHEN regexp_like(s, '^\s*(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d)?\s*$') THEN CAST(fail('not the same in Trino: a time of day, which is of today') AS timestamp(6)) ELSE TRY_CAST(replace(trim(s), 'T', ' ') AS timestamp(6)) END"),
        (hive, "CAST(l AS TINYINT)", "CAST(bitwise_and(l, 255) - CASE WHEN bitwise_and(l, 128) <> 0 THEN 256 ELSE 0 END AS tinyint)"),
        (hive, "CAST(d AS INT)", "CAST(CASE WHEN is_nan(d) THEN 0e0 ELSE greatest(least(truncate(d), 2147483647e0), -2147483648e0) END AS integer)"),
        (hive, "CAST(d AS TINYINT)", "CAST(bitwise_and(CAST(CASE WHEN is_nan(d) THEN 0e0 ELSE greatest(least(truncate(d), 2147483647e0), -2147483648e0) END AS integer), 255) - CASE WHEN bitwise_and(CAST(CASE WHEN is_nan(d) THEN 0e0 ELSE greatest(least(truncate(d), 2147483647e0), -2147483648e0) END AS integer), 128) <> 0 THEN 256 ELSE 0 END AS tinyint)"),
        (hive, "CAST(d AS BIGINT)", "CASE WHEN is_nan(d) THEN 0 WHEN d >= 9223372036854775807e0 THEN 9223372036854775807 WHEN d <= -9223372036854775808e0 THEN -9223372036854775807 - 1 ELSE CAST(truncate(d) AS bigint) END"),
        (hive, "CAST(de AS INT)", "TRY_CAST(truncate(de) AS integer)"),
        (legacy, "CAST(de AS INT)", "CAST(truncate(de) AS integer)"),
        (legacy, "CAST(de AS TINYINT)", "CAST(bitwise_and(CAST(truncate(de) AS bigint), 255) - CASE WHEN bitwise_and(CAST(truncate(de) AS bigint), 128) <> 0 THEN 256 ELSE 0 END AS tinyint)"),
        (hive, "CAST(d AS DECIMAL(5,2))", "TRY_CAST(d AS decimal(5,2))"),
        (hive, "CAST(i AS BOOLEAN)", "CAST(i AS boolean)"),
        (hive, "CAST(ts AS BIGINT)", "date_diff('second', TIMESTAMP '1970-01-01 00:00:00.000000', date_trunc('second', ts))"),
        (hive, "CAST(ts AS DOUBLE)", "CAST(date_diff('second', TIMESTAMP '1970-01-01 00:00:00.000000', date_trunc('second', ts)) AS double)"),
        (hive, "CAST(ts AS DECIMAL(12,2))", "TRY_CAST(to_unixtime(with_timezone(ts, 'UTC')) AS decimal(12,2))"),
        (spark, "CAST(ts AS DECIMAL(12,2))", "CAST(to_unixtime(with_timezone(ts, 'UTC')) AS decimal(12,2))"),
        (hive, "CAST(ts AS STRING)", "CAST(trim(TRAILING '.' FROM trim(TRAILING '0' FROM CAST(ts AS varchar))) AS varchar)"),
        (hive, "CAST(i AS TIMESTAMP)", "CAST(at_timezone(from_unixtime_nanos(CAST(i AS decimal(38,0)) * 1000000), 'UTC') AS timestamp(6))"),
        (hive, "CAST(d AS TIMESTAMP)", "CASE WHEN is_finite(d) THEN CAST(at_timezone(from_unixtime_nanos(CAST(CAST(round(CAST(d AS double) * 1e6) AS bigint) AS decimal(38,0)) * 1000), 'UTC') AS timestamp(6)) END"),
        (hive, "CAST(b AS STRING)", "CAST(from_utf8(b) AS varchar)"),
        (hive, "CAST(o AS STRING)", "CAST(upper(CAST(o AS varchar)) AS varchar)"),
        (hive, "CAST(s AS CHAR(3))", "CAST(s AS char(3))"),
        (hive, "CAST(c AS STRING)", "CAST(rtrim(CAST(c AS varchar)) AS varchar)"),
        (hive, "CAST(d AS STRING)", "CAST(trim(BOTH '' FROM json_format(CAST(d AS json))) AS varchar)"),
        (hive, "CAST(NULL AS ARRAY<INT>)", "CAST(NULL AS array(integer))"),
        (spark, "CAST(s AS INT)", "CAST(trim(s) AS integer)"),
        (spark, "CAST(s AS BOOLEAN)", "coalesce(CASE WHEN lower(trim(s)) IN ('t', 'true', 'y', 'yes', '1') THEN true WHEN lower(trim(s)) IN ('f', 'false', 'n', 'no', '0') THEN false END, CASE WHEN s IS NOT NULL THEN CAST(fail('not a boolean') AS boolean) END)"),
        (spark, "CAST(s AS TIMESTAMP)", r"coalesce(CASE WHEN regexp_like(s, '^\s*(\d\d\d\d)(?:-(\d{1,2})(?:-(\d{1,2})(?:[ T](?:(\d{1,2})(?::(\d{1,2})(?::(\d{1,2}(?:\.\d{1,6})?))?)?)?)?)?)?\s*$') THEN TRY_CAST(regexp_replace(s, '^\s*(\d\d\d\d)(?:-(\d{1,2})(?:-(\d{1,2})(?:[ T](?:(\d{1,2})(?::(\d{1,2})(?::(\d{1,2}(?:\.\d{1,6})?))?)?)?)?)?)?\s*$', m -> m[1] || '-' || coalesce(m[2], '1') || '-' || coalesce(m[3], '1') || ' ' || coalesce(m[4], '0') || ':' || coalesce(m[5], '0') || ':' || coalesce(m[6], '0')) AS timestamp(6)) WHEN regexp_like(s, '^\s*(?:[+-]?\d{4,7}(?:-\d{1,2}){1,2}[ T]\s*\S|T?\d{1,2}:\d|[+-]\d\d\d\d|\d{5,7}(?:-|\s*$))') THEN CAST(fail('not the same in Trino: a text with a moment of another form') AS timestamp(6)) END, CASE WHEN s IS NOT NULL THEN CAST(fail('not a timestamp') AS timestamp(6)) END)"),
        (spark, "CAST(l AS INT)", "CAST(l AS integer)"),
        (spark, "CAST(d AS BIGINT)", "CAST(truncate(d) AS bigint)"),
        (spark, "CAST(ts AS INT)", "CAST(date_diff('second', TIMESTAMP '1970-01-01 00:00:00.000000', date_trunc('second', ts)) AS integer)"),
        (spark, "CAST(ts AS DOUBLE)", "to_unixtime(with_timezone(ts, 'UTC'))"),
        (spark, "CAST(i AS TIMESTAMP)", "CAST(at_timezone(from_unixtime_nanos(CAST(i AS decimal(38,0)) * 1000000000), 'UTC') AS timestamp(6))"),
        (spark, "CAST(d AS TIMESTAMP)", "CAST(at_timezone(from_unixtime_nanos(CAST(CAST(truncate(CAST(d AS double) * 1e6) AS bigint) AS decimal(38,0)) * 1000), 'UTC') AS timestamp(6))"),
        (spark, "CAST(a AS ARRAY<STRING>)", "CAST(a AS array(varchar))"),
        (spark, "CAST(ast AS ARRAY<STRUCT<p:BIGINT,q:DATE>>)", r"transform(ast, e -> IF(e IS NULL, NULL, CAST(ROW(CAST(e.p AS bigint), coalesce(CASE WHEN regexp_like(e.q, '^\s*(\d\d\d\d)(?:-(\d{1,2})(?:-(\d{1,2})(?:[ T][\s\S]*)?)?)?\s*$') THEN TRY_CAST(regexp_replace(e.q, '^\s*(\d\d\d\d)(?:-(\d{1,2})(?:-(\d{1,2})(?:[ T][\s\S]*)?)?)?\s*$', m -> m[1] || '-' || coalesce(m[2], '1') || '-' || coalesce(m[3], '1')) AS date) WHEN regexp_like(e.q, '^\s*(?:[+-]\d{4,7}|\d{5,7})(?:-\d{1,2}(?:-\d{1,2}(?:[ T][\s\S]*)?)?)?\s*$') THEN CAST(fail('not the same in Trino: a date beyond the years of four digits') AS date) END, CASE WHEN e.q IS NOT NULL THEN CAST(fail('not a date') AS date) END)) AS ROW(p bigint, q date))))"),
        (spark, "CAST(m AS MAP<STRING,STRING>)", "CAST(m AS map(varchar, varchar))"),
        (spark, "CAST(st AS STRUCT<x:STRING,y:STRING>)", "CAST(st AS ROW(x varchar, y varchar))"),
        (spark, "CAST(st AS STRUCT<x:BIGINT,y:DATE>)", r"IF(st IS NULL, NULL, CAST(ROW(CAST(st.x AS bigint), coalesce(CASE WHEN regexp_like(st.y, '^\s*(\d\d\d\d)(?:-(\d{1,2})(?:-(\d{1,2})(?:[ T][\s\S]*)?)?)?\s*$') THEN TRY_CAST(regexp_replace(st.y, '^\s*(\d\d\d\d)(?:-(\d{1,2})(?:-(\d{1,2})(?:[ T][\s\S]*)?)?)?\s*$', m -> m[1] || '-' || coalesce(m[2], '1') || '-' || coalesce(m[3], '1')) AS date) WHEN regexp_like(st.y, '^\s*(?:[+-]\d{4,7}|\d{5,7})(?:-\d{1,2}(?:-\d{1,2}(?:[ T][\s\S]*)?)?)?\s*$') THEN CAST(fail('not the same in Trino: a date beyond the years of four digits') AS date) END, CASE WHEN st.y IS NOT NULL THEN CAST(fail('not a date') AS date) END)) AS ROW(x bigint, y date)))"),
        (spark, "TRY_CAST(s AS INT)", "TRY_CAST(trim(s) AS integer)"),
        (spark, "TRY_CAST(d AS INT)", "TRY_CAST(truncate(d) AS integer)"),
        (spark, "TRY_CAST(l AS INT)", "TRY_CAST(l AS integer)"),
        (spark, "TRY_CAST(s AS DATE)", r"CASE WHEN regexp_like(s, '^\s*(\d\d\d\d)(?:-(\d{1,2})(?:-(\d{1,2})(?:[ T][\s\S]*)?)?)?\s*$') THEN TRY_CAST(regexp_replace(s, '^\s*(\d\d\d\d)(?:-(\d{1,2})(?:-(\d{1,2})(?:[ T][\s\S]*)?)?)?\s*$', m -> m[1] || '-' || coalesce(m[2], '1') || '-' || coalesce(m[3], '1')) AS date) WHEN regexp_like(s, '^\s*(?:[+-]\d{4,7}|\d{5,7})(?:-\d{1,2}(?:-\d{1,2}(?:[ T][\s\S]*)?)?)?\s*$') THEN CAST(fail('not the same in Trino: a date beyond the years of four digits') AS date) END"),
        (legacy, "CAST(m AS MAP<STRING,TINYINT>)", "CAST(transform_values(m, (k, v) -> CAST(bitwise_and(v, 255) - CASE WHEN bitwise_and(v, 128) <> 0 THEN 256 ELSE 0 END AS tinyint)) AS map(varchar, tinyint))"),
        (legacy, "CAST(a AS ARRAY<TINYINT>)", "transform(a, e -> CAST(bitwise_and(e, 255) - CASE WHEN bitwise_and(e, 128) <> 0 THEN 256 ELSE 0 END AS tinyint))"),
        (legacy, "CAST(ts AS INT)", "TRY_CAST(date_diff('second', TIMESTAMP '1970-01-01 00:00:00.000000', date_trunc('second', ts)) AS integer)"),
        (legacy, "CAST(s AS BOOLEAN)", "CASE WHEN lower(trim(s)) IN ('t', 'true', 'y', 'yes', '1') THEN true WHEN lower(trim(s)) IN ('f', 'false', 'n', 'no', '0') THEN false END"),
    ],
)  # fmt: skip
def test_casts_are_written_with_the_same_meaning(written: Written, call: str, form: str) -> None:
    assert written(call) == form


@pytest.mark.parametrize(
    ("written", "call", "reason"),
    [
        (hive, "CAST(ts AS BOOLEAN)", "a conversion of timestamp to boolean for Trino"),
        (spark, "CAST(m AS MAP<DATE,STRING>)", "a conversion of map<string,int> to map<date,string> for Trino"),
    ],
)  # fmt: skip
def test_casts_that_trino_computes_otherwise_are_refused_with_the_reason(
    written: Written, call: str, reason: str
) -> None:
    with pytest.raises(UnsupportedConstruct) as refused:
        written(call)

    assert reason in str(refused.value)
