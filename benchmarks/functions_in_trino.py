"""Spark's functions as Trino SQL, one by one: ``make bench-functions_in_trino``: rows in Trino beside Spark's.

Each function that Spark lists is called over columns and values of many types, ordinary and extreme.
What is emitted of a call for Trino is run there over the same rows. Where either engine raises, each row
is asked by itself. Exit status: 0 if no call has other rows.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Iterator, Sequence

from pyspark.sql import SparkSession

from lakeschema.catalog.column_types import parse_type
from lakeschema.catalog.relations import Dialect
from lakeschema.translation.functions.builtin_names import builtin_names
from lakeschema.translation.functions.signature import Kind
from tests.judges.functions.elsewhere import Found, show, show_total
from tests.judges.functions.findings import selects_of
from tests.judges.functions.judges import documented
from tests.judges.functions.probe_values import ROWS, columns_of, rows_of
from tests.judges.functions.varied_calls import Calls
from tests.judges.sessions import spark_and_trino
from tests.judges.views.elsewhere import (
    BOTH_RAISE,
    ENGINE_FAILS,
    EQUAL,
    FAILS,
    NOT_DERIVED,
    OTHER_ROWS,
    REFUSED_BY_SPARK,
    REFUSED_TEXT,
    UNSUPPORTED,
    Verdict,
)
from tests.judges.views.in_trino import TrinoJudge
from tests.lakeschema.translation.growing.tables import Table

_NOT_IN_TRINO = ("dt", "ym", "va")
"""Columns of intervals and variants, which its tables cannot have."""
_OF_TEXTS = frozenset({UNSUPPORTED, NOT_DERIVED, REFUSED_BY_SPARK})
_RAISED = frozenset({BOTH_RAISE, FAILS})
_AT_ONCE = 10
_EACH_ROW = [(row,) for row in range(ROWS)]
_SOME_ROWS = [(row, (row + 1) % ROWS, (row + 3) % ROWS) for row in range(ROWS)]
"""Where all rows together raise: of a scalar each row is asked, of what goes over several a few."""
_HUGE = re.compile(
    r"(?i)\b(?:space|repeat|lpad|rpad|sequence|array_repeat)\(.*\b(?:i|b|f|d|de|dw|da|ts|tn)[23]?\b"
)
"""Texts and arrays of as many parts as the greatest number, which end Spark."""
_CALL = re.compile(r"SELECT (.*) AS x FROM \{t\}", re.DOTALL)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="names of functions, with commas between them")
    parser.add_argument("--calls", type=int, default=40, help="of each function, at most")
    parser.add_argument("--ansi", action="store_true", help="in Spark's ANSI mode")
    parser.add_argument("--minutes", type=float, default=1e6, help="stop after that many")
    chosen = parser.parse_args()
    tables = [_table(name) for name in ("t", "n")]
    with spark_and_trino() as (spark, trino):
        return _run(TrinoJudge(spark, trino, tables), spark, chosen)


def _table(name: str) -> Table:
    columns = {f"{c}{s}": t for s in ("", "2", "3") for c, t in columns_of(Dialect.SPARK).items()}
    kept = {c: t for c, t in columns.items() if c.rstrip("23") not in _NOT_IN_TRINO}
    rows = tuple(
        ", ".join(f"{row[column]} AS {column}" for column in ("r", *kept))
        for row in rows_of(Dialect.SPARK, required=name == "t")
    )
    types = (("r", parse_type("int")), *((c, parse_type(t)) for c, t in kept.items()))
    return Table(name, types, frozenset({"r", *(kept if name == "t" else ())}), rows)


def _run(judge: TrinoJudge, spark: SparkSession, chosen: argparse.Namespace) -> int:
    began = time.monotonic()
    names = chosen.only.split(",") if chosen.only else sorted(builtin_names(Dialect.SPARK))
    found: dict[str, Found] = {}
    for name in names:
        found[name] = _asked(judge, name, documented(spark, name), chosen)
        show(name, found[name])
        if time.monotonic() - began > 60 * chosen.minutes:
            break
    show_total(found, time.monotonic() - began, {UNSUPPORTED})
    return int(any(one.wrong for one in found.values()))


def _asked(judge: TrinoJudge, name: str, documentation: str, chosen: argparse.Namespace) -> Found:
    found = Found()
    source = Calls(name, Dialect.SPARK, documentation)
    seeds = list(source.first(chosen.calls // 2))
    made = 0
    while seeds and made < chosen.calls:
        made += len(seeds)
        selects: list[str] = []
        for seed in seeds:
            for select in selects_of(seed, source, documentation):
                if _HUGE.search(select):
                    continue
                refused = judge.refusal_of(select.replace("{t}", "t"), ansi=chosen.ansi)
                if refused is None:
                    selects.append(select)
                else:
                    _count(found, select, [refused])
                if refused is None or refused.outcome != REFUSED_BY_SPARK:
                    source.accept(seed)
        for select, verdicts in _verdicts(judge, selects, source.kind, ansi=chosen.ansi):
            _count(found, select, verdicts)
        # Nothing more is asked of what Trino has no form for, whatever it is called with.
        is_known = set(found.asked) - _OF_TEXTS
        seeds = list(source.more(min(_AT_ONCE, chosen.calls - made))) if is_known else []
    return found


def _verdicts(
    judge: TrinoJudge, selects: Sequence[str], kind: Kind, *, ansi: bool
) -> Iterator[tuple[str, Sequence[Verdict]]]:
    """Of all at once, and of each by itself where these have not the same rows."""
    places = [at for at in map(_CALL.fullmatch, selects) if at is not None]
    if len(places) == len(selects) > 1:
        items = ", ".join(f"{at[1]} AS x{number}" for number, at in enumerate(places))
        texts = [f"SELECT {items} FROM {table}" for table in ("t", "n")]
        if all(judge.verdict_of(text, ansi=ansi).outcome == EQUAL for text in texts):
            yield from ((select, [Verdict(EQUAL)] * 2) for select in selects)
            return
    for select in selects:
        yield select, list(_alone(judge, select, kind, ansi=ansi))


def _alone(judge: TrinoJudge, select: str, kind: Kind, *, ansi: bool) -> Iterator[Verdict]:
    """Of a call over both tables, and over a few of their rows where one raises."""
    for table in ("t", "n"):
        verdict = judge.verdict_of(select.replace("{t}", table), ansi=ansi)
        yield verdict
        if verdict.outcome == REFUSED_TEXT:
            return
        is_of_rows = verdict.is_wrong or verdict.outcome in _RAISED
        if select.endswith(" FROM {t}") and is_of_rows:
            for rows in _EACH_ROW if kind is Kind.SCALAR else _SOME_ROWS:
                chosen = ", ".join(map(str, rows))
                text = select.replace("{t}", f"{table} WHERE r IN ({chosen})")
                yield judge.verdict_of(text, ansi=ansi)


def _count(found: Found, select: str, verdicts: Sequence[Verdict]) -> None:
    for verdict in verdicts:
        found.asked[verdict.outcome] += 1
        if verdict.outcome in (FAILS, UNSUPPORTED, ENGINE_FAILS):
            found.count_refusal(verdict)
    wrong = [verdict for verdict in verdicts if verdict.is_wrong]
    if wrong:
        # The last is of few rows.
        shown = next((v for v in reversed(wrong) if v.outcome == OTHER_ROWS), wrong[-1])
        found.wrong.append(f"{select}\n      {shown.outcome}: {shown.details}")


if __name__ == "__main__":
    sys.exit(main())
