"""Views and tables under policies become views of a server."""

from __future__ import annotations

from typing import Any

from publisher.commands.registering.registration import Change, register_views
from publisher.commands.registering.statements import Unwritable, Written
from tests.publisher.commands.registering.fake_trino import FakeTrino
from tests.publisher.commands.registering.lake import ABOVE, HASHED, masked, views

NULL: dict[str, Any] = {"tables": ["shop.orders"], "columns": ["total"], "mask": "null"}
DROP: dict[str, Any] = {"tables": ["shop.orders"], "columns": ["total"], "drop": True}
FOR_OTHERS = {**NULL, "except_groups": ["auditors"]}


def one(*names: str, **given: Any) -> Written:
    (found,) = masked(*names, **given)
    assert isinstance(found, Written)
    return found


def test_a_table_is_a_view_of_its_name_with_its_comments() -> None:
    create, column, finish = one("shop.orders", rules=[NULL]).statements(replace=False)

    assert create.startswith('CREATE VIEW "lake"."trino_shop"."orders" COMMENT ')
    assert create.endswith(
        ' AS SELECT t1."id", CAST(NULL AS double) AS "total" FROM "hive"."shop"."orders" AS t1'
    )
    assert column == """COMMENT ON COLUMN "lake"."trino_shop"."orders"."total" IS 'with tax'"""
    assert "(schema-publisher: shop.orders under policies " in finish


def test_a_dropped_column_has_no_comment() -> None:
    view = one("shop.orders", rules=[DROP])

    assert view.comments == {}
    assert "total" not in view.sql


def test_views_that_a_masked_view_reads_stand_in_its_text() -> None:
    view = one("shop.a_top", rules=[NULL])

    assert view.reads == ()
    assert '"hive"."shop"."orders"' in view.sql
    assert '"above"' not in view.sql
    assert "CAST(NULL AS double)" in view.sql


def test_a_policy_that_cannot_be_enforced_is_told_and_keeps_no_other_from_being_made() -> None:
    above, orders = masked("shop.above", "shop.orders", rules=[DROP])

    assert isinstance(above, Unwritable)
    assert "it is dropped, but affects which rows shop.above has" in above.reason
    assert above.hint.startswith("mask it")
    assert isinstance(orders, Written)


def test_what_trino_cannot_give_is_said_with_the_reason() -> None:
    (found,) = masked("shop.hashed", rules=[], ddl=[HASHED])

    assert isinstance(found, Unwritable)
    assert "hash for Trino" in found.reason


def test_relations_of_one_place_are_not_made() -> None:
    other = ABOVE.replace("shop.above", "old.above")

    found = masked("shop.above", "old.above", rules=[], ddl=[ABOVE, other], places="lake.all")

    assert [each.reason for each in found if isinstance(each, Unwritable)] == [
        "lake.all.above would also be old.above",
        "lake.all.above would also be shop.above",
    ]


def test_a_masked_view_is_made_once_and_replaced_if_that_is_asked_for() -> None:
    server = FakeTrino()
    first, changed = masked("shop.orders", rules=[NULL]), masked("shop.orders", rules=[DROP])

    made = [
        next(iter(register_views(found, server, replace=replace))).change
        for found, replace in ((first, False), (first, True), (changed, False), (changed, True))
    ]

    assert made == [Change.CREATED, Change.UNCHANGED, Change.REFUSED, Change.REPLACED]


def test_what_is_not_masked_never_takes_the_place_of_what_is() -> None:
    server = FakeTrino()
    list(register_views(masked("shop.above", rules=[NULL]), server, replace=False))

    for readers in (views(ABOVE), masked("shop.above", rules=[FOR_OTHERS], group="auditors")):
        (found,) = register_views(readers, server, replace=True)

        assert found.change is Change.REFUSED
        assert found.reason == "it is registered there as shop.above under policies"
        assert "--views" in found.hint


def test_what_is_masked_never_takes_the_place_of_what_is_not() -> None:
    server = FakeTrino()
    list(register_views(views(ABOVE), server, replace=False))

    (found,) = register_views(masked("shop.above", rules=[NULL]), server, replace=True)

    assert found.reason == "it is registered there as shop.above"


def test_a_table_is_never_replaced_by_its_masked_view() -> None:
    server = FakeTrino()
    server.relations["shop"] = {"orders": None}

    (found,) = register_views(
        masked("shop.orders", rules=[NULL], places="lake.{database}"), server, replace=True
    )

    assert found.change is Change.REFUSED
    assert "register did not create it" in found.reason
    assert server.statements == []
