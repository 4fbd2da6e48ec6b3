"""A running daemon's pages follow its lake: neighbours, changes, and a dropped relation."""

from __future__ import annotations

import http.client
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from publisher.daemon.service import Service
from publisher.settings import load_settings
from tests.publisher.web.html_outline import Outline
from tests.waiting import PATIENCE_SECONDS

PREFIX = "acme-schema-example"
VIEW = "CREATE VIEW ids AS SELECT id FROM company WHERE note <> '<b>none</b>';"


@pytest.fixture
def ddl(tmp_path: Path) -> Path:
    folder = tmp_path / "ddl"
    folder.mkdir()
    return folder / "all.sql"


@pytest.fixture
def service(tmp_path: Path, ddl: Path) -> Iterator[Service]:
    write(ddl, "id BIGINT, note STRING", VIEW)
    config = tmp_path / "schema-publisher.toml"
    config.write_text(
        '[artifacts]\nprefix = "acme-schema"\n'
        f'[catalog]\nkind = "ddl"\npath = "{ddl.parent}"\n'
        '[[events]]\nkind = "ddl-folder"\n'
        f'[state]\nurl = "sqlite:///{tmp_path}/state.db"\n'
        f'[index]\nkind = "static"\npath = "{tmp_path}/index"\n'
        '[snapshot]\nrunner = "local"\ninterval_seconds = 1\n'
        "[engine]\ndebounce_seconds = 0\ndrop_grace_seconds = 0\n"
        '[http]\nhost = "127.0.0.1"\nport = 0\n'
    )
    with Service(load_settings(config), config) as running:
        yield running


def write(ddl: Path, columns: str, view: str) -> None:
    ddl.write_text(
        f"CREATE DATABASE example; USE example; CREATE TABLE company ({columns}); {view}"
    )


def shown(service: Service, relation: str, holds: Callable[[Outline], bool]) -> Outline:
    """The page of a relation's package once it holds what is waited for."""
    address = urlsplit(service.url or "")
    ends = time.monotonic() + PATIENCE_SECONDS
    while True:
        connection = http.client.HTTPConnection(
            address.hostname or "", address.port, timeout=PATIENCE_SECONDS
        )
        connection.request("GET", f"/packages/{PREFIX}-{relation}")
        outline = Outline(connection.getresponse().read().decode())
        connection.close()
        if holds(outline):
            return outline
        assert time.monotonic() < ends, outline.text
        time.sleep(0.1)


def test_pages_follow_the_lake(service: Service, ddl: Path) -> None:
    view = shown(
        service,
        "ids",
        lambda page: "Versions (1)" in page.text and f"/packages/{PREFIX}-company" in page.links,
    )
    assert "<b>none</b>" in view.text
    table = shown(service, "company", lambda page: f"/packages/{PREFIX}-ids" in page.links)
    assert "Typed records of the table example.company, version 1.0.0" in table.text

    write(ddl, "id BIGINT, note STRING, unit STRING", VIEW)
    table = shown(service, "company", lambda page: "Versions (2)" in page.text)
    assert "field unit added: optional string, default null" in table.text

    write(ddl, "id BIGINT, note STRING, unit STRING", "")
    view = shown(service, "ids", lambda page: "Every version is yanked" in page.text)
    assert "The catalog has had no such relation since" in view.text
    assert f'"{PREFIX}-ids==1.0.0"' in view.text
