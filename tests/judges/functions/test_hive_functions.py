from __future__ import annotations

import re
from collections.abc import Sequence

from deploy.hive import HiveAnswer
from deploy.refused import Refused
from lakeschema.catalog.column_types import INT, StructField
from tests.judges.engines.hive import HiveStatements
from tests.judges.functions.hive_functions import HiveFunctions

SELECTS = [f"SELECT {call} AS x FROM {{t}}" for call in ("abs(i)", "bad(s)", "abs(b)", "bad(d)")]


class Hive(HiveStatements):
    """Every call is an int; a call named ``bad`` is refused, with its position if ``pointing``."""

    def __init__(self, *, pointing: bool, rows: Sequence[str] = ()) -> None:
        self.asked: list[str] = []
        self._pointing = pointing
        self._rows = rows

    def run(self, *statements: str) -> Sequence[HiveAnswer | Refused]:
        self.asked += statements
        return [self._answer(statement) for statement in statements]

    def compile(self, *statements: str) -> Sequence[HiveAnswer | Refused]:
        return self.run(*statements)

    def _answer(self, statement: str) -> HiveAnswer | Refused:
        if bad := re.search(r"bad\((\w)\)", statement):
            place = f"Line 1:{bad.start(1)} " if self._pointing else ""
            return Refused(f"FAILED: {place}wrong argument", statement)
        names = re.findall(r" AS (x\d*)", statement)
        return HiveAnswer([(name, "int") for name in names], self._rows)


def test_calls_are_asked_together_without_those_that_hive_points_to() -> None:
    hive = Hive(pointing=True)

    answers = HiveFunctions(hive).columns(SELECTS)

    assert [isinstance(answers[select], Refused) for select in SELECTS] == [
        False,
        True,
        False,
        True,
    ]
    assert any("abs(i) AS x0, abs(b) AS x1 FROM" in text for text in hive.asked)


def test_without_a_place_halves_are_asked_apart() -> None:
    answers = HiveFunctions(Hive(pointing=False)).columns(SELECTS)

    assert [isinstance(answers[select], Refused) for select in SELECTS] == [
        False,
        True,
        False,
        True,
    ]


def test_a_null_is_found_in_its_own_column() -> None:
    judge = HiveFunctions(Hive(pointing=True, rows=["1\t2", "1\tNULL"]))
    claimed = {select: (StructField("x", INT, nullable=False),) for select in SELECTS[::2]}

    one, other = judge.computed(claimed, "n").values()

    assert one.is_seen
    assert one.null is None
    assert other.null == "null: SELECT abs(b) AS x FROM n"
