from __future__ import annotations

import subprocess
from pathlib import Path

from publisher.commands.projects.reading import read_project
from publisher.commands.projects.recording import UNKNOWN, commit_of, record_for
from tests.publisher.commands.projects.folder import Folder

_GIT = ("git", "-c", "user.name=ada", "-c", "user.email=ada@example.com", "-C")


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        [*_GIT, str(folder), *arguments], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_the_commit_is_gits_and_says_if_files_differ(tmp_path: Path) -> None:
    folder = Folder.at(tmp_path / "views", ids="SELECT id FROM orders")
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "--message", "first")
    head = git(tmp_path, "rev-parse", "HEAD")
    (tmp_path / "elsewhere").write_text("")

    assert commit_of(folder.path) == head
    folder.write({"views/ids.sql": "SELECT id AS other FROM orders"})
    assert commit_of(folder.path) == f"{head}+changes"


def test_without_git_the_commit_is_unknown(tmp_path: Path) -> None:
    assert commit_of(tmp_path) == UNKNOWN


def test_each_run_has_its_own_id(tmp_path: Path) -> None:
    project = read_project(Folder.at(tmp_path, ids="SELECT id FROM orders").path)

    first, second = (record_for(project, "ada", "0123abc") for _ in range(2))

    assert (first.project, first.by, first.commit) == ("shop-views", "ada", "0123abc")
    assert first.id != second.id
