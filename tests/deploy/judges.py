"""Programs that judge what deploy/ has; a test that needs a missing one is skipped with the reason."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from deploy.errors import PreparationFailed
from deploy.tool_environments import tool_python

DEPLOY = Path(__file__).parents[2] / "deploy"


def program(name: str, hint: str) -> str:
    # Debian has servers in a folder that only root's PATH names.
    found = shutil.which(name) or shutil.which(name, path="/usr/sbin")
    if found is None:
        pytest.skip(f"{name} is not installed: {hint}")
    return found


def judge_python() -> Path:
    """The Python of ``requirements/deployment.txt``."""
    try:
        return tool_python("deployment")
    except PreparationFailed as error:
        pytest.skip(f"the judges cannot be installed: {error}")


def ended(
    *command: str | Path, text: str = "", folder: Path | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(part) for part in command],
        input=text,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def said(*command: str | Path, text: str = "", folder: Path | None = None) -> str:
    """What a program prints; its status must be 0."""
    found = ended(*command, text=text, folder=folder)
    assert found.returncode == 0, found.stdout + found.stderr
    return found.stdout
