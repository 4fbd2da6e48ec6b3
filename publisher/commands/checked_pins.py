"""Compares a consumer's pins with the newest versions: what changes, and what breaks.

The texts about changes come from the newest wheel's changelog, which a limited process reads.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from codegen.changelog import shorten
from codegen.errors import CodegenError
from codegen.package import Release
from publisher.commands.pins import Pin
from publisher.index.protocol import IndexFile, PackageIndex, PackageIndexError
from publisher.publishing.listing import read_listing
from publisher.publishing.packaging_protocol import Packaging
from publisher.publishing.versioning import parse_number
from publisher.similar_names import did_you_mean, likely_names

PinStatus: TypeAlias = Literal["current", "behind", "breaks", "yanked", "missing"]

_MAX_LINE = 500
_NOT_RECORDED = "not recorded"


@dataclass(frozen=True, slots=True)
class CheckedPin:
    """A pin, and the state of its package on the index.

    Attributes:
        pinned: the newest version on the index that the file allows. If there is no such version,
            the file's text for the allowed versions.
        newest: the newest version that is not yanked, or None.
        status: the state of the pin; ``breaks`` if a newer version is a major version.
        why: the index's reason for yanking the pinned version, or similar names for an unknown
            package; otherwise "".
        releases: the newer versions, the newest first.
    """

    distribution: str
    pinned: str
    newest: str | None
    status: PinStatus
    why: str = ""
    releases: Sequence[Release] = ()

    @property
    def needs_attention(self) -> bool:
        return self.status not in {"current", "behind"}


class NotOurIndex(Exception):
    """The index has none of the packages, and no other package with their prefix."""


def check_pins(
    pins: Iterable[Pin], index: PackageIndex, packaging: Packaging
) -> Sequence[CheckedPin]:
    """Checks each pin.

    Raises:
        PackageIndexError: the index did not answer.
        NotOurIndex: the address is probably wrong.
    """
    listed = {
        pin: read_listing(pin.distribution, index.files(pin.distribution)).ours for pin in pins
    }
    checked = [_check(pin, files, index, packaging) for pin, files in listed.items()]
    if all(listed.values()):
        return checked
    known = _known(index, packaging.prefix, knows_some=any(listed.values()))
    return [
        each
        if listed[pin]
        else replace(each, why=did_you_mean(likely_names(each.distribution, known)))
        for pin, each in zip(listed, checked, strict=True)
    ]


def _known(index: PackageIndex, prefix: str, *, knows_some: bool) -> Sequence[str]:
    """The index's packages with the prefix.

    Empty if the index offers no list of packages but has some of the pinned packages.
    """
    try:
        projects = index.projects()
    except PackageIndexError as error:
        if knows_some:
            return ()
        if error.status in {404, 410}:
            raise NotOurIndex(
                f"{error}: it has no list of packages, and none of the pinned ones"
            ) from error
        raise
    known = [name for name in projects if name.startswith(f"{prefix}-")]
    if not known and not knows_some:
        raise NotOurIndex(f"the index has no package whose name begins with {prefix}-")
    return known


def _check(
    pin: Pin, files: Mapping[str, IndexFile], index: PackageIndex, packaging: Packaging
) -> CheckedPin:
    offered = [number for number, file in files.items() if file.yanked is None]
    newest = offered[-1] if offered else None
    # Like installers, this takes a yanked version only if nothing else is allowed.
    allowed = list(pin.versions.filter(offered)) or list(pin.versions.filter(files))
    if not allowed:
        text = str(pin.versions).removeprefix("==") or "any version"
        return CheckedPin(pin.distribution, text, newest, "missing")
    pinned = allowed[-1]
    newer = [n for n in offered if parse_number(n) > parse_number(pinned)]
    releases = _releases(newer, files[newer[-1]], index, packaging) if newer else ()
    checked = CheckedPin(pin.distribution, pinned, newest, "current", releases=releases)
    yanked = files[pinned].yanked
    if yanked is not None:
        return replace(checked, status="yanked", why=yanked[:_MAX_LINE])
    if any(_is_major(release, pinned) for release in releases):
        return replace(checked, status="breaks")
    return replace(checked, status="behind" if newer else "current")


def _releases(
    newer: Sequence[str], newest: IndexFile, index: PackageIndex, packaging: Packaging
) -> Sequence[Release]:
    """The newer versions as the newest wheel describes them, without yanked versions."""
    try:
        told = {r.version: r for r in shorten(_changelog(newest, index, packaging))}
        unknown = _NOT_RECORDED
    except CodegenError as error:
        told, unknown = {}, f"the changelog of {newest.filename} cannot be read: {error}"
    found = (told.get(number, Release(number, "", (unknown,))) for number in reversed(newer))
    return [
        replace(release, lines=tuple(line[:_MAX_LINE] for line in release.lines))
        for release in found
    ]


def _changelog(file: IndexFile, index: PackageIndex, packaging: Packaging) -> Sequence[Release]:
    data = index.fetch(file)
    if file.sha256 is not None and hashlib.sha256(data).hexdigest() != file.sha256:
        raise CodegenError("its bytes do not have the SHA-256 that the index states")
    package = packaging.read(data)
    if packaging.distribution(package.relation) != file.filename.partition("-")[0].replace(
        "_", "-"
    ):
        raise CodegenError(f"it is the package of {package.relation}")
    return package.changelog


def _is_major(release: Release, pinned: str) -> bool:
    """Whether a release is a major version, by the changelog or by its number.

    Sequential version numbers have no major part, so only the changelog shows it.
    """
    return release.change == "major" or parse_number(release.version)[0] > parse_number(pinned)[0]
