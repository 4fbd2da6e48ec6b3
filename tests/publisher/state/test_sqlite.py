"""The behaviour of every state store, on SQLite."""

from __future__ import annotations

import multiprocessing
import sqlite3
import threading
from base64 import b64encode
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from alembic.util.exc import CommandError
from sqlalchemy import create_engine

import publisher.state
from lakeschema.catalog.identifiers import Namespace, RelationName
from lakeschema.translation.model.outcome import Status
from publisher.events.protocol import DeadLetter
from publisher.redaction import SECRETS
from publisher.state.migrations import newest_revision
from publisher.state.migrations.upgrade import upgrade
from publisher.state.opening import StoredState
from publisher.state.protocol import Transaction
from publisher.state.records import (
    Cause,
    Claim,
    MemoEntry,
    RelationRecord,
    Urgency,
    VersionRecord,
    VersionStatus,
    WorkRequest,
)
from publisher.state.sqlite import SqliteState

MIGRATIONS = Path(publisher.state.__file__).parent / "migrations"
A, B, C, D = (RelationName.of("db", n) for n in "abcd")


def request(state: StoredState, *names: RelationName, at: float = 0.0) -> None:
    state.write(lambda tx: tx.work.request(WorkRequest(name, at) for name in names))


def claim(state: StoredState, now: float = 1.0, limit: int = 10) -> list[Claim]:
    return list(state.write(lambda tx: tx.work.claim(now, 10.0, limit)))


def end(tx: Transaction, claim: Claim) -> None:
    tx.work.clear(claim)


def fail(tx: Transaction, claim: Claim) -> None:
    tx.work.defer(claim, 2.0, "why", Cause.OWN)


def version(number: str, sequence: int = 0) -> VersionRecord:
    return VersionRecord(
        distribution="d",
        number=number,
        relation=A,
        status=VersionStatus.RESERVED,
        content_hash=f"c{number}",
        schema_text="{}",
        wheel_sha256="s",
        filename=f"d-{number}.whl",
        reasons=("why",),
        sequence=sequence,
        surface_hash=f"s{number}",
    )


def migrate(path: Path, revision: str) -> None:
    """The database as an older program left it."""
    engine = create_engine(f"sqlite:///{path}")
    with engine.begin() as connection:
        config = Config()
        config.set_main_option("script_location", str(MIGRATIONS))
        config.attributes["connection"] = connection
        command.upgrade(config, revision)
    engine.dispose()


def test_the_newest_revision_is_the_one_that_alembic_would_reach() -> None:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))

    assert newest_revision() == ScriptDirectory.from_config(config).get_current_head()


def test_other_processes_see_all_migrations_or_none(tmp_path: Path) -> None:
    """So that a process killed at any statement of them leaves nothing half made."""
    path = tmp_path / "state.db"
    seen = []
    with (
        closing(sqlite3.connect(path, isolation_level=None)) as migrating,
        closing(sqlite3.connect(path)) as other,
    ):
        migrating.execute("PRAGMA journal_mode = WAL")

        def look(statement: str) -> None:
            tables = "SELECT COUNT(*) FROM sqlite_master"
            seen.append((statement, other.execute(tables).fetchone()[0]))

        migrating.set_trace_callback(look)
        upgrade(migrating)
        migrating.set_trace_callback(None)

    assert any("CREATE TABLE tally" in statement for statement, _ in seen)
    assert [statement for statement, tables in seen if tables] == []


def increment(path: Path, times: int) -> None:
    state = SqliteState(path)
    for _ in range(times):
        state.write(
            lambda tx: tx.journal.save_position("n", str(int(tx.journal.position("n") or 0) + 1))
        )
    state.close()


def test_versions_of_an_older_schema_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    migrate(path, "0001")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(
            "INSERT INTO version (distribution, number, relation, status, filename, change, reasons,"
            " created_at) VALUES ('d', '1.0.0', 'db.a', 'PUBLISHED', 'd.whl', 'first', '[]', 0)"
        )
        connection.commit()

    state = SqliteState(path)

    (kept,) = state.read(lambda tx: tx.versions.every_version())
    state.close()
    assert (kept.number, kept.relation, kept.surface_hash) == ("1.0.0", A, "")


class TestTransactions:
    @pytest.mark.slow
    def test_increments_by_several_processes_and_threads_are_never_lost(
        self, tmp_path: Path
    ) -> None:
        path = tmp_path / "shared.db"
        SqliteState(path).close()
        spawn = multiprocessing.get_context("spawn")
        processes = [spawn.Process(target=increment, args=(path, 50)) for _ in range(2)]
        threads = [threading.Thread(target=increment, args=(path, 50)) for _ in range(2)]

        for process in processes:
            process.start()
        for thread in threads:
            thread.start()
        for process in processes:
            process.join()
        for thread in threads:
            thread.join()

        state = SqliteState(path)
        assert state.read(lambda tx: tx.journal.position("n")) == "200"
        state.close()

    def test_an_exception_rolls_back_the_whole_transaction(self, state: StoredState) -> None:
        def fail(tx: Transaction) -> None:
            tx.journal.save_position("s", "1")
            raise KeyError

        with pytest.raises(KeyError):
            state.write(fail)

        assert state.read(lambda tx: tx.journal.position("s")) is None

    def test_a_write_in_a_read_transaction_is_rolled_back(self, state: StoredState) -> None:
        state.read(lambda tx: tx.journal.save_position("s", "1"))

        assert state.read(lambda tx: tx.journal.position("s")) is None

    def test_a_writer_has_the_file_from_its_beginning(self, tmp_path: Path) -> None:
        """Also against programs that do not queue for it: what it reads stays so until it writes."""
        state = SqliteState(tmp_path / "s.db")
        other = sqlite3.connect(tmp_path / "s.db", timeout=0, isolation_level=None)

        def write_meanwhile(tx: Transaction) -> None:
            tx.journal.position("s")
            with pytest.raises(sqlite3.OperationalError, match="locked"):
                other.execute("BEGIN IMMEDIATE")

        state.write(write_meanwhile)

        other.close()
        state.close()

    def test_committed_work_is_there_after_reopening(self, tmp_path: Path) -> None:
        first = SqliteState(tmp_path / "s.db")
        request(first, A)
        first.close()

        again = SqliteState(tmp_path / "s.db")

        assert [c.relation for c in claim(again)] == [A]
        again.close()


class TestWork:
    def test_claimed_work_is_not_claimed_again_until_its_lease_ends(
        self, state: StoredState
    ) -> None:
        request(state, A)

        first = claim(state, now=1.0)

        assert [c.relation for c in first] == [A]
        assert claim(state, now=5.0) == []
        (second,) = claim(state, now=11.0)
        assert second.fence > first[0].fence
        assert second.attempts == 2

    def test_an_older_fence_holds_nothing(self, state: StoredState) -> None:
        request(state, A)
        (old,) = claim(state, now=1.0)
        claim(state, now=20.0)

        assert not state.read(lambda tx: tx.work.holds(old))
        assert not state.write(lambda tx: tx.work.clear(old))
        assert state.read(lambda tx: tx.work.due_at()) is not None

    def test_a_fence_is_never_reused_after_work_ended(self, state: StoredState) -> None:
        request(state, A)
        (old,) = claim(state)
        state.write(lambda tx: tx.work.clear(old))
        request(state, A)

        claim(state)

        assert not state.read(lambda tx: tx.work.holds(old))

    def test_a_request_during_the_work_remains_after_it(self, state: StoredState) -> None:
        request(state, A)
        (held,) = claim(state)
        request(state, A)

        assert state.write(lambda tx: tx.work.clear(held))

        assert [c.relation for c in claim(state)] == [A]

    def test_the_highest_requested_event_id_is_kept(self, state: StoredState) -> None:
        def request_event(tx: Transaction, event_id: int | None) -> None:
            tx.work.request([WorkRequest(A, 0.0, min_event_id=event_id)])

        for event_id in (5, 9, None, 7):
            state.write(partial(request_event, event_id=event_id))

        assert [c.min_event_id for c in claim(state)] == [9]

    def test_work_that_never_ended_is_claimed_alone(self, state: StoredState) -> None:
        request(state, A)
        claim(state, now=1.0)
        request(state, B, C, at=0.5)

        assert [c.relation for c in claim(state, now=20.0)] == [A]
        assert [c.relation for c in claim(state, now=20.0)] == [B, C]

    def test_events_go_before_refreshes_and_refreshes_before_snapshots(
        self, state: StoredState
    ) -> None:
        requests = [
            WorkRequest(A, 0.0, Urgency.SNAPSHOT),
            WorkRequest(B, 0.3, Urgency.EVENT),
            WorkRequest(C, 0.2, Urgency.REFRESH),
        ]
        state.write(lambda tx: tx.work.request(requests))

        assert [c.relation for c in claim(state)] == [B, C, A]

    @pytest.mark.thorough
    @pytest.mark.parametrize("cause", [Cause.OWN, Cause.CRASH])
    @pytest.mark.parametrize("ticks_between", [0, 1, 2, 3, 7])
    def test_work_that_failed_gets_its_turn_while_events_keep_coming(
        self, state: StoredState, cause: Cause, ticks_between: int
    ) -> None:
        state.write(lambda tx: tx.work.request([WorkRequest(A, 0.0, Urgency.SNAPSHOT)]))
        (held,) = claim(state)
        state.write(lambda tx: tx.work.defer(held, 2.0, "why", cause))
        claimed: list[RelationName] = []

        for _ in range(40):
            for _ in range(ticks_between):
                request(state, C, at=1000.0)
            request(state, B, at=99.0)
            for each in claim(state, now=100.0):
                claimed.append(each.relation)
                state.write(partial(end, claim=each))

        assert A in claimed

    def test_work_that_failed_does_not_delay_aged_work_that_never_did(
        self, state: StoredState
    ) -> None:
        failed = [RelationName.of("failed", f"t{n}") for n in range(16)]
        state.write(
            lambda tx: tx.work.request(WorkRequest(n, 0.0, Urgency.SNAPSHOT) for n in failed)
        )
        for each in claim(state, limit=16):
            state.write(partial(fail, claim=each))
        state.write(lambda tx: tx.work.request([WorkRequest(A, 3.0, Urgency.SNAPSHOT)]))
        request(state, *(RelationName.of("event", f"t{n}") for n in range(500)), at=99.0)

        batches = [{c.relation for c in claim(state, now=100.0, limit=64)} for _ in range(3)]

        assert any(A in batch for batch in batches)
        assert not any(batch & {*failed} and A in batch for batch in batches)

    def test_a_relation_that_keeps_changing_waits_for_a_bounded_time(
        self, state: StoredState
    ) -> None:
        def request_at(tx: Transaction, due: float) -> None:
            tx.work.request_when_quiet([WorkRequest(A, due)], 20.0)

        for due in (5.0, 8.0, 11.0, 40.0):
            state.write(partial(request_at, due=due))

        assert state.read(lambda tx: tx.work.due_at()) == 25.0

    def test_deferred_work_returns_and_keeps_attempts_only_if_they_count(
        self, state: StoredState
    ) -> None:
        request(state, A, B)
        first, second = claim(state)
        state.write(lambda tx: tx.work.defer(first, 3.0, "index", Cause.PASSING))
        state.write(lambda tx: tx.work.defer(second, 3.0, "process ended", Cause.CRASH))

        assert claim(state, now=2.0) == []
        again = {c.relation: c for c in (*claim(state, now=3.0), *claim(state, now=3.0))}

        assert (again[A].attempts, again[A].retries) == (1, 1)
        assert again[B].attempts == 2
        shown = {w.relation: w.last_error for w in state.read(lambda tx: tx.work.outstanding())}
        assert shown == {A: "index", B: "process ended"}

    def test_a_second_read_is_scheduled_when_the_first_ends(self, state: StoredState) -> None:
        state.write(lambda tx: tx.work.request([WorkRequest(A, 0.0, reread_at=9.0)]))
        (held,) = claim(state)

        state.write(lambda tx: tx.work.clear_until(held, 9.0))

        assert claim(state, now=8.0) == []
        (again,) = claim(state, now=9.0)
        assert again.reread_at is None

    def test_work_is_found_by_namespaces_with_special_characters(self, state: StoredState) -> None:
        odd, nested = RelationName(("a b",), "t"), RelationName(("a", "b"), "t")
        for name in (odd, nested, RelationName.of("a", "t")):
            request(state, name)

        assert state.read(lambda tx: tx.work.in_namespace(Namespace(("a b",)))) == [odd]
        assert state.read(lambda tx: tx.work.in_namespace(Namespace(("a", "b")))) == [nested]


class TestVersions:
    def test_a_number_is_taken_once_and_only_after_the_expected_version(
        self, state: StoredState
    ) -> None:
        assert state.write(lambda tx: tx.versions.reserve(version("1.0.0"), b"w", None))
        assert not state.write(lambda tx: tx.versions.reserve(version("1.0.1"), b"x", None))
        newest = state.read(lambda tx: tx.versions.history(["d"]))["d"][-1]

        assert not state.write(
            lambda tx: tx.versions.reserve(version("1.0.1"), b"x", newest.sequence)
        )
        state.write(lambda tx: tx.versions.confirm("d", "1.0.0"))
        assert state.write(lambda tx: tx.versions.reserve(version("1.0.1"), b"x", newest.sequence))

    def test_bytes_are_kept_until_confirmed(self, state: StoredState) -> None:
        state.write(lambda tx: tx.versions.reserve(version("1.0.0"), b"w", None))

        assert state.read(lambda tx: tx.versions.reserved_wheel("d", "1.0.0")) == b"w"
        state.write(lambda tx: tx.versions.confirm("d", "1.0.0"))
        assert state.read(lambda tx: tx.versions.reserved_wheel("d", "1.0.0")) is None

    def test_what_rebuilds_a_wheel_is_kept_after_it_was_confirmed(self, state: StoredState) -> None:
        state.write(lambda tx: tx.versions.reserve(version("1.0.0"), b"w", None, "its provenance"))

        state.write(lambda tx: tx.versions.confirm("d", "1.0.0"))

        assert state.read(lambda tx: tx.versions.provenance("d", "1.0.0")) == "its provenance"
        assert state.read(lambda tx: tx.versions.provenance("d", "9.9.9")) == ""

    def test_what_the_index_holds_of_a_version_can_be_revised(self, state: StoredState) -> None:
        state.write(lambda tx: tx.versions.reserve(version("1.0.0"), b"w", None))
        state.write(lambda tx: tx.versions.revise("d", "1.0.0", VersionStatus.LOST))
        (reserved,) = state.read(lambda tx: tx.versions.history(["d"]))["d"]
        state.write(lambda tx: tx.versions.confirm("d", "1.0.0"))

        state.write(lambda tx: tx.versions.revise("d", "1.0.0", VersionStatus.LOST))

        (revised,) = state.read(lambda tx: tx.versions.history(["d"]))["d"]
        assert reserved.status is VersionStatus.RESERVED
        assert revised.status is VersionStatus.LOST
        assert state.read(lambda tx: tx.versions.distributions()) == ["d"]

    def test_an_unusable_number_stays_taken(self, state: StoredState) -> None:
        state.write(lambda tx: tx.versions.reserve(version("1.0.0"), b"w", None))

        state.write(lambda tx: tx.versions.mark_unusable("d", "1.0.0"))

        (found,) = state.read(lambda tx: tx.versions.history(["d"]))["d"]
        assert found.status is VersionStatus.CONFLICT
        assert state.read(lambda tx: tx.versions.open_reservations(["d"])) == []

    def test_adopting_a_known_version_changes_nothing(self, state: StoredState) -> None:
        adopted = replace(version("1.0.0"), status=VersionStatus.PUBLISHED)
        state.write(lambda tx: tx.versions.adopt([adopted]))
        state.write(lambda tx: tx.versions.adopt([replace(adopted, content_hash="x")]))

        (found,) = state.read(lambda tx: tx.versions.history(["d"]))["d"]
        assert found.content_hash == "c1.0.0"
        assert found.status is VersionStatus.PUBLISHED
        assert found.reasons == ("why",)


class TestMemoAndJournal:
    def test_a_derivation_is_recalled_by_its_inputs(self, state: StoredState) -> None:
        entries = [MemoEntry("h1", Status.OK, "{}", ""), MemoEntry("h2", Status.BROKEN)]
        state.write(lambda tx: tx.memo.remember(entries, 5.0))

        found = state.read(lambda tx: tx.memo.recall(["h1", "h2", "h3"]))

        assert found == {"h1": entries[0], "h2": entries[1]}
        assert state.write(lambda tx: tx.memo.forget_before(6.0)) == 2

    def test_a_singleton_has_one_holder_until_its_lease_ends(self, state: StoredState) -> None:
        first = state.write(lambda tx: tx.journal.lease("@s", 0.0, 10.0))

        assert state.write(lambda tx: tx.journal.lease("@s", 5.0, 10.0)) is None
        second = state.write(lambda tx: tx.journal.lease("@s", 10.0, 10.0))
        assert first is not None
        assert second is not None
        assert second > first
        assert not state.read(lambda tx: tx.journal.holds("@s", first))

    def test_dead_letters_keep_their_bytes(self, state: StoredState) -> None:
        letter = DeadLetter(b"\x00\xff", "invalid JSON", Namespace(("a b",)))
        state.write(lambda tx: tx.journal.add_dead_letters("kafka", [letter], 3.0))

        (found,) = state.read(lambda tx: tx.journal.dead_letters())

        assert (found.payload, found.reason, found.namespace) == (
            b"\x00\xff",
            "invalid JSON",
            Namespace(("a b",)),
        )
        state.write(lambda tx: tx.journal.discard_dead_letter(found.id))
        assert state.read(lambda tx: tx.journal.dead_letters()) == []


class TestSecrets:
    def test_files_of_a_new_state_are_the_owners(self, tmp_path: Path) -> None:
        with closing(SqliteState(tmp_path / "state.db")) as state:
            request(state, A)

            modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}

        files = {f"state.db{suffix}" for suffix in ("", "-wal", "-shm", "-queue", "-turn")}
        assert modes == dict.fromkeys(files, 0o600)

    def test_files_of_an_older_state_become_the_owners(self, tmp_path: Path) -> None:
        path = tmp_path / "state.db"
        with closing(SqliteState(path)) as state:
            request(state, A)
            for file in tmp_path.iterdir():
                file.chmod(0o644)
            with closing(SqliteState(path)):
                modes = {file.stat().st_mode & 0o777 for file in tmp_path.iterdir()}

        assert modes == {0o600}

    def test_what_a_server_echoed_is_stored_without_known_secrets(self, state: StoredState) -> None:
        SECRETS.learn("swordfish-5791")
        echoed = f"denied: Basic {b64encode(b'me:swordfish-5791').decode()} swordfish-5791"
        letter = DeadLetter(b"{", echoed)
        request(state, A)
        (claimed,) = claim(state)

        def write(tx: Transaction) -> None:
            tx.work.defer(claimed, 5.0, echoed, Cause.PASSING)
            tx.graph.write(RelationRecord(A, reason=echoed))
            tx.journal.add_dead_letters("kafka", [letter], 0.0)
            tx.memo.remember([MemoEntry("i", Status.BROKEN, None, echoed)], 0.0)

        state.write(write)

        texts = state.read(
            lambda tx: [
                tx.work.outstanding()[0].last_error,
                tx.graph.records([A])[A].reason,
                tx.journal.dead_letters()[0].reason,
                tx.memo.recall(["i"])["i"].reason,
            ]
        )
        assert [text.partition(":")[0] for text in texts] == ["denied"] * 4
        assert not [text for text in texts if "swordfish" in text or "3b3JkZmlza" in text]


def garbage(path: Path) -> None:
    path.write_bytes(b"garbage" * 100)


def state_of_the_future(path: Path) -> None:
    SqliteState(path).close()
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("UPDATE alembic_version SET version_num = 'of the future'")


@pytest.mark.parametrize("damage", [garbage, state_of_the_future])
def test_a_file_that_cannot_be_used_is_not_held_open(
    tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    path = tmp_path / "state.db"
    damage(path)

    with pytest.raises((sqlite3.DatabaseError, CommandError)) as refused:
        SqliteState(path)

    # The error's traceback would keep the connection from the garbage collector.
    assert refused.value is not None
    opened = {descriptor.resolve() for descriptor in Path("/proc/self/fd").iterdir()}
    assert path.resolve() not in opened


def test_a_generation_ends_with_a_write_of_any_process(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with closing(SqliteState(path)) as state, closing(SqliteState(path)) as other:
        found = [state.generation()]
        state.read(lambda tx: tx.tallies.figures())
        found.append(state.generation())
        for number, writer in enumerate((state, other)):
            new = RelationName.of("shop", f"t{number}")
            writer.write(lambda tx, new=new: tx.graph.add_unknown([new]))  # type: ignore[misc]
            found.append(state.generation())

    assert found[0] == found[1]
    assert len({*found}) == 3
