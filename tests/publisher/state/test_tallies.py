"""The counts that triggers keep equal the counts of rows."""

from __future__ import annotations

import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.model.outcome import Status
from publisher.events.protocol import DeadLetter
from publisher.state.opening import StoredState
from publisher.state.protocol import Transaction
from publisher.state.records import (
    Claim,
    Figures,
    RelationRecord,
    VersionRecord,
    VersionStatus,
    WorkRequest,
)
from publisher.state.sqlite import SqliteState
from tests.simulation.memory import Database, MemoryState

HERE = Path(__file__).parent
NAMES = [RelationName.of("db", name) for name in "abc"]
NAME = st.sampled_from(NAMES)


def counted(tx: Transaction) -> Figures:
    """Every row read and counted."""
    versions = Counter(version.status for version in tx.versions.every_version())
    return Figures(
        relations=Counter(
            "STALE" if record.stale else record.status.value
            for record in tx.graph.every_record().values()
        ),
        versions=versions[VersionStatus.PUBLISHED],
        conflicts=versions[VersionStatus.CONFLICT],
        work=len(tx.work.outstanding()),
        dead_letters=len(tx.journal.dead_letters()),
    )


def assert_exact(state: StoredState) -> None:
    kept, expected = state.read(lambda tx: (tx.tallies.figures(), counted(tx)))
    assert kept == expected


def version_of(name: RelationName, number: str) -> VersionRecord:
    return VersionRecord(
        name.name, number, name, VersionStatus.RESERVED, "c", "{}", "s", f"{name.name}.whl"
    )


def adopted(name: RelationName) -> VersionRecord:
    return replace(version_of(name, "9.0.0"), status=VersionStatus.PUBLISHED)


def write_relation(tx: Transaction, name: RelationName, status: Status, stale: bool) -> None:
    tx.graph.write(RelationRecord(name, status=status, stale=stale, reason=status.value))


def reserve(tx: Transaction, name: RelationName) -> None:
    history = tx.versions.history([name.name])[name.name]
    newest = history[-1].sequence if history else None
    tx.versions.reserve(version_of(name, f"1.{len(history)}.0"), b"wheel", newest)


def end_reservation(tx: Transaction, name: RelationName, usable: bool) -> None:
    for version in tx.versions.open_reservations([name.name]):
        end = tx.versions.confirm if usable else tx.versions.mark_unusable
        end(name.name, version.number)


def discard_dead_letter(tx: Transaction) -> None:
    for letter in tx.journal.dead_letters()[:1]:
        tx.journal.discard_dead_letter(letter.id)


ACTION = st.one_of(
    st.builds(
        lambda name, status, stale: lambda tx: write_relation(tx, name, status, stale),
        NAME,
        st.sampled_from(Status),
        st.booleans(),
    ),
    NAME.map(lambda name: lambda tx: tx.graph.clear_stale([name])),
    NAME.map(lambda name: lambda tx: tx.graph.forget(name)),
    NAME.map(lambda name: lambda tx: reserve(tx, name)),
    st.builds(
        lambda name, usable: lambda tx: end_reservation(tx, name, usable), NAME, st.booleans()
    ),
    NAME.map(lambda name: lambda tx: tx.versions.adopt([adopted(name)])),
    NAME.map(lambda name: lambda tx: tx.work.request([WorkRequest(name, 0.0)])),
    st.just(lambda tx: [tx.work.clear(claim) for claim in claimed(tx)]),
    st.just(lambda tx: tx.journal.add_dead_letters("s", [DeadLetter(b"{", "bad")] * 2, 0.0)),
    st.just(discard_dead_letter),
)


def claimed(tx: Transaction) -> list[Claim]:
    return list(tx.work.claim(1.0, 10.0, 2))


@settings(max_examples=30, deadline=None)
@given(st.lists(ACTION, max_size=20))
def test_every_change_is_tallied_as_it_is_written(actions: list[object]) -> None:
    database = Database()
    try:

        def apply(tx: Transaction) -> tuple[Figures, Figures]:
            for action in actions:
                assert callable(action)
                action(tx)
            return tx.tallies.figures(), counted(tx)

        kept, expected = MemoryState(database).write(apply)
    finally:
        database.close()

    assert kept == expected


def test_a_change_that_is_rolled_back_is_not_tallied(tmp_path: Path) -> None:
    with closing(SqliteState(tmp_path / "state.db")) as state:
        state.read(lambda tx: tx.graph.write(RelationRecord(NAMES[0])))

        assert state.read(lambda tx: tx.tallies.figures()).relations == {}


def test_the_rows_of_an_old_state_are_tallied_once(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((HERE / "state_0002.sql").read_text("utf-8"))

    for _ in range(2):
        with closing(SqliteState(path)) as state:
            assert_exact(state)


def test_what_is_in_trouble_is_found_by_an_index(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    SqliteState(path).close()
    with closing(sqlite3.connect(path)) as connection:
        plans = [
            connection.execute(f"EXPLAIN QUERY PLAN {select}").fetchall()
            for select in (
                "SELECT name FROM schema WHERE reason != '' ORDER BY name LIMIT 5",
                "SELECT number FROM version WHERE status = 'CONFLICT' ORDER BY sequence",
            )
        ]

    (troubled,), (conflicts,) = plans
    assert "INDEX schema_in_trouble" in troubled[3]
    assert "INDEX version_conflict" in conflicts[3]
