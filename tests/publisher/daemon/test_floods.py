"""A running service under clients that send or read too little."""

from __future__ import annotations

import contextlib
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from publisher.daemon.service import Service
from publisher.settings import load_settings
from tests.publisher.daemon.test_service import configured
from tests.publisher.web.floods import FLOODS, flooding

_CLIENTS = 300


@pytest.mark.thorough
@pytest.mark.parametrize("drips", [False, True], ids=["and stop", "and drip"])
@pytest.mark.parametrize(
    "sent",
    [
        pytest.param(FLOODS[name].replace(b"POST /", b"POST /translate"), id=name)
        for name in ("half of a head", "requests, and nothing is read", "half of a body")
    ],
)
def test_all_is_answered_while_very_many_hold_connections(
    tmp_path: Path, sent: bytes, drips: bool
) -> None:
    (tmp_path / "ddl").mkdir()
    (tmp_path / "ddl/all.sql").write_text("CREATE TABLE t (id BIGINT);")
    config = configured(tmp_path, "[translate]\nenabled = true\n")
    with Service(load_settings(config), config) as service:
        place = urlsplit(service.url or "")
        assert place.hostname is not None
        assert place.port is not None
        held = [flooding(place.hostname, place.port, sent) for _ in range(_CLIENTS)]
        found = []
        for _ in range(5):
            for client in held if drips else ():
                with contextlib.suppress(OSError):
                    client.send(b"x")
            found += [
                httpx.get(f"{service.url}{address}", timeout=60).status_code
                for address in ("/health/live", "/simple/", "/packages/", "/operations")
            ]
        for client in held:
            client.close()

    assert found == [200] * 20
