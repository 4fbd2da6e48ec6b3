"""A real pypiserver. Every client may install from it; uploads need a name and a password."""

from __future__ import annotations

import base64
import hashlib
import http.client
import secrets
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from deploy.errors import MissingPrerequisite
from deploy.ports import LOOPBACK, on_free_ports
from deploy.server_process import Server, ServerProcess, start_server

_LEASHED_PYTHON = Path(__file__).parent / "leashed_python.py"


class PyPiServer(Server):
    """A running package index; as a context manager it is stopped at the end."""

    def __init__(
        self,
        directory: Path,
        port: int,
        credentials: tuple[str, str],
        process: ServerProcess,
        options: Sequence[str] = (),
    ) -> None:
        self.directory = directory
        self.port = port
        self.username, self.password = credentials
        self.process = process
        self._options = tuple(options)

    @staticmethod
    def start(
        directory: Path,
        *,
        port: int | None = None,
        username: str = "publisher",
        password: str | None = None,
        overwrites: bool = False,
        timeout_seconds: float = 60,
    ) -> PyPiServer:
        """Starts an index that keeps all its files in ``directory``; returns when it answers.

        Without a ``password``, a random password is chosen. With ``overwrites`` an upload may replace the
        bytes of an existing file, as in some indexes.
        """
        root = directory.resolve()
        credentials = (username, password or secrets.token_urlsafe(16))

        def start_on(ports: tuple[int, ...]) -> PyPiServer:
            options = ("--overwrite",) if overwrites else ()
            process = _start_process(root, ports[0], credentials, options, timeout_seconds)
            return PyPiServer(root, ports[0], credentials, process, options)

        return on_free_ports(1, start_on) if port is None else start_on((port,))

    @property
    def packages(self) -> Path:
        """The folder of the uploaded files."""
        return self.directory / "packages"

    @property
    def upload_url(self) -> str:
        return f"http://{self.host}:{self.port}/"

    @property
    def simple_url(self) -> str:
        return f"http://{self.host}:{self.port}/simple/"

    def addresses(self) -> dict[str, str]:
        """A client's connection settings, by name."""
        return {
            "upload_url": self.upload_url,
            "simple_url": self.simple_url,
            "username": self.username,
            "password": self.password,
        }

    def restart(self, timeout_seconds: float = 60) -> None:
        """Stops the server if it runs, and starts it again; port and packages stay."""
        self.process.stop()
        credentials = (self.username, self.password)
        self.process = _start_process(
            self.directory, self.port, credentials, self._options, timeout_seconds
        )


def htpasswd_line(username: str, password: str) -> str:
    """A line in Apache's format with its SHA-1 scheme, which needs no library.

    It is safe enough only for a random password on the loopback address.
    """
    digest = hashlib.sha1(password.encode(), usedforsecurity=False).digest()
    return f"{username}:{{SHA}}{base64.b64encode(digest).decode()}\n"


def _start_process(
    directory: Path,
    port: int,
    credentials: tuple[str, str],
    options: Sequence[str],
    timeout_seconds: float,
) -> ServerProcess:
    if find_spec("pypiserver") is None or find_spec("passlib") is None:
        raise MissingPrerequisite("pypiserver", "pip install 'pypiserver[passlib]'")
    packages = directory / "packages"
    packages.mkdir(parents=True, exist_ok=True)
    passwords = directory / "htpasswd"
    passwords.write_text(htpasswd_line(*credentials))
    # Only our process answers at this address, so that another server is not mistaken for it.
    health = f"/health-{secrets.token_hex(8)}"
    return start_server(
        "pypiserver",
        (
            *(sys.executable, str(_LEASHED_PYTHON), "pypiserver", "run"),
            *("--interface", LOOPBACK, "--port", str(port)),
            *("--authenticate", "update", "--passwords", str(passwords)),
            *("--disable-fallback", "--health-endpoint", health, *options),
            str(packages),
        ),
        directory / "pypiserver.log",
        (port,),
        lambda _: _answers(port, health),
        timeout_seconds,
    )


def _answers(port: int, path: str) -> bool:
    connection = http.client.HTTPConnection(LOOPBACK, port, timeout=5)
    try:
        connection.request("GET", path)
        return connection.getresponse().status == http.client.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
