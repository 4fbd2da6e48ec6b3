"""Small local servers that answer like known kinds of package index, or misbehave."""

from __future__ import annotations

import email.parser
import email.policy
import hashlib
import html
import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from packaging.utils import parse_wheel_filename


@dataclass(frozen=True)
class ServerKind:
    """How a kind of server responds.

    Attributes:
        same: the status for an upload of the bytes that exist; None: it overwrites them.
        other: likewise with other bytes.
    """

    first: int = 200
    same: int | None = 200
    other: int | None = 409
    json_pages: bool = False
    hash_name: str | None = "sha256"


SERVER_KINDS: Mapping[str, ServerKind] = {
    "pypi": ServerKind(same=200, other=400, json_pages=True),
    "devpi": ServerKind(same=200, other=409),
    "artifactory": ServerKind(first=201, same=403, other=403),
    "gitlab": ServerKind(first=201, same=400, other=400),
    "codeartifact": ServerKind(same=409, other=409),
    "one whose pages state no hash": ServerKind(same=400, other=400, hash_name=None),
    "one whose pages state md5": ServerKind(same=400, other=400, hash_name="md5"),
}


@dataclass
class Request:
    method: str
    path: str
    headers: Mapping[str, str]


@dataclass
class Double:
    """``files`` maps a path to bytes, ``requests`` has every request in order."""

    url: str
    files: dict[str, bytes] = field(default_factory=dict)
    requests: list[Request] = field(default_factory=list)

    @property
    def upload_url(self) -> str:
        return f"{self.url}/legacy/"

    @property
    def simple_url(self) -> str:
        return f"{self.url}/simple/"


Answer = Callable[[BaseHTTPRequestHandler, Double], None]


@contextmanager
def running(get: Answer, post: Answer) -> Iterator[Double]:
    """A server with these handlers, while the context lasts."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.0"

        def do_GET(self) -> None:
            self._answer(get)

        def do_POST(self) -> None:
            self._answer(post)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

        def _answer(self, answer: Answer) -> None:
            double.requests.append(Request(self.command, self.path, dict(self.headers)))
            try:
                answer(self, double)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        double = Double(f"http://127.0.0.1:{server.server_address[1]}")
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield double
        finally:
            server.shutdown()
            thread.join()


@dataclass
class Faults:
    """How an index answers while something is wrong with it; None: as it should."""

    get: Answer | None = None
    post: Answer | None = None


@contextmanager
def index_double(kind: ServerKind, faults: Faults | None = None) -> Iterator[Double]:
    """A working index of that kind, but for ``faults``, which may be changed while it runs."""
    wrong = faults or Faults()

    def get(handler: BaseHTTPRequestHandler, double: Double) -> None:
        if wrong.get is not None:
            wrong.get(handler, double)
        else:
            answer_page(handler, double, kind)

    def post(handler: BaseHTTPRequestHandler, double: Double) -> None:
        if wrong.post is not None:
            wrong.post(handler, double)
        else:
            _answer_upload(handler, double, kind)

    with running(get, post) as double:
        yield double


def answer_with(status: int, body: bytes = b"", headers: Mapping[str, str] | None = None) -> Answer:
    """The same answer to everything."""

    def answer(handler: BaseHTTPRequestHandler, _: Double) -> None:
        handler.rfile.read(int(handler.headers.get("Content-Length", 0)))
        send(handler, status, body, headers)

    return answer


def send(
    handler: BaseHTTPRequestHandler,
    status: int,
    body: bytes = b"",
    headers: Mapping[str, str] | None = None,
) -> None:
    handler.send_response(status)
    for name, value in (headers or {}).items():
        handler.send_header(name, value)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


def _answer_upload(handler: BaseHTTPRequestHandler, double: Double, kind: ServerKind) -> None:
    filename, data = _read_upload(handler)
    held = double.files.get(filename)
    refusal = None if held is None else (kind.same if held == data else kind.other)
    if refusal is not None:
        send(handler, refusal, b"<html><body><h1>File already exists</h1></body></html>")
        return
    double.files[filename] = data
    send(handler, kind.first)


def _read_upload(handler: BaseHTTPRequestHandler) -> tuple[str, bytes]:
    body = handler.rfile.read(int(handler.headers["Content-Length"]))
    head = f"Content-Type: {handler.headers['Content-Type']}\r\n\r\n".encode()
    message = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(head + body)
    for part in message.iter_parts():
        if part.get_param("name", header="content-disposition") == "content":
            return str(part.get_filename()), bytes(part.get_payload(decode=True))
    raise AssertionError("the upload has no file")


def answer_page(handler: BaseHTTPRequestHandler, double: Double, kind: ServerKind) -> None:
    path = handler.path.removeprefix("/files/")
    if path in double.files:
        send(handler, 200, double.files[path])
        return
    project = handler.path.removeprefix("/simple/").removesuffix("/")
    listed = {n: d for n, d in double.files.items() if parse_wheel_filename(n)[0] == project}
    if not listed or not handler.path.startswith("/simple/"):
        send(handler, 404, b"not found")
    elif kind.json_pages:
        content_type = "application/vnd.pypi.simple.v1+json"
        send(handler, 200, _json_page(project, listed), {"Content-Type": content_type})
    else:
        page = _html_page(listed, kind.hash_name)
        send(handler, 200, page, {"Content-Type": "text/html; charset=utf-8"})


def _json_page(project: str, files: Mapping[str, bytes]) -> bytes:
    document = {
        "meta": {"api-version": "1.3", "_last-serial": 7},
        "name": project,
        "versions": [],
        "files": [
            {
                "filename": name,
                "url": f"../../files/{name}",
                "hashes": {"sha256": hashlib.sha256(data).hexdigest(), "md5": "x"},
                "yanked": False,
            }
            for name, data in files.items()
        ],
    }
    return json.dumps(document).encode()


def _html_page(files: Mapping[str, bytes], hash_name: str | None) -> bytes:
    links = []
    for name, data in files.items():
        digest = f"#{hash_name}={hashlib.new(hash_name, data).hexdigest()}" if hash_name else ""
        links.append(f'<a href="../../files/{html.escape(name)}{digest}" rel=internal>{name}</a>')
    return ("<!doctype html><title>Links</title>" + "<br/>\n".join(links)).encode()
