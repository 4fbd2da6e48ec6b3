"""The view's recorded setting decides the meaning of ``timestamp`` in a Spark view."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from lakeschema.avro.model import LogicalType, Primitive, Union
from lakeschema.catalog.column_types import print_type
from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect, Relation
from lakeschema.translation.deriving.derivation import derive
from lakeschema.translation.emission.spark.view import spark_view
from lakeschema.translation.model.errors import TypeMismatch, UnsupportedConstruct
from lakeschema.translation.model.interface import Derivation, Interface, Options
from tests.lakeschema.translation.relations import field, interfaces

TABLE = "CREATE TABLE t (ts TIMESTAMP, n TIMESTAMP_NTZ, d DATE, s STRING);"
NTZ, LTZ = (
    {"spark.sql.timestampType": "TIMESTAMP_NTZ"},
    {"spark.sql.timestampType": "TIMESTAMP_LTZ"},
)


def view_of(
    columns: str, configs: dict[str, str], dialect: Dialect = Dialect.SPARK
) -> tuple[Relation, Mapping[RelationName, Interface]]:
    relations = relations_from_ddl([f"{TABLE} CREATE VIEW v AS SELECT {columns} FROM t"], dialect)
    name = RelationName.of("default", "v")
    relation = relations[name]
    assert relation.view is not None
    view = replace(relation.view, sql_configs=configs)
    return replace(relation, view=view), interfaces(relations, name)


def derivation_of(
    columns: str, configs: dict[str, str], dialect: Dialect = Dialect.SPARK
) -> Derivation:
    return derive(*view_of(columns, configs, dialect), Options())


def type_of(expression: str, configs: dict[str, str], dialect: Dialect = Dialect.SPARK) -> str:
    derivation = derivation_of(f"{expression} AS x", configs, dialect)
    return print_type(derivation.interface.columns[0].type)


# What Spark 4.1 answers under each setting.
@pytest.mark.parametrize(
    ("expression", "under_ltz", "under_ntz"),
    [
        ("CAST(s AS TIMESTAMP)", "timestamp", "timestamp_ntz"),
        ("TRY_CAST(s AS TIMESTAMP)", "timestamp", "timestamp_ntz"),
        ("CAST(ts AS TIMESTAMP)", "timestamp", "timestamp_ntz"),
        ("CAST(array(s) AS ARRAY<TIMESTAMP>)", "array<timestamp>", "array<timestamp_ntz>"),
        ("s::TIMESTAMP", "timestamp", "timestamp_ntz"),
        ("TIMESTAMP '2020-01-01 00:00:00'", "timestamp", "timestamp_ntz"),
        ("TIMESTAMP '2020-01-01'", "timestamp", "timestamp_ntz"),
        ("TIMESTAMP '2020-01-01 00:00:00Z'", "timestamp", "timestamp"),
        ("TIMESTAMP '2020-01-01 00:00:00 Europe/Paris'", "timestamp", "timestamp"),
        ("to_timestamp(s)", "timestamp", "timestamp_ntz"),
        ("to_timestamp(s, 'yyyy')", "timestamp", "timestamp_ntz"),
        ("try_to_timestamp(s)", "timestamp", "timestamp_ntz"),
        *(
            (expression, "timestamp", "timestamp")
            for expression in (
                *("CAST(s AS TIMESTAMP_LTZ)", "s::TIMESTAMP_LTZ", "to_timestamp_ltz(s)"),
                *("TIMESTAMP_LTZ '2020-01-01 00:00:00'", "current_timestamp()", "now()", "ts"),
                *("date_trunc('DAY', n)", "timestamp_seconds(1)", "timestamp_micros(1)"),
                *("from_utc_timestamp(n, 'UTC')", "d + INTERVAL '1' HOUR", "coalesce(n, ts)"),
                "ts + INTERVAL '1' HOUR",
            )
        ),
        *(
            (expression, "timestamp_ntz", "timestamp_ntz")
            for expression in (
                *("CAST(s AS TIMESTAMP_NTZ)", "s::TIMESTAMP_NTZ", "to_timestamp_ntz(s)", "n"),
                *("TIMESTAMP_NTZ '2020-01-01 00:00:00'", "localtimestamp()", "coalesce(n, d)"),
                *("n + INTERVAL '1' HOUR", "max(n) OVER ()"),
            )
        ),
    ],
)
def test_the_recorded_setting_says_what_timestamp_means(
    expression: str, under_ltz: str, under_ntz: str
) -> None:
    assert type_of(expression, {}) == under_ltz
    assert type_of(expression, LTZ) == under_ltz
    assert type_of(expression, NTZ) == under_ntz


def test_a_number_is_an_instant_only() -> None:
    assert type_of("CAST(1 AS TIMESTAMP)", LTZ) == "timestamp"
    with pytest.raises(TypeMismatch, match="cannot be cast to timestamp_ntz"):
        type_of("CAST(1 AS TIMESTAMP)", NTZ)


def test_hive_has_no_such_setting() -> None:
    assert type_of("CAST(s AS TIMESTAMP)", NTZ, Dialect.HIVE) == "timestamp"


@pytest.mark.parametrize(
    ("expression", "logical"),
    [
        ("CAST(s AS TIMESTAMP)", "local-timestamp-micros"),
        ("CAST(s AS TIMESTAMP_LTZ)", "timestamp-micros"),
        ("n", "local-timestamp-micros"),
        ("ts", "timestamp-micros"),
    ],
)
def test_a_time_without_a_zone_is_a_local_timestamp(expression: str, logical: str) -> None:
    found = field(derivation_of(f"{expression} AS x", NTZ), "x")

    (*_, type_) = found.type.branches if isinstance(found.type, Union) else (found.type,)
    assert type_ == Primitive("long", LogicalType(logical))


def test_the_option_for_hives_timestamps_leaves_those_of_spark_views_alone() -> None:
    options = Options(local_timestamps=True)
    logical = [
        repr(field(derive(*view_of("CAST(s AS TIMESTAMP) AS x", {}, dialect), options), "x").type)
        for dialect in (Dialect.SPARK, Dialect.HIVE)
    ]

    assert "name='timestamp-micros'" in logical[0]
    assert "name='local-timestamp-micros'" in logical[1]


def test_the_emitted_query_says_which_of_the_two_it_means() -> None:
    columns = (
        "CAST(s AS TIMESTAMP) AS a, CAST(s AS TIMESTAMP_LTZ) AS b, to_timestamp(s) AS c, "
        "TIMESTAMP '2020-01-01 00:00:00' AS d"
    )
    relation, upstreams = view_of(columns, NTZ)
    assert relation.view is not None

    query = spark_view(relation, upstreams, Options())

    assert query.settings["spark.sql.timestampType"] == "TIMESTAMP_LTZ"
    view = replace(relation.view, text=query.sql, sql_configs=query.settings)
    again = derive(replace(relation, view=view), upstreams, Options())
    assert [print_type(c.type) for c in again.interface.columns] == [
        "timestamp_ntz", "timestamp", "timestamp_ntz", "timestamp_ntz",
    ]  # fmt: skip


def test_what_the_emitted_query_cannot_say_is_refused() -> None:
    relation, upstreams = view_of("try_to_timestamp(s) AS a", NTZ)

    with pytest.raises(UnsupportedConstruct, match="try_to_timestamp without a time zone"):
        spark_view(relation, upstreams, Options())
