"""Relations and namespaces as the text that identifies them in a table."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import lru_cache

from lakeschema.catalog.identifiers import RelationName

_CHUNK_SIZE = 500


def chunks(keys: Iterable[str]) -> Iterator[str]:
    """The keys without repetitions, in JSON lists of bounded length; none if there are no keys."""
    every = list(dict.fromkeys(keys))
    for start in range(0, len(every), _CHUNK_SIZE):
        yield json.dumps(every[start : start + _CHUNK_SIZE])


def keys_of(names: Iterable[RelationName]) -> list[str]:
    return [str(name) for name in names]


@lru_cache(maxsize=65_536)
def name_of(key: str) -> RelationName:
    return RelationName.parse(key)


def namespace_key(namespace: tuple[str, ...]) -> str:
    """Unique for each namespace, like a relation's key."""
    return str(RelationName.of(*namespace)) if namespace else ""


def namespace_of(key: str) -> tuple[str, ...]:
    return RelationName.parse(key).parts if key else ()
