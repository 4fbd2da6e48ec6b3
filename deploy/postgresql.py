"""A real PostgreSQL: the one that is installed, or else the one in a jar for tests.

PostgreSQL refuses to run as root. Under root, another user runs it; this user needs a folder that is not
root's.
"""

from __future__ import annotations

import lzma
import os
import platform
import pwd
import secrets
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from io import BytesIO
from pathlib import Path
from typing import Final

from deploy.errors import MissingPrerequisite, PreparationFailed
from deploy.jars import downloaded_jars
from deploy.jdk import find_jdk
from deploy.ports import LOOPBACK, on_free_ports
from deploy.server_process import Server, ServerProcess, start_server

_LEASH: Final = Path(__file__).parent / "leashed_program.py"
_USER: Final = "publisher"
_OPTIONS: Final = (
    *("-c", f"listen_addresses={LOOPBACK}", "-c", "unix_socket_directories=", "-c", "jit=off"),
    *("-c", "shared_buffers=32MB", "-c", "max_connections=100", "-c", "fsync=off"),
)
_READY: Final = "ready to accept connections"


class Postgresql(Server):
    """A running server with an empty database; as a context manager it is stopped at the end."""

    def __init__(self, home: Path, log: Path, port: int, password: str) -> None:
        self._home = home
        self._log = log
        self.port = port
        self.password = password
        self.process = self._started()

    @staticmethod
    def start(directory: Path) -> Postgresql:
        """Starts a server whose log is in ``directory``; returns when it answers.

        Raises:
            MissingPrerequisite, PreparationFailed: there is no PostgreSQL, and it cannot be installed.
        """
        home = Path(tempfile.mkdtemp(prefix="postgresql-"))
        try:
            password = secrets.token_urlsafe(16)
            _prepare(home, password)
            log = directory.resolve() / "postgresql.log"
            return on_free_ports(1, lambda ports: Postgresql(home, log, ports[0], password))
        except BaseException:
            shutil.rmtree(home)
            raise

    def url(self, *, with_password: bool = True) -> str:
        login = f"{_USER}:{self.password}" if with_password else _USER
        return f"postgresql://{login}@{self.host}:{self.port}/postgres"

    def restart(self) -> None:
        """Stops the server if it runs, and starts it again; port and data stay."""
        self.process.stop()
        self.process = self._started()

    def kill(self) -> None:
        """Ends the server at once, so that it must recover at its next start."""
        postmaster = int((self._home / "data/postmaster.pid").read_text().split()[0])
        os.kill(postmaster, signal.SIGQUIT)
        self.process.stop()

    def stop(self) -> None:
        super().stop()
        shutil.rmtree(self._home, ignore_errors=True)

    def _started(self) -> ServerProcess:
        server = [_program("postgres", self._home), "-D", "data", "-p", str(self.port), *_OPTIONS]
        leash = [sys.executable, str(_LEASH), _other_user(), str(self._home), *server]
        return start_server(
            "PostgreSQL", leash, self._log, [self.port], lambda p: _READY in p.printed(), 60
        )


def _prepare(home: Path, password: str) -> None:
    """Makes the data in ``home``. Unpacks PostgreSQL's programs there if the machine lacks them."""
    if _installed() is None:
        _unpack(home / "programs")
    file = home / "password"
    file.write_text(password)
    user = _other_user()
    if user:
        for each in (home, file):
            shutil.chown(each, user)
    command = [
        *(_program("initdb", home), "-D", "data", "-U", _USER, "-A", "scram-sha-256"),
        *(f"--pwfile={file}", "-E", "UTF8", "--locale=C", "--no-sync"),
    ]
    made = subprocess.run(
        command,
        cwd=home,
        capture_output=True,
        text=True,
        check=False,
        user=user or None,
        extra_groups=[] if user else None,
    )
    if made.returncode:
        raise PreparationFailed(command, made.stdout + made.stderr, "see what initdb says above")


def _program(name: str, home: Path) -> str:
    folder = _installed() or home / "programs/bin"
    return str(folder / name)


def _installed() -> Path | None:
    """The folder of the machine's newest PostgreSQL programs. Debian does not put them on the PATH."""
    on_path = shutil.which("initdb")
    if on_path is not None:
        return Path(on_path).resolve().parent
    found = Path("/usr/lib/postgresql").glob("*/bin/initdb")
    return max((each.parent for each in found), key=lambda f: int(f.parent.name), default=None)


def _unpack(folder: Path) -> None:
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        raise MissingPrerequisite("PostgreSQL", "install the server of your distribution")
    (jar,) = downloaded_jars(find_jdk(), "postgresql")
    with zipfile.ZipFile(jar) as packed:
        (name,) = (name for name in packed.namelist() if name.endswith(".txz"))
        programs = lzma.decompress(packed.read(name))
    with tarfile.open(fileobj=BytesIO(programs)) as archive:
        archive.extractall(folder, filter="data")


def _other_user() -> str:
    """The user who runs the server instead of root; "" for the present user."""
    if os.geteuid() != 0:
        return ""
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"
