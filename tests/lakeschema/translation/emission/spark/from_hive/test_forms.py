"""Calls of Hive's functions written for Spark, where the engines differ."""

from __future__ import annotations

import pytest

from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.emission.spark.view import spark_view
from lakeschema.translation.model.errors import UnsupportedConstruct
from tests.lakeschema.translation.relations import DEFAULT, interfaces

TABLE = "CREATE TABLE t (s STRING, i INT, b BIGINT, ti TINYINT, d DOUBLE, de DECIMAL(10,2), small DECIMAL(38,18), da DATE, bi BINARY, ts TIMESTAMP)"
VIEW = RelationName.of("default", "v")


def written(call: str) -> str:
    relations = relations_from_ddl([TABLE, f"CREATE VIEW v AS SELECT {call} AS x FROM t"])
    text = spark_view(relations[VIEW], interfaces(relations, VIEW, DEFAULT)).sql
    return text.removeprefix("SELECT ").partition(" AS `x`")[0]


@pytest.mark.parametrize(
    ("call", "form"),
    [
        ("stddev(i) OVER (ORDER BY i)", "CAST(stddev_pop(CAST(t1.`i` AS DOUBLE)) OVER ("),
        ("variance(i) OVER (ORDER BY i)", "CAST(var_pop(CAST(t1.`i` AS DOUBLE)) OVER ("),
        (
            "var_pop(d) OVER ()",
            (
                "CASE WHEN count(t1.`d`) OVER () = 1 THEN 0D"
                " WHEN abs(first(t1.`d`, true) OVER ()) = double('Infinity')"
                " AND count(if(abs(t1.`d`) >= double('Infinity'), 1, NULL)) OVER () = 1"
                " THEN double('Infinity') ELSE var_pop(t1.`d`) OVER () END"
            ),
        ),
        (
            "var_samp(d) OVER ()",
            "CASE WHEN count(t1.`d`) OVER () > 1 AND abs(first(t1.`d`, true) OVER ()) = ",
        ),
        ("sign(d)", "if(isnan(t1.`d`), -1D, sign(t1.`d`))"),
        ("sum(s)", "coalesce(sum(CAST(t1.`s` AS DOUBLE)), if(count(t1.`s`) > 0, 0D, NULL))"),
        ("sum(CAST(s AS DOUBLE))", "CAST(sum(CAST(t1.`s` AS DOUBLE))"),
        (
            "regr_r2(d, d)",
            "if(count(if(t1.`d` IS NULL, NULL, t1.`d`)) = 1, NULL, regr_r2(t1.`d`, t1.`d`))",
        ),
        (
            "regr_sxx(d, d) OVER (ORDER BY i)",
            " THEN double('Infinity') ELSE regr_sxx(t1.`d`, t1.`d`) OVER (",
        ),
        (
            "regr_sxx(i, i) OVER (ORDER BY i)",
            "= 1, 0D, regr_sxx(CAST(t1.`i` AS DOUBLE), CAST(t1.`i` AS DOUBLE)) OVER (",
        ),
        ("floor(b)", "CAST(CAST(t1.`b` AS DOUBLE) AS BIGINT)"),
        ("ceiling(i)", "ceil(t1.`i`)"),
        ("abs(ti)", "abs(CAST(t1.`ti` AS INT))"),
        ("CAST(de AS TINYINT)", "TRY_CAST(t1.`de` AS TINYINT)"),
        ("hex(de)", "hex(CAST(t1.`de` AS STRING))"),
        ("trunc(da, 'Q')", "trunc(t1.`da`, 'QUARTER')"),
        ("substr(s, 2)", "substring(t1.`s`, 2)"),
        ("repeat(s, b)", "repeat(t1.`s`, TRY_CAST(t1.`b` AS INT))"),
        ("i BETWEEN 1 AND 2", "(t1.`i` BETWEEN 1 AND 2)"),
        ("i BETWEEN ti AND 2", "if(CAST(t1.`ti` AS INT) IS NULL, NULL,"),
        ("grouping(i)", "grouping(t1.`i`)"),
        ("s LIKE ANY ('a', 'b')", "t1.`s` LIKE ANY ('a', 'b')"),
        ("acos(d)", "if(isnan(t1.`d`), t1.`d`, nanvl(acos(t1.`d`), NULL))"),
        ("log(d, 2)", "if(t1.`d` <= 1, NULL, log(t1.`d`, 2D))"),
        ("chr(d)", "if(t1.`d` < 0, '', chr(CAST(CAST(t1.`d` AS BIGINT) AS SMALLINT)))"),
        ("aes_encrypt(s, 'k')", "aes_encrypt(t1.`s`, 'k', 'ECB', 'PKCS')"),
        ("aes_decrypt(bi, 'k')", "try_aes_decrypt(t1.`bi`, 'k', 'ECB', 'PKCS')"),
        (
            "concat_ws(',', split(s, ' '))",
            "transform(split(t1.`s`, ' '), e -> coalesce(e, 'null'))",
        ),
        ("current_database(i)", "current_database()"),
        (
            "field(s, 'a', i, s)",
            "CASE WHEN t1.`s` = 'a' THEN 1 WHEN t1.`s` = t1.`s` THEN 3 ELSE 0 END",
        ),
        ("mask(i)", "CAST(regexp_replace(CAST(t1.`i` AS STRING), '[0-9]', '1') AS INT)"),
        ("mask(da)", "if(t1.`da` IS NULL, NULL, make_date(0, 1, 1))"),
        ("mask(d)", "CAST(NULL AS DOUBLE)"),
        ("mask_hash(s)", "sha2(t1.`s`, 256)"),
        ("mask_first_n(s, 2)", "concat(mask(left(t1.`s`, 2)), substring(t1.`s`, 2 + 1))"),
        ("mask_show_last_n(s)", "concat(mask(left(t1.`s`, length(t1.`s`) - 4)), right(t1.`s`, 4))"),
        ("nullif(i, de)", "nullif(t1.`i`, TRY_CAST(t1.`de` AS INT))"),
        ("nullif(d, i)", "nullif(t1.`d`, CAST(t1.`i` AS DOUBLE))"),
        ("nullif(s, s)", "nullif(t1.`s`, t1.`s`)"),
        ("typeof(de)", "'decimal(10,2)'"),
        ("CAST(small AS STRING)", "format_number(t1.`small`, 18)"),
        ("CAST(de AS STRING)", "CAST(t1.`de` AS STRING)"),
        ("grouping(i + 1)", "grouping(CAST((t1.`i` + 1) AS INT))"),
        ("-de", "(- t1.`de`)"),
        (
            "-small",
            (
                "CAST(if(t1.`small` < 0, substring(CAST(t1.`small` AS STRING), 2),"
                " concat('-', CAST(t1.`small` AS STRING))) AS DECIMAL(38,18))"
            ),
        ),
        (
            "murmur_hash(i)",
            "if(t1.`i` IS NULL, 0, hash(1867871456, unhex(right(lpad(hex(t1.`i`), 16, '0'), 8))))",
        ),
        ("murmur_hash(ti, b)", "(31 * coalesce(CAST(t1.`ti` AS INT), 0) + if(t1.`b` IS NULL, 0, "),
        ("murmur_hash(da)", "hex(unix_date(t1.`da`)), 16, '0'), 8)"),
        ("from_utc_timestamp(ts, 'Europe/Paris')", "from_utc_timestamp(t1.`ts`, 'Europe/Paris')"),
        ("from_utc_timestamp(ts, 'UTC+1')", "from_utc_timestamp(t1.`ts`, 'UTC')"),
        (
            "from_utc_timestamp(ts, s)",
            "TRY_CAST(concat('2000-01-01 00:00:00 ', t1.`s`) AS TIMESTAMP) IS NOT NULL), t1.`s`, 'UTC'))",
        ),
        (
            "to_utc_timestamp(d, 'UTC')",
            "if(abs(t1.`d`) <= 9223372036854, CAST(t1.`d` AS TIMESTAMP), NULL)",
        ),
        (
            "datetime_legacy_hybrid_calendar(da)",
            (
                "CASE WHEN t1.`da` >= DATE '1582-10-15' THEN t1.`da`"
                " WHEN t1.`da` >= DATE '1500-03-11' THEN date_add(t1.`da`, -10)"
            ),
        ),
        (
            "datetime_legacy_hybrid_calendar(ts)",
            (
                "WHEN t1.`ts` >= TIMESTAMP '0100-02-28' THEN (t1.`ts` + INTERVAL '1' DAY)"
                " ELSE (t1.`ts` + INTERVAL '2' DAY) END"
            ),
        ),
    ],
)
def test_a_call_is_written_with_hives_meaning(call: str, form: str) -> None:
    grouped = f" FROM t GROUP BY {call[9:-1]} --" if call.startswith("grouping") else ""

    assert form in written(f"{call}{f' AS x{grouped}' if grouped else ''}")


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        ("st_buffer(st_setsrid(bi, 4326), 1)", "ignores st_setsrid's reference"),
        ("hash(map(s, da))", "uses another calendar"),
        ("ngrams(array(array(s)), 2, 10)", "interface of Hive's class"),
        ("round(d, i)", "requires a constant number"),
        ("octet_length(bi)", "also counts reserved bytes"),
        ("trunc(d, 2)", "only truncates days"),
        ("add_months(da, 1, 'yyyy')", "has no format"),
        ("CAST(da AS STRING FORMAT 'yyyy')", "date patterns differ"),
        ("date_format(da, 'ww')", "lack this letter"),
        ("greatest(s, i)", "skips texts"),
        ("istrue(d)", "the lowest 32 bits"),
        ("ntile(i) OVER (ORDER BY s)", "requires a constant number"),
        ("percentile_disc(d, 0.5) OVER (PARTITION BY s)", "over a window"),
        ("rank() OVER (ORDER BY array(i))", "order of nested values"),
        ("mask_first_n(i, 2)", "only masks texts"),
        ("st_aggr_convexhull(st_setsrid(bi, 4326))", "ignores st_setsrid's reference"),
        ("xpath(s, s)", "requires a constant path"),
        ("murmur_hash(i, s)", "treats the last bytes of a text"),
    ],
)
def test_what_spark_cannot_give_is_refused_with_the_reason(call: str, reason: str) -> None:
    with pytest.raises(UnsupportedConstruct, match=reason):
        written(call)
