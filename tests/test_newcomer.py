"""A newcomer's steps: README's quick start and the following commands, typed as written.

They run in an empty directory and a separate environment, without Java.
"""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import which

import pytest

from deploy.ports import free_ports
from tests.documents import ROOT, blocks, section
from tests.linked_environment import built_wheel, installed_alone
from tests.waiting import eventually

README = (ROOT / "README.md").read_text(encoding="utf-8")
GUIDE = (ROOT / "docs" / "quick-start.md").read_text(encoding="utf-8")
PORT = "8765"
COLUMNS = 100


class Terminal:
    """A directory, and the programs that somebody who follows the documents has."""

    def __init__(self, folder: Path, python: Path, port: int) -> None:
        self.folder = folder
        self.python = python
        self._port = str(port)
        self.environment = {
            "PATH": str(python.parent),
            "HOME": str(folder),
            "SCHEMA_PUBLISHER__HTTP__PORT": self._port,
        }

    def type(self, block: str) -> str:
        """Types a block, and returns what a terminal shows of its output; its status must be 0."""
        status, shown = self.see(block)
        assert status == 0, shown
        return shown

    def see(self, block: str) -> tuple[int, str]:
        """The exit status, and what is shown."""
        ours, its = pty.openpty()
        with subprocess.Popen(
            self.command(block),
            cwd=self.folder,
            env={**self.environment, "TERM": "xterm", "COLUMNS": str(COLUMNS)},
            stdout=its,
            stderr=subprocess.PIPE,
        ) as process:
            os.close(its)
            shown = _plain(b"".join(_read(ours)).decode())
            assert process.stderr is not None
            errors = process.stderr.read().decode()
        os.close(ours)
        return process.returncode, shown or errors

    def command(self, block: str) -> list[str]:
        # Another port than the documents', which may be taken.
        text = block.replace(f":{PORT}/", f":{self._port}/")
        return [which("bash") or "bash", "-euc", text]


def _read(terminal: int) -> Iterator[bytes]:
    while True:
        try:
            chunk = os.read(terminal, 65536)
        except OSError:  # how Linux tells that nobody writes any more
            return
        if not chunk:
            return
        yield chunk


def _plain(shown: str) -> str:
    """Without colours, with a time of no particular day, and whichever snapshot was the last."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", shown.replace("\r\n", "\n"))
    text = re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "2026-11-23T09:30:00Z", text)
    text = re.sub(r"\d+ differed", "1 differed", text)
    return "".join(f"{line.rstrip()}\n" for line in text.strip().splitlines())


@pytest.fixture
def terminal(tmp_path: Path) -> Terminal:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wheel = built_wheel(ROOT, tmp_path / "wheel")
    python = installed_alone(tmp_path / "env", wheel, project["dependencies"])
    pip = python.with_name("pip")
    pip.write_text(f'#!{which("sh")}\nexec {sys.executable} -m pip --python {python} "$@"\n')
    pip.chmod(0o755)
    lake = tmp_path / "lake"
    lake.mkdir()
    return Terminal(lake, python, *free_ports(1))


@contextmanager
def running(terminal: Terminal, block: str) -> Iterator[None]:
    """A block in a terminal of its own, ended by Ctrl-C."""
    log = terminal.folder / "run.log"
    with (
        log.open("wb") as stream,
        subprocess.Popen(
            terminal.command(f"exec {block}"),
            cwd=terminal.folder,
            env=terminal.environment,
            stdout=subprocess.PIPE,
            stderr=stream,
        ) as process,
    ):
        try:
            assert process.stdout is not None
            assert process.stdout.readline(), log.read_text()
            yield
        finally:
            process.send_signal(signal.SIGINT)
    assert process.returncode == 0, log.read_text()
    assert '"warning"' not in log.read_text()


@pytest.mark.slow
def test_what_is_typed_from_the_documents_does_what_they_say(terminal: Terminal) -> None:
    start = section(README, "Quick start")
    (terminal.folder / "ddl").mkdir()
    (terminal.folder / "schema-publisher.toml").write_text(*blocks(start, "toml"))
    (terminal.folder / "ddl" / "shop.sql").write_text(*blocks(start, "sql"))
    [publish_and_install], [program] = blocks(start, "sh"), blocks(start, "python")

    shown = terminal.type(publish_and_install)
    terminal.type(f"python - <<'END'\n{program}END")

    assert shown.startswith("2 relations compared: 2 differ, 0 missing\n2 versions published in ")
    assert (terminal.folder / "revenue.avro").stat().st_size

    [consumer] = blocks(section(README, "Consumers"), "python")
    assert terminal.type(f"python - <<'END'\n{consumer}END") == "Ada 19.90\n"
    for typed in blocks(section(README, "Analysts"), "console"):
        question, _, answer = typed.removeprefix("$ ").partition("\n")
        assert terminal.type(question) == answer

    adds, breaks = blocks(section(GUIDE, "See a change"), "sh")
    expected_plan, expected_break = blocks(section(GUIDE, "See a change"), "text")
    assert terminal.type(adds) == expected_plan
    assert terminal.see(breaks) == (1, expected_break)

    run, alter, ask, install = blocks(section(GUIDE, "Run the service"), "sh")
    with running(terminal, run):
        terminal.type(alter)
        assert eventually(lambda: "1.1.0" in terminal.type("schema-publisher explain shop.orders"))
        assert eventually(lambda: "0 relations due" in terminal.type("schema-publisher status"))
        assert terminal.type(ask) == "".join(blocks(section(GUIDE, "Run the service"), "text"))
        terminal.type(install)
    assert "placed_at" in terminal.type(
        "python -c 'from acme_schemas.shop.orders import RECORD; print(RECORD.SCHEMA)'"
    )
