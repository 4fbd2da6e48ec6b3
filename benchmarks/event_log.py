"""Spark's own event log as an independent judge of the columns that queries read: ``make bench-event_log``.

TPC-DS and TPC-H run over empty tables with ``spark.eventLog.enabled``. The log has each query's text and
plans: the columns that the analysed plan uses, that the scans of the physical plan read, and that joins
compare. Our table and column access and our joins are compared with them.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeVar

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from benchmarks.lineage_speed import tpcds
from lakeschema.analysis.catalog import KnownCatalog, KnownTable
from lakeschema.analysis.column_access import column_access
from lakeschema.analysis.joins import joins
from lakeschema.analysis.scripts import analyse
from lakeschema.analysis.syntax.dialects import grammar_of
from lakeschema.analysis.table_access import table_access
from lakeschema.analysis.tracing import BaseColumn
from lakeschema.catalog.identifiers import RelationName
from tests.judges.queries.event_log import Logged, read_events
from tests.judges.queries.foreign_keys import TPCH_KEYS, Column, Pair, pair_of, tpcds_keys
from tests.judges.sessions import RUN_ONCE, start_spark

Found = TypeVar("Found", str, Column)
_TPCH: Final = Path(__file__).parents[1] / "tests/data/tpch"
_CONF: Final[Mapping[str, str]] = {
    "spark.eventLog.enabled": "true",
    "spark.eventLog.compress": "false",
    "spark.eventLog.rolling.enabled": "false",
    "spark.sql.ui.explainMode": "extended",
    "spark.sql.debug.maxToStringFields": "10000",
    "spark.sql.maxMetadataStringLength": "1000000",
    # Over no rows, some quotients divide by zero.
    "spark.sql.ansi.enabled": "false",
    "spark.sql.catalogImplementation": "in-memory",
}


@dataclass(frozen=True, slots=True)
class Suite:
    name: str
    tables: Mapping[str, Sequence[str]]
    ddl: Sequence[str]
    queries: Sequence[str]
    keys: frozenset[Pair]


@dataclass(slots=True)
class Figures:
    counts: Counter[str] = field(default_factory=Counter)
    told: list[str] = field(default_factory=list)
    keys_used: set[Pair] = field(default_factory=set)
    keys_found: set[Pair] = field(default_factory=set)
    pairs: set[Pair] = field(default_factory=set)


def suites() -> Iterator[Suite]:
    schema, texts = tpcds()
    made = [
        f"CREATE TABLE {table} ({', '.join(f'{c} {t}' for c, t in columns.items())}) USING parquet"
        for table, columns in schema.items()
    ]
    tables = {table: tuple(columns) for table, columns in schema.items()}
    # Spark reads names in double quotes as texts.
    quoted = [re.sub(r'"([^"]*)"', r"`\1`", text) for text in texts]
    yield Suite("tpcds", tables, made, quoted, tpcds_keys(tables))
    statements = [each for each in (_TPCH / "tables.sql").read_text().split(";") if each.strip()]
    queries = [path.read_text() for path in sorted(_TPCH.glob("q*.sql"))]
    named = [
        (each.split()[2], re.findall(r"\b(\w+) [A-Z]{3,}", each.partition("(")[2]))
        for each in statements
    ]
    stored = [f"{each.strip()} USING parquet" for each in statements]
    yield Suite("tpch", dict(named), stored, queries, TPCH_KEYS)


def run(suite: Suite, session: SparkSession) -> Iterator[str]:
    """Runs the queries; yields the reasons of those that fail."""
    session.sparkContext.setJobDescription("tables")
    session.sql(f"CREATE DATABASE {suite.name}")
    session.sql(f"USE {suite.name}")
    for statement in suite.ddl:
        session.sql(statement)
    for number, text in enumerate(suite.queries, 1):
        # Spark's command line and JDBC server do the same.
        session.sparkContext.setJobDescription(text)
        try:
            session.sql(text.strip().rstrip(";")).collect()
        except PySparkException as error:
            yield f"{suite.name} {number} is not run: {str(error).strip()[:150]}"


def compare(suite: Suite, logged: Iterable[Logged], figures: Figures) -> None:
    catalog = KnownCatalog(
        {RelationName.of(t): KnownTable(tuple(columns)) for t, columns in suite.tables.items()}
    )
    for each in logged:
        (analysed,) = analyse(each.text, grammar_of("spark"), catalog)
        place = f"{suite.name} {suite.queries.index(each.text) + 1}"
        figures.counts["queries"] += 1
        if analysed.resolved is None:
            figures.counts["missed: whole query"] += 1
            figures.told.append(f"{place} is not read: {analysed.error}")
            continue
        tables = {str(source) for _, source in table_access(analysed.resolved)}
        ours = {_named(column) for column, _ in column_access(analysed.resolved)}
        pairs = {pair_of(_named(a), _named(b)) for a, b in joins(analysed.resolved)}
        _count(figures, place, "tables", tables, set(each.tables))
        _count(figures, place, "columns", ours, set(each.used))
        missed = set(each.scanned) - ours
        figures.counts["columns that are scanned"] += len(each.scanned)
        figures.counts["missed: columns that are scanned"] += len(missed)
        figures.counts["columns that the optimiser spares"] += len(ours - each.scanned)
        figures.told += [f"{place} misses {'.'.join(c)}, which is scanned" for c in sorted(missed)]
        _count_joins(figures, place, pairs, each.compared, suite.keys)


def _count(figures: Figures, place: str, what: str, ours: set[Found], theirs: set[Found]) -> None:
    figures.counts[what] += len(theirs)
    for kind, found in (("missed", theirs - ours), ("extra", ours - theirs)):
        figures.counts[f"{kind}: {what}"] += len(found)
        figures.told += [f"{place} {kind}: {each}" for each in sorted(found)]


def _count_joins(
    figures: Figures, place: str, ours: set[Pair], compared: frozenset[Pair], keys: frozenset[Pair]
) -> None:
    inferred = {pair for pair in compared - ours if _follows(pair, ours)}
    figures.counts["joined columns that the optimiser inferred from others"] += len(inferred)
    stated = compared - inferred
    used = stated & keys
    figures.counts["foreign keys that are compared"] += len(used)
    figures.counts["missed: foreign keys"] += len(used - ours)
    figures.told += [f"{place} misses the key {pair}" for pair in sorted(used - ours)]
    figures.counts["missed: joined columns"] += len(stated - ours)
    figures.counts["joined columns"] += len(stated)
    figures.told += [f"{place} misses the join {pair}" for pair in sorted(stated - keys - ours)]
    figures.keys_used |= used
    figures.keys_found |= ours & keys
    figures.pairs |= ours
    targets: dict[Column, set[Column]] = {}
    for first, second in keys:
        targets.setdefault(first, set()).add(second)
        targets.setdefault(second, set()).add(first)
    figures.counts["pairs"] += len(ours)
    figures.counts["pairs that are foreign keys"] += len(ours & keys)
    related = [p for p in ours - keys if targets.get(p[0], set()) & targets.get(p[1], set())]
    figures.counts["pairs that share the key that they refer to"] += len(related)


def _follows(pair: Pair, others: set[Pair]) -> bool:
    """Whether the pair's equality follows from other pairs."""
    reached, pending = {pair[0]}, [pair[0]]
    while pending:
        at = pending.pop()
        beside = {end for other in others if at in other for end in other} - reached
        reached |= beside
        pending += beside
    return pair[1] in reached


def _named(column: BaseColumn) -> Column:
    return str(column.source), column.column


def _session(folder: str) -> SparkSession:
    return start_spark(
        {
            **RUN_ONCE,
            **_CONF,
            "spark.eventLog.dir": f"file://{folder}",
            "spark.sql.warehouse.dir": f"{folder}/warehouse",
        }
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--log", type=Path, help="an event log of an earlier run, instead of a run")
    parser.add_argument("--keep", type=Path, help="where the event log is kept")
    chosen = parser.parse_args()
    found = list(suites())
    with tempfile.TemporaryDirectory() as folder:
        log = chosen.log or _run(found, folder)
        if chosen.keep:
            chosen.keep.write_bytes(log.read_bytes())
        figures = {suite.name: Figures() for suite in found}
        for suite in found:
            compare(suite, read_events(log, suite.queries), figures[suite.name])
    for name, each in figures.items():
        _show(name, each)
    return int(
        any(count for f in figures.values() for k, count in f.counts.items() if "missed" in k)
    )


def _run(found: Iterable[Suite], folder: str) -> Path:
    session = _session(folder)
    for suite in found:
        for why in run(suite, session):
            print(why)
    name = session.sparkContext.applicationId
    session.stop()
    return Path(folder) / name


def _show(name: str, figures: Figures) -> None:
    for line in figures.told:
        print(line)
    for what, count in sorted(figures.counts.items()):
        print(f"{name:<6}{count:>7}  {what}")
    keys = len(figures.keys_used)
    print(f"{name:<6}{keys:>7}  different foreign keys that are compared, ", end="")
    print(f"{len(figures.keys_used & figures.keys_found)} found; ", end="")
    print(f"{len(figures.pairs)} different pairs, {len(figures.keys_found)} of them foreign keys")


if __name__ == "__main__":
    sys.exit(main())
