"""The states of views on a server after ``register``."""

from __future__ import annotations

import pytest

from publisher.commands.registering.registration import Change, ServerUnavailable, register_views
from tests.publisher.commands.registering.behaviour import ServerBehaviour
from tests.publisher.commands.registering.fake_trino import FakeTrino
from tests.publisher.commands.registering.lake import ABOVE, HASHED, TOP, views

DEARER = ABOVE.replace("> 9", "> 99")


class TestFakeTrino(ServerBehaviour):
    @pytest.fixture
    def server(self) -> FakeTrino:
        return FakeTrino()

    @pytest.fixture
    def catalog(self) -> str:
        return "lake"


def changes(server: FakeTrino, *ddl: str, replace: bool = False) -> dict[str, Change]:
    return {str(e.view): e.change for e in register_views(views(*ddl), server, replace=replace)}


def reason(server: FakeTrino, *ddl: str, replace: bool = False) -> str:
    *_, last = register_views(views(*ddl), server, replace=replace)
    assert last.change is Change.REFUSED
    return last.reason


def test_views_are_made_after_those_that_they_read() -> None:
    server = FakeTrino()

    assert changes(server, TOP, ABOVE) == {
        "shop.above": Change.CREATED,
        "shop.a_top": Change.CREATED,
    }
    assert server.columns["trino_shop", "above", "total"] == "with tax"


def test_what_is_current_is_left_alone() -> None:
    server = FakeTrino()
    changes(server, ABOVE)
    before = list(server.statements)

    assert changes(server, ABOVE, replace=True) == {"shop.above": Change.UNCHANGED}
    assert server.statements == before


def test_what_is_not_current_is_replaced_only_if_that_is_asked_for() -> None:
    server = FakeTrino()
    changes(server, ABOVE)

    assert reason(server, DEARER) == "the registered view is outdated"
    assert changes(server, DEARER, replace=True) == {"shop.above": Change.REPLACED}
    assert changes(server, DEARER) == {"shop.above": Change.UNCHANGED}


def test_a_relation_of_somebody_else_is_never_replaced() -> None:
    server = FakeTrino()
    server.relations["trino_shop"]["above"] = "a table of mine"

    assert "register did not create it" in reason(server, ABOVE, replace=True)
    assert server.statements == []


def test_a_view_of_another_deployment_is_never_replaced() -> None:
    server = FakeTrino()
    mark = f"(schema-publisher: attic.above {'0' * 32})"
    server.relations["trino_shop"]["above"] = mark

    assert reason(server, ABOVE, replace=True) == "it is registered there as attic.above"


def test_what_stopped_in_between_is_made_again() -> None:
    server = FakeTrino()
    server.answers = 1
    with pytest.raises(ServerUnavailable):
        changes(server, ABOVE)
    server.answers = 100

    assert changes(server, ABOVE) == {"shop.above": Change.REPLACED}
    assert changes(server, ABOVE) == {"shop.above": Change.UNCHANGED}


def test_a_view_over_one_that_is_refused_is_refused_too() -> None:
    server = FakeTrino()
    server.refuses = "> 9"

    found = list(register_views(views(TOP, ABOVE), server, replace=False))

    assert [each.change for each in found] == [Change.REFUSED, Change.REFUSED]
    assert found[0].reason == "Trino refuses it: it has '> 9'"
    assert found[1].reason == "it reads shop.above, which could not be registered"


def test_one_that_cannot_be_written_does_not_keep_others_from_it() -> None:
    assert changes(FakeTrino(), HASHED, ABOVE) == {
        "shop.hashed": Change.REFUSED,
        "shop.above": Change.CREATED,
    }


def test_a_schema_is_made_where_there_is_none() -> None:
    server = FakeTrino()
    server.relations.clear()

    assert changes(server, ABOVE, TOP.replace("a_top", "other"))["shop.other"] is Change.CREATED
    assert [s for s in server.statements if "SCHEMA" in s] == ['CREATE SCHEMA "lake"."trino_shop"']


def test_a_catalog_that_is_not_there_refuses_each_view_with_its_reason() -> None:
    found = list(register_views(views(ABOVE, places="nolake.s"), FakeTrino(), replace=False))

    assert [each.reason for each in found] == ["Trino refuses it: Catalog 'nolake' not found"]
