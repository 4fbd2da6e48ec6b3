"""Requests that a few processes answer, which stay warm, and a bounded queue before them."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, Protocol, TypeVar

from publisher.web.limited_requests import Unavailable


class Stoppable(Protocol):
    def stop(self) -> None: ...


P = TypeVar("P", bound=Stoppable)
T = TypeVar("T")


class Admission(Generic[P]):
    """Safe for threads. A process has one request at a time."""

    def __init__(self, processes: Sequence[P], max_waiting: int, name: str) -> None:
        """``name`` is of the threads that wait for the processes."""
        self._most = len(processes) + max_waiting
        self._under_way = 0
        self._is_closed = False
        self._lock = threading.Lock()
        self._idle: queue.LifoQueue[P] = queue.LifoQueue()
        for process in processes:
            self._idle.put(process)
        self._threads = ThreadPoolExecutor(len(processes), thread_name_prefix=name)

    def submit(self, answer: Callable[[P], T]) -> Future[T]:
        """Has a process answer.

        Raises:
            Unavailable: too many wait, or it is closed.
        """
        with self._lock:
            if self._is_closed:
                raise Unavailable("the service ends")
            if self._under_way >= self._most:
                raise Unavailable("too many requests wait")
            self._under_way += 1
            found = self._threads.submit(self._with_process, answer)
        found.add_done_callback(self._done)
        return found

    def with_each_idle(self, action: Callable[[P], object]) -> None:
        """Has each process that is idle now do something beside the caller, before the next request."""
        with self._lock:
            if not self._is_closed:
                for _ in range(self._idle.qsize()):
                    self._threads.submit(self._with_process, action)

    def close(self) -> None:
        """Ends the processes; one that answers ends after its answer."""
        with self._lock:
            self._is_closed = True
        self._threads.shutdown(wait=False, cancel_futures=True)
        while True:
            try:
                self._idle.get_nowait().stop()
            except queue.Empty:
                break

    def _done(self, _: Future[T]) -> None:
        with self._lock:
            self._under_way -= 1

    def _with_process(self, action: Callable[[P], T]) -> T:
        process = self._idle.get()
        try:
            return action(process)
        finally:
            self._give_back(process)

    def _give_back(self, process: P) -> None:
        with self._lock:
            if not self._is_closed:
                self._idle.put(process)
                return
        process.stop()
