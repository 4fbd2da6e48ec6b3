"""The load time of the table of functions in a new process: ``make bench-table_load``.

The modules of functions are imported, and each dialect's names become rows. Then the parameters of each
row are parsed, as at the first call of a function. Types and plan nodes are imported before.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys

_MEASURED = """
from time import process_time
import lakeschema.catalog.sql_functions
import lakeschema.catalog.trino_types
import lakeschema.translation.plan.expressions
from lakeschema.catalog.relations import Dialect
began = process_time()
from lakeschema.translation.functions.binding import find, rows_by_name
both = (Dialect.SPARK, Dialect.HIVE)
for dialect in both:
    find("abs", dialect)
loaded = process_time()
names = {(n, d) for d in both for n in rows_by_name(d)}
for name, dialect in names:
    find(name, dialect)
read = process_time()
print(len(names), (loaded - began) * 1000, (read - loaded) * 1000)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=21, help="new processes")
    chosen = parser.parse_args()
    command = (sys.executable, "-c", _MEASURED)
    # The first one compiles.
    subprocess.run(command, check=True, capture_output=True)
    found = [_figures(command) for _ in range(chosen.repeat)]
    (names,) = {names for names, _, _ in found}
    for what, place in (("loaded", 1), ("all rows read", 2)):
        times = [figures[place] for figures in found]
        print(
            f"{what}: median {statistics.median(times):.1f} ms, best {min(times):.1f} ms of processor time"
        )
    print(f"{names:.0f} names of two dialects, {chosen.repeat} processes")


def _figures(command: tuple[str, ...]) -> tuple[float, float, float]:
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    names, loaded, read = map(float, done.stdout.split())
    return names, loaded, read


if __name__ == "__main__":
    main()
