"""The newest version of every package as a constraints file with hashes, for pinned installs."""

from __future__ import annotations

from collections.abc import Iterable

from publisher.index.simple_page import ListedFile, ProjectPage
from publisher.web.versions import list_versions


def constraints(pages: Iterable[ProjectPage], unreadable: Iterable[str] = ()) -> str:
    """One line for each project: its newest version that is not yanked.

    Projects without such a version are left out; those whose page is damaged are named in comments.
    """
    lines = [_line(page.name, files) for page in pages if (files := _newest_files(page))]
    return "".join([*(f"# {name}: its page cannot be read\n" for name in unreadable), *lines])


def _newest_files(page: ProjectPage) -> list[ListedFile]:
    for version in list_versions(page):
        offered = [
            file for file in version.files if file.yanked is None and file.sha256 is not None
        ]
        if offered:
            return offered
    return []


def _line(project: str, files: list[ListedFile]) -> str:
    hashes = " ".join(f"--hash=sha256:{file.sha256}" for file in files)
    return f"{project}=={files[0].version} {hashes}\n"
