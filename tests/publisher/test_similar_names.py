from __future__ import annotations

import pytest

from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.typed_names import NamingRules
from publisher.similar_names import complete_name, did_you_mean, likely_names, similar_names

PROJECTS = ["acme-sales-orders", "acme-sales-refunds", "acme-hr-people"]
RELATIONS = ["crm.customer", "crm.interaction", "crm.tier", "mart.gold_customer", "shop.orders"]


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("acme-orders", ["acme-sales-orders"]),
        ("other-sales-order", ["acme-sales-orders", "acme-sales-refunds"]),
        ("acme-refunded", ["acme-sales-refunds"]),
        ("acme-x", []),
        ("", []),
    ],
)
def test_names_are_alike_by_their_rarer_words(asked: str, expected: list[str]) -> None:
    assert similar_names(asked, PROJECTS) == expected


def test_a_word_that_every_name_has_counts_where_there_is_one_name() -> None:
    assert similar_names("acme", ["acme-only"]) == ["acme-only"]
    assert similar_names("acme", []) == []


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("crm.custmer", "crm.customer"),
        ("CRM.Kustomer", "crm.customer"),
        ("cmr.kustomer", "crm.customer"),
        ("shop.ordres", "shop.orders"),
        ("shpo.ordres", "shop.orders"),
        ("shop.customer", "crm.customer"),
        ("hive.shop.orders", "shop.orders"),
        ("mart.goldcustomer", "mart.gold_customer"),
        ("crm.teir", "crm.tier"),
    ],
)
def test_a_misspelt_relation_is_likely_one_of_few(asked: str, expected: str) -> None:
    assert likely_names(asked, RELATIONS)[0] == expected


def test_a_name_that_is_like_none_gets_no_hint() -> None:
    assert did_you_mean(likely_names("crm.zzz", RELATIONS)) == ""


def test_the_one_relation_that_differs_in_its_short_name_is_found_among_thousands() -> None:
    many = [f"shop.table_{number}" for number in range(5_000)]

    assert likely_names("shop.teir", [*many, "shop.tier"]) == ["shop.tier"]


def test_names_behind_the_same_namespace_have_to_be_alike_themselves() -> None:
    assert not likely_names("shop.nope", ["shop.unioned", "shop.orders"])
    assert likely_names("shop.ordrs", ["shop.unioned", "shop.orders"]) == ["shop.orders"]


def test_letter_case_does_not_count() -> None:
    assert similar_names("shop.ordrs", ["shop.`Orders`", "shop.people"])[0] == "shop.`Orders`"
    assert set(similar_names("a.table", ["a.`Table`", "a.table"])) == {"a.`Table`", "a.table"}


RULES = NamingRules({"hive": True, "prod": False}, "hive")
KNOWN = {
    RelationName(("shop",), "orders"),
    RelationName(("prod",), "figures"),
    RelationName(("sales", "eu"), "Orders", "prod"),
    RelationName(("sales", "eu"), "people", "prod"),
    RelationName(("sales", "eu"), "People", "prod"),
}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Shop.ORDERS", RelationName(("shop",), "orders")),
        ("hive.shop.orders", RelationName(("shop",), "orders")),
        ("prod.sales.eu.Orders", RelationName(("sales", "eu"), "Orders", "prod")),
        ("prod:sales.eu.people", RelationName(("sales", "eu"), "people", "prod")),
        ("hive:prod.figures", RelationName(("prod",), "figures")),
    ],
)
def test_a_known_name_is_exact(text: str, name: RelationName) -> None:
    assert complete_name(text, KNOWN, RULES) == name


@pytest.mark.parametrize(
    ("text", "suggestions"),
    [
        ("prod.sales.eu.orders", ["prod:sales.eu.`Orders`"]),
        ("prod.sales.eu.PEOPLE", ["prod:sales.eu.`People`", "prod:sales.eu.people"]),
        ("orders", ["shop.orders", "prod:sales.eu.`Orders`"]),
        ("prod.shop.orders", ["shop.orders"]),
        ("eu.orders", ["prod:sales.eu.`Orders`"]),
        # A text to type: here the namespace would be taken for the catalog.
        ("prod.figures", ["hive:prod.figures"]),
        ("shop.ordrs", ["shop.orders"]),
        ("pord.sales.eu.ordrs", ["prod:sales.eu.`Orders`"]),
        ("shop.zzz", []),
    ],
)
def test_another_name_gets_suggestions_from_every_catalog(
    text: str, suggestions: list[str]
) -> None:
    found = complete_name(text, KNOWN, RULES)

    assert not isinstance(found, RelationName)
    assert list(found)[: len(suggestions)] == suggestions
    for each in found:
        assert complete_name(each, KNOWN, RULES) in KNOWN


def test_names_of_other_tables_with_the_same_end_are_not_suggested_without_limit() -> None:
    known = {RelationName((f"db{number}",), "orders") for number in range(50)}

    found = complete_name("orders", known, RULES)

    assert found == ["db0.orders", "db1.orders", "db10.orders"]
