"""An expensive answer that is computed once for all clients that ask in the meantime."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")

_MAX_SHARE = 4
"""An answer is kept this many times as long as its computation took, which uses at most a fifth of
a processor."""


class SharedAnswer(Generic[T]):
    """Safe for threads. An answer that takes a millisecond is at most a few milliseconds old."""

    def __init__(self, compute: Callable[[], T], now: Callable[[], float] = time.monotonic) -> None:
        self._compute = compute
        self._now = now
        self._lock = threading.Lock()
        self._answer: T | None = None
        self._valid_until: float | None = None

    def __call__(self) -> T:
        """Raises the errors of the computation, which are not kept."""
        with self._lock:
            began = self._now()
            if self._answer is None or self._valid_until is None or began >= self._valid_until:
                self._answer = self._compute()
                ended = self._now()
                self._valid_until = ended + _MAX_SHARE * (ended - began)
            return self._answer
