"""The choice of a Chromium for the tests of pages, and the error if there is none."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from deploy.chromium import find_chromium
from deploy.errors import MissingPrerequisite, PreparationFailed


def program(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


@pytest.fixture(autouse=True)
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with no program but those that a test puts there."""
    programs = tmp_path / "bin"
    programs.mkdir()
    monkeypatch.setenv("PATH", str(programs))
    monkeypatch.setenv("SCHEMA_PUBLISHER_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("CHROMIUM", raising=False)
    return programs


def test_an_installed_one_is_used(machine: Path) -> None:
    installed = program(machine, "chromium", "")

    assert find_chromium() == installed


def test_the_one_that_is_named_is_used(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(machine, "chromium", "")
    named = program(machine, "mine", "")
    monkeypatch.setenv("CHROMIUM", str(named))

    assert find_chromium() == named


def test_without_one_and_without_apt_the_error_names_the_remedy() -> None:
    with pytest.raises(MissingPrerequisite) as missing:
        find_chromium()

    assert str(missing.value) == "Chromium is missing"
    assert "apt-get install chromium" in missing.value.hint


def test_an_archive_out_of_reach_leaves_nothing_behind(machine: Path, tmp_path: Path) -> None:
    program(machine, "apt-get", 'echo "E: no such host" >&2; exit 100')
    program(machine, "dpkg", "")

    with pytest.raises(PreparationFailed, match="no such host") as failed:
        find_chromium()

    assert "Debian's packages" in failed.value.hint
    assert list((tmp_path / "cache").iterdir()) == []


def test_old_lists_of_packages_are_read_again_and_the_browser_finds_its_libraries(
    machine: Path, tmp_path: Path
) -> None:
    program(
        machine,
        "apt-get",
        # Only with fresh lists, in another folder, there is something to download.
        'case "$*" in *update*) exit 0;; *Dir::State*) ;; *) exit 100;; esac\n'
        'case "$*" in *--simulate*) echo "Inst libx (1 Debian:12 [amd64])"; echo "Inst libc6 [1] (2 Debian:12)";;\n'
        '*) for each; do name=$each; echo "$name" >>../asked; done; : >x.deb;; esac',
    )
    program(
        machine,
        "dpkg",
        f'PATH={os.defpath}; mkdir -p "$3/usr/lib/chromium" "$3/usr/lib/deep"; : >"$3/usr/lib/deep/libx.so"\n'
        'printf "#!/bin/sh\\necho \\$LD_LIBRARY_PATH \\$1" >"$3/usr/lib/chromium/chromium-headless-shell"\n'
        'chmod +x "$3/usr/lib/chromium/chromium-headless-shell"',
    )

    launcher = find_chromium()

    with os.popen(f"PATH={os.defpath} {launcher} --headless") as answer:
        said = answer.read().split()
    assert said == [f"{launcher.parent}/usr/lib/deep", "--headless"]
    assert find_chromium() == launcher
