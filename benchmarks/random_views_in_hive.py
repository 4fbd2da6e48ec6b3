"""Random views of Spark's, written for Hive: ``make bench-random_views_in_hive``: rows in Hive beside Spark's.

Exit status: 0 if no view has other rows, types or order, or a text that Hive refuses.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter

from tests.judges.sessions import spark_and_hive
from tests.judges.views.elsewhere import ASKED, REFUSED
from tests.judges.views.in_hive import HiveJudge

_REASONS = 15
_EACH = 100


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--views", type=int, default=500)
    parser.add_argument("--first", type=int, default=0, help="seed of the first view")
    parser.add_argument("--seeds", type=int, nargs="*", help="these views, and no others")
    chosen = parser.parse_args()
    seeds = chosen.seeds or range(chosen.first, chosen.first + chosen.views)
    began = time.monotonic()
    outcomes, reasons, wrong = Counter[str](), Counter[str](), 0
    with spark_and_hive() as (spark, hive, folder):
        judge = HiveJudge(spark, hive, folder)
        for number, seed in enumerate(seeds, 1):
            verdict = judge.verdict(seed)
            outcomes[verdict.outcome] += 1
            if verdict.outcome in REFUSED:
                reasons[verdict.details[:110]] += 1
            if verdict.is_wrong:
                wrong += 1
                print(
                    f"WRONG: {verdict.outcome} (view {seed}): {verdict.details[:6000]}\n",
                    flush=True,
                )
            if number % _EACH == 0:
                print(f"{number} views, {time.monotonic() - began:.0f} s", flush=True)
    print(f"\n{sum(outcomes.values())} views, {time.monotonic() - began:.0f} s")
    for outcome, number in outcomes.most_common():
        print(f"{number:>7}  {outcome}")
    asked = sum(outcomes[outcome] for outcome in ASKED)
    refused = sum(outcomes[outcome] for outcome in REFUSED)
    if asked:
        print(f"refused: {100 * refused / asked:.1f} % of {asked} that Spark reads")
    for reason, number in reasons.most_common(_REASONS):
        print(f"{number:>7}  {reason}")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
