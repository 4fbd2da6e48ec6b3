"""Damaged files of an index, under a running service and under a killed one: real processes."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.waiting import PATIENCE_SECONDS, eventually

PROJECT = "acme-schema-shop-orders"
WHEEL = "acme_schema_shop_orders-1.0.0-py3-none-any.whl"
FILES = (WHEEL, f"{WHEEL}.metadata", "index.json", "index.html")


@pytest.fixture
def config(tmp_path: Path) -> Path:
    (tmp_path / "ddl").mkdir()
    (tmp_path / "ddl" / "shop.sql").write_text("CREATE TABLE shop.orders (id bigint, note string);")
    path = tmp_path / "schema-publisher.toml"
    path.write_text(
        f"""\
[artifacts]
prefix = "acme-schema"
[catalog]
kind = "ddl"
path = "{tmp_path}/ddl"
[state]
url = "sqlite:///{tmp_path}/state.db"
[index]
kind = "static"
path = "{tmp_path}/index"
[snapshot]
runner = "local"
[engine]
debounce_seconds = 0
staleness_seconds = 0
drop_grace_seconds = 0
[http]
port = 0
"""
    )
    return path


def command(config: Path, *words: str) -> list[str]:
    return [sys.executable, "-m", "publisher", *words, "--config", str(config)]


class Daemons:
    def __init__(self, config: Path) -> None:
        self._config = config
        self.running: list[subprocess.Popen[str]] = []

    def start(self) -> str:
        """The address at which it serves the index."""
        daemon = subprocess.Popen(
            command(self._config, "run"), stdout=subprocess.PIPE, stderr=None, text=True
        )
        self.running.append(daemon)
        assert daemon.stdout is not None
        return str(json.loads(daemon.stdout.readline())["http"])

    def kill(self) -> None:
        daemon = self.running.pop()
        daemon.send_signal(signal.SIGKILL)
        daemon.communicate(timeout=PATIENCE_SECONDS)


@pytest.fixture
def daemons(config: Path) -> Iterator[Daemons]:
    started = Daemons(config)
    yield started
    while started.running:
        started.kill()


def folder_of(config: Path) -> Path:
    return config.parent / "index" / "simple" / PROJECT


def files_of(config: Path) -> dict[str, bytes]:
    """But for the times on the page: one that is lost with a page is not known any more."""
    folder = folder_of(config)
    files = {name: (folder / name).read_bytes() for name in FILES}
    page = json.loads(files["index.json"])
    times = [file.pop("upload-time") for file in page["files"]]
    assert all(times)
    return {**files, "index.json": json.dumps(page).encode()}


def is_as(config: Path, before: dict[str, bytes]) -> bool:
    try:
        return files_of(config) == before
    except (OSError, ValueError):
        return False


def has_compared_its_index(config: Path) -> bool:
    told = subprocess.run(command(config, "status"), capture_output=True, text=True, check=True)
    return bool(json.loads(told.stdout)["indexes"])


def damage(config: Path) -> None:
    folder = folder_of(config)
    data = bytearray((folder / WHEEL).read_bytes())
    data[len(data) // 2] ^= 1
    (folder / WHEEL).write_bytes(data)
    (folder / f"{WHEEL}.metadata").write_bytes(b"")
    (folder / "index.json").unlink()
    (folder / "index.html").write_text((folder / "index.html").read_text()[:-9])


def test_damaged_files_are_named_and_written_again(config: Path, daemons: Daemons) -> None:
    url = daemons.start()
    # The pages are written one after the other.
    assert eventually(lambda: all((folder_of(config) / name).exists() for name in FILES))
    # Until then the service itself may mend what is damaged.
    assert eventually(lambda: has_compared_its_index(config))
    before = files_of(config)

    damage(config)
    found = subprocess.run(command(config, "verify"), capture_output=True, text=True, check=False)
    repaired = subprocess.run(
        command(config, "verify", "--repair"), capture_output=True, text=True, check=False
    )

    assert found.returncode == 1, found.stderr
    assert f"{WHEEL} is damaged: its bytes do not have the hash " in found.stdout
    assert "index.json is missing: " in found.stdout
    assert repaired.returncode == 0, repaired.stdout + repaired.stderr
    assert files_of(config) == before
    with urllib.request.urlopen(f"{url}/simple/{PROJECT}/{WHEEL}") as response:
        assert response.read() == before[WHEEL]

    daemons.kill()
    damage(config)
    daemons.start()

    assert eventually(lambda: is_as(config, before))
    verified = subprocess.run(
        command(config, "verify"), capture_output=True, text=True, check=False
    )
    assert verified.returncode == 0, verified.stdout
