"""Hive's functions, emitted for Spark or Trino: ``make bench-hive_in_spark``, ``make bench-hive_in_trino``.

Each function that Hive lists and a view can call is called over columns and values of many types. Hive's
rows are compared with the rows of the engine for our emitted SQL. Exit status: 0 if no call has other
rows.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from deploy.hive import LONG_RUN_MEGABYTES, HiveQueries
from deploy.jars import artifact_jars
from deploy.jdk import find_jdk
from lakeschema.catalog.relations import Dialect
from lakeschema.translation.emission.spark.from_hive.classes import ARTIFACTS
from lakeschema.translation.emission.spark.from_hive.missing import MISSING
from lakeschema.translation.functions.binding import find
from lakeschema.translation.functions.builtin_names import builtin_names
from lakeschema.translation.functions.not_callable import why_not_callable
from lakeschema.translation.functions.signature import Kind
from lakeschema.translation.model.interface import HiveFunctions, Options
from tests.judges.functions.compared_calls import GRAVE, CallComparison, CalledEngine, Told
from tests.judges.functions.hive_answers import (
    TABLES,
    Answered,
    HiveRows,
    append_answers,
    read_answers,
)
from tests.judges.functions.spark_rows import SparkCalls
from tests.judges.functions.trino_rows import trino_calls
from tests.judges.verdicts import EQUAL, FAILS, OTHER_ROWS, RAISES_ALONE, UNSUPPORTED

_OF_SKETCHES = ("ds_", "st_")
_NEVER_THE_SAME = {
    "current_timestamp": "each query has its own moment",
    "uuid": "each row of each query has another one",
    "cardinality_violation": "it is nothing but an error",
}
_TOGETHER = 8
_OF_ONE_HIVE = 80


StartEngine = Callable[[Path, argparse.Namespace], AbstractContextManager[CalledEngine]]
"""Starts the engine over the folder with Hive's tables."""


def _spark(tables: Path, chosen: argparse.Namespace) -> AbstractContextManager[CalledEngine]:
    jars = artifact_jars(find_jdk(), "hive", ARTIFACTS)
    return nullcontext(SparkCalls(tables, jars, Options(hive_functions=chosen.hive_functions)))


def _trino(tables: Path, chosen: argparse.Namespace) -> AbstractContextManager[CalledEngine]:
    del tables, chosen
    return trino_calls()


_ENGINES: Mapping[str, tuple[StartEngine, Mapping[str, str]]] = {
    "spark": (_spark, MISSING),
    "trino": (_trino, {}),
}
"""Engines, with the functions that are refused with any arguments, and why: Hive need not be asked."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("engine", choices=_ENGINES)
    parser.add_argument("--only", default="", help="names of functions, with commas between them")
    parser.add_argument("--keep", type=Path, help="a file of Hive's answers: it is not asked again")
    parser.add_argument("--examples", type=int, default=3, help="of what differs, at most")
    parser.add_argument("--no-hive", action="store_true", help="those in the file only")
    parser.add_argument(
        "--hive-functions",
        type=HiveFunctions,
        default=HiveFunctions.BUILT_IN,
        help="the option of that name for Spark: built-in or own-class",
    )
    chosen = parser.parse_args()
    return int(_compare(chosen, *_ENGINES[chosen.engine]))


def _compare(chosen: argparse.Namespace, start: StartEngine, missing: Mapping[str, str]) -> bool:
    """Prints the outcome of each function, and returns whether any has other rows."""
    listed = [n for n in builtin_names(Dialect.HIVE) if not why_not_callable(n, Dialect.HIVE)]
    names = chosen.only.split(",") if chosen.only else sorted(listed)
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as temporary:
        keep = chosen.keep or Path(temporary) / "answers.jsonl"
        known = read_answers(keep)
        if not chosen.no_hive:
            known = _asked([name for name in names if name not in missing], known, keep)
        told: dict[str, Sequence[Told]] = {}
        with start(_tables_of(keep), chosen) as engine:
            comparison = CallComparison(engine)
            for name in names:
                if reason := missing.get(name):
                    told[name] = [Told(UNSUPPORTED, reason, select=name)]
                else:
                    told[name] = comparison.compare(known.get(name, ()))
                _print(name, told[name], chosen.examples)
    _print_total(told, time.monotonic() - began)
    return any(one.outcome == OTHER_ROWS for some in told.values() for one in some)


def _tables_of(keep: Path) -> Path:
    return keep.with_name(f"{keep.name}.tables").resolve()


def _asked(
    names: Sequence[str], known: Mapping[str, Sequence[Answered]], keep: Path
) -> Mapping[str, Sequence[Answered]]:
    missing = [name for name in names if name not in known]
    if not missing:
        return known
    answers = dict(known)
    for part in _parts(missing):
        with (
            tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
            HiveQueries.start(Path(folder), heap_megabytes=LONG_RUN_MEGABYTES) as hive,
        ):
            rows = HiveRows(hive)
            for table in TABLES:
                copy = _tables_of(keep) / table
                (made,) = (path for path in Path(folder).glob(f"*/{table}") if path.is_dir())
                shutil.copytree(made, copy, dirs_exist_ok=True)
            for together in part:
                for name, calls in rows.calls(together).items():
                    answers[name] = calls
                    print(f"{name}: {len(calls)} calls", flush=True)
                    append_answers(keep, name, calls)
    return answers


def _parts(names: Sequence[str]) -> Iterator[Sequence[Sequence[str]]]:
    """Functions for one process of Hive, since failed jobs stay in its memory, in groups for one statement.

    Aggregates and windows form groups, since each of their statements is a job.
    """
    functions = {name: find(name, Dialect.HIVE) for name in names}
    jobs = [n for n, f in functions.items() if f and f.kind in (Kind.AGGREGATE, Kind.WINDOW)]
    others = [name for name in names if name not in jobs]
    for start in range(0, len(jobs), _TOGETHER):
        yield [jobs[start : start + _TOGETHER]]
    for start in range(0, len(others), _OF_ONE_HIVE):
        yield [[name] for name in others[start : start + _OF_ONE_HIVE]]


def _print(name: str, told: Sequence[Told], examples: int) -> None:
    differing = [one for outcome in GRAVE for one in told if one.outcome == outcome]
    outcomes = Counter(one.outcome for one in told)
    counts = ", ".join(f"{number} {outcome}" for outcome, number in outcomes.most_common())
    print(f"{name}: {counts or 'no call'}")
    for one in differing[:examples]:
        print(f"    {one.select}\n        {one.details}")
    for reason in sorted({one.details for one in told if one.outcome == UNSUPPORTED}):
        print(f"    unsupported: {reason}")


def _print_total(told: Mapping[str, Sequence[Told]], seconds: float) -> None:
    calls = sum(map(len, told.values()))
    print(f"\n{len(told)} functions, {calls} calls, {seconds:.0f} s")
    kinds: dict[str, list[str]] = {}
    for name, found in told.items():
        kinds.setdefault(_kind(found), []).append(name)
    for kind, names in kinds.items():
        print(f"{len(names):>5}  {kind}: {', '.join(names) if kind != EQUAL else ''}")
    for name in told:
        if name in _NEVER_THE_SAME:
            print(f"no two answers can be compared of {name}: {_NEVER_THE_SAME[name]}")
    comparable = [name for name in told if name not in _NEVER_THE_SAME]
    rest = [name for name in told if not name.startswith(_OF_SKETCHES)]
    of_all = ((told, ""), (comparable, " that can be compared"), (rest, " but ds_* and st_*"))
    for some, what in of_all:
        equal = len([name for name in kinds.get(EQUAL, ()) if name in some])
        if some:
            print(f"{equal} of {len(some)}{what} have equal rows: {100 * equal / len(some):.1f} %")


def _kind(told: Sequence[Told]) -> str:
    found = {one.outcome for one in told}
    if OTHER_ROWS in found:
        return "other rows"
    if RAISES_ALONE in found:
        return "equal rows, but an error elsewhere for some where Hive has a value"
    if FAILS in found:
        return "equal rows, but refused for some values when run, with the reason"
    if EQUAL in found:
        return EQUAL
    if UNSUPPORTED in found:
        return "unsupported"
    return "nothing to compare"


if __name__ == "__main__":
    sys.exit(main())
