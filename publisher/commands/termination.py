"""Ends a command at SIGTERM without a traceback, and releases what the command holds."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

TERMINATED = 128 + signal.SIGTERM
"""The exit status that shells report for a process that SIGTERM ended."""


@contextmanager
def exit_on_sigterm() -> Iterator[None]:
    """Raises SystemExit in the running command, so that it releases what it holds."""

    def leave(_number: int, _frame: FrameType | None) -> None:
        # A second signal must not interrupt the release.
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        raise SystemExit(TERMINATED)

    previous = signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, previous)


@contextmanager
def note_sigterm() -> Iterator[threading.Event]:
    """Sets the event at SIGTERM, for a loop that ends between two steps."""
    requested = threading.Event()
    previous = signal.signal(signal.SIGTERM, lambda *_: requested.set())
    try:
        yield requested
    finally:
        signal.signal(signal.SIGTERM, previous)
