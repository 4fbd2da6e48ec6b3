"""The relation that a name in a view's text means, where a deployment has several catalogs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect, ViewText
from lakeschema.translation.model.errors import MalformedSql
from lakeschema.translation.model.interface import CatalogRule, Options
from lakeschema.translation.resolution.names import names_in

HIVE, SPARK, TRINO = Dialect.HIVE, Dialect.SPARK, Dialect.TRINO

RULES = {
    "hive": CatalogRule("", folds_case=True),
    "b": CatalogRule("b", folds_case=True),
    "ice": CatalogRule("ice", folds_case=False),
    "Lake": CatalogRule("ice", folds_case=False),
}


def meaning(
    text: str,
    dialect: Dialect = SPARK,
    home: str = "",
    recorded: str | None = None,
    namespace: tuple[str, ...] = ("shop",),
    **options: frozenset[str],
) -> str:
    view = ViewText(dialect, "", "", namespace, current_catalog=recorded)
    names = names_in(view, home, Options(catalogs=RULES, **options))  # type: ignore[arg-type]
    return str(names.relation(tuple(text.split("."))))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Orders", "shop.orders"),
        ("Sales.Orders", "sales.orders"),
        ("b.Sales.Orders", "b:sales.orders"),
        ("B.sales.orders", "b:sales.orders"),
        ("ice.Sales.Orders", "ice:`Sales`.`Orders`"),
        ("Lake.sales.orders", "ice:sales.orders"),
        ("ice.sales.eu.orders", "ice:sales.eu.orders"),
        ("hive.sales.orders", "sales.orders"),
        ("spark_catalog.sales.orders", "sales.orders"),
        ("other.sales.orders", "other.sales.orders"),
    ],
)
@pytest.mark.parametrize("dialect", [HIVE, SPARK, TRINO])
def test_a_whole_name_means_the_same_in_every_dialect(
    text: str, expected: str, dialect: Dialect
) -> None:
    assert meaning(text, dialect) == expected


@pytest.mark.parametrize("catalog", ["b", "ice", "hive", "spark_catalog"])
def test_two_parts_are_a_database_and_a_table_in_hive(catalog: str) -> None:
    assert meaning(f"{catalog}.orders", HIVE) == f"{catalog}.orders"


@pytest.mark.parametrize("dialect", [SPARK, TRINO])
def test_two_parts_may_begin_with_a_catalog_elsewhere(dialect: Dialect) -> None:
    assert meaning("ice.Orders", dialect) == "ice:`Orders`"


@pytest.mark.parametrize("dialect", [SPARK, TRINO])
def test_a_database_called_like_the_default_catalog_stays_reachable(dialect: Dialect) -> None:
    assert meaning("hive.orders", dialect) == "hive.orders"


@pytest.mark.parametrize(
    ("recorded", "text", "expected"),
    [
        ("b", "orders", "b:shop.orders"),
        ("b", "sales.orders", "b:sales.orders"),
        ("ice", "Orders", "ice:shop.`Orders`"),
        ("Lake", "Orders", "ice:shop.`Orders`"),
        ("hive", "Orders", "shop.orders"),
        ("b", "hive.sales.orders", "sales.orders"),
        ("b", "ice.sales.orders", "ice:sales.orders"),
    ],
)
@pytest.mark.parametrize("home", ["", "b", "ice"])
def test_names_are_looked_up_in_the_catalog_and_namespace_that_the_view_recorded(
    recorded: str, text: str, expected: str, home: str
) -> None:
    assert meaning(text, home=home, recorded=recorded) == expected


@pytest.mark.parametrize(
    ("home", "text", "expected"),
    [
        ("b", "Orders", "b:shop.orders"),
        ("b", "sales.Orders", "b:sales.orders"),
        ("ice", "Orders", "ice:shop.`Orders`"),
        ("ice", "sales.eu.Orders", "ice:sales.eu.`Orders`"),
        ("ice", "hive.sales.Orders", "sales.orders"),
    ],
)
def test_without_a_recorded_catalog_names_are_in_the_views_own(
    home: str, text: str, expected: str
) -> None:
    assert meaning(text, home=home) == expected


def test_sparks_session_catalog_is_the_metastore_that_has_the_view() -> None:
    assert meaning("spark_catalog.sales.orders") == "sales.orders"
    assert meaning("spark_catalog.sales.orders", home="b") == "b:sales.orders"


def test_sparks_session_catalog_is_the_default_one_for_views_elsewhere() -> None:
    assert meaning("spark_catalog.Sales.orders", home="ice") == "sales.orders"


@pytest.mark.parametrize("catalog", ["spark_catalog", "hive", "Hive", "b"])
def test_a_name_with_a_catalog_means_the_same_from_a_namespace_of_many_levels(catalog: str) -> None:
    expected = "b:sales.orders" if catalog == "b" else "sales.orders"

    assert meaning(f"{catalog}.sales.orders", home="ice", namespace=("a", "b")) == expected


def test_a_catalog_of_the_deployment_may_itself_be_called_spark_catalog() -> None:
    rules = {**RULES, "spark_catalog": CatalogRule("b", folds_case=True)}
    view = ViewText(SPARK, "", "", ("shop",))

    names = names_in(view, "ice", Options(catalogs=rules))

    assert names.relation(("spark_catalog", "sales", "orders")).catalog == "b"


def test_an_unknown_recorded_catalog_is_the_views_own() -> None:
    assert meaning("lake.sales.orders", home="b", recorded="lake") == "b:sales.orders"
    assert meaning("orders", home="b", recorded="lake") == "b:shop.orders"


def test_a_name_in_one_pair_of_backticks_holds_its_database_only_where_case_is_folded() -> None:
    view = ViewText(HIVE, "", "", ("shop",))
    names = names_in(view, "", Options(catalogs=RULES))
    kept = names_in(view, "ice", Options(catalogs=RULES))

    assert names.relation(("sales.orders",)) == RelationName(("sales",), "orders")
    assert kept.relation(("sales.orders",)) == RelationName(("shop",), "sales.orders", "ice")


def test_functions_are_of_no_catalog() -> None:
    view = ViewText(SPARK, "", "", ("shop",))
    names = names_in(view, "b", Options(catalogs=RULES))

    assert names.function(("f",)) == RelationName(("shop",), "f")


def test_an_empty_part_is_refused() -> None:
    with pytest.raises(MalformedSql, match="empty"):
        meaning("a..b")


part = st.text("abcABC.:` ", min_size=1, max_size=4)


@given(st.lists(part, min_size=1, max_size=3), part)
def test_a_name_that_begins_with_a_catalog_of_exact_case_keeps_every_letter(
    levels: list[str], name: str
) -> None:
    names = names_in(ViewText(SPARK, "", "", ("x",)), "", Options(catalogs=RULES))

    found = names.relation(("ice", *levels, name))

    assert found == RelationName(tuple(levels), name, "ice")


@given(st.lists(st.text("abcABC", min_size=1, max_size=4), min_size=1, max_size=4))
def test_without_catalogs_no_name_has_one(parts: list[str]) -> None:
    names = names_in(ViewText(SPARK, "", "", ("x",)), "", Options())

    assert names.relation(tuple(parts)).catalog == ""
