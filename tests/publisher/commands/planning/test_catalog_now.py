"""How much of a catalog is read: the state is used as far as it is current."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pytest

from lakeschema.catalog.column_types import print_type
from lakeschema.catalog.ddl_change import Script, apply_ddl
from lakeschema.catalog.ddl_files import DdlFilesCatalog
from lakeschema.catalog.identifiers import Namespace, RelationName
from lakeschema.catalog.relations import Relation
from lakeschema.translation.deriving.direct_deriver import DirectDeriver
from lakeschema.translation.model.interface import Options
from lakeschema.translation.model.outcome import Derived
from publisher.commands.planning.catalog_now import CatalogNow
from publisher.commands.planning.cone import derive_cone
from publisher.events.log_position import LogPosition
from publisher.state.reading import read_state
from tests.publisher.commands.folder import Folder

ORDERS, IDS, WRONG = (RelationName.of("shop", name) for name in ("orders", "ids", "wrong"))


@dataclass
class Metastore:
    """A folder's catalog with event ids, which notes what is read."""

    folder: DdlFilesCatalog
    event_id: int
    read_names: list[RelationName] = field(default_factory=list)

    def namespaces(self) -> Sequence[Namespace]:
        return self.folder.namespaces()

    def relations(self, namespace: Namespace) -> Sequence[RelationName]:
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


@pytest.mark.thorough
def test_all_dependents_are_derived_but_what_the_catalog_has_lost_unheard(folder: Folder) -> None:
    views = [f"CREATE VIEW shop.v{n} AS SELECT id FROM shop.orders;\n" for n in range(100)]
    table = "CREATE TABLE shop.orders (id bigint);\n"
    folder.write_ddl(table + "".join(views))
    assert folder.run("snapshot").status == 0
    position = LogPosition(last=7, after=0).to_text()
    with folder.state() as state:
        state.write(lambda tx: tx.journal.save_position("notification-log", position))
    folder.write_ddl(table + "".join(views[:50] + views[51:]))
    catalog = Metastore(DdlFilesCatalog(folder.path / "ddl"), 7)
    deriver = DirectDeriver(Options())
    script = Script("inline DDL", "ALTER TABLE shop.orders CHANGE COLUMN id id string")

    with read_state(folder.path / "state.db") as state:
        now = CatalogNow(catalog, deriver, state, lambda _: None)
        cone = derive_cone(now, apply_ddl(catalog, [script], None), deriver)

    expected = {ORDERS} | {RelationName.of("shop", f"v{n}") for n in range(100) if n != 50}
    assert {*cone.derived} == expected
    types = {
        print_type(outcome.derivation.interface.columns[0].type)
        for outcome in cone.after.values()
        if isinstance(outcome, Derived)
    }
    assert types == {"string"}
