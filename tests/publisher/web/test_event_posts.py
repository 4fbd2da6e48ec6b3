"""``POST /events/NAME``: who may post, refusals and their reasons, and that pages are not held up."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from prometheus_client import CollectorRegistry

from publisher.event_formats import FORMATS
from publisher.events.event_spool import EventSpool
from publisher.events.named_events import NamedEvents
from publisher.events.posted_events import PostedEvents, Signing
from publisher.events.protocol import RelationHint
from publisher.events.signed_messages import sign
from publisher.web.access import Access
from publisher.web.app import create_app, create_operations_app, create_public_app
from publisher.web.server import WebServer
from tests.publisher.web.asgi_client import AsgiClient
from tests.publisher.web.daemon_double import IdleDaemon

SECRET = b"a secret of the tests"
EVENT = json.dumps(
    {"detail": {"databaseName": "d", "typeOfChange": "CreateTable", "tableName": "t"}}
)


@pytest.fixture
def inbox(tmp_path: Path) -> Iterator[PostedEvents]:
    source = PostedEvents(
        "glue",
        EventSpool(tmp_path / "spool.db", 4_000),
        Signing(lambda: [SECRET]),
        NamedEvents(FORMATS["glue"]).decode,
        max_bytes=1_000,
    )
    yield source
    source.close()


def app_of(*inboxes: PostedEvents, access: Access | None = None) -> AsgiClient:
    return AsgiClient(
        create_app(
            None,
            IdleDaemon(),
            registry=CollectorRegistry(),
            access=access or Access(),
            inboxes=inboxes,
        )
    )


def signed(body: bytes, id_: str = "m-1", *, at: int | None = None) -> dict[str, str]:
    stated = int(time.time()) if at is None else at
    return {
        "webhook-id": id_,
        "webhook-timestamp": str(stated),
        "webhook-signature": f"v1,{sign(SECRET, id_, stated, body).decode()}",
        "content-type": "application/json",
    }


def test_a_signed_event_is_accepted_and_stored(inbox: PostedEvents) -> None:
    body = EVENT.encode()

    response = app_of(inbox).request("POST", "/events/glue", headers=signed(body), content=body)
    batch = inbox.poll(None, 0)

    assert response.status_code == 202
    assert response.json() == {"stored": True}
    assert response.headers["cache-control"] == "no-store"
    assert batch is not None
    assert [str(h.relation) for h in batch.hints if isinstance(h, RelationHint)] == ["d.t"]


def test_the_signature_is_enough_without_the_operations_token(inbox: PostedEvents) -> None:
    client = app_of(inbox, access=Access("a token of the operators"))

    response = client.request("POST", "/events/glue", headers=signed(b"{}"), content=b"{}")

    assert response.status_code == 202


@pytest.mark.parametrize("missing", ["webhook-id", "webhook-timestamp", "webhook-signature"])
def test_an_unsigned_event_is_refused(inbox: PostedEvents, missing: str) -> None:
    headers = {name: value for name, value in signed(b"{}").items() if name != missing}

    response = app_of(inbox).request("POST", "/events/glue", headers=headers, content=b"{}")

    assert response.status_code == 401
    assert missing in response.json()["error"]["message"]
    assert inbox.poll(None, 0).seen == 0  # type: ignore[union-attr]


def test_an_old_or_altered_event_is_refused(inbox: PostedEvents) -> None:
    client = app_of(inbox)
    old = signed(b"{}", at=int(time.time()) - 1_000)

    found = [
        client.request("POST", "/events/glue", headers=headers, content=content).status_code
        for headers, content in ((old, b"{}"), (signed(b"{}"), b"{ }"))
    ]

    assert found == [401, 401]


def test_a_replay_is_refused(inbox: PostedEvents) -> None:
    client, headers = app_of(inbox), signed(b"{}")

    found = [
        client.request("POST", "/events/glue", headers=headers, content=b"{}") for _ in range(2)
    ]

    assert [response.status_code for response in found] == [202, 409]
    assert found[1].json()["error"]["message"] == "a message with this id was received"


@pytest.mark.parametrize("chunked", [False, True])
def test_too_long_an_event_is_refused(inbox: PostedEvents, chunked: bool) -> None:
    body = b"x" * 1_001
    headers = signed(body) | ({"Transfer-Encoding": "chunked"} if chunked else {})

    response = app_of(inbox).request("POST", "/events/glue", headers=headers, content=body)

    assert response.status_code == 413
    assert "1000 bytes" in response.json()["error"]["message"]


def test_a_full_spool_asks_to_try_again(inbox: PostedEvents) -> None:
    client, body = app_of(inbox), b"x" * 1_000

    found = [
        client.request("POST", "/events/glue", headers=signed(body, f"m-{n}"), content=body)
        for n in range(3)
    ]

    assert [response.status_code for response in found] == [202, 202, 429]
    assert found[2].headers["retry-after"] == "1"


def test_other_addresses_and_methods_are_refused(inbox: PostedEvents) -> None:
    client = app_of(inbox)

    found = [
        client.request(method, address, headers=signed(b"{}"), content=b"{}").status_code
        for method, address in (
            ("POST", "/events/other"),
            ("POST", "/events/"),
            ("POST", "/events/glue/more"),
            ("GET", "/events/glue"),
            ("PUT", "/events/glue"),
        )
    ]

    assert found == [404, 404, 404, 405, 405]


def test_it_does_not_exist_without_a_source() -> None:
    response = app_of().request("POST", "/events/glue", headers=signed(b"{}"), content=b"{}")

    assert response.status_code == 404


def test_it_is_on_the_operations_port_where_there_is_one(inbox: PostedEvents) -> None:
    operations = create_operations_app(
        IdleDaemon(),
        registry=CollectorRegistry(),
        access=Access(has_own_port=True),
        inboxes=[inbox],
    )
    public = create_public_app(None, IdleDaemon())

    found = [
        AsgiClient(app).request("POST", "/events/glue", headers=signed(b"{}"), content=b"{}")
        for app in (operations, public)
    ]

    assert [response.status_code for response in found] == [202, 404]


@pytest.mark.thorough
def test_sixteen_senders_at_once_are_each_answered_once(tmp_path: Path) -> None:
    inbox = PostedEvents(
        "glue",
        EventSpool(tmp_path / "spool.db", 10_000_000),
        Signing(lambda: [SECRET]),
        NamedEvents(FORMATS["glue"]).decode,
        max_bytes=1_000,
    )
    app = create_app(None, IdleDaemon(), registry=CollectorRegistry(), inboxes=[inbox])
    ids = [f"m-{number}" for number in range(80)] * 2
    random.Random(5).shuffle(ids)

    with WebServer(app) as server, httpx.Client(base_url=server.url) as client:

        def post(id_: str) -> int:
            body = EVENT.encode()
            return client.post("/events/glue", headers=signed(body, id_), content=body).status_code

        with ThreadPoolExecutor(16) as senders:
            answers = Counter(senders.map(post, ids))
    batch = inbox.poll(None, 0)

    assert answers == {202: 80, 409: 80}
    assert batch is not None
    assert (batch.seen, len(batch.hints)) == (80, 80)
    inbox.close()


def test_pages_answer_while_posts_wait_for_the_disk(tmp_path: Path) -> None:
    """Posts do not block the threads that make pages, even if there are more posts than threads."""
    spool = EventSpool(tmp_path / "spool.db", 1_000_000)
    inbox = PostedEvents(
        "glue",
        spool,
        Signing(lambda: [SECRET]),
        NamedEvents(FORMATS["glue"]).decode,
        max_bytes=1_000,
    )
    app = create_app(None, IdleDaemon(), registry=CollectorRegistry(), inboxes=[inbox])

    async def run() -> tuple[int, list[int]]:
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://testserver") as client:
            with spool._lock:  # the disk hangs
                posts = [
                    asyncio.create_task(
                        client.post("/events/glue", headers=signed(b"{}", f"m-{n}"), content=b"{}")
                    )
                    for n in range(64)
                ]
                page = await client.get("/metrics")
                assert not any(post.done() for post in posts)
            return page.status_code, [(await post).status_code for post in posts]

    page, posts = asyncio.run(run())

    assert page == 200
    assert posts == [202] * 64
    inbox.close()
