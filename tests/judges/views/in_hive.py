"""Compares Hive's rows of the HiveQL emitted for a Spark view with Spark's rows of the view.

Both read the same ORC files. The text for Hive includes the views that the view reads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

from pyspark.sql import DataFrame, SparkSession

from deploy.hive import HiveQueries
from deploy.refused import Refused
from lakeschema.catalog.column_types import DATE, TIMESTAMP, ColumnType, print_type
from lakeschema.translation.emission.hive.query import HiveQuery
from lakeschema.translation.emission.hive.text import NOT_THE_SAME
from lakeschema.translation.emission.hive.text import relation as hives_name
from lakeschema.translation.emission.hive.view import hive_view_of
from tests.judges.collected import as_hive_prints
from tests.judges.compared_values import Row, Rows, in_its_era, in_no_order
from tests.judges.engines.hive import HiveEngine, as_texts, external_table
from tests.judges.engines.protocol import Engine, ReadAs, answer_or_refusal
from tests.judges.verdicts import (
    BOTH_RAISE,
    DOES_NOT_RAISE,
    EQUAL,
    FAILS,
    NOT_READ,
    OTHER_ORDER,
    OTHER_ROWS,
    OTHER_TYPES,
    RAISES_ALONE,
    REFUSED_TEXT,
    TOO_MANY,
    WITHOUT_RULES,
    Verdict,
)
from tests.judges.views.elsewhere import EmissionJudge, Written
from tests.judges.views.in_spark import SparkJudge
from tests.lakeschema.translation.growing.tables import Table, unchanged, with_extremes
from tests.lakeschema.translation.growing.views import RandomView

_OF_TEXT = "the text does not compile"


class HiveJudge(EmissionJudge[HiveQuery]):
    """Both engines read the tables from the same files."""

    def __init__(
        self,
        spark: SparkSession,
        hive: HiveQueries,
        folder: Path,
        tables: int | Sequence[Table] = 40,
    ) -> None:
        """``tables``: a number of random tables with extreme values, or these. ``folder`` has the files."""
        self._hive: Engine = HiveEngine(hive)
        self._of_jobs = isinstance(tables, int)
        changed = _with_extremes if isinstance(tables, int) else unchanged
        super().__init__(spark, SparkJudge(spark, tables, changed))
        for table in self._spark.tables:
            location = folder / table.name
            spark.table(table.name).write.orc(str(location))
            columns = ", ".join(f"`{name}` {print_type(type_)}" for name, type_ in table.columns)
            hive.answer(external_table(f"`{table.name}`", columns, location.as_uri()))

    _query = staticmethod(hive_view_of)
    _table = staticmethod(hives_name)
    _shown = staticmethod(as_hive_prints)

    def _verdict(self, view: RandomView, *, ansi: bool) -> Verdict:
        read = self._read(view, ansi=ansi)
        if isinstance(read, Verdict):
            return read
        frame, written = read
        got = self._hives(written.query)
        verdict = _compared(written, self._expected(frame, written.query), got)
        if not verdict.is_wrong:
            return verdict
        # Spark's optimiser skips expressions without effect, even if they would raise an error.
        with self._spark.unhurried():
            again = self._analysed(view)
            assert isinstance(again, DataFrame)
            other = _compared(written, self._expected(again, written.query), got)
        if not other.is_wrong:
            return replace(other, outcome=WITHOUT_RULES) if other.outcome == EQUAL else other
        return replace(verdict, details=f"{verdict.details}\n  {view}\n  {written.query.sql}")

    def _expected(self, frame: DataFrame, query: HiveQuery) -> Rows | Refused:
        rows = self._sparks_rows(frame, query)
        return rows if isinstance(rows, Refused) else self._all_plain(rows, query.columns)

    def _hives(self, query: HiveQuery) -> Rows | Refused | Verdict:
        compiled = answer_or_refusal(self._hive.columns, query.sql)
        if isinstance(compiled, Refused):
            return replace(compiled, message=compiled.message[:300], kind=_OF_TEXT)
        types = [print_type(column.type).lower() for column in compiled]
        if types != [type_.replace("`", "").lower() for type_ in query.types]:
            return Verdict(OTHER_TYPES, f"{types} instead of {query.types}")
        columns = tuple(replace(column, name=f"x{i}") for i, column in enumerate(compiled))
        renamed = ", ".join(f"`{c.name}` AS x{i}" for i, c in enumerate(query.columns))
        text = f"SELECT {renamed} FROM ({query.sql}) p"
        try:
            rows = self._hive.rows(query.sql if as_texts(text, columns) == text else text, columns)
        except Refused as error:
            return replace(error, message=error.message[:300])
        except ValueError as error:
            return Verdict(OTHER_ROWS, f"Hive's rows cannot be read: {error}")
        return self._all_plain(rows, columns)

    def _all_plain(self, rows: Rows, columns: ReadAs) -> Rows:
        types = [column.type for column in columns]
        return [self._plain(row, types) for row in rows]

    def _plain(self, row: Row, types: Sequence[ColumnType]) -> Row:
        """Values as both print them; random views run as jobs, which change values with parts."""
        shown = tuple(_shown(value, type_) for value, type_ in zip(row, types, strict=True))
        inside = tuple(_as_jobs_leave_it(value) for value in shown)
        if self._of_jobs:
            return inside
        # A call over a column runs without a job: there an empty array is not null.
        return tuple(
            () if v is not None and i is None else i for v, i in zip(shown, inside, strict=True)
        )


def _with_extremes(random: Random, table: Table) -> Table:
    """A table with extreme values, without tabs and line ends in texts, which separate Hive's output."""
    found = with_extremes(random, table)
    return replace(found, rows=tuple(row.replace("a\\tb\\nc", "a b c") for row in found.rows))


def _compared(
    written: Written[HiveQuery], expected: Rows | Refused, got: Rows | Refused | Verdict
) -> Verdict:
    if isinstance(got, Verdict):
        return got
    if expected == Refused(TOO_MANY):
        return Verdict(TOO_MANY)
    if isinstance(got, Refused):
        if isinstance(expected, Refused):
            return Verdict(BOTH_RAISE)
        if got.kind == _OF_TEXT:
            return Verdict(REFUSED_TEXT, got.message)
        fails = NOT_THE_SAME in written.query.sql
        return Verdict(FAILS if fails else RAISES_ALONE, got.message)
    if isinstance(expected, Refused):
        is_fault = not written.ansi and expected.name.startswith("NUMERIC_VALUE_OUT_OF_RANGE")
        outcome = NOT_READ if is_fault else DOES_NOT_RAISE
        return Verdict(outcome, f"{expected}\n  {got}")
    if "collect_set(" in written.query.sql:
        expected, got = _in_no_order_inside(expected), _in_no_order_inside(got)
    if in_no_order(expected) != in_no_order(got):
        return Verdict(OTHER_ROWS, f"{expected}\n  {got}")
    if written.ordered and list(expected) != list(got):
        return Verdict(OTHER_ORDER, f"{expected}\n  {got}")
    return Verdict(EQUAL)


def _in_no_order_inside(rows: Rows) -> Rows:
    return [
        tuple(tuple(sorted(v, key=repr)) if isinstance(v, tuple) else v for v in row)
        for row in rows
    ]


def _shown(value: object, type_: ColumnType) -> object:
    """Dates and timestamps with long years, or before the year 1, as both print them."""
    if type_ in (DATE, TIMESTAMP) and isinstance(value, str):
        return in_its_era(value.removeprefix("+"))
    return value


def _as_jobs_leave_it(value: object) -> object:
    """Hive's shuffles and job files turn values with no part, one null or one empty text into null."""
    if not isinstance(value, tuple):
        return value
    parts = tuple(map(_as_jobs_leave_it, value))
    return None if not parts or parts in (("",), (None,)) else parts
