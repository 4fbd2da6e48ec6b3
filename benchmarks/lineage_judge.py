"""Runs a query over many worlds of its tables in one statement of Spark's, and says which columns moved."""

# What Spark says of rows without collecting them has no public name.
# ruff: noqa: SLF001

from __future__ import annotations

import os
import re
import sys
import threading
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final, TypeAlias

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from benchmarks.lineage_claims import Claimants, Claims
from benchmarks.lineage_views import (
    TEXT,
    WORLD,
    Grower,
    LineageTable,
    of_many_worlds,
    of_one_world,
    tables,
)
from benchmarks.lineage_worlds import UNCHANGED, Changed, Worlds, worlds
from benchmarks.random_views import CONF

MAX_SECONDS: Final = 20.0
_BASES: Final = (12, 60)
"""Of each lake. The second is for edges along which nothing moved in the first."""
_LIFE: Final = 500
"""Queries that are judged with the same lakes."""
_COMPARED: Final = 20
"""One of so many queries is also run over two worlds alone."""

Edge: TypeAlias = tuple[Changed, int]
"""The changed column, the place of the output column."""


@dataclass(slots=True)
class Precision:
    """``idle``: claimed edges along which nothing moved, by the clause for which they are claimed."""

    edges: int = 0
    moving: int = 0
    idle: Counter[str] = field(default_factory=Counter)

    def merge(self, other: Precision) -> None:
        self.edges += other.edges
        self.moving += other.moving
        self.idle += other.idle

    def add(self, claims: Sequence[Claims], moved: Collection[Edge]) -> list[str]:
        """Returns what is idle, for people to read."""
        found = []
        for place, claim in enumerate(claims):
            for changed, why in claim.because.items():
                if changed[1].endswith(("_id", "_g")):
                    continue
                self.edges += 1
                self.moving += (changed, place) in moved
                if (changed, place) not in moved:
                    self.idle[why] += 1
                    found.append(f"{'.'.join(changed)} → {claim.name}: {why}")
        return found


@dataclass(slots=True)
class Truth:
    """What was seen of queries; ``missed``: what moved and was not claimed, with the query."""

    outcomes: Counter[str] = field(default_factory=Counter)
    analysed: Precision = field(default_factory=Precision)
    planned: Precision = field(default_factory=Precision)
    missed: list[str] = field(default_factory=list)
    idle: list[str] = field(default_factory=list)

    def merge(self, other: Truth) -> None:
        self.outcomes += other.outcomes
        self.analysed.merge(other.analysed)
        self.planned.merge(other.planned)
        self.missed += other.missed
        self.idle += other.idle


Sums: TypeAlias = Mapping[int, tuple[str, ...]]
"""By world: how many rows there are, and of each output column a sum of its values' hashes."""


@dataclass(slots=True)
class _Question:
    """A query, who says what of it, and what was seen of it so far.

    Attributes:
        marked: the query, for one world and for many.
        read: the tables in it.
        columns: those of which changes are still asked.
        failure: why Spark does not answer.
    """

    seed: int
    marked: str
    read: tuple[str, ...]
    claims: Sequence[Claims]
    planned: Sequence[Claims] | None
    columns: set[Changed]
    moved: set[Edge] = field(default_factory=set)
    has_rows: bool = False
    failure: str = ""

    def learn(self, lake: Worlds, sums: Sums) -> None:
        self.has_rows = self.has_rows or bool(sums)
        # Of columns that were not asked for, no world is there.
        edges = _edges(lake, sums, len(self.claims))
        self.moved |= {edge for edge in edges if edge[0] in self.columns}
        idle = {
            changed
            for each in (self.claims, self.planned or ())
            for place, claim in enumerate(each)
            for changed in claim.because
            if (changed, place) not in self.moved
        }
        self.columns &= idle

    def truth(self) -> Truth:
        truth = Truth()
        truth.outcomes["without a plan"] += self.planned is None
        if self.failure or not self.has_rows:
            truth.outcomes[self.failure or "without a row in any world"] += 1
            return truth
        truth.outcomes["judged"] += 1
        self._rate(truth.analysed, f"query {self.seed}", self.claims, truth)
        if self.planned is not None:
            self._rate(truth.planned, f"query {self.seed} by the plan", self.planned, truth)
        return truth

    def _rate(
        self, precision: Precision, label: str, claims: Sequence[Claims], truth: Truth
    ) -> None:
        text = of_one_world(self.marked)
        missed = [
            f"{'.'.join(changed)} → {claims[place].name}"
            for changed, place in sorted(self.moved)
            if changed not in claims[place].because
        ]
        if missed:
            truth.missed.append(f"{label}: {'; '.join(missed)}\n  {text}")
        idle = precision.add(claims, self.moved)
        if idle:
            truth.idle.append(f"{label}: {'; '.join(idle)}\n  {text}")


class LineageJudge:
    """Keeps lakes of worlds in a session; queries are run over the next one while edges are idle."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark
        self._tables = tables()
        self._claimants = Claimants(self._tables)
        self._lakes: list[Worlds] = []
        self._age = -1

    def judge(self, seed: int) -> Truth:
        self._renew(seed // _LIFE)
        question = self._question(seed)
        if isinstance(question, Truth):
            return question
        for number, lake in enumerate(self._lakes):
            if question.columns and not question.failure:
                try:
                    question.learn(lake, self._sums(question, number))
                except (PySparkException, Py4JJavaError) as error:
                    question.failure = _failure(error)
        truth = question.truth()
        if seed % _COMPARED == 0:
            self._compare(question, truth)
        return truth

    def _question(self, seed: int) -> _Question | Truth:
        random = Random(seed)
        marked = Grower(random, self._tables).query(random.randint(1, 3))
        text = of_one_world(marked)
        claims = self._claimants.analysed(text)
        if claims is None:
            return Truth(missed=[f"query {seed} is not read\n  {text}"])
        read = tuple(t.name for t in self._tables if re.search(rf"\b{t.name}\b", text))
        columns = {(t.name, c) for t in self._tables if t.name in read for c in t.changeable()}
        return _Question(seed, marked, read, claims, self._claimants.planned(text), columns)

    # lakes

    def _renew(self, age: int) -> None:
        if age == self._age:
            return
        random = Random(age)
        self._age = age
        self._lakes = [worlds(random, self._tables, bases) for bases in _BASES]
        for number, lake in enumerate(self._lakes):
            for table in self._tables:
                self._register(_stored(table.name, number), table, lake.rows[table.name])

    def _register(self, name: str, table: LineageTable, rows: Sequence[tuple[object, ...]]) -> None:
        """Rows in one partition, so that Spark need not move them about."""
        columns = ", ".join(f"{c} {'string' if k == TEXT else 'int'}" for c, k in table.columns)
        frame = self._spark.createDataFrame(list(rows), f"changed int, {WORLD} int, {columns}")
        session: Any = self._spark._jsparkSession
        kept = session.createDataFrame(frame._jdf.collectAsList(), frame._jdf.schema())
        kept.coalesce(1).createOrReplaceTempView(name)

    # runs

    def _sums(self, question: _Question, number: int) -> Sums:
        # Several queries in one statement cost Spark's optimizer more than one after the other.
        lake = self._lakes[number]
        changed = [UNCHANGED, *map(lake.columns.index, question.columns)]
        listed = ", ".join(map(str, sorted(changed)))
        common = self._common(question.read, number, f"changed IN ({listed})", WORLD)
        names = _names(question)
        # The world is the last column; a set operation has the first branch's names.
        made = f"(WITH {common} {of_many_worlds(question.marked)})"
        lines = self._lines(
            f"SELECT {WORLD}, {_hashed(names)}"
            f" FROM {made} AS made ({', '.join(names)}, {WORLD}) GROUP BY {WORLD}"
        )
        return {int(world): tuple(sums) for world, *sums in lines}

    def _common(self, read: Sequence[str], number: int, condition: str, *more: str) -> str:
        return ", ".join(
            f"{table.name} AS (SELECT {', '.join([*(c for c, _ in table.columns), *more])}"
            f" FROM {_stored(table.name, number)} WHERE {condition})"
            for table in self._tables
            if table.name in read
        )

    def _compare(self, question: _Question, truth: Truth) -> None:
        """Where a run over all worlds says otherwise than one over a world alone, the judge errs."""
        lake, names = self._lakes[0], _names(question)
        question.columns = {changed for changed in lake.columns if changed[0] in question.read}
        try:
            together = self._sums(question, 0)
            for world in Random(question.seed).sample(range(len(lake.versions)), 2):
                common = self._common(question.read, 0, f"{WORLD} = {world}")
                made = f"(WITH {common} {of_one_world(question.marked)})"
                query = f"SELECT {_hashed(names)} FROM {made} AS made ({', '.join(names)})"
                (alone,) = self._lines(query)
                if world in together and alone != together[world]:
                    text = of_one_world(question.marked)
                    truth.missed.append(f"query {question.seed} over world {world} alone\n  {text}")
        except (PySparkException, Py4JJavaError) as error:
            truth.outcomes[f"compared with single worlds: {_failure(error)}"] += 1
            return
        truth.outcomes["compared with single worlds"] += 1

    def _lines(self, query: str) -> list[tuple[str, ...]]:
        jvm: Any = self._spark._jvm
        late = threading.Timer(MAX_SECONDS, self._spark.sparkContext.cancelAllJobs)
        late.start()
        try:
            plan = self._spark._jsparkSession.sql(query).queryExecution().executedPlan()
            lines = jvm.org.apache.spark.sql.execution.HiveResult.hiveResultString(plan)
            text = "" if lines.isEmpty() else str(lines.mkString("\n"))
        finally:
            late.cancel()
        return [tuple(line.split("\t")) for line in text.splitlines()]


def _edges(lake: Worlds, sums: Sums, width: int) -> set[Edge]:
    nothing = ("0",) * (1 + width)
    found: set[Edge] = set()
    for world, version in enumerate(lake.versions):
        if version.changed == UNCHANGED:
            continue
        before, after = sums.get(version.base, nothing), sums.get(world, nothing)
        if before != after:
            column = lake.columns[version.changed]
            found.update((column, p) for p in range(width) if before[1 + p] != after[1 + p])
    return found


def _names(question: _Question) -> list[str]:
    return [f"c{place}" for place in range(len(question.claims))]


def _hashed(names: Sequence[str]) -> str:
    """As columns have no order, values are compared by the sum of their hashes."""
    return ", ".join(["count(*)", *(f"sum(xxhash64({name}))" for name in names)])


def _stored(table: str, lake: int) -> str:
    return f"lake{lake}_{table}"


def _failure(error: Exception) -> str:
    text = str(error)
    if "cancelled" in text[:2000]:
        return "takes too long"
    found = re.search(r"\[([A-Z_0-9.]+)\]", text)
    return f"fails: {found[1] if found else text.partition(chr(10))[0][:100]}"


def session() -> SparkSession:
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master("local[1]")
    settings = {
        **CONF,
        "spark.sql.ansi.enabled": "false",
        "spark.driver.memory": "2g",
        "spark.driver.extraJavaOptions": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
        "spark.sql.leafNodeDefaultParallelism": "1",
    }
    for key, value in settings.items():
        builder = builder.config(key, value)
    found = builder.getOrCreate()
    found.sparkContext.setLogLevel("OFF")
    return found
