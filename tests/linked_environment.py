"""Separate environments for our built distributions, without a download."""

from __future__ import annotations

import subprocess
import sys
import venv
from collections.abc import Sequence
from importlib.metadata import distribution
from pathlib import Path

from packaging.requirements import Requirement


def built_wheel(project: Path, target: Path) -> Path:
    """The wheel of a project's folder, alone in ``target``."""
    target.mkdir(parents=True, exist_ok=True)
    _run(project, sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(target))
    (wheel,) = target.iterdir()
    return wheel


def installed_alone(folder: Path, wheel: Path, dependencies: Sequence[str]) -> Path:
    """The Python of a new environment with a wheel and what it depends on, and nothing else.

    The dependencies are linked from the environment of the tests, so that nothing is downloaded.
    """
    venv.create(folder, symlinks=True)
    python = folder / "bin" / "python"
    found = _run(folder, str(python), "-c", "import site; print(*site.getsitepackages())")
    installer = (sys.executable, "-m", "uv", "pip", "install", "--quiet", "--offline", "--no-deps")
    _run(folder, *installer, "--python", str(python), str(wheel))
    for installed in _top_level_paths(_required_by(dependencies)):
        (Path(found) / installed.name).symlink_to(installed)
    return python


def _required_by(requirements: Sequence[str]) -> set[str]:
    """The distributions that these requirements bring, on this machine."""
    found: set[str] = set()
    waiting = [Requirement(text) for text in requirements]
    while waiting:
        requirement = waiting.pop()
        found.add(requirement.name)
        for text in distribution(requirement.name).requires or ():
            needed = Requirement(text)
            extras = requirement.extras or {""}
            wanted = needed.marker is None or any(
                needed.marker.evaluate({"extra": extra}) for extra in extras
            )
            if wanted and needed.name not in found:
                waiting.append(needed)
    return found


def _top_level_paths(names: set[str]) -> set[Path]:
    """Two distributions may share a folder, as sqlglot and its compiled modules do."""
    return {
        Path(str(found.locate_file(file.parts[0])))
        for found in map(distribution, names)
        for file in found.files or ()
        if file.parts[0] not in {"..", "__pycache__"}
    }


def _run(folder: Path, *command: str) -> str:
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout.strip()
