"""Spark's functions as HiveQL, one by one: ``make bench-functions_in_hive``: rows in Hive beside Spark's.

Each function that Spark lists is called over columns and values of the types that both engines have,
ordinary and extreme. What is emitted of a call for Hive is run there over the same files. Where Spark
raises an error, so must Hive. Exit status: 0 if no call has other rows or types.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from lakeschema.catalog.column_types import parse_type
from lakeschema.catalog.relations import Dialect
from lakeschema.translation.functions.builtin_names import builtin_names
from tests.judges.functions.call_seeds import Seed
from tests.judges.functions.elsewhere import Found, show, show_total
from tests.judges.functions.findings import selects_of
from tests.judges.functions.hive_values import groups, together
from tests.judges.functions.judges import documented
from tests.judges.functions.probe_values import ROWS, columns_of, rows_of
from tests.judges.functions.varied_calls import Calls
from tests.judges.sessions import spark_and_hive
from tests.judges.views.elsewhere import (
    BOTH_RAISE,
    EQUAL,
    FAILS,
    NOT_DERIVED,
    REFUSED_BY_SPARK,
    UNSUPPORTED,
    Verdict,
)
from tests.judges.views.in_hive import HIVE_RAISES, SPARK_RAISES, HiveJudge
from tests.lakeschema.translation.growing.tables import Table

_NOT_IN_HIVE = ("tn", "dt", "ym", "tm", "t", "va")
"""Columns of types that Hive has not; ``t`` are ``t3``, ``t32`` and ``t33``."""
TABLES = ("t", "n")
_NOW = re.compile(r"(?i)\b(?:rand|random|randn|uuid|shuffle|now|curdate|localtimestamp)\b|current_")
_HUGE = re.compile(
    r"(?i)\b(?:space|repeat|lpad|rpad|sequence|array_repeat|format_number)\(.*\b(?:i|b|f|d|de|dw|da|ts)[23]?\b"
)
"""Texts of as many parts as the greatest number, which end both engines."""
_OPERATOR = re.compile(r"(\W+)\(\{\}, \{\}\)")
_AT_ONCE = 10
_ENOUGH = 12
"""Wrong answers after which no more is asked of a function."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="names of functions, with commas between them")
    parser.add_argument("--calls", type=int, default=40, help="of each function, at most")
    parser.add_argument("--ansi", action="store_true", help="in Spark's ANSI mode")
    chosen = parser.parse_args()
    began = time.monotonic()
    names = chosen.only.split(",") if chosen.only else sorted(builtin_names(Dialect.SPARK))
    found: dict[str, Found] = {}
    with spark_and_hive() as (spark, hive, folder):
        judge = HiveJudge(spark, hive, folder, [_table(name) for name in TABLES])
        for name in names:
            asked = _Asked(judge, name, documented(spark, name), ansi=chosen.ansi)
            found[name] = asked.found(chosen.calls)
            show(name, found[name])
    show_total(found, time.monotonic() - began, {UNSUPPORTED, NOT_DERIVED})
    return int(any(one.wrong for one in found.values()))


def _table(name: str) -> Table:
    columns = {f"{c}{s}": t for s in ("", "2", "3") for c, t in columns_of(Dialect.SPARK).items()}
    kept = {c: t for c, t in columns.items() if c.rstrip("23") not in _NOT_IN_HIVE}
    rows = tuple(
        ", ".join(f"{row[column]} AS {column}" for column in ("r", *kept))
        for row in rows_of(Dialect.SPARK, required=name == "t")
    )
    types = (("r", parse_type("int")), *((c, parse_type(t)) for c, t in kept.items()))
    return Table(name, types, frozenset({"r", *(kept if name == "t" else ())}), rows)


@dataclass
class _Asked:
    """The calls of one function."""

    judge: HiveJudge
    name: str
    documentation: str
    ansi: bool = field(kw_only=True)

    def found(self, calls: int) -> Found:
        found = Found()
        source = Calls(self.name, Dialect.SPARK, self.documentation)
        seeds, made = list(source.first(calls // 2)), 0
        while seeds and made < calls and len(found.wrong) < _ENOUGH:
            made += len(seeds)
            selects = list(dict.fromkeys(self._written(seeds, source, found)))
            for select, verdict in self._judged(selects):
                _count(found, select, verdict)
            is_known = set(found.asked) - {UNSUPPORTED, NOT_DERIVED, REFUSED_BY_SPARK}
            seeds = list(source.more(min(_AT_ONCE, calls - made))) if is_known else []
        return found

    def _written(self, seeds: Sequence[Seed], source: Calls, found: Found) -> Iterator[str]:
        """Those that are written for Hive."""
        for seed in map(_infix, seeds):
            for select in selects_of(seed, source, self.documentation):
                if _HUGE.search(select) or _NOW.search(select):
                    continue
                refused = self.judge.refusal_of(select.replace("{t}", "t"), ansi=self.ansi)
                if refused is None:
                    yield select
                else:
                    _count(found, select, refused)
                if refused is None or refused.outcome != REFUSED_BY_SPARK:
                    source.accept(seed)

    def _judged(self, selects: Sequence[str]) -> Iterator[tuple[str, Verdict]]:
        grouped = groups(selects)
        for rest, group in grouped:
            yield from self._together([column.select for column in group], rest)
        of_groups = {column.select for _, group in grouped for column in group}
        for select in selects:
            if select not in of_groups:
                yield from self._alone(select)

    def _together(self, selects: Sequence[str], rest: str) -> Iterator[tuple[str, Verdict]]:
        """Of all at once; where that is not equal, of each half."""
        if len(selects) == 1:
            yield from self._alone(selects[0])
            return
        ((_, group),) = groups(selects)
        texts = (f"{together(group)} FROM {table}{rest}" for table in TABLES)
        if all(self.judge.verdict_of(text, ansi=self.ansi).outcome == EQUAL for text in texts):
            yield from ((select, Verdict(EQUAL)) for select in selects for _ in TABLES)
            return
        middle = len(selects) // 2
        yield from self._together(selects[:middle], rest)
        yield from self._together(selects[middle:], rest)

    def _alone(self, select: str) -> Iterator[tuple[str, Verdict]]:
        """Of a call over both tables, and over each row where one raises."""
        for table in TABLES:
            verdict = self.judge.verdict_of(select.replace("{t}", table), ansi=self.ansi)
            raises = verdict.outcome in {BOTH_RAISE, FAILS, HIVE_RAISES, SPARK_RAISES}
            if not (raises and select.endswith(" FROM {t}")):
                yield select, verdict
                continue
            for row in range(ROWS):
                text = select.replace("{t}", f"{table} WHERE r = {row}")
                yield text, self.judge.verdict_of(text, ansi=self.ansi)


def _infix(seed: Seed) -> Seed:
    """``(a + b)`` for ``+(a, b)``."""
    called = _OPERATOR.fullmatch(seed.form)
    return seed if called is None else replace(seed, form=f"({{}} {called[1]} {{}})")


def _count(found: Found, select: str, verdict: Verdict) -> None:
    found.asked[verdict.outcome] += 1
    if verdict.outcome in (UNSUPPORTED, NOT_DERIVED):
        found.count_refusal(verdict)
    if verdict.is_wrong:
        found.wrong.append(f"{select}\n      {verdict.outcome}: {verdict.details[:3000]}")


if __name__ == "__main__":
    sys.exit(main())
