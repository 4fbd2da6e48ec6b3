"""Hive's functions as Spark SQL: ``make bench-hive_in_spark``: rows in Hive beside rows in Spark.

Each function that Hive lists and a view can call is called over columns and values of many types. The rows
that Hive returns are held against those that Spark returns for the Spark SQL that we emit for the call.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.hive_answers import TABLES, Answered, HiveRows, append_answers, read_answers
from benchmarks.spark_rows import Outcome, SparkCalls, Told
from deploy.hive import LONG_RUN_MEGABYTES, HiveQueries
from deploy.jars import artifact_jars
from deploy.jdk import find_jdk
from lakeschema.catalog.relations import Dialect
from lakeschema.translation.emission.hive_classes import ARTIFACTS
from lakeschema.translation.emission.hive_missing import MISSING
from lakeschema.translation.functions.binding import find
from lakeschema.translation.functions.builtin_names import builtin_names
from lakeschema.translation.functions.not_callable import why_not_callable
from lakeschema.translation.functions.signature import Kind
from lakeschema.translation.interface import HiveFunctions, Options

_OF_SKETCHES = ("ds_", "st_")
_NEVER_THE_SAME = {
    "current_timestamp": "each query has its own moment",
    "uuid": "each row of each query has another one",
    "cardinality_violation": "it is nothing but an error",
}
_EQUAL = "equal rows"
_AT_ONCE = 8


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="names of functions, with commas between them")
    parser.add_argument("--keep", type=Path, help="a file of Hive's answers: it is not asked again")
    parser.add_argument("--examples", type=int, default=3, help="of what differs, at most")
    parser.add_argument("--no-hive", action="store_true", help="those in the file only")
    parser.add_argument(
        "--hive-functions",
        type=HiveFunctions,
        default=HiveFunctions.BUILT_IN,
        help="the option of that name: built-in or own-class",
    )
    chosen = parser.parse_args()
    listed = [n for n in builtin_names(Dialect.HIVE) if not why_not_callable(n, Dialect.HIVE)]
    names = chosen.only.split(",") if chosen.only else sorted(listed)
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as temporary:
        keep = chosen.keep or Path(temporary) / "answers.jsonl"
        known = read_answers(keep)
        if not chosen.no_hive:
            known = _asked(names, known, keep)
        jars = artifact_jars(find_jdk(), "hive", ARTIFACTS)
        spark = SparkCalls(_tables_of(keep), jars, Options(hive_functions=chosen.hive_functions))
        told: dict[str, Sequence[Told]] = {}
        for name in names:
            told[name] = _missing(name) or spark.compare(known.get(name, ()))
            _print(name, told[name], chosen.examples)
    _print_total(told, time.monotonic() - began)


def _missing(name: str) -> Sequence[Told]:
    """What is refused whatever it is called with: Hive need not be asked."""
    reason = MISSING.get(name)
    return [] if reason is None else [Told(name, Outcome.UNSUPPORTED, reason)]


def _tables_of(keep: Path) -> Path:
    return keep.with_name(f"{keep.name}.tables").resolve()


def _asked(
    names: Sequence[str], known: Mapping[str, Sequence[Answered]], keep: Path
) -> Mapping[str, Sequence[Answered]]:
    missing = [name for name in names if name not in known and name not in MISSING]
    if not missing:
        return known
    answers = dict(known)
    with (
        tempfile.TemporaryDirectory() as folder,
        HiveQueries.start(Path(folder), heap_megabytes=LONG_RUN_MEGABYTES) as hive,
    ):
        rows = HiveRows(hive)
        for table in TABLES:
            copy = _tables_of(keep) / table
            (made,) = (path for path in Path(folder).glob(f"*/{table}") if path.is_dir())
            shutil.copytree(made, copy, dirs_exist_ok=True)
        for some in _at_once(missing):
            for name, calls in rows.calls(some).items():
                answers[name] = calls
                print(f"{name}: {len(calls)} calls", flush=True)
                append_answers(keep, name, calls)
    return answers


def _at_once(names: Sequence[str]) -> Iterator[Sequence[str]]:
    """Aggregates and windows in parts, since each statement of theirs is a job; the others alone."""
    functions = {name: find(name, Dialect.HIVE) for name in names}
    jobs = [n for n, f in functions.items() if f and f.kind in (Kind.AGGREGATE, Kind.WINDOW)]
    for start in range(0, len(jobs), _AT_ONCE):
        yield jobs[start : start + _AT_ONCE]
    yield from ([name] for name in names if name not in jobs)


def _print(name: str, told: Sequence[Told], examples: int) -> None:
    differing = [one for one in told if one.outcome in (Outcome.DIFFERS, Outcome.RAISES)]
    counts = ", ".join(f"{n} {outcome.value}" for outcome, n in _counts(told))
    print(f"{name}: {counts or 'no call'}")
    for one in differing[:examples]:
        print(f"    {one.select}\n        {one.details}")
    for reason in sorted({one.details for one in told if one.outcome is Outcome.UNSUPPORTED}):
        print(f"    unsupported: {reason}")


def _counts(told: Sequence[Told]) -> Iterator[tuple[Outcome, int]]:
    for outcome in Outcome:
        if number := sum(one.outcome is outcome for one in told):
            yield outcome, number


def _print_total(told: Mapping[str, Sequence[Told]], seconds: float) -> None:
    calls = sum(map(len, told.values()))
    print(f"\n{len(told)} functions, {calls} calls, {seconds:.0f} s")
    kinds: dict[str, list[str]] = {}
    for name, found in told.items():
        kinds.setdefault(_kind(found), []).append(name)
    for kind, names in kinds.items():
        print(f"{len(names):>5}  {kind}: {', '.join(names) if kind != _EQUAL else ''}")
    for name in told:
        if name in _NEVER_THE_SAME:
            print(f"no two answers can be compared of {name}: {_NEVER_THE_SAME[name]}")
    comparable = [name for name in told if name not in _NEVER_THE_SAME]
    rest = [name for name in told if not name.startswith(_OF_SKETCHES)]
    of_all = ((told, ""), (comparable, " that can be compared"), (rest, " but ds_* and st_*"))
    for some, what in of_all:
        equal = len([name for name in kinds.get(_EQUAL, ()) if name in some])
        if some:
            print(f"{equal} of {len(some)}{what} have equal rows: {100 * equal / len(some):.1f} %")


def _kind(told: Sequence[Told]) -> str:
    found = {one.outcome for one in told}
    if Outcome.DIFFERS in found:
        return "other rows"
    if Outcome.RAISES in found:
        return "equal rows, but an error in Spark for some where Hive has a value"
    if Outcome.EQUAL in found:
        return _EQUAL
    if Outcome.UNSUPPORTED in found:
        return "unsupported"
    return "nothing to compare"


if __name__ == "__main__":
    main()
