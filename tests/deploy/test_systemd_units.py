"""The units of deploy/systemd, as systemd reads and judges them."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from publisher.settings import load_settings
from tests.deploy.judges import DEPLOY, ended, program, said
from tests.publisher.commands.folder import Folder

UNITS = DEPLOY / "systemd"
SERVICE = UNITS / "schema-publisher.service"
PASS = UNITS / "schema-publisher-pass@.service"
_LIMITS = "# The limits of the process."
_PATIENCE_SECONDS = 60


def directives(unit: Path, after: str = "") -> list[str]:
    text = unit.read_text(encoding="utf-8").partition("[Service]")[2]
    if after:
        text = re.split(rf"(?m)^{re.escape(after)}.*$", text, maxsplit=1)[1]
    text = text.partition("[Install]")[0]
    return [line for line in text.splitlines() if line and not line.startswith("#")]


@pytest.mark.parametrize("unit", [SERVICE, PASS], ids=lambda unit: unit.name)
def test_systemd_finds_little_that_the_service_could_do_beyond_its_work(
    unit: Path, tmp_path: Path
) -> None:
    judged = tmp_path / unit.name.replace("@", "@verify")
    judged.write_text(unit.read_text(encoding="utf-8"))
    analyze = program("systemd-analyze", "it comes with systemd")

    judgement = said(analyze, "security", "--offline=true", "--threshold=15", judged)

    [exposure] = re.findall(r"Overall exposure level for \S+: ([\d.]+)", judgement)
    assert float(exposure) <= 1.5


@pytest.mark.parametrize("name", ["schema-publisher.service", "schema-publisher-pass@verify.timer"])
def test_systemd_understands_every_line(name: str, tmp_path: Path) -> None:
    analyze = program("systemd-analyze", "it comes with systemd")
    for unit in UNITS.glob("*.*er*"):
        # The program is not installed here.
        text = re.sub(r"/opt/\S+/schema-publisher ", "/bin/true ", unit.read_text())
        (tmp_path / unit.name.replace("@", "@verify")).write_text(text)

    found = ended(analyze, "verify", "--recursive-errors=no", tmp_path / name)

    assert (found.returncode, found.stdout + found.stderr) == (0, "")


def test_a_pass_has_the_limits_of_the_service() -> None:
    assert len(directives(SERVICE, _LIMITS)) > 25
    assert directives(PASS, "# The same limits") == directives(SERVICE, _LIMITS)


def test_the_settings_of_a_newcomer_keep_state_and_index_where_the_service_may_write() -> None:
    loaded = load_settings(UNITS / "schema-publisher.toml")

    assert loaded.state.file is not None
    assert f"StateDirectory={loaded.state.file.parent.name}" in directives(SERVICE)
    assert str(loaded.state.file.parent) == "/var/lib/schema-publisher"
    assert loaded.http.operations_port is not None


def test_a_credential_reaches_its_setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drop_in = (UNITS / "index-password.conf").read_text(encoding="utf-8")
    [(variable, value)] = re.findall(r"(?m)^Environment=(\w+)=(\S+)$", drop_in)
    [(credential, source)] = re.findall(r"(?m)^LoadCredential=([\w-]+):(\S+)$", drop_in)
    assert source.startswith("/etc/schema-publisher/")
    (tmp_path / credential).write_text("from systemd\n")
    monkeypatch.setenv(variable, value.replace("%d", str(tmp_path)))
    config = tmp_path / "settings.toml"
    config.write_text(
        'artifacts.prefix = "acme"\ncatalog.kind = "ddl"\n[index]\nkind = "twine"\n'
        'repository_url = "https://packages.example/legacy/"\n'
        'simple_url = "https://packages.example/simple/"\nusername = "publisher"\n'
    )

    index = load_settings(config).index

    assert index.kind == "twine"
    assert index.password_file == tmp_path / credential


@pytest.mark.thorough
def test_the_running_service_tells_its_manager_of_each_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Folder(tmp_path)
    folder.write_settings(rest="[http]\nport = 0\n")
    address = tmp_path / "notify"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(address))
        manager.settimeout(_PATIENCE_SECONDS)
        monkeypatch.setenv("NOTIFY_SOCKET", str(address))
        monkeypatch.setenv("WATCHDOG_USEC", "2000000")
        command = [sys.executable, "-m", "publisher", "run", "--config", str(folder.config)]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        ) as service:
            try:
                heard = [manager.recv(4096).decode() for _ in range(2)]
                service.send_signal(signal.SIGTERM)
                while not heard[-1].startswith("STOPPING"):
                    heard.append(manager.recv(4096).decode())
                assert service.wait(_PATIENCE_SECONDS) == 0
            finally:
                service.kill()

    assert heard[0].startswith("READY=1\nSTATUS=serves http://127.0.0.1:")
    assert set(heard[1:-1]) == {"WATCHDOG=1"}
