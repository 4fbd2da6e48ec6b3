"""Views for a reader under policies: plans, types, nulls, texts; and refusals."""

from __future__ import annotations

from typing import Any

import pytest

from lakeschema.avro.printing import to_json
from lakeschema.catalog.relations import Dialect
from lakeschema.translation.model.errors import (
    CannotEnforce,
    MalformedSql,
    TooLarge,
    TranslationError,
    UnknownColumn,
    UnsupportedConstruct,
)
from lakeschema.translation.products.governed import GovernedRelation
from tests.lakeschema.translation.policies.governing import CUSTOMERS, governed, lines, on

HASH: dict[str, Any] = {"mask": "hash"}
NULL: dict[str, Any] = {"mask": "null"}
SCAN = "scan default.customers (id bigint, email string, card varchar(20), age int, country string)"
AVRO = (
    "CREATE TABLE customers (id BIGINT, email STRING, level STRING, rank STRING)"
    ' TBLPROPERTIES (\'avro.schema.literal\'=\'{"type": "record", "name": "c", "fields": ['
    '{"name": "id", "type": "long"},'
    '{"name": "email", "type": "string", "pii": true},'
    '{"name": "level", "type": {"type": "enum", "name": "Level", "symbols": ["LOW", "HIGH"]}},'
    '{"name": "rank", "type": "Level", "tags": ["inner"]}]}\')'
)


def fields(found: GovernedRelation) -> dict[str, Any]:
    schema: Any = to_json(found.schema)
    return {field["name"]: field["type"] for field in schema["fields"]}


def test_filters_and_conditions_of_a_view_see_only_masked_values() -> None:
    found = governed(
        "SELECT email FROM customers WHERE email LIKE 'a%'",
        on("email", mask="hash", salt="s"),
        {"tables": ["default.customers"], "filter": "age >= 18 -- adults"},
    )

    hashed = "sha2(concat('s', email), 256)"
    assert lines(found) == [
        "project email as email",
        "filter (email like 'a%')",
        f"project id as id, {hashed} as email, card as card, age as age, country as country",
        "filter (age >= 18)",
        SCAN,
    ]


def test_a_row_filter_stands_below_an_outer_join() -> None:
    found = governed(
        "SELECT l.id, r.country FROM customers l LEFT JOIN customers r ON l.id = r.id",
        {"tables": ["default.customers"], "filter": "country = 'DE'"},
    )

    assert lines(found)[1:3] == [
        "left join on (id = id)",
        "project id as id, email as email, card as card, age as age, country as country",
    ]
    assert lines(found).count("filter (country = 'DE')") == 2


def test_sub_queries_read_masked_values() -> None:
    found = governed(
        "SELECT id FROM customers c WHERE EXISTS (SELECT 1 FROM customers d WHERE d.email = c.email)",
        on("email", **NULL),
    )

    shown = "\n".join(lines(found))
    assert shown.count(SCAN) == shown.count("null as email")


@pytest.mark.parametrize(
    ("mask", "expected"),
    [
        ({"mask": "null"}, ["null", {"type": "enum", "name": "Level", "symbols": ["LOW", "HIGH"]}]),
        ({"mask": "hash"}, "string"),
        ({"mask": "partial", "keep_first": 1}, "string"),
        ({"mask": "constant", "value": "no level"}, "string"),
    ],
)
def test_a_masks_type_and_nulls_are_the_columns(mask: dict[str, Any], expected: Any) -> None:
    found = governed("SELECT * FROM customers", on("level", **mask), table=AVRO)

    level = fields(found)["level"]
    for each in level if isinstance(level, list) else ():
        if isinstance(each, dict):
            each.pop("namespace")
    assert level == expected
    assert fields(found)["id"] == "long"


def test_a_type_that_a_masked_column_defined_is_defined_where_it_is_used_next() -> None:
    found = governed("SELECT rank FROM customers", on("level", **HASH), table=AVRO)

    assert fields(found)["rank"]["symbols"] == ["LOW", "HIGH"]


def test_expressions_of_masked_columns_follow_their_types() -> None:
    found = governed(
        "SELECT coalesce(email, 'x') AS e, age + 1 AS a, id FROM customers",
        on("email", mask="constant", value="hidden"),
        on("age", **NULL),
    )

    assert fields(found) == {"e": "string", "a": ["null", "int"], "id": ["null", "long"]}


def test_a_dropped_column_leaves_with_what_is_made_of_it() -> None:
    found = governed(
        "SELECT id, upper(email) AS e, max(country) OVER (PARTITION BY email) AS m FROM customers",
        on("email", drop=True),
    )

    assert found.names == ("id",)
    assert found.dropped == ("e", "m")
    assert list(fields(found)) == ["id"]
    assert [column.name for column in found.spark().columns] == ["id"]
    assert "email" not in found.spark().sql.partition(" FROM ")[0]


@pytest.mark.parametrize(
    "text",
    [
        "SELECT id FROM customers WHERE email = 'a'",
        "SELECT l.id FROM customers l JOIN customers r ON l.email = r.email",
        "SELECT count(*) AS n FROM customers GROUP BY email",
        "SELECT id FROM customers WHERE id IN (SELECT age FROM customers WHERE email > 'a')",
    ],
)
def test_a_dropped_column_that_decides_rows_is_refused(text: str) -> None:
    with pytest.raises(CannotEnforce, match="it is dropped, but affects which rows"):
        governed(text, on("email", drop=True))


def test_what_is_left_without_columns_is_refused() -> None:
    with pytest.raises(CannotEnforce, match="no column would remain"):
        governed("SELECT email FROM customers", on("email", drop=True))


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (on("emial", **NULL), "there is no such column"),
        (on("age", mask="partial", keep_last=2), "type int has no partial mask"),
        (on("age", mask="constant", value="x"), "'x' is not a value of type int"),
        (on("age", mask="constant", value=2**31), "is not a value of type int"),
    ],
)
def test_a_rule_that_does_not_fit_is_refused(rule: dict[str, Any], message: str) -> None:
    with pytest.raises(CannotEnforce, match=message):
        governed("SELECT id FROM customers", rule)


@pytest.mark.parametrize(
    ("condition", "error"),
    [
        ("nope = 1", UnknownColumn),
        ("id = 1) OR (1 = 1", MalformedSql),
        ("1 = 1), (2", TranslationError),
        ("id IN (SELECT id FROM customers)", UnsupportedConstruct),
        ("count(*) > 1", TranslationError),
        ("row_number() OVER (ORDER BY id) = 1", UnsupportedConstruct),
        ("id + 1", TranslationError),
    ],
)
def test_a_filter_is_one_condition_of_one_row(
    condition: str, error: type[TranslationError]
) -> None:
    with pytest.raises(error):
        governed(
            "SELECT id FROM customers", {"tables": ["default.customers"], "filter": condition}
        ).plan()


def test_the_names_of_files_are_refused_where_a_policy_holds() -> None:
    text = "SELECT id, INPUT__FILE__NAME AS f FROM customers"

    assert governed(text).names == ("id", "f")
    with pytest.raises(UnsupportedConstruct, match="file or place, in a view with policies"):
        governed(text, on("email", **NULL)).plan()


def test_views_that_are_read_stand_in_the_text() -> None:
    found = governed(
        [
            "CREATE VIEW below AS SELECT email FROM customers",
            "CREATE VIEW v AS SELECT * FROM below",
        ],
        on("email", **HASH),
    )

    for text in (found.spark().sql, found.trino().sql, found.pig().text):
        assert "below" not in text.replace("below_", "")
        assert "sha2" in text or "sha256" in text


def test_a_rule_of_a_view_is_put_over_its_rows() -> None:
    ddl = [
        "CREATE VIEW below AS SELECT email, count(*) AS n FROM customers GROUP BY email",
        "CREATE VIEW v AS SELECT n, email FROM below",
    ]
    rules = (
        on("n", table="default.below", **NULL),
        {"tables": ["default.below"], "filter": "n > 5"},
    )

    above, itself = governed(ddl, *rules), governed(ddl, *rules, name="below")

    assert lines(above)[1:3] == [
        "project email as email, null as n",
        "filter (n > cast(5 as bigint))",
    ]
    assert lines(itself)[:2] == [
        "project email as email, null as n",
        "filter (n > cast(5 as bigint))",
    ]
    assert fields(above)["n"] == fields(itself)["n"] == ["null", "long"]


def test_patterns_are_about_tables_so_that_nothing_is_masked_twice() -> None:
    ddl = [
        "CREATE VIEW below AS SELECT email FROM customers",
        "CREATE VIEW v AS SELECT email FROM below",
    ]

    found = governed(ddl, {"tables": ["*"], "columns": ["email"], **HASH})

    assert found.spark().sql.count("sha2") == 1
    assert found.governed["email"].masks == {("default.customers.email", "hash")}


def test_tags_of_properties_fields_and_files_reach_the_views_above() -> None:
    by_file = governed(
        "SELECT upper(email) AS e FROM customers",
        {"tag": "pii", **NULL},
        tags={"pii": ["*.customers.email"]},
    )
    by_property = governed(
        "SELECT email AS e FROM customers",
        {"tag": "pii", **NULL},
        table=f"{CUSTOMERS} TBLPROPERTIES ('policy.tags.email' = 'contact, pii')",
    )
    by_field = governed("SELECT email AS e FROM customers", {"tag": "pii", **NULL}, table=AVRO)

    for found in (by_file, by_property, by_field):
        assert found.governed["e"].masks == {("default.customers.email", "null")}
        assert "pii" in found.governed["e"].tags


def test_a_tag_that_is_declared_of_no_column_is_refused() -> None:
    with pytest.raises(CannotEnforce, match="tag 'pii' names a column that does not exist"):
        governed("SELECT id FROM customers", tags={"pii": ["default.customers.emial"]})


def test_groups_get_variants() -> None:
    rules = (
        on("email", mask="none", groups=["fraud"]),
        on("email", **HASH),
        {"tables": ["default.customers"], "filter": "country = 'DE'", "except_groups": ["fraud"]},
    )
    text = "SELECT email FROM customers"

    fraud = governed(text, *rules, group="fraud", groups=["fraud", "sales"])
    sales = governed(text, *rules, group="sales", groups=["fraud", "sales"])

    assert lines(fraud) == ["project email as email", SCAN]
    assert "sha2" in sales.spark().sql
    assert [str(name) for name in sales.filtered] == ["default.customers"]


def test_a_table_property_chooses_tables() -> None:
    tagged = f"{CUSTOMERS} TBLPROPERTIES ('classification' = 'secret')"
    rule = {"property": "Classification=secret", "columns": ["*"], **NULL}

    assert lines(governed("SELECT id FROM customers", rule, table=tagged))[1].count("null as") == 5
    assert lines(governed("SELECT id FROM customers", rule))[1] == SCAN


def test_a_view_of_another_engine_below_is_refused() -> None:
    without_ansi = "TBLPROPERTIES ('view.sqlConfig.spark.sql.ansi.enabled' = 'false')"
    ddl = [
        f"CREATE VIEW below {without_ansi} AS SELECT email FROM customers",
        "CREATE VIEW v AS SELECT * FROM below",
    ]
    found = governed(ddl, on("email", **HASH), dialect=Dialect.SPARK)

    with pytest.raises(CannotEnforce, match="other settings"):
        found.spark()


def test_a_view_of_trino_can_have_null_and_constant_masks() -> None:
    constant = governed(
        "SELECT email FROM customers",
        on("email", mask="constant", value="x"),
        dialect=Dialect.TRINO,
    )
    hashed = governed("SELECT email FROM customers", on("email", **HASH), dialect=Dialect.TRINO)

    assert "'x'" in constant.spark().sql
    with pytest.raises(CannotEnforce, match="Trino's dialect"):
        hashed.spark()


def test_views_that_read_each_other_twice_are_limited() -> None:
    ddl = ["CREATE VIEW v0 AS SELECT id FROM customers"]
    ddl += [
        f"CREATE VIEW v{n} AS SELECT l.id FROM v{n - 1} l JOIN v{n - 1} r ON l.id = r.id"
        for n in range(1, 40)
    ]

    with pytest.raises(TooLarge, match="its text is longer than"):
        governed(ddl, on("email", **NULL), name="v39").spark()


@pytest.mark.parametrize("dialect", [Dialect.HIVE, Dialect.SPARK])
def test_every_mask_is_written_for_every_engine_that_reads_the_dialect(dialect: Dialect) -> None:
    found = governed(
        "SELECT * FROM customers",
        on("email", mask="partial", keep_first=3),
        on("card", mask="partial", keep_last=4),
        on("id", mask="hash", salt="it's \\ ${env:HOME}"),
        on("age", mask="constant", value=7),
        on("country", mask="constant", value="it's"),
        dialect=dialect,
    )

    assert [(c.name, c.nullable) for c in found.spark().columns] == [
        *(("id", True), ("email", True), ("card", True), ("age", False), ("country", False))
    ]
    assert "${env" not in found.spark().sql
    assert found.trino().types == ("varchar", "varchar", "varchar", "integer", "varchar")
    if dialect is Dialect.HIVE:
        assert found.pig().schema == (
            "id:chararray, email:chararray, card:chararray, age:int, country:chararray"
        )
