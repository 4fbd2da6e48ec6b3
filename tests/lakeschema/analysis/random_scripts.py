"""Random scripts over a few sources, and the tables that really change with each source, by DuckDB."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import duckdb

SOURCES: Final = ("s0", "s1", "s2")
SCHEMA: Final = "shop"
_MIN_CHANGES, _MAX_CHANGES = 2, 8
"""Of the rows of each source: one may change nothing, as where a maximum stays."""
_Rows = Sequence[tuple[int, int]]


@dataclass
class _Script:
    """``views``: by name, what each reads. All relations have two columns of whole numbers, a and b."""

    chosen: random.Random
    statements: list[str] = field(default_factory=list)
    tables: list[str] = field(default_factory=list)
    temporary: set[str] = field(default_factory=set)
    views: dict[str, frozenset[str]] = field(default_factory=dict)
    made: int = 0

    def new_name(self, letter: str) -> str:
        self.made += 1
        return f"{letter}{self.made}"

    def readable(self) -> str:
        return self.chosen.choice([*SOURCES, *2 * self.tables, *2 * [*self.views]])

    def query(self) -> tuple[str, frozenset[str]]:
        """Of few rows, in which every row that is read counts; and what it reads."""
        one, other = self.readable(), self.readable()
        forms = (
            f"SELECT a % 4 AS a, sum(b) % 9973 AS b FROM {one} GROUP BY 1",
            f"SELECT a, b FROM {one} UNION SELECT a + 1, b FROM {other}",
            f"SELECT x.a % 4 AS a, sum(x.b + y.b * 7) % 9973 AS b FROM {one} x, {other} y GROUP BY 1",
            (
                f"WITH w AS (SELECT a + b AS c FROM {one}) SELECT c % 4 AS a, sum(c + b) % 9973 AS b"
                f" FROM w, {other} GROUP BY 1"
            ),
            f"SELECT a, b + (SELECT coalesce(sum(b), 0) FROM {other}) % 97 AS b FROM {one}",
            f"SELECT a, b FROM {one} WHERE b % 3 <> (SELECT coalesce(sum(b), 0) % 3 FROM {other})",
        )
        which = self.chosen.randrange(len(forms))
        return forms[which], frozenset({one} if which == 0 else {one, other})

    def add(self, *statements: str) -> None:
        self.statements += statements

    def create_table(self) -> None:
        name = self.new_name("t")
        temporary = self.chosen.random() < 0.4
        if temporary:
            self.temporary.add(name)
        word = "TEMP " if temporary else ""
        if self.chosen.random() < 0.2:
            self.add(f"CREATE {word}TABLE {name} (a BIGINT, b BIGINT)")
            self.add(f"INSERT INTO {name} {self.query()[0]}")
        else:
            self.add(f"CREATE {word}TABLE {name} AS {self.query()[0]}")
        self.tables.append(name)

    def create_view(self) -> None:
        query, reads = self.query()
        temporary = bool(reads & self.temporary) or self.chosen.random() < 0.3
        name = self.new_name("v")
        if temporary:
            self.temporary.add(name)
        self.add(f"CREATE {'TEMP ' if temporary else ''}VIEW {name} AS {query}")
        self.views[name] = reads

    def insert(self) -> None:
        table, (query, _) = self.chosen.choice(self.tables), self.query()
        if self.chosen.random() < 0.3:
            self.add(f"INSERT INTO {table} BY NAME SELECT b, a FROM ({query}) q")
        else:
            self.add(f"INSERT INTO {table} {query}")

    def replace(self) -> None:
        table = self.chosen.choice(self.tables)
        query, reads = self.query()
        # What reads the emptied table finds nothing.
        if table not in reads and not reads & self.views.keys():
            self.add(f"DELETE FROM {table}", f"INSERT INTO {table} {query}")

    def update(self) -> None:
        table, read = self.chosen.choice(self.tables), self.readable()
        self.add(f"UPDATE {table} SET b = b + (SELECT coalesce(sum(b), 0) FROM {read}) % 89")

    def delete(self) -> None:
        table, read = self.chosen.choice(self.tables), self.readable()
        self.add(f"DELETE FROM {table} WHERE b % 2 = (SELECT coalesce(sum(b), 0) % 2 FROM {read})")

    def merge(self) -> None:
        table, read = self.chosen.choice(self.tables), self.readable()
        self.add(
            f"MERGE INTO {table} USING (SELECT a, sum(b) AS b FROM {read} GROUP BY a) q ON {table}.a = q.a"
            " WHEN MATCHED THEN UPDATE SET b = q.b WHEN NOT MATCHED THEN INSERT VALUES (q.a, q.b)"
        )

    def rename(self) -> None:
        free = [t for t in self.tables if not any(t in reads for reads in self.views.values())]
        if free:
            old, new = self.chosen.choice(free), self.new_name("t")
            self.add(f"ALTER TABLE {old} RENAME TO {new}")
            self.tables[self.tables.index(old)] = new
            if old in self.temporary:
                self.temporary.add(new)

    def swap(self) -> None:
        """By three renames; views go on to read what has the name."""
        alike = [t for t in self.tables if t not in self.temporary]
        if len(alike) > 1:
            one, other = self.chosen.sample(alike, 2)
            aside = self.new_name("x")
            for old, new in ((one, aside), (other, one), (aside, other)):
                self.add(f"ALTER TABLE {old} RENAME TO {new}")

    def drop(self) -> None:
        read = frozenset[str]().union(*self.views.values())
        views = [name for name in self.views if name not in read]
        free = [*(t for t in self.tables if t not in read), *views]
        if len(free) > 2:
            name = self.chosen.choice(free)
            self.add(f"DROP {'VIEW' if name in self.views else 'TABLE'} {name}")
            self.views.pop(name, None)
            self.tables = [t for t in self.tables if t != name]


_STEPS: Final[Sequence[tuple[Callable[[_Script], None], int]]] = (
    (_Script.create_table, 4),
    (_Script.create_view, 4),
    (_Script.insert, 4),
    (_Script.replace, 1),
    (_Script.update, 2),
    (_Script.delete, 1),
    (_Script.merge, 2),
    (_Script.rename, 2),
    (_Script.swap, 1),
    (_Script.drop, 1),
)


def random_script(seed: int) -> Sequence[str]:
    """5 to 30 statements that DuckDB runs one after the other."""
    chosen = random.Random(seed)
    script = _Script(chosen)
    length = chosen.randint(5, 27)
    steps, weights = zip(*_STEPS, strict=True)
    script.create_table()
    while len(script.statements) < length:
        (step,) = chosen.choices(steps, weights)
        if script.tables or step is _Script.create_table:
            step(script)
    return script.statements


def moved_tables(
    statements: Sequence[str], seed: int, expected: Mapping[str, frozenset[str]]
) -> Mapping[str, frozenset[str]]:
    """Of each relation that is there at the end, which sources' rows its own change with.

    ``expected``: what is looked for longer than a few times.
    """
    chosen = random.Random(seed)
    rows = {name: _rows(chosen) for name in SOURCES}
    before = _contents(statements, rows)
    found: dict[str, set[str]] = {name: set() for name in before}
    for source in SOURCES:
        for number in range(_MAX_CHANGES):
            wanted = (name for name in found if source in expected.get(name, ()))
            if number >= _MIN_CHANGES and all(source in found[name] for name in wanted):
                break
            after = _contents(statements, {**rows, source: _rows(chosen)})
            for name, content in after.items():
                if content != before[name]:
                    found[name].add(source)
    return {name: frozenset(sources) for name, sources in found.items()}


def _rows(chosen: random.Random) -> _Rows:
    return [(chosen.randrange(100), chosen.randrange(5000)) for _ in range(chosen.randint(3, 6))]


def _contents(statements: Sequence[str], rows: Mapping[str, _Rows]) -> Mapping[str, object]:
    with duckdb.connect() as connection:
        connection.execute(f"CREATE SCHEMA {SCHEMA}; USE {SCHEMA}; SET threads = 1")
        for name, held in rows.items():
            values = ", ".join(map(str, held))
            connection.execute(f"CREATE TABLE {name} AS SELECT * FROM (VALUES {values}) v(a, b)")
        for statement in statements:
            connection.execute(statement)
        there = connection.execute(
            "SELECT table_name FROM information_schema.tables ORDER BY table_name"
        )
        names = [name for (name,) in there.fetchall() if name not in SOURCES]
        return {
            name: connection.execute(f"SELECT a, b FROM {name} ORDER BY a, b").fetchall()
            for name in names
        }
