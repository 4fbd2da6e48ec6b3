"""Hive's functions as Trino SQL: ``make bench-hive_in_trino``: rows in Hive beside rows in Trino.

The calls, and Hive's rows of them, are those of ``hive_in_spark``; the rows are held against those that
Trino returns for the SQL that we emit for the call. Exit status: 0 if no call has other rows.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from benchmarks.hive_elsewhere import add_arguments, compare
from tests.judges.functions.trino_rows import trino_calls


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    add_arguments(parser)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        return int(compare(chosen, lambda _: trino_calls(Path(folder)), {}))


if __name__ == "__main__":
    sys.exit(main())
