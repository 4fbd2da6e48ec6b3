"""What only a server can do: several processes, restarts, refused logins."""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from deploy.postgresql import Postgresql
from lakeschema.catalog.identifiers import RelationName
from publisher.state.opening import open_state, somebody_works_on, state_exists, take_part
from publisher.state.places import Database
from publisher.state.protocol import StateUnavailable, Transaction
from publisher.state.reading import UnreadableState, read_state
from publisher.state.records import RelationRecord, WorkRequest
from tests.postgresql import empty_database
from tests.waiting import eventually

pytestmark = pytest.mark.integration

A = RelationName.of("db", "a")


@pytest.fixture
def place(postgresql: Postgresql) -> Database:
    return Database(empty_database(postgresql))


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[Postgresql]:
    """A server that the test may stop."""
    with Postgresql.start(tmp_path) as running:
        yield running


def note(tx: Transaction) -> str:
    return tx.journal.note("a")


def increment(tx: Transaction) -> None:
    tx.journal.write_note("a", str(int(tx.journal.note("a") or "0") + 1))


def increment_often(url: str, times: int) -> None:
    with closing(open_state(Database(url))) as state:
        for _ in range(times):
            state.write(increment)


def test_no_write_of_another_process_is_lost(place: Database) -> None:
    spawn = multiprocessing.get_context("spawn")
    processes = [spawn.Process(target=increment_often, args=(place.url, 30)) for _ in range(3)]
    for each in processes:
        each.start()
    for each in processes:
        each.join(120)

    with closing(open_state(place)) as state:
        assert state.read(note) == "90"


def test_a_generation_ends_with_each_write_and_with_nothing_else(place: Database) -> None:
    with closing(open_state(place)) as state, closing(open_state(place)) as other:
        first = state.generation()
        state.write(note)
        state.read(note)
        assert state.generation() == other.generation() == first

        other.write(increment)

        assert state.generation() == other.generation() != first


@pytest.mark.parametrize("was_killed", [False, True])
def test_a_server_that_was_restarted_is_used_again(
    own_server: Postgresql, *, was_killed: bool
) -> None:
    place = Database(own_server.url())
    with closing(open_state(place)) as state, take_part(place) as part:
        part.share()
        state.write(increment)
        if was_killed:
            own_server.kill()
        else:
            own_server.process.stop()
        for act in (lambda: state.write(increment), state.generation, lambda: state.read(note)):
            with pytest.raises(StateUnavailable) as away:
                act()
            assert "check that the server of state.url runs" in away.value.hint

        own_server.restart()

        assert state.read(note) == "1"
        state.write(increment)
        assert state.read(note) == "2"
        assert eventually(lambda: somebody_works_on(place))


def test_a_server_that_ends_within_a_transaction_writes_nothing(own_server: Postgresql) -> None:
    def write_and_end(tx: Transaction) -> None:
        increment(tx)
        own_server.restart()
        increment(tx)

    with closing(open_state(Database(own_server.url()))) as state:
        with pytest.raises(StateUnavailable):
            state.write(write_and_end)

        assert state.read(note) == ""


def test_no_error_has_the_password(postgresql: Postgresql) -> None:
    bare = postgresql.url(with_password=False)
    wrong = Database(bare, lambda: "not-the-password")
    with pytest.raises(StateUnavailable, match="password authentication failed") as refused:
        open_state(wrong)

    assert str(wrong) in str(refused.value)
    assert "check the user of state.url and its password" in refused.value.hint
    assert "not-the-password" not in f"{refused.value!r} {refused.value.__cause__!r} {wrong!r}"
    open_state(Database(bare, lambda: postgresql.password)).close()


def test_what_is_missing_is_named(postgresql: Postgresql, place: Database) -> None:
    with pytest.raises(StateUnavailable) as missing:
        open_state(Database(postgresql.url().replace("/postgres", "/absent")))
    assert "CREATE DATABASE" in missing.value.hint
    assert not state_exists(place)
    with read_state(place) as nothing:
        assert nothing is None


def test_tables_that_were_dropped_are_missed(place: Database) -> None:
    with closing(open_state(place)) as state:
        with psycopg.connect(place.url, autocommit=True) as connection:
            connection.execute("DROP TABLE counter")

        with pytest.raises(StateUnavailable, match="counter") as dropped:
            state.write(increment)

    assert "restore the database" in dropped.value.hint


def test_tables_of_another_release_are_not_read(place: Database) -> None:
    open_state(place).close()
    with psycopg.connect(place.url, autocommit=True) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")

    with pytest.raises(UnreadableState, match="another release"), read_state(place):
        pass


def test_without_the_driver_the_remedy_is_named(
    monkeypatch: pytest.MonkeyPatch, place: Database
) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)

    with pytest.raises(StateUnavailable, match="needs psycopg") as missing:
        state_exists(place)

    assert missing.value.hint == "pip install '.[postgresql]' in the checkout of schema-publisher"


def test_a_character_that_the_database_lacks_is_replaced(place: Database) -> None:
    record = RelationRecord(A, reason="before \0 after")
    with closing(open_state(place)) as state:
        state.write(lambda tx: tx.graph.write(record))

        found = state.read(lambda tx: tx.graph.records([A]))

    assert found[A].reason == "before \ufffd after"


def test_a_long_word_is_found_by_its_beginning(place: Database) -> None:
    text = '{"interface": {"columns": [["%s", ["int"], "", true]], "schema": "{}"}}' % ("x" * 9_000)
    with closing(open_state(place)) as state:
        state.write(lambda tx: tx.graph.write(RelationRecord(A)))
        state.write(lambda tx: tx.graph.write_derivation(A, text))

        assert state.read(lambda tx: tx.search.find("xxxx", 9)).total == 1


def test_work_that_two_processes_claim_is_given_to_one(place: Database) -> None:
    with closing(open_state(place)) as one, closing(open_state(place)) as two:
        one.write(lambda tx: tx.work.request([WorkRequest(A, 0.0)]))

        claims = [each.write(lambda tx: tx.work.claim(1.0, 10.0, 5)) for each in (one, two)]

    assert [len(each) for each in claims] == [1, 0]
