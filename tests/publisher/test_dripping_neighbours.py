"""No server holds a thread by sending single bytes: each wait for a whole answer ends.

Speed is not measured: a wait that does not end would run into the test's timeout.
"""

from __future__ import annotations

import gc
import struct
from collections.abc import Mapping
from typing import Any

import pytest

from lakeschema.catalog.errors import CatalogUnavailable
from lakeschema.catalog.metastore_client import MetastoreClient
from lakeschema.catalog.metastore_security import UNSECURED, Sasl, Security, Tls
from publisher.commands.dbt.command import ask_service
from publisher.commands.failures import Refused
from publisher.commands.registering.registration import ServerUnavailable
from publisher.commands.registering.trino_server import open_server
from publisher.events.kafka_topic import KafkaSource
from publisher.events.protocol import SourceUnavailable
from publisher.index.protocol import IndexUnavailable
from publisher.index.simple_client import Server, SimpleClient
from publisher.index.twine_index import TwineIndex
from tests.dripping import TLS_RECORD, dripping
from tests.publisher.index.wheels import sample_wheel

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(120)]

LONG = 1 << 20
"""Bytes: at their pace, three hours."""

CALL = b"get_current_notificationEventId"
THRIFT_TEXT = (
    struct.pack(">iI", -2147418110, len(CALL)) + CALL + struct.pack(">ibhi", 0, 11, 99, LONG)
)
"""Of an answer: its head, and a text that has just begun."""

HTTP_HEADER = b"HTTP/1.1 200 OK\r\nX-Long: "
HTTP_BODY = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 1048576\r\n\r\n "


@pytest.mark.parametrize(
    ("opening", "security"),
    [
        (THRIFT_TEXT, UNSECURED),
        (TLS_RECORD, Security(tls=Tls())),
        (struct.pack(">BI", 2, 4096), Security(sasl=Sasl("PLAIN", "reader", "secret"))),
    ],
    ids=["answer", "tls", "sasl"],
)
def test_a_metastore(opening: bytes, security: Security) -> None:
    with dripping(opening) as port:
        client = MetastoreClient(
            [f"thrift://127.0.0.1:{port}"], timeout_seconds=0.1, attempts=2, security=security
        )

        with pytest.raises(CatalogUnavailable, match=r"did not end in time|not connect"):
            client.current_event_id()

        client.close()


HTTP = pytest.mark.parametrize(
    ("scheme", "opening"),
    [("http", HTTP_HEADER), ("http", HTTP_BODY), ("https", TLS_RECORD)],
    ids=["header", "body", "tls"],
)


@HTTP
def test_an_index(scheme: str, opening: bytes) -> None:
    with dripping(opening) as port:
        url = f"{scheme}://127.0.0.1:{port}/"
        client = SimpleClient(Server(url, None), timeout_seconds=0.1)

        with pytest.raises(IndexUnavailable, match="in time"):
            client.page("acme-orders")

        client.close()


@HTTP
def test_an_upload(scheme: str, opening: bytes) -> None:
    with dripping(opening.replace(b"200 OK", b"503 No")) as port:
        url = f"{scheme}://127.0.0.1:{port}/"
        index = TwineIndex(url, url, timeout_seconds=0.1)

        with pytest.raises(IndexUnavailable, match="in time"):
            index.upload(sample_wheel())

        index.close()


@HTTP
def test_trino(scheme: str, opening: bytes) -> None:
    with (
        dripping(opening) as port,
        open_server(f"{scheme}://127.0.0.1:{port}", "me", None, 0.2) as server,
        pytest.raises(ServerUnavailable, match=r"in time|timed out"),
    ):
        server.run("SELECT 1")


@pytest.mark.parametrize("opening", [HTTP_HEADER, HTTP_BODY], ids=["header", "body"])
def test_a_service_that_translates(opening: bytes) -> None:
    with dripping(opening) as port:
        ask = ask_service(f"http://127.0.0.1:{port}", None, timeout_seconds=0.2)

        with pytest.raises(Refused, match="did not end in time"):
            ask({})


PASSWORD = {"sasl_mechanism": "PLAIN", "sasl_plain_username": "a", "sasl_plain_password": "b"}


# kafka-python leaves a socket in a handshake to the garbage collection.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize(
    ("opening", "options"),
    [
        (struct.pack(">i", LONG), {}),
        (TLS_RECORD, {"security_protocol": "SSL", "ssl_check_hostname": False}),
        (struct.pack(">i", LONG), {"security_protocol": "SASL_PLAINTEXT", **PASSWORD}),
    ],
    ids=["answer", "tls", "sasl"],
)
def test_a_broker(opening: bytes, options: Mapping[str, Any]) -> None:
    with dripping(opening) as port:
        settings = {"bootstrap_timeout_ms": 300, **options}
        source = KafkaSource(f"127.0.0.1:{port}", "events", options=settings)

        with pytest.raises(SourceUnavailable):
            source.count_partitions()
        with pytest.raises(SourceUnavailable):
            source.poll('{"offsets": {"0": 1}}', 0.1)
        gc.collect()
