"""A package's versions for people, newest first: when each came, what it changed, which are yanked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from packaging.version import Version

from codegen.package import Release
from publisher.index.simple_page import ListedFile, ProjectPage
from publisher.web.markup import link, text

_OPEN_RELEASES: Final = 20
_OPEN_LINES: Final = 50
_CODE = re.compile(r"`([^`]{1,200})`")


@dataclass(frozen=True, slots=True)
class ListedVersion:
    """``files`` is never empty."""

    number: str
    files: tuple[ListedFile, ...]

    @property
    def yanked(self) -> str | None:
        """A reason, possibly empty, if every file of it is yanked."""
        reasons = [file.yanked for file in self.files if file.yanked is not None]
        return reasons[0] if len(reasons) == len(self.files) else None


def versions_of(page: ProjectPage) -> Sequence[ListedVersion]:
    """Newest first."""
    by_number: dict[str, list[ListedFile]] = {}
    for file in page.files:
        by_number.setdefault(file.version, []).append(file)
    ordered = sorted(by_number, key=Version, reverse=True)
    return [ListedVersion(number, tuple(by_number[number])) for number in ordered]


def release_list(name: str, versions: Sequence[ListedVersion], told: Sequence[Release]) -> str:
    """HTML of ``versions_of`` a project; ``told`` is its changelog as far as it is known."""
    changes = {release.version: release for release in told}
    pieces = [_release(name, version, changes.get(version.number)) for version in versions]
    older = pieces[_OPEN_RELEASES:]
    rest = f"<details><summary>{len(older)} older versions</summary>{''.join(older)}</details>"
    return "".join(pieces[:_OPEN_RELEASES]) + (rest if older else "")


def _release(name: str, version: ListedVersion, release: Release | None) -> str:
    change = release.change if release else ""
    tag = f' <span class="tag {_change_class(change)}">{text(change)}</span>' if change else ""
    yanked = ""
    if version.yanked is not None:
        reason = f": {text(version.yanked)}" if version.yanked else ""
        yanked = f'<p class="yanked">Yanked{reason}</p>'
    files = "; ".join(
        f"{link(f'/simple/{name}/{file.filename}', 'wheel')}{_size(file)}" for file in version.files
    )
    return (
        f'<article class="release"><h3>{text(version.number)}{tag}'
        f' <span class="soft">{_time(version.files[0].upload_time)}</span>'
        f' <span class="soft">{files}</span></h3>{yanked}{_lines(release)}</article>'
    )


def _lines(release: Release | None) -> str:
    if release is None or not release.lines:
        return '<p class="soft">What changed is not recorded.</p>'
    items = [f"<li>{_sentence(line)}</li>" for line in release.lines]
    shown = f"<ul>{''.join(items[:_OPEN_LINES])}</ul>"
    rest = items[_OPEN_LINES:]
    if not rest:
        return shown
    more = f"<summary>{len(rest)} more changes</summary><ul>{''.join(rest)}</ul>"
    return f"{shown}<details>{more}</details>"


def _sentence(line: str) -> str:
    # Escaping touches no backtick, so that what stands between two is escaped text.
    return _CODE.sub(r"<code>\1</code>", text(line))


def _change_class(change: str) -> str:
    return change if change in {"major", "minor", "patch", "first"} else ""


def _time(upload_time: str | None) -> str:
    """PEP 700's form, to the minute; anything else as it is."""
    if upload_time is None:
        return ""
    exact = re.fullmatch(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d(\.\d+)?Z", upload_time, re.ASCII)
    shown = f"{exact[1]} {exact[2]} UTC" if exact else upload_time[:40]
    return f'<time datetime="{text(upload_time[:40])}">{text(shown)}</time>'


def _size(file: ListedFile) -> str:
    return "" if file.size is None else f", {max(1, round(file.size / 1000)):,} kB"
