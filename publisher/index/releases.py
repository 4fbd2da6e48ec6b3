"""Sorts the files of one distribution by version, and finds the newest."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Protocol, TypeVar

from packaging.version import Version


class VersionedFile(Protocol):
    """A file of a version; ``version`` has the form of PEP 440."""

    @property
    def filename(self) -> str: ...

    @property
    def version(self) -> str: ...


File = TypeVar("File", bound=VersionedFile)


def newest_release(files: Iterable[File]) -> tuple[File, ...]:
    """The files of the highest version; empty if there are no files."""
    ordered = sorted(files, key=by_version)
    return tuple(file for file in ordered if _version(file) == _version(ordered[-1]))


def by_version(file: VersionedFile) -> tuple[Version, str]:
    """A key for sorting: the lowest version comes first, and files of one version by name."""
    return _version(file), file.filename


def _version(file: VersionedFile) -> Version:
    return parse_version(file.version)


@lru_cache(maxsize=65_536)
def parse_version(text: str) -> Version:
    return Version(text)
