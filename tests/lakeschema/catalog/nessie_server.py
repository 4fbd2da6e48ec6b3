"""A small Nessie server in this process, which counts requests and bytes.

Paths, pages and errors are those of Nessie's API version 2, as server 0.99.0 answers.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

Key = tuple[str, ...]
Contents = Mapping[Key, Mapping[str, Any]]
_FILTER = re.compile(r"commit\.hash == '([0-9a-f]+)'")


@dataclass
class NessieServer:
    """What the server has, and what was asked. Tests change it while it runs.

    Attributes:
        commits: the contents at each commit, and the commit before it.
        references: the newest commit of each branch.
        token: the Bearer token that requests must carry; None for no login.
        statuses: the status with which paths that end so are answered.
        answers: the body with which paths that end so are answered.
        is_replaced: a proxy answers in the server's place: nothing is found.
        drips: answers come byte by byte and do not end.
        repeats: every page names the same next page.
        bytes: of all bodies.
    """

    commits: dict[str, tuple[Contents, str]] = field(default_factory=dict)
    references: dict[str, str] = field(default_factory=dict)
    page_size: int = 1000
    token: str | None = None
    credential: str = "me:secret"
    statuses: dict[str, int] = field(default_factory=dict)
    answers: dict[str, bytes] = field(default_factory=dict)
    is_replaced: bool = False
    drips: bool = False
    repeats: bool = False
    bytes: int = 0
    asked: list[str] = field(default_factory=list)
    uri: str = ""

    def __post_init__(self) -> None:
        self.commits["00"] = {}, ""
        self.references["main"] = "00"

    def reset(self) -> None:
        self.asked.clear()
        self.bytes = 0

    def commit(
        self, changes: Mapping[Key, Mapping[str, Any] | None], reference: str = "main"
    ) -> None:
        """Puts contents, or deletes those that are None."""
        before = self.references[reference]
        contents = {**self.commits[before][0], **changes}
        found = {key: content for key, content in contents.items() if content is not None}
        number = hashlib.sha256(f"{before} {len(self.commits)}".encode()).hexdigest()
        self.commits[number] = found, before
        self.references[reference] = number

    def history(self, commit: str) -> Iterator[str]:
        while commit:
            yield commit
            commit = self.commits[commit][1] if commit in self.commits else ""


@contextmanager
def serving_nessie(server: NessieServer) -> Iterator[NessieServer]:
    class Handler(_Handler):
        nessie = server

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        http.daemon_threads = True
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        server.uri = f"http://127.0.0.1:{http.server_port}/api/v2"
        try:
            yield server
        finally:
            http.shutdown()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    nessie: NessieServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_: object) -> None:
        pass

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        form = {key: values[0] for key, values in parse_qs(body.decode()).items()}
        given = f"{form.get('client_id')}:{form.get('client_secret')}"
        if given != self.nessie.credential or "scope" in form:
            self._send(401, {"error": "invalid_client"})
            return
        self._send(200, {"access_token": self.nessie.token, "token_type": "bearer"})

    def do_GET(self) -> None:
        nessie = self.nessie
        nessie.asked.append(self.path)
        parts = urlsplit(self.path)
        if len(self.path) > 4000:
            self._send_bytes(414, b"")
            return
        if nessie.token is not None and self.headers.get("Authorization") != (
            f"Bearer {nessie.token}"
        ):
            self._send_bytes(401, b"")
            return
        if nessie.is_replaced:
            self._send_bytes(404, b"<h1>default backend</h1>")
            return
        for ending, content in nessie.answers.items():
            if parts.path.endswith(ending):
                self._send_bytes(200, content)
                return
        for ending, status in nessie.statuses.items():
            if parts.path.endswith(ending):
                self._send(status, _error(status, "TEST", "as the test says"))
                return
        query = parse_qs(parts.query, keep_blank_values=True)
        self._send(*self._answer([unquote(each) for each in parts.path.split("/")[4:]], query))

    def _answer(self, path: list[str], query: dict[str, list[str]]) -> tuple[int, Any]:
        nessie = self.nessie
        name, _, commit = path[0].partition("@")
        name = "main" if name == "-" else name
        if name not in nessie.references:
            return 404, _error(404, "REFERENCE_NOT_FOUND", f"Named reference '{name}' not found")
        newest = commit or nessie.references[name]
        others = [path[2].partition("@")[2]] if path[1:2] == ["diff"] else []
        for each in (newest, *others):
            if each not in nessie.commits:
                return 404, _error(404, "REFERENCE_NOT_FOUND", f"Commit '{each}' not found")
        contents = nessie.commits[newest][0]
        match path[1:2]:
            case []:
                return 200, {"reference": {"type": "BRANCH", "name": name, "hash": newest}}
            case ["contents"]:
                return self._contents(contents, query)
            case ["history"]:
                asked = _FILTER.fullmatch(query["filter"][0])
                found = [{"commitMeta": {"hash": h}} for h in nessie.history(newest)]
                kept = [e for e in found if asked and e["commitMeta"]["hash"] == asked[1]]
                return 200, {"logEntries": kept, "hasMore": False, "token": None}
            case ["diff"]:
                return self._page("diffs", _diff(contents, nessie.commits[others[0]][0]), query)
            case _:
                return self._page("entries", _entries(contents, query), query)

    def _contents(self, contents: Contents, query: dict[str, list[str]]) -> tuple[int, Any]:
        keys = [_key(text) for text in query["key"]]
        if any(len("".join(key)) > 500 or len(key) > 20 for key in keys):
            return 500, _error(500, "UNKNOWN", "Content key too long")
        found = [{"key": {"elements": [*k]}, "content": contents[k]} for k in keys if k in contents]
        return 200, {"contents": found}

    def _page(self, key: str, items: list[Any], query: dict[str, list[str]]) -> tuple[int, Any]:
        start = int(query.get("page-token", ["0"])[0])
        size = min(self.nessie.page_size, int(query["max-records"][0]))
        end = start + size
        if self.nessie.repeats:
            return 200, {key: items[:size], "hasMore": True, "token": "0"}
        has_more = end < len(items)
        token = str(end) if has_more else None
        return 200, {key: items[start:end], "hasMore": has_more, "token": token}

    def _send(self, status: int, document: Any) -> None:
        # With blanks, as the real server has.
        self._send_bytes(status, json.dumps(document, indent=2).encode())

    def _send_bytes(self, status: int, content: bytes) -> None:
        self.nessie.bytes += len(content)
        self.send_response(status)
        if self.nessie.drips:
            self.send_header("Content-Length", "1000000")
            self.end_headers()
            with suppress(OSError):
                while self.nessie.drips:
                    self.wfile.write(b" ")
                    time.sleep(0.02)
            return
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


def _diff(old: Contents, new: Contents) -> list[Any]:
    keys = sorted(key for key in old.keys() | new.keys() if old.get(key) != new.get(key))
    return [{"key": {"elements": [*key]}, "from": old.get(key), "to": new.get(key)} for key in keys]


def _entries(contents: Contents, query: dict[str, list[str]]) -> list[Any]:
    prefix = _key(query["prefix-key"][0]) if "prefix-key" in query else ()
    has_content = query.get("content") == ["true"]
    return [
        {
            "type": content["type"],
            "name": {"elements": [*key]},
            "contentId": content["id"],
            "content": content if has_content else None,
        }
        for key, content in sorted(contents.items())
        if key[: len(prefix)] == prefix
    ]


def _key(text: str) -> Key:
    return tuple(part.replace("\x1d", ".") for part in text.split("."))


def _error(status: int, code: str, message: str) -> dict[str, Any]:
    return {"status": status, "reason": "a reason", "message": message, "errorCode": code}


def nessie_table(number: int, place: str, **more: Any) -> dict[str, Any]:
    """The content of a table; ``number`` gives its id."""
    return {
        "type": "ICEBERG_TABLE",
        "id": f"00000000-0000-0000-0000-{number:012}",
        "metadataLocation": place,
        "snapshotId": -1,
        "schemaId": 0,
        "specId": 0,
        "sortOrderId": 0,
        **more,
    }


def nessie_view(number: int, place: str, version: int = 1) -> dict[str, Any]:
    content = nessie_table(number, place)
    identity = {key: content[key] for key in ("id", "metadataLocation", "schemaId")}
    return {"type": "ICEBERG_VIEW", "versionId": version, **identity}
