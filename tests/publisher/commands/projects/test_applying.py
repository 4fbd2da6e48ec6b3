"""A cone is applied as a whole or not at all, whatever fails, and wherever the process ends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.stored_views import StoredView
from publisher.commands.projects.applying import Ending, apply_cone, mark_of, recover_marked
from publisher.commands.projects.stepping import digest
from publisher.commands.projects.values import DIGEST, record_of
from tests.publisher.commands.projects.fake_metastore import (
    FakeMetastore,
    Killed,
    kill_at,
    lose_answer_at,
    refuse_at,
)
from tests.publisher.commands.projects.views import (
    RECORD,
    A,
    B,
    C,
    applied,
    chain,
    planned,
    steps,
)

LATER = replace(RECORD, id="second", commit="4567def")
WRITES = 6
"""Of a cone of three views: each with its mark, and then without it."""


@pytest.fixture
def store() -> FakeMetastore:
    """A metastore in which ``a`` and ``b`` were applied, and ``c`` does not exist."""
    store = FakeMetastore()
    first = {name: each for name, each in chain("SELECT 1").items() if name != C}
    assert all(each.is_done for each in applied(store, first))
    store.writes = 0
    return store


def test_every_view_has_its_record_and_no_mark(store: FakeMetastore) -> None:
    results = applied(store, chain("SELECT 2"), LATER)

    assert [(each.name, each.ending) for each in results] == [
        (A, Ending.ALTERED),
        (B, Ending.ALTERED),
        (C, Ending.CREATED),
    ]
    assert store.writes == WRITES
    for found in store.read([A, B, C]).values():
        assert mark_of(found.properties) is None
        assert record_of(found.properties) == LATER
        assert found.properties[DIGEST] == digest(found.facts)
        assert found.properties["comment"] == "ours"
    assert planned(store, chain("SELECT 2")) == []


@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize("is_lost", [False, True])
def test_a_failed_write_leaves_all_views_as_they_were(
    store: FakeMetastore, number: int, *, is_lost: bool
) -> None:
    before = dict(store.views)
    if is_lost:
        store.after_write = lose_answer_at(number)
    else:
        store.before_write = refuse_at(number)

    results = applied(store, chain("SELECT 2"), LATER)

    assert store.views == before
    endings = [each.ending for each in results]
    assert endings == [
        *[Ending.RESTORED] * number,
        Ending.REFUSED,
        *[Ending.NOT_BEGUN] * (2 - number),
    ]
    assert not any(each.is_done for each in results)


@pytest.mark.parametrize("number", range(WRITES))
def test_wherever_the_process_is_killed_recovery_restores_or_finishes_the_whole_cone(
    store: FakeMetastore, number: int
) -> None:
    before = dict(store.views)
    store.before_write = kill_at(number)
    with pytest.raises(Killed):
        applied(store, chain("SELECT 2"), LATER)
    store.before_write = lambda _: None
    unfinished = {n: f for n, f in store.read([A, B, C]).items() if mark_of(f.properties)}

    results = recover_marked(store, unfinished)

    assert Ending.UNFINISHED not in {each.ending for each in results}
    if number > 3:
        assert set(_texts(store.views).values()) == {"SELECT 2"}
        assert planned(store, chain("SELECT 2")) == []
    elif number < 3:
        assert store.views == before
    else:
        # All three are written and marked: nobody was told that they are applied.
        assert store.views == before
    assert not [f for f in store.read([A, B, C]).values() if mark_of(f.properties)]


def test_a_failing_restoration_is_reported_and_can_be_recovered(store: FakeMetastore) -> None:
    before = dict(store.views)
    store.before_write = refuse_at(2, 3, 4)

    results = applied(store, chain("SELECT 2"), LATER)

    assert [each.ending for each in results] == [
        Ending.UNFINISHED,
        Ending.UNFINISHED,
        Ending.REFUSED,
    ]
    store.before_write = lambda _: None
    recover_marked(store, store.read([A, B]))
    assert store.views == before


def test_a_view_that_changed_since_the_plan_is_not_written_over(store: FakeMetastore) -> None:
    made = planned(store, chain("SELECT 2"))
    by_hand = replace(store.views[B], original_text="SELECT 9", expanded_text="SELECT 9")
    store.views[B] = by_hand

    results = apply_cone(store, made, LATER)

    assert {each.ending for each in results} == {Ending.NOT_BEGUN}
    assert results[0].reason == "shop.b was changed since the plan: plan again"
    assert store.views[B] == by_hand
    assert store.writes == 0


def test_a_view_that_changes_between_comparison_and_write_is_not_written_over(
    store: FakeMetastore,
) -> None:
    made = planned(store, chain("SELECT 2"))
    other = replace(RECORD, id="another")

    def apply_another(number: int) -> None:
        if number == 0:
            properties = {**store.views[B].properties, **other.properties("")}
            store.views[B] = replace(store.views[B], properties=properties)

    store.after_write = apply_another
    results = apply_cone(store, made, LATER)

    assert [each.ending for each in results] == [
        Ending.RESTORED,
        Ending.REFUSED,
        Ending.NOT_BEGUN,
    ]
    found = record_of(store.views[B].properties)
    assert found is not None
    assert found.id == "another"


def test_recovery_leaves_what_was_changed_by_hand_after_the_kill(store: FakeMetastore) -> None:
    store.before_write = kill_at(2)
    with pytest.raises(Killed):
        applied(store, chain("SELECT 2"), LATER)
    store.before_write = lambda _: None
    store.views[A] = by_hand = replace(store.views[A], expanded_text="SELECT 9")

    results = {each.name: each for each in recover_marked(store, store.read([A, B]))}

    assert results[A].ending is Ending.UNFINISHED
    assert "changed by hand" in results[A].reason
    assert store.views[A] == by_hand
    assert results[B].ending is Ending.RESTORED


def test_views_are_dropped_after_all_others_are_written(store: FakeMetastore) -> None:
    only_a = {A: chain("SELECT 2")[A]}

    results = apply_cone(store, steps(store, only_a, drops=True).steps, LATER)

    assert [(each.name, each.ending) for each in results] == [
        (A, Ending.ALTERED),
        (B, Ending.DROPPED),
    ]
    assert _texts(store.views) == {A: "SELECT 2"}


def test_a_long_definition_is_restored_from_several_properties(store: FakeMetastore) -> None:
    import random

    drawn = "".join(random.Random(1).choices("0123456789abcdef", k=20_000))
    store.views[A] = replace(store.views[A], properties={**store.views[A].properties, "x": drawn})
    before = dict(store.views)
    store.before_write = kill_at(1)
    with pytest.raises(Killed):
        applied(store, {A: chain("SELECT 2")[A]}, LATER)
    store.before_write = lambda _: None
    found = store.read([A])[A]
    assert max(map(len, found.properties.values())) <= 4000
    recover_marked(store, {A: found})
    assert store.views == before


def test_a_damaged_mark_restores_nothing(store: FakeMetastore) -> None:
    store.before_write = kill_at(1)
    with pytest.raises(Killed):
        applied(store, chain("SELECT 2"), LATER)
    damaged = {
        key: "not base64" if key.endswith("before.0") else value
        for key, value in store.views[A].properties.items()
    }
    store.views[A] = replace(store.views[A], properties=damaged)
    store.before_write = lambda _: None

    (result,) = recover_marked(store, store.read([A]))

    assert result.ending is Ending.UNFINISHED
    assert store.views[A].properties == damaged


def test_a_new_view_is_dropped_again() -> None:
    store = FakeMetastore(before_write=refuse_at(1))

    results = applied(store, chain("SELECT 1"))

    assert [each.ending for each in results] == [
        Ending.RESTORED,
        Ending.REFUSED,
        Ending.NOT_BEGUN,
    ]
    assert store.views == {}


def _texts(views: Mapping[RelationName, StoredView]) -> Mapping[RelationName, str]:
    return {name: view.expanded_text for name, view in views.items()}
