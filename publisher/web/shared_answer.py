"""An expensive answer that is computed once for all clients that ask in the meantime."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

T = TypeVar("T")

_MAX_SHARE = 4
"""An answer is kept four times as long as its computation took. So computations use at most a fifth
of a processor."""


def _never_the_same() -> Hashable:
    return object()


class SharedAnswer(Generic[T]):
    """A computation that several threads share. A result that takes 1 ms is at most a few ms old."""

    def __init__(
        self,
        compute: Callable[[], T],
        now: Callable[[], float] = time.monotonic,
        version: Callable[[], Hashable] = _never_the_same,
    ) -> None:
        """Shares the results of ``compute``.

        ``version`` gives the version of the data. A result is kept until the version changes.
        """
        self._compute = compute
        self._now = now
        self._version = version
        self._lock = threading.Lock()
        self._answer: tuple[Hashable, T] | None = None
        self._valid_until = 0.0

    def __call__(self) -> T:
        """The result, kept or computed now. Errors of the computation are raised and not kept."""
        with self._lock:
            began = self._now()
            if self._answer is not None and began < self._valid_until:
                return self._answer[1]
            # The version is read first, so that a change during the computation makes the answer outdated.
            version = self._version()
            if self._answer is None or self._answer[0] != version:
                self._answer = (version, self._compute())
                ended = self._now()
                self._valid_until = ended + _MAX_SHARE * (ended - began)
            return self._answer[1]
