"""``POST /check``: who may ask, refusals before the body is read, and answers."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

import pytest
from prometheus_client import CollectorRegistry

from publisher.web.access import Access
from publisher.web.app import create_app, create_operations_app, create_public_app
from publisher.web.limited_requests import Failed, Unavailable
from tests.publisher.web.asgi_client import AsgiClient
from tests.publisher.web.daemon_double import IdleDaemon

TOKEN = "a token of the operators"
JSON = {"Content-Type": "application/json"}
FINE = {"ok": True, "violations": []}


@dataclass
class Answering:
    """A checker that says the same of every statement."""

    answer: Mapping[str, Any] | Exception = field(default_factory=lambda: {"result": FINE})
    max_bytes: int = 100
    asked: list[bytes] = field(default_factory=list)
    clients: list[str] = field(default_factory=list)

    def submit(self, request: bytes, client: str) -> Future[Mapping[str, Any]]:
        self.asked.append(request)
        self.clients.append(client)
        if isinstance(self.answer, Unavailable):
            raise self.answer
        found: Future[Mapping[str, Any]] = Future()
        if isinstance(self.answer, Exception):
            found.set_exception(self.answer)
        else:
            found.set_result(self.answer)
        return found


def client_of(checker: Answering | None, access: Access | None = None) -> AsgiClient:
    registry = CollectorRegistry()
    app = create_app(
        None, IdleDaemon(), registry=registry, access=access or Access(), checker=checker
    )
    return AsgiClient(app)


def test_what_the_checker_finds_is_the_answer() -> None:
    checker = Answering()

    response = client_of(checker).request("POST", "/check", headers=JSON, content=b'{"sql": "x"}')

    assert response.status_code == 200
    assert response.json() == FINE
    assert response.headers["cache-control"] == "no-store"
    assert checker.asked == [b'{"sql": "x"}']
    assert checker.clients == ["127.0.0.1"]


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        ({"error": {"type": "InvalidRequest", "message": "why"}}, 400),
        ({"error": {"type": "InternalError", "message": "why"}}, 500),
        (Unavailable("why"), 503),
        (Failed("why"), 503),
    ],
    ids=str,
)
def test_each_failure_has_its_status_and_says_why(
    answer: Mapping[str, Any] | Exception, status: int
) -> None:
    client = client_of(Answering(answer))

    response = client.request("POST", "/check", headers=JSON, content=b"{}")

    assert response.status_code == status
    assert response.json()["error"]["message"] == "why"
    is_busy = isinstance(answer, Unavailable)
    assert ("retry-after" in response.headers) == is_busy


@pytest.mark.parametrize("chunked", [False, True])
def test_a_request_that_is_too_long_is_refused_unread(chunked: bool) -> None:
    checker = Answering()
    body = b"x" * 101
    headers = {**JSON, "Transfer-Encoding": "chunked"} if chunked else JSON

    response = client_of(checker).request("POST", "/check", headers=headers, content=body)

    assert response.status_code == 413
    assert "100 bytes" in response.json()["error"]["message"]
    assert checker.asked == []


def test_what_a_form_could_send_is_refused() -> None:
    checker = Answering()

    response = client_of(checker).request(
        "POST", "/check", headers={"Content-Type": "text/plain"}, content=b"{}"
    )

    assert response.status_code == 415
    assert checker.asked == []


def test_it_asks_for_the_operations_token() -> None:
    client = client_of(Answering(), Access(TOKEN))

    refused = client.request("POST", "/check", headers=JSON, content=b"{}")
    taken = client.request(
        "POST", "/check", headers={**JSON, "Authorization": f"Bearer {TOKEN}"}, content=b"{}"
    )

    assert (refused.status_code, taken.status_code) == (401, 200)


def test_it_is_on_the_operations_port_where_there_is_one() -> None:
    access = Access(has_own_port=True)
    operations = AsgiClient(
        create_operations_app(
            IdleDaemon(), registry=CollectorRegistry(), access=access, checker=Answering()
        )
    )
    public = AsgiClient(create_public_app(None, IdleDaemon()))

    found = [
        client.request("POST", "/check", headers=JSON, content=b"{}").status_code
        for client in (operations, public)
    ]

    assert found == [200, 404]


def test_only_post_is_taken_and_only_there() -> None:
    client = client_of(Answering())

    found = [
        client.request(method, address, headers=JSON, content=b"{}").status_code
        for method, address in (("GET", "/check"), ("PUT", "/check"), ("POST", "/metrics"))
    ]

    assert found == [405, 405, 405]


def test_it_does_not_exist_unless_it_is_enabled() -> None:
    response = client_of(None).request("POST", "/check", headers=JSON, content=b"{}")

    assert response.status_code == 404
