"""A small Iceberg REST catalog in this process, which counts requests and bytes.

Paths, pages, errors, ETags and the namespace separator are those of Iceberg's REST API.
"""

from __future__ import annotations

import hashlib
import json
import ssl
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

Namespace = tuple[str, ...]
SEPARATOR = "%1F"


@dataclass
class RestServer:
    """What the server has, and what was asked. Tests change it while it runs.

    Attributes:
        token: the Bearer token that requests must carry; None for no login.
        realm: the header ``Polaris-Realm`` of the last request; None without it.
        statuses: the status with which paths that end so are answered.
        busy: how many further requests are answered that the server is busy for a moment.
        is_replaced: a proxy answers in the server's place: nothing is found.
        drips: answers come byte by byte and do not end.
        repeats: the last page of a list names the first one as the next.
        counts: requests by status; ``bytes`` are those of all bodies.
    """

    tables: dict[Namespace, dict[str, Any]] = field(default_factory=dict)
    views: dict[Namespace, dict[str, Any]] = field(default_factory=dict)
    separator: str = SEPARATOR
    page_size: int = 1000
    prefix: str = ""
    token: str | None = None
    credential: str = "me:secret"
    realm: str | None = None
    endpoints: list[str] | None = None
    has_etags: bool = True
    statuses: dict[str, int] = field(default_factory=dict)
    busy: int = 0
    is_replaced: bool = False
    drips: bool = False
    repeats: bool = False
    counts: Counter[int] = field(default_factory=Counter)
    bytes: int = 0
    asked: list[str] = field(default_factory=list)
    uri: str = ""

    def reset(self) -> None:
        self.counts.clear()
        self.asked.clear()
        self.bytes = 0


@contextmanager
def serving(server: RestServer, security: ssl.SSLContext | None = None) -> Iterator[RestServer]:
    """Runs the server; ``security`` makes it speak TLS."""

    class Handler(_Handler):
        catalog = server

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        http.daemon_threads = True
        if security is not None:
            http.socket = security.wrap_socket(http.socket, server_side=True)
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        scheme = "http" if security is None else "https"
        server.uri = f"{scheme}://127.0.0.1:{http.server_port}"
        try:
            yield server
        finally:
            http.shutdown()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    catalog: RestServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_: object) -> None:
        pass

    def do_POST(self) -> None:
        self.catalog.realm = self.headers.get("Polaris-Realm")
        body = self.rfile.read(int(self.headers["Content-Length"]))
        form = {key: values[0] for key, values in parse_qs(body.decode()).items()}
        given = f"{form.get('client_id')}:{form.get('client_secret')}"
        if not self.path.endswith("/oauth/tokens") or given != self.catalog.credential:
            self._send(401, _error(401, "NotAuthorizedException", "unknown client"))
            return
        self._send(200, {"access_token": self.catalog.token, "token_type": "bearer"})

    def do_GET(self) -> None:
        self.catalog.asked.append(self.path)
        self.catalog.realm = self.headers.get("Polaris-Realm")
        parts = urlsplit(self.path)
        query = {
            key: values[0] for key, values in parse_qs(parts.query, keep_blank_values=True).items()
        }
        token = self.catalog.token
        if token is not None and self.headers.get("Authorization") != f"Bearer {token}":
            self._send(401, _error(401, "NotAuthorizedException", "log in"))
            return
        if self.catalog.is_replaced:
            self._send(404, "<h1>default backend</h1>")
            return
        if self.catalog.busy:
            self.catalog.busy -= 1
            self._send(429, _error(429, "TooManyRequestsException", "later"))
            return
        for ending, status in self.catalog.statuses.items():
            if parts.path.endswith(ending):
                self._send(status, _error(status, "TestException", "as the test says"))
                return
        self._send(*self._answer(parts.path.split("/")[1:], query))

    def _answer(self, path: list[str], query: dict[str, str]) -> tuple[int, Any]:
        catalog = self.catalog
        if path == ["v1", "config"]:
            overrides = {"namespace-separator": catalog.separator}
            if catalog.prefix:
                overrides["prefix"] = catalog.prefix
            document: dict[str, Any] = {"defaults": {}, "overrides": overrides}
            if catalog.endpoints is not None:
                document["endpoints"] = catalog.endpoints
            return 200, document
        path = path[1 + len(catalog.prefix.split("/") if catalog.prefix else ()) :]
        if path == ["namespaces"]:
            parent = query.get("parent")
            levels = tuple(parent.split(unquote(catalog.separator))) if parent else ()
            return self._page("namespaces", self._children(levels), query)
        namespace = tuple(unquote(path[1]).split(unquote(catalog.separator)))
        kind = catalog.tables if path[2] == "tables" else catalog.views
        if namespace not in kind:
            return 404, _error(404, "NoSuchNamespaceException", "no such namespace")
        if len(path) == 3:
            names = [{"namespace": list(namespace), "name": name} for name in kind[namespace]]
            return self._page("identifiers", names, query)
        found = kind[namespace].get(unquote(path[3]))
        if found is None:
            return 404, _error(404, "NoSuchTableException", "no such table or view")
        return 200, {"metadata-location": "file:/elsewhere.metadata.json", "metadata": found}

    def _children(self, parent: Namespace) -> list[list[str]]:
        every = {*self.catalog.tables, *self.catalog.views}
        depth = len(parent) + 1
        below = {n[:depth] for n in every if len(n) >= depth and n[: depth - 1] == parent}
        return [list(namespace) for namespace in sorted(below)]

    def _page(self, key: str, items: list[Any], query: dict[str, str]) -> tuple[int, Any]:
        start, size = int(query.get("pageToken") or 0), self.catalog.page_size
        page: dict[str, Any] = {key: items[start : start + size]}
        if start + size < len(items):
            page["next-page-token"] = str(start + size)
        elif self.catalog.repeats and start:
            page["next-page-token"] = "0"
        return 200, page

    def _send(self, status: int, document: Any) -> None:
        content = json.dumps(document).encode()
        etag = None
        if self.catalog.has_etags and status == 200 and "metadata" in document:
            etag = f'"{hashlib.sha256(content).hexdigest()[:20]}"'
            if self.headers.get("If-None-Match") == etag:
                status, content = 304, b""
        self.catalog.counts[status] += 1
        self.catalog.bytes += len(content)
        self.send_response(status)
        if etag is not None:
            self.send_header("ETag", etag)
        if status == 429:
            self.send_header("Retry-After", "0")
        if self.catalog.drips:
            self._drip()
            return
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _drip(self) -> None:
        self.send_header("Content-Length", "1000000")
        self.end_headers()
        with suppress(OSError):
            while self.catalog.drips:
                self.wfile.write(b" ")
                time.sleep(0.02)


def _error(code: int, type_: str, message: str) -> dict[str, Any]:
    return {"error": {"code": code, "type": type_, "message": message}}
