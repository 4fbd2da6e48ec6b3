"""Hive as a judge of calls: many in one statement, since each statement takes a fifth of a second."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from deploy.hive import HiveAnswer
from deploy.refused import Refused
from lakeschema.catalog.column_types import StructField, parse_type_or_unknown
from lakeschema.catalog.relations import Dialect
from tests.judges.engines.hive import HiveStatements
from tests.judges.engines.protocol import Columns
from tests.judges.functions.hive_values import CallColumn, HiveValues, groups, together
from tests.judges.functions.judges import Computed, Nulls
from tests.judges.functions.probe_values import table_query

_PLACE: Final = re.compile(r"[Ll]ine 1:(\d+)")


_CREATE: Final = "CREATE VIEW probed AS "


class HiveFunctions:
    """Hive's types do not state nullability: all its columns are nullable here.

    ``only_optimised``: refuses calls that Hive compiles only without its optimiser, with other types.
    """

    def __init__(self, hive: HiveStatements, *, only_optimised: bool = False) -> None:
        self._hive = hive
        self._only_optimised = only_optimised
        self._values = HiveValues(hive)
        for table in ("t", "n"):
            text = table_query(Dialect.HIVE, required=table == "t")
            (made,) = hive.run(f"CREATE TABLE {table} STORED AS ORC AS {text}")
            assert isinstance(made, HiveAnswer), made

    def documentation(self, name: str) -> str:
        answer = self._hive.run(f"DESCRIBE FUNCTION EXTENDED `{name}`")[0]
        text = "\n".join(answer.rows) if isinstance(answer, HiveAnswer) else ""
        return text.replace("Example:", "Examples:")

    def columns(self, selects: Sequence[str]) -> Mapping[str, Columns | Refused]:
        answers: dict[str, Columns | Refused] = {}
        for rest, group in groups(selects):
            answers |= self._columns(rest, group)
        for select in selects:
            if select not in answers:
                answers[select] = self._columns_alone(select)
        return answers

    def _columns_alone(self, select: str) -> Columns | Refused:
        query = select.replace("{t}", "t")
        answer = self._create(query)
        is_not_optimised = isinstance(answer, Refused) and "CalciteSemantic" in answer.message
        if is_not_optimised and not self._only_optimised:
            # Without its optimiser Hive does more, such as union types.
            self._hive.run("SET hive.cbo.enable=false")
            answer = self._create(query)
            self._hive.run("SET hive.cbo.enable=true")
        if isinstance(answer, Refused):
            return answer
        return tuple(StructField(n, parse_type_or_unknown(t), True) for n, t in answer.columns)

    def _columns(self, rest: str, group: Sequence[CallColumn]) -> Mapping[str, Columns | Refused]:
        """Leaves out the call that an error points to; without a position, each half is asked alone."""
        answers: dict[str, Columns | Refused] = {}
        left = list(group)
        while len(left) > 1:
            answer = self._create(f"{together(left)} FROM t{rest}")
            if isinstance(answer, HiveAnswer):
                for column, (_, type_) in zip(left, answer.columns, strict=True):
                    found = StructField("x", parse_type_or_unknown(type_), True)
                    answers[column.select] = (found,)
                return answers
            at = -1 if answer.at is None else answer.at
            wrong = next(
                (i for i, (start, end) in enumerate(_places(left)) if start <= at < end), None
            )
            if wrong is None:
                middle = len(left) // 2
                halves = (left[:middle], left[middle:])
                return {
                    **answers,
                    **self._columns(rest, halves[0]),
                    **self._columns(rest, halves[1]),
                }
            apart = left.pop(wrong).select
            # Some errors come only from calls in combination, and a parser may point beyond the cause.
            is_sure = "SemanticException" in answer.message and "GROUP BY" not in answer.message
            answers[apart] = answer if is_sure else self._columns_alone(apart)
        for column in left:
            answers[column.select] = self._columns_alone(column.select)
        return answers

    def _create(self, query: str) -> HiveAnswer | Refused:
        (answer,) = self._hive.compile(_CREATE + query)
        if isinstance(answer, HiveAnswer):
            return answer
        message = answer.message.partition("\n")[0]
        place = _PLACE.search(message)
        at = int(place[1]) - len(_CREATE) if place else None
        return Refused(message[:200], at=at)

    def computed(self, claimed: Mapping[str, Columns], table: str) -> Mapping[str, Computed]:
        return self._values.computed(claimed, table)

    def nulls_in(self, select: str, claimed: Columns, table: str) -> Nulls:
        return self._values.nulls_in(select, claimed, table)


def _places(columns: Sequence[CallColumn]) -> Iterator[tuple[int, int]]:
    """The position of each call in the SELECT of all."""
    start = len("SELECT ")
    for number, column in enumerate(columns):
        end = start + len(f"{column.call} AS x{number}, ")
        yield start, end
        start = end
