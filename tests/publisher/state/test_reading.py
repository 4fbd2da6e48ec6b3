"""Reading a state without SQLAlchemy gives the state's own answers."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from math import inf
from pathlib import Path

import pytest

from lakeschema.catalog.identifiers import Namespace, RelationName
from lakeschema.translation.model.outcome import Status
from publisher.state.opening import StoredState
from publisher.state.places import Place
from publisher.state.protocol import Transaction
from publisher.state.reading import UnreadableState, read_state
from publisher.state.records import (
    Edge,
    Inputs,
    Output,
    RelationRecord,
    VersionRecord,
    VersionStatus,
    WorkRequest,
)
from publisher.state.sqlite import SqliteState

A, B, C, D, ODD = (RelationName.of("db", n) for n in ("a", "b", "c", "d", "an `odd` one"))
ELSEWHERE = RelationName.of("other", "a")
EVERY = [A, B, C, D, ODD, ELSEWHERE]


def version(number: str, status: VersionStatus, *, schema: str | None = "{}") -> VersionRecord:
    return VersionRecord(
        distribution="acme-db-a",
        number=number,
        relation=A,
        status=status,
        content_hash=None if schema is None else "c",
        schema_text=schema,
        wheel_sha256="5",
        filename=f"acme_db_a-{number}-py3-none-any.whl",
        change="minor",
        reasons=("field `x` added", "and `y`"),
        created_at=1.5,
        surface_hash="s",
        runtime="1",
    )


def fill(tx: Transaction) -> None:
    tx.graph.write(
        RelationRecord(
            A,
            *("f", 7, None, Status.OK, False, ""),
            *(Inputs("f", "n"), Output("i", "c"), "p", True, 3),
        )
    )
    tx.graph.write(RelationRecord(B, "g", 8, 1.5, Status.BROKEN, True, "why", published_hash="p"))
    tx.graph.write(RelationRecord(C, None, 9, 2.5, published_hash="p", index_check_due=True))
    tx.graph.write(
        RelationRecord(ODD, "o", read_at=4.5, output=Output("i", None, "x"), republish_after=2)
    )
    tx.graph.write(RelationRecord(ELSEWHERE, "e", missing_since=3.5, published_hash="p"))
    tx.graph.write_derivation(A, '{"a": 1}')
    tx.graph.replace_edges(B, [Edge(B, C, "i"), Edge(B, A, "i"), Edge(B, ODD)])
    tx.graph.replace_edges(ODD, [Edge(ODD, A)])
    tx.versions.adopt([version("1.0.0", VersionStatus.PUBLISHED)])
    tx.versions.adopt([version("1.1.0", VersionStatus.CONFLICT, schema=None)])
    tx.work.request([WorkRequest(D, 0.0), WorkRequest(ODD, 9.0)])
    tx.journal.save_position("notification-log", "42")


def test_relations_are_as_the_state_has_them(state: StoredState, place: Place) -> None:
    state.write(fill)

    with read_state(place) as read:
        assert read is not None
        assert read.records(EVERY) == state.read(lambda tx: tx.graph.records(EVERY))
        assert read.facts_hashes() == state.read(lambda tx: tx.graph.facts_hashes())
        assert read.derivations(EVERY) == state.read(lambda tx: tx.graph.derivations(EVERY))
        assert read.derivations(EVERY) == {A: '{"a": 1}'}


def test_edges_are_as_the_state_has_them(state: StoredState, place: Place) -> None:
    state.write(fill)

    with read_state(place) as read:
        assert read is not None
        edges = state.read(lambda tx: tx.graph.edges_of(EVERY))
        assert read.upstreams(EVERY) == {n: tuple(e.upstream for e in edges[n]) for n in EVERY}
        assert read.upstreams([B]) == {B: (C, A, ODD)}
        assert read.dependents(EVERY) == state.read(lambda tx: tx.graph.dependents(EVERY))
        assert set(read.dependents([A])) == {B, ODD}


def test_versions_are_as_the_state_has_them(state: StoredState, place: Place) -> None:
    state.write(fill)
    names = ["acme-db-a", "no-such-package"]

    with read_state(place) as read:
        assert read is not None
        history = state.read(lambda tx: tx.versions.history(names))
        assert {name: read.history(name) for name in names} == history
        assert [v.number for v in read.history("acme-db-a")] == ["1.0.0", "1.1.0"]


def test_work_and_positions_are_as_the_state_has_them(state: StoredState, place: Place) -> None:
    state.write(fill)

    with read_state(place) as read:
        assert read is not None
        assert read.outstanding() == {D, ODD}
        assert (read.position("notification-log"), read.position("kafka:t")) == ("42", None)


@pytest.mark.parametrize("namespace", [None, ("db",), ("other",), ("nowhere",)])
def test_missing_packages_are_counted_as_the_state_counts_them(
    state: StoredState, place: Place, namespace: Namespace | None
) -> None:
    state.write(fill)

    with read_state(place) as read:
        assert read is not None
        counted = state.read(lambda tx: tx.graph.count_missing(namespace, inf))
        assert read.count_missing(namespace) == counted


def test_more_names_than_one_statement_takes_are_found(state: StoredState, place: Place) -> None:
    names = [RelationName.of("db", f"t{n}") for n in range(1_200)]
    state.write(lambda tx: tx.graph.add_unknown(names))

    with read_state(place) as read:
        assert read is not None
        assert read.records(names).keys() == set(names)


def test_what_is_written_meanwhile_is_not_seen(state: StoredState, place: Place) -> None:
    with read_state(place) as read:
        assert read is not None
        state.write(fill)
        assert read.records(EVERY) == {}


def test_without_a_state_there_is_nothing_to_read(tmp_path: Path) -> None:
    with read_state(tmp_path / "state.db") as read:
        assert read is None

    assert list(tmp_path.iterdir()) == []


def test_nothing_is_written_beside_a_state_that_nobody_has_open(tmp_path: Path) -> None:
    SqliteState(tmp_path / "state.db").close()
    before = sorted(path.name for path in tmp_path.iterdir())

    with read_state(tmp_path / "state.db") as read:
        assert read is not None
        assert sorted(path.name for path in tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ("UPDATE alembic_version SET version_num = '9999'", "another release"),
        ("DROP TABLE alembic_version", "another release"),
    ],
)
def test_a_state_of_another_release_is_not_read(tmp_path: Path, change: str, why: str) -> None:
    path = tmp_path / "state.db"
    SqliteState(path).close()
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute(change)

    with pytest.raises(UnreadableState, match=why), read_state(path):
        pass


def test_a_file_that_is_no_database_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    path.write_bytes(b"no database" * 1_000)

    with pytest.raises(UnreadableState, match="file is not a database"), read_state(path):
        pass
