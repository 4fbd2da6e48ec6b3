"""Processor time of the state's operations on one SQLite file, as medians.

Each operation runs inside an open transaction, so that a figure is the cost of its statements only.
Only ``claim and clear`` commits: once for the claim, and once for each of its relations. A figure with
a number is for so many relations, entries or versions. Run: ``make bench-state``.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import count
from pathlib import Path
from statistics import median

from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.model.outcome import Status
from publisher.state.protocol import Transaction
from publisher.state.records import (
    Claim,
    Edge,
    MemoEntry,
    Output,
    RelationRecord,
    Urgency,
    VersionRecord,
    VersionStatus,
    WorkRequest,
)
from publisher.state.sqlite import SqliteState

TABLES = 4_000
VIEWS = 1_000
BATCH = 20
ROUNDS = 300
QUEUED = 130_000

TABLE_NAMES = [RelationName.of("bench", f"table_{i:04}") for i in range(TABLES)]
VIEW_NAMES = [RelationName.of("bench", f"view_{i:04}") for i in range(VIEWS)]

Operation = Callable[[Transaction], object]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        state = SqliteState(Path(folder) / "state.db", synchronous="OFF")
        state.write(fill)
        figures = {name: state.write(timed(step)) for name, step in operations().items()}
        figures[f"claim and clear {BATCH}"] = whole_transactions(state)
        state.close()
        figures |= full_queue(Path(folder) / "queue.db")
    show(figures)


def show(figures: Mapping[str, float]) -> None:
    for name, seconds in figures.items():
        print(f"{name:28} {seconds * 1e6:10.1f} µs")


def record(name: RelationName) -> RelationRecord:
    return RelationRecord(
        name, "f" * 64, 7, status=Status.OK, stale=False, output=Output("i" * 64, "c")
    )


def upstreams_of(view: int) -> Iterator[RelationName]:
    """Three tables, and the views one and ten before: a graph with long paths upstream."""
    yield from (TABLE_NAMES[(4 * view + i) % TABLES] for i in range(3))
    yield from (VIEW_NAMES[view - step] for step in (1, 10) if view % 50 >= step)


def fill(tx: Transaction) -> None:
    for name in (*TABLE_NAMES, *VIEW_NAMES):
        tx.graph.write(record(name))
        tx.graph.write_derivation(name, "{}" * 500)
    for i, view in enumerate(VIEW_NAMES):
        tx.graph.replace_edges(view, [Edge(view, up, "i" * 64) for up in upstreams_of(i)])
    tx.work.request(WorkRequest(name, 1e18) for name in TABLE_NAMES)


def timed(steps: Iterator[tuple[Operation, Operation]]) -> Callable[[Transaction], float]:
    def run(tx: Transaction) -> float:
        times: list[float] = []
        for _, (prepare, operation) in zip(range(ROUNDS), steps, strict=False):
            prepare(tx)
            start = time.thread_time()
            operation(tx)
            times.append(time.thread_time() - start)
        return median(times)

    return run


def nothing(_tx: Transaction) -> None: ...


def version(number: int) -> VersionRecord:
    return VersionRecord(
        "bench-d",
        f"{number}.0.0",
        TABLE_NAMES[0],
        VersionStatus.RESERVED,
        "c" * 64,
        "{}" * 500,
        "s" * 64,
        f"bench_d-{number}.whl",
        "major",
        ("why",),
    )


def operations() -> Mapping[str, Iterator[tuple[Operation, Operation]]]:
    return {
        f"request {BATCH}": ((nothing, request(i)) for i in count()),
        f"request_when_quiet {BATCH}": ((nothing, request(i, quiet=True)) for i in count()),
        f"claim {BATCH} (and reset)": ((request(i), claim) for i in count()),
        "clear": (claimed(i, lambda tx, one: tx.work.clear(one)) for i in count()),
        "clear_until": (
            claimed(i, lambda tx, one: tx.work.clear_until(one, 1e18)) for i in count()
        ),
        "holds": (claimed(i, lambda tx, one: tx.work.holds(one)) for i in count()),
        f"records {BATCH}": ((nothing, records(i)) for i in count()),
        "every_record": ((nothing, lambda tx: tx.graph.every_record()) for _ in range(15)),
        "write": ((nothing, write(i)) for i in count()),
        "replace_edges": ((nothing, replace_edges(i)) for i in count()),
        f"edges_of {BATCH}": ((nothing, edges_of(i)) for i in count()),
        "upstream_edges": ((nothing, upstream_edges(i)) for i in count()),
        "mark_dependents_stale": ((all_fresh, mark_stale(i)) for i in count()),
        "unblocked_dependents": ((mark_stale(i), unblocked(i)) for i in count()),
        "derivations": ((nothing, derivations(i)) for i in count()),
        f"remember {BATCH}": ((nothing, remember(i)) for i in count()),
        f"recall {BATCH}": ((nothing, recall(i)) for i in count()),
        "save_position": ((nothing, save_position(i)) for i in count()),
        "reserve (and confirm)": ((nothing, reserve(i)) for i in count(1)),
        "confirm": ((reserve(i), confirm_all) for i in count(ROUNDS + 1)),
        "history 600": ((nothing, lambda tx: tx.versions.history(["bench-d"])) for _ in range(50)),
    }


def batch(i: int) -> list[RelationName]:
    start = i * BATCH % VIEWS
    return VIEW_NAMES[start : start + BATCH]


def request(i: int, *, quiet: bool = False) -> Operation:
    requests = [WorkRequest(name, float(i), min_event_id=i) for name in batch(i)]
    if quiet:
        return lambda tx: tx.work.request_when_quiet(requests, 60.0)
    return lambda tx: tx.work.request(requests)


def claim(tx: Transaction) -> list[Claim]:
    now = time.monotonic_ns() / 1e3
    claims = list(tx.work.claim(now, 10.0, BATCH))
    assert claims
    tx.work.reset_attempts(claims)
    return claims


def claimed(i: int, end: Callable[[Transaction, Claim], object]) -> tuple[Operation, Operation]:
    held: list[Claim] = []

    def prepare(tx: Transaction) -> None:
        request(i)(tx)
        held[:] = claim(tx)

    return prepare, lambda tx: end(tx, held[0])


def records(i: int) -> Operation:
    return lambda tx: tx.graph.records(batch(i))


def write(i: int) -> Operation:
    return lambda tx: tx.graph.write(record(VIEW_NAMES[i % VIEWS]))


def replace_edges(i: int) -> Operation:
    view = VIEW_NAMES[i % VIEWS]
    edges = [Edge(view, up, "i" * 64) for up in upstreams_of(i % VIEWS)]
    return lambda tx: tx.graph.replace_edges(view, edges)


def edges_of(i: int) -> Operation:
    return lambda tx: tx.graph.edges_of(batch(i))


def upstream_edges(i: int) -> Operation:
    return lambda tx: tx.graph.upstream_edges([VIEW_NAMES[49 + 50 * (i % 20)]])


def all_fresh(tx: Transaction) -> None:
    tx.graph.clear_stale(VIEW_NAMES)


def mark_stale(i: int) -> Operation:
    return lambda tx: tx.graph.mark_dependents_stale([TABLE_NAMES[200 * (i % 20)]])


def unblocked(i: int) -> Operation:
    return lambda tx: tx.graph.unblocked_dependents([TABLE_NAMES[200 * (i % 20)]])


def derivations(i: int) -> Operation:
    return lambda tx: tx.graph.derivations([VIEW_NAMES[i % VIEWS]])


def remember(i: int) -> Operation:
    entries = [MemoEntry(f"{i}-{each}", Status.OK, "{}" * 500) for each in range(BATCH)]
    return lambda tx: tx.memo.remember(entries, float(i))


def recall(i: int) -> Operation:
    return lambda tx: tx.memo.recall([f"{i}-{each}" for each in range(BATCH)])


def save_position(i: int) -> Operation:
    return lambda tx: tx.journal.save_position("bench", str(i))


def reserve(i: int) -> Operation:
    def run(tx: Transaction) -> None:
        confirm_all(tx)
        assert tx.versions.reserve(version(i), b"w" * 20_000, i - 1 or None)

    return run


def confirm_all(tx: Transaction) -> None:
    for each in tx.versions.open_reservations(["bench-d"]):
        tx.versions.confirm("bench-d", each.number)


def clear(tx: Transaction, claim: Claim) -> bool:
    return tx.work.clear(claim)


def full_queue(path: Path) -> Mapping[str, float]:
    """Figures for a queue as a snapshot leaves it: everything is due at the same time."""
    state = SqliteState(path, synchronous="OFF")
    names = (RelationName.of(f"db{i % 8}", f"t{i:06}") for i in range(QUEUED))
    state.write(lambda tx: tx.work.request(WorkRequest(n, 1.0, Urgency.SNAPSHOT) for n in names))
    steps: Mapping[str, Operation] = {
        f"claim {BATCH} of {QUEUED}": lambda tx: tx.work.claim(2.0, 60.0, BATCH),
        f"due_at of {QUEUED}": lambda tx: tx.work.due_at(),
    }
    figures = {
        name: state.write(timed((nothing, step) for _ in range(50))) for name, step in steps.items()
    }
    state.close()
    return figures


def whole_transactions(state: SqliteState) -> float:
    times: list[float] = []
    for i in range(ROUNDS):
        state.write(request(i))
        start = time.thread_time()
        for one in state.write(claim):
            state.write(partial(clear, claim=one))
        times.append(time.thread_time() - start)
    return median(times)


if __name__ == "__main__":
    main()
