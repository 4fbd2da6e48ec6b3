"""Runs of a judge over views of consecutive seeds: options, output and exit status."""

from __future__ import annotations

import argparse
import re
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from tests.judges.verdicts import ASKED, NOT_BY_POLICIES, REFUSED, Verdict

Verdicts: TypeAlias = Callable[[Sequence[int]], Sequence[Verdict]]
"""The verdicts on the views of these seeds."""

_VALUES: Final = re.compile(r"'[^']*'|\b[0-9]+\b|(?<=\bt)[0-9]+\b")
_REASONS: Final = 60
_EACH: Final = 100


@dataclass(slots=True)
class Tally:
    """Counts of views by outcome, and the reasons of refusals."""

    outcomes: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    wrong: int = 0

    def add(self, verdict: Verdict) -> None:
        self.outcomes[f"WRONG: {verdict.outcome}" if verdict.is_wrong else verdict.outcome] += 1
        self.wrong += verdict.is_wrong
        if verdict.details and not verdict.is_wrong:
            reason = _VALUES.sub("…", verdict.details)[:120]
            self.reasons[f"{verdict.outcome}: {reason}"] += 1

    def merge(self, other: Tally) -> None:
        self.outcomes += other.outcomes
        self.reasons += other.reasons
        self.wrong += other.wrong

    def report(self) -> None:
        for outcome, number in self.outcomes.most_common():
            print(f"{number:>8}  {outcome}")
        asked = sum(self.outcomes[outcome] for outcome in ASKED) + self.wrong
        refused = sum(self.outcomes[outcome] for outcome in REFUSED)
        if refused:
            print(f"\nrefused: {refused} of the {asked} that are asked, {refused / asked:.1%}")
        for reason, number in self.reasons.most_common(_REASONS):
            print(f"{number:>8}  {reason}")


def add_arguments(parser: argparse.ArgumentParser, *, views: int) -> None:
    """``views``: the default number of views."""
    parser.add_argument("--views", type=int, default=views)
    parser.add_argument("--first", type=int, default=0, help="seed of the first view")
    parser.add_argument("--minutes", type=float, default=1e6, help="stop after that many")


def one_by_one(verdict: Callable[[int], Verdict]) -> Verdicts:
    return lambda seeds: [verdict(seed) for seed in seeds]


def run(
    verdicts: Verdicts,
    seeds: Sequence[int],
    minutes: float,
    *,
    what: str = "views",
    at_once: int = 1,
) -> bool:
    """Whether anything is wrong.

    Args:
        verdicts: the judge.
        seeds: the seeds of the views.
        minutes: the time after which the run stops.
        what: the judged things, in the plural.
        at_once: how many views the judge gets together.
    """
    began = time.monotonic()
    tally = Tally()
    for start in range(0, len(seeds), at_once):
        some = seeds[start : start + at_once]
        for seed, verdict in zip(some, verdicts(some), strict=True):
            tally.add(verdict)
            if verdict.is_wrong or verdict.outcome == NOT_BY_POLICIES:
                mark = "WRONG: " if verdict.is_wrong else ""
                print(f"{mark}{verdict.outcome} (view {seed}): {verdict.details}\n", flush=True)
        seconds = time.monotonic() - began
        done = tally.outcomes.total()
        if at_once > 1 or done % _EACH == 0:
            print(f"{done} of {len(seeds)} {what}, {seconds:.0f} s", flush=True)
        if seconds > 60 * minutes:
            break
    shown = f"{tally.outcomes.total()} {what} from seed {seeds[0]}"
    print(f"\n{shown}, {time.monotonic() - began:.0f} s")
    tally.report()
    return tally.wrong > 0
