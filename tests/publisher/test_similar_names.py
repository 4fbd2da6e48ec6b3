from __future__ import annotations

import pytest

from publisher.similar_names import did_you_mean, likely_names, similar_names

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
