"""An upgrade or a setting that would publish most packages again waits for a person."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import pytest

from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Relation
from lakeschema.translation.model.interface import Interface
from lakeschema.translation.model.outcome import Outcome
from publisher.daemon.assembly import parts_of
from publisher.daemon.engine import Engine
from publisher.policy import MassChange
from publisher.selection import Selection
from publisher.settling.deletions import RELEASED
from publisher.settling.mass_change import CHANGE_BRAKE
from tests.publisher.daemon.simulated import choose, process_events, rename, select
from tests.simulation.simulation import Simulation
from tests.simulation.toy import ToyDeriver, table

COUNT = 100


@dataclass
class UpgradedDeriver(ToyDeriver):
    """Renames a column of each table whose number is below ``affected``."""

    affected: int = COUNT
    release: str = "v2"

    def derive(self, relation: Relation, upstreams: Mapping[RelationName, Interface]) -> Outcome:
        if int(relation.name.name[1:]) < self.affected:
            columns = [replace(c, name=f"{c.name}_renamed") for c in relation.columns]
            relation = replace(relation, columns=tuple(columns))
        return super().derive(relation, upstreams)

    def inputs_hash(self, relation: Relation, hashes: Mapping[RelationName, str]) -> str:
        return self.release + super().inputs_hash(relation, hashes)


@pytest.fixture
def published(world: Simulation) -> Simulation:
    """Stated names as those of the real generator, so that other options give other content."""
    rename(world, "camel case")
    for number in range(COUNT):
        world.change(table(name(number), "a"))
    process_events(world)
    world.engine.snapshot()
    return world


def name(number: int) -> RelationName:
    return RelationName.of("d", f"t{number:02}")


def upgrade(world: Simulation, affected: int = COUNT, mode: MassChange = "canary") -> None:
    world.policy = replace(world.policy, mass_change=mode)
    deployment = replace(world.deployment(), deriver=UpgradedDeriver(affected))
    world.engine = Engine(parts_of(deployment))


def snapshot(world: Simulation) -> str:
    """Why changes are held."""
    report = world.engine.snapshot()
    process_events(world)
    return report.held_changes


def note(world: Simulation) -> str:
    return world._inner.read(lambda tx: tx.journal.note(f"{CHANGE_BRAKE}catalog"))


def new_versions(world: Simulation) -> int:
    return len(world.index.history) - COUNT


@pytest.mark.thorough
def test_an_upgrade_that_changes_every_package_publishes_nothing(published: Simulation) -> None:
    upgrade(published)

    held = snapshot(published)

    assert held == "20 of 20 sampled relations would get another package, about 100 of 100 in all"
    assert note(published) == held
    assert new_versions(published) == 0


@pytest.mark.thorough
def test_a_person_confirms_it(published: Simulation) -> None:
    upgrade(published)
    snapshot(published)

    published.engine.confirm_changes()
    assert snapshot(published) == ""
    assert new_versions(published) == COUNT

    assert snapshot(published) == ""
    assert note(published) == ""


@pytest.mark.thorough
def test_an_upgrade_that_changes_no_package_is_not_held(published: Simulation) -> None:
    upgrade(published, affected=0)

    assert snapshot(published) == ""

    assert published.engine.snapshot().differing == 0
    assert new_versions(published) == 0


@pytest.mark.thorough
def test_an_upgrade_that_changes_few_packages_is_not_held(published: Simulation) -> None:
    upgrade(published, affected=8)

    assert snapshot(published) == ""

    assert new_versions(published) == 8


@pytest.mark.thorough
def test_a_changed_table_is_published_while_the_others_wait(published: Simulation) -> None:
    upgrade(published)
    published.catalog.change(table(name(COUNT), "b"))
    published.catalog.change(table(name(50), "a", "b"))

    snapshot(published)

    assert new_versions(published) == 2


@pytest.mark.thorough
def test_a_release_that_is_taken_back_holds_nothing(published: Simulation) -> None:
    upgrade(published)
    snapshot(published)
    rename(published, "camel case")

    assert snapshot(published) == ""
    assert (note(published), new_versions(published)) == ("", 0)


@pytest.mark.thorough
def test_it_may_be_off(published: Simulation) -> None:
    upgrade(published, mode="off")

    assert snapshot(published) == ""
    assert new_versions(published) == COUNT


@pytest.mark.thorough
def test_every_mass_derivation_may_be_for_a_person_to_confirm(published: Simulation) -> None:
    upgrade(published, affected=0, mode="confirm")

    assert snapshot(published) == "100 of 100 relations would be derived again"


@pytest.mark.thorough
def test_other_options_of_the_generator_wait(published: Simulation) -> None:
    choose(published, "immutable")
    held = snapshot(published)
    assert (held, new_versions(published)) == ("100 of 100 relations would be derived again", 0)

    published.engine.confirm_changes()
    snapshot(published)

    assert new_versions(published) == COUNT
    assert snapshot(published) == ""
    assert note(published) == ""


@pytest.mark.thorough
def test_another_selection_waits_where_it_includes_many(published: Simulation) -> None:
    select(published, Selection(exclude=("*.*",)))
    assert snapshot(published) == ""
    select(published, Selection())

    assert snapshot(published) == "100 of 100 relations would be derived again"


def test_confirming_nothing_is_told(published: Simulation) -> None:
    assert published.engine.confirm_changes() == ""
    assert note(published) != RELEASED
