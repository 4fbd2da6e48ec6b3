"""Column lineage judged by execution: ``make bench-lineage_truth``.

Random queries are run by Spark over tables, and over the same tables with other values in one column.
An output column whose values move must have that column in its lineage, direct or indirect: else an
edge is missed. Edges along which nothing moves in any version are the imprecision. Both are judged:
the analysis of the text, and the lineage that a view's derivation reads off its plan.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import re
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from multiprocessing.queues import Queue
from random import Random
from typing import Final

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from benchmarks.lineage_views import NUMBER, TEXT, Grower, LineageTable, tables
from benchmarks.random_views import CONF
from lakeschema.analysis.catalog import KnownCatalog, KnownTable
from lakeschema.analysis.column_lineage import column_lineage
from lakeschema.analysis.scripts import analyse
from lakeschema.analysis.syntax.dialects import grammar_of
from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect
from lakeschema.translation.derivation import derive
from lakeschema.translation.errors import TranslationError
from lakeschema.translation.interface import Options


@dataclass(frozen=True, slots=True)
class Claims:
    """Of one output column: columns of tables that it depends on, with the reason."""

    name: str
    because: Mapping[tuple[str, str], str]


@dataclass(slots=True)
class Truth:
    """What was seen of all queries.

    Attributes:
        edges: claimed, of the columns whose values were changed; ``moving`` of them moved something.
        idle: of the others, by the clause for which they are claimed.
        missed: what moved and was not claimed, with the query.
    """

    outcomes: Counter[str] = field(default_factory=Counter)
    edges: int = 0
    moving: int = 0
    idle: Counter[str] = field(default_factory=Counter)
    missed: list[str] = field(default_factory=list)

    def merge(self, other: Truth) -> None:
        self.outcomes += other.outcomes
        self.edges += other.edges
        self.moving += other.moving
        self.idle += other.idle
        self.missed += other.missed


_TYPES: Final = {NUMBER: "INT", TEXT: "STRING"}


class LineageJudge:
    """Runs a query over all versions of its tables in one statement of Spark's."""

    def __init__(self, spark: SparkSession, changes: int, versions: int) -> None:
        self._spark = spark
        self._changes = changes
        self._versions = versions
        self._lake = tables()
        catalog = KnownCatalog()
        for table in self._lake:
            columns = tuple(name for name, _ in table.columns)
            catalog = catalog.with_table(RelationName.of(table.name), KnownTable(columns))
        self._catalog = catalog
        ddl = (
            f"CREATE TABLE {table.name} ({', '.join(f'{c} {_TYPES[k]}' for c, k in table.columns)})"
            for table in self._lake
        )
        self._interfaces = {
            name: derive(relation, {}, Options()).interface
            for name, relation in relations_from_ddl(ddl, Dialect.SPARK).items()
        }

    def judge(self, seed: int, truth: Truth) -> None:
        random = Random(seed)
        text = Grower(random, self._lake).query(random.randint(1, 3))
        claims = self._analysed(text, truth, seed)
        if claims is None:
            return
        planned = self._planned(text)
        truth.outcomes["without a plan"] += planned is None
        read = [table for table in self._lake if re.search(rf"\b{table.name}\b", text)]
        rows = {table.name: table.rows(random) for table in read}
        every = [(table, column) for table in read for column in table.changeable()]
        chosen = random.sample(every, min(self._changes, len(every)))
        versions = [{}, *self._changed(chosen, rows, random)]
        values = self._run(text, rows, versions, len(claims))
        if values is None:
            truth.outcomes["fails"] += 1
            return
        truth.outcomes["judged"] += 1
        unrated, of_plans = Truth(), Truth()
        for number, (table, column) in enumerate(chosen):
            first = 1 + number * self._versions
            moved = {
                place
                for version in values[first : first + self._versions]
                for place, found in enumerate(version)
                if found != values[0][place]
            }
            # Where no version has a row, nothing could move.
            rated = any(version and version[0] for version in values)
            changed = (table.name, column)
            _compare(seed, text, claims, changed, moved, truth if rated else unrated)
            if planned is not None:
                _compare(seed, f"by the plan: {text}", planned, changed, moved, of_plans)
        truth.missed += unrated.missed + of_plans.missed
        truth.outcomes["of these without a row in any version"] += unrated.edges > 0

    def _analysed(self, text: str, truth: Truth, seed: int) -> Sequence[Claims] | None:
        (analysed,) = analyse(text, grammar_of("spark"), self._catalog)
        if analysed.resolved is None:
            truth.missed.append(f"query {seed} is not read: {analysed.error}\n  {text}")
            return None
        (lineage,) = column_lineage(analysed.resolved)
        rows = {(str(c.source), c.column): clause.value for clause, c in lineage.rows}
        return [
            Claims(
                output.column,
                rows
                | {(str(c.source), c.column): clause.value for clause, c in output.indirect}
                | {(str(c.source), c.column): "direct" for c in output.direct},
            )
            for output in lineage.columns
        ]

    def _planned(self, text: str) -> Sequence[Claims] | None:
        """None where the derivation does not support the query."""
        made = relations_from_ddl([f"CREATE VIEW v AS {text}"], Dialect.SPARK)
        view = made[RelationName.of("default", "v")]
        try:
            derivation = derive(view, self._interfaces, Options())
        except TranslationError:
            return None
        rows = {
            (i.source.relation.name, i.source.column): i.clause.value for i in derivation.rows or ()
        }
        return [
            Claims(
                column.column,
                rows
                | {
                    (i.source.relation.name, i.source.column): i.clause.value
                    for i in column.indirect
                }
                | {(s.relation.name, s.column): "direct" for s in column.sources},
            )
            for column in derivation.lineage
        ]

    def _changed(
        self,
        chosen: list[tuple[LineageTable, str]],
        rows: dict[str, list[list[str]]],
        random: Random,
    ) -> list[dict[str, list[list[str]]]]:
        """For each chosen column versions of its table, alike but for that column."""
        found = []
        for table, column in chosen:
            place = [name for name, _ in table.columns].index(column)
            for _ in range(self._versions):
                other = table.rows(random)
                changed = [
                    [*row[:place], new[place], *row[place + 1 :]]
                    for row, new in zip(rows[table.name], other, strict=True)
                ]
                found.append({table.name: changed})
        return found

    def _run(
        self,
        text: str,
        rows: dict[str, list[list[str]]],
        versions: list[dict[str, list[list[str]]]],
        width: int,
    ) -> list[list[list[str]]] | None:
        """Of each version the values of each output column, in no order; None if the query fails."""
        parts = []
        for number, changed in enumerate(versions):
            common = ", ".join(
                f"{name} AS (SELECT * FROM VALUES {_values(changed.get(name, kept))}"
                f" AS v ({self._columns(name)}))"
                for name, kept in rows.items()
            )
            parts.append(f"SELECT {number} AS version, * FROM (WITH {common} {text})")
        try:
            found = self._spark.sql(" UNION ALL ".join(parts)).collect()
        except PySparkException:
            return None
        values: list[list[list[str]]] = [[[] for _ in range(width)] for _ in versions]
        for row in found:
            for place in range(width):
                values[row[0]][place].append(repr(row[1 + place]))
        return [[sorted(column) for column in version] for version in values]

    def _columns(self, name: str) -> str:
        (table,) = (table for table in self._lake if table.name == name)
        return ", ".join(column for column, _ in table.columns)


def _values(rows: list[list[str]]) -> str:
    return ", ".join(f"({', '.join(row)})" for row in rows)


def _compare(
    seed: int,
    text: str,
    claims: Sequence[Claims],
    changed: tuple[str, str],
    moved: set[int],
    truth: Truth,
) -> None:
    for place, claim in enumerate(claims):
        why = claim.because.get(changed)
        if why is not None:
            truth.edges += 1
            truth.moving += place in moved
            if place not in moved:
                truth.idle[why] += 1
        elif place in moved:
            truth.missed.append(f"query {seed}: {'.'.join(changed)} → {claim.name}\n  {text}")


def _session() -> SparkSession:
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master("local[1]")
    for key, value in {**CONF, "spark.sql.ansi.enabled": "false"}.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session


def _work(seeds: range, changes: int, versions: int, results: Queue[Truth | int]) -> None:
    judge, truth = LineageJudge(_session(), changes, versions), Truth()
    for number, seed in enumerate(seeds, 1):
        judge.judge(seed, truth)
        if number % 100 == 0:
            results.put(100)
    results.put(truth)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", type=int, default=20_000)
    parser.add_argument("--first", type=int, default=0, help="seed of the first query")
    parser.add_argument("--changes", type=int, default=4, help="columns that are changed, of each")
    parser.add_argument("--versions", type=int, default=6, help="times that each is changed")
    parser.add_argument("--processes", type=int, default=2)
    chosen = parser.parse_args()
    context = multiprocessing.get_context("spawn")
    results: Queue[Truth | int] = context.Queue()
    seeds = range(chosen.first, chosen.first + chosen.queries)
    workers = [
        context.Process(
            target=_work,
            args=(seeds[part :: chosen.processes], chosen.changes, chosen.versions, results),
        )
        for part in range(chosen.processes)
    ]
    for worker in workers:
        worker.start()
    truth, done, left, began = Truth(), 0, len(workers), time.monotonic()
    while left:
        result = results.get()
        if isinstance(result, int):
            done += result
            print(f"{done} queries, {time.monotonic() - began:.0f} s", flush=True)
        else:
            truth.merge(result)
            left -= 1
    for worker in workers:
        worker.join()
    for missed in truth.missed:
        print(f"MISSED: {missed}")
    for outcome, count in truth.outcomes.most_common():
        print(f"{count:>8}  {outcome}")
    share = truth.moving / max(truth.edges, 1)
    print(f"{truth.edges} edges claimed, {truth.moving} moved something: {share:.1%}")
    for clause, count in truth.idle.most_common():
        print(f"{count:>8}  idle: {clause}")
    print(f"{len(truth.missed)} missed")
    return 1 if truth.missed else 0


if __name__ == "__main__":
    sys.exit(main())
