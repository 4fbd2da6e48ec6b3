"""``usage --about``, ``lineage --downstream`` and ``plan``'s audience reach the same, over random views."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import pytest

from tests.publisher.commands.folder import Folder

TABLES: Final = {"t0": ("a", "b", "c"), "t1": ("a", "b", "c")}
_VIEWS: Final = 8


def views(chosen: random.Random) -> Mapping[str, tuple[str, Sequence[str]]]:
    """By name the query and the columns of views over tables and earlier views."""
    known: dict[str, Sequence[str]] = dict(TABLES)
    found: dict[str, tuple[str, Sequence[str]]] = {}
    for number in range(_VIEWS):
        query, columns = _query(chosen, known)
        found[f"v{number}"] = (query, columns)
        known[f"v{number}"] = columns
    return found


def _query(chosen: random.Random, known: Mapping[str, Sequence[str]]) -> tuple[str, Sequence[str]]:
    one, other = chosen.choice(list(known)), chosen.choice(list(known))
    x, y = (chosen.choice(known[one]) for _ in range(2))
    z = chosen.choice(known[other])
    forms = (
        (f"SELECT {x} AS p, {y} AS q FROM shop.{one}", "pq"),
        (f"SELECT {x} AS p FROM shop.{one} WHERE {y} > 1", "p"),
        (f"SELECT {x} AS p, count(*) AS q FROM shop.{one} GROUP BY {x}", "pq"),
        (f"SELECT l.{x} AS p, r.{z} AS q FROM shop.{one} l JOIN shop.{other} r ON l.{y} = r.{z}", "pq"),
        (f"SELECT {x} AS p FROM shop.{one} UNION ALL SELECT {z} AS p FROM shop.{other}", "p"),
        (f"SELECT {x} + {y} AS p, 1 AS q FROM shop.{one}", "pq"),
    )  # fmt: skip
    query, columns = chosen.choice(forms)
    return query, tuple(columns)


def _relations(made: Mapping[str, tuple[str, Sequence[str]]]) -> Iterator[tuple[str, str]]:
    for name, columns in (*TABLES.items(), *((name, c) for name, (_, c) in made.items())):
        for column in columns:
            yield name, column


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(4))
def test_whom_usage_tells_is_whom_lineage_reaches(seed: int, tmp_path: Path) -> None:
    made = views(random.Random(seed))
    folder = Folder(tmp_path)
    columns = ", ".join(f"{column} bigint" for column in "abc")
    folder.write_ddl(
        "\n".join(
            (
                *(f"CREATE TABLE shop.{name} ({columns});" for name in TABLES),
                *(f"CREATE VIEW shop.{name} AS {query};" for name, (query, _) in made.items()),
            )
        )
    )
    assert folder.run("snapshot").status == 0
    # Each column has a reader of its own, and the reader has the name of the column.
    log = [
        {"sql": f"SELECT {column} FROM shop.{name}", "user": f"shop.{name}.{column}"}
        for name, column in _relations(made)
    ]
    (tmp_path / "log.jsonl").write_text("\n".join(map(json.dumps, log)))

    for name in TABLES:
        for column in TABLES[name]:
            about = f"shop.{name}.{column}"
            assert _told(folder, about) == _reached(folder, about, made) | {about}


def _told(folder: Folder, about: str) -> set[str]:
    ended = folder.run("usage", str(folder.path / "log.jsonl"), "--about", about, "--json")
    assert ended.status == 0, ended
    return {row["user"] for row in ended.lines[1:] if row["concern"] == "reads"}


def _reached(folder: Folder, about: str, made: Mapping[str, tuple[str, Sequence[str]]]) -> set[str]:
    """The columns that links lead to; where they lead to rows, all columns of the relation."""
    ended = folder.run("lineage", about, "--downstream", "--json")
    assert ended.status == 0, ended
    (answer,) = ended.lines
    found: set[str] = set()
    for link in answer["links"]:
        target = link["target"]
        if target["column"] is not None:
            found.add(f"{target['relation']}.{target['column']}")
            continue
        _, columns = made[target["relation"].removeprefix("shop.")]
        found.update(f"{target['relation']}.{each}" for each in columns)
    return found
