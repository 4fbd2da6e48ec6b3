"""Explores the publication protocol in every state of a scope: ``make protocol``."""

from __future__ import annotations

import argparse
import logging
import sys
import time

from tests.simulation.protocol.exploration import explore
from tests.simulation.protocol.small_scope import Scope, SmallScope
from tests.simulation.stage import stay_on_one_core


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", default="a,ab,a", help="the table's columns, one after another")
    parser.add_argument("--published", type=int, default=0, help="how many of them beforehand")
    parser.add_argument("--crashes", type=int, default=1)
    parser.add_argument("--losses", type=int, default=1, help="of requests or answers of the index")
    parser.add_argument("--expiries", type=int, default=1)
    parser.add_argument("--from-claim", action="store_true", help="stop before the settlement too")
    parser.add_argument("--max-states", type=int, help="stop after so many (default: visit all)")
    chosen = parser.parse_args()
    logging.disable(logging.CRITICAL)
    scope = Scope(
        tuple(chosen.tables.split(",")),
        chosen.published,
        chosen.crashes,
        chosen.losses,
        chosen.expiries,
        chosen.from_claim,
    )
    stay_on_one_core(0)
    began = time.monotonic()
    found = explore(lambda: SmallScope(scope), chosen.max_states, _show_progress)
    seconds = time.monotonic() - began
    print(f"{scope}: {found.states} states, {found.ends} ends, {seconds:.0f} s")
    if found.broken is not None:
        path, error = found.broken
        print(f"broken: {error}", *path, sep="\n  ")
        return 1
    print("0 violations" + (" so far" if found.states == chosen.max_states else ""))
    return 0


def _show_progress(states: int, branches: int) -> None:
    print(f"\r{states} states, {branches} branches to follow ", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
