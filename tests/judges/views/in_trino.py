"""Compares Trino's rows of the SQL emitted for a random view with Spark's rows of the view.

Both have the same tables. The text for Trino includes the views that the view reads, as for governed
readers, so that one statement is enough.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace

from pyspark.sql import DataFrame, SparkSession

from deploy.refused import Refused
from deploy.trino import Trino, TrinoAnswer
from lakeschema.catalog.column_types import print_type
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Relation
from lakeschema.translation.emission.trino.query import TrinoQuery
from lakeschema.translation.emission.trino.text import NOT_THE_SAME, relation_text
from lakeschema.translation.emission.trino.view import trino_view_of
from lakeschema.translation.model.interface import Interface, Options, Overflow
from lakeschema.translation.plan.relations import Plan
from tests.judges.collected import with_times_as_texts
from tests.judges.compared_values import Rows, from_trino, same_rows
from tests.judges.engines.protocol import answer_or_refusal
from tests.judges.engines.spark import INTERNAL_ERROR
from tests.judges.trino_tables import create_tables, json_value
from tests.judges.verdicts import (
    BOTH_RAISE,
    DOES_NOT_RAISE,
    ENGINE_FAILS,
    EQUAL,
    FAILS,
    NOT_BEFOREHAND,
    NOT_READ,
    OTHER_ORDER,
    OTHER_ROWS,
    OTHER_TYPES,
    PRUNED,
    RAISES_ALONE,
    REFUSED_TEXT,
    TOO_MANY,
    UNDETERMINED,
    WITHOUT_RULES,
    Verdict,
)
from tests.judges.views.elsewhere import EmissionJudge, Written
from tests.judges.views.in_spark import SparkJudge
from tests.lakeschema.translation.growing.tables import Table, unchanged, with_extremes
from tests.lakeschema.translation.growing.views import RandomView

_TOO_MUCH = frozenset({"EXCEEDED_TIME_LIMIT", "EXCEEDED_LOCAL_MEMORY_LIMIT", "EXCEEDED_CPU_LIMIT"})
_MALFORMED = re.compile(r"CAST_INVALID_INPUT: The value ('[^']+')")


class TrinoJudge(EmissionJudge[TrinoQuery]):
    """A judge with the tables' rows in Trino's memory."""

    # Overflows that wrap in Spark have to be computed; another option refuses them.
    _options = Options(overflow=Overflow.WRAP)

    def __init__(
        self, spark: SparkSession, trino: Trino, tables: int | Sequence[Table] = 40
    ) -> None:
        """``tables``: a number of random tables with extreme values, or these."""
        changed = with_extremes if isinstance(tables, int) else unchanged
        super().__init__(spark, SparkJudge(spark, tables, changed))
        self._trino = trino
        self._asking = ThreadPoolExecutor(1)
        create_tables(trino, {table.name: self._rows_of(table) for table in self._spark.tables})

    @staticmethod
    def _query(
        relation: Relation,
        plan: Plan,
        names: Sequence[str],
        upstreams: Mapping[RelationName, Interface],
        relation_text: Callable[[RelationName], str],
    ) -> TrinoQuery:
        return trino_view_of(relation, plan, names, upstreams, TrinoJudge._options, relation_text)

    @staticmethod
    def _table(name: RelationName) -> str:
        return relation_text(name, {})

    _shown = staticmethod(with_times_as_texts)

    def _verdict(self, view: RandomView, *, ansi: bool) -> Verdict:
        read = self._read(view, ansi=ansi)
        if isinstance(read, Verdict):
            return read
        frame, written = read
        query = written.query
        asked = self._asking.submit(answer_or_refusal, self._trino.answer, query.sql)
        expected = self._sparks_rows(frame, query)
        verdict = self._compared(written, expected, asked)
        if not verdict.is_wrong:
            return verdict
        # Spark's optimiser skips expressions without effect, even if they would raise an error, or
        # computes them although no row needs them; and it has faults.
        modes = (
            (NOT_BEFOREHAND, self._spark.not_beforehand),
            (WITHOUT_RULES, self._spark.unhurried),
        )
        for outcome, mode in modes:
            with mode():
                frame_again = self._analysed(view)
                assert isinstance(frame_again, DataFrame)
                again = self._compared(written, self._sparks_rows(frame_again, query), asked)
            if not again.is_wrong:
                return Verdict(outcome) if again.outcome == EQUAL else again
        is_pruned = verdict.outcome == again.outcome == DOES_NOT_RAISE
        if is_pruned and self._is_pruned(query, verdict.details):
            return Verdict(PRUNED)
        if self._is_undetermined(view, query, expected):
            return Verdict(UNDETERMINED)
        return replace(verdict, details=f"{verdict.details}\n  {view}\n  {query.sql}")

    def _compared(
        self,
        written: Written[TrinoQuery],
        expected: Rows | Refused,
        asked: Future[TrinoAnswer | Refused],
    ) -> Verdict:
        query, got = written.query, asked.result()
        if isinstance(got, Refused):
            return _refused(expected, got)
        if expected == Refused(TOO_MANY):
            return Verdict(TOO_MANY)
        if isinstance(expected, Refused) and (
            expected.kind == INTERNAL_ERROR or expected.name.startswith("UNSUPPORTED_")
        ):
            return Verdict(NOT_READ, str(expected))
        if problem := _columns_differ(query, got):
            return Verdict(OTHER_TYPES, problem)
        types = [column.type for column in query.columns]
        found = [from_trino(row, types) for row in got.rows]
        if isinstance(expected, Refused):
            return Verdict(DOES_NOT_RAISE, f"{expected}\n  {found}")
        if not same_rows(expected, found):
            return Verdict(OTHER_ROWS, f"{expected}\n  {found}")
        if written.ordered and not same_rows(expected, found, ordered=True):
            return Verdict(OTHER_ORDER, f"{expected}\n  {found}")
        return Verdict(EQUAL)

    def _is_undetermined(
        self, view: RandomView, query: TrinoQuery, expected: Rows | Refused
    ) -> bool:
        """Whether Spark's rows depend on the order of the tables' rows."""
        texts = " ".join((view.text, *(text for _, text in view.below)))
        read = [table for table in self._spark.tables if table.name in texts]
        for table in read:
            self._spark.register(replace(table, rows=table.rows[::-1]))
        frame = self._analysed(view)
        assert isinstance(frame, DataFrame)
        again = self._sparks_rows(frame, query)
        for table in read:
            self._spark.register(table)
        if isinstance(expected, Refused) or isinstance(again, Refused):
            return type(expected) is not type(again)
        return not same_rows(expected, again)

    def _is_pruned(self, query: TrinoQuery, raised: str) -> bool:
        """Whether Trino's plan lacks the failing expression, the value in Spark's error, or the tables."""
        plan = str(self._trino.answer(f"EXPLAIN {query.sql}").rows)
        if "VALUES" not in query.sql and "TableScan" not in plan:
            return True
        named = _MALFORMED.match(raised)
        parts = [("fail(", "fail("), ("CAST(trim(", "trim(")]
        if named is not None:
            parts.append((named[1], named[1]))
        return any(part in query.sql and left not in plan for part, left in parts)

    def _rows_of(self, table: Table) -> Mapping[str, object]:
        # As collected Python values, maps would lose the order of their keys.
        rows = self._session.table(table.name).toArrow().to_pylist()
        return {
            "columns": [(name, print_type(type_)) for name, type_ in table.columns],
            "rows": [
                [json_value(row[name], type_) for name, type_ in table.columns] for row in rows
            ],
        }


def _refused(expected: Rows | Refused, error: Refused) -> Verdict:
    """The verdict if Trino raises an error, as Spark does or for a reason written in the text."""
    if error.name in _TOO_MUCH:
        return Verdict(TOO_MANY)
    if error.kind == INTERNAL_ERROR:
        return Verdict(ENGINE_FAILS, str(error))
    if error.kind != "USER_ERROR" or error.name in _OF_TEXTS:
        return Verdict(REFUSED_TEXT, str(error))
    if isinstance(expected, Refused):
        return Verdict(BOTH_RAISE)
    if error.message.startswith(NOT_THE_SAME):
        return Verdict(FAILS, error.message.removeprefix(NOT_THE_SAME))
    return Verdict(RAISES_ALONE, str(error))


_OF_TEXTS = frozenset(
    {
        *("SYNTAX_ERROR", "TYPE_MISMATCH", "COLUMN_NOT_FOUND", "FUNCTION_NOT_FOUND"),
        *("EXPRESSION_NOT_AGGREGATE", "NOT_SUPPORTED", "AMBIGUOUS_NAME", "NESTED_WINDOW"),
        *("INVALID_COLUMN_REFERENCE", "INVALID_ARGUMENTS"),
        *("INVALID_FUNCTION_ARGUMENT_COUNT", "EXPRESSION_NOT_SCALAR", "TYPE_NOT_FOUND"),
    }
)
"""Trino's errors about a text, whatever the rows."""


def _columns_differ(query: TrinoQuery, got: TrinoAnswer) -> str:
    said = [(c.name, _words(t)) for c, t in zip(query.columns, query.types, strict=True)]
    found = [(name, _words(type_)) for name, type_ in got.columns]
    return "" if said == found else f"{said}\n  {found}"


def _words(type_: str) -> str:
    """A type without the blanks and quotes that Trino does not always show."""
    return type_.replace('"', "").replace(" ", "").lower()
