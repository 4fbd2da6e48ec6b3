"""A package's versions for people, newest first: upload times, changes, yanks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from codegen.package import Release
from publisher.index.simple_page import ListedFile
from publisher.web.versions import ListedVersion

_MAX_RECENT_RELEASES: Final = 20
_MAX_OPEN_CHANGES: Final = 50
_MAX_TIME: Final = 40
_CODE: Final = re.compile(r"`([^`]{1,200})`")
_UTC_TIME: Final = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d(\.\d+)?Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a line of the changelog."""

    text: str
    is_code: bool


@dataclass(frozen=True, slots=True)
class UploadTime:
    machine_readable: str
    text: str


@dataclass(frozen=True, slots=True)
class WheelLink:
    """``size`` is empty if unknown."""

    address: str
    size: str


@dataclass(frozen=True, slots=True)
class ReleaseView:
    """One version.

    Attributes:
        change: its kind, empty if unknown; ``change_class`` is the CSS class.
        yanked: the reason, possibly empty; None if it is not yanked.
        changes: the first lines of its changelog; ``more_changes`` are folded.
    """

    number: str
    change: str
    change_class: str
    uploaded: UploadTime | None
    wheels: tuple[WheelLink, ...]
    yanked: str | None
    changes: tuple[tuple[Span, ...], ...]
    more_changes: tuple[tuple[Span, ...], ...]


@dataclass(frozen=True, slots=True)
class ReleaseList:
    recent: tuple[ReleaseView, ...]
    older: tuple[ReleaseView, ...]

    @property
    def count(self) -> int:
        return len(self.recent) + len(self.older)


def release_list(
    name: str, versions: Sequence[ListedVersion], changelog: Sequence[Release]
) -> ReleaseList:
    """``versions`` are newest first; ``changelog`` covers the versions with known changes."""
    releases = {release.version: release for release in changelog}
    views = tuple(_release_view(name, each, releases.get(each.number)) for each in versions)
    return ReleaseList(views[:_MAX_RECENT_RELEASES], views[_MAX_RECENT_RELEASES:])


def _release_view(name: str, version: ListedVersion, release: Release | None) -> ReleaseView:
    change = release.change if release else ""
    lines = tuple(_spans(line) for line in release.lines) if release else ()
    return ReleaseView(
        number=version.number,
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


def _spans(line: str) -> tuple[Span, ...]:
    """Marks texts between backticks as code."""
    pieces = _CODE.split(line)
    return tuple(Span(text, is_code=i % 2 == 1) for i, text in enumerate(pieces) if text)


def upload_time(stated: str | None) -> UploadTime | None:
    """Shortens PEP 700's form to the minute; shows anything else unchanged."""
    if stated is None:
        return None
    exact = _UTC_TIME.fullmatch(stated)
    short = stated[:_MAX_TIME]
    return UploadTime(short, f"{exact[1]} {exact[2]} UTC" if exact else short)
