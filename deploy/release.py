"""Builds a release into ``dist``: ``make release``. Nothing is uploaded.

The release has both distributions as wheel and sdist, which twine checks; a bill of materials (CycloneDX)
for each set of pinned requirements; the notes from the changelog; and SHA256SUMS, which the images check.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from deploy.bill_of_materials import bill_of_materials
from deploy.errors import PreparationFailed

ROOT: Final = Path(__file__).parents[1]
LIBRARY: Final = ROOT / "deploy" / "lakeschema"
SUMS: Final = "SHA256SUMS"
NOTES: Final = "NOTES.md"

_LIBRARY_PACKAGES: Final = ("lakeschema", "dependency_graph")
_BILLS: Final = {"schema-publisher": "service", "schema-publisher-with-spark": "runtime"}
"""Each bill's name, and the requirements that it lists."""


def build_release(target: Path) -> Sequence[Path]:
    """Builds the files of the release; they replace the folder ``target``.

    Raises:
        PreparationFailed: a build or a check failed.
        ValueError: the changelog lacks the version.
    """
    version = project_version()
    notes = release_notes((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), version)
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    _build(ROOT, target)
    with tempfile.TemporaryDirectory() as folder:
        _build(stage_library(Path(folder), version), target)
    packages = sorted(target.iterdir())
    _run("twine", "check", "--strict", *map(str, packages))
    for name, requirements in _BILLS.items():
        text = (ROOT / "requirements" / f"{requirements}.txt").read_text(encoding="utf-8")
        bill = bill_of_materials("schema-publisher", version, text)
        content = json.dumps(bill, indent=1) + "\n"
        (target / f"{name}-{version}.cdx.json").write_text(content, encoding="utf-8")
    (target / NOTES).write_text(notes, encoding="utf-8")
    files = sorted(target.iterdir())
    (target / SUMS).write_text("".join(map(_sum_line, files)), encoding="utf-8")
    return [*files, target / SUMS]


def project_version() -> str:
    found: str = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    return found


def release_notes(changelog: str, version: str) -> str:
    """The version's section, without its heading."""
    sections = re.split(r"(?m)^## ", changelog)
    for section in sections[1:]:
        heading, _, text = section.partition("\n")
        if heading.split(" ")[0] == version:
            return text.strip() + "\n"
    raise ValueError(f"CHANGELOG.md has no section {version}: name it as `## {version} - DATE`")


def stage_library(folder: Path, version: str) -> Path:
    """A folder from which a wheel and an sdist of ``lakeschema`` can be built anywhere.

    The project in the repository reads files outside its folder, which an sdist cannot contain.
    """
    written = (LIBRARY / "pyproject.toml").read_text(encoding="utf-8")
    head = written.partition("[tool.hatch.version]")[0]
    packages = json.dumps(_LIBRARY_PACKAGES)
    staged = head.replace('dynamic = ["version"]', f'version = "{version}"')
    staged += f"[tool.hatch.build.targets.wheel]\npackages = {packages}\n"
    (folder / "pyproject.toml").write_text(staged, encoding="utf-8")
    for name in ("README.md", "LICENSE"):
        shutil.copy(LIBRARY / name, folder)
    for package in _LIBRARY_PACKAGES:
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / package, folder / package, ignore=ignored)
    return folder


def _build(project: Path, target: Path) -> None:
    # The wheel is built from the folder, not from the sdist; a test compares the two.
    _run("hatchling", "build", "--directory", str(target), cwd=project)


def _run(module: str, *arguments: str, cwd: Path = ROOT) -> None:
    command = (sys.executable, "-m", module, *arguments)
    ended = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        said = (ended.stdout + ended.stderr)[-4000:]
        raise PreparationFailed(
            command, said, "correct the errors above, and run make release again"
        )


def _sum_line(file: Path) -> str:
    """A line with the file's checksum, in the format that ``sha256sum --check`` reads."""
    return f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n"


def main() -> None:
    for file in build_release(ROOT / "dist"):
        print(f"{file.stat().st_size:>12,}  {file.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
