"""How SQL is written here: text that SQLite and PostgreSQL both read, and lists in chunks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from sqlalchemy import Connection, TextClause, bindparam, text

from lakeschema.catalog.identifiers import RelationName

_CHUNK = 500
"""Below every database's limit of bound values."""


def with_names(statement: str) -> TextClause:
    """A statement whose ``:names`` stands for a list of keys."""
    return text(statement).bindparams(bindparam("names", expanding=True))


def chunks(names: Iterable[str]) -> Iterator[Sequence[str]]:
    every = list(dict.fromkeys(names))
    for start in range(0, len(every), _CHUNK):
        yield every[start : start + _CHUNK]


def keys(names: Iterable[RelationName]) -> list[str]:
    return [str(name) for name in names]


@lru_cache(maxsize=65_536)
def name_of(key: str) -> RelationName:
    return RelationName.parse(key)


def namespace_key(namespace: tuple[str, ...]) -> str:
    """Injective, as a relation's own key is."""
    return str(RelationName.of(*namespace)) if namespace else ""


def namespace_of(key: str) -> tuple[str, ...]:
    return RelationName.parse(key).parts if key else ()


_TICK = text("UPDATE counter SET value = value + 1 WHERE name = 'tick' RETURNING value")


def tick(connection: Connection) -> int:
    """A number larger than every one before it; generations and fences are such."""
    return int(connection.execute(_TICK).scalar_one())
