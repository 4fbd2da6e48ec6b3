"""At each snapshot the index is compared with the ledger, and differences are repaired."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import pytest

from codegen.package import Wheel
from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.model.outcome import Status
from publisher.index.protocol import Damage, IndexFile, IndexRefused, IndexUnavailable
from publisher.policy import DeletionLimit
from publisher.publishing.packaging_protocol import PackagingCrashed
from publisher.publishing.upload import DROPPED, MAX_LISTING_DELAY_SECONDS
from publisher.state.records import VersionRecord, VersionStatus
from tests.publisher.daemon.simulated import (
    S,
    T,
    V,
    fields,
    numbers,
    process_events,
    record,
    refuse,
)
from tests.simulation.simulation import POLICY, Simulation, assemble
from tests.simulation.toy import ToyPackaging, table, view
from tests.simulation.world import IndexCopy

BRAKED = replace(POLICY, deletion_limit=DeletionLimit(at_least=2, share=0.2))


@pytest.fixture
def world() -> Iterator[Simulation]:
    """Its state is in memory, so that it can be restored."""
    simulation = Simulation(None, lag_seconds=0.0, policy=POLICY)
    simulation.index.shows_sha = True
    simulation.index.overwrites = False
    yield simulation
    simulation.close()


def publish(world: Simulation, *columns: str) -> None:
    world.change(table(T, *columns))
    world.change(view(V, T))
    process_events(world)


def snapshot(world: Simulation) -> None:
    world.engine.snapshot()
    assert world.engine.drain(600.0)


def noted(world: Simulation) -> dict[str, object]:
    (note,) = world._inner.read(lambda tx: tx.journal.notes("@index/")).values()
    found: dict[str, object] = json.loads(note)
    return found


def statuses(world: Simulation, name: RelationName) -> list[tuple[str, VersionStatus]]:
    distribution = ToyPackaging().distribution(name)
    history = world._inner.read(lambda tx: tx.versions.history([distribution]))[distribution]
    return [(version.number, version.status) for version in history]


def file_of(name: RelationName, number: str) -> str:
    return f"{ToyPackaging().distribution(name).replace('-', '_')}-{number}-py3-none-any.whl"


# What the index lost


def test_a_lost_file_is_uploaded_again_with_its_bytes(world: Simulation) -> None:
    publish(world, "a")
    publish(world, "a", "b")
    before = dict(world.index.visible)
    world.index.lose(file_of(T, "1.0.0"))
    world.index.lose(file_of(V, "1.1.0"))

    snapshot(world)

    assert world.index.visible == before
    assert statuses(world, T) == [
        ("1.0.0", VersionStatus.PUBLISHED),
        ("1.1.0", VersionStatus.PUBLISHED),
    ]
    snapshot(world)
    assert noted(world)["differing"] == 0


def test_an_emptied_index_is_filled_again(world: Simulation) -> None:
    publish(world, "a")
    before = dict(world.index.visible)
    world.index.restore(IndexCopy())

    snapshot(world)

    assert world.index.visible == before


def test_a_lost_package_of_a_view_that_broke_is_uploaded_again(world: Simulation) -> None:
    publish(world, "a")
    world.change(view(V, T, shape="nonsense"))
    process_events(world)
    world.index.lose(file_of(V, "1.0.0"))

    snapshot(world)

    assert record(world, V).status is Status.BROKEN
    assert file_of(V, "1.0.0") in world.index.visible


def test_what_cannot_be_built_again_is_published_under_the_next_number(
    world: Simulation, caplog: pytest.LogCaptureFixture
) -> None:
    publish(world, "a")
    world.index.lose(file_of(T, "1.0.0"))
    refuse(world, generator="another generator")

    snapshot(world)

    assert "cannot be built again" in caplog.text
    assert statuses(world, T)[0] == ("1.0.0", VersionStatus.LOST)
    assert statuses(world, T)[1][1] is VersionStatus.PUBLISHED
    assert record(world, T).published_hash == record(world, T).content_hash


def test_a_newest_version_that_a_stale_page_lacks_is_not_lost(world: Simulation) -> None:
    publish(world, "a")
    publish(world, "a", "b")
    serve_stale_pages_without(world, file_of(T, "1.1.0"), reads=12)

    snapshot(world)

    assert statuses(world, T) == [
        ("1.0.0", VersionStatus.PUBLISHED),
        ("1.1.0", VersionStatus.PUBLISHED),
    ]
    assert numbers(world, T) == ["1.0.0", "1.1.0"]


def test_a_name_that_is_refused_and_not_listed_for_long_is_lost(world: Simulation) -> None:
    publish(world, "a")
    world.clock.sleep(MAX_LISTING_DELAY_SECONDS + 1.0)
    serve_stale_pages_without(world, file_of(T, "1.0.0"), reads=1000)

    snapshot(world)

    assert statuses(world, T)[0] == ("1.0.0", VersionStatus.LOST)
    assert statuses(world, T)[1][1] is VersionStatus.PUBLISHED


def test_wall_time_that_was_corrected_holds_no_lost_version_up(world: Simulation) -> None:
    publish(world, "a")
    world.clock.step_wall(-10 * MAX_LISTING_DELAY_SECONDS)
    serve_stale_pages_without(world, file_of(T, "1.0.0"), reads=1000)

    snapshot(world)

    assert statuses(world, T)[0] == ("1.0.0", VersionStatus.LOST)


def serve_stale_pages_without(world: Simulation, filename: str, reads: int) -> None:
    """The next pages of its distribution lack a file whose name the index refuses all the same."""
    files, upload = world.index.files, world.index.upload
    concerned = world.index.owner[filename].distribution
    stale = iter(range(reads))

    def stale_files(distribution: str) -> Sequence[IndexFile]:
        listed = files(distribution)
        if distribution != concerned or next(stale, None) is None:
            return listed
        return [file for file in listed if file.filename != filename]

    def refuse_existing(wheel: Wheel) -> None:
        if wheel.filename in world.index.visible:
            raise IndexRefused("fake", "exists", 409)
        upload(wheel)

    world.index.files = stale_files  # type: ignore[method-assign]  # for a while
    world.index.upload = refuse_existing  # type: ignore[method-assign]  # as most servers do


class CrashingPackaging(ToyPackaging):
    def rebuild(
        self, version: VersionRecord, provenance: str, earlier: Mapping[str, str]
    ) -> Wheel | None:
        raise PackagingCrashed(version.relation, "killed after 30 s")


def test_a_lost_version_whose_rebuilding_crashes_is_published_under_the_next_number(
    world: Simulation, caplog: pytest.LogCaptureFixture
) -> None:
    publish(world, "a")
    world.index.lose(file_of(T, "1.0.0"))
    world.engine = assemble(replace(world.deployment(), packaging=CrashingPackaging()))

    snapshot(world)

    assert statuses(world, T)[0] == ("1.0.0", VersionStatus.LOST)
    assert statuses(world, T)[1][1] is VersionStatus.PUBLISHED
    (lost,) = [r for r in caplog.records if "cannot be built again" in r.message]
    assert "killed after 30 s" in lost.__dict__["why"]


def test_a_lost_version_that_is_restored_from_a_backup_counts_again(world: Simulation) -> None:
    publish(world, "a")
    copy = world.index.copy()
    world.index.lose(file_of(T, "1.0.0"))
    refuse(world, generator="another generator")
    snapshot(world)

    world.index.visible.update(copy.visible)
    world.index.owner.update(copy.owner)
    snapshot(world)

    assert statuses(world, T)[0] == ("1.0.0", VersionStatus.PUBLISHED)


def test_other_bytes_under_a_published_number_are_a_conflict_and_the_next_number(
    world: Simulation,
) -> None:
    publish(world, "a")
    world.index.visible[file_of(T, "1.0.0")] = b"somebody else's"

    snapshot(world)

    assert statuses(world, T)[0] == ("1.0.0", VersionStatus.CONFLICT)
    assert statuses(world, T)[1][1] is VersionStatus.PUBLISHED
    assert [v.number for v in world.engine.status().conflicts] == ["1.0.0"]


def test_an_older_copy_of_the_index_is_filled_up(world: Simulation) -> None:
    publish(world, "a")
    copy = world.index.copy()
    publish(world, "a", "b")
    before = dict(world.index.visible)
    world.index.restore(copy)

    snapshot(world)

    assert world.index.visible == before


# What is damaged of a folder


class ReadWheels:
    """Of which distributions wheels were read, if each package has 100 bytes of them."""

    def __init__(self, world: Simulation) -> None:
        self.names: list[str] = []
        self.damages: dict[str, Damage] = {}
        self.mended: list[tuple[str, list[str]]] = []
        world.index.damages = self.find  # type: ignore[method-assign]  # a server has none
        world.index.mend = self.mend  # type: ignore[method-assign]  # likewise

    def find(
        self, distribution: str, published: Mapping[str, str], may_read: Callable[[int], bool]
    ) -> Sequence[Damage]:
        if may_read(100):
            self.names.append(distribution)
        return [self.damages[distribution]] if distribution in self.damages else []

    def mend(
        self, distribution: str, published: Mapping[str, str], wheels: Sequence[Wheel]
    ) -> None:
        self.mended.append((distribution, [wheel.filename for wheel in wheels]))
        if wheels:
            del self.damages[distribution]


def test_snapshots_read_wheels_of_some_packages_and_go_round(world: Simulation) -> None:
    names = [RelationName.of("d", f"t{n}") for n in range(5)]
    for name in names:
        world.change(table(name, "a"))
    process_events(world)
    packages = [ToyPackaging().distribution(name) for name in names]
    world.policy = replace(POLICY, index_bytes_per_snapshot=150.0)
    world.engine = assemble(world.deployment())
    read = ReadWheels(world)

    for _ in range(5):
        snapshot(world)

    assert read.names == packages * 2

    read.names.clear()
    world.engine.refill()
    assert sorted(read.names) == packages


def test_a_damaged_wheel_is_written_again(world: Simulation) -> None:
    publish(world, "a")
    distribution, filename = ToyPackaging().distribution(T), file_of(T, "1.0.0")
    read = ReadWheels(world)
    read.damages[distribution] = Damage(filename, "is damaged: it is")

    snapshot(world)

    assert read.mended == [(distribution, [filename])]
    assert statuses(world, T) == [("1.0.0", VersionStatus.PUBLISHED)]
    snapshot(world)
    assert noted(world)["differing"] == 0


def test_a_damaged_wheel_that_cannot_be_built_again_goes_out_once_under_the_next_number(
    world: Simulation, caplog: pytest.LogCaptureFixture
) -> None:
    publish(world, "a")
    read = ReadWheels(world)
    read.damages[ToyPackaging().distribution(T)] = Damage(file_of(T, "1.0.0"), "is damaged: it is")
    refuse(world, generator="another generator")

    for _ in range(3):
        snapshot(world)

    (told,) = [r for r in caplog.records if "damaged on the index and cannot" in r.message]
    assert "restore the file from a backup" in told.__dict__["remedy"]
    assert [status for _, status in statuses(world, T)] == [
        VersionStatus.LOST,
        VersionStatus.PUBLISHED,
    ]
    assert noted(world)["differing"] == 0

    read.damages.clear()
    snapshot(world)
    assert statuses(world, T)[0] == ("1.0.0", VersionStatus.PUBLISHED)


def test_a_damaged_wheel_of_a_dropped_relation_is_written_again(world: Simulation) -> None:
    publish(world, "a")
    world.drop(V)
    process_events(world)
    snapshot(world)
    read = ReadWheels(world)
    filename = file_of(V, "1.0.0")
    read.damages[ToyPackaging().distribution(V)] = Damage(filename, "is damaged: it is")

    snapshot(world)

    assert record(world, V).status is Status.MISSING
    assert read.mended == [(ToyPackaging().distribution(V), [filename])]


def test_a_file_that_is_gone_is_a_lost_one_and_no_damage(world: Simulation) -> None:
    names = [RelationName.of("d", f"t{n}") for n in range(5)]
    for name in names:
        world.change(table(name, "a"))
    process_events(world)
    world.policy = BRAKED
    world.engine = assemble(world.deployment())
    world.index.restore(IndexCopy())
    read = ReadWheels(world)
    for name in names:
        gone = Damage(file_of(name, "1.0.0"), "is missing: the page lists it", is_missing=True)
        read.damages[ToyPackaging().distribution(name)] = gone

    snapshot(world)

    assert noted(world)["held"] == ["5 of 5 packages are not on the index"]
    assert read.mended == []


# The brake


def test_an_index_that_lacks_many_packages_is_left_alone_until_a_person_asks(
    world: Simulation,
) -> None:
    names = [RelationName.of("d", f"t{n}") for n in range(5)]
    for name in names:
        world.change(table(name, "a"))
    process_events(world)
    world.policy = BRAKED
    world.engine = assemble(world.deployment())
    before = dict(world.index.visible)
    world.index.restore(IndexCopy())

    snapshot(world)

    assert world.index.visible == {}
    assert noted(world)["held"] == ["5 of 5 packages are not on the index"]

    world.engine.refill()
    assert world.engine.drain(600.0)
    assert world.index.visible == before
    snapshot(world)
    assert noted(world)["held"] == []


def test_an_index_that_is_away_is_asked_twice_and_costs_the_snapshot_nothing(
    world: Simulation,
) -> None:
    publish(world, "a")
    world.index.down = True
    before = world.engine.counters.values().get("index_failures", 0)

    report = world.engine.snapshot()

    assert report.listed == 2
    assert world.engine.counters.values()["index_failures"] <= before + 2


def test_a_page_without_an_answer_keeps_no_other_package_from_its_comparison(
    world: Simulation,
) -> None:
    for name in (S, T, V):
        world.change(table(name, "a"))
    process_events(world)
    world.index.lose(file_of(V, "1.0.0"))
    files = world.index.files

    def answer(distribution: str) -> Sequence[IndexFile]:
        if distribution == ToyPackaging().distribution(S):
            raise IndexUnavailable("fake", "internal error", 500)
        return files(distribution)

    world.index.files = answer  # type: ignore[method-assign]  # a double
    snapshot(world)

    assert file_of(V, "1.0.0") in world.index.visible
    assert noted(world)["failed"] == {
        ToyPackaging().distribution(S): "package index fake: internal error (HTTP 500)"
    }


def test_foreign_files_are_reported(world: Simulation) -> None:
    publish(world, "a")
    wheel = world.index.history[0]
    name = "toy_d_t-1.0.0.post1-py3-none-any.whl"
    world.index.owner[name] = replace(wheel, filename=name, version="1.0.0.post1")
    world.index.visible[name] = b"{}"

    snapshot(world)

    assert noted(world)["foreign"] == [name]
    assert noted(world)["differing"] == 0


# The state is older than the index


def test_a_restored_state_publishes_again_what_the_catalog_says(world: Simulation) -> None:
    publish(world, "a")
    copy = world.copy_state()
    world.change(table(T, "b"))
    process_events(world)
    world.restore_state(copy)
    world.catalog.change(table(T, "a"))

    snapshot(world)

    assert fields(world, T) == ["a"]
    assert numbers(world, T)[:2] == ["1.0.0", "2.0.0"]
    assert len(numbers(world, T)) == 3


def test_a_relation_that_the_restored_state_never_knew_is_yanked_if_it_was_dropped(
    world: Simulation,
) -> None:
    publish(world, "a")
    copy = world.copy_state()
    world.change(table(S, "a"))
    process_events(world)
    world.restore_state(copy)
    world.catalog.drop(S)

    snapshot(world)

    assert world.index.yanked == {file_of(S, "1.0.0"): DROPPED}
    assert record(world, S).status is Status.MISSING
    assert statuses(world, S) == [("1.0.0", VersionStatus.PUBLISHED)]


def test_a_dropped_table_that_a_view_still_names_is_yanked_although_the_state_was_lost(
    world: Simulation,
) -> None:
    publish(world, "a")
    world.restore_state(None)
    world.drop(T)
    world.change(view(V, T))
    process_events(world)
    assert record(world, T).status is Status.MISSING

    snapshot(world)

    assert world.index.yanked == {file_of(T, "1.0.0"): DROPPED}


def test_many_unknown_packages_of_dropped_relations_wait_for_a_person(world: Simulation) -> None:
    publish(world, "a")
    copy = world.copy_state()
    names = [RelationName.of("d", f"t{n}") for n in range(5)]
    for name in names:
        world.change(table(name, "a"))
    process_events(world)
    world.restore_state(copy)
    for name in names:
        world.catalog.drop(name)
    world.policy = BRAKED
    world.engine = assemble(world.deployment())

    snapshot(world)

    assert world.index.yanked == {}
    assert noted(world)["held"] == ["5 of 7 packages are of relations that do not exist"]

    report = world.engine.adopt()
    assert sorted(report.adopted) == names


def test_adopted_packages_of_dropped_relations_are_yanked_once_a_person_confirms(
    world: Simulation,
) -> None:
    names = [RelationName.of("d", f"t{n:02}") for n in range(12)]
    for name in names:
        world.change(table(name, "a"))
    process_events(world)
    world.restore_state(None)
    for name in names:
        world.catalog.drop(name)
    world.policy = replace(POLICY, deletion_limit=DeletionLimit())
    world.engine = assemble(world.deployment())
    assert len(world.engine.adopt().adopted) == 12
    assert world.engine.drain(600.0)

    assert world.engine.snapshot().held == {"": "12 of 12 relations not listed"}
    assert world.engine.drain(600.0)
    assert world.index.yanked == {}

    world.engine.confirm_deletions()
    snapshot(world)

    assert len(world.index.yanked) == 12
    snapshot(world)
    assert world._inner.read(lambda tx: tx.journal.notes("@brake/")) == {}


def test_a_relation_that_exists_is_adopted_with_its_history(world: Simulation) -> None:
    publish(world, "a")
    copy = world.copy_state()
    world.change(table(S, "a"))
    process_events(world)
    world.restore_state(copy)

    snapshot(world)

    assert world.index.yanked == {}
    assert numbers(world, S) == ["1.0.0"]
    assert record(world, S).published_hash == record(world, S).content_hash


def test_a_yank_that_the_state_does_not_know_is_undone(world: Simulation) -> None:
    publish(world, "a")
    world.index.yanked[file_of(T, "1.0.0")] = DROPPED

    snapshot(world)

    assert world.index.yanked == {}


def test_a_yank_by_a_person_is_left_alone(world: Simulation) -> None:
    publish(world, "a")
    world.index.yanked[file_of(T, "1.0.0")] = "do not use"

    snapshot(world)

    assert world.index.yanked == {file_of(T, "1.0.0"): "do not use"}


def test_an_index_that_cannot_yank_is_not_asked_again_at_each_snapshot(world: Simulation) -> None:
    world.index.yanks = False
    publish(world, "a")
    world.drop(V)
    process_events(world)

    snapshot(world)

    assert noted(world)["differing"] == 0
    assert world.engine.counters.values()["yanks_declined"] == 1
