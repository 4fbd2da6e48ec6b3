"""An HTTP proxy in front of the package index: records every upload, and falsifies answers on demand."""

from __future__ import annotations

import hashlib
import http.client
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TypeAlias

from deploy.ports import LOOPBACK
from tests.chaos.journal import Journal

_INDEX_TIMEOUT_SECONDS = 60.0
_HOP_BY_HOP = frozenset({"connection", "transfer-encoding", "content-length", "keep-alive"})
_FILENAME = re.compile(rb'filename="([A-Za-z0-9._+-]+\.whl)"')


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes


class IndexUnreachable(Exception):
    """The index did not answer the proxy."""


class Exchange:
    """One request, with the actions that a lie may take."""

    def __init__(self, handler: BaseHTTPRequestHandler, index_port: int, log: Journal) -> None:
        length = int(handler.headers.get("Content-Length", 0))
        self.method = handler.command
        self.path = handler.path
        self._handler = handler
        self._index_port = index_port
        self._log = log
        self._body = handler.rfile.read(length)

    @property
    def is_upload(self) -> bool:
        return self.method == "POST"

    def forward(self) -> Answer:
        """The index's own answer; records an upload before and after.

        Raises:
            IndexUnreachable: the connection broke; whether the index took the upload is unknown.
        """
        wheel = uploaded_wheel(self._body) if self.is_upload else None
        if wheel is None:
            return self._ask()
        filename, data = wheel
        sha256 = hashlib.sha256(data).hexdigest()
        self._log.write("sent", filename=filename, sha256=sha256)
        answer = self._ask()
        if answer.status < 300:
            self._log.write("arrived", filename=filename, sha256=sha256)
        else:
            self._log.write("refused", filename=filename, sha256=sha256, status=answer.status)
        return answer

    def send(self, answer: Answer) -> None:
        self._send_head(answer)
        self._handler.wfile.write(answer.body)

    def send_slowly(self, answer: Answer, pause: Callable[[], None]) -> None:
        """Sends single bytes, with ``pause`` after each."""
        self._send_head(answer)
        for at in range(len(answer.body)):
            self._handler.wfile.write(answer.body[at : at + 1])
            self._handler.wfile.flush()
            pause()

    def hang_up(self) -> None:
        self._handler.close_connection = True

    def _ask(self) -> Answer:
        connection = http.client.HTTPConnection(
            LOOPBACK, self._index_port, timeout=_INDEX_TIMEOUT_SECONDS
        )
        try:
            headers = {
                name: value
                for name, value in self._handler.headers.items()
                if name.lower() not in _HOP_BY_HOP
            }
            body = self._body if self.is_upload else None
            connection.request(self.method, self.path, body, headers)
            response = connection.getresponse()
            return Answer(response.status, dict(response.getheaders()), response.read())
        except (OSError, http.client.HTTPException) as error:
            raise IndexUnreachable(str(error)) from error
        finally:
            connection.close()

    def _send_head(self, answer: Answer) -> None:
        self._handler.send_response(answer.status)
        for name, value in answer.headers.items():
            if name.lower() not in _HOP_BY_HOP:
                self._handler.send_header(name, value)
        self._handler.send_header("Content-Length", str(len(answer.body)))
        self._handler.end_headers()


Lie: TypeAlias = Callable[[Exchange], None]
"""Answers a request instead of the index."""


def tell_the_truth(exchange: Exchange) -> None:
    exchange.send(exchange.forward())


class _QuietServer(ThreadingHTTPServer):
    daemon_threads = True
    # Handlers may wait for a paused index.
    block_on_close = False

    def handle_error(self, *_: object) -> None:
        """Ignores clients that were killed."""


class IndexProxy:
    """Listens on a separate port; ``lie`` answers all requests that begin while it is set."""

    def __init__(self, index_port: int, log: Journal) -> None:
        self._lie: Lie = tell_the_truth
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                self._answer()

            def do_POST(self) -> None:
                self._answer()

            def _answer(self) -> None:
                exchange = Exchange(self, index_port, log)
                try:
                    proxy._lie(exchange)
                except (IndexUnreachable, OSError):
                    exchange.hang_up()

            def log_message(self, *_: object) -> None:
                """Logs nothing: the log of uploads is enough."""

        self._server = _QuietServer((LOOPBACK, 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, name="index proxy")

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    @contextmanager
    def running(self) -> Iterator[None]:
        self._thread.start()
        try:
            yield
        finally:
            self._server.shutdown()
            self._server.server_close()
            self._thread.join()

    def answer_with(self, lie: Lie) -> None:
        self._lie = lie


def uploaded_wheel(form: bytes) -> tuple[str, bytes] | None:
    """The name and bytes of the one wheel in a multipart form."""
    boundary = form.partition(b"\r\n")[0]
    for part in form.split(b"\r\n" + boundary):
        head, _, data = part.partition(b"\r\n\r\n")
        if (named := _FILENAME.search(head)) is not None:
            return named[1].decode(), data
    return None
