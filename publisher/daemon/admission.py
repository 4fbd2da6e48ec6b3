"""Distributes requests to a few warm processes, with a bounded and fair queue."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any, Generic, Protocol, TypeVar

from publisher.web.limited_requests import Unavailable


class Stoppable(Protocol):
    def stop(self) -> None: ...


P = TypeVar("P", bound=Stoppable)
T = TypeVar("T")


class Admission(Generic[P]):
    """Gives each process one request at a time; clients take turns. Safe for threads.

    If the queue is full and another client sends a request, the client with the most requests loses its
    newest one.
    """

    def __init__(
        self, processes: Sequence[P], max_waiting: int, name: str, refused: Callable[[], object]
    ) -> None:
        """Starts no process and no thread yet.

        Args:
            processes: they answer the requests.
            max_waiting: how many requests may wait.
            name: the prefix of the threads' names.
            refused: is called at each refusal.
        """
        self._most = len(processes) + max_waiting
        self._refused = refused
        self._under_way = 0
        self._is_closed = False
        # Reentrant: a refused future runs its callbacks at once, and they may take the lock.
        self._lock = threading.RLock()
        # The requests of each client, oldest first; the client with the next turn is first.
        self._waiting: dict[str, dict[Future[Any], Callable[[P], Any]]] = {}
        self._idle: queue.LifoQueue[P] = queue.LifoQueue()
        for process in processes:
            self._idle.put(process)
        self._threads = ThreadPoolExecutor(len(processes), thread_name_prefix=name)

    def submit(self, client: str, answer: Callable[[P], T]) -> Future[T]:
        """Queues a request for a process.

        The future raises ``Unavailable`` if a request of another client takes the request's place.

        Raises:
            Unavailable: too many requests wait, or the queue is closed.
        """
        found: Future[T] = Future()
        with self._lock:
            if self._is_closed:
                raise self._refusal("the service ends")
            if self._under_way >= self._most:
                self._make_room(client)
            self._under_way += 1
            self._waiting.setdefault(client, {})[found] = answer
            found.add_done_callback(partial(self._done, client))
            self._threads.submit(self._with_process, self._answer_next)
        return found

    def with_each_idle(self, action: Callable[[P], object]) -> None:
        """Runs an action with each process that is idle now, in other threads.

        A process's next request waits for the action.
        """
        with self._lock:
            if not self._is_closed:
                for _ in range(self._idle.qsize()):
                    self._threads.submit(self._with_process, action)

    def close(self) -> None:
        """Ends each process after its current answer."""
        with self._lock:
            self._is_closed = True
            for client, asked in list(self._waiting.items()):
                for found in list(asked):
                    self._refuse(client, found, "the service ends")
        self._threads.shutdown(wait=False, cancel_futures=True)
        while True:
            try:
                self._idle.get_nowait().stop()
            except queue.Empty:
                break

    def _make_room(self, client: str) -> None:
        """Refuses the newest waiting request of the client that has the most waiting requests.

        Raises:
            Unavailable: no other client has more waiting requests than ``client`` would have.
        """
        most = max(self._waiting, key=lambda each: len(self._waiting[each]), default=client)
        own = len(self._waiting.get(client, ()))
        if len(self._waiting.get(most, ())) <= own + 1:
            raise self._refusal("too many requests wait")
        newest = next(reversed(self._waiting[most]))
        self._refuse(most, newest, "too many requests of this client wait")

    def _refuse(self, client: str, found: Future[Any], why: str) -> None:
        self._remove(client, found)
        # The client may have left at this moment.
        if found.set_running_or_notify_cancel():
            found.set_exception(self._refusal(why))

    def _refusal(self, why: str) -> Unavailable:
        self._refused()
        return Unavailable(why)

    def _done(self, client: str, found: Future[Any]) -> None:
        with self._lock:
            self._under_way -= 1
            self._remove(client, found)

    def _remove(self, client: str, found: Future[Any]) -> None:
        asked = self._waiting.get(client, {})
        asked.pop(found, None)
        if not asked:
            self._waiting.pop(client, None)

    def _answer_next(self, process: P) -> None:
        with self._lock:
            if not self._waiting:
                return
            client, asked = next(iter(self._waiting.items()))
            found, answer = next(iter(asked.items()))
            # If more of its requests wait, the client moves to the end.
            self._waiting[client] = self._waiting.pop(client)
            self._remove(client, found)
            if not found.set_running_or_notify_cancel():
                return
        try:
            found.set_result(answer(process))
        except BaseException as error:  # noqa: BLE001 (the client handles the error of its request)
            found.set_exception(error)

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
