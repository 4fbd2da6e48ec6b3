"""The fillings by statements: the same in any order and after repetition, and bounded."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from lakeschema.catalog.identifiers import RelationName
from publisher.state.opening import StoredState
from publisher.state.protocol import MAX_FILLINGS
from publisher.state.reading import read_state
from publisher.state.records import FilledColumn, FillingRecord
from publisher.state.sqlite import SqliteState

T, A, B = (RelationName.of("shop", name) for name in "tab")


def filling(
    source: RelationName | None, at: float, *, mark: str = "m", target: RelationName = T
) -> FillingRecord:
    columns = () if source is None else (FilledColumn("x", "y", ""), FilledColumn("", "z", "where"))
    return FillingRecord(target, source, mark, f"at {at}", "etl", columns, at, at)


@pytest.fixture
def state(tmp_path: Path) -> Iterator[StoredState]:
    state = SqliteState(tmp_path / "state.db")
    yield state
    state.close()


def add(state: StoredState, *told: FillingRecord) -> None:
    state.write(lambda tx: tx.fillings.add(told))


def into(state: StoredState, *names: RelationName) -> Sequence[FillingRecord]:
    return state.read(lambda tx: tx.fillings.into(names or (T,)))


def test_what_is_told_is_read_from_both_ends(state: StoredState, tmp_path: Path) -> None:
    told = [filling(A, 1.0), filling(B, 2.0), filling(A, 3.0, target=B)]

    state.write(lambda tx: tx.fillings.add(told))

    assert into(state) == [told[1], told[0]]
    out_of = state.read(lambda tx: tx.fillings.out_of([A]))
    assert out_of == [told[2], told[0]]
    with read_state(tmp_path / "state.db") as reading:
        assert reading is not None
        assert reading.filled_from([A]) == out_of


@pytest.mark.parametrize("seed", range(20))
def test_neither_order_nor_repetition_matters(seed: int, tmp_path: Path) -> None:
    chosen = random.Random(seed)
    told = [
        filling(chosen.choice((A, B, None)), float(at), mark=chosen.choice("mn")) for at in range(8)
    ]
    told = [
        FillingRecord(T, None, "", "", "", (), each.last_at, each.last_at)
        if each.source is None
        else each
        for each in told
    ]
    found = []
    for number in range(3):
        state = SqliteState(tmp_path / f"{number}.db")
        shuffled = chosen.sample(told, len(told)) + chosen.choices(told, k=3)
        for each in told if number == 0 else shuffled:
            add(state, each)
        # When a pair was told for the first time is lost if the table is filled anew in between.
        found.append([(f.source, f.mark, f.statement, f.last_at) for f in into(state)])
        state.close()

    assert found[0] == found[1] == found[2]


def test_a_table_that_is_filled_anew_comes_of_nothing_before(state: StoredState) -> None:
    anew = FillingRecord(T, None, "", "", "", (), 5.0, 5.0)

    state.write(lambda tx: tx.fillings.add([filling(A, 1.0), filling(B, 5.0), anew]))
    state.write(lambda tx: tx.fillings.add([filling(A, 4.0, mark="late")]))

    assert [each.source for each in into(state)] == [B]


def test_the_oldest_are_forgotten(state: StoredState) -> None:
    many = [filling(A, float(at), mark=str(at)) for at in range(MAX_FILLINGS + 10)]

    state.write(lambda tx: tx.fillings.add(many))
    assert [each.mark for each in into(state)] == [each.mark for each in reversed(many[10:])]

    assert state.write(lambda tx: tx.fillings.keep_newest(100)) == MAX_FILLINGS - 100
    assert state.write(lambda tx: tx.fillings.forget_before(MAX_FILLINGS + 9.0)) == 99
    assert [each.mark for each in into(state)] == [many[-1].mark]
