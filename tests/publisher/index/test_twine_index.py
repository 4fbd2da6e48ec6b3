from __future__ import annotations

import logging
import socket
import time
from collections.abc import Collection, Iterator
from http.server import BaseHTTPRequestHandler

import pytest

from publisher.index.protocol import IndexFile, IndexRefused, IndexUnavailable
from publisher.index.twine_index import TwineIndex
from tests.publisher.index.behaviour import PackageIndexBehaviour, sha256_of
from tests.publisher.index.index_doubles import (
    SERVER_KINDS,
    Answer,
    Double,
    ServerKind,
    answer_with,
    index_double,
    running,
    send,
)
from tests.publisher.index.wheels import sample_wheel
from tests.waiting import PATIENCE_SECONDS

PASSWORD = "pa55-phrase-3141"
PROJECT = "acme-schema-shop-orders"
NOT_FOUND = answer_with(404, b"no such project")


def index_on(
    double: Double, timeout_seconds: float = PATIENCE_SECONDS, file_hosts: Collection[str] = ()
) -> TwineIndex:
    return TwineIndex(
        double.upload_url,
        double.simple_url,
        "publisher",
        PASSWORD,
        timeout_seconds=timeout_seconds,
        file_hosts=file_hosts,
    )


def host_of(double: Double) -> str:
    return double.url.removeprefix("http://")


class TestTwineIndexOnEveryKindOfServer(PackageIndexBehaviour):
    @pytest.fixture(params=list(SERVER_KINDS.values()), ids=list(SERVER_KINDS))
    def index(self, request: pytest.FixtureRequest) -> Iterator[TwineIndex]:
        with index_double(request.param) as double:
            index = index_on(double)
            yield index
            index.close()


def test_a_server_that_overwrites_is_seen_by_its_hash() -> None:
    first, second = sample_wheel(body="ONE = 1\n"), sample_wheel(body="ONE = 2\n")
    with index_double(ServerKind(same=None, other=None)) as double:
        index = index_on(double)
        index.upload(first)

        index.upload(second)

        [file] = index.files(PROJECT)
        assert sha256_of(index, file) == second.sha256 != first.sha256


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504, 599])
def test_a_transient_status_is_unavailable(status: int) -> None:
    busy = answer_with(status, b"come back later")
    with running(busy, busy) as double:
        index = index_on(double)

        with pytest.raises(IndexUnavailable) as uploading:
            index.upload(sample_wheel())
        with pytest.raises(IndexUnavailable) as reading:
            index.files(PROJECT)

    assert uploading.value.status == reading.value.status == status
    assert len(double.requests) == 2


@pytest.mark.parametrize("status", [400, 401, 403, 405, 409, 413, 422])
def test_a_client_error_is_refused_with_its_reason(status: int) -> None:
    no = answer_with(status, b"<html><title>x</title><body>it is <b>frozen</b></body></html>")
    with running(no, no) as double:
        index = index_on(double)

        with pytest.raises(IndexRefused, match="it is frozen") as uploading:
            index.upload(sample_wheel())
        with pytest.raises(IndexRefused) as reading:
            index.files(PROJECT)

    assert uploading.value.status == reading.value.status == status


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_an_upload_does_not_follow_redirects(status: int) -> None:
    with index_double(SERVER_KINDS["pypi"]) as other:
        redirect = answer_with(status, headers={"Location": other.upload_url})
        with running(NOT_FOUND, redirect) as double, pytest.raises(IndexRefused) as refused:
            index_on(double).upload(sample_wheel())

    assert "redirects" in refused.value.hint
    assert other.requests == []


def test_a_page_that_redirects_to_another_host_is_refused() -> None:
    with index_double(SERVER_KINDS["pypi"]) as other:
        elsewhere = answer_with(302, headers={"Location": f"{other.simple_url}{PROJECT}/"})
        with (
            running(elsewhere, NOT_FOUND) as double,
            pytest.raises(IndexRefused, match="falls back"),
        ):
            index_on(double).files(PROJECT)

    assert other.requests == []


def test_a_page_that_moved_on_the_same_host_is_followed() -> None:
    wheel = sample_wheel()
    page = f'<a href="/f/{wheel.filename}#sha256={wheel.sha256}">it</a>'.encode()

    def moved(handler: BaseHTTPRequestHandler, _: Double) -> None:
        if handler.path.startswith("/simple/"):
            send(handler, 301, headers={"Location": f"/new/{PROJECT}/"})
        else:
            send(handler, 200, page, {"Content-Type": "text/html"})

    with running(moved, NOT_FOUND) as double:
        [file] = index_on(double).files(PROJECT)

    assert file == IndexFile(
        wheel.filename, "1.0.0", f"{double.url}/f/{wheel.filename}", wheel.sha256
    )


def test_endless_redirects_are_refused() -> None:
    def again(handler: BaseHTTPRequestHandler, _: Double) -> None:
        send(handler, 302, headers={"Location": handler.path + "x/"})

    with running(again, NOT_FOUND) as double, pytest.raises(IndexRefused, match="redirects"):
        index_on(double).files(PROJECT)


def test_a_file_on_another_host_is_fetched_without_our_credentials() -> None:
    wheel = sample_wheel()
    with running(answer_with(200, wheel.data), NOT_FOUND) as store:
        link = f'<a href="{store.url}/{wheel.filename}">it</a>'.encode()
        page = answer_with(200, link, {"Content-Type": "text/html"})
        with running(page, NOT_FOUND) as double:
            index = index_on(double, file_hosts=[host_of(store)])
            [file] = index.files(PROJECT)

            data = index.fetch(file)

    assert data == wheel.data
    assert [r.headers.get("Authorization") for r in store.requests] == [None]
    assert all("Authorization" in r.headers for r in double.requests)


def test_a_redirect_to_another_host_is_followed_without_our_credentials() -> None:
    wheel = sample_wheel()
    with running(answer_with(200, wheel.data), NOT_FOUND) as store:
        onward = answer_with(302, headers={"Location": f"{store.url}/{wheel.filename}"})
        with running(onward, NOT_FOUND) as double:
            url = f"{double.url}/{wheel.filename}"

            index = index_on(double, file_hosts=[host_of(store)])
            data = index.fetch(IndexFile(wheel.filename, "1.0.0", url, None))

    assert data == wheel.data
    assert [r.headers.get("Authorization") for r in store.requests] == [None]


def test_nothing_is_asked_of_a_host_that_only_the_index_names() -> None:
    with running(answer_with(200, b"a secret"), NOT_FOUND) as neighbour:
        onward = answer_with(302, headers={"Location": f"{neighbour.url}/x-1.0.0.whl"})
        with running(onward, NOT_FOUND) as double:
            for url in (f"{neighbour.url}/x-1.0.0.whl", f"{double.url}/x-1.0.0.whl"):
                with pytest.raises(IndexRefused, match="file_hosts"):
                    index_on(double).fetch(IndexFile("x-1.0.0.whl", "1.0.0", url, None))

    assert neighbour.requests == []


@pytest.mark.parametrize("location", ["http://[", "http://x:99999/", "//:@", "", "gopher://x/"])
def test_a_redirect_to_a_malformed_address_is_refused(location: str) -> None:
    nowhere = answer_with(302, headers={"Location": location})
    with running(nowhere, nowhere) as double:
        index = index_on(double)
        with pytest.raises(IndexRefused):
            index.files(PROJECT)
        with pytest.raises(IndexRefused):
            index.upload(sample_wheel())


def test_a_file_is_never_read_from_the_disk_of_this_machine() -> None:
    onward = answer_with(302, headers={"Location": "file:///etc/passwd"})
    with running(onward, NOT_FOUND) as double:
        index = index_on(double)
        with pytest.raises(IndexRefused):
            index.fetch(IndexFile("x", "1.0.0", f"{double.url}/x", None))
        with pytest.raises((IndexRefused, IndexUnavailable)):
            index.fetch(IndexFile("x", "1.0.0", "file:///etc/passwd", None))


def test_reads_ask_for_uncached_pages() -> None:
    with index_double(SERVER_KINDS["devpi"]) as double:
        index_on(double).files(PROJECT)

    [request] = double.requests
    assert "no-cache" in request.headers["Cache-Control"]
    assert "application/vnd.pypi.simple.v1+json" in request.headers["Accept"]


def test_a_server_that_does_not_run_is_unavailable() -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{held.getsockname()[1]}/"
        index = TwineIndex(url, url + "simple/", "publisher", PASSWORD)

        with pytest.raises(IndexUnavailable, match="refused"):
            index.files(PROJECT)
        with pytest.raises(IndexUnavailable, match="refused"):
            index.upload(sample_wheel())


def silent(handler: BaseHTTPRequestHandler, _: Double) -> None:
    # Until the client hangs up.
    while handler.connection.recv(65536):
        pass


def breaks_off(handler: BaseHTTPRequestHandler, _: Double) -> None:
    handler.send_response(200)
    handler.send_header("Content-Type", "text/html")
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b"<a href='acme_")


def trickles(handler: BaseHTTPRequestHandler, _: Double) -> None:
    handler.send_response(200)
    handler.send_header("Content-Type", "text/html")
    handler.end_headers()
    # Always within the patience for one read, until the client hangs up.
    while True:
        handler.wfile.write(b" " * 1000)
        time.sleep(0.01)


def drips_its_body(handler: BaseHTTPRequestHandler, _: Double) -> None:
    handler.send_response(503)
    handler.send_header("Content-Length", "1000000")
    handler.end_headers()
    while True:
        handler.wfile.write(b" ")
        time.sleep(0.01)


def drips_its_header(handler: BaseHTTPRequestHandler, _: Double) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Long: ")
    while True:
        handler.wfile.write(b"x")
        time.sleep(0.01)


@pytest.mark.thorough
@pytest.mark.parametrize("answer", [silent, breaks_off, trickles, drips_its_body, drips_its_header])
def test_a_response_that_does_not_end_is_unavailable(answer: Answer) -> None:
    with running(answer, answer) as double, pytest.raises(IndexUnavailable):
        index_on(double, timeout_seconds=0.3).files(PROJECT)


@pytest.mark.thorough
@pytest.mark.parametrize("answer", [silent, drips_its_body, drips_its_header])
def test_an_upload_without_a_response_is_unavailable(answer: Answer) -> None:
    with running(answer, answer) as double, pytest.raises(IndexUnavailable, match="in time"):
        index_on(double, timeout_seconds=0.3).upload(sample_wheel())


def test_an_endless_page_is_refused() -> None:
    def endless(handler: BaseHTTPRequestHandler, _: Double) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "text/html")
        handler.end_headers()
        for _chunk in range(100_000):
            handler.wfile.write(b" " * 1_000_000)

    with running(endless, NOT_FOUND) as double, pytest.raises(IndexRefused, match="larger than"):
        index_on(double).files(PROJECT)


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        ("application/vnd.pypi.simple.v1+json", b"{"),
        ("application/vnd.pypi.simple.v1+json", b"[]"),
        ("application/vnd.pypi.simple.v1+json", b"null"),
        ("application/vnd.pypi.simple.v1+json", b'{"meta":{"api-version":"2.0"},"files":[]}'),
        ("application/vnd.pypi.simple.v1+json", b'{"meta":{"api-version":"1.0"},"files":{}}'),
        ("application/vnd.pypi.simple.v1+json", b"[" * 100_000),
        ("application/vnd.pypi.simple.v1+json", b"\xff\xfe\x00"),
        ("text/html", b'<meta name="pypi:repository-version" content="2.0">'),
    ],
)
def test_a_page_that_is_not_understood_is_refused(content_type: str, body: bytes) -> None:
    page = answer_with(200, body, {"Content-Type": content_type})
    with running(page, NOT_FOUND) as double, pytest.raises(IndexRefused, match="page of"):
        index_on(double).files(PROJECT)


@pytest.mark.parametrize(("content_type", "body"), [("image/png", b"\x89PNG"), ("", b"")])
def test_what_answers_with_no_page_at_all_is_not_the_index(content_type: str, body: bytes) -> None:
    page = answer_with(200, body, {"Content-Type": content_type})
    with running(page, NOT_FOUND) as double, pytest.raises(IndexUnavailable) as unavailable:
        index_on(double).files(PROJECT)

    assert "simple_url" in unavailable.value.hint


def test_files_of_other_projects_on_a_page_are_left_out() -> None:
    page = b"""<a href="acme_schema_other-1.0.0-py3-none-any.whl">x</a><a href="../">up</a><a>y</a>
        <a href="acme_schema_shop_orders-1.0.0.tar.gz">source</a><a href="http://[bad">z</a>
        <a href="acme_schema_shop_orders-1.0.0-py3-none-any.whl.asc">signature</a>"""
    with running(answer_with(200, page, {"Content-Type": "text/html"}), NOT_FOUND) as double:
        files = index_on(double).files(PROJECT)

    assert [file.filename for file in files] == ["acme_schema_shop_orders-1.0.0.tar.gz"]


def test_no_secret_reaches_an_error_or_a_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)

    def echo(handler: BaseHTTPRequestHandler, _: Double) -> None:
        handler.rfile.read(int(handler.headers.get("Content-Length", 0)))
        send(handler, 403, f"bad password {PASSWORD} for key-of-the-house".encode())

    with running(echo, echo) as double:
        port = double.url.rsplit(":", 1)[1]
        url = f"http://key-of-the-house:{PASSWORD}@127.0.0.1:{port}"
        index = TwineIndex(f"{url}/legacy/", f"{url}/simple/")
        with pytest.raises(IndexRefused) as uploading:
            index.upload(sample_wheel())
        with pytest.raises(IndexRefused) as reading:
            index.files(PROJECT)

    shown = caplog.text + str(uploading.value) + str(reading.value) + repr(vars(index))
    assert PASSWORD not in shown
    assert "key-of-the-house" not in caplog.text
    assert all("Authorization" in request.headers for request in double.requests)


def test_credentials_are_not_read_from_netrc(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = tmp_path_factory.mktemp("home") / "netrc"
    netrc.write_text("machine 127.0.0.1 login somebody password elses-password\n")
    monkeypatch.setenv("NETRC", str(netrc))
    with index_double(SERVER_KINDS["pypi"]) as double:
        index = TwineIndex(double.upload_url, double.simple_url)
        index.upload(sample_wheel())
        index.files(PROJECT)

    assert [r.headers.get("Authorization") for r in double.requests] == [None, None]


@pytest.mark.parametrize(
    "url", ["", "ftp://x/", "file:///etc", "pypi.example.com/simple", "http://"]
)
def test_an_address_of_another_scheme_is_refused_at_once(url: str) -> None:
    with pytest.raises(ValueError, match="start with http"):
        TwineIndex(url, url)


def test_an_upload_prints_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    with index_double(SERVER_KINDS["pypi"]) as double:
        index_on(double).upload(sample_wheel())

    assert capfd.readouterr().out == ""
