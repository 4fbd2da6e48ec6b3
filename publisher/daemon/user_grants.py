"""Users' grants, read when a check first needs them and kept for a while."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, TypeAlias

MAX_USERS: Final = 10_000
"""The limit of stored users: clients may name any user."""

Granted: TypeAlias = Mapping[str, Any]
"""Grants by user, in the form for ``read_grants``. Unchanged grants are the same object."""


class UserGrants:
    """The grants of users, kept for a while. Safe for threads."""

    def __init__(
        self,
        read: Callable[[str], Mapping[str, Any]],
        seconds: float,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """Grants are read again after ``seconds``."""
        self._read = read
        self._seconds = seconds
        self._now = now
        self._lock = threading.Lock()
        self._until: dict[str, float] = {}
        self._current: Granted = MappingProxyType({})

    def current(self) -> Granted:
        """The grants that were read lately; the same object until a grant changes."""
        with self._lock:
            now = self._now()
            # Grants expire in the order in which they were read.
            ended = []
            for user, until in self._until.items():
                if until > now:
                    break
                ended.append(user)
            if ended:
                self._drop(ended)
            return self._current

    def read(self, user: str) -> None:
        """Reads a user's grants. Raises ``CatalogError`` if the metastore does not return them."""
        found = self._read(user)
        with self._lock:
            self._until.pop(user, None)
            if len(self._until) >= MAX_USERS:
                self._drop([next(iter(self._until))])
            self._until[user] = self._now() + self._seconds
            self._current = MappingProxyType({**self._current, user: found})

    def _drop(self, users: list[str]) -> None:
        for user in users:
            del self._until[user]
        kept = {user: found for user, found in self._current.items() if user in self._until}
        self._current = MappingProxyType(kept)
