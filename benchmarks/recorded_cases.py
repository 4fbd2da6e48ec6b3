"""Recorded views, compared with their own engines: ``make bench-cases CASES=path``.

The file is a list of {"id", "module", "tables", "views", "functions", "expect"}. Each view's names
and types are compared with those of its dialect's engine (Hive 4.0.1, Spark 4). So are the rows of the
emitted Spark SQL over generated tables. The ``spark_sql`` of an expectation counts as a view in Spark's
dialect, too. Exit status: 0 all equal, 1 some differ.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from deploy.refused import Refused
from lakeschema.catalog.column_types import parse_type, print_type
from lakeschema.catalog.errors import CatalogError
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect
from lakeschema.translation.deriving.derivation import upstreams_of
from lakeschema.translation.emission.spark.query import SparkQuery
from lakeschema.translation.emission.spark.text import type_text
from lakeschema.translation.emission.spark.view import spark_view
from lakeschema.translation.model.errors import TranslationError
from lakeschema.translation.model.interface import Options, Returns
from lakeschema.translation.requests.option_values import read_udf
from tests.judges.recorded.asked_case import AskedCase, with_names
from tests.judges.recorded.engines import Hive, NoRows, Rows, Spark, StandIn, engines
from tests.judges.recorded.questions import Question, questions_of
from tests.judges.verdicts import (
    BOTH_RAISE,
    BOTH_REFUSE,
    EQUAL,
    EQUAL_TYPES,
    NOT_ASKED,
    NOT_DERIVED,
    NOT_READ,
    NOT_STORED,
    OTHER_ROWS,
    OTHER_TYPES,
    REFUSED_TEXT,
    UNDETERMINED,
    WITHOUT_ALIAS,
    Verdict,
)


class _Verdicts(NamedTuple):
    types: Verdict
    rows: Verdict


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=Path)
    parser.add_argument("--udfs", type=Path, help='JSON: class to {"returns": TYPE}, as in batches')
    parser.add_argument("--only", default="", help="cases whose id has this text")
    chosen = parser.parse_args()
    logging.disable(logging.ERROR)
    declared = json.loads(chosen.udfs.read_text()) if chosen.udfs else {}
    udfs = {name: read_udf(name, value) for name, value in declared.items()}
    asked = [
        q for q in questions_of(json.loads(chosen.cases.read_text())) if chosen.only in q.label
    ]
    verdicts: list[tuple[Question, _Verdicts]] = []
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        engines(Path(folder)) as (hive, spark),
    ):
        for question in asked:
            verdict = _Case(question, Options(udfs=udfs), hive, spark).verdict()
            if question.text is not None and verdict.types.outcome == WITHOUT_ALIAS:
                # The text cannot be a view, but as a query it has types and rows in Spark.
                named = with_names(question, spark)
                verdict = _Case(named, Options(udfs=udfs), hive, spark).verdict()
            verdicts.append((question, verdict))
            if (verdict.types, verdict.rows) != (Verdict(EQUAL_TYPES), Verdict(EQUAL)):
                _show(question, verdict)
    _print_table(verdicts)
    return int(any(verdict.is_wrong for _, found in verdicts for verdict in found))


class _Case:
    """One question to the translation core and to the engine."""

    def __init__(self, question: Question, options: Options, hive: Hive, spark: Spark) -> None:
        self._question = question
        self._options = options
        self._spark = spark
        self._asked = AskedCase(question, options, hive, spark)

    def verdict(self) -> _Verdicts:
        name = self._question.view
        missing_class = self._asked.find_stand_ins()
        try:
            ours = self._asked.interface(name)
        except (CatalogError, TranslationError) as error:
            return self._verdict_on_refusal(f"{type(error).__name__}: {error}")
        if missing_class:
            not_asked = Verdict(NOT_ASKED, f"no function stands in for {missing_class}")
            return _Verdicts(not_asked, not_asked)
        columns = [(column.name, print_type(column.type)) for column in ours.columns]
        try:
            theirs = self._asked.engine_columns()
        except Refused as error:
            refused = Verdict(NOT_READ, f"the engine: {error}\n    ours: {columns}")
            return _Verdicts(refused, self._run_emitted_alone())
        differing = _differences(columns, theirs, self._question.dialect)
        types = Verdict(OTHER_TYPES, differing) if differing else Verdict(EQUAL_TYPES)
        return _Verdicts(types, self._compare_rows())

    def _verdict_on_refusal(self, reason: str) -> _Verdicts:
        try:
            theirs = self._asked.engine_columns()
        except Refused as error:
            outcome = WITHOUT_ALIAS if "WITHOUT_ALIAS" in str(error) else BOTH_REFUSE
            types = Verdict(outcome, f"{reason}\n    the engine: {error}")
        else:
            types = Verdict(NOT_DERIVED, f"{reason}\n    the engine: {theirs}")
        return _Verdicts(types, Verdict(NOT_ASKED))

    def _compare_rows(self) -> Verdict:
        try:
            query = self._emit()
        except TranslationError as error:
            return Verdict(NOT_DERIVED, f"{type(error).__name__}: {error}")
        try:
            expected = self._engine_rows(query)
        except NoRows as error:
            return Verdict(NOT_STORED, str(error))
        except Refused as error:
            return self._also_refused(query, error)
        try:
            found = self._spark_rows(query)
            analysed = self._spark.columns(query.sql, query.settings)
        except Refused as error:
            return Verdict(REFUSED_TEXT, f"Spark refuses {query.sql}: {error}")
        if found != expected:
            again = (self._engine_rows(query), self._engine_rows(query, backwards=True))
            if any(rows != expected for rows in again):
                return Verdict(UNDETERMINED)
            lost = [row for row in expected if row not in found][:3]
            more = [row for row in found if row not in expected][:3]
            return Verdict(OTHER_ROWS, f"lost {lost}\n    more {more}\n    {query.sql}")
        wanted = _spark_columns(query)
        if analysed != wanted:
            return Verdict(
                OTHER_TYPES, f"Spark says {analysed}\n    we say {wanted}\n    {query.sql}"
            )
        return Verdict(EQUAL)

    def _run_emitted_alone(self) -> Verdict:
        """The verdict if there are no rows to compare: whether the emitted text runs."""
        try:
            query = self._emit()
        except TranslationError as error:
            return Verdict(NOT_DERIVED, f"{type(error).__name__}: {error}")
        try:
            self._spark_rows(query)
        except NoRows as error:
            return Verdict(NOT_STORED, str(error))
        except Refused as error:
            return Verdict(BOTH_REFUSE, f"{error}\n    {query.sql}")
        return Verdict(NOT_ASKED)

    def _also_refused(self, query: SparkQuery, error: Refused) -> Verdict:
        """An engine may refuse rows, such as text that is not a number; so must the emitted text."""
        try:
            self._spark_rows(query)
        except Refused as same:
            return Verdict(BOTH_RAISE, f"the engine: {error}\n    ours: {same}")
        return Verdict(NOT_READ, f"the engine: {error}")

    def _engine_rows(self, query: SparkQuery, *, backwards: bool = False) -> Rows:
        columns = [(column.name, column.type) for column in query.columns]
        return self._asked.engine_rows(columns, backwards=backwards)

    def _spark_rows(self, query: SparkQuery) -> Rows:
        self._asked.fill_spark()
        self._make_upstream_views(self._question.view)
        self._make_functions(query)
        return self._spark.rows(query.sql, query.settings, query.columns)

    def _make_functions(self, query: SparkQuery) -> None:
        for udf in query.udfs:
            returns = self._options.udfs[udf.class_name]
            assert isinstance(returns, Returns)
            self._spark.make_function(StandIn(udf.name, returns.type))

    def _emit(self, name: RelationName | None = None) -> SparkQuery:
        relation = self._asked.relations[name or self._question.view]
        upstreams = {u: self._asked.interface(u) for u in upstreams_of(relation, self._options)}
        return spark_view(relation, upstreams, self._options)

    def _make_upstream_views(self, name: RelationName) -> None:
        for upstream in upstreams_of(self._asked.relations[name], self._options):
            if self._asked.relations[upstream].is_view:
                self._make_upstream_views(upstream)
                query = self._emit(upstream)
                self._make_functions(query)
                self._spark.make_view(upstream, query)


def _spark_columns(query: SparkQuery) -> list[tuple[str, str]]:
    """The columns expected from Spark, whose expressions lack char and varchar."""
    return [(c.name, print_type(parse_type(type_text(c.type)))) for c in query.columns]


def _differences(
    ours: Sequence[tuple[str, str]], theirs: Sequence[tuple[str, str]], dialect: Dialect
) -> str:
    """Compares names; for Hive, which lower-cases all names, without case."""
    if dialect is Dialect.HIVE:
        ours = [(name.lower(), type_.lower()) for name, type_ in ours]
    if len(ours) != len(theirs):
        return f"ours {ours}, the engine's {theirs}"
    pairs = zip(ours, theirs, strict=True)
    return "\n    ".join(f"ours {mine}, the engine's {its}" for mine, its in pairs if mine != its)


def _show(question: Question, verdict: _Verdicts) -> None:
    print(f"{question.label}: types: {verdict.types.outcome}; rows: {verdict.rows.outcome}")
    for found in verdict:
        if found.details:
            print(f"    {found.details}")
    sys.stdout.flush()


def _print_table(verdicts: Sequence[tuple[Question, _Verdicts]]) -> None:
    for what in _Verdicts._fields:
        print(f"\n{what}")
        for kind in dict.fromkeys(question.kind for question, _ in verdicts):
            found = Counter(getattr(v, what).outcome for q, v in verdicts if q.kind == kind)
            shown = ", ".join(f"{number} {outcome}" for outcome, number in found.most_common())
            print(f"{kind:<22}{found.total():>5}: {shown}")


if __name__ == "__main__":
    sys.exit(main())
