"""Spark's own event log as an independent word on what queries read: ``make bench-event_log``.

TPC-DS and TPC-H run over empty tables with ``spark.eventLog.enabled``. Of each query the log has its text
and its plans: which columns the analysed plan uses, which ones the scans of the physical plan read, and
which columns joins compare. Our table and column access and our joins are held against them.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeVar

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from benchmarks.foreign_keys import TPCH_KEYS, Column, Pair, tpcds_keys
from benchmarks.lineage_speed import tpcds
from benchmarks.random_views import CONF
from lakeschema.analysis.catalog import KnownCatalog, KnownTable
from lakeschema.analysis.column_access import column_access
from lakeschema.analysis.joins import joins
from lakeschema.analysis.scripts import analyse
from lakeschema.analysis.syntax.dialects import grammar_of
from lakeschema.analysis.table_access import table_access
from lakeschema.analysis.tracing import BaseColumn
from lakeschema.catalog.identifiers import RelationName

Found = TypeVar("Found", str, Column)
_TPCH: Final = Path(__file__).parents[1] / "tests/data/tpch"
_STARTED: Final = "org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart"
_RELATION: Final = re.compile(r"Relation spark_catalog\.(\w+)\.(\w+)\[([^\]]*)\]")
_ATTRIBUTE: Final = re.compile(r"\b\w+#(\d+)L?\b")
_ALIAS: Final = re.compile(r"\b\w+#(\d+)L? AS \w+#(\d+)L?\b")
_AS: Final = re.compile(r"\b\w+#(\d+)L? AS ")
_EQUAL: Final = re.compile(r"\(\w+#(\d+)L? <?=>? \w+#(\d+)L?\)")
_SCAN: Final = re.compile(r"Scan parquet spark_catalog\.\w+\.(\w+)")
_FIELD: Final = re.compile(r"[<,](\w+):")
_CONF: Final[Mapping[str, str]] = {
    "spark.eventLog.enabled": "true",
    "spark.eventLog.compress": "false",
    "spark.eventLog.rolling.enabled": "false",
    "spark.sql.ui.explainMode": "extended",
    "spark.sql.debug.maxToStringFields": "10000",
    "spark.sql.maxMetadataStringLength": "1000000",
    # Without rows some quotients are of zeros.
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


@dataclass(frozen=True, slots=True)
class Logged:
    """What the event log says of one query.

    Attributes:
        used: columns that the analysed plan uses.
        scanned: columns that the physical plan reads; tables of which it reads rows alone have none.
        compared: columns that joins of the optimised plan compare by equality.
    """

    text: str
    tables: frozenset[str]
    used: frozenset[Column]
    scanned: frozenset[Column]
    compared: frozenset[Pair]


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
    # Names in double quotes are texts to Spark.
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
    """Why queries cannot be run."""
    session.sparkContext.setJobDescription("tables")
    session.sql(f"CREATE DATABASE {suite.name}")
    session.sql(f"USE {suite.name}")
    for statement in suite.ddl:
        session.sql(statement)
    for number, text in enumerate(suite.queries, 1):
        # As Spark's own command line and its JDBC server do.
        session.sparkContext.setJobDescription(text)
        try:
            session.sql(text.strip().rstrip(";")).collect()
        except PySparkException as error:
            yield f"{suite.name} {number} is not run: {str(error).strip()[:150]}"


def read_events(file: Path, texts: Iterable[str]) -> Iterator[Logged]:
    wanted = set(texts)
    with file.open(encoding="utf-8") as stream:
        for line in stream:
            event = json.loads(line)
            if event["Event"] == _STARTED and event["description"] in wanted:
                yield _logged(event)


def _logged(event: Mapping[str, Any]) -> Logged:
    sections = dict(
        re.findall(r"(?ms)^== ([\w ]+) ==\n(.*?)(?=^== |\Z)", event["physicalPlanDescription"])
    )
    analysed, optimised = sections["Analyzed Logical Plan"], sections["Optimized Logical Plan"]
    columns = _columns(analysed)
    used = {columns[id_] for id_ in _ids(analysed) if id_ in columns}
    scans = list(_scans(event["sparkPlanInfo"]))
    return Logged(
        event["description"],
        frozenset(table for table, _, _ in columns_of_relations(analysed)),
        frozenset(used),
        frozenset((table, column) for table, names in scans for column in names),
        frozenset(_compared(optimised)),
    )


def columns_of_relations(plan: str) -> Iterator[tuple[str, str, str]]:
    """Table, column and Spark's number of each column of each read."""
    for _, table, attributes in _RELATION.findall(plan):
        for attribute in attributes.split(","):
            column, _, number = attribute.partition("#")
            yield table, column.strip(), number.rstrip("L")


def _columns(plan: str) -> dict[str, Column]:
    return {number: (table, column) for table, column, number in columns_of_relations(plan)}


def _ids(plan: str) -> set[str]:
    """Of attributes that something uses.

    Grouping sets are an Expand over a Project, which both hand all columns on.
    """
    found: set[str] = set()
    hands_on = False
    for line in plan.splitlines():
        if _RELATION.search(line) or " Expand [" in line:
            hands_on = " Expand [" in line
        else:
            found.update((_AS if hands_on else _ATTRIBUTE).findall(line))
            hands_on = False
    return found


def _scans(info: Mapping[str, Any]) -> Iterator[tuple[str, Sequence[str]]]:
    found = _SCAN.search(info["nodeName"])
    if found:
        yield found[1], _FIELD.findall(info["metadata"].get("ReadSchema", ""))
    for child in info["children"]:
        yield from _scans(child)


def _compared(plan: str) -> Iterator[Pair]:
    columns = _columns(plan)
    # Of what is only named anew, the column that it was.
    renamed = {new: old for old, new in _ALIAS.findall(plan)}
    for line in plan.splitlines():
        for numbers in _EQUAL.findall(line) if re.search(r"\bJoin \w+", line) else ():
            ends = []
            for number in numbers:
                while number not in columns and number in renamed:
                    number = renamed[number]  # noqa: PLW2901 (it is followed to its origin)
                ends.append(columns.get(number))
            first, second = ends
            if first is not None and second is not None and first[0] != second[0]:
                yield _pair(first, second)


def _pair(first: Column, second: Column) -> Pair:
    return min(first, second), max(first, second)


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
        pairs = {_pair(_named(a), _named(b)) for a, b in joins(analysed.resolved)}
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
    """Whether the two are equal because others are."""
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
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master("local[1]")
    settings = {
        **CONF,
        **_CONF,
        "spark.eventLog.dir": f"file://{folder}",
        "spark.sql.warehouse.dir": f"{folder}/warehouse",
    }
    for key, value in settings.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session


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
