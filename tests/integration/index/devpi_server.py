"""A real devpi with one index that keeps its files for ever (``volatile = false``)."""

from __future__ import annotations

import secrets
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import requests

import deploy
from deploy.ports import LOOPBACK, on_free_ports
from deploy.server_process import ServerProcess, start_server
from deploy.tool_environments import tool_python
from tests.waiting import PATIENCE_SECONDS

_LEASHED_PYTHON = Path(deploy.__file__).parent / "leashed_python.py"
_INDEX = "schemas"
# Passwords that live as long as a test need no hash that takes its time.
_QUICK_HASHES = (
    *("--argon2-memory-cost", "8"),
    *("--argon2-parallelism", "1", "--argon2-time-cost", "1"),
)


@dataclass(frozen=True, slots=True)
class DevpiServer:
    """A running server; ``log`` is what it printed."""

    url: str
    username: str
    password: str
    log: Path

    @property
    def upload_url(self) -> str:
        return f"{self.url}/{self.username}/{_INDEX}/"

    @property
    def simple_url(self) -> str:
        return f"{self.upload_url}+simple/"


@contextmanager
def running_devpi(folder: Path, timeout_seconds: float = PATIENCE_SECONDS) -> Iterator[DevpiServer]:
    """Keeps all its files in ``folder``, and ends with us."""
    root_password = secrets.token_urlsafe(16)
    python = str(tool_python("devpi"))
    files = str(folder / "files")
    subprocess.run(
        [
            *(python, "-c", "from devpi_server.init import init; init()"),
            # In one argument: it may begin with a dash.
            *("--serverdir", files, "--no-root-pypi", f"--root-passwd={root_password}"),
        ],
        check=True,
        capture_output=True,
    )

    def start_on(ports: tuple[int, ...]) -> tuple[ServerProcess, str]:
        url = f"http://{LOOPBACK}:{ports[0]}"
        command = (
            *(python, str(_LEASHED_PYTHON), "devpi_server", "--serverdir", files),
            *("--host", LOOPBACK, "--port", str(ports[0]), *_QUICK_HASHES),
        )
        log = folder / "devpi.log"
        process = start_server(
            "devpi", command, log, ports, lambda _: _answers(url), timeout_seconds
        )
        return process, url

    process, url = on_free_ports(1, start_on)
    try:
        server = DevpiServer(url, "publisher", secrets.token_urlsafe(16), folder / "devpi.log")
        _make_index(server, root_password)
        yield server
    finally:
        process.stop()


def _answers(url: str) -> bool:
    try:
        return requests.get(f"{url}/+status", timeout=5).ok
    except requests.RequestException:
        return False


def _make_index(server: DevpiServer, root_password: str) -> None:
    account = (server.username, server.password)
    user, index = {"password": server.password}, {"volatile": False, "bases": []}
    _put(f"{server.url}/{server.username}", user, ("root", root_password))
    _put(f"{server.url}/{server.username}/{_INDEX}", index, account)


def _put(url: str, body: Mapping[str, Any], account: tuple[str, str]) -> None:
    answer = requests.put(
        url,
        json=body,
        auth=account,
        headers={"Accept": "application/json"},
        timeout=PATIENCE_SECONDS,
    )
    answer.raise_for_status()
