"""Questions about types that only Spark has, with the common types: every ordered pair.

They are asked, recorded and compared like those of ``asked_types``, over a separate table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tests.lakeschema.translation.asked_types import Engine

_COMMON: Mapping[str, str] = {
    "bo": "boolean",
    "ti": "tinyint",
    "i": "int",
    "b": "bigint",
    "f": "float",
    "d": "double",
    "de": "decimal(10,2)",
    "s": "string",
    "bi": "binary",
    "da": "date",
    "ts": "timestamp",
}
_OWN: Mapping[str, str] = {
    "n": "void",
    "tn": "timestamp_ntz",
    "tm": "time(6)",
    "va": "variant",
    "ci": "interval",
    "yy": "interval year",
    "mm": "interval month",
    "ym": "interval year to month",
    "dd": "interval day",
    "dh": "interval day to hour",
    "ds": "interval day to second",
    "hm": "interval hour to minute",
    "se": "interval second",
}
COLUMNS: Mapping[str, str] = {**_COMMON, **_OWN}
_NULLABLE = {"n", "ci"}
"""Void is always null; a calendar interval is made of text here, which Spark calls nullable."""
_DEFINITIONS = (
    f"{name} {type_}{'' if name in _NULLABLE else ' NOT NULL'}" for name, type_ in COLUMNS.items()
)
TABLE_DDL = f"CREATE TABLE t ({', '.join(_DEFINITIONS)}) USING delta"
VALUES: Mapping[str, str] = {
    "bo": "true",
    "ti": "1Y",
    "i": "1",
    "b": "1L",
    "f": "CAST(1 AS float)",
    "d": "1D",
    "de": "12345678.90BD",
    "s": "'1'",
    "bi": "X'01'",
    "da": "DATE '2020-01-01'",
    "ts": "TIMESTAMP_LTZ '2020-01-01 00:00:00'",
    "n": "NULL",
    "tn": "TIMESTAMP_NTZ '2020-01-01 00:00:00'",
    "tm": "TIME '12:00'",
    "va": "parse_json('1')",
    "ci": "CAST('1 day' AS interval)",
    "yy": "INTERVAL 1 YEAR",
    "mm": "INTERVAL 1 MONTH",
    "ym": "INTERVAL '1-1' YEAR TO MONTH",
    "dd": "INTERVAL 1 DAY",
    "dh": "INTERVAL '1 01' DAY TO HOUR",
    "ds": "INTERVAL '1 00:00:01' DAY TO SECOND",
    "hm": "INTERVAL '01:01' HOUR TO MINUTE",
    "se": "INTERVAL 1 SECOND",
}
"""A value of each column, none of which is null but that of void."""

_PAIRS = (
    *("{} + {}", "{} - {}", "{} * {}", "{} / {}", "{} % {}", "{} = {}", "{} < {}"),
    *("coalesce({}, {})", "array({}, {})", "concat({}, {})", "{} IN ({})", "{} div {}"),
    *("CASE WHEN bo THEN {} ELSE {} END", "(SELECT {} FROM t UNION ALL SELECT {} FROM t)"),
)
_SINGLES = (
    *("-{}", "+{}", "{} IS NULL", "coalesce({}, NULL)", "{} + 1", "{} - 1", "{} * 2", "{} / 2"),
    *("{} * 2.5", "{} / 1.5D", "2 * {}", "{} + '1'", "'1' + {}", "{} - '1'", "'1' - {}"),
    *("{} * '2'", "'2' * {}", "{} / '2'", "{} + NULL", "NULL + {}", "{} - NULL", "NULL - {}"),
    *("{} = 'a'", "coalesce({}, 'x')", "coalesce({}, 0)", "abs({})", "sign({})", "signum({})"),
    *("sum({})", "avg({})", "min({})", "max({})", "median({})", "percentile({}, 0.5)"),
    *("percentile({}, array(0.5))", "percentile_approx({}, 0.5)"),
    *("approx_percentile({}, array(0.5, 0.1))",),
    *("try_add({}, {})", "try_subtract({}, {})", "try_multiply({}, 2)", "try_divide({}, 2)"),
    *("mean({})", "greatest({}, {})", "CASE WHEN bo THEN {} END"),
    *("nullif({}, {})", "year({})", "hour({})", "second({})", "NOT {}"),
    *("date_add({}, 1)", "datediff({}, da)", "date_trunc('DAY', {})", "trunc({}, 'MONTH')"),
    *("date_format({}, 'y')", "add_months({}, 1)", "last_day({})"),
    *("{} BETWEEN {} AND {}", "typeof({})", "round({})", "ceil({})", "floor({})"),
    *("from_utc_timestamp({}, 'UTC')", "CAST({} AS char(5))"),
    *("TRY_CAST({} AS int)", "TRY_CAST({} AS string)", "TRY_CAST({} AS date)", "{}::string"),
    *("{}::decimal(20,4)", "collect_list({})", "count({})", "last({})"),
)
_UNITS = (
    *("YEAR", "YEARS", "Y", "YEAROFWEEK", "QUARTER", "MONTH", "MON", "WEEK", "DAY", "D", "DAYS"),
    *("DOW", "DAYOFWEEK", "DOY", "HOUR", "HOURS", "MINUTE", "MIN", "SECOND", "S", "SECONDS"),
)
_LITERALS = (
    *("INTERVAL '1' DAY", "INTERVAL '1-2' YEAR TO MONTH", "INTERVAL 3 DAY 1 SECOND"),
    *("INTERVAL -'1' DAY", "INTERVAL '1 day 2 hours'", "INTERVAL '1 year 2 months'"),
    *("INTERVAL 1 YEAR", "INTERVAL 2 MONTHS", "INTERVAL '-2' WEEK", "INTERVAL 3 WEEKS 2 HOURS"),
    *("INTERVAL 1 MILLISECOND", "INTERVAL 5 MICROSECONDS", "INTERVAL 1 MINUTE 1 MINUTE"),
    *("INTERVAL '10 11:12' DAY TO MINUTE", "INTERVAL '10 11' DAY TO HOUR"),
    *("INTERVAL '10 11:12:13.5' DAY TO SECOND", "INTERVAL '11:12' HOUR TO MINUTE"),
    *("INTERVAL '11:12:13' HOUR TO SECOND", "INTERVAL '12:13' MINUTE TO SECOND"),
    *("INTERVAL 1.5 SECONDS", "INTERVAL '1' YEAR '2' MONTH", "-INTERVAL 1 DAY", "INTERVAL -1 DAY"),
    *("INTERVAL 1 DAY + INTERVAL 1 HOUR", "INTERVAL 1 YEAR - INTERVAL 1 MONTH"),
    *("INTERVAL 1 HOUR + INTERVAL 1 MINUTE", "2 * INTERVAL 1 DAY", "INTERVAL 1 YEAR / 2"),
    *("da + INTERVAL 1 DAY 2 HOURS", "da - INTERVAL '1' MONTH", "ts + INTERVAL 1 WEEK"),
    *("tn - INTERVAL '1' YEAR", "INTERVAL 1 DAY + da", "make_interval(1, 2)", "ts - da", "da - ts"),
    *("make_dt_interval(1, 2)", "make_ym_interval(1, 2)", "TIME '12:00'", "TIME '12:00:01.123'"),
    *("TIMESTAMP_NTZ '2020-01-01 00:00:00'", "TIMESTAMP_LTZ '2020-01-01 00:00:00'"),
    *("TIMESTAMP '2020-01-01 00:00:00Z'", "TIMESTAMP_NTZ '2020-01-01' + INTERVAL 1 DAY"),
    *("extract(DAY FROM INTERVAL 1 DAY)", "date_part('MONTH', INTERVAL 1 MONTH)"),
    *("extract(SECONDS FROM ts - ts)", "extract(HOUR FROM TIME '12:00')", "s COLLATE UTF8_LCASE"),
    *("s COLLATE UNICODE || 'a'", "collate(s, 'UNICODE_CI')", "collation(s)"),
    *(
        "CAST(s AS STRING COLLATE UTF8_LCASE)",
        "s::STRING COLLATE UNICODE",
        "(s COLLATE UTF8_LCASE) = 'a'",
    ),
    *("upper(s COLLATE UTF8_LCASE)", "coalesce(s COLLATE UTF8_LCASE, 'a')", "i::long", "i::short"),
    *("i::byte", "s::integer", "s::dec", "s::numeric(5,1)", "s::dec(7,2)", "s::real", "s::bigint"),
    *("s::timestamp_ltz", "s::timestamp_ntz", "s::timestamp", "s::date", "s::time", "s::time(3)"),
    *("s::interval day to second", "s::interval year", "i::interval day", "s::char(3)"),
    *("s::varchar(3)", "array(1)::array<bigint>", "array(array(1))::array<array<long>>"),
    *("map('a', array(1))::map<string,array<byte>>", "s::binary", "s::boolean", "1::double + 1"),
    *("named_struct('a', 1)::struct<a:bigint>", "s::void", "i::string || 'x'", "-1::int"),
    *("s::interval", "CAST(s AS TIMESTAMP WITHOUT TIME ZONE)", "CAST(s AS NUMERIC(4,2))"),
    *("CAST(s AS DEC)", "CAST(s AS REAL)", "CAST(s AS LONG)", "TRY_CAST(s AS INTERVAL DAY)"),
    *("CAST(10 AS INTERVAL DAY)", "CAST(INTERVAL '1' YEAR AS TINYINT)", "s::character(3)"),
    *("CAST(1.5 AS INTERVAL SECOND)", "CAST(INTERVAL 1.5 SECOND AS DECIMAL(10,2))"),
)


def settings(engine: Engine) -> Mapping[str, str]:
    """Of the session, and remembered by a view: Spark has no TIME by default."""
    return {**engine.settings, "spark.sql.timeType.enabled": "true"}


def questions() -> Sequence[str]:
    """Expressions over the table's columns, each once, in a fixed order."""
    return list(dict.fromkeys(_questions()))


def _questions() -> Iterator[str]:
    yield from _LITERALS
    for form in _SINGLES:
        yield from (form.replace("{}", name) for name in COLUMNS)
    for unit in _UNITS:
        yield from (f"extract({unit} FROM {name})" for name in _OWN)
        yield f"date_part('{unit}', ts)"
    for form in _PAIRS:
        yield from (form.format(a, b) for a in COLUMNS for b in COLUMNS if a in _OWN or b in _OWN)
    for name in COLUMNS:
        yield from (
            f"CAST({name} AS {type_})"
            for other, type_ in COLUMNS.items()
            if name in _OWN or other in _OWN
        )
