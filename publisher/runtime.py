"""The parts that the whole engine shares: state, clock, policy and counters."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from tenacity import Retrying, retry_if_exception_type, stop_after_attempt, wait_exponential

from publisher.latency import EventLatency, Instant, SourceLag
from publisher.notifications.recording import NO_NOTICES, Notices
from publisher.outages import Outages
from publisher.policy import Policy
from publisher.progress import Progress
from publisher.spans import NO_TRACES, Traces
from publisher.state.protocol import State

T = TypeVar("T")
R = TypeVar("R")


class Clock(Protocol):
    def now(self) -> float:
        """Seconds on a clock that never steps back, for leases, delays and graces."""

    def wall(self) -> float:
        """Seconds since the epoch, for times that people read; wall time may step at any moment."""

    def sleep(self, seconds: float) -> None: ...


class SystemClock:
    """Wall time for both clocks; usable only where no stored time is compared with ``now``."""

    def now(self) -> float:
        return time.time()

    def wall(self) -> float:
        return time.time()

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)


class Counters:
    """Counters for metrics; safe for threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._values: dict[str, int] = {}

    def add(self, name: str, amount: int = 1) -> None:
        with self._lock:
            self._values[name] = self._values.get(name, 0) + amount

    def values(self) -> Mapping[str, int]:
        with self._lock:
            return dict(self._values)


def retrying(errors: tuple[type[Exception], ...], clock: Clock) -> Retrying:
    """Makes up to three attempts for transient errors, then raises the last error."""
    return Retrying(
        retry=retry_if_exception_type(errors),
        stop=stop_after_attempt(3),
        wait=wait_exponential(multiplier=0.05, max=1.0),
        sleep=clock.sleep,
        reraise=True,
    )


def map_at_once(width: int, act: Callable[[T], R], items: Sequence[T]) -> Sequence[R]:
    """Applies ``act`` to ``width`` items at once; returns the results in the order of the items.

    A width of 1 runs everything in the caller's thread.

    Raises:
        Exception: the error of the first item that failed, once all running calls have ended.
    """
    if min(width, len(items)) <= 1:
        return [act(item) for item in items]
    pool = ThreadPoolExecutor(min(width, len(items)))
    try:
        return list(pool.map(act, items))
    finally:
        pool.shutdown(cancel_futures=True)


def both_at_once(width: int, first: Callable[[], T], second: Callable[[], R]) -> tuple[T, R]:
    """Runs both at once; a width of 1 runs them in turn in the caller's thread.

    Raises:
        Exception: the error of one function, once both have ended.
    """
    if width <= 1:
        return first(), second()
    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(second)
        return first(), other.result()


@dataclass(frozen=True, slots=True)
class Runtime:
    state: State
    clock: Clock
    policy: Policy
    counters: Counters = field(default_factory=Counters)
    outages: Outages = field(default_factory=Outages)
    progress: Progress = field(default_factory=Progress)
    latency: EventLatency = field(default_factory=EventLatency)
    source_lag: SourceLag = field(default_factory=SourceLag)
    notices: Notices = NO_NOTICES
    traces: Traces = NO_TRACES

    def instant(self) -> Instant:
        return Instant(self.clock.now(), self.clock.wall())
