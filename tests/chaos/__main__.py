"""``make chaos SECONDS=900 SEED=7``: one run, and its report.

Exit status: 0 nothing found, 1 something found, 3 the run could not be carried out.
"""

from __future__ import annotations

import argparse
import logging
import secrets
import signal
import sys
import time
from pathlib import Path

from deploy.errors import StackError
from tests.chaos.fault_kinds import GAPS
from tests.chaos.report import report_of, to_json, to_text
from tests.chaos.run import RunFailed, RunOptions, run

_SEEDS = 2**32


def main() -> int:
    parser = argparse.ArgumentParser(prog="make chaos", description=__doc__)
    parser.add_argument("--seconds", type=float, default=900.0, help="default: %(default)g")
    parser.add_argument("--seed", type=int, default=None, help="default: a new one")
    parser.add_argument("--settle-seconds", type=float, default=300.0)
    parser.add_argument("--report", type=Path, default=None, help="a folder, made anew")
    parser.add_argument(
        "--without",
        action="append",
        choices=sorted(GAPS),
        default=[],
        help="a target to leave alone; several are possible",
    )
    chosen = parser.parse_args()
    seed = secrets.randbelow(_SEEDS) if chosen.seed is None else chosen.seed
    folder = chosen.report or Path("build/chaos") / f"{time.strftime('%Y%m%d-%H%M%S')}-{seed}"
    folder.mkdir(parents=True)
    print(f"seed {seed}, journals and report in {folder}", flush=True)
    # Both Ctrl-C and SIGTERM unwind, so that nothing is left running.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    # Thrift logs each connection that fails; here failures are expected.
    logging.getLogger("thrift").setLevel(logging.CRITICAL)
    options = RunOptions(
        seconds=chosen.seconds,
        seed=seed,
        settle_seconds=chosen.settle_seconds,
        journals=folder.resolve(),
        without=frozenset(chosen.without),
    )
    try:
        report = report_of(options, run(options))
    except (RunFailed, StackError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 3
    (folder / "report.json").write_text(to_json(report))
    (folder / "report.txt").write_text(to_text(report))
    print(to_text(report), end="")
    return 0 if report.passed else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
