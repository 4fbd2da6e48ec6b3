"""Pages do the same work in a large state as in a small one, counted in the database's steps."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from lakeschema.catalog.identifiers import RelationName
from publisher.daemon.shown import ShownState
from publisher.state.protocol import State, Transaction
from publisher.state.records import Edge, RelationRecord
from publisher.state.sqlite import SqliteState
from publisher.web.status import RelationSummary

_TABLE = RelationName.of("shop", "orders")
_MAX_RELATIONS = 2_000


class StepCountingState(SqliteState):
    """Counts the database's steps, to the hundred."""

    hundreds = 0

    def _connect(self) -> sqlite3.Connection:
        connection = super()._connect()
        connection.set_progress_handler(self._count, 100)
        return connection

    def _count(self) -> int:
        self.hundreds += 1
        return 0


def steps(folder: Path, readers: int, page: Callable[[State], object]) -> int:
    def write(tx: Transaction) -> None:
        tx.graph.write(RelationRecord(_TABLE))
        for number in range(readers):
            view = RelationName.of(f"db{number % 7}", f"view_{number:05}")
            tx.graph.write(RelationRecord(view))
            tx.graph.replace_edges(view, [Edge(view, _TABLE)])

    with closing(StepCountingState(folder / f"{readers}.db", "OFF")) as state:
        state.write(write)
        page(state)
        state.hundreds = 0
        page(state)
        return state.hundreds


PAGES: dict[str, Callable[[State], object]] = {
    "the readers at any distance": lambda state: state.read(
        lambda tx: tx.graph.count_cone(_TABLE, 100)
    ),
    "some readers": lambda state: state.read(lambda tx: tx.graph.few_dependents([_TABLE], 100)),
    "similar names": lambda state: state.read(
        lambda tx: tx.catalogue.resembling(RelationName.of("shop", "veiw_00007"), 100)
    ),
}


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
def test_steps_do_not_grow_with_the_state(tmp_path: Path, page: Callable[[State], object]) -> None:
    assert steps(tmp_path, _MAX_RELATIONS, page) <= steps(tmp_path, _MAX_RELATIONS // 4, page) + 2


def test_a_table_with_many_readers_shows_the_first_and_counts_all(tmp_path: Path) -> None:
    found: list[RelationSummary | None] = []

    steps(tmp_path, 300, lambda state: found.append(ShownState(state, "acme").summarize(_TABLE)))

    assert found[0] is not None
    shown = [each.relation for each in found[0].downstreams]
    assert (len(shown), found[0].more_downstreams) == (200, 100)
    assert shown == sorted(shown)
