from __future__ import annotations

import pytest

from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect, Relation, ViewText
from lakeschema.translation.model.errors import UnsupportedConstruct
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


def test_a_star_after_with_is_refused() -> None:
    with pytest.raises(UnsupportedConstruct, match=r"list the columns instead of \*"):
        expanded("WITH x AS (SELECT 1 AS one) SELECT * FROM x", "one")
