"""Compares a view under policies, written for an engine, with the same view over masked tables."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from deploy.refused import Refused
from deploy.trino import Trino
from lakeschema.catalog.column_types import ColumnType, print_type
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect, Relation
from lakeschema.translation.emission.spark.query import SparkQuery
from lakeschema.translation.model.errors import CannotEnforce, TranslationError, Unsupported
from lakeschema.translation.model.interface import Options
from lakeschema.translation.policies.reading import read_policies
from lakeschema.translation.policies.rules import Policies
from lakeschema.translation.products.governed import GovernedRelation, govern
from tests.judges.engines.protocol import answer_or_refusal
from tests.judges.policies.worlds import Marked, World, leaked
from tests.judges.trino_tables import create_tables, json_value
from tests.judges.verdicts import (
    BOTH_RAISE,
    BOTH_REFUSE,
    EQUAL,
    LEAK,
    NO_REFERENCE,
    NOT_BY_POLICIES,
    NOT_ENFORCED,
    NULL_IN_REQUIRED,
    OTHER_ROWS,
    OTHER_TYPES,
    RAISES_ALONE,
    REFUSED_BY_US,
    REFUSED_TEXT,
    UNDETERMINED,
    UNSUPPORTED,
    Verdict,
)
from tests.judges.views.in_spark import Rows, SparkJudge
from tests.judges.views.reading import in_mode, relations_of
from tests.lakeschema.translation.growing.languages import BOTH, SPARK
from tests.lakeschema.translation.growing.views import RandomView, random_view

_OPTIONS = Options(pig_plain_values=True)
"""No value of the marked tables is NaN, or finer than milliseconds."""
_VIEW = RelationName.of("default", "v")


@dataclass(frozen=True, slots=True)
class Case:
    """One view of one world; ``ansi``: the mode in which Spark reads its view."""

    view: RandomView
    world: World
    ansi: bool = True
    dialect: Dialect = Dialect.SPARK

    def relations(self, tables: Sequence[Marked]) -> Mapping[RelationName, Relation]:
        texts = (*self.view.below, ("v", self.view.text))
        ddl = [marked.table.ddl for marked in tables]
        ddl += [f"CREATE VIEW {name} AS {text}" for name, text in texts]
        return relations_of(ddl, ansi=self.ansi, dialect=self.dialect)

    def governed(self, tables: Sequence[Marked]) -> GovernedRelation:
        policies = read_policies(self.world.policies).for_group(self.world.group)
        return govern(_VIEW, self.relations(tables), policies, _OPTIONS)

    def over_masked(self, tables: Sequence[Marked]) -> GovernedRelation:
        """The same view, without policies, over the tables that the reader is shown."""
        masked = [self.world.tables[marked.table.name] for marked in tables]
        return govern(_VIEW, self.relations(masked), Policies(), _OPTIONS)


def case_of(seed: int, tables: Sequence[Marked], worlds: Sequence[World]) -> Case:
    random = Random(f"view {seed}")
    chosen = [marked.table for marked in random.sample(list(tables), 3)]
    budget = random.randint(2, 5)
    view = random_view(random, chosen, budget, BOTH if random.random() < 0.5 else SPARK)
    return Case(view, worlds[seed % len(worlds)], ansi=random.random() < 0.5)


class SparkSide:
    """A session with marked tables in its catalog, and masked tables as temporary views."""

    def __init__(self, spark: SparkSession, tables: Sequence[Marked]) -> None:
        self._spark = spark
        self._judge = SparkJudge(spark, tables=3)
        self._tables = tables
        self._masked: dict[tuple[int, bool], list[tuple[str, DataFrame]]] = {}
        for marked in tables:
            frame = self._frame(marked.table.columns, marked.rows, frozenset())
            frame.coalesce(1).write.mode("overwrite").saveAsTable(f"default.{marked.table.name}")

    def verdict(self, case: Case) -> Verdict:
        with in_mode(self._spark, ansi=case.ansi):
            return self._verdict(case)

    def _verdict(self, case: Case) -> Verdict:
        reference = self._reference(case, backwards=False)
        try:
            found = case.governed(self._tables)
            query = found.spark()
        except TranslationError as error:
            return refused_as(error, refused=isinstance(reference, Refused))
        written = self._judge.analysed(query.sql)
        if isinstance(reference, Refused):
            return self._without_reference(case, query, written)
        kept = kept_places(found, reference.columns)
        text = self._text(case, reference, kept)
        frame = self._judge.analysed(text)
        assert isinstance(frame, DataFrame)
        shown = f"{case.world.policies}\n  {case.view}\n  {query.sql}"
        if isinstance(written, Refused):
            if self._is_wrong_without(case, kept, text, frame):
                return Verdict(NOT_BY_POLICIES, query.sql)
            return Verdict(REFUSED_TEXT, f"{written.message}\n  {shown}")
        if problem := _types_differ(query, frame):
            return Verdict(OTHER_TYPES, f"{problem}\n  {shown}")
        expected, got = self._judge.both_rows(text, frame, query.sql, written)
        if isinstance(got, Rows) and (mark := leaked(repr(got.rows), case.world.hidden)):
            return Verdict(LEAK, f"{mark}: {got.rows}\n  {shown}")
        if isinstance(expected, Refused) and isinstance(got, Refused):
            return Verdict(BOTH_RAISE)
        if expected == got:
            null = _null_in_required(query, got)
            return Verdict(NULL_IN_REQUIRED, null) if null else Verdict(EQUAL)
        if self._is_undetermined(case, kept, expected):
            return Verdict(UNDETERMINED)
        if self._is_wrong_without(case, kept, text, frame):
            return Verdict(NOT_BY_POLICIES, query.sql)
        return Verdict(OTHER_ROWS, f"{expected}\n  {got}\n  {shown}")

    def _without_reference(
        self, case: Case, query: SparkQuery, written: DataFrame | Refused
    ) -> Verdict:
        if isinstance(written, Refused):
            return Verdict(BOTH_REFUSE)
        rows, _ = self._judge.both_rows(query.sql, written, query.sql, written)
        if isinstance(rows, Rows) and (mark := leaked(repr(rows.rows), case.world.hidden)):
            return Verdict(LEAK, f"{mark}: {rows.rows}\n  {query.sql}")
        return Verdict(NO_REFERENCE)

    def _is_undetermined(self, case: Case, kept: Sequence[int], expected: Rows | Refused) -> bool:
        reference = self._reference(case, backwards=True)
        if isinstance(reference, Refused):
            return False
        text = self._text(case, reference, kept)
        frame = self._judge.analysed(text)
        assert isinstance(frame, DataFrame)
        return self._judge.both_rows(text, frame, text, frame)[0] != expected

    def _is_wrong_without(
        self, case: Case, kept: Sequence[int], text: str, frame: DataFrame
    ) -> bool:
        """Whether the same view is also wrong over the masked tables, without policies."""
        self._reference(case, backwards=False)
        plain = case.over_masked(self._tables).spark()
        names = ", ".join(f"k{place}" for place in range(len(plain.columns)))
        items = ", ".join(f"k{place}" for place in kept)
        # The temporary views have the masked rows.
        inner = plain.sql.replace("`default`.", "")
        sql = f"SELECT {items} FROM ({inner}) AS r({names})"
        written = self._judge.analysed(sql)
        if isinstance(written, Refused):
            return True
        expected, got = self._judge.both_rows(text, frame, sql, written)
        return expected != got

    def _reference(self, case: Case, *, backwards: bool) -> DataFrame | Refused:
        """The view's own text over the masked tables."""
        for name, masked in self._masked_frames(case.world, backwards=backwards):
            masked.createOrReplaceTempView(name)
        return self._judge.analysed_over(case.view.below, case.view.text)

    def _masked_frames(self, world: World, *, backwards: bool) -> list[tuple[str, DataFrame]]:
        key = (id(world), backwards)
        if key not in self._masked:
            self._masked[key] = [
                (
                    name,
                    self._frame(
                        marked.table.columns,
                        marked.rows[::-1] if backwards else marked.rows,
                        marked.table.required,
                    ),
                )
                for name, marked in world.tables.items()
            ]
        return self._masked[key]

    def _text(self, case: Case, frame: DataFrame, kept: Sequence[int]) -> str:
        names = [f"k{place}" for place in range(len(frame.columns))]
        items = ", ".join(names[place] for place in kept)
        return f"SELECT {items} FROM ({case.view.text}) AS r({', '.join(names)})"

    def _frame(
        self,
        columns: Sequence[tuple[str, ColumnType]],
        rows: Sequence[Sequence[Any]],
        required: frozenset[str],
    ) -> DataFrame:
        """A frame in one partition whose rows do not come from Python."""
        schema = ", ".join(
            f"{name} {print_type(type_)}{' NOT NULL' if name in required else ''}"
            for name, type_ in columns
        )
        made = self._spark.createDataFrame([tuple(row) for row in rows], schema)
        return self._judge.local(made)


def kept_places(found: GovernedRelation, names: Sequence[str]) -> list[int]:
    """The positions of the columns that are not dropped; no two have the same name."""
    dropped = {name.lower() for name in found.dropped}
    return [i for i, name in enumerate(names) if name.lower() not in dropped]


def _types_differ(query: SparkQuery, frame: DataFrame) -> str:
    ours = [print_type(column.type) for column in query.columns]
    theirs = [field.dataType.simpleString() for field in frame.schema.fields]
    return "" if ours == theirs else f"{ours}\n  {theirs}"


def _null_in_required(query: SparkQuery, rows: object) -> str:
    found = rows.rows if isinstance(rows, Rows) else ()
    for place, column in enumerate(query.columns):
        if column.nullable:
            continue
        if any(len(row) == len(query.columns) and row[place] == "NULL" for row in found):
            return column.name
    return ""


def refused_as(error: TranslationError, *, refused: bool) -> Verdict:
    if isinstance(error, CannotEnforce):
        return Verdict(NOT_ENFORCED, error.reason)
    if refused:
        return Verdict(BOTH_REFUSE)
    if isinstance(error, Unsupported):
        return Verdict(UNSUPPORTED, error.message)
    return Verdict(REFUSED_BY_US, str(error))


class TrinoSide:
    """All tables in Trino's memory; the names of masked tables contain their world."""

    def __init__(self, trino: Trino, tables: Sequence[Marked]) -> None:
        self._trino = trino
        self._tables = tables
        self._known: dict[tuple[int, bool], str] = {}
        create_tables(trino, {m.table.name: _plain(m) for m in tables})

    def verdict(self, case: Case) -> Verdict:
        """The reference is the view over the masked tables, written for Trino."""
        try:
            found = case.governed(self._tables)
            query = found.trino()
        except TranslationError as error:
            return refused_as(error, refused=self._is_refused(case))
        got = self._rows(query.sql)
        if not isinstance(got, Refused) and (mark := leaked(repr(got), case.world.hidden)):
            return Verdict(LEAK, f"{mark}: {got}\n  {query.sql}")
        expected = self._expected(case, found, backwards=False)
        shown = f"{case.world.policies}\n  {case.view}\n  {query.sql}"
        if isinstance(expected, TranslationError):
            return Verdict(NO_REFERENCE)
        if isinstance(expected, Refused):
            # Trino may know of a constant that an expression which fails elsewhere need not be computed.
            return Verdict(BOTH_RAISE if isinstance(got, Refused) else NO_REFERENCE)
        if isinstance(got, Refused):
            return Verdict(RAISES_ALONE, f"{expected}\n  {got}\n  {shown}")
        if expected == got:
            return Verdict(EQUAL)
        again = self._expected(case, found, backwards=True)
        if again != expected:
            return Verdict(UNDETERMINED)
        return Verdict(OTHER_ROWS, f"{expected}\n  {got}\n  {shown}")

    def _expected(
        self, case: Case, found: GovernedRelation, *, backwards: bool
    ) -> list[tuple[str, ...]] | Refused | TranslationError:
        try:
            reference = case.over_masked(self._tables)
            sql = reference.trino().sql
        except TranslationError as error:
            return error
        prefix = self._prefix(case.world, backwards=backwards)
        sql = re.sub(r'"default"\."(t\d+)"', rf'"default"."{prefix}\1"', sql)
        rows = self._rows(sql)
        if isinstance(rows, Refused):
            return rows
        kept = kept_places(found, reference.names)
        return sorted(tuple(row[i] for i in kept) for row in rows)

    def _is_refused(self, case: Case) -> bool:
        """Whether the view is refused even without policies."""
        try:
            case.over_masked(self._tables).trino()
        except TranslationError:
            return True
        return False

    def _prefix(self, world: World, *, backwards: bool) -> str:
        key = (id(world), backwards)
        if key not in self._known:
            prefix = f"w{len(self._known)}_"
            create_tables(
                self._trino,
                {
                    f"{prefix}{name}": _plain(marked, backwards=backwards)
                    for name, marked in world.tables.items()
                },
            )
            self._known[key] = prefix
        return self._known[key]

    def _rows(self, sql: str) -> list[tuple[str, ...]] | Refused:
        answer = answer_or_refusal(self._trino.answer, sql)
        if isinstance(answer, Refused):
            return Refused(answer.name)
        return sorted(tuple(map(_shown, row)) for row in answer.rows)


def _shown(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.9g}"
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _plain(marked: Marked, *, backwards: bool = False) -> Mapping[str, Any]:
    """A table as ``create_tables`` takes it."""
    types = [type_ for _, type_ in marked.table.columns]
    rows = [[json_value(v, t) for v, t in zip(row, types, strict=True)] for row in marked.rows]
    columns = [(name, print_type(type_)) for name, type_ in marked.table.columns]
    return {"columns": columns, "rows": rows[::-1] if backwards else rows}
