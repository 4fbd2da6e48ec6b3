"""A receiver of webhooks that answers as a test says, and keeps what it was sent."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeAlias

Answer: TypeAlias = Callable[[http.server.BaseHTTPRequestHandler], None]


@dataclass(frozen=True, slots=True)
class Got:
    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]


@dataclass(slots=True)
class ReceiverDouble:
    url: str = ""
    answers: list[Answer] = field(default_factory=list)
    """One for each of the next requests; then all are accepted."""
    got: list[Got] = field(default_factory=list)
    released: threading.Event = field(default_factory=threading.Event)

    def hang(self, handler: http.server.BaseHTTPRequestHandler) -> None:
        """Answers once the test ends."""
        self.released.wait()
        handler.close_connection = True


def status(code: int, **headers: str) -> Answer:
    def answer(handler: http.server.BaseHTTPRequestHandler) -> None:
        handler.send_response(code)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    return answer


@contextmanager
def receiver_double() -> Iterator[ReceiverDouble]:
    double = ReceiverDouble()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            answer = double.answers.pop(0) if double.answers else status(204)
            double.got.append(Got(self.path, headers, body))
            answer(self)

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.block_on_close = False
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    double.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield double
    finally:
        double.released.set()
        server.shutdown()
        server.server_close()
        thread.join()
