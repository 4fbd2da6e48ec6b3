"""Column lineage judged by execution: ``make bench-lineage_truth``.

Random views are run by Spark, then again with other values in one column of one table. An output
column whose values move must have that column in its lineage, direct or indirect: else an edge is
missed. Edges along which nothing ever moves are the imprecision.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from random import Random

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from benchmarks.random_views import CONF
from lakeschema.analysis.catalog import KnownCatalog, KnownTable
from lakeschema.analysis.column_lineage import RelationLineage, column_lineage
from lakeschema.analysis.scripts import analyse
from lakeschema.analysis.syntax.dialects import grammar_of
from lakeschema.catalog.identifiers import RelationName
from tests.lakeschema.translation.growing.tables import Table, random_table, value_text
from tests.lakeschema.translation.growing.views import RandomView, random_view

_TABLES = 40
_MAX_ROWS = 20_000


@dataclass(slots=True)
class Truth:
    """What was seen of all views.

    Attributes:
        edges: claimed, of the columns whose values were changed; ``moving`` of them moved something.
        missed: what moved and was not claimed, with the view.
    """

    outcomes: Counter[str] = field(default_factory=Counter)
    edges: int = 0
    moving: int = 0
    idle: Counter[str] = field(default_factory=Counter)
    missed: list[str] = field(default_factory=list)


class LineageJudge:
    """A lake of random tables; each view is grown over it from a seed of its own."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark
        random = Random(1)
        self._tables = [random_table(random, f"t{number}") for number in range(_TABLES)]
        catalog = KnownCatalog()
        for table in self._tables:
            columns = tuple(name for name, _ in table.columns)
            catalog = catalog.with_table(RelationName.of(table.name), KnownTable(columns))
            self._register(table.name, table.rows)
        self._catalog = catalog

    def judge(self, seed: int, truth: Truth, changes: int, versions: int) -> None:
        random = Random(seed)
        tables = random.sample(self._tables, 3)
        text = _whole(random_view(random, tables, random.randint(2, 6)))
        (analysed,) = analyse(text, grammar_of("spark"), self._catalog)
        if analysed.resolved is None:
            truth.outcomes[f"not read: {analysed.error}"[:80]] += 1
            return
        (lineage,) = column_lineage(analysed.resolved)
        before = self._columns(text)
        if before is None or len(before) != len(lineage.columns):
            truth.outcomes["fails" if before is None else "columns differ"] += 1
            return
        again = self._columns(text)
        steady = [first == second for first, second in zip(before, again or before, strict=True)]
        read = [table for table in tables if re.search(rf"\b{table.name}\b", text)]
        # Keys of joins are left alone: other keys would leave nothing of most views.
        columns = [(t, n) for t in read for n in range(1, len(t.columns))]
        truth.outcomes["judged"] += 1
        for table, place in random.sample(columns, min(changes, len(columns))):
            moved: set[int] = set()
            for version in range(versions):
                after = self._columns(self._changed(text, table, place, Random(f"{seed}{version}")))
                if after is not None:
                    moved |= {n for n, values in enumerate(after) if values != before[n]}
            self._compare(seed, text, lineage, table, place, moved, steady, truth)

    def _compare(
        self,
        seed: int,
        text: str,
        lineage: RelationLineage,
        table: Table,
        place: int,
        moved: set[int],
        steady: Sequence[bool],
        truth: Truth,
    ) -> None:
        column = table.columns[place][0]
        changed = (RelationName.of(table.name), column)
        rows = {(c.source, c.column): clause for clause, c in lineage.rows}
        for number, output in enumerate(lineage.columns):
            if not steady[number]:
                continue
            direct = {(c.source, c.column) for c in output.direct}
            own = {(c.source, c.column): clause for clause, c in output.indirect}
            claimed = changed in direct or changed in own or changed in rows
            if claimed:
                truth.edges += 1
                truth.moving += number in moved
                if number not in moved:
                    why = (
                        "direct" if changed in direct else (own.get(changed) or rows[changed]).value
                    )
                    truth.idle[why] += 1
            elif number in moved:
                truth.missed.append(
                    f"view {seed}: {table.name}.{column} → {output.column}\n  {text}"
                )

    def _changed(self, text: str, table: Table, place: int, random: Random) -> str:
        """The view over the table with other values in one column."""
        name, type_ = table.columns[place]
        nulls = 0 if name in table.required else 0.2
        rows = []
        for row in table.rows:
            parts = _split(row)
            parts[place] = f"{value_text(random, type_, nulls)} AS {name}"
            rows.append(", ".join(parts))
        other = f"{table.name}__changed"
        self._register(other, rows)
        return re.sub(rf"\b{table.name}\b", other, text)

    def _register(self, name: str, rows: Sequence[str]) -> None:
        frame = self._spark.sql(" UNION ALL ".join(f"SELECT {row}" for row in rows))
        kept = self._spark.createDataFrame(frame.collect(), frame.schema)
        kept.coalesce(1).createOrReplaceTempView(name)

    def _columns(self, text: str) -> list[list[str]] | None:
        """The values of each output column, in no order; None if the view fails or is too large."""
        try:
            rows = self._spark.sql(text).limit(_MAX_ROWS + 1).collect()
            width = len(self._spark.sql(text).columns)
        except PySparkException:
            return None
        if len(rows) > _MAX_ROWS:
            return None
        return [sorted(repr(row[number]) for row in rows) for number in range(width)]


def _whole(view: RandomView) -> str:
    below = ", ".join(f"{name} AS ({text})" for name, text in view.below)
    return f"WITH {below} SELECT * FROM ({view.text}) AS whole" if below else view.text


def _split(row: str) -> list[str]:
    """The items of a SELECT list, by the commas outside of parentheses and quotes."""
    parts, depth, quoted, start = [], 0, False, 0
    for at, character in enumerate(row):
        if character == "'":
            quoted = not quoted
        elif not quoted:
            depth += (character == "(") - (character == ")")
            if character == "," and not depth:
                parts.append(row[start:at].strip())
                start = at + 1
    return [*parts, row[start:].strip()]


def _session() -> SparkSession:
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master("local[1]")
    for key, value in {**CONF, "spark.sql.ansi.enabled": "false"}.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session


def _seeds(first: int, count: int) -> Iterator[int]:
    yield from range(first, first + count)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--views", type=int, default=20_000)
    parser.add_argument("--first", type=int, default=0, help="seed of the first view")
    parser.add_argument(
        "--changes", type=int, default=4, help="columns that are changed, of a view"
    )
    parser.add_argument("--versions", type=int, default=3, help="times that each is changed")
    chosen = parser.parse_args()
    spark = _session()
    judge, truth, began = LineageJudge(spark), Truth(), time.monotonic()
    for number, seed in enumerate(_seeds(chosen.first, chosen.views), 1):
        judge.judge(seed, truth, chosen.changes, chosen.versions)
        if number % 100 == 0:
            print(f"{number} views, {time.monotonic() - began:.0f} s", flush=True)
    for missed in truth.missed:
        print(f"MISSED: {missed}")
    for outcome, count in truth.outcomes.most_common():
        print(f"{count:>8}  {outcome}")
    share = 100 * truth.moving / max(truth.edges, 1)
    print(f"{truth.edges} edges claimed, {truth.moving} moved something: {share:.1f} %")
    for clause, count in truth.idle.most_common():
        print(f"{count:>8}  idle: {clause}")
    print(f"{len(truth.missed)} missed")
    spark.stop()
    return 1 if truth.missed else 0


if __name__ == "__main__":
    sys.exit(main())
