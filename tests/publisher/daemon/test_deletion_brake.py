"""Many deletions at once wait for a person, whoever noticed them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from lakeschema.catalog.ddl_files import DdlFilesCatalog
from lakeschema.catalog.identifiers import Namespace, RelationName
from lakeschema.translation.model.outcome import Status
from publisher.daemon.assembly import parts_of
from publisher.daemon.engine import Engine
from publisher.events.ddl_folder import DdlFolderSource
from publisher.events.protocol import Batch, NamespaceHint
from publisher.policy import DeletionLimit
from publisher.settling.deletions import BRAKE, RELEASED, release_seconds, write_brakes
from publisher.state.protocol import Transaction
from publisher.state.records import MemoEntry
from tests.publisher.daemon.simulated import S, T, V, numbers, process_events, record
from tests.simulation.simulation import POLICY, Simulation
from tests.simulation.toy import table, view

COUNT = 40
LIMIT = DeletionLimit()
RELEASE_SECONDS = release_seconds(POLICY)


@pytest.fixture
def braked(tmp_path: Path) -> Iterator[Simulation]:
    policy = replace(POLICY, deletion_limit=LIMIT)
    simulation = Simulation(tmp_path, lag_seconds=0.0, policy=policy)
    simulation.index.shows_sha = True
    simulation.index.overwrites = False
    yield simulation
    simulation.close()


def tables(count: int, database: str = "d") -> Sequence[RelationName]:
    return [RelationName.of(database, f"t{n:02}") for n in range(count)]


def publish(world: Simulation, names: Sequence[RelationName]) -> None:
    for name in names:
        world.change(table(name, "a"))
    process_events(world)


def brakes(world: Simulation) -> dict[str, str]:
    return dict(world._inner.read(lambda tx: tx.journal.notes(BRAKE)))


def drop_database(world: Simulation, names: Sequence[RelationName]) -> None:
    for name in names:
        world.catalog.drop(name)
    (namespace,) = {name.place for name in names}
    hint = NamespaceHint(namespace, world.catalog.head)
    world.engine.receive("log", Batch([hint], [], "1"))
    assert world.engine.drain(600.0)


@pytest.mark.thorough
def test_a_dropped_database_yanks_nothing_until_released(braked: Simulation) -> None:
    publish(braked, tables(COUNT))
    drop_database(braked, tables(COUNT))

    assert braked.index.yanked == {}
    assert brakes(braked) == {BRAKE: "40 of 40 relations missing"}

    braked.engine.snapshot()
    process_events(braked)
    assert braked.index.yanked == {}

    braked.engine.confirm_deletions()
    braked.engine.snapshot()
    process_events(braked)
    assert len(braked.index.yanked) == COUNT

    braked.engine.snapshot()
    assert brakes(braked) == {}


@pytest.mark.thorough
def test_a_version_reserved_before_its_relation_was_held_is_delivered(braked: Simulation) -> None:
    names = tables(COUNT)
    publish(braked, names)
    braked.change(table(names[0], "a", "b"))
    braked.deliver(0)
    reserved = partial(braked._inner.read, lambda tx: tx.versions.open_reservations(["toy-d-t00"]))
    while not reserved():
        braked.step("one")
    braked.index.down = True
    braked.stage.finish("one")
    for name in names:
        braked.catalog.drop(name)
    hint = NamespaceHint(names[0].place, braked.catalog.head)
    braked.engine.receive("log", Batch([hint], [], "1"))
    for _ in range(100):
        braked.engine.work()
        braked.clock.sleep(0.1)

    braked.index.down = False
    assert braked.engine.drain(600.0)

    assert brakes(braked)
    assert numbers(braked, names[0]) == ["1.0.0", "1.1.0"]
    assert not reserved()


@pytest.mark.thorough
def test_one_database_of_several_is_held_alone(braked: Simulation) -> None:
    publish(braked, [*tables(COUNT), *tables(400, "big")])
    drop_database(braked, tables(COUNT))
    drop_database(braked, tables(5, "big"))

    assert brakes(braked) == {f"{BRAKE}d": "40 of 40 relations missing"}
    assert len(braked.index.yanked) == 5

    braked.engine.confirm_deletions(Namespace(("d",)))
    braked.engine.snapshot()
    process_events(braked)
    assert len(braked.index.yanked) == 45


@pytest.mark.thorough
def test_deletions_one_after_another_are_held_beyond_the_limit(braked: Simulation) -> None:
    publish(braked, tables(COUNT))
    for name in tables(COUNT):
        braked.drop(name)
        process_events(braked)

    assert len(braked.index.yanked) == LIMIT.at_least
    assert len(brakes(braked)) == 1


@pytest.mark.thorough
def test_deletions_spread_over_days_are_not_held(braked: Simulation) -> None:
    publish(braked, tables(COUNT))
    for name in tables(COUNT):
        braked.clock.sleep(braked.policy.deletion_window_seconds)
        braked.drop(name)
        process_events(braked)

    assert len(braked.index.yanked) == COUNT


@pytest.mark.thorough
def test_what_was_confirmed_does_not_count_against_later_deletions(braked: Simulation) -> None:
    publish(braked, [*tables(COUNT), *tables(60, "other")])
    drop_database(braked, tables(COUNT))
    braked.engine.confirm_deletions()
    for _ in range(2):
        braked.engine.snapshot()
        process_events(braked)

    braked.drop(tables(60, "other")[0])
    process_events(braked)

    assert len(braked.index.yanked) == COUNT + 1
    assert brakes(braked) == {}


def test_relations_that_come_back_were_not_dropped_and_end_the_brake(braked: Simulation) -> None:
    names = tables(COUNT)
    publish(braked, names)
    drop_database(braked, names)
    publish(braked, names)

    braked.engine.snapshot()
    process_events(braked)

    assert brakes(braked) == {}
    assert braked.index.yanked == {}
    assert {record(braked, name).missing_since for name in names} == {None}
    assert numbers(braked, names[0]) == ["1.0.0"]


@pytest.mark.thorough
def test_relations_without_a_package_neither_count_nor_wait(braked: Simulation) -> None:
    publish(braked, tables(20))
    views = [RelationName.of("d", f"v{number}") for number in range(COUNT)]
    for name in views:
        braked.change(view(name, tables(1)[0], shape="nonsense"))
    process_events(braked)
    for name in (*views, tables(20)[3]):
        braked.drop(name)
    process_events(braked)

    assert brakes(braked) == {}
    assert len(braked.index.yanked) == 1


@pytest.mark.thorough
def test_what_is_held_is_logged_once(braked: Simulation, caplog: pytest.LogCaptureFixture) -> None:
    publish(braked, tables(COUNT))
    for _ in range(3):
        drop_database(braked, tables(COUNT))

    assert caplog.text.count("deletion held until confirmed") == COUNT


def test_a_release_during_a_snapshot_is_kept(braked: Simulation) -> None:
    braked.engine.confirm_deletions()

    braked._inner.write(
        lambda tx: write_brakes(
            tx, {"": "40 of 40"}, frozenset({Namespace(("d",))}), lambda namespace: True
        )
    )

    assert brakes(braked) == {BRAKE: RELEASED}


# The end of a release


@pytest.mark.thorough
def test_a_release_ends_although_relations_are_dropped_all_the_time(braked: Simulation) -> None:
    others = tables(60, "other")
    publish(braked, [*tables(COUNT), *others])
    drop_database(braked, tables(COUNT))
    braked.engine.confirm_deletions()
    for name in others[:3]:
        braked.catalog.drop(name)
        braked.engine.snapshot()
        process_events(braked)
        braked.clock.sleep(RELEASE_SECONDS / 2)
    assert len(braked.index.yanked) == COUNT + 3

    for name in others[3:]:
        braked.catalog.drop(name)
    braked.engine.snapshot()
    process_events(braked)

    assert len(braked.index.yanked) == COUNT + 3
    assert brakes(braked) == {BRAKE: "57 of 57 relations not listed"}


def test_a_release_begins_with_the_next_snapshot(braked: Simulation) -> None:
    publish(braked, tables(COUNT))
    drop_database(braked, tables(COUNT))
    braked.engine.confirm_deletions()

    drop_database(braked, tables(COUNT))
    assert braked.index.yanked == {}

    braked.clock.sleep(2 * RELEASE_SECONDS)
    braked.engine.snapshot()
    process_events(braked)
    assert len(braked.index.yanked) == COUNT


@pytest.mark.thorough
def test_confirmed_deletions_are_all_carried_out_although_work_is_slow(braked: Simulation) -> None:
    publish(braked, tables(COUNT))
    for name in tables(COUNT):
        braked.catalog.drop(name)
    braked.engine.snapshot()
    braked.engine.confirm_deletions()
    braked.engine.snapshot()

    for _ in range(3):
        braked.engine.work()
        braked.clock.sleep(RELEASE_SECONDS / 4)
        braked.engine.snapshot()
    process_events(braked)

    assert len(braked.index.yanked) == COUNT


@pytest.mark.thorough
def test_confirmed_deletions_that_come_too_late_are_held_again(braked: Simulation) -> None:
    publish(braked, tables(COUNT))
    drop_database(braked, tables(COUNT))
    braked.engine.confirm_deletions()
    braked.engine.snapshot()
    braked.clock.sleep(RELEASE_SECONDS)
    process_events(braked)

    assert braked.index.yanked == {}
    assert brakes(braked) == {BRAKE: "40 of 40 relations missing"}

    braked.engine.confirm_deletions()
    braked.engine.snapshot()
    process_events(braked)
    assert len(braked.index.yanked) == COUNT


@pytest.mark.thorough
def test_a_release_that_ended_holds_nothing_by_itself(braked: Simulation) -> None:
    others = tables(60, "other")
    publish(braked, [*tables(COUNT), *others])
    drop_database(braked, tables(COUNT))
    braked.engine.confirm_deletions()
    braked.engine.snapshot()
    process_events(braked)
    braked.clock.sleep(RELEASE_SECONDS)

    braked.drop(others[0])
    process_events(braked)

    assert len(braked.index.yanked) == COUNT + 1


@pytest.mark.thorough
def test_a_release_leaves_time_for_work_where_there_is_no_grace(braked: Simulation) -> None:
    braked.policy = replace(braked.policy, drop_grace_seconds=0.0)
    braked.engine = braked.assemble(braked.deployment())
    publish(braked, tables(COUNT))
    drop_database(braked, tables(COUNT))
    braked.engine.confirm_deletions()
    braked.engine.snapshot()
    process_events(braked)

    assert len(braked.index.yanked) == COUNT


def test_an_emptied_folder_of_ddl_yanks_nothing(braked: Simulation, tmp_path: Path) -> None:
    folder = tmp_path / "ddl"
    folder.mkdir()
    for number in range(COUNT):
        (folder / f"t{number}.sql").write_text(f"CREATE TABLE db.t{number} (a STRING);")
    catalog = DdlFilesCatalog(folder)
    source = DdlFolderSource(catalog)
    braked.engine = Engine(parts_of(replace(braked.deployment(), catalog=catalog)))
    poll(braked, source)
    assert len(braked.index.history) == COUNT

    for path in folder.glob("*.sql"):
        path.unlink()
    poll(braked, source)

    assert braked.index.yanked == {}
    assert len(brakes(braked)) == 1


def poll(world: Simulation, source: DdlFolderSource) -> None:
    batch = source.poll(world.engine.position(source.name), 3.0)
    assert batch is not None
    world.engine.receive(source.name, batch)
    if batch.gap is not None:
        world.engine.snapshot()
    assert world.engine.drain(600.0)


# What is no longer needed


def test_only_notes_that_say_nothing_are_forgotten(world: Simulation) -> None:
    def write(tx: Transaction) -> None:
        for note in ("@brake/a", "@brake/b", "@brakes"):
            tx.journal.write_note(note, "")
        tx.journal.write_note("@brake/b", "held")
        tx.journal.forget_empty_notes(BRAKE)

    world._inner.write(write)

    assert brakes(world) == {"@brake/b": "held"}


def test_the_memo_keeps_the_newest_entries(world: Simulation) -> None:
    world.policy = replace(world.policy, max_memo_entries=10)
    world.engine = world.assemble(world.deployment())
    for number in range(30):
        entry = MemoEntry(f"{number}", Status.OK, "{}")
        now = world.clock.now() + number
        world._inner.write(partial(remember, entry=entry, now=now))

    world.engine.snapshot()

    kept = world._inner.read(lambda tx: tx.memo.recall(str(number) for number in range(30)))
    assert set(kept) == {str(number) for number in range(20, 30)}


def remember(tx: Transaction, *, entry: MemoEntry, now: float) -> None:
    tx.memo.remember([entry], now)


@pytest.mark.thorough
def test_an_upstream_that_never_existed_is_forgotten_when_no_view_names_it(
    world: Simulation,
) -> None:
    for number in range(20):
        world.change(view(V, RelationName.of("tmp", f"x{number}")))
        process_events(world)
    world.change(table(T, "a"))
    world.change(view(V, T))
    process_events(world)

    world.engine.snapshot()
    process_events(world)

    records = world._inner.read(lambda tx: tx.graph.every_record())
    assert set(records) == {T, V}
    assert record(world, V).status is Status.OK


def test_a_view_that_was_altered_to_and_fro_is_not_differing_for_ever(world: Simulation) -> None:
    world.change(table(T, "a"))
    world.change(view(V, T))
    process_events(world)
    world.change(view(V, S))
    world.deliver(0)
    world.engine.work()
    world.change(view(V, T))
    process_events(world)
    world.engine.snapshot()
    process_events(world)

    report = world.engine.snapshot()

    assert report.differing == 0
    assert world.engine.status().work == []
