"""The judge of lineage, on the engine that needs no server."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest

from deploy.refused import Refused
from tests.judges.lineage.claims import Claimants, Claims
from tests.judges.lineage.engines import DuckDBEngine
from tests.judges.lineage.findings import Truth
from tests.judges.lineage.judge import LineageJudge
from tests.judges.lineage.views import Grower, of_many_worlds, of_one_world, tables


class _Forgetful(Claimants):
    """Claims nothing about the columns ``x``."""

    def analysed(self, text: str) -> Sequence[Claims] | None:
        return [
            Claims(c.name, {at: why for at, why in c.because.items() if not at[1].endswith("_x")})
            for c in super().analysed(text) or ()
        ]


class _Refusing(DuckDBEngine):
    name = "spark"

    def rows(self, sql: str) -> list[tuple[str, ...]]:
        raise Refused("fails: on purpose")


def _judged(judge: LineageJudge, seeds: range) -> Truth:
    truth = Truth()
    for seed in seeds:
        truth.merge(judge.judge(seed))
    return truth


def test_most_claimed_edges_move_something_and_nothing_else_moves() -> None:
    truth = _judged(LineageJudge(DuckDBEngine(), every=4), range(8))

    assert truth.missed == []
    assert truth.outcomes["judged"] >= 6
    assert truth.outcomes["compared with single worlds"] == 2
    assert truth.analysed.moving > truth.analysed.edges / 2


@pytest.mark.thorough
def test_an_edge_that_is_not_claimed_is_missed() -> None:
    truth = _judged(LineageJudge(DuckDBEngine(), claimants=_Forgetful(tables())), range(1, 6))

    assert any("_x" in missed for missed in truth.missed)


def test_what_the_first_engine_refuses_the_second_judges() -> None:
    truth = _judged(LineageJudge(_Refusing(), DuckDBEngine()), range(1, 3))

    assert truth.outcomes["refused by spark: fails: on purpose"] == 2
    assert truth.outcomes["judged"] == 2


def test_nulls_and_texts_have_a_digest() -> None:
    engine = DuckDBEngine()

    asked = map(engine.digest, ("NULL", "'1'", "1"))
    ((null, text, number),) = engine.rows(f"SELECT {', '.join(asked)}")

    assert null != text
    assert text == number


def test_each_engine_has_its_own_words_for_the_same_query() -> None:
    for seed in range(200):
        random = Random(seed)
        marked = Grower(random, tables()).query(random.randint(1, 3))
        for text in (of_one_world(marked, "duckdb"), of_many_worlds(marked, "duckdb")):
            assert "LATERAL VIEW" not in text
            assert "LEFT SEMI" not in text
            assert not set("\x01\x02\x03\x04\x05") & set(text)
