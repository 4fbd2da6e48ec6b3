"""The effect of a yanked old version on users who pinned it, and on others."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from deploy.local_stack import PyPiServer
from publisher.daemon.service import Service
from publisher.index.static import StaticIndex
from publisher.publishing.retention import SUPERSEDED
from publisher.settings import load_settings
from publisher.web.app import create_app
from publisher.web.server import WebServer
from tests.integration.end_to_end.consumers import TOOLS, Offered, consumer, succeeded
from tests.integration.end_to_end.published import configured, distribution, publish_all
from tests.publisher.web.daemon_double import IdleDaemon
from tests.waiting import eventually

RETENTION = "[index.retention]\nkeep_latest_per_major = 1\nyank_after_days = 0\n"
SHOP = distribution("shop")


@pytest.fixture
def index(tmp_path: Path) -> StaticIndex:
    """Holds 1.0.0, 1.1.0 and 2.0.0, of which the settings call the first one old."""
    section = f'kind = "static"\npath = "{tmp_path}/index"\n{RETENTION}'
    publish_all(configured(tmp_path, section), "shop")
    return StaticIndex(tmp_path / "index")


def retire(folder: Path, *arguments: str) -> tuple[int, list[dict[str, Any]]]:
    config = str(folder / "schema-publisher.toml")
    command = [sys.executable, "-m", "publisher", "retire", "--config", config, *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    return ended.returncode, [json.loads(line) for line in ended.stdout.splitlines()]


@pytest.mark.parametrize("tool", TOOLS)
def test_pins_and_locks_outlive_a_yank_and_ranges_look_past_it(
    index: StaticIndex, tool: str, tmp_path: Path
) -> None:
    with WebServer(create_app(index, IdleDaemon())) as web:
        offered = Offered(SHOP, f"{web.url}/simple/")
        locked, pinned, ranged = (
            consumer(tool, tmp_path / kind, offered) for kind in ("locked", "pinned", "ranged")
        )
        locked.lock("==1.0.0")

        retire(tmp_path)
        succeeded(locked.sync())
        pinned.installs("==1.0.0")
        ranged.installs("<2")

    assert [file.yanked for file in index.files(SHOP)] == [SUPERSEDED, None, None]
    assert [c.version for c in (locked, pinned, ranged)] == ["1.0.0", "1.0.0", "1.1.0"]


def test_the_command_says_what_it_would_do_does_it_and_has_nothing_left_to_do(
    index: StaticIndex, tmp_path: Path
) -> None:
    line = {
        "distribution": SHOP,
        "version": "1.0.0",
        "file": "acme_schema_shop_company-1.0.0-py3-none-any.whl",
        "action": "yank",
    }

    tried = retire(tmp_path, "--dry-run")
    untouched = [file.yanked for file in index.files(SHOP)]
    done, again = retire(tmp_path), retire(tmp_path)

    assert tried == (0, [{**line, "done": False}])
    assert untouched == [None, None, None]
    assert done == (0, [{**line, "done": True}])
    assert again == (0, [])


def test_the_daemon_retires_after_its_snapshot(index: StaticIndex, tmp_path: Path) -> None:
    config = tmp_path / "schema-publisher.toml"
    config.write_text(config.read_text() + '[snapshot]\nrunner = "local"\n[http]\nport = 0\n')

    with Service(load_settings(config), config) as service:
        assert eventually(lambda: bool(service.engine.counters.values().get("versions_retired")))

    assert [file.yanked for file in index.files(SHOP)] == [SUPERSEDED, None, None]


def test_an_index_that_cannot_yank_is_answered_with_no(
    package_server: PyPiServer, tmp_path: Path
) -> None:
    section = (
        f'kind = "twine"\nrepository_url = "{package_server.upload_url}"\n'
        f'simple_url = "{package_server.simple_url}"\nusername = "{package_server.username}"\n'
        f'password = "{package_server.password}"\n{RETENTION}'
    )
    publish_all(configured(tmp_path, section), "unyankable")

    exit_status, lines = retire(tmp_path)

    assert exit_status == 1
    assert [(line["version"], line["done"]) for line in lines] == [("1.0.0", False)]
