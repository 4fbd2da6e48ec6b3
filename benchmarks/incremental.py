"""Stored views on Spark: refreshed by random inserts, and read by random queries: ``make bench-incremental``.

The rows that a view had, with what its refresh adds to them or merges into them, have to be the rows
of the view's own text over the tables as they are then; a query over a stored view has to have the
rows of its own text. Exit status: 0 if all are equal or refused.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections import Counter
from collections.abc import Callable

from tests.judges.sessions import start_spark
from tests.judges.views import refreshed, stored
from tests.judges.views.refreshed import RefreshJudge, Verdict
from tests.judges.views.stored import StoredViewJudge


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--views", type=int, default=1000)
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0, help="seed of the first view, and query")
    parser.add_argument("--minutes", type=float, default=1e6, help="stop each half after that many")
    chosen = parser.parse_args()
    session = start_spark()
    refreshes, queries = RefreshJudge(session), StoredViewJudge(session)
    seeds = [range(chosen.first, chosen.first + n) for n in (chosen.views, chosen.queries)]
    wrong = _judged(
        "refreshed views",
        lambda seed: refreshes.verdict(refreshes.case(seed)),
        seeds[0],
        refreshed.FINE,
        chosen.minutes,
    )
    wrong += _judged(
        "queries over stored views",
        lambda seed: queries.verdict(queries.case(seed)),
        seeds[1],
        stored.FINE,
        chosen.minutes,
    )
    return int(wrong > 0)


def _judged(
    what: str,
    judge: Callable[[int], Verdict],
    seeds: range,
    fine: frozenset[str],
    minutes: float,
) -> int:
    """Reports how many ended how; the number of wrong ones."""
    began = time.monotonic()
    outcomes: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    for seed in seeds:
        verdict = judge(seed)
        is_wrong = verdict.outcome not in fine
        outcomes[f"WRONG: {verdict.outcome}" if is_wrong else verdict.outcome] += 1
        if is_wrong:
            print(f"WRONG: {verdict.outcome} (seed {seed}): {verdict.details}", flush=True)
        elif verdict.details:
            reasons[f"{verdict.outcome}: {re.sub('t[0-9]+', 't', verdict.details)[:100]}"] += 1
        if outcomes.total() % 100 == 0:
            print(f"{outcomes.total()} {what}, {time.monotonic() - began:.0f} s", flush=True)
        if time.monotonic() - began > 60 * minutes:
            break
    print(f"\n{outcomes.total()} {what} from seed {seeds.start}, {time.monotonic() - began:.0f} s")
    for outcome, number in outcomes.most_common():
        print(f"{number:>8}  {outcome}")
    print()
    for reason, number in reasons.most_common(30):
        print(f"{number:>8}  {reason}")
    return sum(number for outcome, number in outcomes.items() if outcome.startswith("WRONG"))


if __name__ == "__main__":
    sys.exit(main())
