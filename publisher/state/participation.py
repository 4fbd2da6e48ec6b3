"""Tracks the processes that work on a state: each holds a lock on a file next to it.

The kernel frees the lock when the process ends or is killed. So nobody has to wait for a dead
process's claims.
"""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path
from typing import Self

from publisher.state.turnstile import lock_until

_SUFFIX = "-running"
_MODE = 0o600
_LOOK_SECONDS = 0.2
"""``somebody_works_on`` holds the lock for a moment, which must not count as another process."""


class Participation:
    """Registers that this process works on a state, until it is closed.

    Attributes:
        is_alone: whether no other process worked on the state when this one began.
    """

    def __init__(self, state: Path) -> None:
        """Raises OSError: the file next to the state cannot be created or locked."""
        self._file = os.open(_beside(state), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, _MODE)
        try:
            self.is_alone = lock_until(self._file, time.monotonic() + _LOOK_SECONDS)
        except BaseException:
            self.close()
            raise

    def share(self) -> None:
        """Lets other processes begin; they wait until the first process has repaired the state."""
        fcntl.flock(self._file, fcntl.LOCK_SH)

    def close(self) -> None:
        os.close(self._file)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def somebody_works_on(state: Path) -> bool:
    try:
        file = os.open(_beside(state), os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        return not lock_until(file, time.monotonic())
    finally:
        os.close(file)


def _beside(state: Path) -> Path:
    return state.with_name(state.name + _SUFFIX)
