"""A daemon of the program under test: a process that faults kill, pause, stop and restart."""

from __future__ import annotations

import http.client
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import deploy
from deploy.ports import LOOPBACK
from deploy.server_process import ServerProcess
from deploy.stopping import StopsOnExit

_LEASHED_PYTHON = Path(deploy.__file__).parent / "leashed_python.py"
_COMMAND_SECONDS = 300.0
_HTTP_SECONDS = 10.0


class Daemon(StopsOnExit):
    def __init__(self, name: str, config: Path, http_port: int) -> None:
        self.name = name
        self.http_port = http_port
        self._config = config
        self._running: ServerProcess | None = None

    @property
    def log(self) -> Path:
        return self._config.parent / f"{self.name}.log"

    @property
    def process(self) -> ServerProcess:
        assert self._running is not None
        return self._running

    def start(self) -> None:
        """Returns at once, since faults may also disturb the start."""
        settings = (f"SCHEMA_PUBLISHER__HTTP__PORT={self.http_port}",)
        command = (*self._command("run"), "--config", str(self._config))
        self._running = ServerProcess.start(self.name, ("env", *settings, *command), self.log)

    def stop(self) -> None:
        if self._running is not None:
            self._running.stop()

    def kill(self) -> None:
        self.process.kill()

    def restart(self) -> None:
        self.stop()
        self.start()

    def health(self) -> str:
        """The daemon's health report, and the memory that it used."""
        connection = http.client.HTTPConnection(LOOPBACK, self.http_port, timeout=_HTTP_SECONDS)
        try:
            connection.request("GET", "/health/ready")
            response = connection.getresponse()
            said = f"{response.status} {response.read(300).decode(errors='replace')}"
        except (OSError, http.client.HTTPException) as error:
            said = repr(error)
        finally:
            connection.close()
        return f"{said.strip()}; {_peak_memory(self.process.pid)}"

    def run_command(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Runs another command of the program on this deployment."""
        return subprocess.run(
            (sys.executable, "-m", "publisher", *words, "--config", str(self._config)),
            capture_output=True,
            text=True,
            check=False,
            timeout=_COMMAND_SECONDS,
            cwd=self._config.parent,
        )

    @staticmethod
    def _command(*words: str) -> tuple[str, ...]:
        return (sys.executable, str(_LEASHED_PYTHON), "publisher", *words)


def settings_text(metastores: Mapping[str, str], folder: Path, sections: Mapping[str, str]) -> str:
    """A deployment's settings, with intervals so short that minutes of a run replace hours.

    ``metastores``: the address of each catalog, the default one first. The others' events come from
    their notification logs.
    """
    default, *others = metastores
    catalogs = "".join(
        f'[[catalog]]\nkind = "hive"\nname = "{name}"\nuri = "{uri}"\ntimeout_seconds = 10\n'
        f"default = {str(name == default).lower()}\n"
        for name, uri in metastores.items()
    )
    events = "".join(
        f'[[events]]\nkind = "notification-log"\ncatalog = "{name}"\n' for name in others
    )
    extra = "\n".join(f"{head}\n{body}" for head, body in sections.items())
    return f"""\
[artifacts]
prefix = "acme-schema"
{catalogs}{events}[state]
url = "sqlite:///{folder}/state.db"
[snapshot]
runner = "local"
interval_seconds = 30
[engine]
debounce_seconds = 0.5
max_wait_seconds = 3
derivation_timeout_seconds = 10
drop_grace_seconds = 5
max_versions_per_hour = 1000000
staleness_seconds = 1
[http]
host = "{LOOPBACK}"
{extra}
"""


def _peak_memory(pid: int) -> str:
    status = Path(f"/proc/{pid}/status")
    if not status.exists():
        return "peak memory unknown"
    peak = next((line for line in status.read_text().splitlines() if "VmHWM" in line), "VmHWM: 0")
    return f"peak memory since its last start {int(peak.split()[1]) // 1024} MB"
