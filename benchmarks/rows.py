"""Typed rows over Arrow, compared with records and with a loop over columns: ``make bench-rows``.

Three of 200 columns of a million rows are read. Without a package, a user writes this loop:
``for a, b, c in zip(table["a"].to_pylist(), table["b"].to_pylist(), table["c"].to_pylist())``.
Records are measured on fewer rows, and their time is extrapolated. Times are processor times.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa

from codegen.standalone import generate
from lakeschema.avro.model import Record
from lakeschema.avro.parsing import parse_schema

_COLUMNS = 200
_READ = ("column_0", "column_1", "column_2")
_KINDS: tuple[Any, ...] = ("long", "string", "double", ["null", "long"], ["null", "string"])
_MIN_OF_RECORDS = 20.0
_MAX_OF_LOOP = 1.3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--records", type=int, default=5_000, help="rows that become records")
    parser.add_argument("--rounds", type=int, default=7, help="of which the fastest counts")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        generate(_schema(), "wide", Path(folder))
        sys.path.insert(0, folder)
        package = importlib.import_module("wide")
        table = _table(chosen.rows)
        few = table.slice(0, chosen.records)
        expected = _loop(table)
        assert _rows(package, table) == expected
        assert _records(package, few) == _loop(few)
        # In turns, so that other load of the machine slows all of them.
        times = [
            (_seconds(_loop, table), _seconds(_rows, package, table)) for _ in range(chosen.rounds)
        ]
    loop, rows = (min(column) for column in zip(*times, strict=True))
    records = min(_seconds(_records, package, few) for _ in range(2)) * chosen.rows / len(few)
    print(f"{len(_READ)} of {_COLUMNS} columns of {chosen.rows:,} rows, seconds")
    print(f"  loop over Arrow's columns {loop:>8.3f}")
    print(f"  typed rows                {rows:>8.3f}  {rows / loop:.2f} of the loop's time")
    print(
        f"  records                   {records:>8.1f}  {records / rows:.0f} times that of the rows"
    )
    sys.exit(0 if rows <= _MAX_OF_LOOP * loop and records >= _MIN_OF_RECORDS * rows else 1)


def _loop(table: Any) -> float:
    total = 0.0
    columns = (table[name].to_pylist() for name in _READ)
    for number, text, amount in zip(*columns, strict=True):
        if text != "name 7":
            total += number + amount
    return total


def _rows(package: Any, table: Any) -> float:
    return _sum(package.rows(table))


def _records(package: Any, table: Any) -> float:
    return _sum(package.from_arrow(table))


def _sum(rows: Any) -> float:
    total = 0.0
    for row in rows:
        number, text, amount = row.column_0, row.column_1, row.column_2
        if text != "name 7":
            total += number + amount
    return total


def _seconds(function: Callable[..., float], *arguments: Any) -> float:
    began = time.process_time()
    function(*arguments)
    return time.process_time() - began


def _schema() -> Record:
    fields = [
        {"name": f"column_{place}", "type": _KINDS[place % len(_KINDS)]}
        for place in range(_COLUMNS)
    ]
    parsed = parse_schema(json.dumps({"type": "record", "name": "Wide", "fields": fields}))
    assert isinstance(parsed, Record)
    return parsed


def _table(rows: int) -> Any:
    kinds = (
        pa.array(range(rows), pa.int64()),
        pa.array([f"name {row % 1000}" for row in range(rows)]),
        pa.array([row / 4 for row in range(rows)]),
        pa.array([None if row % 7 == 0 else row for row in range(rows)], pa.int64()),
        pa.array([None if row % 5 == 0 else f"{row % 100}" for row in range(rows)]),
    )
    return pa.table({f"column_{place}": kinds[place % len(kinds)] for place in range(_COLUMNS)})


if __name__ == "__main__":
    main()
