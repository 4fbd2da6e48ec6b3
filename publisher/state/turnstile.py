"""Makes processes that write to one state take turns, so that no busy writer starves another.

SQLite waits for its lock with longer and longer pauses, while a process that releases the lock can take
it again at once. Here a process holds the queue lock while it waits for its turn, and a process that wants a second turn
must wait behind it. The turnstile only makes turns fair. If a process's turn does not come in time,
the process writes anyway, since SQLite's lock still protects the data.
"""

from __future__ import annotations

import fcntl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

_POLL_SECONDS = 0.002


class Turnstile:
    """Two locked files next to the state. Only one thread of a process at a time may use it."""

    def __init__(self, path: Path, deadline_seconds: float, mode: int) -> None:
        self._deadline_seconds = deadline_seconds
        self._queue = _open(path.with_name(f"{path.name}-queue"), mode)
        self._turn = _open(path.with_name(f"{path.name}-turn"), mode)

    @contextmanager
    def turn(self) -> Iterator[None]:
        deadline = time.monotonic() + self._deadline_seconds
        is_first = lock_until(self._queue.fileno(), deadline)
        is_locked = is_first and lock_until(self._turn.fileno(), deadline)
        if is_first:
            fcntl.flock(self._queue, fcntl.LOCK_UN)
        try:
            yield
        finally:
            if is_locked:
                fcntl.flock(self._turn, fcntl.LOCK_UN)

    def close(self) -> None:
        self._queue.close()
        self._turn.close()


def _open(path: Path, mode: int) -> BinaryIO:
    path.touch(mode)
    return path.open("rb")


def lock_until(descriptor: int, deadline: float) -> bool:
    """Tries at least once to lock the file; ``deadline`` is on the monotonic clock.

    Polls, because a wait in the kernel has no deadline.
    """
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                return False
            time.sleep(_POLL_SECONDS)
        else:
            return True
