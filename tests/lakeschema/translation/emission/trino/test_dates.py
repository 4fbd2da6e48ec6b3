"""Functions of dates and times written for Trino."""

from __future__ import annotations

import pytest

from lakeschema.translation.model.errors import UnsupportedConstruct
from tests.lakeschema.translation.emission.trino.written import Written, hive, legacy, spark


@pytest.mark.parametrize(
    ("written", "call", "form"),
    [
        (hive, "trunc(da, 'MM')", "CAST(date_trunc('month', da) AS varchar)"),
        (hive, "trunc(da, 'Q')", "CAST(date_trunc('quarter', da) AS varchar)"),
        (hive, "next_day(da, 'MON')", "CAST(date_add('day', (1 - day_of_week(da) + 6) % 7 + 1, da) AS varchar)"),
        (hive, "next_day(da, 'tuesday')", "CAST(date_add('day', (2 - day_of_week(da) + 6) % 7 + 1, da) AS varchar)"),
        (hive, "from_unixtime(l)", "CAST((IF(year(from_unixtime(l, 'UTC')) > 9999, '+', '') || format_datetime(from_unixtime(l, 'UTC'), 'yyyy-MM-dd HH:mm:ss')) AS varchar)"),
        (hive, "from_unixtime(l, 'yyyy')", "CAST((IF(year(from_unixtime(l, 'UTC')) > 9999, '+', '') || format_datetime(from_unixtime(l, 'UTC'), 'yyyy')) AS varchar)"),
        (hive, "unix_timestamp(s)", r"date_diff('second', TIMESTAMP '1970-01-01 00:00:00.000000', date_trunc('second', TRY_CAST(replace(regexp_extract(s, '^\d\d\d\d-\d\d-\d\d[ T]\d\d:\d\d:\d\d'), 'T', ' ') AS timestamp(6))))"),
        (hive, "unix_timestamp(ts)", "date_diff('second', TIMESTAMP '1970-01-01 00:00:00.000000', date_trunc('second', ts))"),
        (hive, "to_date(s)", r"CASE WHEN regexp_like(s, '^\s*(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d)?\s*$') THEN CAST(fail('not the same in Trino: a time of day, which is of today') AS date) ELSE TRY_CAST(regexp_extract(s, '^\s*(\d\d\d\d-\d{1,2}-\d{1,2})(?:[ T][\s\S]*)?$', 1) AS date) END"),
        (hive, "to_date(ts)", "CAST(ts AS date)"),
        (hive, "date_format(ts, 'HH:mm:ss.SSSSSS')", "CAST((format_datetime(date_trunc('millisecond', ts), 'HH:mm:ss.') || substr(CAST(ts AS varchar), -6, 6)) AS varchar)"),
        (hive, "date_format(ts, 'yyyy-MM-dd SSS')", "CAST((IF(year(ts) > 9999, '+', '') || format_datetime(date_trunc('millisecond', ts), 'yyyy-MM-dd SSS')) AS varchar)"),
        (hive, "extract(YEAR FROM da)", "CAST(year(CAST(da AS timestamp(6))) AS integer)"),
        (hive, "extract(SECOND FROM ts)", "CAST(second(ts) AS integer)"),
        (hive, "extract(DOW FROM ts)", "CAST(day_of_week(ts) % 7 + 1 AS integer)"),
        (hive, "floor(ts TO HOUR)", "date_trunc('hour', ts)"),
        (hive, "from_utc_timestamp(ts, 'PST')", "CAST(at_timezone(with_timezone(ts, 'UTC'), 'America/Los_Angeles') AS timestamp(6))"),
        (hive, "to_utc_timestamp(ts, 'EST')", "CAST(at_timezone(with_timezone(ts, '-05:00'), 'UTC') AS timestamp(6))"),
        (hive, "from_utc_timestamp(ts, 'Europe/Paris')", "CAST(at_timezone(with_timezone(ts, 'UTC'), 'Europe/Paris') AS timestamp(6))"),
        (hive, "to_utc_timestamp(ts, s)", "CAST(at_timezone(with_timezone(ts, IF(NOT regexp_like(s, '^(?:UTC|[A-Z][A-Za-z_]+(?:/[A-Z][A-Za-z_-]+)+)$'), CAST(fail('not the same in Trino: a zone that is no region') AS varchar), s)), 'UTC') AS timestamp(6))"),
        (hive, "to_epoch_milli(ts)", "date_diff('millisecond', TIMESTAMP '1970-01-01 00:00:00.000', date_trunc('millisecond', ts))"),
        (hive, "ts - INTERVAL '1' DAY", "(ts - INTERVAL '1 00:00:00' DAY TO SECOND)"),
        (hive, "da + INTERVAL '1-2' YEAR TO MONTH", "(da + INTERVAL '1-2' YEAR TO MONTH)"),
        (spark, "date_trunc('HOUR', ts)", "date_trunc('hour', ts)"),
        (spark, "trunc(da, 'WEEK')", "date_trunc('week', da)"),
        (spark, "dayname(da)", "CAST(format_datetime(CAST(da AS timestamp(6)), 'EEE') AS varchar)"),
        (spark, "monthname(da)", "CAST(format_datetime(CAST(da AS timestamp(6)), 'MMM') AS varchar)"),
        (spark, "next_day(da, 'MO')", "date_add('day', (1 - day_of_week(da) + 6) % 7 + 1, da)"),
        (spark, "timestampdiff(MONTH, ts, ts)", "date_diff('month', ts, ts)"),
        (spark, "timestampadd(DAY, 2, da)", "date_add('day', BIGINT '2', CAST(da AS timestamp(6)))"),
        (spark, "extract(SECOND FROM ts)", "CAST(substr(CAST(ts AS varchar), -9) AS decimal(8,6))"),
        (spark, "extract(WEEK FROM da)", "CAST(week(CAST(da AS timestamp(6))) AS integer)"),
        (spark, "extract(MINUTE FROM ts)", "CAST(minute(ts) AS integer)"),
        (spark, "try_to_timestamp(s, 'yyyy')", r"CASE WHEN regexp_like(s, '^(\d\d\d\d)$') THEN TRY_CAST(regexp_replace(s, '^(\d\d\d\d)$', m -> m[1] || '-' || '01' || '-' || '01' || ' ' || '00' || ':' || '00' || ':' || '00') AS timestamp(6)) END"),
        (spark, r"date_format(ts, '\'at\' HH')", "CAST(format_datetime(date_trunc('millisecond', ts), '''at'' HH') AS varchar)"),
        (spark, "DATE '2020-1-2'", "DATE '2020-01-02'"),
        (spark, "TIMESTAMP '2020-01-02 03:04:05.5'", "TIMESTAMP '2020-01-02 03:04:05.500000'"),
        (spark, "ts + INTERVAL '1' HOUR", "(ts + INTERVAL '1' HOUR)"),
        (spark, "INTERVAL '1 02:03:04' DAY TO SECOND + ts", "(INTERVAL '1 02:03:04' DAY TO SECOND + ts)"),
        (spark, "da + INTERVAL '1' MONTH", "(da + INTERVAL '1' MONTH)"),
        (spark, "make_date(i, 1, 2)", "CASE WHEN i IS NOT NULL AND 1 IS NOT NULL AND 2 IS NOT NULL THEN CAST(format('%04d-%02d-%02d', i, 1, 2) AS date) END"),
        (legacy, "make_date(i, 2, 29)", "CASE WHEN i IS NOT NULL AND 2 IS NOT NULL AND 29 IS NOT NULL THEN TRY_CAST(format('%04d-%02d-%02d', i, 2, 29) AS date) END"),
        (legacy, "to_timestamp(s)", r"CASE WHEN regexp_like(s, '^\s*(\d\d\d\d)(?:-(\d{1,2})(?:-(\d{1,2})(?:[ T](?:(\d{1,2})(?::(\d{1,2})(?::(\d{1,2}(?:\.\d{1,6})?))?)?)?)?)?)?\s*$') THEN TRY_CAST(regexp_replace(s, '^\s*(\d\d\d\d)(?:-(\d{1,2})(?:-(\d{1,2})(?:[ T](?:(\d{1,2})(?::(\d{1,2})(?::(\d{1,2}(?:\.\d{1,6})?))?)?)?)?)?)?\s*$', m -> m[1] || '-' || coalesce(m[2], '1') || '-' || coalesce(m[3], '1') || ' ' || coalesce(m[4], '0') || ':' || coalesce(m[5], '0') || ':' || coalesce(m[6], '0')) AS timestamp(6)) WHEN regexp_like(s, '^\s*(?:[+-]?\d{4,7}(?:-\d{1,2}){1,2}[ T]\s*\S|T?\d{1,2}:\d|[+-]\d\d\d\d|\d{5,7}(?:-|\s*$))') THEN CAST(fail('not the same in Trino: a text with a moment of another form') AS timestamp(6)) END"),
        (legacy, "to_date(s, 'yyyyMMdd')", r"CAST(CASE WHEN regexp_like(s, '^(\d\d\d\d)(\d\d)(\d\d)$') THEN TRY_CAST(regexp_replace(s, '^(\d\d\d\d)(\d\d)(\d\d)$', m -> m[1] || '-' || m[2] || '-' || m[3] || ' ' || '00' || ':' || '00' || ':' || '00') AS timestamp(6)) END AS date)"),
        (legacy, "timestampdiff(HOUR, ts, ts)", "(((date_diff('millisecond', TIMESTAMP '1970-01-01 00:00:00.000000', date_trunc('millisecond', ts)) * 1000 + CAST(substr(CAST(ts AS varchar), -3) AS bigint)) - (date_diff('millisecond', TIMESTAMP '1970-01-01 00:00:00.000000', date_trunc('millisecond', ts)) * 1000 + CAST(substr(CAST(ts AS varchar), -3) AS bigint))) / 3600000000)"),
    ],
)  # fmt: skip
def test_dates_are_written_with_the_same_meaning(written: Written, call: str, form: str) -> None:
    assert written(call) == form


@pytest.mark.parametrize(
    ("written", "call", "reason"),
    [
        (hive, "trunc(da, 'WEEK')", "trunc for Trino is not supported: unit week"),
        (hive, "trunc(de, 1)", "trunc for Trino is not supported: it truncates numbers"),
        (hive, "trunc(da, 'x')", "trunc for Trino is not supported: unit 'x'"),
        (hive, "next_day(da, 'noday')", "next_day for Trino is not supported: day 'noday'"),
        (hive, "months_between(da, ts, false)", "months_between for Trino is not supported: without rounding"),
        (hive, "unix_timestamp(s, 'dd/MM')", "unix_timestamp for Trino is not supported: pattern 'dd/MM' without a year"),
        (hive, "unix_timestamp(s, 'yyyy-M-d')", "unix_timestamp for Trino is not supported: pattern 'yyyy-M-d' for reading"),
        (hive, "unix_timestamp()", "unix_timestamp for Trino is not supported: it depends on the time of the query"),
        (hive, "date_format(ts, 'SSSSSSS')", "date_format for Trino is not supported: pattern 'SSSSSSS'"),
        (hive, "date_format(ts, 'YYYY')", "date_format for Trino is not supported: pattern 'YYYY' has letters that Trino prints differently"),
        (hive, "from_utc_timestamp(ts, 'XYZ')", "from_utc_timestamp for Trino is not supported: zone 'XYZ'"),
        (spark, "date_trunc('microsecond', ts)", "date_trunc for Trino is not supported: unit 'microsecond'"),
        (spark, "extract(EPOCH FROM ts)", "extract for Trino is not supported: field 'epoch'"),
        (spark, "extract(SECOND FROM ts - ts)", "extract for Trino is not supported: field 'second' of an interval"),
    ],
)  # fmt: skip
def test_dates_that_trino_computes_otherwise_are_refused_with_the_reason(
    written: Written, call: str, reason: str
) -> None:
    with pytest.raises(UnsupportedConstruct) as refused:
        written(call)

    assert reason in str(refused.value)
