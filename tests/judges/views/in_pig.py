"""Compares the rows of random views' Pig scripts with Hive's rows of the views' own text.

Both read the same ORC files from one catalog. Many scripts run at once; a script with a fault runs
again alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from random import Random

from deploy.hive import HiveQueries
from deploy.pig import PigAnswer, PigQueries
from deploy.refused import Refused
from lakeschema.catalog.column_types import (
    BINARY,
    INT,
    TIMESTAMP,
    ArrayType,
    ColumnType,
    MapType,
    StructType,
    print_type,
)
from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Relation
from lakeschema.translation.emission.pig.script import PigScript
from lakeschema.translation.emission.pig.view import pig_view
from lakeschema.translation.model.errors import TranslationError
from lakeschema.translation.model.interface import Interface, Options
from tests.judges.compared_values import Rows, same_rows
from tests.judges.engines.hive import BYTES, BYTES_AND_DATES, HiveEngine
from tests.judges.engines.protocol import Columns, answer_or_refusal
from tests.judges.hive_and_pig import DATABASE, comparable, hive_and_pig
from tests.judges.hive_and_pig import Table as StoredTable
from tests.judges.verdicts import (
    EQUAL,
    NOT_PRINTED,
    NOT_READ,
    OTHER_ORDER,
    OTHER_ROWS,
    OTHER_TYPES,
    RAISES_ALONE,
    WITHOUT_RULES,
    Verdict,
    refusal,
)
from tests.lakeschema.translation.growing.languages import HIVE_IN_PIG
from tests.lakeschema.translation.growing.stored import storable_type, stored_rows
from tests.lakeschema.translation.growing.tables import Table
from tests.lakeschema.translation.growing.views import RandomView, random_view
from tests.lakeschema.translation.relations import interfaces

_NEITHER = "SET hive.optimize.ppd={0}; SET hive.optimize.constant.propagation={0}"
_PLAINLY = (
    # Sub-queries, set operations and variances need the optimiser: only their rules stay.
    (
        "SET hive.cbo.rule.exclusion.regex=^(?!.*(SubQuery|Intersect|Except|AggregateReduce)).*$",
        "SET hive.cbo.rule.exclusion.regex=",
    ),
    ("SET hive.cbo.enable=false", "SET hive.cbo.enable=true"),
)
"""Settings with which Hive rewrites little, and their defaults."""
_MAX_ROWS = 5
NOTHING = 1e-7
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class HiveRows:
    columns: Columns
    rows: Rows


@dataclass(frozen=True, slots=True)
class _Asked:
    """A view and its script; ``taken`` are the names that the script uses."""

    view: RandomView
    written: PigScript | TranslationError
    ordered: bool


@contextmanager
def pig_judge(folder: Path, tables: int = 16) -> Iterator[PigJudge]:
    """A judge with its own engines."""
    lake = _lake(tables)
    stored = {name: held for one in lake for name, held in one.items()}
    with hive_and_pig(folder, stored) as (hive, pig):
        yield PigJudge(hive, pig, lake)


class PigJudge:
    """A lake of random tables in both engines; each view grows from its own seed."""

    def __init__(
        self, hive: HiveQueries, pig: PigQueries, lake: Sequence[Mapping[str, StoredTable]]
    ) -> None:
        self._hive = hive
        self._pig = pig
        self._lake = lake
        self._asking = ThreadPoolExecutor(2)

    def verdicts(self, seeds: Sequence[int]) -> list[Verdict]:
        """Every third view reads tables with NaN and microseconds."""
        taken: set[str] = set()
        asked = [self._asked(seed, taken) for seed in seeds]
        scripts = [a.written for a in asked if isinstance(a.written, PigScript)]
        running = self._asking.submit(answers_of, self._pig, scripts)
        answered = self._asking.submit(lambda: [self._hives(each) for each in asked])
        found = iter(running.result())
        return [
            self._verdict(each, hives, next(found) if isinstance(each.written, PigScript) else None)
            for each, hives in zip(asked, answered.result(), strict=True)
        ]

    def _asked(self, seed: int, taken: set[str]) -> _Asked:
        random = Random(seed)
        plain = seed % 3 > 0
        tables = self._lake[0 if plain else 1]
        grown = [Table(n, tuple(t.columns), frozenset(), ()) for n, t in tables.items()]
        language = HIVE_IN_PIG if plain else HIVE_IN_PIG.without_times()
        view = random_view(random, grown, random.randint(1, 4), language)
        ddl = [f"CREATE TABLE `{name}` ({held.ddl})" for name, held in tables.items()]
        ddl += [f"CREATE VIEW {name} AS {text}" for name, text in (*view.below, ("v", view.text))]
        options = Options(pig_plain_values=plain)
        try:
            written = _script(ddl, options, frozenset(taken))
        except TranslationError as error:
            return _Asked(view, error, ordered=False)
        taken |= names_in(written)
        return _Asked(view, written, _is_ordered(view))

    def _hives(self, asked: _Asked, *, dates: bool = False) -> HiveRows | Refused:
        """The view's rows, ``dates`` as texts; for a refused view only whether Hive reads it."""
        return answer_over_views(
            self._hive, asked.view, compiled=not isinstance(asked.written, PigScript), dates=dates
        )

    def _without_rules(self, asked: _Asked) -> Iterator[HiveRows]:
        for begin, end in _PLAINLY:
            self._hive.run(begin, *_NEITHER.format("false").split("; "))
            try:
                answer = self._hives(asked, dates=True)
            finally:
                self._hive.run(end, *_NEITHER.format("true").split("; "))
            if isinstance(answer, HiveRows):
                yield answer

    def _verdict(
        self, asked: _Asked, hives: HiveRows | Refused, found: PigAnswer | Refused | None
    ) -> Verdict:
        if isinstance(hives, Refused):
            return Verdict(NOT_READ, hives.message)
        if isinstance(asked.written, TranslationError):
            return refusal(asked.written)
        assert found is not None
        verdict = _compared(asked, hives, found)
        if verdict.is_wrong:
            found = answer_of(self._pig, asked.written)
            again = self._hives(asked, dates=True)
            verdict = _compared(asked, again if isinstance(again, HiveRows) else hives, found)
            # The optimiser changes rows. It takes a quotient of operands that are not null for not null,
            # keeps a false condition below an aggregate, and a constant as a key in all grouping sets.
            if verdict.is_wrong and any(
                not _compared(asked, plain, found).is_wrong for plain in self._without_rules(asked)
            ):
                return Verdict(WITHOUT_RULES)
        if not verdict.is_wrong:
            return verdict
        shown = f"{verdict.details}\n  {asked.view}\n  {asked.written.text}"
        return replace(verdict, details=shown)


def answer_over_views(
    hive: HiveQueries, view: RandomView, *, compiled: bool = False, dates: bool = False
) -> HiveRows | Refused:
    """The answer to the view's own text, while the views that it reads exist.

    ``compiled``: without rows; ``dates``: as texts, since after a job Hive prints none beyond year 9999.
    """
    engine = HiveEngine(hive, BYTES_AND_DATES if dates else BYTES)
    try:
        for name, text in view.below:
            hive.answer(f"CREATE VIEW {name} AS {text}")
        columns = engine.columns(view.text)
        return HiveRows(columns, () if compiled else engine.rows(view.text, columns))
    except Refused as error:
        return error
    finally:
        hive.run(*(f"DROP VIEW {name}" for name, _ in reversed(view.below)))


def answers_of(pig: PigQueries, scripts: Sequence[PigScript]) -> Sequence[PigAnswer | Refused]:
    """The answers from one run of all scripts that can be compiled."""
    if not scripts:
        return []
    try:
        return pig.answer_together([(each.text, each.alias) for each in scripts])
    except Refused as error:
        refused = {
            place: found
            for place, each in enumerate(scripts)
            if isinstance(found := answer_of(pig, each, rows=False), Refused)
        }
        if not refused:
            return [error] * len(scripts)
    rest = iter(answers_of(pig, [s for i, s in enumerate(scripts) if i not in refused]))
    return [refused[i] if i in refused else next(rest) for i in range(len(scripts))]


def answer_of(pig: PigQueries, script: PigScript, *, rows: bool = True) -> PigAnswer | Refused:
    return answer_or_refusal(partial(pig.answer, alias=script.alias, rows=rows), script.text)


def names_in(script: PigScript) -> set[str]:
    """Names that another script in the same run must not use."""
    return {word for text in (*script.statements, *script.defines) for word in _WORD.findall(text)}


def _compared(asked: _Asked, hives: HiveRows, found: PigAnswer | Refused) -> Verdict:
    script = asked.written
    assert isinstance(script, PigScript)
    if isinstance(found, Refused):
        return Verdict(RAISES_ALONE, found.message)
    stated = [print_type(column.type) for column in script.columns]
    types = [column.type for column in hives.columns]
    if [type_.lower() for type_ in stated] != list(map(print_type, types)):
        return Verdict(OTHER_TYPES, f"{hives.columns}\n  {stated}")
    if problem := _schema_differs(script, found.schema):
        return Verdict(OTHER_TYPES, problem)
    if BINARY in types:
        return Verdict(NOT_PRINTED)
    expected, got = hives.rows, comparable(found.rows, types, ordered=True, bags=True)
    if not same_rows(expected, got, nothing=NOTHING):
        return Verdict(OTHER_ROWS, _difference(expected, got))
    if asked.ordered and not same_rows(expected, got, ordered=True, nothing=NOTHING):
        return Verdict(OTHER_ORDER, f"{expected}\n  {got}")
    return Verdict(EQUAL)


def _difference(expected: Rows, got: Rows) -> str:
    """Rows that only one of them has, compared as texts."""
    ours, theirs = [repr(row) for row in got], [repr(row) for row in expected]
    lacking = [row for row in theirs if row not in ours][:_MAX_ROWS]
    more = [row for row in ours if row not in theirs][:_MAX_ROWS]
    return f"{len(theirs)} rows in Hive, {len(ours)} in Pig\n  Hive: {lacking}\n  Pig:  {more}"


def _schema_differs(script: PigScript, found: str | None) -> str:
    stated = _shape(f"{{{script.schema}}}")
    return "" if found is not None and stated == _shape(found) else f"{script.schema}\n  {found}"


def _shape(schema: str) -> object:
    """A schema ``{name: type, …}`` as nested tuples, without names of a bag's tuples and single fields."""
    return _Schema(schema.replace(" ", "").lower()).fields("{", "}")


class _Schema:
    """Reads a schema in the form that Pig prints or declares."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def fields(self, opening: str, closing: str) -> tuple[tuple[str, object], ...]:
        self._skip(opening)
        found = []
        while not self._skip(closing):
            name = self._word("::") if re.match(r"[\w:]+:", self._text[self._at :]) else ""
            self._skip(":")
            found.append((name, self._type()))
            self._skip(",")
        return tuple(found)

    def _type(self) -> object:
        rest = self._text[self._at :]
        if rest.startswith(("{", "bag{")):
            self._skip("bag")
            ((_, row),) = self.fields("{", "}")
            return ("bag", row[0][1] if isinstance(row, tuple) and len(row) == 1 else row)
        if rest.startswith(("(", "tuple(")):
            self._skip("tuple")
            return self.fields("(", ")")
        if rest.startswith("map["):
            self._skip("map[")
            value = None if self._skip("]") else self._type()
            self._skip("]")
            return ("map", value)
        if word := self._word():
            return word
        raise ValueError(f"expected a type at {self._at} of {self._text!r}")

    def _word(self, more: str = "") -> str:
        """The name of a type or a field, which may contain ``::``."""
        found = re.match(r"\w+(?:::\w+)*" if more else r"\w+", self._text[self._at :])
        word = found[0] if found is not None else ""
        self._at += len(word)
        return word

    def _skip(self, text: str) -> bool:
        is_next = self._text.startswith(text, self._at)
        self._at += len(text) * is_next
        return is_next


def _script(ddl: Sequence[str], options: Options, taken: frozenset[str]) -> PigScript:
    """The script of the view ``v``."""
    relations: Mapping[RelationName, Relation] = relations_from_ddl([f"USE {DATABASE}", *ddl])

    def upstreams(name: RelationName) -> Mapping[RelationName, Interface]:
        return interfaces(relations, name, options)

    name = RelationName.of(DATABASE, "v")
    return pig_view(name, relations, upstreams, options, taken=taken)


def _is_ordered(view: RandomView) -> bool:
    return re.search(r" ORDER BY (?!.*\)).* LIMIT \d+$", view.text) is not None


def _lake(number: int) -> Sequence[Mapping[str, StoredTable]]:
    """Plain tables, and tables with extreme values; the last of each kind has hardly any rows."""
    random = Random(number)
    lakes = []
    for letter, plain in (("t", True), ("x", False)):
        lakes.append(
            {
                f"{letter}{place}": _table(random, f"{letter}{place}", place, number, plain=plain)
                for place in range(number)
            }
        )
    return lakes


def _table(random: Random, name: str, place: int, number: int, *, plain: bool) -> StoredTable:
    types = [storable_type(random) for _ in range(random.randint(2, 6))]
    columns: list[tuple[str, ColumnType]] = [(f"{name}_id", INT)]
    columns += [(f"{name}_{'abcdef'[i]}", type_) for i, type_ in enumerate(types)]
    if not plain:
        columns = [(n, t) for n, t in columns if not _holds_times(t)]
    # Over an empty table, Pig returns no row for an aggregate of all rows, which is documented.
    rows = random.randint(1, 2) if place == number - 1 else random.randint(3, 8)
    return StoredTable(columns, stored_rows(random, columns, rows, plain=plain))


def _holds_times(type_: ColumnType) -> bool:
    """Whether the type has times: we refuse scripts that read times unless told that they are plain."""
    match type_:
        case ArrayType(element):
            return _holds_times(element)
        case MapType(_, value):
            return _holds_times(value)
        case StructType(fields):
            return any(_holds_times(field.type) for field in fields)
        case _:
            return type_ == TIMESTAMP
