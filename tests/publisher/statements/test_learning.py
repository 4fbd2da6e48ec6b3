"""The state takes all statements of a call or none, even if the process is killed."""

from __future__ import annotations

import json
import os
import signal
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from lakeschema.analysis.catalog import KnownTable
from lakeschema.analysis.checking import table_value
from lakeschema.catalog.identifiers import RelationName
from lakeschema.isolation.limits import Limits, ProcessDied
from publisher.lineage.tracing import trace
from publisher.lineage.values import Direction, Place
from publisher.state.sqlite import SqliteState
from publisher.statements.learning import Known, Learner
from tests.waiting import PATIENCE_SECONDS, eventually

T, S = RelationName.of("shop", "t"), RelationName.of("shop", "s")
KNOWN: Known = MappingProxyType(
    {
        "shop.s": table_value(KnownTable(("a", "b"))),
        "shop.t": table_value(KnownTable(("p", "q"))),
    }
)
FILL = {"sql": "INSERT INTO shop.t SELECT * FROM shop.s"}
OTHER = {"sql": "INSERT OVERWRITE TABLE shop.t SELECT b, a FROM shop.r"}
POSITION = ("log", "7")
PATIENT = Limits(timeout_seconds=PATIENCE_SECONDS)
MANY = 20_000
"""Statements that take much longer than the limit of time."""


def lines(*told: Mapping[str, Any]) -> bytes:
    return b"\n".join(json.dumps(each).encode() for each in told)


@pytest.fixture
def state(tmp_path: Path) -> Iterator[SqliteState]:
    with closing(SqliteState(tmp_path / "state.db")) as state:
        yield state


@contextmanager
def learner(
    state: SqliteState, limits: Limits = PATIENT, known: Known = KNOWN
) -> Iterator[Learner]:
    learner = Learner(state, lambda: known, "spark", 1e9, limits)
    try:
        yield learner
    finally:
        learner.stop()


def kept(state: SqliteState) -> Sequence[tuple[str, Sequence[tuple[str, str]]]]:
    """The sources of the table, each with the links of columns."""
    found = state.read(lambda tx: tx.fillings.into([T]))
    return [
        (str(each.source), [(link.column, link.source_column) for link in each.columns])
        for each in found
    ]


def position(state: SqliteState) -> str | None:
    return state.read(lambda tx: tx.journal.position(POSITION[0]))


LEARNT = [("shop.s", [("p", "a"), ("q", "b")])]


def test_what_is_learnt_is_in_the_state_with_its_position(state: SqliteState) -> None:
    with learner(state) as learning:
        learnt = learning.learn(lines(FILL), read_to=POSITION)

    assert (learnt.statements, len(learnt.fillings), learnt.unread) == (1, 1, 0)
    assert kept(state) == LEARNT
    assert position(state) == POSITION[1]


def test_pieces_of_one_time_stay_in_their_order(state: SqliteState) -> None:
    with learner(state) as learning:
        learning.learn(lines(FILL, FILL, OTHER), ran_at=1e9)
        learning.learn(lines(FILL), ran_at=1e9)
        assert [source for source, _ in kept(state)] == ["shop.s", "shop.r"]

        learning.learn(lines(OTHER), ran_at=1e9)
        assert [source for source, _ in kept(state)] == ["shop.r"]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("limits", "too_much"),
    [
        (Limits(timeout_seconds=3.0), lines(*[OTHER] * MANY)),
        (Limits(memory_bytes=500 * 1024**2), b"[" + b'{"sql":""},' * 3_000_000 + b"{}]"),
        (Limits(max_answer_bytes=20_000), lines(*[OTHER] * 500)),
    ],
    ids=["time", "memory", "answer"],
)
def test_what_takes_too_much_leaves_nothing(
    limits: Limits, too_much: bytes, state: SqliteState
) -> None:
    with learner(state, limits) as learning:
        learning.learn(lines(FILL), read_to=POSITION)

        with pytest.raises(ProcessDied):
            learning.learn(too_much, read_to=("log", "8"))

        assert (kept(state), position(state)) == (LEARNT, POSITION[1])
        # A new process knows the catalog, too.
        learning.learn(lines(OTHER, FILL), read_to=("log", "9"))
        assert {source for source, _ in kept(state)} == {"shop.s", "shop.r"}
        assert LEARNT[0] in kept(state)
        assert position(state) == "9"


@pytest.mark.thorough
def test_a_process_that_is_killed_at_work_leaves_nothing(state: SqliteState) -> None:
    others = children()
    with learner(state) as learning:
        learning.learn(lines(FILL), read_to=POSITION)
        (child,) = children() - others
        killing = threading.Timer(0.5, os.kill, (child, signal.SIGKILL))
        killing.start()

        with pytest.raises(ProcessDied, match="ended"):
            learning.learn(lines(*[OTHER] * MANY), read_to=("log", "8"))

        killing.join()
        assert (kept(state), position(state)) == (LEARNT, POSITION[1])
        learning.learn(lines(FILL), read_to=("log", "9"))
        assert (kept(state), position(state)) == (LEARNT, "9")


@pytest.mark.thorough
def test_a_process_that_is_killed_while_it_waits_costs_one_call(state: SqliteState) -> None:
    others = children()
    with learner(state) as learning:
        learning.learn(lines(FILL))
        (child,) = children() - others
        os.kill(child, signal.SIGKILL)
        assert eventually(lambda: Path(f"/proc/{child}/stat").read_text().split()[2] == "Z")

        with pytest.raises(ProcessDied, match="ended"):
            learning.learn(lines(OTHER))

        assert kept(state) == LEARNT
        assert learning.learn(lines(FILL)).unread == 0


def children() -> set[int]:
    """Processes of this one that work within limits."""
    found = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    return {
        int(each) for each in found if b"isolation" in Path(f"/proc/{each}/cmdline").read_bytes()
    }


WIDE = ", ".join(f"CASE WHEN a > {n} THEN b ELSE c END AS c{n}" for n in range(1_000))


@pytest.mark.parametrize(
    ("sql", "asked", "reached"),
    [
        ("INSERT INTO shop.t SELECT a, 1 FROM shop.s", "shop.s.a", {"shop.t.p"}),
        ("INSERT INTO shop.t SELECT a, 1 FROM shop.s", "shop.s.b", set()),
        ("INSERT INTO shop.t SELECT a, 1 FROM shop.s WHERE b > 1", "shop.s.b", {"shop.t"}),
        ("INSERT INTO shop.t SELECT 1, count(*) FROM shop.s", "shop.s.p", set()),
        ("INSERT INTO shop.t SELECT x, 1 FROM shop.open", "shop.open.x", {"shop.t.p"}),
        ("INSERT INTO shop.t SELECT x, 1 FROM shop.open", "shop.open.y", set()),
        ("CREATE TABLE shop.t AS SELECT * FROM shop.open", "shop.open.any", {"shop.t"}),
        ("INSERT INTO shop.t SELECT x, 1 FROM shop.open, shop.o", "shop.o.any", {"shop.t.p"}),
        ("INSERT INTO shop.t SELECT 1, 2 FROM shop.o, shop.r WHERE x > 1", "shop.o.any", {"shop.t"}),
        (f"INSERT INTO shop.t SELECT {WIDE} FROM shop.r", "shop.r.a", {"shop.t.p", "shop.t.c600"}),
        (f"INSERT INTO shop.t SELECT {WIDE}, z FROM shop.r", "shop.r.z", {"shop.t.p", "shop.t"}),
    ],
)  # fmt: skip
def test_what_is_learnt_reaches(
    sql: str, asked: str, reached: set[str], state: SqliteState
) -> None:
    relation, _, column = asked.rpartition(".")
    place = Place(RelationName.parse(relation), column)

    with learner(state) as learning:
        assert learning.learn(lines({"sql": sql})).unread == 0

    found = state.read(lambda tx: trace(tx, place, Direction.DOWNSTREAM, str)).links
    targets = {str(link.target) for link in found}
    assert targets >= reached
    assert bool(targets) is bool(reached)
