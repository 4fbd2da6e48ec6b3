"""Random views whose tables get rows: compares their refreshed rows with those of their text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from pyspark.sql import DataFrame, SparkSession

from deploy.refused import Refused
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Relation
from lakeschema.translation.deriving.with_upstreams import derive_with_upstreams
from lakeschema.translation.model.errors import CannotRefresh, TranslationError, Unsupported
from lakeschema.translation.model.interface import Derivation, Options
from lakeschema.translation.products.stored_rows import Refresh, StoredViews
from lakeschema.translation.rewriting.delta_of_inserts import Insertion
from tests.judges.verdicts import (
    APPENDED,
    MERGED,
    NOT_COMPARED,
    NOT_READ,
    NOT_REFRESHED,
    UNCHANGED,
    UNSUPPORTED,
    Verdict,
)
from tests.judges.views.in_spark import Rows, SparkJudge
from tests.judges.views.reading import in_mode, relations_of
from tests.lakeschema.translation.growing.contained import random_pair
from tests.lakeschema.translation.growing.languages import BOTH, SPARK
from tests.lakeschema.translation.growing.tables import Table, further_rows, random_table
from tests.lakeschema.translation.growing.views import RandomView, random_view

_VIEW = RelationName.of("default", "v")
_STORED = RelationName.of("default", "v_stored")
_VARIANTS = 4
_MAX_TRIED = 8


@dataclass(frozen=True, slots=True)
class Case:
    """One view and the tables that get rows.

    Attributes:
        variant: the choice of rows that the tables get.
        ansi: the mode in which Spark reads the view.
        before_is_kept: the tables already have their new rows, and other tables the old state.
    """

    view: RandomView
    tables: tuple[Table, ...]
    changed: tuple[str, ...]
    variant: int
    ansi: bool
    before_is_kept: bool

    @property
    def texts(self) -> tuple[tuple[str, str], ...]:
        return (*self.view.below, ("v", self.view.text))

    def relations(self) -> Mapping[RelationName, Relation]:
        ddl = [table.ddl for table in self.tables]
        ddl += [f"CREATE VIEW {name} AS {text}" for name, text in self.texts]
        return relations_of(ddl, ansi=self.ansi)

    def derivations(self) -> Mapping[RelationName, Derivation]:
        return derive_with_upstreams(_VIEW, self.relations(), Options())

    def refresh(self) -> Refresh | None:
        """The refresh to judge.

        Raises:
            TranslationError: the refresh is refused.
        """
        views = StoredViews(self.relations(), self.derivations(), Options())
        insertions = {RelationName.of("default", t): self._insertion(t) for t in self.changed}
        return views.refresh(_VIEW, insertions, _STORED)

    def _insertion(self, table: str) -> Insertion:
        before = RelationName.of("default", f"{table}_before") if self.before_is_kept else None
        return Insertion(RelationName.of("default", f"{table}_inserted"), before)


@dataclass(frozen=True, slots=True)
class _Frames:
    """One table's rows."""

    before: DataFrame
    inserted: DataFrame
    after: DataFrame


class RefreshJudge:
    """A lake of random tables in a session, each with a few choices of rows to insert."""

    def __init__(self, spark: SparkSession, tables: int = 30) -> None:
        self._spark = spark
        self._judge = SparkJudge(spark, tables=0)
        random = Random(0)
        self._tables = [random_table(random, f"t{number}") for number in range(tables)]
        self._frames: dict[tuple[str, int], _Frames] = {}

    def case(self, seed: int) -> Case:
        """For every second seed, the first small view that is not refused."""
        random = Random(f"refresh {seed}")
        tables = random.sample(self._tables, 3)
        if seed % 2:
            return self._refreshed_case(random, tables)
        only_both = random.random() < 0.5
        view = random_view(random, tables, random.randint(1, 4), BOTH if only_both else SPARK)
        return self._case(random, view, tables)

    def _refreshed_case(self, random: Random, tables: Sequence[Table]) -> Case:
        for _ in range(_MAX_TRIED):
            view = RandomView(random_pair(random, tables).view)
            case = self._case(random, view, tables)
            try:
                if case.refresh() is not None:
                    break
            except TranslationError:
                pass
        return case

    def _case(self, random: Random, view: RandomView, tables: Sequence[Table]) -> Case:
        texts = " ".join(text for _, text in (*view.below, ("v", view.text)))
        read = [t.name for t in tables if re.search(rf"\b{t.name}\b", texts)]
        read = read or [table.name for table in tables]
        changed = random.sample(read, random.randint(1, len(read)))
        variant = random.randrange(_VARIANTS)
        ansi, before_is_kept = random.random() < 0.5, random.random() < 0.4
        return Case(view, tuple(tables), tuple(changed), variant, ansi, before_is_kept)

    def verdict(self, case: Case) -> Verdict:
        with in_mode(self._spark, ansi=case.ansi):
            return self._verdict(case)

    def _verdict(self, case: Case) -> Verdict:
        try:
            derivations = case.derivations()
        except TranslationError as error:
            return Verdict(NOT_READ, error.message)
        try:
            refresh = case.refresh()
            sql = "" if refresh is None else refresh.view.spark().sql
        except CannotRefresh as error:
            return Verdict(NOT_REFRESHED, error.reason)
        except Unsupported as error:
            return Verdict(UNSUPPORTED, error.message)
        self._register(case, inserted=True)
        expected = self._rows_of_text(case)
        if isinstance(expected, str):
            return Verdict(expected)
        self._register(case, inserted=False)
        stored = self._view(case)
        if isinstance(stored, Refused) or isinstance(self._judge.rows(stored), Refused):
            return Verdict(NOT_COMPARED)
        names = derivations[_VIEW].interface.names
        self._judge.local(stored.toDF(*names)).createOrReplaceTempView(_STORED.name)
        if case.before_is_kept:
            self._register(case, inserted=True)
        return self._compared(case, refresh, sql.replace("`default`.", ""), expected)

    def _compared(self, case: Case, refresh: Refresh | None, sql: str, expected: Rows) -> Verdict:
        if refresh is None:
            text, outcome = f"SELECT * FROM {_STORED.name}", UNCHANGED
        elif refresh.keys is None:
            text, outcome = f"SELECT * FROM {_STORED.name} UNION ALL ({sql})", APPENDED
        else:
            text, outcome = sql, MERGED
        shown = f"{case.texts}\n  {case.changed}, ANSI {case.ansi}\n  {sql}"
        return self._judge.judged(text, expected, outcome, shown)

    def _rows_of_text(self, case: Case) -> Rows | str:
        """The rows of the view's own text, or the reason why it has no rows."""
        frame = self._view(case)
        if isinstance(frame, Refused):
            return NOT_READ
        rows = self._judge.rows(frame)
        return rows if isinstance(rows, Rows) else NOT_COMPARED

    def _view(self, case: Case) -> DataFrame | Refused:
        *below, (_, text) = case.texts
        return self._judge.analysed_over(below, text)

    def _register(self, case: Case, *, inserted: bool) -> None:
        """Registers all tables; with ``inserted``, the changing tables have their new rows."""
        for table in case.tables:
            frames = self._frames_of(table, case.variant)
            has_them = inserted and table.name in case.changed
            (frames.after if has_them else frames.before).createOrReplaceTempView(table.name)
            frames.inserted.createOrReplaceTempView(f"{table.name}_inserted")
            frames.before.createOrReplaceTempView(f"{table.name}_before")

    def _frames_of(self, table: Table, variant: int) -> _Frames:
        key = (table.name, variant)
        if key not in self._frames:
            random = Random(f"{table.name} {variant}")
            rows = further_rows(random, table, random.randint(1, 4))
            kept = table.rows[: random.randint(0, len(table.rows))]
            self._frames[key] = _Frames(
                self._frame(table, kept),
                self._frame(table, rows),
                self._frame(table, (*kept, *rows)),
            )
        return self._frames[key]

    def _frame(self, table: Table, rows: Sequence[str]) -> DataFrame:
        return self._judge.table(replace(table, rows=tuple(rows) or table.rows), empty=not rows)
