"""Time from a query's text to its column lineage, compared with sqlglot: ``make bench-lineage_speed``.

The queries are TPC-DS's, with known columns of tables. Our time includes the direct and indirect sources
of every column; sqlglot's includes parse, qualify and the direct lineage of every output column. Figures
are processor time: rounds alternate, and the best round of each query counts.
"""

from __future__ import annotations

import argparse
import ast
import statistics
import time
from collections.abc import Callable, Mapping, Sequence

from sqlglot.errors import SqlglotError
from sqlglot.lineage import lineage

from benchmarks.corpus.projects import PROJECTS, source_of
from lakeschema.analysis.catalog import KnownCatalog, KnownTable
from lakeschema.analysis.column_lineage import column_lineage
from lakeschema.analysis.scripts import analyse
from lakeschema.analysis.syntax.dialects import grammar_of
from lakeschema.catalog.identifiers import RelationName

Schema = Mapping[str, Mapping[str, str]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    chosen = parser.parse_args()
    schema, texts = tpcds()
    catalog = KnownCatalog(
        {RelationName.of(table): KnownTable(tuple(columns)) for table, columns in schema.items()}
    )
    best: dict[str, list[float]] = {}
    for _ in range(chosen.rounds):
        for name, work in (
            ("ours", lambda text: _ours(text, catalog)),
            ("sqlglot", lambda text: _sqlglots(text, schema)),
        ):
            seconds = [_timed(work, text) for text in texts]
            best[name] = list(map(min, best.get(name, seconds), seconds))
    both = [pair for pair in zip(best["ours"], best["sqlglot"], strict=True) if max(pair) < 1e9]
    print(f"{len(texts)} queries, {len(both)} that both read")
    for name, column in zip(best, zip(*both, strict=True), strict=True):
        ordered = sorted(column)
        middle, late = statistics.median(ordered), ordered[int(len(ordered) * 0.95)]
        print(f"{name:<10}{middle * 1000:8.2f} ms median{late * 1000:9.2f} ms at 95 %")
    print(
        f"ratio of the medians {statistics.median(a for a, _ in both) / statistics.median(b for _, b in both):.2f}"
    )


def _timed(work: Callable[[str], None], text: str) -> float:
    began = time.process_time()
    try:
        work(text)
    except (SqlglotError, ValueError):
        return 1e9
    return time.process_time() - began


def _ours(text: str, catalog: KnownCatalog) -> None:
    for analysed in analyse(text, grammar_of("ansi"), catalog):
        if analysed.resolved is None:
            raise ValueError(text)
        column_lineage(analysed.resolved)


def _sqlglots(text: str, schema: Schema) -> None:
    lineage(None, text, {table: dict(columns) for table, columns in schema.items()})


def tpcds() -> tuple[Schema, Sequence[str]]:
    """Tables and queries from sqlglot's own tests in the registry."""
    folder = source_of("sqlglot", PROJECTS["sqlglot"])
    (helpers,) = folder.rglob("tests/helpers.py")
    (queries,) = folder.rglob("tpc-ds/tpc-ds.sql")
    found = [
        node.value
        for node in ast.parse(helpers.read_text()).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "TPCDS_SCHEMA"
    ]
    # Each query is followed by sqlglot's optimised form.
    texts = [
        "\n".join(line for line in part.splitlines() if not line.startswith(("--", "#")))
        for part in queries.read_text().split(";")
    ]
    return ast.literal_eval(found[0]), [text for text in texts if text.strip()][0::2]


if __name__ == "__main__":
    main()
