"""The files of a project by version."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from packaging.version import Version

from publisher.index.simple_page import ListedFile, ProjectPage


@dataclass(frozen=True, slots=True)
class ListedVersion:
    """A version with its files, at least one."""

    number: str
    files: tuple[ListedFile, ...]

    @property
    def yanked(self) -> str | None:
        """The reason of the yank, possibly empty; None unless all files are yanked."""
        reasons = [file.yanked for file in self.files if file.yanked is not None]
        return reasons[0] if len(reasons) == len(self.files) else None


def list_versions(page: ProjectPage) -> Sequence[ListedVersion]:
    """Versions with their files, newest first."""
    by_version: dict[Version, list[ListedFile]] = {}
    for file in page.files:
        by_version.setdefault(Version(file.version), []).append(file)
    newest_first = sorted(by_version.items(), reverse=True)
    return [ListedVersion(files[0].version, tuple(files)) for _, files in newest_first]
