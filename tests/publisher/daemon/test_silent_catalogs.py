"""Two DDL folders as two catalogs; a folder that does not exist is a catalog that does not answer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from lakeschema.catalog.catalogs import Catalogs
from lakeschema.catalog.ddl_files import DdlFilesCatalog
from lakeschema.catalog.errors import CatalogDown
from lakeschema.catalog.identifiers import RelationName
from publisher.daemon.observed import observed
from publisher.daemon.returning import ReturningCatalogs
from publisher.outages import Outages
from publisher.policy import Policy
from publisher.runtime import Runtime
from publisher.settling.comparison import SNAPSHOT_DUE
from publisher.settling.cones import Cone
from publisher.settling.findings import Answer, CatalogReader
from publisher.state.sqlite import SqliteState
from tests.simulation.world import FakeClock

OURS = RelationName(("shop",), "orders")
THEIRS = RelationName(("shop",), "orders", "b")


class TwoFolders:
    def __init__(self, folder: Path) -> None:
        self.state = SqliteState(folder / "state.db")
        self.clock, self.outages = FakeClock(), Outages()
        self.runtime = Runtime(self.state, self.clock, Policy(), outages=self.outages)
        self._folders = (folder / "ours", folder / "theirs")
        ours, theirs = map(DdlFilesCatalog, self._folders)
        self.catalog = observed(Catalogs.of(ours, {"b": theirs}), self.outages)
        self.reader = CatalogReader(self.catalog, self.clock)
        self._write(self._folders[0])

    def second_answers(self) -> None:
        self._write(self._folders[1])

    def note(self, key: str) -> str | None:
        return self.state.read(lambda tx: tx.journal.note(key))

    def _write(self, folder: Path) -> None:
        folder.mkdir()
        (folder / "orders.sql").write_text("CREATE TABLE shop.orders (id BIGINT);")


@pytest.fixture
def world(tmp_path: Path) -> Iterator[TwoFolders]:
    folders = TwoFolders(tmp_path)
    with closing(folders.state):
        yield folders


def test_names_of_a_silent_catalog_hold_back_no_others(world: TwoFolders) -> None:
    answers = world.reader.read([OURS, THEIRS])

    assert isinstance(answers[OURS], Answer)
    assert isinstance(answers[THEIRS], CatalogDown)
    assert [*world.outages.failing()] == ["catalog b"]


def test_a_silent_catalog_is_asked_again_after_as_long_as_its_failure_took(
    world: TwoFolders,
) -> None:
    began = world.clock.now()
    world.reader.read([OURS, THEIRS])
    took = world.clock.now() - began
    world.second_answers()
    assert isinstance(world.reader.read([OURS, THEIRS])[THEIRS], CatalogDown)

    world.clock.sleep(took)

    assert isinstance(world.reader.read([OURS, THEIRS])[THEIRS], Answer)


def test_the_outage_of_a_catalog_that_answers_again_ends_without_work(world: TwoFolders) -> None:
    world.reader.read([OURS, THEIRS])
    returning = ReturningCatalogs(world.catalog, world.runtime)
    returning.look()
    assert world.outages.fails("catalog b")

    world.second_answers()
    world.clock.sleep(60.0)
    returning.look()

    assert not world.outages.failing()
    assert not world.note(SNAPSHOT_DUE)


def test_each_catalog_counts_its_own_events() -> None:
    readings = [("", 10.0, 7), ("b", 10.0, 900), ("b", 10.0, 800), ("", 1.0, 99)]

    cone = Cone({OURS: "x", THEIRS: "y"}, settled=True, readings=readings)

    assert [cone.read_event_id(catalog, 5.0) for catalog in ("", "b")] == [7, 900]
