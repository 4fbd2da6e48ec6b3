"""Recorded cases of lineage: our answers and other tools', in one run: ``make bench-lineage CASES=FILE``.

A case counts if all its tables, or columns, equal the author's. For columns, precision and recall of
edges are also shown. Names are compared without quotation marks and case.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeAlias

from benchmarks.lineage_cases import plain, read_answer, request_of
from lakeschema.analysis.batch import answer

OURS: Final = "ours"
Columns: TypeAlias = set[tuple[tuple[str, ...], str]]


@dataclass(frozen=True, slots=True)
class Said:
    """A tool's answer to one case, or None."""

    tables: tuple[set[str], set[str]] | None
    columns: Columns | None
    seconds: float


@dataclass(slots=True)
class Score:
    cases: int = 0
    exact: int = 0
    right: int = 0
    said: int = 0
    wanted: int = 0
    seconds: list[float] = field(default_factory=list)


def ours(cases: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, str, Said]]:
    for case in cases:
        began = time.perf_counter()
        reply = answer(request_of(case))
        seconds = time.perf_counter() - began
        found = read_answer(case, reply)
        yield OURS, case["id"], Said((found.sources, found.targets), found.columns, seconds)


def theirs(cases: list[Mapping[str, Any]], python: Path) -> Iterator[tuple[str, str, Said]]:
    script = Path(__file__).with_name("lineage_peers.py")
    done = subprocess.run(
        [str(python), str(script)],
        input=json.dumps(cases),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=True,
    )
    for line in done.stdout.splitlines():
        reply = json.loads(line)
        said = Said(None, None, reply["seconds"])
        if "error" not in reply:
            columns = {
                (tuple(sorted(map(plain, sources))), plain(target))
                for sources, target in reply["columns"]
                if sources
            }
            tables = (set(map(plain, reply["sources"])), set(map(plain, reply["targets"])))
            said = Said(tables, columns, reply["seconds"])
        yield reply["tool"], reply["id"], said


def _edges(columns: Columns) -> set[tuple[str, str]]:
    return {(source, target) for sources, target in columns for source in sources}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=Path)
    parser.add_argument("--peers", type=Path, help="Python of the environment with the other tools")
    chosen = parser.parse_args()
    every = json.loads(chosen.cases.read_text(encoding="utf-8"))
    cases = {
        case["id"]: case
        for case in every
        if case["expected"].get("tables") or case["expected"].get("columns")
    }
    scores: dict[tuple[str, str, str], Score] = defaultdict(Score)
    said = ours(cases.values())
    for tool, id_, found in [
        *said,
        *(theirs([*cases.values()], chosen.peers) if chosen.peers else ()),
    ]:
        case = cases[id_]
        expected = case["expected"]
        if expected.get("tables"):
            score = scores[case["source"], "tables", tool]
            wanted = tuple(set(map(plain, expected["tables"][s])) for s in ("sources", "targets"))
            score.cases += 1
            score.exact += found.tables == wanted
            score.seconds.append(found.seconds)
        if expected.get("columns"):
            score = scores[case["source"], "columns", tool]
            columns: Columns = {
                (tuple(sorted(map(plain, sources))), plain(target))
                for sources, target in expected["columns"]
                if sources
            }
            score.cases += 1
            score.exact += {c for c in found.columns or () if c[0]} == columns
            edges, claimed = _edges(columns), _edges(found.columns or set())
            score.wanted += len(edges)
            score.said += len(claimed)
            score.right += len(edges & claimed)
            score.seconds.append(found.seconds)
    for (suite, what, tool), score in sorted(scores.items()):
        edges_shown = ""
        if what == "columns":
            precision, recall = score.right / max(score.said, 1), score.right / max(score.wanted, 1)
            edges_shown = f"  edges right {precision:6.1%}, found {recall:6.1%}"
        middle = sorted(score.seconds)[len(score.seconds) // 2] * 1000
        print(
            f"{suite:<13}{what:<9}{tool:<13}{score.exact:>4} of {score.cases:>4}"
            f"{score.exact / score.cases:8.1%}  {middle:8.2f} ms{edges_shown}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
