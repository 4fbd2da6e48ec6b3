"""Turns the statements of a log into rows of flat tables, one table for each analysis.

An unreadable statement is a row with the reason. Repeated statements over unchanged tables are
answered from a cache.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from lakeschema.analysis.answers_remembered import LookedUp, RememberedAnswers
from lakeschema.analysis.catalog import Source, as_text
from lakeschema.analysis.column_access import column_access
from lakeschema.analysis.column_lineage import RelationLineage, column_lineage
from lakeschema.analysis.conventions import Conventions
from lakeschema.analysis.dataflow import Dataflow, dataflow_step
from lakeschema.analysis.fingerprints import Fingerprints
from lakeschema.analysis.joins import joins
from lakeschema.analysis.scripts import Analysed, analyse
from lakeschema.analysis.statements_logged import LoggedStatement
from lakeschema.analysis.sub_queries import sub_queries
from lakeschema.analysis.syntax.dialects import UnknownDialect, grammar_of
from lakeschema.analysis.table_access import table_access
from lakeschema.analysis.table_lineage import compose, table_lineage
from lakeschema.analysis.timeline import Timeline
from lakeschema.analysis.tracing import BaseColumn

Row: TypeAlias = tuple[str, ...]
TABLES: Final[Mapping[str, tuple[str, ...]]] = {
    "statements": ("verb", "succeeded"),
    "table_access": ("relation", "access"),
    "column_access": ("relation", "column", "clause"),
    "joins": ("relation", "column", "other_relation", "other_column"),
    "table_lineage": ("target", "source"),
    "column_lineage": ("target", "column", "source", "source_column", "kind", "clause"),
    "sub_queries": ("fingerprint", "kind", "shape", "tables"),
    "catalog_updates": ("change", "relation", "reason"),
    "failures": ("error", "message", "text"),
}
"""The columns of each table after those of the statement; commas separate ``tables``."""
_MAX_TEXT: Final = 2_000


@dataclass(frozen=True, slots=True)
class Found:
    """The answer for one statement: rows by table, and its dataflow.

    Attributes:
        number: the number of the answer in its ``LogAnalysis``, from 1; a cached answer keeps its
            number.
    """

    number: int
    rows: tuple[tuple[str, Row], ...]
    dataflow: Dataflow


class Learnt:
    """Cached results of one analysis; another analysis with the same conventions may use them."""

    def __init__(self) -> None:
        self.fingerprints = Fingerprints()
        self.answers = RememberedAnswers[Found]()


class LogAnalysis:
    """Analyses the statements of one log, in any order."""

    def __init__(
        self,
        timeline: Timeline,
        conventions: Conventions | None = None,
        learnt: Learnt | None = None,
    ) -> None:
        self._timeline = timeline
        self._conventions = conventions or Conventions()
        self._learnt = learnt or Learnt()
        self._count = 0
        self.remembered = 0

    def found(self, statement: LoggedStatement) -> Found:
        """The answer for one statement. Never raises for the statement's content."""
        catalog = self._timeline.at(statement.position, statement.session, statement.namespace)
        try:
            grammar = grammar_of(statement.dialect)
        except UnknownDialect as error:
            self._count += 1
            return Found(self._count, failed("UnknownDialect", str(error), statement.sql), {})
        answers = self._learnt.answers
        around = (statement.dialect, catalog.namespace, catalog.temporary, statement.succeeded)
        key = (around, self._learnt.fingerprints.of(statement.sql, grammar))
        # A failed statement is cached by its exact text.
        exact = (around, (statement.sql,))
        before = answers.find(key, catalog.tables) or answers.find(exact, catalog.tables)
        if before is not None:
            self.remembered += 1
            return before
        looked_up = LookedUp(catalog.tables)
        analysed = analyse(statement.sql, grammar, replace(catalog, tables=looked_up))
        found = self._of_all(analysed, statement)
        has_failed = any(table == "failures" for table, _ in found.rows)
        answers.add(exact if has_failed else key, looked_up, found)
        return found

    def _of_all(self, analysed: Iterator[Analysed], statement: LoggedStatement) -> Found:
        rows: list[tuple[str, Row]] = []
        steps: list[Dataflow] = []
        for each in analysed:
            if each.resolved is None:
                assert each.error is not None
                rows += failed(type(each.error).__name__, str(each.error), each.text)
                continue
            step = table_lineage(each.resolved, self._conventions)
            if statement.succeeded:
                steps.append(dataflow_step(each.resolved, step, each.before))
            rows += self._rows(each, step, succeeded=statement.succeeded)
        if not rows:
            rows += failed("NoStatement", "the text has no statement", statement.sql)
        self._count += 1
        return Found(self._count, tuple(rows), compose(steps))

    def _rows(
        self, analysed: Analysed, step: Dataflow, *, succeeded: bool
    ) -> Iterator[tuple[str, Row]]:
        resolved, conventions = analysed.resolved, self._conventions
        assert resolved is not None
        yield "statements", (resolved.verb, "true" if succeeded else "false")
        for access, source in table_access(resolved, conventions):
            yield "table_access", (as_text(source), access.value)
        for column, clause in column_access(resolved, conventions):
            yield "column_access", (*_column(column), clause.value)
        for first, second in joins(resolved, conventions):
            yield "joins", (*_column(first), *_column(second))
        for target, sources in step.items():
            # An emptied table has a row without a source.
            for text in [as_text(source) for source in sources] or [""]:
                yield "table_lineage", (as_text(target), text)
        for lineage in column_lineage(resolved, conventions):
            yield from _lineage_rows(lineage)
        for part in sub_queries(resolved):
            row = (part.fingerprint, part.kind.value, part.shape, ",".join(part.tables))
            yield "sub_queries", row
        for update in analysed.updates:
            relation = "" if update.relation is None else str(update.relation)
            yield "catalog_updates", (update.change.value, relation, update.reason)


def _lineage_rows(lineage: RelationLineage) -> Iterator[tuple[str, Row]]:
    target = _source(lineage.target)
    for column in lineage.columns:
        for base in column.direct:
            row = (target, column.column, *_column(base), "direct", "")
            yield "column_lineage", row
        for clause, base in column.indirect:
            row = (target, column.column, *_column(base), "indirect", clause.value)
            yield "column_lineage", row
    for clause, base in lineage.rows:
        # A column that affects the rows affects every column; it is listed once.
        yield "column_lineage", (target, "", *_column(base), "rows", clause.value)


def _column(column: BaseColumn) -> tuple[str, str]:
    return _source(column.source), ".".join((column.column, *column.path))


def _source(source: Source | None) -> str:
    return "" if source is None else as_text(source)


def failed(error: str, message: str, text: str) -> tuple[tuple[str, Row], ...]:
    return (("failures", (error, message, text[:_MAX_TEXT])),)
