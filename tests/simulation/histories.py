"""Plays many histories from fresh seeds, over all worlds, and summarises them: ``make histories``.

If a history breaks a promise, the run prints a command that repeats it, and ends with 1. With
``--mutants``, engines that lack a safeguard play until the first broken promise. An engine that
survives its budget proves a gap, and the run also ends with 1.
"""

from __future__ import annotations

import argparse
import logging
import multiprocessing
import secrets
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from publisher.daemon.assembly import Deployment
from publisher.daemon.engine import Engine
from tests.simulation.features import LANDED, Feature
from tests.simulation.mutants import MUTANTS
from tests.simulation.mutations import MUTATIONS
from tests.simulation.simulation import assemble
from tests.simulation.stage import stay_on_one_core
from tests.simulation.story import LENGTH, Report, play

if TYPE_CHECKING:
    from multiprocessing.sharedctypes import Synchronized

_SEEDS = 2**32
_CHUNK = 50


@dataclass(frozen=True, slots=True)
class Divergence:
    seed: int
    error: str


@dataclass(frozen=True, slots=True)
class Plan:
    """``features``: the features that a world may have."""

    features: frozenset[Feature]
    length: int

    def play_all(
        self, seeds: Iterable[int], assemble: Callable[[Deployment], Engine] = assemble
    ) -> Sequence[Report | Divergence]:
        _be_silent()
        return [self.play(seed, assemble) for seed in seeds]

    def play(self, seed: int, assemble: Callable[[Deployment], Engine]) -> Report | Divergence:
        try:
            return play(seed, assemble, self.length, self.features)
        # One history may fail with any error; the others continue.
        except Exception as error:  # noqa: BLE001
            return Divergence(seed, f"{type(error).__name__}: {error}")


def _be_silent() -> None:
    """Silences the engine's log, which only the simulation reads."""
    logging.getLogger("publisher").propagate = False


def first_divergence(
    plan: Plan, assemble: Callable[[Deployment], Engine], first: int, budget: int
) -> tuple[int, Divergence | None]:
    """How many histories an engine survived, and the history that it did not survive."""
    _be_silent()
    for number in range(budget):
        result = plan.play(first + number, assemble)
        if isinstance(result, Divergence):
            return number, result
    return budget, None


@dataclass(frozen=True, slots=True)
class Catch:
    """``by`` names what caught a mutant after ``histories`` others; "" if nothing did."""

    mutant: str
    histories: int
    by: str


def catch(mutant: str, plan: Plan, first: int, budget: int) -> Catch:
    """Plays an engine without one safeguard, a class or an edited text.

    A history that the complete engine does not survive catches no mutant.
    """
    tests = MUTATIONS[mutant].tests if mutant in MUTATIONS else ()
    if tests:
        ran = _mutated(mutant, first, budget)
        return Catch(mutant, 0, "its tests" if ran.returncode == 1 else "")
    played = 0
    while played < budget:
        number, error = _first_divergence_of(mutant, plan, first + played, budget - played)
        played += number
        if not error or isinstance(plan.play(first + played, assemble), Report):
            return Catch(mutant, played, error)
        played += 1
    return Catch(mutant, played, "")


def _first_divergence_of(mutant: str, plan: Plan, first: int, budget: int) -> tuple[int, str]:
    if mutant in MUTANTS:
        number, found = first_divergence(plan, MUTANTS[mutant], first, budget)
        return number, "" if found is None else found.error
    ran = _mutated(mutant, first, budget)
    text, _, error = ran.stdout.strip().partition(" ")
    return int(text), error


def _mutated(mutant: str, first: int, budget: int) -> subprocess.CompletedProcess[str]:
    """A mutation edits modules as they are imported, so it needs a separate process."""
    command = [sys.executable, "-m", "tests.simulation.mutated", mutant, str(first), str(budget)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    if ran.returncode not in {0, 1} or not ran.stdout:
        raise RuntimeError(ran.stderr[-2000:])
    return ran


def main() -> int:
    chosen = _arguments()
    first = secrets.randbelow(_SEEDS) if chosen.seed is None else chosen.seed
    plan = Plan(_features(chosen.worlds), chosen.length)
    started = multiprocessing.Value("i", 0)
    with ProcessPoolExecutor(chosen.processes, None, _begin_process, (started,)) as pool:
        diverged = _play_histories(pool, plan, range(first, first + chosen.count))
        survived = _play_mutants(pool, plan, first, chosen) if chosen.mutants else 0
    return 1 if diverged or survived else 0


def _begin_process(started: Synchronized[int]) -> None:
    with started:
        started.value += 1
        number = started.value
    stay_on_one_core(number)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1_000, help="histories to play")
    parser.add_argument("--seed", type=int, help="the first seed (default: a fresh one)")
    parser.add_argument("--length", type=int, default=LENGTH, help="what happens in a history")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument(
        "--worlds",
        default="landed",
        help="landed: what the engine is known to survive; all; or names with commas between",
    )
    parser.add_argument(
        "--mutants", nargs="*", help="play these engines without a safeguard too (default: all)"
    )
    parser.add_argument("--budget", type=int, default=3_000, help="histories for each mutant")
    chosen = parser.parse_args()
    if chosen.mutants is not None:
        chosen.mutants = chosen.mutants or [*MUTANTS, *MUTATIONS]
    return chosen


def _features(worlds: str) -> frozenset[Feature]:
    match worlds:
        case "landed":
            return LANDED
        case "all":
            return frozenset(Feature)
        case _:
            return frozenset(Feature[name.upper()] for name in worlds.split(","))


def _play_histories(pool: ProcessPoolExecutor, plan: Plan, seeds: range) -> int:
    began = time.monotonic()
    chunks = [seeds[start : start + _CHUNK] for start in range(0, len(seeds), _CHUNK)]
    reports: list[Report] = []
    diverged = 0
    for results in pool.map(plan.play_all, chunks):
        for result in results:
            if isinstance(result, Report):
                reports.append(result)
            else:
                diverged += 1
                _show(result, plan)
    seconds = time.monotonic() - began
    print(f"{len(seeds)} histories from seed {seeds.start}, {seconds:.0f} s: {diverged} diverged")
    for line in summary(reports):
        print(line)
    return diverged


def _show(divergence: Divergence, plan: Plan) -> None:
    worlds = ",".join(sorted(f.name.lower() for f in plan.features))
    print(
        f"seed {divergence.seed}: {divergence.error:.300}\n  repeat with: "
        f".venv/bin/python -m tests.simulation.histories --count 1 --seed {divergence.seed} "
        f"--length {plan.length} --worlds {worlds}",
        flush=True,
    )


def summary(reports: Sequence[Report]) -> Sequence[str]:
    """The lengths of the histories, and their worlds."""
    if not reports:
        return []
    faulty = sum(report.faults > 0 for report in reports)
    worlds = Counter(f.name.lower() for report in reports for f in report.features)
    return [
        _quantiles("DDL statements in a history", [r.events for r in reports]),
        _quantiles("relations", [r.relations for r in reports]),
        _quantiles("versions", [r.versions for r in reports]),
        _quantiles("faults inside publications", [r.faults for r in reports]),
        f"with a fault inside a publication: {100 * faulty / len(reports):.0f} %",
        *(f"  {100 * n / len(reports):3.0f} % {name}" for name, n in sorted(worlds.items())),
    ]


def _quantiles(what: str, values: Iterable[int]) -> str:
    ordered = sorted(values)
    at = [ordered[int(share * (len(ordered) - 1))] for share in (0.05, 0.25, 0.5, 0.75, 0.95)]
    return f"{what}: 5 % {at[0]}, 25 % {at[1]}, median {at[2]}, 75 % {at[3]}, 95 % {at[4]}"


def _play_mutants(
    pool: ProcessPoolExecutor, plan: Plan, first: int, chosen: argparse.Namespace
) -> int:
    """How many mutants without a second safeguard survived."""
    play = partial(catch, plan=plan, first=first, budget=chosen.budget)
    survived = 0
    for found in pool.map(play, chosen.mutants):
        backup = MUTATIONS[found.mutant].backup if found.mutant in MUTATIONS else ""
        if found.by:
            print(f"caught after {found.histories:5}: {found.mutant} ({found.by:.90})", flush=True)
        elif backup:
            print(f"backed up by {backup!r}: {found.mutant}", flush=True)
        else:
            survived += 1
            print(f"SURVIVED {found.histories:5} histories: {found.mutant}", flush=True)
    return survived


if __name__ == "__main__":
    sys.exit(main())
