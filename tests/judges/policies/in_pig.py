"""Compares Pig's rows of a view under policies with Hive's rows of its text over masked tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from deploy.hive import HiveQueries
from deploy.pig import PigAnswer, PigQueries
from deploy.refused import Refused
from lakeschema.catalog.relations import Dialect
from lakeschema.translation.emission.pig.script import PigScript
from lakeschema.translation.model.errors import TranslationError
from lakeschema.translation.products.governed import GovernedRelation
from tests.judges.compared_values import Rows, same_rows
from tests.judges.hive_and_pig import Table, comparable, create_tables
from tests.judges.policies.judges import Case, kept_places, refused_as
from tests.judges.policies.worlds import Marked, World, leaked, marked_tables
from tests.judges.trino_tables import json_value
from tests.judges.verdicts import (
    BOTH_RAISE,
    EQUAL,
    LEAK,
    NO_REFERENCE,
    NOT_BY_POLICIES,
    OTHER_ROWS,
    RAISES_ALONE,
    Verdict,
)
from tests.judges.views.in_pig import (
    NOTHING,
    HiveRows,
    answer_of,
    answer_over_views,
    answers_of,
    names_in,
)
from tests.lakeschema.translation.growing.languages import HIVE_IN_PIG
from tests.lakeschema.translation.growing.stored import storable_type, without_faults
from tests.lakeschema.translation.growing.views import random_view

_DATABASE = "default"


def tables_for_pig(number: int) -> list[Marked]:
    return [
        replace(marked, table=replace(marked.table, required=frozenset()))
        for marked in marked_tables(0, number, storable_type)
    ]


def case_for_pig(seed: int, tables: Sequence[Marked], worlds: Sequence[World]) -> Case:
    random = Random(f"view {seed}")
    chosen = [marked.table for marked in random.sample(list(tables), 3)]
    view = random_view(random, chosen, random.randint(1, 4), HIVE_IN_PIG)
    return Case(view, worlds[seed % len(worlds)], dialect=Dialect.HIVE)


@dataclass(frozen=True, slots=True)
class _Written:
    case: Case
    found: GovernedRelation
    script: PigScript


class PigSide:
    """Hive and Pig over one catalog, with marked tables and, in a database per world, masked ones."""

    def __init__(
        self, hive: HiveQueries, pig: PigQueries, folder: Path, tables: Sequence[Marked]
    ) -> None:
        self._hive = hive
        self._pig = pig
        self._folder = folder
        self._tables = tables
        self._databases: dict[int, str] = {}
        stored = {marked.table.name: _stored(marked) for marked in tables}
        create_tables(hive, folder / _DATABASE, _DATABASE, stored)

    def verdicts(self, cases: Sequence[Case]) -> list[Verdict]:
        taken: set[str] = set()
        written = [self._written(case, taken) for case in cases]
        scripts = [each.script for each in written if isinstance(each, _Written)]
        answers = iter(answers_of(self._pig, scripts))
        return [
            self._verdict(each, next(answers))
            if isinstance(each, _Written)
            else refused_as(each, refused=isinstance(self._hives(case), Refused))
            for case, each in zip(cases, written, strict=True)
        ]

    def _written(self, case: Case, taken: set[str]) -> _Written | TranslationError:
        try:
            found = case.governed(self._tables)
            script = found.pig(taken)
        except TranslationError as error:
            return error
        taken |= names_in(script)
        return _Written(case, found, script)

    def _verdict(self, written: _Written, answer: PigAnswer | Refused) -> Verdict:
        case, script = written.case, written.script
        shown = f"{case.world.policies}\n  {case.view}\n  {script.text}"
        if isinstance(answer, PigAnswer):
            printed = f"{answer.rows} {_rows_of(answer, script)}"
            if mark := leaked(printed, case.world.hidden):
                return Verdict(LEAK, f"{mark}: {answer.rows}\n  {shown}")
        hives = self._hives(case)
        if isinstance(hives, Refused):
            return Verdict(BOTH_RAISE if isinstance(answer, Refused) else NO_REFERENCE)
        kept = kept_places(written.found, case.over_masked(self._tables).names)
        expected = [tuple(row[place] for place in kept) for row in hives.rows]
        if isinstance(answer, Refused):
            wrong = Verdict(RAISES_ALONE, f"{answer.message}\n  {shown}")
        elif same_rows(expected, _rows_of(answer, script), nothing=NOTHING):
            return Verdict(EQUAL)
        else:
            got = _rows_of(answer, script)
            wrong = Verdict(OTHER_ROWS, f"{expected}\n  {got}\n  {shown}")
        if self._is_wrong_without(case, hives.rows):
            return replace(wrong, outcome=NOT_BY_POLICIES)
        return wrong

    def _is_wrong_without(self, case: Case, expected: Rows) -> bool:
        """Whether the same view is also wrong over the masked tables, without policies."""
        try:
            script = case.over_masked(self._tables).pig()
        except TranslationError:
            return False
        database = self._database(case.world)
        statements = [
            text.replace(f"LOAD '{_DATABASE}.", f"LOAD '{database}.") for text in script.statements
        ]
        answer = answer_of(self._pig, replace(script, statements=tuple(statements)))
        if isinstance(answer, Refused):
            return True
        return not same_rows(expected, _rows_of(answer, script), nothing=NOTHING)

    def _hives(self, case: Case) -> HiveRows | Refused:
        """Hive's answer to the view's own text."""
        self._hive.answer(f"USE {self._database(case.world)}")
        return answer_over_views(self._hive, case.view)

    def _database(self, world: World) -> str:
        if id(world) not in self._databases:
            name = f"w{len(self._databases)}"
            self._hive.answer(f"CREATE DATABASE {name}")
            stored = {each: _stored(marked) for each, marked in world.tables.items()}
            create_tables(self._hive, self._folder / name, name, stored)
            self._databases[id(world)] = name
        return self._databases[id(world)]


def _rows_of(answer: PigAnswer, script: PigScript) -> Rows:
    return comparable(answer.rows, [column.type for column in script.columns], bags=True)


def _stored(marked: Marked) -> Table:
    types = [type_ for _, type_ in marked.table.columns]
    rows = [
        [without_faults(json_value(v, t), t) for v, t in zip(row, types, strict=True)]
        for row in marked.rows
    ]
    return Table(marked.table.columns, rows)
