"""E1 CREATE T, E2 CREATE V1 on T, E3 CREATE V2 on V1, E4 ALTER T, with T, V1 and V2 in three catalogs.

Each catalog has its own source of events, so nothing orders the events of two of them. A test reads
the real sources and gives their events to the engine in every order, also with one event lost.
Before an event is delivered, only the statements up to the newest event delivered so far have run.
All orders proceed together: the first events of all of them, then the second ones, and so on.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import permutations
from pathlib import Path

import pytest

from codegen.naming import distribution_name
from codegen.wheel import read_wheel
from deploy.local_stack import IcebergRest, Metastore
from lakeschema.catalog.identifiers import RelationName
from publisher.daemon.adapters import open_catalog
from publisher.daemon.assembly import build_sources
from publisher.daemon.service import Service
from publisher.events.protocol import Batch, EventSource, RelationHint
from publisher.index.releases import newest_release
from publisher.index.static import StaticIndex
from publisher.settings import load_settings
from tests.integration.end_to_end.four_catalogs import (
    EVENTS,
    FILES,
    LAKE,
    MAIN,
    PREFIX,
    SECOND,
    Lake,
    Servers,
    field_names,
    settings_text,
)
from tests.waiting import eventually

STATEMENTS = (1, 2, 3, 4)
PLACEMENTS = ((MAIN, SECOND, FILES), (SECOND, FILES, MAIN), (FILES, MAIN, SECOND), (LAKE, MAIN, SECOND))  # fmt: skip
"""The catalogs of T, V1 and V2."""
WHOLE = [*permutations(STATEMENTS)]
ONE_LOST = [*permutations(STATEMENTS, 3)]


class Listener:
    """Reads one catalog's real source of events."""

    def __init__(self, source: EventSource) -> None:
        self._source = source
        first = source.poll(None, 1.0)
        assert first is not None
        self._position = first.position
        self._newest: dict[RelationName, RelationHint] = {}

    def take(self, name: RelationName) -> RelationHint:
        """The newest event of a relation since the last call; waits for it."""
        assert eventually(lambda: self._heard(name)), f"no event of {name}"
        return self._newest.pop(name)

    def _heard(self, name: RelationName) -> bool:
        if name not in self._newest:
            batch = self._source.poll(self._position, 0.1)
            if batch is not None:
                self._position = batch.position
                hints = (hint for hint in batch.hints if isinstance(hint, RelationHint))
                self._newest.update({hint.relation: hint for hint in hints})
        return name in self._newest


@dataclass
class Case:
    """One order; ``hints`` has the event of each statement that has run."""

    order: tuple[int, ...]
    hints: dict[int, RelationHint] = field(default_factory=dict)

    def name(self, statement: int) -> str:
        relation = {1: "t", 2: "v1", 3: "v2", 4: "t"}[statement]
        return f"{relation}_{''.join(map(str, self.order))}"


class Orders:
    """A deployment that hears only the events that a test gives to it."""

    def __init__(
        self, lake: Lake, service: Service, listeners: Mapping[str, Listener], index: StaticIndex
    ) -> None:
        self._lake = lake
        self._listeners = listeners
        self._index = index
        self.engine = service.engine

    def run(self, placement: Sequence[str], cases: Sequence[Case]) -> None:
        for step in range(max(len(case.order) for case in cases)):
            self._execute(placement, {id(c): max(c.order[: step + 1]) for c in cases}, cases)
            for case in cases:
                if step < len(case.order):
                    hint = case.hints[case.order[step]]
                    self.engine.receive("orders", Batch([hint], [], str(step)))
            self.settle()
        self._execute(placement, dict.fromkeys(map(id, cases), STATEMENTS[-1]), cases)

    def settle(self) -> None:
        assert eventually(lambda: not self.engine.status().work), self.engine.status()

    def columns(self, catalog: str, name: str) -> list[str]:
        relation = self._lake.writers[catalog].relation(name)
        files = self._index.files(distribution_name(relation, PREFIX))
        assert files, f"{relation} has no package"
        wheel = read_wheel(self._index.fetch(newest_release(files)[0]))
        return field_names(json.loads(wheel.schema_text))

    def _execute(
        self, placement: Sequence[str], until: Mapping[int, int], cases: Sequence[Case]
    ) -> None:
        """Runs each case's statements up to one of them, a statement of all cases at a time."""
        for statement in STATEMENTS:
            waiting = [
                case
                for case in cases
                if statement <= until[id(case)] and statement not in case.hints
            ]
            for case in waiting:
                self._statement(placement, statement, case)
            catalog = placement[{1: 0, 2: 1, 3: 2, 4: 0}[statement]]
            for case in waiting:
                relation = self._lake.writers[catalog].relation(case.name(statement))
                case.hints[statement] = self._listeners[catalog].take(relation)

    def _statement(self, placement: Sequence[str], statement: int, case: Case) -> None:
        table, first, second = (self._lake.writers[catalog] for catalog in placement)
        match statement:
            case 1:
                table.create_table(case.name(1))
            case 2:
                upstream = self._lake.sql_name(placement[0], case.name(1))
                first.create_view(case.name(2), f"SELECT * FROM {upstream}")
            case 3:
                upstream = self._lake.sql_name(placement[1], case.name(2))
                second.create_view(case.name(3), f"SELECT * FROM {upstream}")
            case _:
                table.add_unit(case.name(4))


@pytest.fixture
def orders(
    metastore: Metastore, second_metastore: Metastore, iceberg_rest: IcebergRest, tmp_path: Path
) -> Iterator[Orders]:
    servers = Servers(metastore, second_metastore, iceberg_rest)
    database = f"orders_{secrets.token_hex(4)}"
    last_views = f"*{database}*.v2_*"
    deaf, heard = tmp_path / "deaf.toml", tmp_path / "heard.toml"
    deaf.write_text(settings_text(servers, tmp_path, last_views, "[http]\nenabled = false\n"))
    heard.write_text(settings_text(servers, tmp_path, last_views, EVENTS))
    settings = load_settings(heard)
    with (
        Lake(servers, tmp_path, database) as lake,
        open_catalog(settings) as catalog,
        Service(load_settings(deaf), deaf) as service,
    ):
        sources = build_sources(settings, catalog)
        listeners = dict(zip((MAIN, SECOND, FILES, LAKE), map(Listener, sources), strict=True))
        yield Orders(lake, service, listeners, StaticIndex(tmp_path / "index"))
        for source in sources:
            with closing(source):
                pass


@pytest.mark.alike("placement", keep=2)
@pytest.mark.parametrize("placement", PLACEMENTS, ids=" ".join)
def test_the_last_view_carries_the_tables_second_version(
    placement: Sequence[str], orders: Orders
) -> None:
    cases = [Case(order) for order in WHOLE]

    orders.run(placement, cases)

    found = {case.order: orders.columns(placement[2], case.name(3)) for case in cases}
    assert found == {order: ["id", "unit"] for order in WHOLE}


def test_a_snapshot_finds_what_a_lost_event_would_have_told(orders: Orders) -> None:
    placement, cases = PLACEMENTS[0], [Case(order) for order in ONE_LOST]

    orders.run(placement, cases)
    orders.engine.snapshot()
    orders.settle()

    found = {case.order: orders.columns(placement[2], case.name(3)) for case in cases}
    assert found == {order: ["id", "unit"] for order in ONE_LOST}
