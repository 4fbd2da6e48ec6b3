"""The texts that identify relations and namespaces in a table."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import lru_cache

from lakeschema.catalog.identifiers import RelationName

_CHUNK_SIZE = 500


def chunks(keys: Iterable[str]) -> Iterator[str]:
    """The keys as JSON lists of bounded length, each key once; no list if there are no keys."""
    every = list(dict.fromkeys(keys))
    for start in range(0, len(every), _CHUNK_SIZE):
        yield json.dumps(every[start : start + _CHUNK_SIZE])


def keys_of(names: Iterable[RelationName]) -> list[str]:
    return [str(name) for name in names]


@lru_cache(maxsize=65_536)
def name_of(key: str) -> RelationName:
    return RelationName.from_key(key)
