"""A release: its files, what is in them, and that they can be made again from each other."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from deploy.bill_of_materials import bill_of_materials
from deploy.release import LIBRARY, ROOT, SUMS, build_release, project_version, release_notes
from tests.deploy.judges import judge_python, said
from tests.linked_environment import built_wheel

VERSION = project_version()
HASH = "0a" * 32
CHANGELOG = """\
# Changelog

## Unreleased

### Added
- later

## 1.10.0 - 2026-11-29

### Fixed
- this

## 1.1.0 - 2026-01-01

- earlier
"""
PINNED = f"""\
# made by a tool
alpha==1.0 \\
    --hash=sha256:{HASH} \\
    --hash=sha256:{HASH[::-1]}
    # via
    #   -c requirements/runtime.txt
    #   our-program (pyproject.toml)
beta.two==2.0 ; python_full_version < '3.12' \\
    --hash=sha256:{HASH}
    # via alpha
"""
_VALIDATE = """
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
error = JsonStrictValidator(SchemaVersion.V1_6).validate_str(sys.stdin.read())
sys.exit(repr(error) if error else 0)
"""


def test_the_notes_are_the_section_of_exactly_this_version() -> None:
    assert release_notes(CHANGELOG, "1.10.0") == "### Fixed\n- this\n"
    assert release_notes(CHANGELOG, "1.1.0") == "- earlier\n"


def test_a_version_that_the_changelog_lacks_is_refused() -> None:
    with pytest.raises(ValueError, match=r"has no section 1\.1: name it as"):
        release_notes(CHANGELOG, "1.1")


def test_the_changelog_has_the_notes_of_this_version() -> None:
    notes = release_notes((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), VERSION)

    assert notes.startswith("### ")


def test_a_bill_lists_each_requirement_with_its_hashes_and_who_needs_it() -> None:
    bill = bill_of_materials("our-program", "3.0", PINNED)

    assert [each["purl"] for each in bill["components"]] == [
        "pkg:pypi/alpha@1.0",
        "pkg:pypi/beta-two@2.0",
    ]
    alpha, beta = bill["components"]
    assert [each["content"] for each in alpha["hashes"]] == [HASH, HASH[::-1]]
    assert beta["properties"] == [
        {"name": "python:marker", "value": 'python_full_version < "3.12"'}
    ]
    assert bill["dependencies"] == [
        {"ref": "pkg:pypi/our-program@3.0", "dependsOn": ["pkg:pypi/alpha@1.0"]},
        {"ref": "pkg:pypi/alpha@1.0", "dependsOn": ["pkg:pypi/beta-two@2.0"]},
        {"ref": "pkg:pypi/beta-two@2.0", "dependsOn": []},
    ]


@pytest.mark.parametrize(
    "line",
    [
        "alpha==1.0",
        f"alpha>=1.0 \\\n    --hash=sha256:{HASH}",
        f"alpha \\\n    --hash=sha256:{HASH}",
    ],
)
def test_a_requirement_without_a_version_or_a_hash_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match="requirement is not pinned with a hash: alpha"):
        bill_of_materials("our-program", "3.0", f"{line}\n")


@pytest.mark.parametrize("name", ["service", "runtime"])
def test_cyclonedx_accepts_the_bill(name: str) -> None:
    text = (ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8")
    bill = bill_of_materials("schema-publisher", VERSION, text)

    assert len(bill["components"]) == sum(line[:1].isalnum() for line in text.splitlines())
    said(judge_python(), "-c", _VALIDATE, text=json.dumps(bill))


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("release") / "dist"
    target.mkdir()
    (target / "schema_publisher-0.0.1.tar.gz").write_text("of an earlier release")
    build_release(target)
    return target


def content(wheel: Path) -> Mapping[str, bytes]:
    """Its files, without the record that lists them."""
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if not name.endswith("/RECORD")]
        return {name: archive.read(name) for name in names}


@pytest.mark.slow
def test_a_release_has_these_files_and_their_sums(released: Path) -> None:
    assert {file.name for file in released.iterdir()} == {
        *(f"{name}-{VERSION}-py3-none-any.whl" for name in ("lakeschema", "schema_publisher")),
        *(f"{name}-{VERSION}.tar.gz" for name in ("lakeschema", "schema_publisher")),
        f"schema-publisher-{VERSION}.cdx.json",
        f"schema-publisher-with-spark-{VERSION}.cdx.json",
        "NOTES.md",
        SUMS,
    }
    sums = dict(line.split("  ")[::-1] for line in (released / SUMS).read_text().splitlines())
    assert sums == {
        file.name: hashlib.sha256(file.read_bytes()).hexdigest()
        for file in released.iterdir()
        if file.name != SUMS
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", ["schema_publisher", "lakeschema"])
def test_an_sdist_alone_makes_the_same_wheel(name: str, released: Path, tmp_path: Path) -> None:
    with tarfile.open(released / f"{name}-{VERSION}.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")

    again = built_wheel(tmp_path / f"{name}-{VERSION}", tmp_path / "wheel")

    assert content(again) == content(released / again.name)


@pytest.mark.slow
def test_the_library_is_what_its_folder_in_the_repository_makes(
    released: Path, tmp_path: Path
) -> None:
    here = built_wheel(LIBRARY, tmp_path / "wheel")

    assert content(here) == content(released / here.name)


@pytest.mark.slow
def test_a_second_build_has_the_same_bytes(released: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "--directory", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)

    for file in tmp_path.iterdir():
        assert file.read_bytes() == (released / file.name).read_bytes()
