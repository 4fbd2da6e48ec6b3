"""Compares a random view's derivation and emitted text with Spark's analysis and rows of the view."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from deploy.refused import Refused
from lakeschema.catalog.column_types import CharType, VarcharType, print_type
from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect, Relation
from lakeschema.translation.deriving.derivation import derive, derive_view
from lakeschema.translation.emission.spark.query import SparkQuery
from lakeschema.translation.emission.spark.text import quoted
from lakeschema.translation.emission.spark.view import spark_view
from lakeschema.translation.model.errors import TranslationError, Unsupported
from lakeschema.translation.model.interface import Interface, Options
from lakeschema.translation.plan.relations import Plan, PlanColumn
from tests.judges.engines.protocol import answer_or_refusal
from tests.judges.engines.spark import SparkEngine
from tests.judges.sessions import with_settings
from tests.judges.verdicts import (
    BOTH_REFUSE,
    EQUAL,
    NOT_READ,
    NULL_IN_REQUIRED,
    ONE_PLAN,
    OTHER_ROWS,
    OTHER_TYPES,
    RAISES,
    RAISES_ALONE,
    REFUSED_BY_US,
    REFUSED_TEXT,
    TOO_MANY,
    UNSUPPORTED,
    Verdict,
)
from tests.judges.views.reading import TIME, in_mode, view_of
from tests.lakeschema.translation.growing.languages import BOTH, SPARK
from tests.lakeschema.translation.growing.tables import Table, random_table, unchanged
from tests.lakeschema.translation.growing.views import RandomView, random_view

OPTIONS = Options()
_EXCLUDED = "spark.sql.optimizer.excludedRules"
_COMPUTING = ("ConstantFolding", "ConvertToLocalRelation")
_SKIPPING = (
    *("PropagateEmptyRelation", "PruneFilters", "ColumnPruning", "BooleanSimplification"),
    *("SimplifyConditionals", "EliminateLimits", "OptimizeLimitZero", "NullPropagation"),
    *("CollapseProject", "RemoveRedundantAggregates", "LimitPushDown", "PushDownPredicates"),
    *("EliminateOuterJoin", "InferFiltersFromConstraints", "FoldablePropagation"),
)
_MAX_SECONDS = 10.0
_LONG_FRACTION = re.compile(r"-?[0-9]+\.[0-9]{9,}(?:E-?[0-9]+)?")

_ORDER = (ONE_PLAN, EQUAL, RAISES, TOO_MANY)
"""Among the outcomes of a view and the views that it reads, the last in this order counts."""


@dataclass(frozen=True, slots=True)
class Derived:
    relation: Relation
    plan: Plan
    interface: Interface
    emitted: SparkQuery


@dataclass(frozen=True, slots=True)
class SparkVerdict(Verdict):
    """The counts for a view that Spark judges.

    Attributes:
        derived: the derived views, each after the views that it reads.
        looser: columns that only Spark knows to be never null.
    """

    derived: tuple[Derived, ...] = ()
    looser: int = 0


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows without order, each value as Hive prints it."""

    rows: tuple[tuple[str, ...], ...]


class SparkJudge:
    """A lake of random tables in a session; each view over it grows from its own seed."""

    def __init__(
        self,
        spark: SparkSession,
        tables: int | Sequence[Table] = 40,
        changed: Callable[[Random, Table], Table] = unchanged,
    ) -> None:
        """``tables``: a number of random tables, or these; ``changed`` may change their rows."""
        self._spark = spark
        self._engine = SparkEngine(spark, max_seconds=_MAX_SECONDS)
        self._frames: dict[Table, DataFrame] = {}
        # A refusal is an answer here, which PySpark need not log as well.
        logging.getLogger("SQLQueryContextLogger").setLevel(logging.CRITICAL)
        spark.conf.set(TIME, "true")
        random = Random(0)
        if isinstance(tables, int):
            tables = [random_table(random, f"t{number}") for number in range(tables)]
        self.tables = [changed(random, table) for table in tables]
        relations = relations_from_ddl([table.ddl for table in self.tables], Dialect.SPARK)
        self.interfaces = {
            name: derive(relation, {}, OPTIONS).interface for name, relation in relations.items()
        }
        for table in self.tables:
            self.register(table)

    def grown(self, seed: int) -> RandomView:
        random = Random(seed)
        tables = random.sample(self.tables, 3)
        only_both = random.random() < 0.4
        return random_view(random, tables, random.randint(2, 6), BOTH if only_both else SPARK)

    def verdict(self, seed: int) -> SparkVerdict:
        """Judges the view of a seed; even seeds mean ANSI mode."""
        view = self.grown(seed)
        ansi = seed % 2 == 0
        with in_mode(self._spark, ansi=ansi):
            return replace(self._verdict(view, ansi=ansi), constructs=view.constructs)

    def _verdict(self, view: RandomView, *, ansi: bool) -> SparkVerdict:
        known: dict[RelationName, Interface] = dict(self.interfaces)
        done: list[Derived] = []
        looser = 0
        outcome = ONE_PLAN
        for name, text in (*view.below, ("v", view.text)):
            frame = self.analysed(text)
            try:
                derived = _derived(name, text, known, ansi=ansi)
            except TranslationError as error:
                if isinstance(frame, Refused):
                    return SparkVerdict(BOTH_REFUSE, derived=tuple(done), looser=looser)
                if isinstance(error, Unsupported):
                    return SparkVerdict(UNSUPPORTED, error.message)
                return SparkVerdict(REFUSED_BY_US, f"{error}\n  {text}")
            if isinstance(frame, Refused):
                return SparkVerdict(NOT_READ, frame.message)
            comparison = _Comparison(self, text, frame, derived)
            found = comparison.verdict()
            if found.is_wrong:
                return found
            outcome = max(outcome, found.outcome, key=_ORDER.index)
            looser += found.looser
            known[derived.relation.name] = derived.interface
            done.append(derived)
            frame.createOrReplaceTempView(name)
        return SparkVerdict(outcome, derived=tuple(done), looser=looser)

    def register(self, table: Table) -> None:
        if table not in self._frames:
            self._frames[table] = self.table(table)
        self._frames[table].createOrReplaceTempView(table.name)

    def table(self, table: Table, *, empty: bool = False) -> DataFrame:
        """A table's rows; with ``empty``, none."""
        frame = self._spark.sql(table.query)
        return self.local(frame.limit(0) if empty else frame, _with_nulls(frame, table))

    def local(self, frame: DataFrame, schema: str | None = None) -> DataFrame:
        """The frame's rows without its plan, in one partition, so that Spark need not shuffle them."""
        session = self._spark._jsparkSession
        type_ = frame._jdf.schema() if schema is None else session.parseDataType(schema)
        kept = session.createDataFrame(frame._jdf.collectAsList(), type_)
        return DataFrame(kept, self._spark).coalesce(1)

    def analysed(self, text: str) -> DataFrame | Refused:
        found = answer_or_refusal(self._engine.frame, text)
        return Refused(found.reason) if isinstance(found, Refused) else found

    def analysed_over(self, below: Iterable[tuple[str, str]], text: str) -> DataFrame | Refused:
        """The text over temporary views, made in this order; or the first refusal."""
        for name, read in below:
            frame = self.analysed(read)
            if isinstance(frame, Refused):
                return frame
            frame.createOrReplaceTempView(name)
        return self.analysed(text)

    def judged(self, text: str, expected: Rows, outcome: str, shown: str) -> Verdict:
        """``outcome`` if the text has these rows; otherwise ``shown`` is part of the details."""
        frame = self.analysed(text)
        if isinstance(frame, Refused):
            return Verdict(REFUSED_TEXT, f"{frame.message}\n  {shown}")
        found = self.rows(frame)
        if isinstance(found, Refused):
            return Verdict(RAISES_ALONE, f"{found.message}\n  {shown}")
        if found != expected:
            return Verdict(OTHER_ROWS, f"{expected.rows}\n  {found.rows}\n  {shown}")
        return Verdict(outcome)

    def both_rows(
        self, text: str, frame: DataFrame, emitted: str, written: DataFrame
    ) -> tuple[Rows | Refused, Rows | Refused]:
        """The rows of a view's own text and of the emitted one."""
        before, after = self.rows(frame), self.rows(written)
        if type(before) is type(after):
            return before, after
        # Spark may skip unused expressions in one text only: run both again without skipping.
        with self.unhurried():
            again = self.rows(self._spark.sql(text)), self.rows(self._spark.sql(emitted))
        return (before, again[1]) if isinstance(before, Refused) else again

    def unhurried(self) -> AbstractContextManager[None]:
        """Disables Spark's rules that skip expressions without effect on the rows."""
        return self._without((*_COMPUTING, *_SKIPPING))

    def not_beforehand(self) -> AbstractContextManager[None]:
        """Disables Spark's rules that compute at planning time, even if there is no row."""
        return self._without(_COMPUTING)

    def _without(self, rules: Sequence[str]) -> AbstractContextManager[None]:
        shown = ",".join(f"org.apache.spark.sql.catalyst.optimizer.{rule}" for rule in rules)
        return with_settings(self._spark, {_EXCLUDED: shown})

    def rows(self, frame: DataFrame) -> Rows | Refused:
        lines = answer_or_refusal(self._engine.printed, frame)
        if isinstance(lines, Refused):
            return Refused(lines.reason)
        return Rows(tuple(sorted(tuple(map(_steady, line)) for line in lines)))


@dataclass(frozen=True, slots=True)
class _Comparison:
    judge: SparkJudge
    text: str
    frame: DataFrame
    derived: Derived

    def verdict(self) -> SparkVerdict:
        theirs = _columns(self.frame)
        ours = [(c.name.lower(), _spark_type(c)) for c in self.derived.emitted.columns]
        if ours != theirs:
            return self._wrong(OTHER_TYPES, f"{ours}\n  {theirs}")
        written = self.judge.analysed(self.derived.emitted.sql)
        if isinstance(written, Refused):
            return self._wrong(REFUSED_TEXT, written.message)
        if _columns(written) != theirs:
            return self._wrong("types of the emitted text", f"{_columns(written)}\n  {theirs}")
        return self._by_rows(written)

    def _by_rows(self, written: DataFrame) -> SparkVerdict:
        fields = list(zip(self.derived.interface.columns, self.frame.schema.fields, strict=True))
        looser = sum(mine.nullable and not theirs.nullable for mine, theirs in fields)
        required = [
            place
            for place, (mine, theirs) in enumerate(fields)
            if theirs.nullable and not mine.nullable
        ]
        if not required and _is_one_plan(self.frame, written):
            return SparkVerdict(ONE_PLAN, looser=looser)
        emitted = self.derived.emitted.sql
        before, after = self.judge.both_rows(self.text, self.frame, emitted, written)
        if Refused(TOO_MANY) in (before, after):
            return SparkVerdict(TOO_MANY, looser=looser)
        if isinstance(before, Refused):
            return SparkVerdict(RAISES, looser=looser)
        if isinstance(after, Refused):
            return self._wrong(RAISES_ALONE, after.message)
        if before != after:
            return self._wrong(OTHER_ROWS, f"{before.rows}\n  {after.rows}")
        for place in required:
            if any(_is_null(row, place, len(fields)) for row in before.rows):
                return self._wrong(NULL_IN_REQUIRED, fields[place][0].name)
        return SparkVerdict(EQUAL, looser=looser)

    def _wrong(self, outcome: str, details: str) -> SparkVerdict:
        emitted = self.derived.emitted.sql
        return SparkVerdict(outcome, f"{details}\n  {self.text}\n  {emitted}")


def _derived(
    name: str, text: str, known: Mapping[RelationName, Interface], *, ansi: bool
) -> Derived:
    relation = view_of(name, text, ansi=ansi)
    derivation, plan = derive_view(relation, known, OPTIONS)
    emitted = spark_view(relation, known, OPTIONS, lambda read: quoted(read.name))
    return Derived(relation, plan, derivation.interface, emitted)


def _columns(frame: DataFrame) -> list[tuple[str, str]]:
    # Spark prints the precision of a plain TIME.
    return [
        (f.name.lower(), f.dataType.simpleString().replace("time(6)", "time"))
        for f in frame.schema.fields
    ]


def _spark_type(column: PlanColumn) -> str:
    if isinstance(column.type, (CharType, VarcharType)):
        return "string"
    return print_type(column.type)


def _is_one_plan(frame: DataFrame, other: DataFrame) -> bool:
    """Whether Spark makes the same plan for both, so that there is nothing to compare."""
    try:
        plans = [f._jdf.queryExecution().optimizedPlan() for f in (frame, other)]
        return bool(plans[0].sameResult(plans[1]))
    except (PySparkException, Py4JJavaError):
        return False


def _is_null(row: Sequence[str], place: int, width: int) -> bool:
    """Whether the value is null; False if a tab in a text makes the row too wide to tell."""
    return len(row) == width and row[place] == "NULL"


def _with_nulls(frame: DataFrame, table: Table) -> str:
    """The frame's schema as JSON, nullable everywhere except in required columns."""
    schema = _nullable(frame.schema.jsonValue())
    for column in schema["fields"]:
        column["nullable"] = column["name"] not in table.required
    return json.dumps(schema)


def _nullable(schema: Any) -> Any:
    match schema:
        case dict():
            return {
                key: key in {"nullable", "containsNull", "valueContainsNull"} or _nullable(value)
                for key, value in schema.items()
            }
        case list():
            return [_nullable(part) for part in schema]
        case _:
            return schema


def _steady(text: str) -> str:
    """Rounds doubles to nine digits: the last digits depend on the order of rows."""
    return _LONG_FRACTION.sub(lambda found: f"{float(found[0]):.9g}", text)
