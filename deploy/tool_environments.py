"""Environments of tools that we start but never import: one for each tool, created once per machine.

Each tool has separate pins (``requirements/{tool}.txt``), so that no tool decides the versions of our
dependencies.
"""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path

from deploy.cache import ensure_entry, fingerprint
from deploy.errors import PreparationFailed

_REQUIREMENTS = Path(__file__).parents[1] / "requirements"
_REACH_THE_INDEX = "check that this machine reaches its index of Python packages and start again"


def tool_python(tool: str) -> Path:
    """The Python that runs a tool's modules with ``-m``.

    Scripts in the environment do not work, because its folder was moved.

    Raises:
        PreparationFailed: the tool could not be installed.
    """
    requirements = _REQUIREMENTS / f"{tool}.txt"
    made_from = fingerprint(requirements.read_bytes(), sys.version, sys.base_prefix)
    environment = ensure_entry(f"{tool}-{made_from}", lambda folder: _install(folder, requirements))
    return environment / "bin" / "python"


def _install(folder: Path, requirements: Path) -> None:
    venv.create(folder, with_pip=False, symlinks=True)
    python = str(folder / "bin" / "python")
    wanted = ("--require-hashes", "--requirement", str(requirements))
    own = (sys.executable, "-m")
    # uv has its own certificates. Behind a proxy with another certificate, pip uses those of the machine.
    by_uv = (*own, "uv", "pip", "install", "--python", python, *wanted)
    by_pip = (*own, "pip", "--python", python, "install", "--no-input", *wanted)
    said = ""
    for command in (by_uv, by_pip):
        ended = _ran(command)
        if ended.returncode == 0:
            return
        said += ended.stderr[-2000:]
    raise PreparationFailed(by_pip, said, _REACH_THE_INDEX)


def _ran(command: tuple[str, ...]) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
