"""A pool of limited child processes, for several threads and several kinds of questions."""

from __future__ import annotations

import logging
import queue
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

from lakeschema.isolation.limits import Handlers, Limits, PoolClosed, ProcessDied
from lakeschema.isolation.process import Child, LimitedProcess

log = logging.getLogger(__name__)

_DEFAULT_LIMITS = Limits()


class LimitedProcesses:
    """Each process answers one question at a time; further questions wait."""

    def __init__(
        self,
        handlers: Handlers,
        *,
        count: int = 2,
        limits: Limits = _DEFAULT_LIMITS,
        early: Child | None = None,
    ) -> None:
        """Makes a pool; ``early`` is a running child, which is used first."""
        # None wakes waiting callers after the pool was closed.
        self._idle: queue.LifoQueue[LimitedProcess | None] = queue.LifoQueue()
        self._is_closed = False
        for number in range(1, count + 1):
            self._idle.put(LimitedProcess(handlers, limits, early if number == count else None))

    def warm(self) -> None:
        """Starts every process now, so that the first question does not wait for the start."""
        processes = [self._idle.get() for _ in range(self._idle.qsize())]
        for process in processes:
            if process is not None:
                process.start()
            self._idle.put(process)

    def start_one(self) -> None:
        """Starts one process now, for a program that asks one question at a time."""
        with self._borrow() as process:
            process.start()

    def ask(self, handler: str, question: Any) -> Any:
        """The answer of a handler.

        Raises:
            ProcessDied: the question killed a process.
            PoolClosed: the pool is closed.
        """
        with self._borrow() as process:
            was_new = process.is_new
            try:
                return process.ask(handler, question)
            except ProcessDied as died:
                if was_new or died.timed_out:
                    raise
                # Earlier questions may have used up the child's memory: this question gets another try.
                log.warning(
                    "child process died; another one is asked",
                    extra={"question": handler, "why": died.reason},
                )
                return process.ask(handler, question)

    def close(self) -> None:
        """Stops idle processes now, and busy processes after their answers; refuses waiting callers."""
        self._is_closed = True
        while True:
            try:
                process = self._idle.get_nowait()
            except queue.Empty:
                break
            if process is not None:
                process.stop()
        self._idle.put(None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _borrow(self) -> Iterator[LimitedProcess]:
        process = self._idle.get()
        if process is None:
            self._idle.put(None)
            raise PoolClosed
        try:
            yield process
        finally:
            if self._is_closed:
                process.stop()
            else:
                self._idle.put(process)
