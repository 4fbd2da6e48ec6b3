"""The loop's promises, one at a time, on a pretended world that answers at once."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from catalog.errors import CatalogUnavailable
from catalog.identifiers import RelationName
from catalog.relations import Relation
from codegen.package import Wheel
from dependency_graph.reconciliation import DeletionLimit
from publisher.delivery import DROPPED
from publisher.events.protocol import Batch, DeadLetter, NamespaceHint, RelationHint
from publisher.execution.engine import Engine
from publisher.execution.snapshot import SnapshotBusy
from publisher.selection import OPT_OUT, Selection
from publisher.state.records import RelationRecord, Status, VersionStatus
from tests.simulation.simulation import POLICY, Simulation
from tests.simulation.toy import ToyPackaging, content_of, table, view

T = RelationName.of("d", "t")
S = RelationName.of("d", "s")
V = RelationName.of("d", "v")
W = RelationName.of("d", "w")
X = RelationName.of("d", "x")


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Simulation]:
    simulation = Simulation(tmp_path, lag_seconds=0.0, policy=POLICY)
    simulation.index.tells_sha = True
    simulation.index.overwrites = False
    yield simulation
    simulation.close()


def hear(world: Simulation) -> None:
    while world.undelivered:
        world.deliver(0)
    assert world.engine.drain(600.0)


def record(world: Simulation, name: RelationName) -> RelationRecord:
    return world._inner.read(lambda tx: tx.graph.records([name]))[name]


def numbers(world: Simulation, name: RelationName) -> list[str]:
    distribution = ToyPackaging().distribution(name)
    return [w.version for w in world.index.history if w.distribution == distribution]


def fields(world: Simulation, name: RelationName) -> list[str]:
    distribution = ToyPackaging().distribution(name)
    newest = [w for w in world.index.history if w.distribution == distribution][-1]
    schema = json.loads(json.loads(content_of(newest.data))[0])
    return [field["name"] for field in schema["fields"]]


def rename(world: Simulation, naming_rule: str) -> None:
    """The engine goes on with a generator that has this rule."""
    world.naming_rule = naming_rule
    world.engine = Engine(world.assembly())


class TestPublishing:
    def test_a_new_table_is_published_once(self, world: Simulation) -> None:
        world.change(table(T, "a"))

        hear(world)

        assert numbers(world, T) == ["1.0.0"]

    def test_a_noise_event_publishes_nothing(self, world: Simulation) -> None:
        world.change(table(T, "a"))
        hear(world)
        world.change(table(T, "a"))

        hear(world)

        assert numbers(world, T) == ["1.0.0"]

    def test_an_added_column_reaches_every_view_below(self, world: Simulation) -> None:
        for relation in (table(T, "a"), view(V, T), view(W, V)):
            world.change(relation)
        hear(world)
        world.change(table(T, "a", "b"))

        hear(world)

        assert fields(world, W) == ["a", "b"]
        assert numbers(world, W) == ["1.0.0", "1.1.0"]

    def test_a_change_stops_at_a_view_that_does_not_show_it(self, world: Simulation) -> None:
        for relation in (table(T, "a"), view(V, T, shape="narrow"), view(W, V)):
            world.change(relation)
        hear(world)
        reads = world.catalog.reads
        derived = world.engine.counters.values()["derived"]
        world.change(table(T, "a", "b"))

        hear(world)

        assert numbers(world, W) == ["1.0.0"]
        assert world.engine.counters.values()["derived"] == derived + 2  # T and V, not W
        assert world.catalog.reads > reads
        assert not record(world, W).stale

    def test_a_diamond_is_derived_once_from_both_its_sides(self, world: Simulation) -> None:
        for relation in (table(T, "a"), view(V, T), view(X, T), view(W, V, X)):
            world.change(relation)
        hear(world)
        world.change(table(T, "a", "b"))

        hear(world)

        assert numbers(world, W) == ["1.0.0", "1.1.0"]

    def test_a_generator_that_names_otherwise_begins_a_major_at_the_next_change(
        self, world: Simulation
    ) -> None:
        rename(world, "camel case")
        for columns in ("a", "ab"):
            world.change(table(T, *columns))
            hear(world)
        rename(world, "snake case")
        for columns in ("abc", "abcd"):
            world.change(table(T, *columns))
            hear(world)

        assert numbers(world, T) == ["1.0.0", "1.1.0", "2.0.0", "2.1.0"]

    def test_there_and_back_again_gives_three_versions(self, world: Simulation) -> None:
        for columns in (("a",), ("b",), ("a",)):
            world.change(table(T, *columns))
            hear(world)

        assert numbers(world, T) == ["1.0.0", "2.0.0", "3.0.0"]


class TestContainment:
    def test_a_view_that_comes_before_its_table_waits_for_it(self, world: Simulation) -> None:
        world.change(view(V, T))
        hear(world)
        assert record(world, V).status is Status.BROKEN
        assert "d.t does not exist" in record(world, V).reason

        world.change(table(T, "a"))
        hear(world)

        assert record(world, V).status is Status.OK
        assert fields(world, V) == ["a"]

    def test_a_broken_view_blocks_what_stands_below_it_and_nothing_else(
        self, world: Simulation
    ) -> None:
        for relation in (
            table(T, "a"),
            view(V, T, shape="nonsense"),
            view(W, V),
            view(X, T),
        ):
            world.change(relation)

        hear(world)

        assert record(world, V).reason == "the text is nonsense"
        assert (record(world, W).status, "d.v" in record(world, W).reason) == (Status.BROKEN, True)
        assert numbers(world, X) == ["1.0.0"]

    def test_what_stands_below_recovers_with_it(self, world: Simulation) -> None:
        for relation in (table(T, "a"), view(V, T, shape="unsupported"), view(W, V)):
            world.change(relation)
        hear(world)
        assert record(world, V).status is Status.UNSUPPORTED

        world.change(view(V, T))
        hear(world)

        assert fields(world, W) == ["a"]
        assert record(world, W).reason == ""

    def test_views_on_each_other_are_a_cycle_until_one_is_changed(self, world: Simulation) -> None:
        for relation in (table(T, "a"), view(V, W), view(W, V), view(X, W)):
            world.change(relation)
        hear(world)

        assert {record(world, n).status for n in (V, W)} == {Status.CYCLE}
        assert "d.v → d.w → d.v" in record(world, V).reason
        assert record(world, X).status is Status.BROKEN

        world.change(view(V, T))
        hear(world)

        assert {record(world, n).status for n in (V, W, X)} == {Status.OK}

    def test_a_view_on_itself_is_a_cycle(self, world: Simulation) -> None:
        world.change(view(V, V))
        hear(world)
        world.change(view(V, V, shape="narrow"))

        hear(world)

        assert record(world, V).status is Status.CYCLE

    def test_a_change_above_a_cycle_leaves_nothing_waiting(self, world: Simulation) -> None:
        for relation in (table(T, "a"), view(V, W, T), view(W, V), view(X, W)):
            world.change(relation)
        hear(world)

        world.change(table(T, "a", "b"))
        hear(world)

        assert not any(record(world, n).stale for n in (T, V, W, X))

    def test_a_derivation_that_keeps_dying_is_quarantined_and_others_go_on(
        self, world: Simulation
    ) -> None:
        world.change(table(T, "a"))
        world.change(view(V, T, shape="deadly"))
        world.change(view(W, T))

        hear(world)

        assert record(world, V).status is Status.QUARANTINED
        assert "died 3 times" in record(world, V).reason
        assert numbers(world, W) == ["1.0.0"]

        world.change(view(V, T))
        hear(world)

        assert record(world, V).status is Status.OK


class TestDropping:
    def test_a_dropped_relation_is_yanked_after_the_grace_and_its_views_break(
        self, world: Simulation
    ) -> None:
        world.change(table(T, "a"))
        world.change(view(V, T))
        hear(world)
        world.drop(T)

        hear(world)

        assert record(world, T).status is Status.MISSING
        assert set(world.index.yanked.values()) == {DROPPED}
        assert record(world, V).status is Status.BROKEN

    def test_an_index_that_cannot_yank_is_told_of_a_dropped_relation(
        self, world: Simulation, caplog: pytest.LogCaptureFixture
    ) -> None:
        world.index.yanks = False
        world.change(table(T, "a"))
        hear(world)
        world.drop(T)

        hear(world)

        (told,) = world.engine.status().troubled
        assert told.name == T
        assert "still offered, because the index cannot yank" in told.reason
        assert world.engine.counters.values()["yanks_declined"] == 1
        assert "index cannot yank" in caplog.text

        world.change(table(T, "a"))
        hear(world)

        assert not world.engine.status().troubled

    def test_a_relation_gone_for_less_than_the_grace_was_not_dropped(
        self, world: Simulation
    ) -> None:
        world.change(table(T, "a"))
        hear(world)
        world.drop(T)
        world.deliver(0)
        world.engine.work()
        world.change(table(T, "a"))

        hear(world)

        assert record(world, T).status is Status.OK
        assert numbers(world, T) == ["1.0.0"]
        assert world.index.yanked == {}

    def test_making_it_again_unyanks_and_continues_the_numbers(self, world: Simulation) -> None:
        world.change(table(T, "a"))
        hear(world)
        world.drop(T)
        hear(world)
        world.change(table(T, "a"))
        hear(world)
        assert (numbers(world, T), world.index.yanked) == (["1.0.0"], {})

        world.drop(T)
        hear(world)
        world.change(table(T, "a", "b"))
        hear(world)

        assert (numbers(world, T), world.index.yanked) == (["1.0.0", "1.1.0"], {})

    def test_a_relation_that_never_lasted_leaves_nothing_behind(self, world: Simulation) -> None:
        world.change(table(T, "a"))
        world.drop(T)

        hear(world)

        assert world._inner.read(lambda tx: tx.graph.every_record()) == {}

    def test_a_rename_moves_the_package(self, world: Simulation) -> None:
        world.change(table(T, "a"))
        hear(world)
        world.rename(T, S)

        hear(world)

        assert numbers(world, S) == ["1.0.0"]
        assert set(world.index.yanked.values()) == {DROPPED}


class TestIndex:
    def test_an_index_that_is_down_loses_nothing_and_holds_up_no_derivation(
        self, world: Simulation
    ) -> None:
        world.index.down = True
        for relation in (table(T, "a"), view(V, T)):
            world.change(relation)
        while world.undelivered:
            world.deliver(0)

        assert not world.engine.drain(30.0)
        assert record(world, V).status is Status.OK
        assert world.index.history == []

        world.index.down = False
        assert world.engine.drain(600.0)
        assert numbers(world, V) == ["1.0.0"]
        assert record(world, V).status is Status.OK

    def test_a_number_taken_by_other_bytes_is_burnt_and_told(
        self, world: Simulation, caplog: pytest.LogCaptureFixture
    ) -> None:
        world.change(table(T, "a"))
        hear(world)
        ours = world.index.history[0]
        name = ours.filename.replace("1.0.0", "1.1.0")
        foreign = replace(ours, version="1.1.0", filename=name, data=b"{}")
        world.change(table(T, "a", "b"))

        hear_while_another_uploads(world, foreign)

        versions = world._inner.read(lambda tx: tx.versions.every_version())
        assert [(v.number, v.status) for v in versions] == [
            ("1.0.0", VersionStatus.PUBLISHED),
            ("1.1.0", VersionStatus.CONFLICT),
            ("1.2.0", VersionStatus.PUBLISHED),
        ]
        assert "version number taken by other bytes: burnt" in caplog.text

    def test_names_are_adopted_with_the_version_that_states_them(
        self, world: Simulation, tmp_path: Path
    ) -> None:
        rename(world, "camel case")
        world.change(table(T, "a"))
        hear(world)
        (tmp_path / "new").mkdir()
        other = Simulation(tmp_path / "new", lag_seconds=0.0)
        other.index.visible.update(world.index.visible)
        other.index.owner.update(world.index.owner)
        rename(other, "snake case")
        other.change(table(T, "a", "b"))

        hear(other)

        assert numbers(other, T) == ["2.0.0"]
        other.close()

    def test_another_relations_package_of_the_same_name_is_left_alone(
        self, world: Simulation, tmp_path: Path
    ) -> None:
        """``toy-d-t`` is both the table ``t`` of ``d`` and, without a namespace, the table ``d-t``."""
        world.change(table(RelationName.of("d-t"), "a"))
        hear(world)
        (tmp_path / "new").mkdir()
        other = Simulation(tmp_path / "new", lag_seconds=0.0)
        other.index.visible.update(world.index.visible)
        other.index.owner.update(world.index.owner)
        other.change(table(T, "b"))
        other.deliver(0)

        assert not other.engine.drain(1.0)

        assert numbers(other, T) == []
        (work,) = other.engine.status().work
        assert "the package of `d-t`" in work.last_error
        other.close()

    def test_a_lost_state_is_adopted_from_the_index(
        self, world: Simulation, tmp_path: Path
    ) -> None:
        world.change(table(T, "a"))
        world.change(table(S, "a"))
        hear(world)
        (tmp_path / "new").mkdir()
        other = Simulation(tmp_path / "new", lag_seconds=0.0)
        other.index.visible.update(world.index.visible)
        other.index.owner.update(world.index.owner)
        other.change(table(T, "a"))
        other.change(table(S, "a", "b"))

        hear(other)

        assert numbers(other, T) == []
        assert numbers(other, S) == ["1.1.0"]
        other.close()


class TestSelection:
    def test_a_withheld_table_gets_no_package_and_the_view_above_it_does(
        self, world: Simulation
    ) -> None:
        select(world, Selection(exclude=("*.t",)))
        world.change(table(T, "a"))
        world.change(view(V, T))

        hear(world)

        assert numbers(world, T) == []
        assert numbers(world, V) == ["1.0.0"]
        assert record(world, T).withheld
        assert not world.engine.status().troubled

    def test_a_snapshot_finds_nothing_to_do_for_what_is_withheld(self, world: Simulation) -> None:
        select(world, Selection(exclude=("*.t",)))
        world.change(table(T, "a"))
        hear(world)

        assert world.engine.snapshot().differing == 0
        assert world.engine.status().work == []

    def test_other_patterns_take_effect_at_the_next_snapshot(self, world: Simulation) -> None:
        select(world, Selection(exclude=("*.t",)))
        world.change(table(T, "a"))
        world.change(table(S, "a"))
        hear(world)
        select(world, Selection(exclude=("*.s",)))
        world.engine.snapshot()
        hear(world)
        world.change(table(T, "a", "b"))
        world.change(table(S, "a", "b"))

        hear(world)

        assert numbers(world, T) == ["1.0.0", "1.1.0"]
        assert numbers(world, S) == ["1.0.0"]

    def test_the_same_patterns_ask_for_nothing_again(self, world: Simulation) -> None:
        select(world, Selection(exclude=("*.t",)))
        world.change(table(T, "a"))
        hear(world)
        world.engine.snapshot()
        select(world, Selection(exclude=("*.t",)))
        reads = world.catalog.reads

        world.engine.snapshot()

        assert world.catalog.reads == reads + 1
        assert world.engine.status().work == []

    def test_a_property_withholds_a_table_until_it_is_taken_back(self, world: Simulation) -> None:
        world.change(withheld(table(T, "a")))
        hear(world)
        assert numbers(world, T) == []
        world.change(table(T, "a"))
        hear(world)
        world.change(withheld(table(T, "a", "b")))
        hear(world)
        assert numbers(world, T) == ["1.0.0"]
        world.change(table(T, "a", "b"))

        hear(world)

        assert numbers(world, T) == ["1.0.0", "1.1.0"]


def select(world: Simulation, selection: Selection) -> None:
    """The engine goes on with these settings."""
    world.selection = selection
    world.engine = Engine(world.assembly())


def withheld(relation: Relation) -> Relation:
    return replace(relation, properties={OPT_OUT: "false"})


def hear_while_another_uploads(world: Simulation, foreign: Wheel) -> None:
    """Somebody else's file appears between our look and our upload."""
    upload = world.index.upload

    def late(wheel: Wheel) -> None:
        if foreign.filename not in world.index.visible:
            world.index.visible[foreign.filename] = foreign.data
            world.index.owner[foreign.filename] = foreign
        upload(wheel)

    world.index.upload = late  # type: ignore[method-assign]
    hear(world)


class TestReceiving:
    def test_a_namespace_event_looks_at_every_relation_known_there(self, world: Simulation) -> None:
        world.change(table(T, "a"))
        hear(world)
        world.catalog.change(table(T, "b"))

        world.engine.receive("s", Batch([NamespaceHint(("d",), None)], [], "9"))
        world.engine.drain(600.0)

        assert fields(world, T) == ["b"]

    def test_an_undecodable_event_is_kept_and_its_database_looked_through(
        self, world: Simulation
    ) -> None:
        world.catalog.change(table(T, "a"))

        world.engine.receive("s", Batch([], [DeadLetter(b"{", "no json", ("d",))], "1"))
        world.engine.drain(600.0)

        assert numbers(world, T) == ["1.0.0"]
        assert [d.payload for d in world.engine.status().dead_letters] == [b"{"]

    def test_an_undecodable_event_of_nowhere_asks_for_a_snapshot(self, world: Simulation) -> None:
        world.engine.receive("s", Batch([], [DeadLetter(b"{", "no json", None)], "1"))

        assert world.engine.snapshot_is_due()
        world.engine.snapshot_ran()
        assert not world.engine.snapshot_is_due()

    def test_a_batch_of_noise_costs_no_read_of_the_catalog(self, world: Simulation) -> None:
        world.engine.receive("s", Batch([], [], "41", seen=40))
        world.engine.drain(600.0)

        assert world.catalog.reads == 0
        assert world.engine.position("s") == "41"

    def test_a_relation_that_keeps_changing_is_published_when_quiet(
        self, world: Simulation, tmp_path: Path
    ) -> None:
        (tmp_path / "slow").mkdir()
        policy = replace(POLICY, debounce_seconds=5.0, max_wait_seconds=60.0)
        slow = Simulation(tmp_path / "slow", lag_seconds=0.0, policy=policy)
        for columns in ("a", "ab", "abc", "abcd"):
            slow.change(table(T, *columns))
            slow.deliver(0)
            slow.clock.sleep(3.0)
            slow.engine.work()

        assert slow.engine.drain(600.0)

        assert numbers(slow, T) == ["1.0.0"]
        assert fields(slow, T) == list("abcd")
        slow.close()

    def test_a_hint_without_an_event_id_is_looked_at_twice(self, world: Simulation) -> None:
        world.catalog.has_event_ids = False
        world.catalog.change(table(T, "a"))
        world.engine.receive("s", Batch([RelationHint(T, None)], [], "1"))
        world.engine.work()
        # The replica catches up with a change that was behind the first hint.
        world.catalog.change(table(T, "b"))

        assert world.engine.drain(600.0)

        assert fields(world, T) == ["b"]

    def test_a_catalog_that_is_away_is_waited_for(self, world: Simulation) -> None:
        world.change(table(T, "a"))
        read = world.catalog.read
        failures = 5

        def failing(names: Sequence[RelationName]) -> Mapping[RelationName, Relation]:
            nonlocal failures
            failures -= 1
            if failures >= 0:
                raise CatalogUnavailable("fake", "restarting")
            return read(names)

        world.catalog.read = failing  # type: ignore[method-assign]

        hear(world)

        assert numbers(world, T) == ["1.0.0"]
        assert world.engine.counters.values()["put_off"] >= 1


class TestSnapshot:
    def test_a_snapshot_finds_what_no_event_told(self, world: Simulation) -> None:
        world.catalog.change(table(T, "a"))
        world.catalog.change(view(V, T))

        report = world.engine.snapshot()
        world.engine.drain(600.0)

        assert (report.listed, report.differing) == (2, 2)
        assert numbers(world, V) == ["1.0.0"]

    def test_a_snapshot_of_an_unchanged_catalog_asks_for_nothing(self, world: Simulation) -> None:
        world.catalog.change(table(T, "a"))
        world.engine.snapshot()
        world.engine.drain(600.0)

        report = world.engine.snapshot()

        assert report.differing == 0
        assert world.engine.status().work == []

    def test_mass_deletion_waits_until_a_person_confirms_it(
        self, world: Simulation, tmp_path: Path
    ) -> None:
        (tmp_path / "braked").mkdir()
        policy = replace(POLICY, deletion_limit=DeletionLimit(at_least=2, share=0.2))
        braked = Simulation(tmp_path / "braked", lag_seconds=0.0, policy=policy)
        names = [RelationName.of("d", f"t{n}") for n in range(5)]
        for name in names:
            braked.catalog.change(table(name, "a"))
        braked.engine.snapshot()
        braked.engine.drain(600.0)
        for name in names:
            braked.catalog.drop(name)

        report = braked.engine.snapshot()
        braked.engine.drain(600.0)
        assert report.missing == 0
        assert braked.index.yanked == {}
        assert any("not listed" in note for note in braked.engine.status().notes.values())

        braked.engine.confirm_deletions()
        braked.engine.snapshot()
        braked.engine.drain(600.0)
        assert len(braked.index.yanked) == 5
        braked.close()

    def test_one_snapshot_runs_at_a_time(self, world: Simulation) -> None:
        world._inner.write(
            lambda tx: tx.journal.lease("@snapshot/catalog", world.clock.now(), 60.0)
        )

        with pytest.raises(SnapshotBusy):
            world.engine.snapshot()

    def test_a_replaced_catalog_that_counts_anew_is_believed_after_a_gap(
        self, world: Simulation
    ) -> None:
        for columns in ("a", "b", "c"):
            world.change(table(T, columns))
        hear(world)
        kept = world.catalog.states[-1]
        world.catalog.states[:] = [{}, {**kept, T: table(T, "z")}]
        world.catalog.times[:] = world.catalog.times[:2]

        world.engine.snapshot(catalog_was_replaced=True)
        assert world.engine.drain(600.0)

        assert fields(world, T) == ["z"]


class TestLooking:
    def test_an_explanation_names_what_stands_above_and_below(self, world: Simulation) -> None:
        for relation in (table(T, "a"), view(V, T), view(W, V)):
            world.change(relation)
        hear(world)

        explained = world.engine.explain(V)

        assert [e.upstream for e in explained.upstreams] == [T]
        assert list(explained.dependents) == [W]
        assert [v.number for v in explained.versions] == ["1.0.0"]
        assert explained.work is None

    def test_a_status_counts_relations_and_tells_troubles(self, world: Simulation) -> None:
        world.change(table(T, "a"))
        world.change(view(V, X))
        hear(world)

        status = world.engine.status()

        assert status.relations == {"BROKEN": 1, "MISSING": 1, "OK": 1}
        assert V in [r.name for r in status.troubled]
        assert status.versions == 1
