"""``register`` with a server that is not Trino, or that refuses the login."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from deploy.ports import LOOPBACK
from publisher.commands.registering.registration import ServerUnavailable
from publisher.commands.registering.trino_server import open_server


@contextmanager
def answering(status: int, body: bytes) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(status)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer((LOOPBACK, 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://{LOOPBACK}:{server.server_port}"
        server.shutdown()


@pytest.mark.parametrize(
    ("status", "body"),
    [(200, b"<html>"), (200, b"{}"), (200, b"[]"), (200, b'{"id": 1}'), (404, b"no"), (401, b"")],
)
def test_what_is_not_trino_does_not_answer(status: int, body: bytes) -> None:
    with (
        answering(status, body) as address,
        open_server(address, "me", None, 5) as server,
        pytest.raises(ServerUnavailable) as raised,
    ):
        server.run("SELECT 1")

    assert str(raised.value).startswith(f"{address} does not answer")
