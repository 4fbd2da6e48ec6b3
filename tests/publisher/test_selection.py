from __future__ import annotations

import pytest

from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Relation
from publisher.selection import EVERYTHING, OPT_OUT, Selection, is_pattern


@pytest.mark.parametrize(
    ("name", "include", "exclude", "wanted"),
    [
        ("sales.orders", ("*.*",), (), True),
        ("sales.orders", ("sales.*",), (), True),
        ("staging.orders", ("sales.*",), (), False),
        ("staging.orders", ("*.*",), ("staging.*",), False),
        ("staging_eu.orders", ("*.*",), ("staging.*",), True),
        ("staging_eu.orders", ("*.*",), ("staging*.*",), False),
        ("sales.tmp_orders", ("*.*",), ("*.tmp_*",), False),
        ("sales.Orders", ("Sales.ORDERS",), (), True),
        ("lake.sales.orders", ("lake.sales.*",), (), True),
        ("lake.sales.orders", ("sales.*",), (), False),
        ("lake.sales.orders", ("*.orders",), (), True),
        ("sales.`a.b`", ("sales.*",), (), True),
        ("sales.orders", (), (), False),
        ("sales.orders", ("sales.*",), ("*.*",), False),
    ],
)
def test_a_pattern_is_of_database_and_table(
    name: str, include: tuple[str, ...], exclude: tuple[str, ...], wanted: bool
) -> None:
    assert Selection(include, exclude).includes(RelationName.parse(name)) is wanted


@pytest.mark.parametrize(
    ("properties", "offered"),
    [
        ({}, True),
        ({OPT_OUT: "false"}, False),
        ({OPT_OUT.upper(): " FALSE "}, False),
        ({OPT_OUT: "true"}, True),
        ({OPT_OUT: "no"}, True),
    ],
)
def test_a_relation_may_opt_out_and_never_in(properties: dict[str, str], offered: bool) -> None:
    relation = Relation(RelationName.of("d", "t"), (), properties=properties)

    assert EVERYTHING.publishes(relation) is offered
    assert not Selection(exclude=("d.*",)).publishes(relation)


@pytest.mark.parametrize("text", ["staging", "staging.", ".orders", "", "*"])
def test_a_pattern_of_one_part_is_none(text: str) -> None:
    assert not is_pattern(text)


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("*.*", {"sales.orders", "b:sales.orders", "b:sales.eu.`Orders`"}),
        ("sales.*", {"sales.orders"}),
        ("b:sales.*", {"b:sales.orders"}),
        ("b:*.*", {"b:sales.orders", "b:sales.eu.`Orders`"}),
        ("B:sales.eu.orders", {"b:sales.eu.`Orders`"}),
        ("*:sales.orders", {"b:sales.orders"}),
    ],
)
def test_a_pattern_may_name_a_catalog(pattern: str, expected: set[str]) -> None:
    names = ["sales.orders", "b:sales.orders", "b:sales.eu.`Orders`"]
    selection = Selection(include=(pattern,))

    assert {key for key in names if selection.includes(RelationName.from_key(key))} == expected
