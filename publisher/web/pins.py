"""The newest version of every package, as constraints and requirements for pip and uv.

Constraints have no hashes: up to 26.0, pip refuses a name with a hash constraint unless the command
pins it with ``==``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from publisher.index.simple_page import ProjectPage
from publisher.web.versions import list_versions


@dataclass(frozen=True, slots=True)
class Pin:
    """A package's exact version: ``name==version``. ``hashed`` adds the hash of each file."""

    requirement: str
    hashed: str


@dataclass(frozen=True, slots=True)
class Pins:
    """The pins of all projects. ``unreadable`` has the projects whose page in the index is damaged."""

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
    """Pins each project, except those with yanked versions only."""
    found = {page.name: pin for page in pages if (pin := newest_pin(page)) is not None}
    return Pins(found, tuple(unreadable))


def newest_pin(page: ProjectPage) -> Pin | None:
    """The pin of the newest version that is not yanked."""
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


def none_to_pin(page: ProjectPage) -> str:
    """A sentence: why a package has no pin, and the pin that still installs it."""
    versions = list_versions(page)
    if not versions:
        return f"{page.name} has no versions"
    reason = f" ({versions[0].yanked})" if versions[0].yanked else ""
    pin = f"{page.name}=={versions[0].number}"
    return f"every version of {page.name} is yanked{reason}; programs that use it can pin {pin}"
