"""The rows that Trino returns of a random view's emission, held against Spark's rows of the view itself.

Both have the same tables. The views that a view reads stand in its text for Trino, as they do for
governed readers, so that one statement asks for all.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from deploy.refused import Refused
from deploy.trino import Trino, TrinoAnswer
from lakeschema.catalog.column_types import (
    DATE,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    ArrayType,
    CharType,
    ColumnType,
    MapType,
    StructType,
    VarcharType,
    print_type,
    time_digits,
)
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Relation
from lakeschema.translation.emission.spark.text import type_text as sparks_type
from lakeschema.translation.emission.trino.query import TrinoQuery
from lakeschema.translation.emission.trino.text import NOT_THE_SAME, relation_text
from lakeschema.translation.emission.trino.view import trino_view_of
from lakeschema.translation.model.interface import Interface, Options, Overflow
from lakeschema.translation.plan.relations import Plan
from tests.judges.compared_values import from_spark, from_trino, in_no_order
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
from tests.judges.views.elsewhere import EmissionJudge, Rows, Written
from tests.judges.views.in_spark import SparkJudge
from tests.lakeschema.translation.growing.tables import Table, unchanged, with_extremes
from tests.lakeschema.translation.growing.views import RandomView

_FAULT = "Spark fails itself: "
_TOO_MUCH = frozenset({"EXCEEDED_TIME_LIMIT", "EXCEEDED_LOCAL_MEMORY_LIMIT", "EXCEEDED_CPU_LIMIT"})
_MALFORMED = re.compile(r"\[CAST_INVALID_INPUT\] The value ('[^']+')")


class TrinoJudge(EmissionJudge[TrinoQuery]):
    """Trino has the tables' rows in its memory."""

    # What wraps in Spark has to be computed: refusing it is another option's work.
    _options = Options(overflow=Overflow.WRAP)

    def __init__(
        self, spark: SparkSession, trino: Trino, tables: int | Sequence[Table] = 40
    ) -> None:
        """``tables``: so many random ones with extreme values, or these."""
        changed = with_extremes if isinstance(tables, int) else unchanged
        super().__init__(spark, SparkJudge(spark, tables, changed))
        self._trino = trino
        self._asking = ThreadPoolExecutor(1)
        create_tables(trino, {table.name: self._rows_of(table) for table in self._spark.tables})

    def _query(
        self,
        relation: Relation,
        plan: Plan,
        names: Sequence[str],
        upstreams: Mapping[RelationName, Interface],
        named: Callable[[RelationName], str],
    ) -> TrinoQuery:
        return trino_view_of(relation, plan, names, upstreams, self._options, named)

    def _table(self, name: RelationName) -> str:
        return relation_text(name, {})

    def _verdict(self, view: RandomView, *, ansi: bool) -> Verdict:
        read = self._read(view, ansi=ansi)
        if isinstance(read, Verdict):
            return read
        frame, written = read
        query = written.query
        asked = self._asking.submit(self._asked, query)
        expected = self._sparks_rows(frame, query)
        verdict = self._compared(written, expected, asked)
        if not verdict.is_wrong:
            return verdict
        # Spark's optimiser skips what cannot matter, and so what would raise, or computes it although
        # no row has it; and it has faults of its own.
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
        if isinstance(expected, Refused) and expected.message.startswith((_FAULT, "[UNSUPPORTED_")):
            return Verdict(NOT_READ, expected.message)
        if problem := _columns_differ(query, got):
            return Verdict(OTHER_TYPES, problem)
        types = [column.type for column in query.columns]
        found = [from_trino(row, types) for row in got.rows]
        if isinstance(expected, Refused):
            return Verdict(DOES_NOT_RAISE, f"{expected.message}\n  {found}")
        if not _same(in_no_order(expected), in_no_order(found)):
            return Verdict(OTHER_ROWS, f"{expected}\n  {found}")
        if written.ordered and not _same(expected, found):
            return Verdict(OTHER_ORDER, f"{expected}\n  {found}")
        return Verdict(EQUAL)

    def _is_undetermined(
        self, view: RandomView, query: TrinoQuery, expected: Rows | Refused
    ) -> bool:
        """Whether Spark itself has other rows when those of the tables come in another order."""
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
        return not _same(in_no_order(expected), in_no_order(again))

    def _is_pruned(self, query: TrinoQuery, raised: str) -> bool:
        """Whether nothing is left in Trino's plan of what fails, of the value that Spark names, or of the tables."""
        plan = str(self._trino.answer(f"EXPLAIN {query.sql}").rows)
        if "VALUES" not in query.sql and "TableScan" not in plan:
            return True
        named = _MALFORMED.match(raised)
        parts = [("fail(", "fail("), ("CAST(trim(", "trim(")]
        if named is not None:
            parts.append((named[1], named[1]))
        return any(part in query.sql and left not in plan for part, left in parts)

    def _asked(self, query: TrinoQuery) -> TrinoAnswer | Refused:
        try:
            return self._trino.answer(query.sql)
        except Refused as error:
            return error

    def _sparks_rows(self, frame: DataFrame, query: TrinoQuery) -> Rows | Refused:
        """Collected with days and moments as texts, since Python has not all of them."""
        names = [f"k{place}" for place in range(len(query.columns))]
        types = [_collectable(column.type) for column in query.columns]
        items = [
            f"CAST({name} AS {sparks_type(type_)})" if type_ != column.type else name
            for name, type_, column in zip(names, types, query.columns, strict=True)
        ]
        try:
            with self._in_time():
                rows = frame.toDF(*names).selectExpr(*items).collect()
        except (PySparkException, Py4JJavaError) as error:
            return Refused(TOO_MANY if "cancelled" in str(error)[:2000] else _reason(error))
        except TypeError as error:
            # A map whose keys are lists.
            return Refused(f"[UNSUPPORTED_IN_PYTHON] {error}")
        return [from_spark(tuple(row), types) for row in rows]

    def _rows_of(self, table: Table) -> Mapping[str, object]:
        # Collected as Python's values maps would lose the order of their keys.
        rows = self._session.table(table.name).toArrow().to_pylist()
        return {
            "columns": [(name, print_type(type_)) for name, type_ in table.columns],
            "rows": [
                [json_value(row[name], type_) for name, type_ in table.columns] for row in rows
            ],
        }


def _refused(expected: Rows | Refused, error: Refused) -> Verdict:
    """Trino raises, as Spark does or for a reason that is written in the text."""
    if error.name in _TOO_MUCH:
        return Verdict(TOO_MANY)
    if error.kind == "INTERNAL_ERROR":
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
"""Errors of Trino's that are of a text, whatever the rows."""


def _columns_differ(query: TrinoQuery, got: TrinoAnswer) -> str:
    said = [(c.name, _words(t)) for c, t in zip(query.columns, query.types, strict=True)]
    found = [(name, _words(type_)) for name, type_ in got.columns]
    return "" if said == found else f"{said}\n  {found}"


def _words(type_: str) -> str:
    """A type without the blanks and quotes that Trino shows or not."""
    return type_.replace('"', "").replace(" ", "").lower()


def _collectable(type_: ColumnType) -> ColumnType:
    match type_:
        case ArrayType(element, nullable):
            return ArrayType(_collectable(element), nullable)
        case MapType(key, value, nullable):
            return MapType(_collectable(key), _collectable(value), nullable)
        case StructType(fields):
            return StructType(tuple(replace(f, type=_collectable(f.type)) for f in fields))
        case CharType() | VarcharType():
            return STRING
        case _:
            is_moment = type_ in (DATE, TIMESTAMP, TIMESTAMP_NTZ) or time_digits(type_) is not None
            return STRING if is_moment else type_


def _same(one: Rows, other: Rows) -> bool:
    return len(one) == len(other) and all(map(_alike, one, other))


def _alike(one: object, other: object) -> bool:
    """Sums of doubles differ with their order in the last digits."""
    if isinstance(one, float) and isinstance(other, float):
        return repr(one) == repr(other) or math.isclose(one, other, rel_tol=1e-9)
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(_alike, one, other))
    return type(one) is type(other) and one == other


def _reason(error: PySparkException | Py4JJavaError) -> str:
    """Spark's own words; of an error without any, which is none of the view's, what was thrown."""
    if isinstance(error, PySparkException):
        text = str(error).partition("\n")[0][:200]
        is_fault = False
    else:
        thrown = error.java_exception
        while thrown.getCause() is not None:
            thrown = thrown.getCause()
        text = str(thrown.toString()).partition("\n")[0][:200]
        is_fault = not text.startswith("org.apache.spark.Spark") or "[" not in text
    return f"{_FAULT}{text}" if is_fault or "[INTERNAL_ERROR" in text else text
