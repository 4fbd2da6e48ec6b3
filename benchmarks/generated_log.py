"""A query log as in a warehouse: few texts that repeat with other literals, and some DDL."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path

from lakeschema.analysis.catalog import KnownTable
from lakeschema.catalog.identifiers import RelationName

TABLES = 200
COLUMNS = 20
_DDL_EVERY = 100
_DAYS = 28
_USERS, _SESSIONS = 50, 30


def known_tables() -> dict[RelationName, KnownTable]:
    columns = tuple(f"c{number}" for number in range(COLUMNS))
    return {RelationName.of("db", f"t{number}"): KnownTable(columns) for number in range(TABLES)}


def write_log(path: Path, statements: int, templates: int) -> None:
    """Writes JSON lines; with as many templates as statements, no text repeats."""
    with path.open("w") as file:
        for number, sql in enumerate(statement_texts(statements, templates)):
            file.write(json.dumps(logged(number, sql, statements)) + "\n")


def logged(number: int, sql: str, statements: int) -> dict[str, object]:
    day = 1 + number * _DAYS // statements
    return {
        "position": number + 1,
        "sql": sql,
        "user": f"user{number % _USERS}",
        "session": f"session{number % _SESSIONS}",
        "started_at": f"2026-01-{day:02d}T{number % 24:02d}:00:00",
    }


def statement_texts(statements: int, templates: int, seed: int = 3) -> Iterator[str]:
    """One statement in a hundred creates a table, or drops the previous one."""
    chance = random.Random(seed)
    for number in range(statements):
        if number % (2 * _DDL_EVERY) == _DDL_EVERY + 7:
            yield f"DROP TABLE db.made{number - _DDL_EVERY}"
        elif number % _DDL_EVERY == 7:
            yield f"CREATE TABLE db.made{number} AS SELECT c1, c2 FROM db.t{number % TABLES}"
        else:
            chosen = number if templates >= statements else chance.randrange(templates)
            yield _query(chosen).format(chance.randrange(10**6), chance.randrange(10**6))


def _query(template: int) -> str:
    chance = random.Random(template)
    first, second, target = chance.sample(range(TABLES), 3)
    c = [f"c{number}" for number in chance.sample(range(COLUMNS), 8)]
    query = (
        f"SELECT x.{c[0]} AS a, sum(y.{c[1]} * 2) AS b, "
        f"max(CASE WHEN x.{c[2]} > {{0}} THEN y.{c[3]} END) AS m "
        f"FROM db.t{first} x JOIN db.t{second} y ON x.{c[4]} = y.{c[5]} "
        f"WHERE x.{c[6]} = '{{1}}' AND y.{c[7]} IN ({{0}}, 5) GROUP BY x.{c[0]}"
    )
    return f"INSERT INTO db.t{target} (c1, c2, c3) {query}" if template % 3 == 0 else query
