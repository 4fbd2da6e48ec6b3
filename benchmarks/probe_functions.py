"""Compares every built-in function of an engine with the engine: ``make probe-functions``.

Each is called over columns and values of many types. The engine gives the types of the calls. It also
computes the calls that we say have a part which is never null: over all rows, and row by row if a row
fails.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from deploy.hive import LONG_RUN_MEGABYTES, HiveQueries
from lakeschema.translation.functions.builtin_names import builtin_names
from tests.judges.functions.findings import (
    COVERED,
    ENOUGH,
    OUTSIDE,
    Coverage,
    Finding,
    OurAnswers,
    probe,
)
from tests.judges.functions.hive_functions import HiveFunctions
from tests.judges.functions.judges import FunctionJudge, SparkFunctions
from tests.judges.functions.kept_findings import append_finding, read_findings
from tests.lakeschema.translation.asked_types import RECORDED, Engine


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    words = {engine.value.replace("_", "-"): engine for engine in Engine}
    parser.add_argument("--engine", choices=words, default="spark")
    parser.add_argument("--only", default="", help="names of functions, with commas between them")
    parser.add_argument("--examples", type=int, default=3, help="of what is wrong, at most")
    parser.add_argument("--accept", action="store_true", help="record the engine's answers")
    parser.add_argument("--keep", type=Path, help="a file of findings: those in it are not asked")
    chosen = parser.parse_args()
    engine = words[chosen.engine]
    kept = chosen.keep if chosen.keep and chosen.keep.exists() else None
    findings = {f.name: f for f in (read_findings(kept) if kept else ())}
    names = chosen.only.split(",") if chosen.only else sorted(builtin_names(engine.dialect))
    began = time.monotonic()
    answers: dict[str, str] = {}
    try:
        with opened_judge(engine) as judge:
            ours = OurAnswers(engine)
            for name in (name for name in names if name not in findings):
                findings[name] = probe(engine, judge, ours, name, answers)
                _print(findings[name], chosen.examples)
                if chosen.keep:
                    append_finding(chosen.keep, findings[name])
    finally:
        whole = not chosen.only and not chosen.keep
        moved = _moved(engine, answers, keep=not whole, accept=chosen.accept)
    _print_total(list(findings.values()), time.monotonic() - began)
    wrong = {Coverage.WRONG_TYPE, Coverage.FALSE_REQUIRED}
    sys.exit(1 if moved or any(f.verdict in wrong for f in findings.values()) else 0)


@contextmanager
def opened_judge(engine: Engine, *, only_optimised: bool = False) -> Iterator[FunctionJudge]:
    """``only_optimised``: refuses calls that Hive compiles only without its optimiser, with other types."""
    if engine is Engine.HIVE:
        with (
            tempfile.TemporaryDirectory() as folder,
            HiveQueries.start(Path(folder), heap_megabytes=LONG_RUN_MEGABYTES) as hive,
        ):
            yield HiveFunctions(hive, only_optimised=only_optimised)
    else:
        yield SparkFunctions(ansi=engine is Engine.SPARK)


def _print(finding: Finding, examples: int) -> None:
    print(f"{finding.name}: {finding.verdict.value}; {finding.counts}", flush=True)
    for verdict, found in finding.examples.items():
        for example in found[:examples]:
            print(f"    {verdict.value}: {example}")
        if len(found) > examples:
            print(f"    {verdict.value}: {len(found) - examples} more")


def _print_total(findings: Sequence[Finding], seconds: float) -> None:
    made, accepted = sum(f.calls for f in findings), sum(f.accepted for f in findings)
    print(f"\n{len(findings)} functions, {made} calls, {accepted} accepted, {seconds:.0f} s")
    total = Counter(finding.verdict for finding in findings)
    for verdict in Coverage:
        print(f"{total[verdict]:>6}  {verdict.value}")
    inside = [finding for finding in findings if finding.verdict not in OUTSIDE]
    covered = sum(finding.verdict in COVERED for finding in inside)
    if inside:
        share = 100 * covered / len(inside)
        print(
            f"{covered} of {len(inside)} are covered ({share:.1f} %):"
            f" {ENOUGH} calls confirmed, or all that there are"
        )
    for verdict in (v for v in Coverage if v not in COVERED):
        if names := [f"{f.name} ({f.confirmed})" for f in findings if f.verdict is verdict]:
            print(f"{verdict.value}: {', '.join(names)}")


def _moved(engine: Engine, answers: Mapping[str, str], *, keep: bool, accept: bool) -> bool:
    """Prints recorded answers that the engine now gives differently; ``accept`` records the new ones.

    ``keep``: answers that were not asked again stay recorded.
    """
    path = RECORDED / f"probed_{engine.value}.tsv"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    known = dict(line.split("\t") for line in lines)
    moved = {q: a for q, a in answers.items() if known.get(q, a) != a}
    for question, answer in moved.items():
        print(f"moved: {question}: {known[question]} was recorded, now {answer}")
    new = sum(question not in known for question in answers)
    print(f"{len(known)} answers recorded; {len(moved)} moved, {new} new")
    if accept:
        every = {**(known if keep else {}), **answers}
        # A line is one answer.
        text = "".join(f"{q}\t{a}\n" for q, a in sorted(every.items()) if q.isprintable())
        path.write_text(text, encoding="utf-8")
    return bool(moved)


if __name__ == "__main__":
    main()
