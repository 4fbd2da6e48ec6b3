"""The index is unavailable, has other files, or has versions that our state lacks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from codegen.package import Wheel
from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.model.outcome import Status
from publisher.index.protocol import IndexUnavailable
from publisher.index.wheel_files import parse_filename
from publisher.state.records import VersionRecord, VersionStatus
from tests.publisher.daemon.simulated import S, T, V, numbers, process_events, record, rename
from tests.simulation.simulation import Simulation
from tests.simulation.toy import table, view


@pytest.mark.thorough
def test_an_index_that_is_down_loses_nothing_and_holds_up_no_derivation(world: Simulation) -> None:
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


def test_a_number_taken_by_other_bytes_is_unusable_and_logged(
    world: Simulation, caplog: pytest.LogCaptureFixture
) -> None:
    world.change(table(T, "a"))
    process_events(world)
    ours = world.index.history[0]
    name = ours.filename.replace("1.0.0", "1.1.0")
    foreign = replace(ours, version="1.1.0", filename=name, data=b"{}")
    world.change(table(T, "a", "b"))

    process_events_while_another_uploads(world, foreign)

    versions = world._inner.read(lambda tx: tx.versions.every_version())
    assert [(v.number, v.status) for v in versions] == [
        ("1.0.0", VersionStatus.PUBLISHED),
        ("1.1.0", VersionStatus.CONFLICT),
        ("1.2.0", VersionStatus.PUBLISHED),
    ]
    assert "version number is taken by other bytes: unusable" in caplog.text


def test_a_taken_number_stays_unusable_after_the_other_bytes_are_gone(world: Simulation) -> None:
    """Some indexes never take the name of a deleted file again, and consumers may have them."""
    world.change(table(T, "a"))
    process_events(world)
    ours = world.index.history[0]
    name = ours.filename.replace("1.0.0", "1.1.0")
    foreign = replace(ours, version="1.1.0", filename=name, data=b"{}")
    world.change(table(T, "a", "b"))
    world.deliver(0)
    upload_first(world, foreign)
    world.engine.work()
    world.index.lose(name)

    process_events(world)

    assert numbers(world, T) == ["1.0.0", "1.2.0"]


@pytest.mark.parametrize(
    "filename",
    [
        "toy_d_t-{}.post1-py3-none-any.whl",
        "toy_d_t-{}rc1-py3-none-any.whl",
        "toy_d_t-{}+hot.fix-py3-none-any.whl",
        "toy_d_t-{}-cp311-cp311-win32.whl",
        "toy-d-t-{}.tar.gz",
    ],
)
@pytest.mark.parametrize("release", ["1.0.0", "1.1.0"])
def test_a_foreign_file_of_any_form_takes_its_number_and_poisons_nothing(
    world: Simulation, filename: str, release: str
) -> None:
    for name in (T, S):
        world.change(table(name, "a"))
    process_events(world)
    upload_foreign(world, filename.format(release))

    for name in (T, S):
        world.change(table(name, "a", "b"))
    process_events(world)

    assert numbers(world, T) == ["1.0.0", "1.2.0" if release == "1.1.0" else "1.1.0"]
    assert numbers(world, S) == ["1.0.0", "1.1.0"]


def test_a_foreign_version_that_an_earlier_release_recorded_poisons_nothing(
    world: Simulation,
) -> None:
    world.change(table(T, "a"))
    process_events(world)
    foreign = VersionRecord(
        "toy-d-t", "1.0.0.post1", T, VersionStatus.PUBLISHED, None, None, "", ""
    )
    world._inner.write(lambda tx: tx.versions.adopt([foreign]))

    world.change(table(T, "a", "b"))
    process_events(world)

    assert numbers(world, T) == ["1.0.0", "1.1.0"]


def test_a_torn_upload_gives_its_number_up_and_goes_out_under_the_next(
    world: Simulation, caplog: pytest.LogCaptureFixture
) -> None:
    """As on pypiserver, which keeps what arrived of an upload that was cut."""
    world.change(table(T, "a"))
    upload = world.index.upload

    def cut_once(wheel: Wheel) -> None:
        if wheel.version == "1.0.0" and wheel.filename not in world.index.visible:
            world.index.visible[wheel.filename] = wheel.data[:20]
            world.index.owner[wheel.filename] = wheel
            raise IndexUnavailable("fake", "the connection was cut")
        upload(wheel)

    world.index.upload = cut_once  # type: ignore[method-assign]  # this one call misbehaves
    process_events(world)

    assert numbers(world, T) == ["2.0.0"]
    assert "version number is taken by other bytes: unusable" in caplog.text
    assert [v.number for v in world.engine.status().conflicts] == ["1.0.0"]


def test_names_are_adopted_with_the_version_that_states_them(
    world: Simulation, tmp_path: Path
) -> None:
    rename(world, "camel case")
    world.change(table(T, "a"))
    process_events(world)
    (tmp_path / "new").mkdir()
    other = Simulation(tmp_path / "new", lag_seconds=0.0)
    other.index.visible.update(world.index.visible)
    other.index.owner.update(world.index.owner)
    rename(other, "snake case")
    other.change(table(T, "a", "b"))

    process_events(other)

    assert numbers(other, T) == ["2.0.0"]
    other.close()


def test_another_relations_package_of_the_same_name_is_left_alone(
    world: Simulation, tmp_path: Path
) -> None:
    """``toy-d-t`` is both the table ``t`` of ``d`` and, without a namespace, the table ``d-t``."""
    world.change(table(RelationName.of("d-t"), "a"))
    process_events(world)
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


def test_a_lost_state_is_adopted_from_the_index(world: Simulation, tmp_path: Path) -> None:
    world.change(table(T, "a"))
    world.change(table(S, "a"))
    process_events(world)
    (tmp_path / "new").mkdir()
    other = Simulation(tmp_path / "new", lag_seconds=0.0)
    other.index.visible.update(world.index.visible)
    other.index.owner.update(world.index.owner)
    other.change(table(T, "a"))
    other.change(table(S, "a", "b"))

    process_events(other)

    assert numbers(other, T) == []
    assert numbers(other, S) == ["1.1.0"]
    other.close()


def upload_foreign(world: Simulation, filename: str) -> None:
    """Another program's file appears under our distribution's name."""
    version = parse_filename(filename).version
    wheel = replace(world.index.history[0], filename=filename, version=version, data=b"{}")
    world.index.visible[filename] = wheel.data
    world.index.owner[filename] = wheel


def process_events_while_another_uploads(world: Simulation, foreign: Wheel) -> None:
    upload_first(world, foreign)
    process_events(world)


def upload_first(world: Simulation, foreign: Wheel) -> None:
    """Another program's file appears between our next check and our upload."""
    upload = world.index.upload

    def late(wheel: Wheel) -> None:
        world.index.upload = upload  # type: ignore[method-assign]  # only one call misbehaves
        world.index.visible[foreign.filename] = foreign.data
        world.index.owner[foreign.filename] = foreign
        upload(wheel)

    world.index.upload = late  # type: ignore[method-assign]  # this one call misbehaves
