"""Finds threads that make no progress for too long. Uses a clock that never goes back."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager


class Watchdog:
    """Watches parts, each from its first ``report_progress``. Safe for threads."""

    def __init__(
        self, max_silence_seconds: float, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._max_silence_seconds = max_silence_seconds
        self._now = now
        self._lock = threading.Lock()
        self._progress: dict[str, float] = {}

    def report_progress(self, part: str) -> None:
        with self._lock:
            self._progress[part] = self._now()

    @contextmanager
    def suspended(self, part: str) -> Iterator[None]:
        """Suspends the watch during an action that may take hours and that something else watches."""
        with self._lock:
            self._progress.pop(part, None)
        try:
            yield
        finally:
            self.report_progress(part)

    def overdue(self) -> Mapping[str, str]:
        """A message for each part that is overdue."""
        with self._lock:
            silent = {part: self._now() - since for part, since in self._progress.items()}
        return {
            part: f"no progress for {seconds:.0f} s"
            for part, seconds in silent.items()
            if seconds > self._max_silence_seconds
        }
