"""Names as people type them in a deployment of several catalogs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeschema.catalog.errors import MalformedName, Refusal, SessionRefused
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.typed_names import NamingRules, resolve_known_name, resolve_name, typed_text

RULES = NamingRules({"hive": True, "prod": False, "other-hive": True}, "hive")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Shop.Orders", RelationName(("shop",), "orders")),
        ("prod.sales.eu.Orders", RelationName(("sales", "eu"), "Orders", "prod")),
        ("prod:sales.eu.Orders", RelationName(("sales", "eu"), "Orders", "prod")),
        ("prod.orders", RelationName((), "orders", "prod")),
        ("prod:orders", RelationName((), "orders", "prod")),
        ("prod:`Odd.Name`.`T`", RelationName(("Odd.Name",), "T", "prod")),
        ("other-hive.Shop.Orders", RelationName(("shop",), "orders", "other-hive")),
        ("hive.shop.Orders", RelationName(("shop",), "orders")),
        ("hive:shop.Orders", RelationName(("shop",), "orders")),
        # A database may be called like the default catalog, or with its help like another one.
        ("hive.orders", RelationName(("hive",), "orders")),
        ("hive.hive.orders", RelationName(("hive",), "orders")),
        ("hive.prod.orders", RelationName(("prod",), "orders")),
        ("Prod.orders", RelationName(("prod",), "orders")),
        ("orders", RelationName((), "orders")),
        ("prod", RelationName((), "prod")),
        ("shop.`s3://b/p`", RelationName(("shop",), "s3://b/p")),
        ("`s3://b/p`", RelationName((), "s3://b/p")),
    ],
)
def test_a_typed_name_means_a_relation(text: str, name: RelationName) -> None:
    assert resolve_name(text, RULES) == name


def test_a_name_of_one_part_is_in_the_current_namespace() -> None:
    rules = NamingRules({"hive": True, "prod": False}, "hive", ("shop",))

    assert resolve_name("Orders", rules) == RelationName(("shop",), "orders")
    assert resolve_name("prod.Orders", rules) == RelationName((), "Orders", "prod")


@pytest.mark.parametrize("text", ["", "a..b", "`a", "a b", "prod:", "prod:a..b"])
def test_another_text_is_malformed(text: str) -> None:
    with pytest.raises(MalformedName):
        resolve_name(text, RULES)


def test_an_unknown_catalog_is_refused_with_the_known_ones() -> None:
    with pytest.raises(SessionRefused, match="'pord' is not a catalog") as refused:
        resolve_name("pord:sales.orders", RULES)

    assert refused.value.kind is Refusal.UNKNOWN_CATALOG
    assert refused.value.hint == "the catalogs are: hive, other-hive, prod"


parts = st.one_of(st.sampled_from(["hive", "prod", "a:b", "x.y"]), st.text(min_size=1, max_size=6))
levels = st.lists(parts, max_size=3).map(tuple)
NAMES = st.builds(RelationName, levels, parts, st.sampled_from(["", "prod", "other-hive"]))


@given(NAMES, levels)
def test_the_text_of_every_name_is_read_back(
    name: RelationName, current_namespace: tuple[str, ...]
) -> None:
    rules = NamingRules(RULES.folds_case, "hive", current_namespace)
    text = typed_text(name, rules)
    folded = RelationName(
        tuple(level.lower() for level in name.namespace), name.name.lower(), name.catalog
    )

    assert resolve_name(text, rules) == (name if name.catalog == "prod" else folded)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("gone:shop.`T`", RelationName(("shop",), "T", "gone")),
        ("prod:shop.T", RelationName(("shop",), "T", "prod")),
        ("hive:Shop.orders", RelationName(("shop",), "orders")),
        ("gone.shop.t", RelationName(("gone", "shop"), "t")),
    ],
)
def test_a_key_may_have_a_catalog_that_the_deployment_no_longer_has(
    text: str, name: RelationName
) -> None:
    assert resolve_known_name(text, RULES) == name


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (RelationName(("shop",), "orders"), "shop.orders"),
        (RelationName(("prod",), "orders"), "hive:prod.orders"),
        (RelationName(("hive", "a"), "t"), "hive:hive.a.t"),
        (RelationName(("sales", "eu"), "Orders", "prod"), "prod:sales.eu.`Orders`"),
    ],
)
def test_a_text_names_the_default_catalog_only_if_it_must(name: RelationName, text: str) -> None:
    assert typed_text(name, RULES) == text
