"""Looks for new counterexamples: every property and every seeded test, round after round, with new seeds.

Ends at the first find, with the command that repeats it; Ctrl-C ends the search.
"""

from __future__ import annotations

import argparse
import itertools
import secrets
import shlex
import subprocess
import sys
from collections.abc import Sequence

from tests.effort import HUNT

# 32 bits: enough that no round repeats another, and short enough to be typed.
_SEEDS = 2**32
_NO_TESTS_FAILED = 0


def command(seed: int, expression: str, arguments: Sequence[str]) -> list[str]:
    """One round. A seed gives the same examples to a test, whichever tests run beside it."""
    return [
        *(sys.executable, "-m", "pytest", "--quiet", "--exitfirst", "--numprocesses=auto"),
        *("--hypothesis-profile", HUNT, f"--hypothesis-seed={seed}", f"--first-seed={seed}"),
        *("-m", f"(hypothesis or seeded) and ({expression})"),
        *(arguments or ["tests"]),
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, help="stop after so many (default: never)")
    parser.add_argument("-m", dest="expression", default="not integration and not spark")
    parser.add_argument("tests", nargs="*", help="files or folders (default: tests)")
    chosen = parser.parse_args()
    rounds = itertools.count(1) if chosen.rounds is None else range(1, chosen.rounds + 1)
    for number in rounds:
        seed = secrets.randbelow(_SEEDS)
        round_ = command(seed, chosen.expression, chosen.tests)
        print(f"\nround {number}: {shlex.join(round_)}", flush=True)
        if (ended := subprocess.run(round_, check=False).returncode) != _NO_TESTS_FAILED:
            return ended
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
