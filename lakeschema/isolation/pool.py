"""A pool of limited child processes, for several threads and several kinds of questions."""

from __future__ import annotations

import queue
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

from lakeschema.isolation.limits import Handlers, Limits, ProcessDied
from lakeschema.isolation.process import LimitedProcess

_DEFAULT_LIMITS = Limits()


class LimitedProcesses:
    """As many questions are answered at once as there are processes; the others wait."""

    def __init__(
        self, handlers: Handlers, *, count: int = 2, limits: Limits = _DEFAULT_LIMITS
    ) -> None:
        self._idle: queue.LifoQueue[LimitedProcess] = queue.LifoQueue()
        for _ in range(count):
            self._idle.put(LimitedProcess(handlers, limits))

    def warm(self) -> None:
        """Starts every process now, so that the first question does not wait for it."""
        processes = [self._idle.get() for _ in range(self._idle.qsize())]
        for process in processes:
            process.start()
            self._idle.put(process)

    def ask(self, handler: str, question: Any) -> Any:
        """The answer of a handler.

        Raises:
            ProcessDied: the question killed a process.
        """
        with self._borrow() as process:
            was_new = process.is_new
            try:
                return process.ask(handler, question)
            except ProcessDied as died:
                if was_new or died.timed_out:
                    raise
                # Earlier questions may have used up its memory: this one is not to blame yet.
                return process.ask(handler, question)

    def close(self) -> None:
        """Ends idle processes; a busy one ends when its pipe closes, or at its time limit."""
        while True:
            try:
                self._idle.get_nowait().stop()
            except queue.Empty:
                return

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _borrow(self) -> Iterator[LimitedProcess]:
        process = self._idle.get()
        try:
            yield process
        finally:
            self._idle.put(process)
