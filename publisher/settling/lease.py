"""Holds a singleton of the journal in one process at a time, and renews it meanwhile.

The lease is short, so that a killed holder is replaced soon, and a thread renews it for a slow
holder. Every write through it checks the fence.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from publisher.runtime import Runtime
from publisher.state.protocol import StateUnavailable, Transaction

log = logging.getLogger(__name__)

T = TypeVar("T")

_BEATS_PER_LEASE = 3


class LeaseTaken(Exception):
    """Another process holds the lease."""


class LeaseLost(Exception):
    """Another process took the lease, because this process had not renewed it in time."""


class Lease:
    """A held singleton, made by ``hold``; safe for threads."""

    def __init__(self, runtime: Runtime, singleton: str, seconds: float, fence: int) -> None:
        self._state = runtime.state
        self._clock = runtime.clock
        self._singleton = singleton
        self._seconds = seconds
        self._fence = fence

    def write(self, action: Callable[[Transaction], T]) -> T:
        """Commits ``action``, and renews the lease in the same transaction.

        Raises:
            LeaseLost: nothing was written.
        """

        def renew_and_act(tx: Transaction) -> T:
            until = self._clock.now() + self._seconds
            if not tx.journal.renew(self._singleton, self._fence, until):
                raise LeaseLost
            return action(tx)

        return self._state.write(renew_and_act)

    def renew(self) -> None:
        """Renews the lease. Raises ``LeaseLost``, as ``write`` does."""
        self.write(lambda _: None)

    def release(self) -> None:
        self._state.write(lambda tx: tx.journal.release(self._singleton, self._fence))

    def beat(self, released: threading.Event) -> None:
        """Renews the lease after each third of its duration until it is released or lost."""
        while not released.wait(self._seconds / _BEATS_PER_LEASE):
            try:
                self.renew()
            except LeaseLost:
                return  # the holder's next write reports it
            except StateUnavailable:
                pass  # it may work at the next beat
            except Exception:
                log.exception("lease not renewed", extra={"singleton": self._singleton})


@contextmanager
def hold(runtime: Runtime, singleton: str, seconds: float) -> Iterator[Lease]:
    """Holds a singleton such as ``@snapshot/hive``, and always releases it.

    Raises:
        LeaseTaken: another process holds it.
    """
    now = runtime.clock.now()
    fence = runtime.state.write(lambda tx: tx.journal.lease(singleton, now, seconds))
    if fence is None:
        raise LeaseTaken
    lease = Lease(runtime, singleton, seconds, fence)
    released = threading.Event()
    heart = threading.Thread(target=lease.beat, args=[released], name=singleton, daemon=True)
    heart.start()
    try:
        yield lease
    finally:
        released.set()
        heart.join()
        lease.release()
