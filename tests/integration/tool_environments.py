"""Tools that the tests start but never import, each in a separate environment, created once per machine.

Their pins (``requirements/{tool}.txt``) are separate, so that no tool decides the versions of our
own dependencies.
"""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path

from deploy.cache import ensure_entry, fingerprint

_REQUIREMENTS = Path(__file__).parents[2] / "requirements"


def tool_python(tool: str) -> Path:
    """The Python that runs ``-m`` modules of a tool. Installed scripts do not: the folder was moved."""
    requirements = _REQUIREMENTS / f"{tool}.txt"
    made_from = fingerprint(requirements.read_bytes(), sys.version, sys.base_prefix)
    environment = ensure_entry(f"{tool}-{made_from}", lambda folder: _install(folder, requirements))
    return environment / "bin" / "python"


def _install(folder: Path, requirements: Path) -> None:
    venv.create(folder, with_pip=False, symlinks=True)
    python = str(folder / "bin" / "python")
    wanted = ("--require-hashes", "--requirement", str(requirements))
    own = (sys.executable, "-m")
    # uv brings certificates of its own; behind a proxy that has another, pip knows what to trust.
    said = ""
    for command in (
        (*own, "uv", "pip", "install", "--python", python, *wanted),
        (*own, "pip", "--python", python, "install", "--no-input", *wanted),
    ):
        ended = _ran(command)
        if ended.returncode == 0:
            return
        said += ended.stderr[-2000:]
    raise AssertionError(f"{requirements.name} was not installed:\n{said}")


def _ran(command: tuple[str, ...]) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
