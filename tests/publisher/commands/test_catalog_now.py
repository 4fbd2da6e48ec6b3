"""How much of a catalog is read: what the state knows is believed as far as it is current."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pytest

from lakeschema.catalog.ddl_files import DdlFilesCatalog
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Relation
from lakeschema.translation.direct_deriver import DirectDeriver
from lakeschema.translation.interface import Options
from publisher.commands.planning.catalog_now import CatalogNow
from publisher.events.log_position import LogPosition
from publisher.state.sqlite_reading import read_state
from tests.publisher.commands.folder import Folder

ORDERS, IDS, WRONG = (RelationName.of("shop", name) for name in ("orders", "ids", "wrong"))


@dataclass
class Metastore:
    """A folder's catalog with event ids, which notes what is read."""

    folder: DdlFilesCatalog
    event_id: int
    read_names: list[RelationName] = field(default_factory=list)

    def namespaces(self) -> Sequence[tuple[str, ...]]:
        return self.folder.namespaces()

    def relations(self, namespace: tuple[str, ...]) -> Sequence[RelationName]:
        return self.folder.relations(namespace)

    def read(self, names: Sequence[RelationName]) -> Mapping[RelationName, Relation]:
        self.read_names += names
        return self.folder.read(names)

    def current_event_id(self) -> int | None:
        return self.event_id


@pytest.mark.thorough
def test_a_plan_waits_for_nothing_that_it_does_not_use(published: Folder) -> None:
    change = "ALTER TABLE shop.orders ADD COLUMNS (more int)"
    command = [sys.executable, "-X", "importtime", "-m", "publisher", "plan", change, "--json"]

    ended = subprocess.run(
        [*command, "--config", str(published.config)], capture_output=True, text=True, check=True
    )

    assert "shop.orders" in ended.stdout
    imported = {line.rpartition("|")[2].strip() for line in ended.stderr.splitlines()}
    assert "publisher.commands.planned_deployment" in imported
    unused = {"alembic", "cryptography", "hive_metastore", "kafka", "pyspark", "requests", "rich"}
    assert not imported & {*unused, "sqlalchemy", "sqlglot", "starlette", "twine", "uvicorn"}


@pytest.mark.parametrize(
    ("event_id", "expected"), [(7, set[RelationName]()), (8, {ORDERS, IDS, WRONG})]
)
def test_the_catalog_is_read_unless_the_state_has_heard_of_its_newest_event(
    published: Folder, event_id: int, expected: set[RelationName]
) -> None:
    position = LogPosition(last=7, after=0).to_text()
    with published.state() as state:
        state.write(lambda tx: tx.journal.save_position("notification-log", position))
    catalog = Metastore(DdlFilesCatalog(published.path / "ddl"), event_id)

    with read_state(published.path / "state.db") as state:
        now = CatalogNow(catalog, DirectDeriver(Options()), state, lambda _: None)
        dependents = now.dependents([ORDERS])

    assert dependents == {IDS, WRONG}
    assert set(catalog.read_names) == expected
