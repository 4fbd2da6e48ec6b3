"""The newest version of every package, as the files that pip and uv pin installs with.

Constraints have no hashes: up to 26.0, pip refuses a name that is constrained by a hash unless the
command pins that name with ``==``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from publisher.index.simple_page import ProjectPage
from publisher.web.versions import list_versions


@dataclass(frozen=True, slots=True)
class Pin:
    """``requirement`` is ``name==version``; ``hashed`` is that, and the hash of each of its files."""

    requirement: str
    hashed: str


@dataclass(frozen=True, slots=True)
class Pins:
    """``unreadable`` names the projects whose page is damaged."""

    by_project: Mapping[str, Pin]
    unreadable: tuple[str, ...] = ()

    def constraints(self) -> str:
        return self._lines(pin.requirement for pin in self.by_project.values())

    def requirements(self) -> str:
        return self._lines(pin.hashed for pin in self.by_project.values())

    def _lines(self, pinned: Iterable[str]) -> str:
        damaged = (f"# {name}: its page cannot be read" for name in self.unreadable)
        return "".join(f"{line}\n" for line in (*damaged, *pinned))


def pin_newest(pages: Iterable[ProjectPage], unreadable: Iterable[str] = ()) -> Pins:
    """Projects without a version that is not yanked are left out."""
    found = {page.name: pin for page in pages if (pin := newest_pin(page)) is not None}
    return Pins(found, tuple(unreadable))


def newest_pin(page: ProjectPage) -> Pin | None:
    """Of the newest version that is not yanked."""
    for version in list_versions(page):
        hashes = [
            f"--hash=sha256:{file.sha256}"
            for file in version.files
            if file.yanked is None and file.sha256 is not None
        ]
        if hashes:
            requirement = f"{page.name}=={version.number}"
            return Pin(requirement, " ".join([requirement, *hashes]))
    return None
