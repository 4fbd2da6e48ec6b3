"""The small protocol that every package index answers, and what it may raise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from codegen.package import Wheel


@dataclass(frozen=True, slots=True)
class IndexFile:
    """A file that the index lists. ``sha256`` is None where its page does not say."""

    filename: str
    version: str
    url: str
    sha256: str | None
    yanked: str | None = None


class PackageIndexError(Exception):
    """Root of the package's errors."""

    def __init__(self, index: str, reason: str, status: int | None = None) -> None:
        super().__init__(index, reason, status)
        self.index = index
        self.reason = reason
        self.status = status

    def __str__(self) -> str:
        answer = f" (HTTP {self.status})" if self.status is not None else ""
        return f"package index {self.index}: {self.reason}{answer}"


class IndexUnavailable(PackageIndexError):
    """No answer, or one that says "not now": retried, after a look at what is there."""


class IndexRefused(PackageIndexError):
    """An answer that says no: 4xx. The publisher reads back before it believes it."""


class ForeignPackage(PackageIndexError):
    """The index has our distribution's name, for another relation: of another prefix, it seems."""

    def __init__(self, distribution: str, relation: str) -> None:
        super().__init__(distribution, relation)
        self.distribution = distribution
        self.relation = relation

    def __str__(self) -> str:
        return (
            f"{self.distribution} on the index is the package of {self.relation}; choose a prefix "
            "of which no other deployment's is the beginning"
        )


class PackageIndex(Protocol):
    def files(self, distribution: str) -> Sequence[IndexFile]:
        """Every file of a distribution, read uncached; empty if the index does not know it."""

    def fetch(self, file: IndexFile) -> bytes:
        """The file's bytes."""

    def upload(self, wheel: Wheel) -> None:
        """Returns when the index said yes; raises ``IndexUnavailable`` or ``IndexRefused``."""

    def yank(self, file: IndexFile, reason: str | None) -> bool:
        """Yanks, or unyanks with None. False where the index cannot."""
