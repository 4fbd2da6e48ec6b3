"""A table under policies is written for each engine as the view that selects all of its columns."""

from __future__ import annotations

from typing import Any

import pytest

from lakeschema.avro.printing import to_json
from lakeschema.catalog.relations import Dialect
from lakeschema.translation.model.errors import (
    CannotEnforce,
    UnknownColumn,
    UnsupportedConstruct,
    UnsupportedType,
)
from lakeschema.translation.plan.explain import explain
from lakeschema.translation.products.governed import GovernedRelation
from tests.lakeschema.translation.policies.governing import governed, on

TABLE = "CREATE TABLE customers (id INT, email STRING) PARTITIONED BY (day DATE)"
CUSTOMERS = "default.customers"
ENGINES = ("spark", "trino", "hive", "pig")


def masked(*rules: dict[str, Any], table: str = TABLE, **more: Any) -> GovernedRelation:
    return governed([], *rules, table=table, name="customers", **more)


def text_of(found: GovernedRelation, engine: str) -> str:
    match engine:
        case "spark":
            return found.spark().sql
        case "trino":
            return found.trino().sql
        case "hive":
            return found.hive().sql
        case _:
            return found.pig().statements[-1]


def select(columns: str, engine: str) -> str:
    if engine == "pig":
        return f"customers = FOREACH customers_2 GENERATE {columns};"
    quote = '"' if engine == "trino" else "`"
    table = ".".join(f"{quote}{part}{quote}" for part in ("default", "customers"))
    return f"SELECT {columns} FROM {table} AS t1"


@pytest.mark.parametrize(
    ("mask", "engine", "email"),
    [
        ({"mask": "null"}, "spark", "CAST(NULL AS STRING) AS `email`"),
        ({"mask": "null"}, "trino", 'CAST(NULL AS varchar) AS "email"'),
        ({"mask": "null"}, "hive", "CAST(NULL AS STRING) AS `email`"),
        ({"mask": "null"}, "pig", "(chararray)null AS email"),
        (
            {"mask": "hash", "salt": "it's"},
            "spark",
            "sha2(concat('it\\'s', t1.`email`), 256) AS `email`",
        ),
        (
            {"mask": "hash", "salt": "it's"},
            "trino",
            (
                "CAST(lower(to_hex(sha256(to_utf8(concat('it''s', t1.\"email\"))))) AS varchar)"
                ' AS "email"'
            ),
        ),
        (
            {"mask": "hash", "salt": "it's"},
            "hive",
            "sha2(concat('it\\'s', t1.`email`), 256) AS `email`",
        ),
        (
            {"mask": "hash", "salt": "it's"},
            "pig",
            "hive_sha2!((chararray)CONCAT('it\\'s', email), 256) AS email",
        ),
        ({"mask": "constant", "value": "hidden"}, "spark", "'hidden' AS `email`"),
        (
            {"mask": "constant", "value": "hidden"},
            "trino",
            "CAST('hidden' AS varchar) AS \"email\"",
        ),
        ({"mask": "constant", "value": "hidden"}, "hive", "'hidden' AS `email`"),
        ({"mask": "constant", "value": "hidden"}, "pig", "'hidden' AS email"),
    ],
)
def test_a_mask_stands_among_all_columns_in_their_order(
    mask: dict[str, Any], engine: str, email: str
) -> None:
    quoted = {"trino": 't1."id", {}, t1."day"', "pig": "id, {}, day"}
    columns = quoted.get(engine, "t1.`id`, {}, t1.`day`").format(email)

    found = masked(on("email", **mask))

    assert text_of(found, engine) == select(columns, engine)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_part_of_a_text_is_shown(engine: str) -> None:
    text = text_of(masked(on("email", mask="partial", keep_last=4)), engine)

    assert "'****'" in text
    assert ">= 8" in text
    assert "-4" in text


@pytest.mark.parametrize("engine", ENGINES)
def test_a_dropped_column_is_not_in_the_text(engine: str) -> None:
    found = masked(on("email", drop=True))

    assert "email" not in text_of(found, engine)
    assert found.names == ("id", "day")
    assert found.dropped == ("email",)


def test_a_column_of_a_type_that_an_engine_lacks_can_be_dropped() -> None:
    table = "CREATE TABLE customers (id INT, choice UNIONTYPE<INT, STRING>)"

    found = masked(on("choice", drop=True), table=table)

    for engine in ("spark", "trino", "hive"):
        assert "choice" not in text_of(found, engine)
    with pytest.raises(UnsupportedType, match="uniontype"):
        masked(on("choice", mask="null"), table=table).spark()


@pytest.mark.parametrize(
    ("engine", "day"),
    [
        ("spark", "sha2(CAST(t1.`day` AS STRING), 256) AS `day`"),
        ("trino", "sha256(to_utf8("),
        ("hive", "sha2(CAST(t1.`day` AS STRING), 256) AS `day`"),
        ("pig", "hive_sha2!(ToString(day, 'yyyy-MM-dd'), 256) AS day"),
    ],
)
def test_a_column_of_partitions_is_masked(engine: str, day: str) -> None:
    assert day in text_of(masked(on("day", mask="hash")), engine)


@pytest.mark.parametrize(
    ("engine", "rows"),
    [
        ("spark", "WHERE (t1.`email` LIKE '%.de')"),
        ("trino", "WHERE (t1.\"email\" LIKE '%.de')"),
        ("hive", "WHERE (t1.`email` LIKE '%.de')"),
        ("pig", "customers_filtered = FILTER customers_2 BY "),
    ],
)
def test_a_row_filter_reads_the_values_below_the_masks(engine: str, rows: str) -> None:
    rule = {"tables": [CUSTOMERS], "filter": "email LIKE '%.de'"}

    found = masked(on("email", mask="null"), rule)

    text = found.pig().text if engine == "pig" else text_of(found, engine)
    assert rows in text
    assert [str(name) for name in found.filtered] == [CUSTOMERS]
    assert explain(found.plan()).splitlines() == [
        "project id as id, null as email, day as day",
        "  filter (email like '%.de')",
        "    scan default.customers (id int, email string, day date)",
    ]


def test_each_group_has_its_own_text() -> None:
    rules = (on("email", mask="null", except_groups=["auditors"]),)

    auditors = masked(*rules, group="auditors", groups=["auditors"])
    others = masked(*rules, groups=["auditors"])

    assert auditors.hive().sql == select("t1.`id`, t1.`email`, t1.`day`", "hive")
    assert others.hive().sql == select("t1.`id`, CAST(NULL AS STRING) AS `email`, t1.`day`", "hive")
    assert others.governed["email"].masks == {("default.customers.email", "null")}


@pytest.mark.parametrize(
    ("engine", "columns"),
    [
        ("spark", "t1.`id`, t1.`email`, t1.`day`"),
        ("trino", 't1."id", CAST(t1."email" AS varchar) AS "email", t1."day"'),
        ("hive", "t1.`id`, t1.`email`, t1.`day`"),
    ],
)
def test_a_table_that_no_policy_is_about_is_written_whole(engine: str, columns: str) -> None:
    assert text_of(masked(), engine) == select(columns, engine)


def test_a_table_that_no_policy_is_about_is_loaded_by_pig() -> None:
    assert masked().pig().statements[-1].startswith("customers = LOAD 'default.customers' ")


HOSTILE = 'CREATE TABLE customers (`select` INT, `x y` STRING, `a"b` STRING, `--` STRING)'


@pytest.mark.parametrize(
    ("engine", "columns"),
    [
        ("spark", 't1.`select`, CAST(NULL AS STRING) AS `x y`, t1.`a"b`, t1.`--`'),
        (
            "trino",
            (
                't1."select", CAST(NULL AS varchar) AS "x y", CAST(t1."a""b" AS varchar) AS "a""b",'
                ' CAST(t1."--" AS varchar) AS "--"'
            ),
        ),
        ("hive", 't1.`select`, CAST(NULL AS STRING) AS `x y`, t1.`a"b`, t1.`--`'),
        ("pig", "select, (chararray)null AS x_y, $2 AS a_b, $3 AS c"),
    ],
)
def test_hostile_names_are_quoted(engine: str, columns: str) -> None:
    found = masked(on("x y", mask="null"), table=HOSTILE)

    text = text_of(found, engine)

    assert text == select(columns, engine)


def test_capitals_of_a_table_of_spark_are_read_as_each_engine_has_them() -> None:
    table = "CREATE TABLE customers (Id INT, Email STRING, Card STRUCT<No: STRING>) USING parquet"

    found = masked(on("email", mask="null"), table=table, dialect=Dialect.SPARK)

    assert found.names == ("Id", "Email", "Card")
    assert "t1.`Id`, CAST(NULL AS STRING) AS `Email`" in found.spark().sql
    assert text_of(found, "pig") == select("id, (chararray)null AS email, card", "pig")


def test_a_view_of_hive_reads_the_lower_case_of_a_masked_table() -> None:
    table = (
        "-- dialect: spark\n"
        "CREATE TABLE customers (Email STRING, Card STRUCT<No: STRING>) USING parquet"
    )

    found = governed("SELECT * FROM customers", on("email", mask="null"), table=table)

    assert 'CAST(t1."card" AS ROW("no" varchar))' in found.trino().sql
    assert found.names == ("email", "card")


def test_the_schema_is_the_masked_tables() -> None:
    found = masked(on("email", mask="constant", value="x"), on("id", drop=True))

    schema: Any = to_json(found.schema)
    assert schema["name"] == "Customers"
    assert [(field["name"], field["type"]) for field in schema["fields"]] == [
        ("email", "string"),
        ("day", ["null", {"type": "int", "logicalType": "date"}]),
    ]


def test_padded_texts_are_refused_for_hive_unless_they_are_masked() -> None:
    table = "CREATE TABLE customers (id INT, code CHAR(3))"

    with pytest.raises(UnsupportedConstruct, match=r"default\.customers: a CHAR"):
        masked(on("id", mask="null"), table=table).hive()
    assert masked(on("code", mask="null"), table=table).hive().sql == select(
        "t1.`id`, CAST(NULL AS STRING) AS `code`", "hive"
    )


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (on("emial", mask="null"), "there is no such column"),
        (on("id", mask="partial", keep_last=2), "type int has no partial mask"),
        (on("*", drop=True), "no column would remain"),
    ],
)
def test_a_rule_that_does_not_fit_the_table_is_refused(rule: dict[str, Any], message: str) -> None:
    with pytest.raises(CannotEnforce, match=message):
        masked(rule)


def test_a_filter_of_a_column_that_is_not_there_is_refused() -> None:
    with pytest.raises(UnknownColumn):
        masked({"tables": [CUSTOMERS], "filter": "nope = 1"}).spark()
