"""Which steps lead from a catalog to a project, and what is called drift."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lakeschema.catalog.identifiers import Namespace
from publisher.commands.projects.applying import apply_cone
from publisher.commands.projects.drifting import drift_of
from publisher.commands.projects.stepping import NOT_OURS, change_of, cones_of, steps_to
from publisher.commands.projects.values import Action, Live
from tests.publisher.commands.projects.fake_metastore import FakeMetastore, Killed, kill_at
from tests.publisher.commands.projects.views import (
    RECORD,
    A,
    B,
    C,
    applied,
    chain,
    definition,
    project_of,
    steps,
    stored,
)

VIEWS = chain("SELECT 1")


def live_of(store: FakeMetastore) -> Live:
    return Live(store.read(list(store.views)), frozenset({Namespace(("shop",))}), has_records=True)


def drifted(store: FakeMetastore) -> dict[str, str]:
    return {each.name.name: each.what for each in drift_of(project_of(VIEWS), live_of(store))}


@pytest.fixture
def store() -> FakeMetastore:
    store = FakeMetastore()
    applied(store, VIEWS)
    return store


def test_new_views_are_created_upstream_first() -> None:
    found = steps(FakeMetastore(), VIEWS)

    assert [(step.action, step.name) for step in found.steps] == [
        (Action.CREATE, A),
        (Action.CREATE, B),
        (Action.CREATE, C),
    ]
    change = change_of(found.steps)
    assert set(change.relations) == {A, B, C}
    assert change.statements[A] == ("views/a.sql",)


def test_what_is_as_it_should_be_needs_no_step(store: FakeMetastore) -> None:
    found = steps(store, VIEWS)

    assert found.steps == []
    assert found.unchanged == [A, B, C]


@pytest.mark.parametrize(
    ("view", "what"),
    [
        (stored(B, "SELECT 2"), ["text"]),
        (stored(B, "SELECT 1", column="other"), ["columns"]),
        (replace(stored(B, "SELECT 1"), properties={"x": "1"}), ["properties"]),
        (replace(stored(B, "SELECT 1"), owner="another team"), ["owner"]),
    ],
)
def test_a_step_names_the_parts_that_differ(
    store: FakeMetastore, view: object, what: list[str]
) -> None:
    (step,) = steps(store, {**VIEWS, B: definition(view, A)}).steps  # type: ignore[arg-type]

    assert (step.action, step.name, step.what) == (Action.ALTER, B, what)
    assert step.warning == ""


def test_a_view_of_nobody_is_taken_over_with_a_warning(store: FakeMetastore) -> None:
    store.views[B] = stored(B, "SELECT 1")

    (step,) = steps(store, VIEWS).steps

    assert (step.name, step.what, step.warning) == (B, [], NOT_OURS)


def test_a_view_of_another_project_is_a_problem(store: FakeMetastore) -> None:
    record = replace(RECORD, project="theirs").properties("")
    store.views[B] = replace(stored(B), properties=record)

    (problem,) = steps(store, VIEWS).problems

    assert str(problem) == (
        "views/b.sql: shop.b belongs to the project theirs (let one project have it)"
    )


def test_a_missing_database_is_a_problem() -> None:
    live = Live({}, frozenset(), has_records=True)

    found = steps_to(project_of(VIEWS), VIEWS, live, drops=False)

    assert str(found.problems[0]) == ("views/a.sql: there is no database shop (create it first)")
    assert found.steps == []


def test_views_without_a_file_are_dropped_only_if_asked(store: FakeMetastore) -> None:
    only = {A: VIEWS[A]}

    assert steps(store, only).left == [B, C]
    assert steps(store, only).steps == []
    assert [(s.action, s.name) for s in steps(store, only, drops=True).steps] == [
        (Action.DROP, B),
        (Action.DROP, C),
    ]


def test_a_cone_has_all_steps_that_depend_on_each_other_even_through_an_unchanged_view() -> None:
    found = steps(FakeMetastore(), VIEWS).steps
    first, middle, last = found

    assert cones_of([first, last], [(B, A), (C, B)]) == [[first, last]]
    assert cones_of([first, last], []) == [[first], [last]]
    assert cones_of([middle, last, first], [(C, A)]) == [[middle], [last, first]]


def test_drift_tells_what_was_changed_and_what_is_missing(store: FakeMetastore) -> None:
    assert drifted(store) == {}

    store.views[A] = replace(store.views[A], expanded_text="SELECT 9")
    store.views[B] = stored(B)
    del store.views[C]

    assert drifted(store) == {
        "a": "was changed by hand: text",
        "b": "has no record: it was created by hand",
        "c": "is missing: it was dropped, or never applied",
    }


def test_a_change_of_the_files_is_no_drift(store: FakeMetastore) -> None:
    changed = chain("SELECT 2")

    assert drift_of(project_of(changed), live_of(store)) == []


def test_an_interrupted_apply_is_drift(store: FakeMetastore) -> None:
    store.before_write = kill_at(store.writes + 1)
    with pytest.raises(Killed):
        apply_cone(store, steps(store, chain("SELECT 2")).steps, replace(RECORD, id="second"))

    assert drifted(store) == {"a": "was left by an interrupted apply: run apply --recover"}
