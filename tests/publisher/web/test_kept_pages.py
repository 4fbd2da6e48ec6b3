"""Kept pages: made once for equal requests, never shown to another reader or after a change."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path

import httpx
import pytest
from prometheus_client import CollectorRegistry
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from publisher.index.static import StaticIndex
from publisher.state.protocol import StateUnavailable
from publisher.state.sqlite import SqliteState
from publisher.web.access import Access
from publisher.web.app import create_app
from publisher.web.kept_pages import KeptPages, Make, Version
from publisher.web.responses import Page
from tests.publisher.index.wheels import sample_wheel
from tests.publisher.web.asgi_client import AsgiClient
from tests.publisher.web.daemon_double import IdleDaemon

READERS = 16


@dataclass
class Counted:
    """Pages that tell how many were made before; ``version`` and ``clock`` are the test's."""

    version: Hashable = 0
    clock: float = 0.0
    made: int = 0
    size: int = 2_000

    def make(self, request: Request) -> Page | Response:
        self.made += 1
        return Page.of(f"{self.made} ".encode().ljust(self.size))

    def app(self, max_bytes: int = 1_000_000) -> AsgiClient:
        pages = KeptPages(max_bytes=max_bytes, now=lambda: self.clock)
        return client(pages, self.make, lambda _: self.version)


def client(pages: KeptPages, make: Make, version: Version) -> AsgiClient:
    return AsgiClient(Starlette(routes=[Route("/{any:path}", pages.handler(make, version))]))


def number(answer: httpx.Response) -> int:
    return int(answer.text.split()[0])


def test_equal_requests_get_the_same_page() -> None:
    counted = Counted()
    app = counted.app()

    assert [number(app.get("/a?b=c")) for _ in range(3)] == [1, 1, 1]


def test_a_change_is_shown_at_once() -> None:
    counted = Counted()
    app = counted.app()
    app.get("/a")

    counted.version = 1

    assert number(app.get("/a")) == 2


def test_a_write_to_the_state_is_shown_at_once(tmp_path: Path) -> None:
    with closing(SqliteState(tmp_path / "state.db", synchronous="OFF")) as state:

        def make(_: Request) -> Page:
            return Page.of(state.read(lambda tx: tx.journal.note("@test")).encode())

        def write(text: str) -> None:
            state.write(lambda tx: tx.journal.write_note("@test", text))

        app = client(KeptPages(), make, lambda _: state.generation())
        shown = []
        for text in ("first", "second"):
            write(text)
            shown.append(app.get("/").text)

    assert shown == ["first", "second"]


def test_a_change_while_the_page_is_made_makes_it_old() -> None:
    counted = Counted()
    seen: list[Hashable] = []

    def make(request: Request) -> Page | Response:
        seen.append(counted.version)
        if len(seen) == 1:
            counted.version = "changed"
        return counted.make(request)

    app = client(KeptPages(), make, lambda _: counted.version)
    app.get("/")
    app.get("/")

    assert seen == [0, "changed"]


def test_a_page_is_kept_for_a_second_at_most() -> None:
    counted = Counted()
    app = counted.app()
    app.get("/a")

    counted.clock = 0.99
    kept = number(app.get("/a"))
    counted.clock = 1.0

    assert (kept, number(app.get("/a"))) == (1, 2)


@pytest.mark.parametrize(
    "other",
    [
        {"Authorization": "Bearer other"},
        {"Host": "other.example"},
        {"Accept": "application/json"},
        {"X-Forwarded-Proto": "https"},
    ],
)
def test_requests_that_differ_have_their_own_pages(other: dict[str, str]) -> None:
    counted = Counted()
    app = counted.app()

    answers = [app.get("/a", headers=headers) for headers in ({}, other, {}, other)]

    assert [number(answer) for answer in answers] == [1, 2, 1, 2]


def test_addresses_that_differ_have_their_own_pages() -> None:
    counted = Counted()
    app = counted.app()

    assert [number(app.get(address)) for address in ("/a", "/b", "/a?c", "/a?c=", "/a")] == [
        1,
        2,
        3,
        4,
        1,
    ]


def test_every_form_comes_from_one_page() -> None:
    app = Counted().app()

    plain = app.get("/a")
    packed = app.get("/a", headers={"Accept-Encoding": "gzip"})
    known = app.get("/a", headers={"If-None-Match": plain.headers["ETag"]})
    head = app.request("HEAD", "/a")

    assert packed.headers["Content-Encoding"] == "gzip"
    assert packed.headers["ETag"] != plain.headers["ETag"]
    assert (known.status_code, known.content) == (304, b"")
    assert (head.status_code, head.headers["ETag"]) == (200, plain.headers["ETag"])
    assert head.headers["Content-Length"] == str(len(plain.content))


def test_after_a_change_a_known_page_is_sent_again() -> None:
    counted = Counted()
    app = counted.app()
    tag = app.get("/a").headers["ETag"]

    counted.version = 1

    assert app.get("/a", headers={"If-None-Match": tag}).status_code == 200


@pytest.mark.parametrize(
    "answer",
    [
        lambda: Page.of(b"who are you?", status=HTTPStatus.UNAUTHORIZED),
        lambda: RedirectResponse("/other"),
    ],
)
def test_a_refusal_and_a_redirect_are_not_kept(answer: Callable[[], Page | Response]) -> None:
    made: list[Request] = []

    def make(request: Request) -> Page | Response:
        made.append(request)
        return answer()

    app = client(KeptPages(), make, lambda _: 0)
    app.get("/a")
    app.get("/a")

    assert len(made) == 2


def test_the_page_of_an_unknown_address_is_kept() -> None:
    made: list[Request] = []

    def make(request: Request) -> Page:
        made.append(request)
        return Page.of(b"missing", status=HTTPStatus.NOT_FOUND)

    app = client(KeptPages(), make, lambda _: 0)

    assert [app.get("/a").status_code, app.get("/a").status_code] == [404, 404]
    assert len(made) == 1


def test_a_page_of_unreadable_data_is_not_kept() -> None:
    counted = Counted()

    def version(_: Request) -> Hashable:
        raise StateUnavailable("the disk is away")

    app = client(KeptPages(), counted.make, version)

    assert [number(app.get("/a")), number(app.get("/a"))] == [1, 2]


def test_a_failure_is_not_kept() -> None:
    counted = Counted()

    def make(request: Request) -> Page | Response:
        found = counted.make(request)
        if counted.made == 1:
            raise OSError("the disk is away")
        return found

    app = client(KeptPages(), make, lambda _: 0)
    with pytest.raises(OSError, match="away"):
        app.get("/a")

    assert number(app.get("/a")) == 2


def test_the_pages_used_last_are_kept_within_the_memory_allowed() -> None:
    counted = Counted(size=10_000)
    app = counted.app(max_bytes=30_000)

    app.get("/a")
    app.get("/b")
    app.get("/a")
    app.get("/c")

    assert number(app.get("/a")) == 1
    assert number(app.get("/b")) == 4


def test_a_page_larger_than_the_memory_is_not_kept() -> None:
    counted = Counted(size=10_000)
    app = counted.app(max_bytes=5_000)

    assert [number(app.get("/a")), number(app.get("/a"))] == [1, 2]


@dataclass
class Gate:
    """A page that waits until the test opens the gate."""

    opened: threading.Event = field(default_factory=threading.Event)
    entered: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    made: list[str] = field(default_factory=list)

    def make(self, request: Request) -> Page:
        self.made.append(request.url.path)
        self.entered.release()
        assert self.opened.wait(30)
        return Page.of(f"{len(self.made)} of {request.url.path}".encode())


def versions(expected: int) -> tuple[Version, threading.Event]:
    """A version that never changes, and an event once it was read so often."""
    read = threading.Semaphore(0)
    every = threading.Event()

    def version(_: Request) -> Hashable:
        read.release()
        if read._value >= expected:
            every.set()
        return 0

    return version, every


def test_readers_of_one_page_make_it_once() -> None:
    gate = Gate()
    version, all_asked = versions(READERS)
    app = client(KeptPages(), gate.make, version)

    # Each reader runs an event loop in a separate thread.
    with ThreadPoolExecutor(READERS) as readers:
        answers = [readers.submit(app.get, "/a") for _ in range(READERS)]
        assert all_asked.wait(30)
        gate.opened.set()
        texts = {answer.result(30).text for answer in answers}

    assert (texts, gate.made) == ({"1 of /a"}, ["/a"])


async def ask(pages: KeptPages, make: Make, path: str) -> Response:
    scope = {"type": "http", "scheme": "http", "path": path, "query_string": b"", "headers": []}
    request = Request({**scope, "server": ("here", 80), "method": "GET"})
    return await pages.handler(make, lambda _: 0)(request)


async def reached(condition: Callable[[], bool]) -> None:
    while not condition():  # noqa: ASYNC110 (the conditions are those of threads)
        await asyncio.sleep(0.001)


def test_a_reader_who_leaves_does_not_end_the_work_for_others() -> None:
    gate, pages = Gate(), KeptPages()

    async def story() -> bytes:
        first = asyncio.create_task(ask(pages, gate.make, "/a"))
        await reached(lambda: gate.entered.acquire(blocking=False))
        second = asyncio.create_task(ask(pages, gate.make, "/a"))
        await asyncio.sleep(0.01)
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        gate.opened.set()
        return bytes((await second).body)

    assert asyncio.run(story()) == b"1 of /a"
    assert gate.made == ["/a"]


def test_work_for_nobody_is_given_up_while_it_waits() -> None:
    gate, pages = Gate(), KeptPages(threads=1)

    async def story() -> None:
        first = asyncio.create_task(ask(pages, gate.make, "/a"))
        await reached(lambda: gate.entered.acquire(blocking=False))
        second = asyncio.create_task(ask(pages, gate.make, "/b"))
        await reached(lambda: len(pages._flights) == 2)
        second.cancel()
        await asyncio.gather(second, return_exceptions=True)
        third = asyncio.create_task(ask(pages, gate.make, "/c"))
        gate.opened.set()
        await asyncio.gather(first, third)

    asyncio.run(story())

    assert gate.made == ["/a", "/c"]


def test_slow_pages_do_not_delay_those_of_another_kind() -> None:
    gate, slow, quick = Gate(), KeptPages(threads=1), KeptPages(threads=1)
    counted = Counted()

    async def story() -> int:
        waiting = [asyncio.create_task(ask(slow, gate.make, f"/{n}")) for n in range(READERS)]
        await reached(lambda: len(slow._flights) == READERS)
        answer = await ask(quick, counted.make, "/quick")
        gate.opened.set()
        await asyncio.gather(*waiting)
        return answer.status_code

    assert asyncio.run(story()) == 200


class Unchanging(IdleDaemon):
    """A daemon whose state never changes, so that pages are kept."""

    def version(self) -> Hashable:
        return 0


def test_an_upload_is_shown_at_once_without_a_write_to_the_state(tmp_path: Path) -> None:
    index = StaticIndex(tmp_path)
    app = AsgiClient(create_app(index, Unchanging(), registry=CollectorRegistry()))
    shown = []
    for version in ("1.0.0", "1.1.0"):
        wheel = sample_wheel(version=version)
        index.upload(wheel)
        shown.append(app.get(f"/packages/{wheel.distribution}").text)

    assert [text.count("1.1.0") > 0 for text in shown] == [False, True]


@pytest.mark.parametrize("address", ["/", "/packages/acme-schema-shop-orders"])
def test_readers_without_the_token_never_get_an_operators_page(
    tmp_path: Path, address: str
) -> None:
    index = StaticIndex(tmp_path)
    index.upload(sample_wheel())
    access = Access("secret")
    app = AsgiClient(create_app(index, Unchanging(), registry=CollectorRegistry(), access=access))
    operator = {"Authorization": "Bearer secret"}

    texts = [app.get(address, headers=headers).text for headers in (operator, {}, operator, {})]

    assert ['href="/lineage"' in text for text in texts] == [True, False, True, False]
