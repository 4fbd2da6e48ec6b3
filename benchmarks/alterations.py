"""Hive's forms of ALTER, run by Hive: the columns after each are those that a folder of DDL reads.

A form that Hive's settings or the table refuse, which its grammar reads, is counted.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from deploy.hive import HiveAnswer, HiveQueries
from deploy.refused import Refused
from tests.lakeschema.catalog.alterations import HIVE, HIVE_TABLE, SAME


def main() -> int:
    equal = refused = 0
    wrong: list[str] = []
    with (
        tempfile.TemporaryDirectory() as directory,
        HiveQueries.start(Path(directory)) as hive,
    ):
        hive.run("CREATE TABLE s (a int, b string) PARTITIONED BY (p string)")
        for statement, expected in HIVE:
            hive.run("DROP TABLE IF EXISTS t", HIVE_TABLE, "ALTER TABLE t ADD PARTITION (p='1')")
            before = _columns(hive)
            (answer,) = hive.run(statement)
            found = _columns(hive)
            if isinstance(answer, Refused):
                refused += 1
                if "ParseException" in answer.message:
                    wrong.append(f"{statement}: {answer.message}")
            elif found == (before if expected == SAME else expected):
                equal += 1
            else:
                wrong.append(f"{statement}: {found}")
    print(f"{equal} of {len(HIVE)} forms equal, {refused} refused by Hive, {len(wrong)} otherwise")
    print("\n".join(wrong))
    return 1 if wrong else 0


def _columns(hive: HiveQueries) -> str:
    (answer,) = hive.run("DESCRIBE t")
    if not isinstance(answer, HiveAnswer):
        return ""
    shown: list[str] = []
    for row in answer.rows:
        name, type_, comment = (part.strip() for part in row.split("\t"))
        if not name:
            break
        shown.append(f"{name} {type_}{f' {comment!r}' if comment else ''}")
    return ", ".join(shown)


if __name__ == "__main__":
    sys.exit(main())
