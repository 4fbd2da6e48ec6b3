"""``usage --about`` and ``lineage`` reach the same, over random tables that random statements fill.

``usage`` counts a log as it is, and so keeps earlier fillings of a table that is filled again, which the
state forgets. Here only a table's first statement replaces its content.

``usage`` does not know the columns of tables that only the log has. If such a table gives only rows,
``usage`` counts all of its columns, and the state none: here such tables are permanent.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import pytest

from publisher.daemon.adapters import open_catalog
from publisher.daemon.known_relations import KnownRelations
from publisher.settings import load_settings
from publisher.statements.learning import Learner
from tests.publisher.commands.folder import Folder

_TABLES: Final = ("t0", "t1")
_FILLED: Final = ("f0", "f1", "f2", "f3")
_VIEWS: Final = 3
_STATEMENTS: Final = 8
_USER: Final = "etl"


@dataclass
class Warehouse:
    """DDL, and a log of statements over it.

    Attributes:
        columns: by the name of a relation that stays.
        read: the same of all that a statement may read, by the name that it writes.
        fresh: tables that no statement fills yet.
        behind: what each temporary relation is made of.
        targets: of the statement that is being written.
    """

    chosen: random.Random
    ddl: list[str] = field(default_factory=list)
    log: list[str] = field(default_factory=list)
    columns: dict[str, str] = field(default_factory=dict)
    read: dict[str, str] = field(default_factory=dict)
    fresh: set[str] = field(default_factory=lambda: set(_FILLED))
    behind: dict[str, set[str]] = field(default_factory=dict)
    targets: set[str] = field(default_factory=set)

    def add(self, name: str, columns: str) -> None:
        self.columns[name] = self.read[f"shop.{name}"] = columns

    def source(self) -> tuple[str, str, str, str]:
        """A relation, and three of its columns.

        None that stands for a table that is written: ``usage`` takes it for another table.
        """
        name = self.chosen.choice(
            [each for each in self.read if self.targets.isdisjoint(self.behind.get(each, ()))]
        )
        x, y, z = self.chosen.choices(self.read[name], k=3)
        return name, x, y, z

    def query(self) -> str:
        """Of the columns p and q."""
        one, x, y, z = self.source()
        other, u, v, _ = self.source()
        stays = f"shop.{self.chosen.choice(list(self.columns))}"
        return self.chosen.choice(
            (
                f"SELECT {x} AS p, {y} AS q FROM {one}",
                f"SELECT {x} AS p, 1 AS q FROM {one} WHERE {y} > 1",
                f"SELECT {x} AS p, count(*) AS q FROM {one} GROUP BY {x}",
                f"SELECT 1 AS p, count(*) AS q FROM {stays}",
                f"SELECT l.{x} AS p, r.{u} AS q FROM {one} l JOIN {other} r ON l.{y} = r.{v}",
                f"SELECT l.{x} AS p, l.{y} AS q FROM {one} l CROSS JOIN {stays} r",
                f"SELECT l.{x} AS p, 2 AS q FROM {one} l LEFT JOIN {other} r ON l.{y} = r.{v}",
                f"SELECT {x} AS p, {y} AS q FROM {one} UNION ALL SELECT {u}, {v} FROM {other}",
                f"SELECT {x} AS p, {y} AS q FROM {one} UNION SELECT {u}, 1 FROM {other}",
                f"SELECT DISTINCT {x} AS p, {y} + {z} AS q FROM {one}",
                f"SELECT {x} AS p, CASE WHEN {y} > 1 THEN {z} ELSE 0 END AS q FROM {one}",
                f"SELECT {x} AS p, row_number() OVER (PARTITION BY {y} ORDER BY {z}) AS q FROM {one}",
                f"SELECT {x} AS p, (SELECT max({u}) FROM {other}) AS q FROM {one}",
                f"SELECT {x} AS p, {y} AS q FROM {one} WHERE {z} IN (SELECT {u} FROM {other})",
                f"SELECT {x} AS p, {y} AS q FROM {one} WHERE EXISTS (SELECT 1 FROM {stays})",
                f"WITH w AS (SELECT {x}, {y} AS k FROM {one}) SELECT w.{x} AS p, w.k AS q FROM w",
                f"SELECT d.p, d.q FROM (SELECT {x} AS p, max({y}) AS q FROM {one} GROUP BY {x}) d",
                f"SELECT {x} AS p, {y} AS q FROM {one} ORDER BY {z} LIMIT 10",
            )
        )

    def views(self) -> None:
        for number in range(_VIEWS):
            self.ddl.append(f"CREATE VIEW shop.v{number} AS {self.query()};")
            self.add(f"v{number}", "pq")

    def statement(self) -> None:
        name, other = self.chosen.choices(_FILLED, k=2)
        self.targets = {f"shop.{name}", f"shop.{other}"}
        if name in self.fresh and self.chosen.random() < 0.5:
            self.log += self.chosen.choice(self.anew(f"shop.{name}"))
        else:
            self.log.append(self.chosen.choice(self.more(f"shop.{name}", f"shop.{other}")))
            self.fresh.discard(other)
        self.fresh.discard(name)

    def anew(self, target: str) -> Sequence[Sequence[str]]:
        query = self.query()
        return (
            [f"INSERT OVERWRITE TABLE {target} {query}"],
            [f"CREATE TABLE {target} AS {query}"],
            [f"CREATE OR REPLACE TABLE {target} AS {query}"],
            [
                f"CREATE TABLE {target}_new AS {query}",
                f"DROP TABLE IF EXISTS {target}",
                f"ALTER TABLE {target}_new RENAME TO {target}",
            ],
        )

    def more(self, target: str, other: str) -> Sequence[str]:
        query = self.query()
        one, x, y, z = self.source()
        merge = f"MERGE INTO {target} t USING {one} s ON t.p = s.{x}"
        add = f"WHEN NOT MATCHED THEN INSERT (p, q) VALUES (s.{x}, s.{y})"
        return (
            f"INSERT INTO {target} {query}",
            f"INSERT INTO {target} {query}",
            f"INSERT INTO {target} (q, p) {query}",
            f"INSERT INTO {target} (q) SELECT {x} FROM {one}",
            f"INSERT INTO {target} VALUES (1, 2)",
            f"CREATE TABLE IF NOT EXISTS {target} AS {query}",
            f"{merge} WHEN MATCHED AND s.{y} > 1 THEN UPDATE SET q = s.{z} {add}",
            f"{merge} WHEN MATCHED THEN DELETE {add}",
            f"UPDATE {target} SET q = (SELECT max({x}) FROM {one} WHERE {y} > 1)",
            f"DELETE FROM {target} WHERE p IN (SELECT {x} FROM {one})",
            f"FROM {one} INSERT INTO {target} SELECT {x}, {y} INSERT INTO {other} SELECT {z}, 1",
        )

    def temporary(self, name: str) -> None:
        """Of the session; a table gets its rows at once, or one by one."""
        self.targets = set()
        told = len(self.log)
        query = self.query()
        self.log += self.chosen.choice(
            (
                [f"CREATE TEMPORARY VIEW {name} AS {query}"],
                [f"CREATE TEMPORARY TABLE {name} AS {query}"],
                [f"CACHE TABLE {name} AS {query}"],
                [
                    f"CREATE TEMPORARY TABLE {name} (p bigint, q bigint)",
                    f"INSERT INTO {name} {query}",
                    f"INSERT INTO {name} {self.query()}",
                ],
            )
        )
        words = re.findall(r"[\w.]+", " ".join(self.log[told:]))
        self.behind[name] = {inner for word in words for inner in self.behind.get(word, {word})}
        self.read[name] = "pq"


def warehouse(seed: int) -> Warehouse:
    made = Warehouse(random.Random(seed))
    for name in _TABLES:
        made.ddl.append(f"CREATE TABLE shop.{name} (a bigint, b bigint, c bigint);")
        made.add(name, "abc")
    for name in _FILLED:
        made.ddl.append(f"CREATE TABLE shop.{name} (p bigint, q bigint);")
        made.add(name, "pq")
    made.views()
    for number in range(_STATEMENTS):
        if number % 4 == 1:
            made.temporary(f"x{number}")
        else:
            made.statement()
    return made


def _lines(made: Warehouse) -> Iterator[Mapping[str, str]]:
    for sql in made.log:
        yield {"sql": sql, "user": _USER, "session": "1"}
    # Each column has a reader of its own, and the reader has the name of the column.
    for name, columns in made.columns.items():
        for column in columns:
            yield {"sql": f"SELECT {column} FROM shop.{name}", "user": f"shop.{name}.{column}"}


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def _learn(folder: Folder, log: bytes) -> None:
    settings = load_settings(folder.config)
    with folder.state() as state, open_catalog(settings) as catalog:
        relations = KnownRelations(state, catalog, refresh_seconds=0)
        relations.refresh()
        known = relations.current
        assert known is not None
        learner = Learner(state, lambda: known, "spark", keep_seconds=1e9)
        try:
            learnt = learner.learn(log)
        finally:
            learner.stop()
    assert learnt.failures == ()


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(3))
def test_whom_usage_tells_is_whom_lineage_reaches(seed: int, folder: Folder) -> None:
    made = warehouse(seed)
    folder.write_ddl("\n".join(made.ddl))
    assert folder.run("snapshot").status == 0
    log = "\n".join(map(json.dumps, _lines(made)))
    (folder.path / "log.jsonl").write_text(log)
    _learn(folder, log.encode())

    reached: dict[str, set[str]] = {}
    for name in _TABLES:
        for column in made.columns[name]:
            about = f"shop.{name}.{column}"
            reached[about] = _places(folder, made, about, "--downstream")
            assert _told(folder, about) == reached[about] | {about}, (about, made.ddl, made.log)
    for place in set().union(*reached.values()):
        origins = {about for about in reached if place in reached[about]}
        assert origins <= _places(folder, made, place), (place, made.ddl, made.log)


def _told(folder: Folder, about: str) -> set[str]:
    ended = folder.run("usage", str(folder.path / "log.jsonl"), "--about", about, "--json")
    assert ended.status == 0, ended
    return {row["user"] for row in ended.lines[1:] if row["concern"] == "reads"} - {_USER}


def _places(folder: Folder, made: Warehouse, about: str, *options: str) -> set[str]:
    """The columns that links lead to; where they lead to rows, all columns of the relation."""
    ended = folder.run("lineage", about, *options, "--json")
    assert ended.status == 0, ended
    (answer,) = ended.lines
    found: set[str] = set()
    for link in answer["links"]:
        place = link["target" if options else "source"]
        relation = place["relation"].removeprefix("shop.")
        columns: Sequence[str] = made.columns.get(relation, ())
        if place["column"] is not None:
            columns = [place["column"]] if columns else ()
        found.update(f"shop.{relation}.{each}" for each in columns)
    return found
