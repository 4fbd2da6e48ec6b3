"""Each Spark function, emitted for Trino or Hive: ``make bench-functions_in_trino``, ``…_in_hive``.

Each function that Spark lists is called over ordinary and extreme values of the types that both engines
have. The call's emitted text runs in the engine over the same rows; results must be equal. If an engine
raises an error, each row is asked alone. Exit status: 0 if no call has other rows or types.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from typing import ClassVar, Final

from pyspark.sql import SparkSession

from lakeschema.catalog.column_types import parse_type
from lakeschema.catalog.relations import Dialect
from lakeschema.translation.functions.builtin_names import builtin_names
from lakeschema.translation.functions.signature import Kind
from tests.judges.functions.call_seeds import Seed
from tests.judges.functions.findings import selects_of
from tests.judges.functions.hive_values import groups, together
from tests.judges.functions.judges import documented
from tests.judges.functions.probe_values import ROWS, columns_of, rows_of
from tests.judges.functions.varied_calls import Calls
from tests.judges.sessions import spark_and_hive, spark_and_trino
from tests.judges.verdicts import (
    BOTH_RAISE,
    DOES_NOT_RAISE,
    ENGINE_FAILS,
    EQUAL,
    FAILS,
    NOT_DERIVED,
    NOT_READ,
    OTHER_ROWS,
    RAISES_ALONE,
    REFUSED_TEXT,
    UNSUPPORTED,
    Verdict,
)
from tests.judges.views.in_hive import HiveJudge
from tests.judges.views.in_trino import TrinoJudge
from tests.lakeschema.translation.growing.tables import Table

_TABLES: Final = ("t", "n")
_OF_TEXTS: Final = frozenset({UNSUPPORTED, NOT_DERIVED, NOT_READ})
_AT_ONCE: Final = 10
_ENOUGH: Final = 12
"""After so many wrong answers no more calls of a function are asked."""
_EXAMPLES: Final = 4

Judged = Iterator[tuple[str, Sequence[Verdict]]]
"""Calls, each with verdicts."""


@dataclass
class _Found:
    """The outcomes of a function's calls, the wrong answers, and the reasons of refusals."""

    asked: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)

    def count(self, select: str, verdicts: Sequence[Verdict]) -> None:
        for verdict in verdicts:
            self.asked[verdict.outcome] += 1
            if verdict.outcome in {FAILS, UNSUPPORTED, NOT_DERIVED, ENGINE_FAILS}:
                self.reasons[f"{verdict.outcome}: {verdict.details[:150]}"] += 1
        wrong = [verdict for verdict in verdicts if verdict.is_wrong]
        if wrong:
            # The last verdict has few rows.
            shown = next((v for v in reversed(wrong) if v.outcome == OTHER_ROWS), wrong[-1])
            self.wrong.append(f"{select}\n      {shown.outcome}: {shown.details[:3000]}")

    @property
    def kind(self) -> str:
        if self.wrong:
            return "with other rows or types, or an error of one engine's alone"
        if self.asked[EQUAL]:
            return "with equal rows"
        return (
            "refused" if self.asked[UNSUPPORTED] + self.asked[NOT_DERIVED] else "without a question"
        )

    def show(self, name: str) -> None:
        counts = ", ".join(f"{number} {outcome}" for outcome, number in self.asked.most_common())
        print(f"{name}: {counts or 'no call'}", flush=True)
        for text in self.wrong[:_EXAMPLES]:
            print(f"    WRONG: {text}")
        if len(self.wrong) > _EXAMPLES:
            print(f"    WRONG: {len(self.wrong) - _EXAMPLES} more")
        for reason, number in self.reasons.most_common(_EXAMPLES):
            print(f"    {number} {reason}", flush=True)


class _Calls(ABC):
    """Spark's calls in one engine."""

    lacks: ClassVar[Sequence[str]]
    """Columns of types that the engine lacks."""
    left_out: ClassVar[re.Pattern[str]]
    """Calls whose results are too large for both engines, or never the same."""

    def __init__(self, judge: TrinoJudge | HiveJudge, *, ansi: bool) -> None:
        self.judge = judge
        self.ansi = ansi

    @abstractmethod
    def verdicts(self, selects: Sequence[str], kind: Kind) -> Judged: ...

    def written(self, seed: Seed) -> Seed:
        """The call in a form that both engines read."""
        return seed

    def found(self, name: str, documentation: str, calls: int) -> _Found:
        found = _Found()
        source = Calls(name, Dialect.SPARK, documentation)
        seeds, made = list(source.first(calls // 2)), 0
        while seeds and made < calls and len(found.wrong) < _ENOUGH:
            made += len(seeds)
            selects = list(dict.fromkeys(self._accepted(seeds, source, documentation, found)))
            for select, verdicts in self.verdicts(selects, source.kind):
                found.count(select, verdicts)
            # A function without a form for the engine, whatever its arguments, is not asked further.
            is_known = set(found.asked) - _OF_TEXTS
            seeds = list(source.more(min(_AT_ONCE, calls - made))) if is_known else []
        return found

    def _accepted(
        self, seeds: Sequence[Seed], source: Calls, documentation: str, found: _Found
    ) -> Iterator[str]:
        """The calls that can be written for the engine."""
        for seed in map(self.written, seeds):
            for select in selects_of(seed, source, documentation):
                if self.left_out.search(select):
                    continue
                refused = self.judge.refusal_of(select.replace("{t}", "t"), ansi=self.ansi)
                if refused is None:
                    yield select
                else:
                    found.count(select, [refused])
                if refused is None or refused.outcome != NOT_READ:
                    source.accept(seed)

    def verdict(self, text: str) -> Verdict:
        return self.judge.verdict_of(text, ansi=self.ansi)

    def are_equal(self, texts: Sequence[str]) -> bool:
        return all(self.verdict(text).outcome == EQUAL for text in texts)


class _TrinoCalls(_Calls):
    lacks = ("dt", "ym", "va")
    left_out = re.compile(
        r"(?i)\b(?:space|repeat|lpad|rpad|sequence|array_repeat)\(.*\b(?:i|b|f|d|de|dw|da|ts|tn)[23]?\b"
    )
    _EACH_ROW: ClassVar = [(row,) for row in range(ROWS)]
    _SOME_ROWS: ClassVar = [(row, (row + 1) % ROWS, (row + 3) % ROWS) for row in range(ROWS)]
    """If all rows together raise an error, a scalar is asked for each row, others for a few rows."""

    def verdicts(self, selects: Sequence[str], kind: Kind) -> Judged:
        """Asks all calls at once, and each alone if the rows differ."""
        grouped = groups(selects)
        if len(selects) > 1 and len(grouped) == 1 and len(grouped[0][1]) == len(selects):
            ((rest, group),) = grouped
            if not rest and self.are_equal([f"{together(group)} FROM {t}" for t in _TABLES]):
                yield from ((select, [Verdict(EQUAL)] * 2) for select in selects)
                return
        for select in selects:
            yield select, list(self._alone(select, kind))

    def _alone(self, select: str, kind: Kind) -> Iterator[Verdict]:
        """Asks a call over both tables, and over a few of their rows if one raises an error."""
        for table in _TABLES:
            verdict = self.verdict(select.replace("{t}", table))
            yield verdict
            if verdict.outcome == REFUSED_TEXT:
                return
            is_of_rows = verdict.is_wrong or verdict.outcome in {BOTH_RAISE, FAILS}
            if select.endswith(" FROM {t}") and is_of_rows:
                for rows in self._EACH_ROW if kind is Kind.SCALAR else self._SOME_ROWS:
                    chosen = ", ".join(map(str, rows))
                    yield self.verdict(select.replace("{t}", f"{table} WHERE r IN ({chosen})"))


class _HiveCalls(_Calls):
    lacks = ("tn", "dt", "ym", "tm", "t", "va")
    left_out = re.compile(
        r"(?i)\b(?:space|repeat|lpad|rpad|sequence|array_repeat|format_number)\(.*\b(?:i|b|f|d|de|dw|da|ts)[23]?\b"
        r"|\b(?:rand|random|randn|uuid|shuffle|now|curdate|localtimestamp)\b|current_"
    )
    _OPERATOR: ClassVar = re.compile(r"(\W+)\(\{\}, \{\}\)")

    def written(self, seed: Seed) -> Seed:
        """``(a + b)`` for ``+(a, b)``."""
        called = self._OPERATOR.fullmatch(seed.form)
        return seed if called is None else replace(seed, form=f"({{}} {called[1]} {{}})")

    def verdicts(self, selects: Sequence[str], kind: Kind) -> Judged:
        del kind
        grouped = groups(selects)
        for rest, group in grouped:
            yield from self._together([column.select for column in group], rest)
        of_groups = {column.select for _, group in grouped for column in group}
        for select in selects:
            if select not in of_groups:
                yield from self._alone(select)

    def _together(self, selects: Sequence[str], rest: str) -> Judged:
        """Asks all calls at once; if the rows differ, each half."""
        if len(selects) == 1:
            yield from self._alone(selects[0])
            return
        ((_, group),) = groups(selects)
        if self.are_equal([f"{together(group)} FROM {table}{rest}" for table in _TABLES]):
            yield from ((select, [Verdict(EQUAL)]) for select in selects for _ in _TABLES)
            return
        middle = len(selects) // 2
        yield from self._together(selects[:middle], rest)
        yield from self._together(selects[middle:], rest)

    def _alone(self, select: str) -> Judged:
        """Asks a call over both tables, and over each row if one raises an error."""
        for table in _TABLES:
            verdict = self.verdict(select.replace("{t}", table))
            raises = verdict.outcome in {BOTH_RAISE, FAILS, RAISES_ALONE, DOES_NOT_RAISE}
            if not (raises and select.endswith(" FROM {t}")):
                yield select, [verdict]
                continue
            for row in range(ROWS):
                text = select.replace("{t}", f"{table} WHERE r = {row}")
                yield text, [self.verdict(text)]


@contextmanager
def _trino(*, ansi: bool) -> Iterator[tuple[SparkSession, _Calls]]:
    tables = [_table(name, _TrinoCalls.lacks) for name in _TABLES]
    with spark_and_trino() as (spark, trino):
        yield spark, _TrinoCalls(TrinoJudge(spark, trino, tables), ansi=ansi)


@contextmanager
def _hive(*, ansi: bool) -> Iterator[tuple[SparkSession, _Calls]]:
    tables = [_table(name, _HiveCalls.lacks) for name in _TABLES]
    with spark_and_hive() as (spark, hive, folder):
        yield spark, _HiveCalls(HiveJudge(spark, hive, folder, tables), ansi=ansi)


_ENGINES: Final[
    Mapping[str, Callable[..., AbstractContextManager[tuple[SparkSession, _Calls]]]]
] = {"trino": _trino, "hive": _hive}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("engine", choices=_ENGINES)
    parser.add_argument("--only", default="", help="names of functions, with commas between them")
    parser.add_argument("--calls", type=int, default=40, help="of each function, at most")
    parser.add_argument("--ansi", action="store_true", help="in Spark's ANSI mode")
    parser.add_argument("--minutes", type=float, default=1e6, help="stop after that many")
    chosen = parser.parse_args()
    began = time.monotonic()
    names = chosen.only.split(",") if chosen.only else sorted(builtin_names(Dialect.SPARK))
    found: dict[str, _Found] = {}
    with _ENGINES[chosen.engine](ansi=chosen.ansi) as (spark, calls):
        for name in names:
            found[name] = calls.found(name, documented(spark, name), chosen.calls)
            found[name].show(name)
            if time.monotonic() - began > 60 * chosen.minutes:
                break
    _show_total(found, time.monotonic() - began)
    return int(any(one.wrong for one in found.values()))


def _table(name: str, lacks: Sequence[str]) -> Table:
    columns = {f"{c}{s}": t for s in ("", "2", "3") for c, t in columns_of(Dialect.SPARK).items()}
    # Without its last digit, ``t3`` is ``t``.
    kept = {c: t for c, t in columns.items() if c.rstrip("23") not in lacks}
    rows = tuple(
        ", ".join(f"{row[column]} AS {column}" for column in ("r", *kept))
        for row in rows_of(Dialect.SPARK, required=name == "t")
    )
    types = (("r", parse_type("int")), *((c, parse_type(t)) for c, t in kept.items()))
    return Table(name, types, frozenset({"r", *(kept if name == "t" else ())}), rows)


def _show_total(found: Mapping[str, _Found], seconds: float) -> None:
    total = sum((one.asked for one in found.values()), Counter[str]())
    print(f"\n{len(found)} functions, {sum(total.values())} questions, {seconds:.0f} s")
    for outcome, number in total.most_common():
        print(f"{number:>8}  {outcome}")
    kinds: dict[str, list[str]] = {}
    for name, one in found.items():
        kinds.setdefault(one.kind, []).append(name)
    for kind, names in kinds.items():
        print(f"{len(names)} {kind}: {', '.join(names)}")


if __name__ == "__main__":
    sys.exit(main())
