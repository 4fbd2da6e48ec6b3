"""Random views of Hive against Pig itself: ``make bench-random_views_in_pig``.

Each view is grown from a seed over random nested tables. Hive runs the view's own text, and Pig the
script that is emitted of it, over the same files; types, schemas and rows must be equal. Exit status: 0
if nothing is wrong.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.judges.views.in_pig import (
    ASKED,
    REFUSED,
    PigJudge,
    Verdict,
    pig_judge,
)

_AT_ONCE = 24
_VALUES = re.compile(r"'[^']*'|\b[0-9]+\b")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--views", type=int, default=2_000)
    parser.add_argument("--first", type=int, default=0, help="seed of the first view")
    parser.add_argument("--seeds", type=int, nargs="+", help="of these views alone")
    parser.add_argument("--minutes", type=float, default=1e6, help="stop after that many")
    parser.add_argument("--at-once", type=int, default=_AT_ONCE, help="scripts in a run of Pig's")
    chosen = parser.parse_args()
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        pig_judge(Path(folder)) as judge,
    ):
        return _run(judge, chosen)


def _run(judge: PigJudge, chosen: argparse.Namespace) -> int:
    began = time.monotonic()
    outcomes: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    seeds = chosen.seeds or range(chosen.first, chosen.first + chosen.views)
    for start in range(0, len(seeds), chosen.at_once):
        some = seeds[start : start + chosen.at_once]
        for seed, verdict in zip(some, judge.verdicts(some), strict=True):
            outcomes[_counted(verdict)] += 1
            if verdict.is_wrong:
                print(f"WRONG: {verdict.outcome} (view {seed}): {verdict.details}\n", flush=True)
            elif verdict.outcome in REFUSED:
                reasons[_VALUES.sub("…", verdict.details)[:120]] += 1
        seconds = time.monotonic() - began
        print(f"{outcomes.total()} of {len(seeds)} views, {seconds:.0f} s", flush=True)
        if seconds > 60 * chosen.minutes:
            break
    _report(outcomes, reasons, seeds[0], time.monotonic() - began)
    return int(any(outcome.startswith("WRONG") for outcome in outcomes))


def _counted(verdict: Verdict) -> str:
    return f"WRONG: {verdict.outcome}" if verdict.is_wrong else verdict.outcome


def _report(outcomes: Counter[str], reasons: Counter[str], first: int, seconds: float) -> None:
    print(f"\n{outcomes.total()} views from seed {first}, {seconds:.0f} s")
    for outcome, number in outcomes.most_common():
        print(f"{number:>8}  {outcome}")
    asked = sum(n for outcome, n in outcomes.items() if outcome in ASKED or outcome[:5] == "WRONG")
    refused = sum(outcomes[outcome] for outcome in REFUSED)
    print(f"\nrefused: {refused} of the {asked} that Hive reads, {refused / max(asked, 1):.1%}")
    for reason, number in reasons.most_common(60):
        print(f"{number:>8}  {reason}")


if __name__ == "__main__":
    sys.exit(main())
