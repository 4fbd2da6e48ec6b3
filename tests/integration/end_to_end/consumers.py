"""Consumers' own tools, each in a fresh environment without this machine's settings.

``pip`` and ``uv pip`` install by a command, ``uv`` and ``poetry`` by a ``pyproject.toml`` and its lock
file. Each is used as ``docs/consuming.md`` says and, for contrast, carelessly.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import venv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

from deploy.tool_environments import tool_python

_OF_THIS_MACHINE = ("PIP_", "UV_", "POETRY_", "PYTHON", "VIRTUAL_ENV", "XDG_", "NETRC")
_NOTHING: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Offered:
    """A package at the index ``simple_url``; ``other_url`` stands for an index of all else."""

    distribution: str
    simple_url: str
    other_url: str = "http://127.0.0.1:9/no-other-index/"


def run(
    command: list[str], home: Path, settings: Mapping[str, str] = _NOTHING
) -> subprocess.CompletedProcess[str]:
    """Runs a tool as its user would where nothing but ``settings`` is configured."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(_OF_THIS_MACHINE)}
    environment = {
        **kept,
        "HOME": str(home),
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_NO_CACHE_DIR": "1",
        "UV_NO_CACHE": "1",
        "UV_PYTHON_DOWNLOADS": "never",
        "POETRY_CACHE_DIR": str(home / ".poetry-cache"),
        "POETRY_KEYRING_ENABLED": "false",
        "POETRY_VIRTUALENVS_IN_PROJECT": "true",
        **settings,
    }
    return subprocess.run(
        command, capture_output=True, text=True, env=environment, cwd=home, check=False
    )


def succeeded(ended: subprocess.CompletedProcess[str]) -> str:
    """What it printed.

    Raises:
        AssertionError: it failed.
    """
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


class Environment:
    """A virtual environment, at first with nothing in it."""

    def __init__(self, folder: Path) -> None:
        venv.create(folder, with_pip=False)
        self.folder = folder
        self.python = folder / "bin" / "python"

    def version(self, distribution: str) -> str:
        program = f"from importlib.metadata import version; print(version('{distribution}'))"
        return self.ran(program).strip()

    def ran(self, program: str, *arguments: str) -> str:
        return succeeded(run([str(self.python), "-c", program, *arguments], self.folder))


class Consumer(Protocol):
    """Somebody who wants one package, and the tool that brings it.

    ``lock`` and ``sync`` give the tool's end: the one pins the newest of a range by its hash, the
    other brings the environment to what was pinned.
    """

    @property
    def version(self) -> str:
        """The one that is there."""

    def installs(self, specifier: str) -> None:
        """Asks for the newest of ``specifier``, as documented, and gets it."""

    def installs_carelessly(self) -> None:
        """Asks both indexes for the newest of all."""

    def lock(self, specifier: str) -> Path: ...

    def sync(self) -> subprocess.CompletedProcess[str]: ...


class Command:
    """``pip install`` or ``uv pip install`` from the package's index and no other."""

    def __init__(self, tool: str, folder: Path, offered: Offered) -> None:
        self.environment = Environment(folder)
        self._offered = offered
        python = str(self.environment.python)
        self._command = (
            [sys.executable, "-m", "uv", "pip", "install", "--python", python]
            if tool == "uv pip"
            else [str(_pip_python(tool)), "-m", "pip", "--python", python, "install"]
        )
        self._requirements = folder / "requirements.txt"

    @property
    def version(self) -> str:
        return self.environment.version(self._offered.distribution)

    def install(
        self, *arguments: str, settings: Mapping[str, str] = _NOTHING
    ) -> subprocess.CompletedProcess[str]:
        index = ("--index-url", self._offered.simple_url)
        return run([*self._command, *index, *arguments], self.environment.folder, settings)

    def installs(self, specifier: str) -> None:
        # The machine is set up for the other index, as most are.
        other = self._offered.other_url
        settings = {"PIP_INDEX_URL": other, "UV_INDEX_URL": other}
        wanted = self._offered.distribution + specifier
        succeeded(self.install("--upgrade", wanted, settings=settings))

    def installs_carelessly(self) -> None:
        succeeded(
            self.install("--extra-index-url", self._offered.other_url, self._offered.distribution)
        )

    def lock(self, specifier: str) -> Path:
        source = self.environment.folder / "requirements.in"
        source.write_text(f"{self._offered.distribution}{specifier}\n")
        command = [
            *(sys.executable, "-m", "uv", "pip", "compile", "--quiet", "--generate-hashes"),
            *("--index-url", self._offered.simple_url, "--upgrade"),
            *(str(source), "--output-file", str(self._requirements)),
        ]
        succeeded(run(command, self.environment.folder))
        return self._requirements

    def pin(self, line: str) -> None:
        """Takes a line of a requirements file for what ``lock`` would have found."""
        self._requirements.write_text(line + "\n")

    def sync(self, settings: Mapping[str, str] = _NOTHING) -> subprocess.CompletedProcess[str]:
        pinned = ("--require-hashes", "--requirement", str(self._requirements))
        return self.install(*pinned, settings=settings)


@dataclass(frozen=True, slots=True)
class Tool:
    """How a project's tool is called, and what its ``pyproject.toml`` says."""

    install: tuple[str, ...]
    lock: tuple[str, ...]
    sync: tuple[str, ...]
    lock_file: str
    documented: str
    careless: str
    environment: str | None = None

    def command(self) -> list[str]:
        """``environment`` names the one of ``tool_python`` that it lives in; None is ours."""
        if self.environment is None:
            return [sys.executable, "-m", "uv"]
        return [str(tool_python(self.environment)), "-m", self.environment, "--no-interaction"]


UV = Tool(
    install=("sync", "--upgrade"),
    lock=("lock", "--upgrade"),
    sync=("sync", "--locked"),
    lock_file="uv.lock",
    documented="""\
[project]
name = "consumer"
version = "1"
requires-python = ">=3.11"
dependencies = ["{requirement}"]
[[tool.uv.index]]
name = "schemas"
url = "{simple_url}"
explicit = true
[[tool.uv.index]]
name = "others"
url = "{other_url}"
default = true
[tool.uv.sources]
{distribution} = {{ index = "schemas" }}
""",
    careless="""\
[project]
name = "consumer"
version = "1"
requires-python = ">=3.11"
dependencies = ["{requirement}"]
[[tool.uv.index]]
name = "others"
url = "{other_url}"
[[tool.uv.index]]
name = "schemas"
url = "{simple_url}"
""",
)

POETRY = Tool(
    install=("update",),
    lock=("lock", "--regenerate"),
    sync=("sync", "--no-root"),
    lock_file="poetry.lock",
    documented="""\
[project]
name = "consumer"
version = "1"
requires-python = ">=3.11"
[tool.poetry.dependencies]
{distribution} = {{ version = "{specifier}", source = "schemas" }}
[[tool.poetry.source]]
name = "schemas"
url = "{simple_url}"
priority = "explicit"
[[tool.poetry.source]]
name = "others"
url = "{other_url}"
""",
    careless="""\
[project]
name = "consumer"
version = "1"
requires-python = ">=3.11"
[tool.poetry.dependencies]
{distribution} = "{specifier}"
[[tool.poetry.source]]
name = "schemas"
url = "{simple_url}"
[[tool.poetry.source]]
name = "others"
url = "{other_url}"
""",
    environment="poetry",
)


class Project:
    """A folder with a ``pyproject.toml``, and the environment that its tool keeps beside it."""

    def __init__(self, tool: Tool, folder: Path, offered: Offered) -> None:
        self.environment = Environment(folder / ".venv")
        self._tool = tool
        self._folder = folder
        self._offered = offered

    @property
    def version(self) -> str:
        return self.environment.version(self._offered.distribution)

    def installs(self, specifier: str) -> None:
        self._write(self._tool.documented, specifier)
        # The machine is set up for the other index, too.
        succeeded(self._run(self._tool.install, {"UV_INDEX": self._offered.other_url}))

    def installs_carelessly(self) -> None:
        self._write(self._tool.careless, "")
        succeeded(self._run(self._tool.install))

    def lock(self, specifier: str) -> Path:
        self._write(self._tool.documented, specifier)
        succeeded(self._run(self._tool.lock))
        return self._folder / self._tool.lock_file

    def sync(self) -> subprocess.CompletedProcess[str]:
        return self._run(self._tool.sync)

    def _run(
        self, arguments: tuple[str, ...], settings: Mapping[str, str] = _NOTHING
    ) -> subprocess.CompletedProcess[str]:
        return run([*self._tool.command(), *arguments], self._folder, settings)

    def _write(self, text: str, specifier: str) -> None:
        filled = text.format(
            distribution=self._offered.distribution,
            specifier=specifier or "*",
            requirement=self._offered.distribution + specifier,
            simple_url=self._offered.simple_url,
            other_url=self._offered.other_url,
        )
        (self._folder / "pyproject.toml").write_text(filled)


def _pip_python(tool: str) -> Path:
    """That of our own pip, or of an earlier one, such as that of "pip 23"."""
    return Path(sys.executable) if tool == "pip" else tool_python(tool.replace(" ", "-"))


PIPS = ("pip 23", "pip 25", "pip")
TOOLS = ("pip", "uv pip", "uv project", "poetry project")


def consumer(tool: str, folder: Path, offered: Offered) -> Consumer:
    match tool:
        case "uv project":
            return Project(UV, folder, offered)
        case "poetry project":
            return Project(POETRY, folder, offered)
        case _:
            return Command(tool, folder, offered)


def tamper(lock_file: Path) -> None:
    """Puts the hash of no file in the place of each one."""
    text = lock_file.read_text()
    forged = re.sub(r"(?<=sha256:)[0-9a-f]{64}", lambda found: found[0][::-1], text)
    assert forged != text, text
    lock_file.write_text(forged)
