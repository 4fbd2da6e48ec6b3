"""Kafka over TLS: the settings reach the client, with a broker that stops at its handshake."""

from __future__ import annotations

import json
import queue
import socket
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from publisher.settings.connections import TlsSettings
from publisher.settings.sources import KafkaSettings
from tests.lakeschema.catalog.certificates import Authority
from tests.waiting import PATIENCE_SECONDS

API_VERSIONS = 18
"""The first request of every client; its key stands after four bytes of length."""


POLL = """
import json, sys
from publisher.events.kafka_topic import KafkaSource
from publisher.events.protocol import SourceUnavailable

source = KafkaSource(sys.argv[1], sys.argv[2], options=json.loads(sys.argv[3]))
try:
    source.poll(None, 0.1)
except SourceUnavailable:
    sys.exit(0)
sys.exit("it found a broker")
"""


class TlsBroker:
    """Takes the first request of each connection and ends it."""

    def __init__(self, context: ssl.SSLContext) -> None:
        self._context = context
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.requests: queue.Queue[bytes | str] = queue.Queue()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._listener.close()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection:
                try:
                    with self._context.wrap_socket(connection, server_side=True) as secured:
                        self.requests.put(secured.recv(1024))
                except OSError as error:
                    self.requests.put(str(error))


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


@pytest.fixture
def broker(authority: Authority) -> Iterator[TlsBroker]:
    server = authority.certificate("broker")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(server.cert_file, server.key_file)
    context.load_verify_locations(authority.ca_file)
    context.verify_mode = ssl.CERT_REQUIRED
    broker = TlsBroker(context)
    yield broker
    broker.close()


def first_request(broker: TlsBroker, tls: TlsSettings) -> bytes | str:
    settings = KafkaSettings(
        kind="kafka",
        bootstrap_servers=f"127.0.0.1:{broker.port}",
        topic="t",
        security_protocol="SSL",
        tls=tls,
        options={"bootstrap_timeout_ms": 500},
    )
    # In a process of its own: kafka-python never closes the socket of a failed handshake.
    arguments = [settings.bootstrap_servers, settings.topic, json.dumps(settings.client_options())]
    subprocess.run([sys.executable, "-c", POLL, *arguments], check=True)
    return broker.requests.get(timeout=PATIENCE_SECONDS)


def test_a_broker_of_a_trusted_authority_is_spoken_to_with_our_certificate(
    broker: TlsBroker, authority: Authority
) -> None:
    client = authority.certificate("client")
    tls = TlsSettings(
        ca_file=authority.ca_file, cert_file=client.cert_file, key_file=client.key_file
    )

    request = first_request(broker, tls)

    assert isinstance(request, bytes)
    assert int.from_bytes(request[4:6], "big") == API_VERSIONS


@pytest.mark.thorough
def test_a_broker_of_another_authority_is_told_nothing(broker: TlsBroker, tmp_path: Path) -> None:
    other = Authority(tmp_path, "other")
    client = other.certificate("other-client")
    tls = TlsSettings(ca_file=other.ca_file, cert_file=client.cert_file, key_file=client.key_file)

    request = first_request(broker, tls)

    assert isinstance(request, str)
    assert "alert" in request.lower()
