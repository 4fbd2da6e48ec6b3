"""Recorded views, compared with rows as Pig prints them: ``make bench-pig-cases CASES=cases.json``.

A case is {"id", "kind": "pig", "tables", "data", "views" or "expect": {"query"}, "expect":
{"output_any_order"}}. The ``pig_loader`` of a table reads it from JSON lines. Exit status: 0 if each
case is equal or refused, otherwise 1.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.seeded import Tally
from deploy.pig import PigQueries
from deploy.refused import Refused
from lakeschema.translation.requests.batch import answer
from tests.judges.verdicts import EQUAL, OTHER_ROWS, REFUSED_TEXT, UNSUPPORTED, Verdict

_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:E-?[0-9]+)?")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=Path)
    parser.add_argument("--only", default="", help="cases whose id has this text")
    chosen = parser.parse_args()
    cases = [
        case
        for case in json.loads(chosen.cases.read_text())
        if case.get("kind") == "pig" and chosen.only in case["id"]
    ]
    tally = Tally()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        root = Path(folder)
        with PigQueries.start(root / "pig") as pig:
            for case in cases:
                verdict = _verdict(case, root / "data", pig)
                tally.add(verdict)
                if verdict.outcome != EQUAL:
                    print(f"{case['id']}: {verdict.outcome}: {verdict.details}", flush=True)
    tally.report()
    return int(tally.wrong > 0)


def _verdict(case: Mapping[str, Any], folder: Path, pig: PigQueries) -> Verdict:
    query = case["expect"]["query"]
    request = {
        "id": 0,
        "ddl": [*(table["ddl"] for table in case["tables"]), f"CREATE VIEW case_view AS {query}"],
        "relation": "default.case_view",
        "to": "pig",
        "options": {"pig_loads": _loads(case, folder)},
    }
    reply = answer(request)
    if "error" in reply:
        return Verdict(UNSUPPORTED, reply["error"]["message"])
    result = reply["result"]
    script = "\n".join((*result["defines"], *result["statements"]))
    try:
        rows = pig.answer(script, result["alias"]).rows
    except Refused as error:
        return Verdict(REFUSED_TEXT, str(error))
    found = sorted(_comparable(f"({','.join(map(_printed, row))})") for row in rows)
    expected = sorted(map(_comparable, case["expect"]["output_any_order"]))
    if found == expected:
        return Verdict(EQUAL)
    return Verdict(OTHER_ROWS, f"{query}: expected {expected}, got {found}")


def _loads(case: Mapping[str, Any], folder: Path) -> Sequence[Mapping[str, str]]:
    """Writes each table's rows to a file; returns a rule for each table."""
    rules = []
    for table in case["tables"]:
        path = folder / case["id"].replace("#", "_") / table["name"]
        path.parent.mkdir(parents=True, exist_ok=True)
        rows = case["data"][table["name"]]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        rules.append({"table": table["name"], "path": path.as_uri(), "loader": table["pig_loader"]})
    return rules


def _printed(value: Any) -> str:
    """The value as Pig prints it; a list inside a row is a bag of tuples."""
    if isinstance(value, list):
        bag = bool(value) and all(isinstance(item, list) for item in value)
        inner = ",".join(map(_printed, value))
        return f"{{{inner}}}" if bag else f"({inner})"
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)


def _comparable(text: str) -> str:
    """The text with numbers in one spelling."""
    return _NUMBER.sub(lambda number: repr(float(number[0])), text)


if __name__ == "__main__":
    sys.exit(main())
