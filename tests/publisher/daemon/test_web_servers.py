"""The addresses and names for which a daemon answers over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from prometheus_client import CollectorRegistry

from publisher.daemon.web_servers import WebServers
from publisher.settings import Http
from publisher.web.packages import PLAIN_SITE
from tests.publisher.web.daemon_double import IdleDaemon


@contextmanager
def served(http: Http) -> Iterator[WebServers]:
    servers = WebServers(http, None, IdleDaemon(), PLAIN_SITE, CollectorRegistry())
    try:
        yield servers
    finally:
        servers.close()


def status(url: str | None, host: str) -> int:
    assert url is not None
    local = url.replace("0.0.0.0", "127.0.0.1")
    return httpx.get(f"{local}/metrics", headers={"Host": host}).status_code


@pytest.mark.parametrize(
    ("host", "expected"),
    [("evil.example", 421), ("packages.example", 200), ("localhost", 200), ("127.0.0.1", 200)],
)
def test_only_known_hosts_read_what_only_this_machine_should(host: str, expected: int) -> None:
    with served(Http(port=0, public_url="https://packages.example")) as servers:
        assert status(servers.url, host) == expected


def test_so_it_is_on_each_port() -> None:
    with served(Http(port=0, operations_port=0)) as servers:
        assert status(servers.url, "evil.example") == 421
        assert status(servers.operations_url, "evil.example") == 421


def test_an_address_that_others_reach_has_names_that_nobody_stated() -> None:
    with served(Http(port=0, host="0.0.0.0")) as servers:
        assert status(servers.url, "lake.example") == 200


def test_a_token_protects_under_any_name(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("a token of the operators")

    with served(Http(port=0, operations_token_file=tmp_path / "token")) as servers:
        assert status(servers.url, "lake.example") == 401
