from __future__ import annotations

import pytest

from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect, Relation, ViewText
from lakeschema.translation.model.interface import Options
from lakeschema.translation.products.expanded_text import expanded_text

NAME = RelationName.of("shop", "totals")
FUNCTIONS = {"functions": "CLEAN:com.example.Clean"}


def expanded(text: str, *columns: str) -> str:
    view = ViewText(Dialect.HIVE, text, text, ("shop",))
    return expanded_text(Relation(NAME, (), properties=FUNCTIONS, view=view), columns, Options())


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("SELECT id FROM orders", "SELECT id FROM `shop`.orders"),
        ("SELECT id FROM `orders` o", "SELECT id FROM `shop`.`orders` o"),
        ("SELECT id FROM other.orders", "SELECT id FROM other.orders"),
        ("SELECT id FROM `other.orders`", "SELECT id FROM `other.orders`"),
        (
            "SELECT a.id -- from orders\nFROM orders a JOIN orders b ON a.id = b.id",
            "SELECT a.id -- from orders\nFROM `shop`.orders a JOIN `shop`.orders b ON a.id = b.id",
        ),
        (
            "WITH orders AS (SELECT id FROM old) SELECT id FROM orders",
            "WITH orders AS (SELECT id FROM `shop`.old) SELECT id FROM orders",
        ),
        (
            "SELECT id FROM orders WHERE id IN (SELECT id FROM old)",
            "SELECT id FROM `shop`.orders WHERE id IN (SELECT id FROM `shop`.old)",
        ),
        ("SELECT count(*) FROM orders", "SELECT count(*) FROM `shop`.orders"),
        (
            "SELECT clean(`CLEAN`(note)), 'clean(x)' FROM orders",
            "SELECT shop_totals_clean(`shop_totals_CLEAN`(note)), 'clean(x)' FROM `shop`.orders",
        ),
        ("SELECT lib.clean(note) FROM orders", "SELECT lib.clean(note) FROM `shop`.orders"),
        ("SELECT 'ä', id FROM orders", "SELECT 'ä', id FROM `shop`.orders"),
    ],
)
def test_names_become_complete_and_the_rest_stays(text: str, stored: str) -> None:
    assert expanded(text) == stored


@pytest.mark.parametrize("star", ["*", "o.*"])
def test_a_star_is_enclosed_in_the_columns_that_it_stands_for(star: str) -> None:
    assert expanded(f"SELECT {star} FROM orders o", "id", "Note") == (
        f"SELECT `v`.`id`, `v`.`Note` FROM (\nSELECT {star} FROM `shop`.orders o\n) `v`"
    )


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        (
            "WITH x AS (SELECT ')' AS one), y AS (SELECT one FROM x)\n-- all\nSELECT * FROM y",
            (
                "WITH x AS (SELECT ')' AS one), y AS (SELECT one FROM x), `v` AS (\n"
                "-- all\nSELECT * FROM y\n) SELECT `v`.`one` FROM `v`"
            ),
        ),
        (
            "WITH V AS (SELECT 1 AS one), `v_` AS (SELECT * FROM V) SELECT * FROM old, `v_`",
            (
                "WITH V AS (SELECT 1 AS one), `v_` AS (SELECT * FROM V), `v__` AS (\n"
                "SELECT * FROM `shop`.old, `v_`\n) SELECT `v__`.`one` FROM `v__`"
            ),
        ),
        (
            "WITH x AS (SELECT * FROM old) SELECT one FROM x",
            "WITH x AS (SELECT * FROM `shop`.old) SELECT one FROM x",
        ),
    ],
)
def test_with_a_star_becomes_the_last_table_of_the_with(text: str, stored: str) -> None:
    assert expanded(text, "one") == stored
