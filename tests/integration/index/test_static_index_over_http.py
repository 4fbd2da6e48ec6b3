"""The index over a socket of the daemon's server: HEAD, ranges, and pages that the client already has."""

from __future__ import annotations

import gzip
import html
import http.client
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from prometheus_client import CollectorRegistry

from publisher.index.static import StaticIndex
from publisher.publishing.attestation import sign
from publisher.web.app import create_app
from publisher.web.server import WebServer
from tests.publisher.web.daemon_double import IdleDaemon
from tests.publisher.web.packages import field, record_schema, wheels
from tests.waiting import PATIENCE_SECONDS

NAME = "acme-schema-example-company"
WHEELS = wheels("example.company", [record_schema(field("id", "long", doc="d" * 2000))])
WHEEL = f"/simple/{NAME}/{WHEELS[0].filename}"
ADDRESSES = [
    "/",
    "/simple/",
    f"/simple/{NAME}/",
    f"/packages/{NAME}",
    "/packages/unknown",
    "/constraints.txt",
    "/requirements.txt",
    f"/requirements/{NAME}.txt",
    WHEEL,
    f"{WHEEL}.metadata",
    f"{WHEEL}.provenance",
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    sign_with_key = partial(sign, key=Ed25519PrivateKey.generate())
    index = StaticIndex(tmp_path_factory.mktemp("index"), sign=sign_with_key)
    for wheel in WHEELS:
        index.upload(wheel)
    with WebServer(create_app(index, IdleDaemon(), registry=CollectorRegistry())) as running:
        yield running


@pytest.fixture
def connection(server: WebServer) -> Iterator[http.client.HTTPConnection]:
    opened = http.client.HTTPConnection(server.host, server.port, timeout=PATIENCE_SECONDS)
    yield opened
    opened.close()


def asked(
    connection: http.client.HTTPConnection, method: str, address: str, **headers: str
) -> tuple[http.client.HTTPResponse, bytes]:
    connection.request(
        method, address, headers={name.replace("_", "-"): text for name, text in headers.items()}
    )
    response = connection.getresponse()
    return response, response.read()


@pytest.mark.parametrize("address", ADDRESSES)
def test_head_is_get_without_its_body(connection: http.client.HTTPConnection, address: str) -> None:
    got, body = asked(connection, "GET", address)
    head, nothing = asked(connection, "HEAD", address)

    assert (head.status, nothing) == (got.status, b"")
    assert head.headers["Content-Length"] == str(len(body))
    for name in ("ETag", "Content-Type", "Cache-Control", "Vary", "Accept-Ranges"):
        assert head.headers[name] == got.headers[name]


def test_parts_of_a_wheel_make_the_whole(connection: http.client.HTTPConnection) -> None:
    data = WHEELS[0].data
    middle = len(data) // 2

    first, start = asked(connection, "GET", WHEEL, Range=f"bytes=0-{middle - 1}")
    _, end = asked(
        connection, "GET", WHEEL, Range=f"bytes={middle}-", If_Range=first.headers["ETag"]
    )
    beyond, _ = asked(connection, "GET", WHEEL, Range=f"bytes={len(data)}-")

    assert (first.status, beyond.status) == (206, 416)
    assert start + end == data


def test_what_the_page_says_installs_the_package(
    connection: http.client.HTTPConnection, tmp_path: Path
) -> None:
    _, page = asked(connection, "GET", f"/packages/{NAME}")
    [install] = re.findall("<code>(pip .*?)</code>", html.unescape(page.decode()))
    [example] = re.findall('aria-label="Example"><code>(.*?)</code>', page.decode(), re.DOTALL)
    program = html.unescape(re.sub("</?span.*?>", "", example))

    # Into a folder, so that the tests' own environment stays as it is.
    command = [sys.executable, "-m", *shlex.split(install), "--quiet", "--target", str(tmp_path)]
    subprocess.run(command, check=True, timeout=PATIENCE_SECONDS)

    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    shown = subprocess.run(
        [sys.executable, "-c", program],
        env=environment, capture_output=True, text=True, check=True, timeout=PATIENCE_SECONDS,
    )  # fmt: skip
    assert json.loads(shown.stdout) == {"id": 1001}


def test_a_connection_goes_on_after_what_is_known_and_what_is_compressed(
    connection: http.client.HTTPConnection,
) -> None:
    plain, body = asked(connection, "GET", f"/packages/{NAME}")
    known, nothing = asked(
        connection, "GET", f"/packages/{NAME}", If_None_Match=plain.headers["ETag"]
    )
    packed, bytes_ = asked(connection, "GET", f"/packages/{NAME}", Accept_Encoding="gzip")

    assert (known.status, nothing) == (304, b"")
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(bytes_) == body


def test_uv_installs_from_a_page_with_provenance(server: WebServer, tmp_path: Path) -> None:
    """As pip does above; neither verifies it."""
    uv = Path(sys.executable).with_name("uv")
    index = f"http://{server.host}:{server.port}/simple/"
    options = ["--quiet", "--no-cache", "--no-config", "--target", str(tmp_path)]

    subprocess.run(
        [uv, "pip", "install", *options, "--default-index", index, NAME],
        check=True,
        timeout=PATIENCE_SECONDS,
    )

    assert [path.name for path in tmp_path.glob("*.dist-info")]
