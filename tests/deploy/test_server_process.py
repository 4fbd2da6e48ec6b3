import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from deploy.errors import PortTaken, ServerFailed
from deploy.ports import LOOPBACK, free_ports, is_taken, on_free_ports
from deploy.server_process import ProcessIdentity, ServerProcess, start_server
from tests.waiting import PATIENCE_SECONDS, eventually

ROOT = Path(__file__).parents[2]
LEASHED = [sys.executable, str(ROOT / "deploy" / "leashed_python.py"), "http.server"]


def python(code: str) -> list[str]:
    return [sys.executable, "-u", "-c", code]


def test_free_ports_are_different_and_free() -> None:
    ports = free_ports(20)

    assert len(set(ports)) == 20
    assert not any(is_taken(port) for port in ports)


def test_a_port_on_which_a_program_listens_is_taken() -> None:
    with socket.create_server((LOOPBACK, 0)) as server:
        assert is_taken(server.getsockname()[1])


def test_a_server_that_finds_its_port_taken_is_started_on_another() -> None:
    tried: list[tuple[int, ...]] = []

    def start(ports: tuple[int, ...]) -> str:
        tried.append(ports)
        if len(tried) == 1:
            raise PortTaken("a server", ports[0])
        return "started"

    assert on_free_ports(1, start) == "started"
    assert len(tried) == 2


def test_ports_that_are_always_taken_are_reported() -> None:
    def start(ports: tuple[int, ...]) -> str:
        raise PortTaken("a server", ports[0])

    with pytest.raises(PortTaken, match="the port is taken"):
        on_free_ports(1, start)


def test_a_server_is_returned_once_it_is_ready(tmp_path: Path) -> None:
    command = python("import time; print('ready'); time.sleep(600)")

    server = start_server(
        "a server",
        command,
        tmp_path / "log",
        (),
        lambda it: "ready" in it.printed(),
        PATIENCE_SECONDS,
    )

    assert server.is_alive()
    server.stop()
    assert not server.is_alive()


def test_a_server_that_crashes_shows_the_end_of_its_log(tmp_path: Path) -> None:
    command = python("print('cannot find the moon'); raise SystemExit(7)")

    with pytest.raises(ServerFailed, match=r"ended with status 7(?s:.*)cannot find the moon"):
        start_server("a server", command, tmp_path / "log", (), lambda _: False, PATIENCE_SECONDS)


@pytest.mark.thorough
def test_a_server_that_is_never_ready_is_ended(tmp_path: Path) -> None:
    asked: list[int] = []

    def never(server: ServerProcess) -> bool:
        asked.append(server.pid)
        return False

    command = python("import time; time.sleep(600)")

    with pytest.raises(ServerFailed, match="not ready after 1 s"):
        start_server("a server", command, tmp_path / "log", (), never, 1)

    assert ProcessIdentity.of(asked[0]) is None


def test_a_server_whose_port_is_taken_is_not_started(tmp_path: Path) -> None:
    with socket.create_server((LOOPBACK, 0)) as other:
        port = other.getsockname()[1]

        with pytest.raises(PortTaken, match=str(port)):
            start_server(
                "a server", python(""), tmp_path / "log", (port,), lambda _: True, PATIENCE_SECONDS
            )


def test_a_server_that_loses_the_race_for_its_port_says_so(tmp_path: Path) -> None:
    command = python("raise OSError('[Errno 98] Address already in use')")
    (port,) = free_ports(1)

    with pytest.raises(PortTaken, match=str(port)):
        start_server(
            "a server", command, tmp_path / "log", (port,), lambda _: False, PATIENCE_SECONDS
        )


def test_output_of_an_earlier_start_does_not_make_a_server_ready(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("ready\n")
    server = ServerProcess.start("a server", python("import time; time.sleep(600)"), log)

    assert server.printed() == ""
    server.kill()


def test_a_server_ends_when_its_parent_is_killed(tmp_path: Path) -> None:
    parent, server = parent_of_leashed_server(tmp_path, "time.sleep(600)")

    parent.send_signal(signal.SIGKILL)
    parent.wait()

    assert eventually(lambda: not server.is_alive())
    close(parent)


@pytest.mark.thorough
def test_a_released_server_outlives_its_parent(tmp_path: Path) -> None:
    parent, server = parent_of_leashed_server(tmp_path, "server.release()")
    parent.wait(PATIENCE_SECONDS)

    assert not eventually(lambda: not server.is_alive(), seconds=0.5)

    os.kill(server.pid, signal.SIGKILL)
    close(parent)


def parent_of_leashed_server(
    directory: Path, then: str
) -> tuple[subprocess.Popen[str], ProcessIdentity]:
    """A Python process that starts a leashed server, says its process id and does ``then``."""
    (port,) = free_ports(1)
    program = (
        "import time; from pathlib import Path; from deploy.server_process import ServerProcess;"
        f"server = ServerProcess.start('it', {[*LEASHED, '--bind', LOOPBACK, str(port)]!r},"
        f" Path({str(directory)!r}) / 'log');"
        f"server.wait_until(lambda: 'Serving' in server.printed(), {PATIENCE_SECONDS});"
        f"print(server.pid, flush=True); {then}"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert parent.stdout is not None
    server = ProcessIdentity.of(int(parent.stdout.readline()))
    assert server is not None
    return parent, server


def close(process: subprocess.Popen[str]) -> None:
    assert process.stdout is not None
    process.stdout.close()
