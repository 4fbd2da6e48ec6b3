from __future__ import annotations

from collections.abc import Sequence

from deploy.hive import HiveAnswer
from deploy.refused import Refused
from lakeschema.catalog.column_types import BINARY, INT, ArrayType, ColumnType, StructField
from tests.judges.engines.hive import HiveStatements
from tests.judges.functions.hive_values import HiveValues

CALLS = ("abs(i)", "fails(i)", "abs(b)", "abs(d)")


class Hive(HiveStatements):
    """Fails to compute a call named so; ``printed`` is each row, ``is_null`` a null search's result."""

    def __init__(self, *, printed: str = "", is_null: bool = False) -> None:
        self.asked: list[str] = []
        self._printed = printed
        self._is_null = is_null

    def run(self, *statements: str) -> Sequence[HiveAnswer | Refused]:
        self.asked += statements
        return [self._answer(statement) for statement in statements]

    def compile(self, *statements: str) -> Sequence[HiveAnswer | Refused]:
        raise AssertionError(statements)

    def _answer(self, statement: str) -> HiveAnswer | Refused:
        if "fails(" in statement:
            return Refused("FAILED: while it computes", statement)
        if statement.startswith("SELECT 1 FROM"):
            return HiveAnswer([], ["1"] if self._is_null else [])
        columns = statement.count(" AS x") or 1
        return HiveAnswer([], [self._printed or "\t".join(["1"] * columns)])


def claimed(
    calls: Sequence[str], type_: ColumnType, rest: str = ""
) -> dict[str, tuple[StructField]]:
    column = StructField("x", type_, nullable=False)
    return {f"SELECT {call} AS x FROM {{t}}{rest}": (column,) for call in calls}


def test_of_calls_that_fail_together_each_half_is_computed() -> None:
    hive = Hive()

    found = HiveValues(hive).computed(claimed(CALLS, INT, " GROUP BY r"), "t")

    assert [each.is_seen for each in found.values()] == [True, False, True, True]
    assert len(hive.asked) == len(("all", "first half", "abs(i)", "fails(i)", "second half"))


def test_a_null_that_a_text_file_alone_shows_is_none() -> None:
    arrays = claimed(["a(i)"], ArrayType(ArrayType(INT), element_nullable=False), " GROUP BY r")

    in_text_alone = HiveValues(Hive(printed="[null]")).computed(arrays, "n")
    in_the_value = HiveValues(Hive(printed="[null]", is_null=True)).computed(arrays, "n")

    assert [each.null for each in in_text_alone.values()] == [None]
    assert [each.null for each in in_the_value.values()] == [
        "null: SELECT a(i) AS x FROM n GROUP BY r"
    ]


def test_the_search_for_a_null_goes_down_to_where_there_is_none_by_the_claim() -> None:
    hive = Hive(printed="[null]")

    arrays = claimed(["a(i)"], ArrayType(ArrayType(INT), element_nullable=False), " GROUP BY r")
    HiveValues(hive).computed(arrays, "n")

    assert [text.partition(") q")[2] for text in hive.asked[1:]] == [
        " WHERE q.`x` IS NULL",
        " LATERAL VIEW explode(q.`x`) l0 AS e0 WHERE e0 IS NULL",
    ]


def test_bytes_are_asked_for_as_text() -> None:
    hive = Hive()

    HiveValues(hive).computed(claimed(["abs(i)"], BINARY), "t")

    assert hive.asked[0] == ("SELECT base64(q.`x`) AS x0 FROM (SELECT abs(i) AS x FROM t) q")
