"""Starts a server as a process on a leash, waits until it is ready, and ends it.

The leash is a pipe: the server holds its read end, and this process holds its write end. The server ends when
the write end closes, so a crash leaves no orphan. ``release`` lets a server outlive this process.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from deploy.errors import PortTaken, ServerFailed
from deploy.ports import LOOPBACK, is_taken
from deploy.stopping import StopsOnExit

_POLL_SECONDS = 0.02
_SHOWN_LINES = 25
_ADDRESS_IN_USE = "address already in use"


@dataclass(frozen=True, slots=True)
class ProcessIdentity:
    """A process id with the start time of the process: an id alone may be reused."""

    pid: int
    started: str

    @staticmethod
    def of(pid: int) -> ProcessIdentity | None:
        started = _start_time(pid)
        return None if started is None else ProcessIdentity(pid, started)

    def is_alive(self) -> bool:
        return _start_time(self.pid) == self.started


class ServerProcess:
    """A child process whose output goes to ``log``."""

    def __init__(
        self, name: str, log: Path, log_start: int, process: subprocess.Popen[bytes]
    ) -> None:
        self.name = name
        self.log = log
        self._log_start = log_start
        self._process = process

    @staticmethod
    def start(name: str, command: Sequence[str], log: Path) -> ServerProcess:
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("ab") as output:
            log_start = output.tell()
            process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd=log.parent,
                # Ctrl-C goes to this process, which stops the servers in order.
                start_new_session=True,
            )
        return ServerProcess(name, log, log_start, process)

    @property
    def pid(self) -> int:
        return self._process.pid

    def identity(self) -> ProcessIdentity:
        return ProcessIdentity(self.pid, _start_time(self.pid) or "")

    def is_alive(self) -> bool:
        return self._process.poll() is None

    def wait_until(self, is_ready: Callable[[], bool], timeout_seconds: float) -> None:
        deadline = time.monotonic() + timeout_seconds
        while not is_ready():
            if not self.is_alive():
                raise self._failed(
                    f"ended with status {self._process.returncode} before it was ready",
                    "the log above says why; other servers on this machine are not touched",
                )
            if time.monotonic() > deadline:
                self.kill()
                raise self._failed(
                    f"was not ready after {timeout_seconds:g} s",
                    "the machine may be busy or short of memory: try again",
                )
            time.sleep(_POLL_SECONDS)

    def printed(self) -> str:
        """The server's output since this start; the log also keeps the output of earlier starts."""
        with self.log.open("rb") as log:
            log.seek(self._log_start)
            return log.read().decode(errors="replace")

    def release(self) -> None:
        """Lets the server outlive this process."""
        assert self._process.stdin is not None
        self._process.stdin.write(b"\n")
        self._process.stdin.close()

    def stop(self, timeout_seconds: float = 20) -> None:
        """Asks the server to end, and kills it if it does not end in time."""
        self._process.terminate()
        try:
            self._process.wait(timeout_seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
        self._reap()

    def kill(self) -> None:
        """Ends the server at once, as a crash would."""
        self._process.kill()
        self._reap()

    def _reap(self) -> None:
        self._process.wait()
        if self._process.stdin is not None and not self._process.stdin.closed:
            self._process.stdin.close()

    def _failed(self, reason: str, hint: str) -> ServerFailed:
        self._reap()
        last_lines = "\n".join(self.printed().splitlines()[-_SHOWN_LINES:])
        return ServerFailed(self.name, reason, self.log, last_lines, hint)


class Server(StopsOnExit):
    """A server in a process; as a context manager it is stopped at the end."""

    host = LOOPBACK
    process: ServerProcess

    def stop(self) -> None:
        self.process.stop()

    def kill(self) -> None:
        """Ends the server as ``kill -9`` does."""
        self.process.kill()


def start_server(
    name: str,
    command: Sequence[str],
    log: Path,
    ports: Sequence[int],
    is_ready: Callable[[ServerProcess], bool],
    timeout_seconds: float,
) -> ServerProcess:
    """Starts a server that listens on ``ports`` and returns it once it is ready.

    Raises PortTaken, or ServerFailed with the end of the log. After an error no process is left running.
    """
    for port in ports:
        if is_taken(port):
            raise PortTaken(name, port)
    process = ServerProcess.start(name, command, log)
    try:
        process.wait_until(lambda: is_ready(process), timeout_seconds)
    except ServerFailed as failure:
        # Another program took the port after our check.
        if _ADDRESS_IN_USE in process.printed().lower():
            raise PortTaken(name, ports[0]) from failure
        raise
    except BaseException:
        process.kill()
        raise
    return process


def end_processes(processes: Sequence[ProcessIdentity], timeout_seconds: float = 20) -> None:
    """Ends processes that this process did not start: SIGTERM, then SIGKILL.

    Waits for their end.
    """
    for number in (signal.SIGTERM, signal.SIGKILL):
        for each in processes:
            _send(each, number)
        deadline = time.monotonic() + timeout_seconds
        while any(each.is_alive() for each in processes):
            if time.monotonic() > deadline:
                break
            time.sleep(_POLL_SECONDS)


def _send(process: ProcessIdentity, number: signal.Signals) -> None:
    if process.is_alive():
        try:
            os.kill(process.pid, number)
        except ProcessLookupError:
            return


def _start_time(pid: int) -> str | None:
    """When the process was started; None if it does not exist, or is a zombie."""
    stat = Path(f"/proc/{pid}/stat")
    if Path("/proc/self/stat").exists():
        try:
            # The second field, the program's name, may hold spaces and parentheses.
            fields = stat.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            return None
        # The start time counts from boot: after a reboot it may recur.
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return None if fields[0] in "ZX" else f"{fields[19]} {boot}"
    listed = subprocess.run(
        ["ps", "-o", "stat=,lstart=", "-p", str(pid)], capture_output=True, text=True, check=False
    ).stdout.split(maxsplit=1)
    return None if len(listed) < 2 or listed[0].startswith("Z") else listed[1].strip()
