import pytest

from lakeschema.translation.requests.batch import answer
from tests.lakeschema.translation.emission.pig.pig_batches import (
    DDL,
    answered,
    refusal,
    script,
    steps,
)

ORDERS = "orders = LOAD 'shop.orders';"
BUYERS = "buyers = LOAD 'shop.buyers';"


def test_a_script_names_its_last_alias_and_its_schema() -> None:
    result = answered("SELECT id, buyer AS who, price FROM orders")["result"]

    assert result["alias"] == "v"
    assert result["statements"][-1] == "v = FOREACH orders GENERATE id, buyer AS who, price;"
    assert result["schema"] == "id:int, who:chararray, price:bigdecimal"
    assert result["defines"] == []


def test_tables_are_loaded_by_the_metastores_loader_whatever_the_case_of_their_files_columns() -> (
    None
):
    assert answered("SELECT id FROM orders")["result"]["statements"][:2] == [
        "SET orc.schema.evolution.case.sensitive 'false';",
        "orders = LOAD 'shop.orders' USING org.apache.hive.hcatalog.pig.HCatLoader();",
    ]


def test_a_reserved_name_is_read_by_its_position_and_gets_another() -> None:
    assert script("SELECT `order` FROM orders") == [
        ORDERS,
        "v = FOREACH orders GENERATE $10 AS order_;",
    ]


def test_a_filter_is_a_statement_of_its_own() -> None:
    assert script("SELECT id FROM orders WHERE amount > 5 AND NOT paid") == [
        ORDERS,
        "orders_filtered = FILTER orders BY (amount > 5) AND (NOT (paid == true));",
        "v = FOREACH orders_filtered GENERATE id;",
    ]


def test_fields_of_a_join_lose_their_sides_at_once() -> None:
    assert script("SELECT o.id, b.age FROM orders o JOIN buyers b ON o.buyer = b.name") == [
        ORDERS,
        BUYERS,
        "orders_buyers_joined = JOIN orders BY buyer, buyers BY name;",
        "v = FOREACH orders_buyers_joined GENERATE orders::id AS id, buyers::age AS age;",
    ]


def test_a_join_with_itself_loads_twice() -> None:
    assert script("SELECT a.name, b.age FROM buyers a JOIN buyers b ON a.age = b.age")[:3] == [
        BUYERS,
        "buyers_2 = LOAD 'shop.buyers';",
        "buyers_joined = JOIN buyers BY age, buyers_2 BY age;",
    ]


def test_a_join_without_equality_is_a_filter_of_all_pairs() -> None:
    assert script("SELECT o.id FROM orders o JOIN buyers b ON o.amount < b.age")[2:4] == [
        "orders_buyers_crossed = CROSS orders, buyers;",
        "orders_buyers_filtered = FILTER orders_buyers_crossed BY orders::amount < buyers::age;",
    ]


@pytest.mark.parametrize(
    ("condition", "test"),
    [
        ("EXISTS (SELECT 1 FROM buyers b WHERE b.name = o.buyer)", "NOT IsEmpty(buyers)"),
        ("NOT EXISTS (SELECT 1 FROM buyers b WHERE b.name = o.buyer)", "IsEmpty(buyers)"),
    ],
)
def test_a_tied_sub_query_is_a_group_of_both_sides(condition: str, test: str) -> None:
    assert script(f"SELECT id FROM orders o WHERE {condition}")[2:4] == [
        "orders_buyers_grouped = COGROUP orders BY buyer, buyers BY name;",
        f"orders_kept = FILTER orders_buyers_grouped BY {test};",
    ]


def test_rows_are_counted_with_those_whose_first_field_is_null() -> None:
    assert script("SELECT buyer, count(*) AS n, count(amount) AS m FROM orders GROUP BY buyer") == [
        ORDERS,
        "orders_grouped = GROUP orders BY buyer;",
        (
            "orders_groups = FOREACH orders_grouped GENERATE group AS buyer,"
            " COUNT_STAR(orders) AS count, COUNT(orders.amount) AS count_2;"
        ),
        "v = FOREACH orders_groups GENERATE buyer, count AS n, count_2 AS m;",
    ]


def test_an_aggregate_of_no_rows_is_a_row() -> None:
    assert script("SELECT count(*) AS n FROM orders WHERE amount > 5")[2:4] == [
        "orders_one = LIMIT orders 1;",
        "orders_grouped = COGROUP orders_filtered BY (id is null ? 1 : 1), orders_one BY (id is null ? 1 : 1);",
    ]


def test_nulls_are_last_ascending_and_first_descending() -> None:
    statements = script("SELECT id, amount FROM orders ORDER BY amount, id DESC")

    assert statements[2:4] == [
        (
            "orders_keyed = FOREACH orders_columns GENERATE id, amount, (amount is null ? 1 : 0) AS"
            " nulls_1, amount AS key_1, (id is null ? 0 : 1) AS nulls_2, id AS key_2;"
        ),
        "orders_ordered = ORDER orders_keyed BY nulls_1, key_1, nulls_2, key_2 DESC;",
    ]


def test_branches_of_a_union_are_called_alike() -> None:
    statements = script("SELECT id FROM orders UNION ALL SELECT age FROM buyers")

    assert "buyers_branch = FOREACH buyers_columns GENERATE age AS id;" in statements
    assert statements[-1] == "v = UNION orders_branch, buyers_branch;"


def test_equal_rows_are_found_in_groups_where_nulls_are_alike() -> None:
    statements = script("SELECT id FROM orders EXCEPT SELECT age FROM buyers")

    assert "orders_buyers_grouped = GROUP orders_buyers_union BY id;" in statements
    assert (
        "orders_buyers_kept = FILTER orders_buyers_found BY in_left > 0 AND in_right == 0;"
        in statements
    )


def test_a_null_bag_makes_no_row() -> None:
    assert script("SELECT id, tag FROM orders LATERAL VIEW explode(tags) t AS tag")[1] == (
        "orders_not_empty = FILTER orders BY tags is not null AND NOT IsEmpty(tags);"
    )


def test_a_view_that_is_read_is_written_before_its_reader() -> None:
    views = ["CREATE VIEW adults AS SELECT name FROM buyers WHERE age > 17"]

    assert script("SELECT name FROM adults", views=views) == [
        BUYERS,
        "buyers_filtered = FILTER buyers BY age > 17;",
        "buyers_columns = FOREACH buyers_filtered GENERATE name;",
        "v = FOREACH buyers_columns GENERATE name;",
    ]


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("SELECT 1 AS one", "a query without a table for Pig"),
        ("SELECT notes[buyer] AS n FROM orders", "a computed index or key for Pig"),
        ("SELECT at FROM orders", "Pig's datetime only has milliseconds"),
        ("SELECT CAST(price AS STRING) AS p FROM orders", "decimal(10,2) to string for Pig"),
        ("SELECT price / 3 AS p FROM orders", "/ of decimals for Pig"),
        ("SELECT xpath_string(buyer, 'a') AS x FROM orders", "no known equivalent in Pig"),
        ("SELECT transform(id) USING 'cat' AS (x) FROM orders", "has no equivalent in Pig"),
    ],
)
def test_what_pig_cannot_do_is_refused_with_its_reason(sql: str, reason: str) -> None:
    assert reason in refusal(sql)


def test_a_view_of_sparks_is_refused() -> None:
    ddl = ["CREATE TABLE t (id INT)", "CREATE VIEW w AS SELECT id FROM t"]
    request = {"id": 1, "ddl": ddl, "relation": "default.w", "to": "pig", "dialect": "spark"}

    assert "Spark's dialect" in answer(request)["error"]["message"]


def test_a_table_has_no_script() -> None:
    request = {"id": 1, "ddl": list(DDL), "relation": "shop.orders", "to": "pig"}

    assert answer(request)["error"]["type"] == "InvalidRequest"


def test_a_map_that_is_loaded_is_told_the_type_of_its_values_at_the_end() -> None:
    *_, last = steps("SELECT id, notes AS n FROM orders")

    assert last == "v = FOREACH orders_columns GENERATE id, n AS n:map[int];"


SMALL = ["CREATE TABLE small (id INT, levels ARRAY<SMALLINT>)"]


def test_a_column_with_small_numbers_inside_is_left_out_where_nothing_reads_it() -> None:
    *_, stored, _ = script("SELECT id FROM small", views=SMALL)

    assert (
        stored == "small_storable = FOREACH small GENERATE id, null AS levels:bag{tuple(item:int)};"
    )


@pytest.mark.parametrize("item", ["levels", "levels[0]", "size(levels)"])
def test_a_column_with_small_numbers_inside_is_refused_where_it_is_read(item: str) -> None:
    reason = refusal(f"SELECT {item} AS x FROM small", views=SMALL)

    assert "HCatLoader keeps its one- or two-byte numbers" in reason
