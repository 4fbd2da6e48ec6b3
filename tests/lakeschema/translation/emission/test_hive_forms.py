"""Calls of Hive's functions as they are written for Spark, where the engines differ."""

from __future__ import annotations

import pytest

from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.emission.spark_view import spark_view
from lakeschema.translation.errors import UnsupportedConstruct
from tests.lakeschema.translation.relations import DEFAULT, interfaces

TABLE = "CREATE TABLE t (s STRING, i INT, b BIGINT, ti TINYINT, d DOUBLE, de DECIMAL(10,2), da DATE, bi BINARY)"
VIEW = RelationName.of("default", "v")


def written(call: str) -> str:
    relations = relations_from_ddl([TABLE, f"CREATE VIEW v AS SELECT {call} AS x FROM t"])
    text = spark_view(relations[VIEW], interfaces(relations, VIEW, DEFAULT)).sql
    return text.removeprefix("SELECT ").partition(" AS `x`")[0]


@pytest.mark.parametrize(
    ("call", "form"),
    [
        ("stddev(d)", "stddev_pop(t1.`d`)"),
        ("variance(d)", "var_pop(t1.`d`)"),
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
    ],
)
def test_a_call_is_written_with_hives_meaning(call: str, form: str) -> None:
    grouped = " FROM t GROUP BY i --" if call.startswith("grouping") else ""

    assert form in written(f"{call}{f' AS x{grouped}' if grouped else ''}")


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        ("st_area(bi)", "geometries are of a type of their own"),
        ("ds_hll_estimate(bi)", "sketches hold other bytes"),
        ("round(d, i)", "needs to see the number"),
        ("octet_length(bi)", "counts bytes that it has reserved"),
        ("trunc(d, 2)", "cuts days only"),
        ("add_months(da, 1, 'yyyy')", "takes no format"),
        ("CAST(da AS STRING FORMAT 'yyyy')", "other patterns"),
    ],
)
def test_what_spark_cannot_give_is_refused_with_the_reason(call: str, reason: str) -> None:
    with pytest.raises(UnsupportedConstruct, match=reason):
        written(call)
