"""Recorded views, run in Trino: ``make bench-cases-in-trino CASES=path``.

The file and its views are those of ``recorded_cases``. Trino 476 runs our SQL for each view, and
sqlglot's, over generated rows. Both are compared with the rows of the view's own engine (Hive 4.0.1,
Spark 4). Views that a view reads are created in Trino with text from the same writer. Exit status: 0 if
none of our SQL fails or has other rows.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import sqlglot

from deploy.refused import Refused
from lakeschema.catalog.column_types import parse_type
from lakeschema.catalog.errors import CatalogError
from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.deriving.derivation import upstreams_of
from lakeschema.translation.emission.trino.text import NOT_THE_SAME
from lakeschema.translation.emission.trino.view import trino_view
from lakeschema.translation.model.errors import TranslationError
from lakeschema.translation.model.interface import Options, Overflow
from lakeschema.translation.requests.option_values import read_udf
from tests.judges.engines.protocol import Columns, nullable
from tests.judges.recorded.asked_case import AskedCase, with_names
from tests.judges.recorded.engines import Hive, NoRows, Rows, Spark, engines
from tests.judges.recorded.in_trino import CaseTrino, case_trino
from tests.judges.recorded.questions import Question, questions_of
from tests.judges.verdicts import (
    ANY_ORDER,
    BOTH_REFUSE,
    DOES_NOT_RAISE,
    EQUAL,
    NOT_READ,
    NOT_STORED,
    OTHER_ROWS,
    REFUSED_TEXT,
    UNDETERMINED,
    UNSUPPORTED,
    Verdict,
)

_NO_ALIAS = "WITHOUT_ALIAS"


class _NotWritten(Exception):
    """A writer has no text for Trino; the message is its reason."""


Writer = Callable[[AskedCase, RelationName], str]


@dataclass(frozen=True, slots=True)
class _Expected:
    """The engine's answer: rows with their columns, or the reason of its refusal."""

    columns: Columns
    rows: Rows | None
    refusal: str = ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=Path)
    parser.add_argument("--udfs", type=Path, help='JSON: class to {"returns": TYPE}, as in batches')
    parser.add_argument("--only", default="", help="cases whose id has this text")
    chosen = parser.parse_args()
    logging.disable(logging.ERROR)
    declared = json.loads(chosen.udfs.read_text()) if chosen.udfs else {}
    # Overflows that wrap in Hive, such as sums of extreme values, have to be computed.
    options = Options(
        udfs={name: read_udf(name, value) for name, value in declared.items()},
        overflow=Overflow.WRAP,
    )
    cases = json.loads(chosen.cases.read_text())
    asked = [q for q in questions_of(cases) if chosen.only in q.label]
    counts: Counter[tuple[str, str, str]] = Counter()
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        engines(Path(folder)) as (hive, spark),
        case_trino(Path(folder) / "trino", spark.data) as trino,
    ):
        judge = _Judge(hive, spark, trino, options)
        for question in asked:
            for writer, verdict in judge.verdicts(question):
                counts[writer, question.kind, verdict.outcome] += 1
    _print_table(counts)
    return int(any(writer == "ours" and Verdict(outcome).is_wrong for writer, _, outcome in counts))


class _Judge:
    def __init__(self, hive: Hive, spark: Spark, trino: CaseTrino, options: Options) -> None:
        self._hive = hive
        self._spark = spark
        self._trino = trino
        self._options = options

    def verdicts(self, question: Question) -> Iterator[tuple[str, Verdict]]:
        """Each writer's verdict; for a view that is not asked, one verdict with the reason."""
        case = AskedCase(question, self._options, self._hive, self._spark)
        try:
            case.find_stand_ins()
            _derive_tables(case)
            expected = _expected(case)
            self._trino.fill(case.whole_tables())
            self._make_functions(case)
        except (CatalogError, Refused) as error:
            if question.text is not None and not question.names and _NO_ALIAS in str(error):
                yield from self.verdicts(with_names(question, self._spark))
                return
            reason = NOT_STORED if isinstance(error, NoRows) else NOT_READ
            print(f"{question.label}: {reason}: {error}")
            for writer in _WRITERS:
                yield writer, Verdict(reason)
            return
        for writer, text in _WRITERS.items():
            verdict = self._verdict(case, text, expected)
            if verdict.outcome != EQUAL and (writer == "ours" or verdict.outcome == OTHER_ROWS):
                print(f"{question.label}: {writer}: {verdict.outcome}")
                print(f"    {verdict.details}", flush=True)
            yield writer, verdict

    def _verdict(self, case: AskedCase, writer: Writer, expected: _Expected) -> Verdict:
        try:
            self._trino.drop_views()
            self._make_upstream_views(case, writer, case.question.view)
            sql = writer(case, case.question.view)
        except (_NotWritten, TranslationError) as error:
            return Verdict(UNSUPPORTED if expected.rows is not None else BOTH_REFUSE, str(error))
        except Refused as error:
            return Verdict(REFUSED_TEXT, f"{error}\n    {error.sql}")
        try:
            rows = self._trino.rows(sql, expected.columns)
        except Refused as error:
            return _on_refusal(error, expected, sql)
        except (ValueError, TypeError, ArithmeticError) as error:
            outcome = DOES_NOT_RAISE if expected.rows is None else OTHER_ROWS
            return Verdict(outcome, f"other columns: {error}\n    {sql}")
        if expected.rows is None:
            return Verdict(DOES_NOT_RAISE, f"{expected.refusal}\n    {rows[:3]}\n    {sql}")
        if rows == expected.rows:
            return Verdict(EQUAL)
        if _has_sets(case) and _of_sets(rows) == _of_sets(expected.rows):
            return Verdict(ANY_ORDER)
        if not _is_determined(case, expected):
            return Verdict(UNDETERMINED)
        lost = [row for row in expected.rows if row not in rows][:3]
        more = [row for row in rows if row not in expected.rows][:3]
        return Verdict(OTHER_ROWS, f"lost {lost}\n    more {more}\n    {sql}")

    def _make_functions(self, case: AskedCase) -> None:
        """Creates functions under the names that the text calls, and those that we write for their classes."""
        for stand_in in case.stand_ins:
            class_name = case.question.functions[stand_in.function]
            for name in (stand_in.function, class_name.rpartition(".")[2]):
                self._trino.make_function(name, stand_in.returns)

    def _make_upstream_views(self, case: AskedCase, writer: Writer, name: RelationName) -> None:
        for upstream in upstreams_of(case.relations[name], case.options):
            if case.relations[upstream].is_view:
                self._make_upstream_views(case, writer, upstream)
                self._trino.make_view(upstream, writer(case, upstream))


def _derive_tables(case: AskedCase) -> None:
    """Derives all tables, so that they have rows even if the view cannot be derived."""
    for name, relation in case.relations.items():
        if not relation.is_view:
            case.interface(name)


def _expected(case: AskedCase) -> _Expected:
    """The answer of the view's own engine.

    Raises:
        Refused: the engine refuses the view.
    """
    columns = [(name, parse_type(type_)) for name, type_ in case.engine_columns()]
    try:
        return _Expected(nullable(*columns), case.engine_rows(columns))
    except NoRows:
        raise
    except Refused as error:
        return _Expected(nullable(*columns), None, str(error))


def _has_sets(case: AskedCase) -> bool:
    """Whether a text collects a set, whose array has no order."""
    views = [relation.view for relation in case.relations.values()]
    return any(view is not None and "collect_set" in view.text.lower() for view in views)


def _of_sets(rows: Rows) -> list[str]:
    return sorted(repr([_sorted(value) for value in row]) for row in rows)


def _sorted(value: object) -> object:
    return tuple(sorted(map(_sorted, value), key=repr)) if isinstance(value, tuple) else value


def _is_determined(case: AskedCase, expected: _Expected) -> bool:
    columns = [(name, parse_type(type_)) for name, type_ in case.engine_columns()]
    again = (case.engine_rows(columns), case.engine_rows(columns, backwards=True))
    return all(rows == expected.rows for rows in again)


def _on_refusal(error: Refused, expected: _Expected, sql: str) -> Verdict:
    if expected.rows is None:
        return Verdict(BOTH_REFUSE, f"{error}\n    {expected.refusal}")
    refused = error.message.startswith(NOT_THE_SAME)
    return Verdict(UNSUPPORTED if refused else REFUSED_TEXT, f"{error}\n    {sql}")


def _ours(case: AskedCase, name: RelationName) -> str:
    relation = case.relations[name]
    upstreams = {u: case.interface(u) for u in upstreams_of(relation, case.options)}
    return trino_view(relation, upstreams, case.options).sql


def _sqlglots(case: AskedCase, name: RelationName) -> str:
    view = case.relations[name].view
    assert view is not None
    try:
        return sqlglot.transpile(view.text, read=view.dialect.value, write="trino")[0]
    except Exception as error:  # its transpiler may fail in any way
        raise _NotWritten(str(error)) from error


_WRITERS: Mapping[str, Writer] = {"ours": _ours, "sqlglot": _sqlglots}


def _print_table(counts: Counter[tuple[str, str, str]]) -> None:
    for writer in _WRITERS:
        print(f"\n{writer}")
        for kind in dict.fromkeys(kind for _, kind, _ in counts):
            own = {o: n for (w, k, o), n in counts.items() if (w, k) == (writer, kind)}
            shown = ", ".join(f"{n} {o}" for o, n in sorted(own.items(), key=lambda each: -each[1]))
            print(f"{kind:<22}{sum(own.values()):>5}: {shown}")


if __name__ == "__main__":
    sys.exit(main())
