"""Tracks the processes that work on a state in SQLite: each holds a lock on a file next to it.

The kernel frees the lock when the process ends or is killed. So no process waits for the claims of a
dead one.
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
"""How long a starting process tries to get the lock alone: a short check by ``is_file_worked_on`` must not
count as another process."""


class FileParticipation:
    """Registers that this process works on a state, until it is closed.

    Attributes:
        is_alone: whether no other process worked on the state when this process began.
    """

    def __init__(self, state: Path) -> None:
        """Registers the process.

        Raises ``OSError`` if the file next to the state cannot be created or locked.
        """
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


def is_file_worked_on(state: Path) -> bool:
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
