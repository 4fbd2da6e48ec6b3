"""Two catalogs with relations of the same names: neither's outage, ids or content reach the other."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from lakeschema.catalog.errors import CatalogUnavailable
from lakeschema.catalog.identifiers import Namespace, RelationName
from publisher.events.catalog_events import of_catalog
from publisher.events.protocol import Batch, DeadLetter, NamespaceHint, RelationHint
from publisher.policy import NO_LIMIT, DeletionLimit
from publisher.publishing.upload import DROPPED
from publisher.settling.comparison import SNAPSHOT_DUE
from publisher.settling.deletions import BRAKE, RELEASED
from tests.publisher.daemon.simulated import S, T, V, explain, fields, numbers, record
from tests.simulation.event_log import LogSource
from tests.simulation.simulation import POLICY, Simulation, assemble
from tests.simulation.toy import ToyPackaging, table, view

B_T = replace(T, catalog="b")
B_V = replace(V, catalog="b")
CROSSING = RelationName.of("d", "crossing")
DOWN = "catalog fake does not answer: connection refused"
HOUR = 3600.0


@pytest.fixture
def two(tmp_path: Path) -> Iterator[Simulation]:
    simulation = Simulation(tmp_path, lag_seconds=0.0, policy=POLICY, others=("b",))
    simulation.index.shows_sha = True
    simulation.index.overwrites = False
    yield simulation
    simulation.close()


def set_down(world: Simulation, catalog: str, *, down: bool = True) -> None:
    world.lake.parts[catalog].down = down


def deliver(world: Simulation) -> None:
    while world.undelivered:
        world.deliver(0)


def process(world: Simulation) -> None:
    deliver(world)
    assert world.engine.drain(600.0)


def work_for(world: Simulation, seconds: float) -> None:
    """Lets the engine work although some work cannot end."""
    world.engine.drain(seconds)


def waiting(world: Simulation) -> dict[RelationName, str]:
    return {each.relation: each.last_error for each in world.engine.status().work}


def yanked(world: Simulation, name: RelationName) -> set[str]:
    distribution = ToyPackaging().distribution(name)
    return {
        reason
        for file, reason in world.index.yanked.items()
        if world.index.owner[file].distribution == distribution
    }


# Equal names


def test_relations_of_equal_names_get_packages_of_their_own(two: Simulation) -> None:
    two.change(table(T, "a"))
    two.change(table(B_T, "b"))
    two.change(view(V, T, B_T))
    two.change(view(B_V, B_T))
    process(two)

    assert (fields(two, T), fields(two, B_T)) == (["a"], ["b"])
    assert (fields(two, V), fields(two, B_V)) == (["a", "b"], ["b"])


def test_a_change_refreshes_only_what_reads_this_catalogs_relation(two: Simulation) -> None:
    for relation in (table(T, "a"), table(B_T, "b"), view(V, T), view(CROSSING, B_T)):
        two.change(relation)
    process(two)

    two.change(table(B_T, "b", "c"))
    process(two)

    assert [len(numbers(two, name)) for name in (T, V, B_T, CROSSING)] == [1, 1, 2, 2]


def test_a_drop_leaves_the_relation_of_the_same_name(two: Simulation) -> None:
    two.change(table(T, "a"))
    two.change(table(B_T, "b"))
    process(two)

    two.drop(B_T)
    process(two)

    assert yanked(two, B_T) == {DROPPED}
    assert not yanked(two, T)


# A catalog that is down


def test_a_snapshot_compares_the_catalogs_that_answer(two: Simulation) -> None:
    two.change(table(B_T, "b"))
    process(two)
    two.catalog.change(table(T, "a"))
    set_down(two, "b")

    report = two.engine.snapshot()
    assert two.engine.drain(600.0)

    assert numbers(two, T) == ["1.0.0"]
    assert (report.missing, report.held, report.refused) == (0, {}, {"b:": DOWN})
    assert not yanked(two, B_T)
    assert two.engine.status().notes["@refused/b:"] == DOWN


def test_its_silence_in_the_middle_of_a_snapshot_makes_no_work(two: Simulation) -> None:
    two.change(table(B_T, "b"))
    process(two)
    two.catalog.change(table(T, "a"))
    listed = two.lake.parts["b"].relations

    def answering_once(namespace: Namespace) -> list[RelationName]:
        names = [*listed(namespace)]
        set_down(two, "b")
        return names

    two.lake.parts["b"].relations = answering_once  # type: ignore[method-assign]  # a double

    report = two.engine.compare_catalog()

    assert [each.relation for each in two.engine.status().work] == [T]
    assert report.refused == {"b:": DOWN}


def test_a_snapshot_without_one_catalog_is_followed_by_another(two: Simulation) -> None:
    """Events of a gap are gone, so nothing else would find the change."""
    set_down(two, "b")
    two.lake.parts["b"].change(table(replace(B_T, catalog=""), "b"))
    two.logs["b"].forget()
    two._receive("one")

    assert two.engine.snapshot_is_due()
    assert two.engine.status().notes[SNAPSHOT_DUE] == "no answer from b"

    set_down(two, "b", down=False)
    two.engine.snapshot()
    assert two.engine.drain(600.0)

    assert not two.engine.snapshot_is_due()
    assert numbers(two, B_T) == ["1.0.0"]


def test_the_next_snapshot_waits_until_a_missed_catalog_answers(two: Simulation) -> None:
    set_down(two, "b")
    two.engine.compare_catalog()
    outages = two.engine.runtime.outages

    outages.fail("catalog b", "no route")
    waits_before = two.engine.snapshot_waits()
    outages.succeed("catalog b")

    assert waits_before
    assert two.engine.snapshot_is_due()
    assert not two.engine.snapshot_waits()


def test_no_answer_from_any_catalog_fails_the_snapshot(two: Simulation) -> None:
    set_down(two, "")
    set_down(two, "b")

    with pytest.raises(CatalogUnavailable):
        two.engine.snapshot()


def test_it_holds_back_only_what_reads_it(two: Simulation) -> None:
    for relation in (table(T, "a"), table(B_T, "b"), view(V, T), view(CROSSING, B_T, T)):
        two.change(relation)
    process(two)
    set_down(two, "b")

    two.change(table(T, "a", "c"))
    two.change(table(B_T, "b", "c"))
    deliver(two)
    work_for(two, 5.0)

    assert [numbers(two, name) for name in (T, V)] == [["1.0.0", "1.1.0"]] * 2
    assert [numbers(two, name) for name in (B_T, CROSSING)] == [["1.0.0"]] * 2
    assert waiting(two) == {B_T: DOWN, CROSSING: DOWN}


def test_everything_is_done_soon_after_it_answers(two: Simulation) -> None:
    """The outage is nobody's own failure, which would wait for hours."""
    for relation in (table(T, "a"), table(B_T, "b"), view(CROSSING, B_T, T)):
        two.change(relation)
    process(two)
    set_down(two, "b")
    two.change(table(T, "a", "c"))
    two.change(table(B_T, "b", "c"))
    deliver(two)
    work_for(two, 30.0)
    set_down(two, "b", down=False)

    assert two.engine.drain(2 * POLICY.max_retry_seconds)

    assert fields(two, B_T) == ["b", "c"]
    assert fields(two, CROSSING) == ["a", "b", "c"]
    assert not waiting(two)


def test_relations_in_one_batch_with_it_are_processed(two: Simulation) -> None:
    two.change(table(B_T, "b"))
    two.change(table(T, "a"))
    set_down(two, "b")
    deliver(two)

    assert two.engine.work() == 2

    assert numbers(two, T) == ["1.0.0"]
    assert [(each.relation, each.failures) for each in two.engine.status().work] == [(B_T, 0)]


def test_an_undecodable_event_of_it_waits_in_its_own_source(two: Simulation) -> None:
    two.change(table(T, "a"))
    set_down(two, "b")
    two.logs["b"].entries.append(DeadLetter(b"?", "cannot be decoded", T.place))
    two.send(0, lambda event: RelationHint(event.relation, event.event_id))

    two._receive("one")
    assert two.engine.drain(600.0)

    assert numbers(two, T) == ["1.0.0"]
    assert two.engine.position("log b") is None
    assert of_catalog(LogSource(two.logs["b"]), "b").poll(None, 0.0) is not None


# Held deletions


def test_its_brake_stays_while_a_snapshot_does_not_see_it(two: Simulation) -> None:
    braked(two)
    two.lake.parts["b"].drop(T)
    two.engine.compare_catalog()
    held = brakes(two)
    set_down(two, "b")

    two.engine.compare_catalog()

    assert brakes(two) == held == {f"{BRAKE}b:d": "1 of 1 relations not listed"}


def test_a_release_of_its_brake_is_kept_until_it_answers(two: Simulation) -> None:
    braked(two)
    two.lake.parts["b"].drop(T)
    two.engine.compare_catalog()
    set_down(two, "b")
    two.engine.confirm_deletions(B_T.place)

    two.engine.compare_catalog()
    assert brakes(two)[f"{BRAKE}b:d"].startswith(RELEASED)

    set_down(two, "b", down=False)
    two.engine.compare_catalog()
    assert two.engine.drain(600.0)
    assert yanked(two, B_T) == {DROPPED}


def braked(world: Simulation) -> None:
    """Any deletion of a whole namespace waits for a person."""
    assert world.policy.deletion_limit == NO_LIMIT
    for name in (T, S, B_T):
        world.change(table(name, "a"))
    process(world)
    world.policy = replace(world.policy, deletion_limit=DeletionLimit(0, 0.5))
    world.engine = assemble(world.deployment())


def brakes(world: Simulation) -> dict[str, str]:
    return {k: v for k, v in world.engine.status().notes.items() if k.startswith(BRAKE) and v}


# Event ids


def test_a_view_of_both_is_published_although_their_ids_are_far_apart(two: Simulation) -> None:
    """The default catalog counts from 0, the other from thousands."""
    policy = replace(POLICY, max_lag_seconds=HOUR)
    two.policy = policy
    two.engine = assemble(two.deployment())
    for relation in (table(T, "a"), table(B_T, "b"), view(CROSSING, B_T, T), view(B_V, T, B_T)):
        two.change(relation)
    deliver(two)

    assert two.engine.drain(60.0)

    assert [numbers(two, name) for name in (CROSSING, B_V)] == [["1.0.0"]] * 2
    assert two.engine.counters.values().get("stale_readings", 0) == 0


def test_an_unknown_upstream_is_asked_for_without_the_others_id(two: Simulation) -> None:
    two.policy = replace(POLICY, max_lag_seconds=HOUR)
    two.engine = assemble(two.deployment())
    two.catalog.change(table(T, "a"))
    two.lake.parts["b"].change(view(replace(B_V, catalog=""), T))
    two.undelivered.clear()
    two.engine.receive(
        "source", Batch([RelationHint(B_V, two.lake.parts["b"].event_ids[-1])], [], "1")
    )

    assert two.engine.drain(60.0)

    assert numbers(two, B_V) == ["1.0.0"]
    assert record(two, T).read_event_id == two.catalog.event_ids[-1]


def test_a_namespaces_event_demands_nothing_of_the_namespace_of_the_same_name(
    two: Simulation,
) -> None:
    two.policy = replace(POLICY, max_lag_seconds=HOUR)
    two.engine = assemble(two.deployment())
    two.change(table(T, "a"))
    newest = two.lake.parts["b"].event_ids[-1]
    two.engine.receive("source b", Batch([NamespaceHint(B_T.place, newest)], [], "1"))
    deliver(two)

    assert two.engine.drain(60.0)

    assert numbers(two, T) == ["1.0.0"]
    assert two.engine.counters.values().get("stale_readings", 0) == 0


def test_a_snapshot_demands_each_catalogs_own_id(two: Simulation) -> None:
    two.policy = replace(POLICY, max_lag_seconds=HOUR)
    two.engine = assemble(two.deployment())
    two.catalog.change(table(T, "a"))
    two.lake.parts["b"].change(table(replace(B_T, catalog=""), "b"))

    two.engine.snapshot()
    demanded = {c.relation: c.min_event_id for c in two.engine.claim()}

    newest = {name: two.lake.of(name).event_ids[-1] for name in (T, B_T)}
    assert demanded == newest


# A catalog that the settings lost


def test_relations_of_a_removed_catalog_keep_their_packages(two: Simulation) -> None:
    for relation in (table(T, "a"), table(B_T, "b"), view(B_V, B_T)):
        two.change(relation)
    process(two)
    remove_second(two)

    report = two.engine.snapshot()
    assert two.engine.drain(600.0)

    why = (
        "the settings have no [[catalog]] with this name; "
        "2 relations keep their packages, which follow no change; "
        'if this is intended: snapshot.removed_catalogs = ["b"]'
    )
    assert (report.missing, report.held, report.refused) == (0, {}, {"b:": why})
    assert two.engine.status().notes["@refused/b:"] == why
    assert not yanked(two, B_T)
    assert [numbers(two, name) for name in (B_T, B_V)] == [["1.0.0"]] * 2


def test_a_catalog_that_was_removed_on_purpose_is_not_missed(two: Simulation) -> None:
    two.change(table(B_T, "b"))
    process(two)
    remove_second(two)
    two.engine.snapshot()
    two.policy = replace(POLICY, removed_catalogs=frozenset("b"))
    remove_second(two)

    report = two.engine.snapshot()

    state = "1 relations keep their packages, which follow no change"
    assert (report.refused, report.removed) == ({}, {"b": state})
    notes = two.engine.status().notes
    assert notes["@removed/b"] == state
    assert not notes.get("@refused/b:")
    assert not yanked(two, B_T)


def test_work_for_a_removed_catalog_waits_and_says_why(two: Simulation) -> None:
    two.change(table(B_T, "b"))
    process(two)
    remove_second(two)
    two.engine.receive("source", Batch([RelationHint(B_T, None)], [], "1"))
    two.engine.receive("source", Batch([NamespaceHint(B_T.place, 9)], [], "2"))
    two.engine.receive("source", Batch([], [DeadLetter(b"?", "broken", B_T.place)], "3"))
    two.catalog.change(table(T, "a"))
    two.engine.resync([T])

    work_for(two, 5.0)

    assert numbers(two, T) == ["1.0.0"]
    assert "the settings have no [[catalog]] with this name" in waiting(two)[B_T]
    assert explain(two, B_T).versions[0].number == "1.0.0"


def test_its_relations_are_read_again_when_it_returns(two: Simulation) -> None:
    two.change(table(B_T, "b"))
    process(two)
    remove_second(two)
    two.lake.parts["b"].change(table(replace(B_T, catalog=""), "b", "c"))
    two.engine.snapshot()
    restore = two.deployment()
    two.engine = assemble(restore)

    two.engine.snapshot()
    assert two.engine.drain(600.0)

    assert numbers(two, B_T) == ["1.0.0", "1.1.0"]
    assert "@refused/b:" not in two.engine.status().notes


def remove_second(world: Simulation) -> None:
    """The engine continues with settings that have only the default catalog."""
    world.engine = assemble(replace(world.deployment(), catalog=world.catalog))


def test_a_package_tells_the_catalog_of_its_relation(two: Simulation) -> None:
    two.change(table(B_T, "b"))
    process(two)

    (wheel,) = two.index.history
    assert json.loads(wheel.data)["relation"] == "b:d.t"
