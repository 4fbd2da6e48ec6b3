"""Runs a query over many worlds of its tables in one statement, and says which columns moved."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final, TypeAlias

from deploy.refused import Refused
from tests.judges.lineage.claims import Claimants, Claims
from tests.judges.lineage.engines import Engine
from tests.judges.lineage.findings import Edge, Precision, Truth
from tests.judges.lineage.views import WORLD, Grower, of_many_worlds, of_one_world, tables
from tests.judges.lineage.worlds import UNCHANGED, Changed, Worlds, worlds

_BASES: Final = (12, 60)
"""Bases of each lake. The second lake is for edges along which nothing moved in the first."""
_LIFE: Final = 500
"""How many queries are judged with the same lakes."""
Sums: TypeAlias = Mapping[int, tuple[str, ...]]
"""By world: the number of rows, and for each output column the sum of its values' hashes."""
_Hash: TypeAlias = Callable[[str], str]


@dataclass(slots=True)
class _Question:
    """A query, the claims about it, and the findings so far.

    Attributes:
        marked: the query, for one world and for many.
        read: the tables that it reads.
        columns: the columns that are still to be changed.
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
        # Columns that were not asked for have no world.
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
    """Keeps lakes of worlds; while edges are idle, runs a query over the next lake.

    The first engine judges; the second judges queries that the first refuses. One query in ``every``
    also runs over two single worlds, and on the second engine: the rows must be the same.
    """

    def __init__(
        self,
        engine: Engine,
        second: Engine | None = None,
        *,
        every: int = 20,
        claimants: Claimants | None = None,
    ) -> None:
        self._engine = engine
        self._second = second
        self._every = every
        self._tables = tables()
        self._claimants = claimants or Claimants(self._tables)
        self._lakes: list[Worlds] = []
        self._stored: set[tuple[str, int]] = set()
        self._age = -1

    def judge(self, seed: int) -> Truth:
        self._renew(seed // _LIFE)
        question = self._question(seed)
        if isinstance(question, Truth):
            return question
        self._learn(question, self._engine)
        refusal = question.failure
        if refusal and self._second is not None:
            question.failure = ""
            self._learn(question, self._second)
        truth = question.truth()
        truth.outcomes[f"refused by {self._engine.name}: {refusal}"] += bool(refusal)
        if seed % self._every == 0 and not refusal:
            question.columns = {c for c in self._lakes[0].columns if c[0] in question.read}
            self._compare_with_single_worlds(question, truth)
            if self._second is not None:
                self._compare_engines(question, self._second, truth)
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

    def _learn(self, question: _Question, engine: Engine) -> None:
        for number, lake in enumerate(self._lakes):
            if question.columns and not question.failure:
                try:
                    question.learn(lake, self._sums(question, number, engine, engine.hashed))
                except Refused as error:
                    question.failure = error.reason

    # lakes

    def _renew(self, age: int) -> None:
        if age != self._age:
            random = Random(age)
            self._age = age
            self._lakes = [worlds(random, self._tables, bases) for bases in _BASES]
            self._stored.clear()

    def _store(self, number: int, engine: Engine) -> None:
        if (engine.name, number) not in self._stored:
            for table in self._tables:
                rows = self._lakes[number].rows[table.name]
                engine.store(_stored(table.name, number), table, rows)
            self._stored.add((engine.name, number))

    # runs

    def _sums(self, question: _Question, number: int, engine: Engine, hash_: _Hash) -> Sums:
        # An optimizer needs more time for several queries in one statement than for one after the other.
        self._store(number, engine)
        lake = self._lakes[number]
        changed = [UNCHANGED, *map(lake.columns.index, question.columns)]
        listed = ", ".join(map(str, sorted(changed)))
        common = self._common(question.read, number, f"changed IN ({listed})", WORLD)
        names = _names(question)
        # The world is the last column; a set operation has the first branch's names.
        made = f"(WITH {common} {of_many_worlds(question.marked, engine.name)})"
        rows = engine.rows(
            f"SELECT {WORLD}, {_summed(names, hash_)}"
            f" FROM {made} AS made ({', '.join(names)}, {WORLD}) GROUP BY {WORLD}"
        )
        return {int(world): tuple(sums) for world, *sums in rows}

    def _common(self, read: Sequence[str], number: int, condition: str, *more: str) -> str:
        return ", ".join(
            f"{table.name} AS (SELECT {', '.join([*(c for c, _ in table.columns), *more])}"
            f" FROM {_stored(table.name, number)} WHERE {condition})"
            for table in self._tables
            if table.name in read
        )

    # checks of the judge itself

    def _compare_with_single_worlds(self, question: _Question, truth: Truth) -> None:
        """If a run over all worlds differs from a run over a single world, the judge is wrong."""
        engine, lake, names = self._engine, self._lakes[0], _names(question)
        try:
            together = self._sums(question, 0, engine, engine.hashed)
            for world in Random(question.seed).sample(range(len(lake.versions)), 2):
                common = self._common(question.read, 0, f"{WORLD} = {world}")
                made = f"(WITH {common} {of_one_world(question.marked, engine.name)})"
                summed = _summed(names, engine.hashed)
                (alone,) = engine.rows(f"SELECT {summed} FROM {made} AS made ({', '.join(names)})")
                if world in together and alone != together[world]:
                    text = of_one_world(question.marked)
                    truth.missed.append(f"query {question.seed} over world {world} alone\n  {text}")
        except Refused as error:
            truth.outcomes[f"compared with single worlds: {error.reason}"] += 1
            return
        truth.outcomes["compared with single worlds"] += 1

    def _compare_engines(self, question: _Question, second: Engine, truth: Truth) -> None:
        try:
            first, other = (
                self._sums(question, 0, engine, engine.digest) for engine in (self._engine, second)
            )
        except Refused as error:
            truth.outcomes[f"compared with {second.name}: {error.reason}"] += 1
            return
        truth.outcomes[f"compared with {second.name}"] += 1
        worlds = sorted(world for world in {*first, *other} if first.get(world) != other.get(world))
        if worlds:
            text = of_one_world(question.marked)
            truth.missed.append(
                f"query {question.seed}: other rows in {second.name}, in worlds {worlds[:5]}\n  {text}"
            )


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


def _summed(names: Sequence[str], hash_: _Hash) -> str:
    """Compares columns by the sum of their values' hashes, since rows have no order."""
    return ", ".join(["count(*)", *(f"sum({hash_(name)})" for name in names)])


def _stored(table: str, lake: int) -> str:
    return f"lake{lake}_{table}"
