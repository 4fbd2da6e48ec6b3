"""Sorts the files of one distribution by version, and finds the newest."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Protocol, TypeVar

from packaging.version import Version


class VersionedFile(Protocol):
    """A file; ``version`` has PEP 440's form."""

    @property
    def filename(self) -> str: ...

    @property
    def version(self) -> str: ...


File = TypeVar("File", bound=VersionedFile)


def newest_release(files: Iterable[File]) -> tuple[File, ...]:
    """The files of the highest version; empty without any files."""
    ordered = sorted(files, key=by_version)
    return tuple(file for file in ordered if _version(file) == _version(ordered[-1]))


def by_version(file: VersionedFile) -> tuple[Version, str]:
    """Sorts files: the lowest version first, those of one version by their names."""
    return _version(file), file.filename


def _version(file: VersionedFile) -> Version:
    return parse_version(file.version)


@lru_cache(maxsize=65_536)
def parse_version(text: str) -> Version:
    return Version(text)
