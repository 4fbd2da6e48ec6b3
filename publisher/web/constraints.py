"""The latest version of every package as a constraints file with hashes, for pinned installs."""

from __future__ import annotations

from collections.abc import Iterable

from packaging.version import Version

from publisher.index.simple_page import ListedFile, ProjectPage


def constraints(pages: Iterable[ProjectPage]) -> str:
    """One line a project, of its newest version that is not yanked; projects without one are left out."""
    return "".join(_line(page.name, files) for page in pages if (files := _newest(page)))


def _newest(page: ProjectPage) -> list[ListedFile]:
    offered = [f for f in page.files if f.yanked is None and f.sha256 is not None]
    if not offered:
        return []
    newest = max(Version(f.version) for f in offered)
    return [f for f in offered if Version(f.version) == newest]


def _line(project: str, files: list[ListedFile]) -> str:
    hashes = " ".join(f"--hash=sha256:{f.sha256}" for f in files)
    return f"{project}=={files[0].version} {hashes}\n"
