"""Detects that all work is only retried although no service reports an error."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from lakeschema.catalog.identifiers import RelationName

STALLED_AFTER_SECONDS: Final = 300.0
MAX_OWN_FAILURES: Final = 5
"""``status`` shows a relation that failed more often in a row, as an error of that relation."""
_MIN_RELATIONS: Final = 2
"""One relation that cannot be processed says nothing about the others."""


@dataclass(frozen=True, slots=True)
class Retried:
    """Work that is retried.

    ``failures``: how often in a row the relation failed for the same reason.
    """

    reason: str
    failures: int = 0


class Progress:
    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._since = 0.0
        self._retried: dict[RelationName, str] = {}

    def note(self, claimed: int, retried: Mapping[RelationName, Retried]) -> None:
        """Notes the end of a batch: how many relations it claimed, and which are retried."""
        with self._lock:
            if claimed > len(retried):
                self._retried.clear()
                return
            if not self._retried:
                self._since = self._now()
            self._retried |= {
                name: each.reason
                for name, each in retried.items()
                if each.failures <= MAX_OWN_FAILURES
            }

    def troubles(self) -> Mapping[str, str]:
        """The newest reason, if for a long time all work was only retried."""
        with self._lock:
            seconds = self._now() - self._since
            if len(self._retried) < _MIN_RELATIONS or seconds < STALLED_AFTER_SECONDS:
                return {}
            count, (name, reason) = len(self._retried), [*self._retried.items()][-1]
        return {
            "work": f"for {seconds:.0f} s each attempt at {count} relations ended in another one; "
            f"{name}: {reason}"
        }
