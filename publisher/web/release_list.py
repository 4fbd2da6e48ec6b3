"""A package's versions for people, newest first: upload times, changes, yanks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from codegen.package import Release
from publisher.index.simple_page import ListedFile
from publisher.web.addresses import difference_address, version_address
from publisher.web.spans import Span, spans
from publisher.web.versions import ListedVersion

_MAX_RECENT_RELEASES: Final = 20
_MAX_OLDER_RELEASES: Final = 180
_MAX_OPEN_CHANGES: Final = 50
_MAX_TIME: Final = 40
_UTC_TIME: Final = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d(\.\d+)?Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class UploadTime:
    machine_readable: str
    text: str


@dataclass(frozen=True, slots=True)
class WheelLink:
    """A wheel to download. ``size`` is empty if unknown."""

    address: str
    size: str


@dataclass(frozen=True, slots=True)
class ReleaseView:
    """One version.

    Attributes:
        change: the kind of change, empty if unknown; ``change_class`` is its CSS class.
        yanked: the reason of the yank, possibly empty; None if the version is not yanked.
        changes: the first lines of the version's changelog; ``more_changes`` are folded.
        difference: the page that compares the version with ``previous``; "" for the first version.
    """

    number: str
    address: str
    previous: str
    difference: str
    change: str
    change_class: str
    uploaded: UploadTime | None
    wheels: tuple[WheelLink, ...]
    yanked: str | None
    changes: tuple[tuple[Span, ...], ...]
    more_changes: tuple[tuple[Span, ...], ...]


@dataclass(frozen=True, slots=True)
class ReleaseList:
    """The versions of a package.

    Attributes:
        recent: the newest versions, which are shown.
        older: the versions before these, which are folded.
        more: how many still older versions are not listed.
    """

    recent: tuple[ReleaseView, ...]
    older: tuple[ReleaseView, ...]
    more: int = 0

    @property
    def count(self) -> int:
        return len(self.recent) + len(self.older) + self.more


def release_list(
    name: str, versions: Sequence[ListedVersion], changelog: Sequence[Release]
) -> ReleaseList:
    """The list for a page. ``versions`` are newest first; ``changelog`` has versions with known changes."""
    releases = {release.version: release for release in changelog}
    older = [each.number for each in versions[1:]]
    views = tuple(
        _release_view(name, each, previous, releases.get(each.number))
        for each, previous in zip(versions, [*older, ""], strict=False)
    )
    listed = _MAX_RECENT_RELEASES + _MAX_OLDER_RELEASES
    return ReleaseList(
        views[:_MAX_RECENT_RELEASES],
        views[_MAX_RECENT_RELEASES:listed],
        max(0, len(views) - listed),
    )


def _release_view(
    name: str, version: ListedVersion, previous: str, release: Release | None
) -> ReleaseView:
    change = release.change if release else ""
    lines = tuple(spans(line) for line in release.lines) if release else ()
    return ReleaseView(
        number=version.number,
        address=version_address(name, version.number),
        previous=previous,
        difference=difference_address(name, previous, version.number) if previous else "",
        change=change,
        change_class=change if change in {"major", "minor", "patch", "first"} else "",
        uploaded=upload_time(version.files[0].upload_time),
        wheels=tuple(_wheel_link(name, file) for file in version.files),
        yanked=version.yanked,
        changes=lines[:_MAX_OPEN_CHANGES],
        more_changes=lines[_MAX_OPEN_CHANGES:],
    )


def _wheel_link(name: str, file: ListedFile) -> WheelLink:
    size = "" if file.size is None else f"{max(1, round(file.size / 1000)):,} kB"
    return WheelLink(f"/simple/{name}/{file.filename}", size)


def upload_time(stated: str | None) -> UploadTime | None:
    """Shortens PEP 700's form to the minute; shows anything else unchanged."""
    if stated is None:
        return None
    exact = _UTC_TIME.fullmatch(stated)
    short = stated[:_MAX_TIME]
    return UploadTime(short, f"{exact[1]} {exact[2]} UTC" if exact else short)
