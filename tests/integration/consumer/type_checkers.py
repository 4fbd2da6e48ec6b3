"""The findings of type checkers about a program that uses packages."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from pathlib import Path

from mypy import api

from deploy.tool_environments import tool_python


def mypy(folder: Path, text: str, site: Path, cache: Path) -> list[str]:
    """The errors of mypy's strict mode.

    ``cache``: where it keeps what it knows of the standard library, which takes it longest.
    """
    (folder / "program.py").write_text(text)
    (folder / "mypy.ini").write_text(f"[mypy]\nmypy_path = {site}\n")
    with contextlib.chdir(folder):
        out, err, _ = api.run([
            "--strict", "--no-error-summary", "--config-file", "mypy.ini", "--namespace-packages",
            "--explicit-package-bases", "--follow-imports=silent", f"--python-executable={sys.executable}",
            f"--cache-dir={cache}", "program.py",
        ])  # fmt: skip
    assert err == ""
    return [line for line in out.splitlines() if ": error:" in line]


def pyright(folder: Path, text: str, *paths: Path, mode: str) -> list[str]:
    """The messages of pyright, each with its file and line (from 0)."""
    (folder / "program.py").write_text(text)
    config = {"typeCheckingMode": mode, "extraPaths": [str(path) for path in paths]}
    (folder / "pyrightconfig.json").write_text(json.dumps(config))
    program = "from basedpyright.pyright import main; main()"
    ended = subprocess.run(
        [tool_python("consumer"), "-c", program, "--outputjson", "--pythonpath", sys.executable],
        capture_output=True, text=True, cwd=folder, check=False,
    )  # fmt: skip
    found = json.loads(ended.stdout)["generalDiagnostics"]
    return [f"{each['file']}:{each['range']['start']['line']}: {each['message']}" for each in found]
