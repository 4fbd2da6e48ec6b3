"""SIGTERM, which service managers send, ends a command without a traceback and leaves nothing held."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

TERMINATED = 128 + signal.SIGTERM
"""The exit status, as shells report it."""


@contextmanager
def exit_on_sigterm() -> Iterator[None]:
    """SystemExit is raised where the command is, so that what it holds is released."""

    def leave(_number: int, _frame: FrameType | None) -> None:
        # A second one must not interrupt the release.
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        raise SystemExit(TERMINATED)

    previous = signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, previous)


@contextmanager
def note_sigterm() -> Iterator[threading.Event]:
    """The event is set, for a loop that ends between two steps."""
    requested = threading.Event()
    previous = signal.signal(signal.SIGTERM, lambda *_: requested.set())
    try:
        yield requested
    finally:
        signal.signal(signal.SIGTERM, previous)
