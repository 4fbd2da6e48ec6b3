"""Parses and checks a wheel's file name and its METADATA; both may be untrusted.

A file name that passes ``parse_filename`` is one plain path component.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import lru_cache

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import (
    InvalidSdistFilename,
    InvalidWheelFilename,
    canonicalize_name,
    parse_sdist_filename,
    parse_wheel_filename,
)
from packaging.version import InvalidVersion, Version

from codegen.package import Wheel
from codegen.zip_reader import ArchiveReader, UnreadableArchive

MAX_METADATA_BYTES = 16 * 1024 * 1024
_MAX_FILENAME_BYTES = 240  # leaves room below 255 for the suffix .metadata
_PLAIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+!-]*", re.ASCII)


@dataclass(frozen=True, slots=True)
class NamedFile:
    """The parsed name of a file; ``distribution`` is normalised by PEP 503, ``version`` by PEP 440."""

    distribution: str
    version: str


@dataclass(frozen=True, slots=True)
class CoreMetadata:
    """A wheel's METADATA: its bytes, for PEP 658, and a field that index pages repeat."""

    data: bytes
    requires_python: str | None

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.data).hexdigest()


class MalformedWheel(ValueError):
    """The wheel contradicts its name or hash; the message says why."""


@lru_cache(maxsize=65_536)
def parse_filename(filename: str) -> NamedFile:
    """The distribution and version in a file's name.

    Raises:
        MalformedWheel: the name is outside the grammar of wheel and sdist file names.
    """
    if len(filename) > _MAX_FILENAME_BYTES or not _PLAIN_NAME.fullmatch(filename):
        raise MalformedWheel(f"{filename[:300]!r} is not the file name of a wheel")
    try:
        if filename.endswith(".whl"):
            distribution, version, _, _ = parse_wheel_filename(filename)
        else:
            distribution, version = parse_sdist_filename(filename)
    except (InvalidWheelFilename, InvalidSdistFilename, InvalidVersion) as error:
        raise MalformedWheel(f"{filename!r} is not the file name of a wheel") from error
    return NamedFile(distribution, str(version))


def is_normalised(distribution: str) -> bool:
    """Whether the text is the normalised name of a distribution, as in PEP 503."""
    return (
        re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", distribution, re.ASCII) is not None
        and len(distribution) <= _MAX_FILENAME_BYTES
    )


def check_wheel(wheel: Wheel) -> CoreMetadata:
    """Checks that name, version, hash and content agree, and returns the METADATA.

    Raises:
        MalformedWheel: name, version, hash and content do not agree.
    """
    if not wheel.filename.endswith(".whl"):
        raise MalformedWheel(f"{wheel.filename[:300]!r} is not the file name of a wheel")
    named = parse_filename(wheel.filename)
    if not is_normalised(wheel.distribution) or named.distribution != wheel.distribution:
        raise MalformedWheel(f"{wheel.filename} is not a wheel of {wheel.distribution[:300]!r}")
    if named.version != _normalise_version(wheel.version):
        raise MalformedWheel(f"{wheel.filename} is not version {wheel.version[:100]!r}")
    if hashlib.sha256(wheel.data).hexdigest() != wheel.sha256:
        raise MalformedWheel(f"{wheel.filename}: its bytes do not have the given SHA-256")
    return read_metadata(wheel.data, named)


def read_metadata(data: bytes, named: NamedFile) -> CoreMetadata:
    """The METADATA inside a wheel, which must name the same distribution and version.

    Raises:
        MalformedWheel: ``data`` is not a wheel with this METADATA.
    """
    # This import is slow, and only uploads need it.
    from packaging.metadata import parse_email

    text = _read_metadata_bytes(data)
    raw, _ = parse_email(text)
    name, version = raw.get("name", ""), raw.get("version", "")
    if (
        canonicalize_name(name) != named.distribution
        or _normalise_version(version) != named.version
    ):
        raise MalformedWheel(
            f"expected METADATA of {named.distribution} {named.version}, "
            f"got {name[:300]!r} {version[:100]!r}"
        )
    return CoreMetadata(text, _normalise_requires_python(raw.get("requires_python")))


def _read_metadata_bytes(data: bytes) -> bytes:
    try:
        archive = ArchiveReader(data)
        members = [n for n in archive.names if re.fullmatch(r"[^/]+\.dist-info/METADATA", n)]
        if len(members) != 1:
            raise MalformedWheel(f"expected one METADATA file in the wheel, got {len(members)}")
        return archive.read(members[0], MAX_METADATA_BYTES)
    except UnreadableArchive as error:
        raise MalformedWheel(f"the wheel is not a readable zip archive: {error}") from error


def _normalise_requires_python(text: str | None) -> str | None:
    try:
        return str(SpecifierSet(text)) if text else None
    except InvalidSpecifier:
        return None


def _normalise_version(text: str) -> str | None:
    try:
        return str(Version(text))
    except InvalidVersion:
        return None
