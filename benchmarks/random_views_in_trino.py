"""Random views for Trino against Trino itself: ``make bench-random_views_in_trino``.

The views are those of ``random_views``, seed by seed. Each is run in Spark, and what is emitted of it for
Trino in Trino, over the same rows; columns, types and rows must be equal. Half of the views are of ANSI
mode. Exit status: 0 if nothing is wrong.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections import Counter

from tests.judges.sessions import spark_and_trino
from tests.judges.views.elsewhere import ASKED, REFUSED, Verdict
from tests.judges.views.in_trino import TrinoJudge

_VALUES = re.compile(r"'[^']*'|\b[0-9]+\b")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--views", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0, help="seed of the first view")
    parser.add_argument("--seeds", type=int, nargs="+", help="of these views alone")
    parser.add_argument("--minutes", type=float, default=1e6, help="stop after that many")
    chosen = parser.parse_args()
    with spark_and_trino() as (spark, trino):
        return _run(TrinoJudge(spark, trino), chosen)


def _run(judge: TrinoJudge, chosen: argparse.Namespace) -> int:
    began = time.monotonic()
    outcomes: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    seeds = chosen.seeds or range(chosen.first, chosen.first + chosen.views)
    for number, seed in enumerate(seeds, 1):
        verdict = judge.verdict(seed)
        outcomes[_counted(verdict)] += 1
        if verdict.is_wrong:
            print(f"WRONG: {verdict.outcome} (view {seed}): {verdict.details}\n", flush=True)
        elif verdict.outcome in REFUSED:
            reasons[f"{verdict.outcome}: {_VALUES.sub('…', verdict.details)[:120]}"] += 1
        seconds = time.monotonic() - began
        if number % 100 == 0:
            print(f"{number} of {len(seeds)} views, {seconds:.0f} s", flush=True)
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
    print(f"\nrefused: {refused} of the {asked} that Spark reads, {refused / max(asked, 1):.1%}")
    for reason, number in reasons.most_common(60):
        print(f"{number:>8}  {reason}")


if __name__ == "__main__":
    sys.exit(main())
