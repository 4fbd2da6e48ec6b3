"""Makes each page once for many readers, and keeps it while its data stay the same.

A kept page answers a request under two conditions. The request must agree in everything that a page may
depend on. And the data's version must be the same as before the page was made. So a reader never gets a page
that is older than the last change, nor the page of a reader with other rights.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final, TypeAlias

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from publisher.index.protocol import PackageIndexError
from publisher.state.protocol import StateUnavailable
from publisher.web.responses import VARYING_HEADERS, Page, page_response

Make: TypeAlias = Callable[[Request], Page | Response]
"""Makes a page; any other answer, such as a redirect, is not kept."""
Version: TypeAlias = Callable[[Request], Hashable]
"""The version of a page's data. It changes whenever the data change, and is cheaper than the page."""
_Asked: TypeAlias = tuple[str, ...]
_Key: TypeAlias = tuple[_Asked, Hashable]
Handler: TypeAlias = Callable[[Request], Coroutine[Any, Any, Response]]

_KEPT_SECONDS: Final = 1.0
"""The time for which a page is kept. Shown ages and a catalog's answers change without a new version."""
_KEPT_STATUSES: Final = (HTTPStatus.OK, HTTPStatus.NOT_FOUND)
_MAX_BYTES: Final = 32 * 2**20
_ENTRY_BYTES: Final = 1_000
"""The most memory that a kept page needs besides its bytes."""
_THREADS: Final = 3
"""The number of threads. More would not make pages sooner, since Python runs one thread at a time."""


@dataclass(frozen=True, slots=True)
class _Kept:
    version: Hashable
    until: float
    page: Page
    size: int


@dataclass(slots=True)
class _Flight:
    """A page that is being made; ``readers`` is the number of requests that wait for it."""

    key: _Key
    made: Future[Page | Response]
    readers: int = 0


class KeptPages:
    """The kept pages. Separate threads make pages, so that pages never delay other answers.

    Several threads may use it.
    """

    def __init__(
        self,
        *,
        threads: int = _THREADS,
        max_bytes: int = _MAX_BYTES,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """Creates a store without pages.

        ``max_bytes`` limits the memory of all kept pages, with the requests that they answer.
        """
        self._threads = ThreadPoolExecutor(threads, "pages")
        self._max_bytes = max_bytes
        self._now = now
        self._lock = threading.Lock()
        self._pages: OrderedDict[_Asked, _Kept] = OrderedDict()
        self._flights: dict[_Key, _Flight] = {}
        self._bytes = 0

    def handler(self, make: Make, version: Version) -> Handler:
        async def answer(request: Request) -> Response:
            # The version is read before the page is made, so that a change meanwhile makes the page outdated.
            found_version = await run_in_threadpool(_read_version, version, request)
            found = self._find_or_join(request, make, found_version)
            made = found if isinstance(found, Page) else await self._land(found)
            return page_response(request, made) if isinstance(made, Page) else made

        return answer

    def _find_or_join(self, request: Request, make: Make, version: Hashable) -> Page | _Flight:
        key = (_asked(request), version)
        with self._lock:
            kept = self._pages.get(key[0])
            if kept is not None and kept.version == version and self._now() < kept.until:
                self._pages.move_to_end(key[0])
                return kept.page
            flight = self._flights.get(key)
            if flight is None:
                # The page shows the navigation bar, which is in the request's context.
                work = copy_context().run
                flight = _Flight(key, self._threads.submit(work, self._run, request, make, key))
                self._flights[key] = flight
            flight.readers += 1
            return flight

    async def _land(self, flight: _Flight) -> Page | Response:
        try:
            # A reader who disconnects must not end the work for other readers.
            return await asyncio.shield(asyncio.wrap_future(flight.made))
        finally:
            self._leave(flight)

    def _leave(self, flight: _Flight) -> None:
        with self._lock:
            flight.readers -= 1
            # Without readers, the work is cancelled if no thread has begun it.
            if flight.readers == 0 and flight.made.cancel():
                del self._flights[flight.key]

    def _run(self, request: Request, make: Make, key: _Key) -> Page | Response:
        asked, version = key
        until = self._now() + _KEPT_SECONDS
        found: Page | Response | None = None
        try:
            found = make(request)
            return found
        finally:
            with self._lock:
                del self._flights[key]
                if isinstance(found, Page) and found.status in _KEPT_STATUSES:
                    self._keep(asked, _Kept(version, until, found, _size(asked) + found.size))

    def _keep(self, asked: _Asked, kept: _Kept) -> None:
        old = self._pages.pop(asked, None)
        self._pages[asked] = kept
        self._bytes += kept.size - (0 if old is None else old.size)
        while self._bytes > self._max_bytes:
            _, dropped = self._pages.popitem(last=False)
            self._bytes -= dropped.size


def _asked(request: Request) -> _Asked:
    """Everything in a request that a page may depend on, except its content coding.

    Each page is kept both compressed and plain.
    """
    scope = request.scope
    stated = (value for name in VARYING_HEADERS for value in (name, *request.headers.getlist(name)))
    return (scope["scheme"], scope["path"], scope["query_string"].decode("latin-1"), *stated)


def _size(asked: _Asked) -> int:
    return _ENTRY_BYTES + sum(map(len, asked))


def _read_version(version: Version, request: Request) -> Hashable:
    """The version of the page's data, or a new unique object if it cannot be read.

    The page is then made anyway, and may say that the data cannot be read.
    """
    try:
        return version(request)
    except (StateUnavailable, PackageIndexError):
        return object()
