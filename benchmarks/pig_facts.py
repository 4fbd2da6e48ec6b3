"""Facts of Hive, translated for Pig and run: ``make bench-pig FACTS=facts.json TABLES=tables.json``.

A fact is {"id", "sql", "source_types", "source_result", "equal", "ordered"}: a query, its rows in
Hive, and whether some Pig script is known to return them. A table is {"columns": [[name, type]],
"rows"}. Exit status: 0 if each fact is equal or refused, 1 if one has other rows or fails.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.seeded import Tally
from deploy.pig import PigQueries
from deploy.refused import Refused
from lakeschema.catalog.column_types import parse_type
from lakeschema.translation.requests.batch import answer
from tests.judges.hive_and_pig import DATABASE, Table, comparable, hive_and_pig, read_tables
from tests.judges.verdicts import EQUAL, OTHER_ROWS, REFUSED_TEXT, UNSUPPORTED, Verdict


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("facts", type=Path)
    parser.add_argument("tables", type=Path)
    parser.add_argument("--only", default="", help="facts whose id has this text")
    chosen = parser.parse_args()
    tables = read_tables(json.loads(chosen.tables.read_text()))
    facts = [f for f in json.loads(chosen.facts.read_text()) if chosen.only in f["id"]]
    tally = Tally()
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        hive_and_pig(Path(folder), tables) as (_, pig),
    ):
        for fact in facts:
            verdict = _verdict(fact, tables, pig)
            tally.add(verdict)
            if verdict.outcome != EQUAL:
                print(f"{fact['id']}: {verdict.outcome}: {verdict.details}", flush=True)
    tally.report()
    return int(tally.wrong > 0)


def _verdict(fact: Mapping[str, Any], tables: Mapping[str, Table], pig: PigQueries) -> Verdict:
    reply = _translated(fact["sql"], tables)
    if "error" in reply:
        known = ", although a script is known" if fact["equal"] else ""
        return Verdict(UNSUPPORTED, f"{reply['error']['message']}{known}")
    result = reply["result"]
    script = "\n".join((*result["defines"], *result["statements"]))
    types = [parse_type(text) for text in fact["source_types"]]
    ordered = bool(fact.get("ordered"))
    try:
        found = comparable(
            pig.answer(script, result["alias"]).rows, types, ordered=ordered, bags=True
        )
    except Refused as error:
        return Verdict(REFUSED_TEXT, str(error))
    expected = comparable(fact["source_result"], types, ordered=ordered)
    if found == expected:
        return Verdict(EQUAL)
    return Verdict(OTHER_ROWS, f"expected {expected}, got {found}\n{script}")


def _translated(sql: str, tables: Mapping[str, Table]) -> dict[str, Any]:
    ddl = [f"CREATE TABLE {DATABASE}.`{name}` ({held.ddl})" for name, held in tables.items()]
    request = {
        "id": 0,
        "ddl": [*ddl, f"USE {DATABASE}", f"CREATE VIEW fact_view AS {sql}"],
        "relation": f"{DATABASE}.fact_view",
        "to": "pig",
    }
    return answer(request)


if __name__ == "__main__":
    sys.exit(main())
