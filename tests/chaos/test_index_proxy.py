"""The recording proxy in front of a small index: forwarding, recording, and each lie."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from deploy.ports import LOOPBACK
from tests.chaos import lies
from tests.chaos.index_proxy import IndexProxy, Lie, uploaded_wheel
from tests.chaos.journal import Journal, read_journal
from tests.waiting import PATIENCE_SECONDS, eventually

FILENAME = "a_b-1.0.0-py3-none-any.whl"
DATA = b"PK\x00\r\n\r\n--not the boundary\r\n"
BOUNDARY = "xyz"
FORM = (
    f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="name"\r\n\r\na-b\r\n'
    f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="content"; filename="{FILENAME}"\r\n\r\n'
).encode() + DATA + f"\r\n--{BOUNDARY}--\r\n".encode()  # fmt: skip


class SmallIndex:
    """Stores posted forms, and answers with their number."""

    def __init__(self) -> None:
        self.forms: list[bytes] = []
        index = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self._answer(200, f"{len(index.forms)} files".encode())

            def do_POST(self) -> None:
                index.forms.append(self.rfile.read(int(self.headers["Content-Length"])))
                self._answer(201, b"stored")

            def _answer(self, status: int, body: bytes) -> None:
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer((LOOPBACK, 0), Handler)
        self.port = int(self._server.server_address[1])

    @contextmanager
    def running(self) -> Iterator[None]:
        thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        thread.start()
        yield
        self._server.shutdown()
        self._server.server_close()
        thread.join()


class Rig:
    def __init__(self, index: SmallIndex, proxy: IndexProxy, log: Journal) -> None:
        self.index = index
        self.proxy = proxy
        self._log = log

    def recorded(self) -> list[str]:
        return [line["event"] for line in read_journal(self._log.path)]

    def ask(self, method: str, body: bytes | None = None) -> tuple[int, bytes] | None:
        """The answer; None if the connection ended without one."""
        connection = http.client.HTTPConnection(LOOPBACK, self.proxy.port, timeout=PATIENCE_SECONDS)
        try:
            headers = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}
            connection.request(method, "/simple/a-b/", body, headers)
            response = connection.getresponse()
            return response.status, response.read()
        except (ConnectionError, http.client.HTTPException):
            return None
        finally:
            connection.close()

    def upload(self) -> tuple[int, bytes] | None:
        return self.ask("POST", FORM)

    def page(self) -> tuple[int, bytes] | None:
        return self.ask("GET")


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    index = SmallIndex()
    log = Journal(tmp_path / "uploads.jsonl", lambda: 0.0)
    proxy = IndexProxy(index.port, log)
    with index.running(), proxy.running():
        yield Rig(index, proxy, log)


def test_the_wheel_in_a_form_is_found_byte_for_byte() -> None:
    assert uploaded_wheel(FORM) == (FILENAME, DATA)
    assert uploaded_wheel(b"no form") is None


def test_the_truth_is_passed_on_and_recorded(rig: Rig) -> None:
    assert rig.upload() == (201, b"stored")
    assert rig.page() == (200, b"1 files")

    assert rig.index.forms == [FORM]
    assert rig.recorded() == ["sent", "arrived"]


@pytest.mark.parametrize(
    ("lie", "answer", "stored", "recorded"),
    [
        (lies.drop_request, None, 0, []),
        (lies.drop_answer, None, 1, ["sent", "arrived"]),
        (lies.fail_after_storing, (500, b"an error after the work"), 1, ["sent", "arrived"]),
        (lies.accept_without_storing, (200, b"accepted"), 0, []),
    ],
)
def test_a_lie_about_an_upload(
    rig: Rig, lie: Lie, answer: tuple[int, bytes] | None, stored: int, recorded: list[str]
) -> None:
    rig.proxy.answer_with(lie)

    assert rig.upload() == answer

    assert len(rig.index.forms) == stored
    assert rig.recorded() == recorded


def test_a_stale_page_stays_as_it_was_first_asked_for(rig: Rig) -> None:
    rig.proxy.answer_with(lies.StalePages())
    before = rig.page()

    rig.upload()

    assert before == rig.page() == (200, b"0 files")


def test_a_dripped_answer_is_whole_once_the_lie_has_ended(rig: Rig) -> None:
    dripped = lies.DrippedBodies()
    rig.proxy.answer_with(dripped)
    answers: list[tuple[int, bytes] | None] = []
    client = threading.Thread(target=lambda: answers.append(rig.page()))
    client.start()
    dripped.stop()
    client.join()

    assert answers == [(200, b"0 files")]


@pytest.mark.thorough
def test_an_index_that_is_down_gives_no_answer(tmp_path: Path) -> None:
    index = SmallIndex()
    proxy = IndexProxy(index.port, Journal(tmp_path / "uploads.jsonl", lambda: 0.0))
    with index.running():
        pass

    with proxy.running():
        rig = Rig(index, proxy, Journal(tmp_path / "uploads.jsonl", lambda: 0.0))
        assert rig.upload() is None

    assert eventually(lambda: rig.recorded() == ["sent"])
