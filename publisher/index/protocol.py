"""What every package index offers, and the errors that it raises."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from codegen.package import Wheel

MAX_PROVENANCE_BYTES = 64 * 1024
"""Ours has less than one kB, PyPI's some ten for each attestation."""

Sign: TypeAlias = Callable[[str, str], bytes]
"""File name and SHA-256 to the provenance that says who published such a file."""


@dataclass(frozen=True, slots=True)
class IndexFile:
    """A file that the index lists.

    Attributes:
        version: normalised as in PEP 440.
        sha256: None if the page does not state it.
        yanked: the reason, possibly empty; None if the file is not yanked.
    """

    filename: str
    version: str
    url: str
    sha256: str | None
    yanked: str | None = None


@dataclass(frozen=True, slots=True)
class Damage:
    """A file of a distribution, a page of it included, that is not as it was published.

    Attributes:
        is_missing: it is a wheel that is gone.
    """

    filename: str
    reason: str
    is_missing: bool = False

    def __str__(self) -> str:
        return f"{self.filename} {self.reason}"


class PackageIndexError(Exception):
    """Root of the package's errors.

    Attributes:
        hint: what a person can do.
        concerns_all: whether the index fails for all projects; set once another one shows it.
    """

    def __init__(self, index: str, reason: str, status: int | None = None, hint: str = "") -> None:
        super().__init__(index, reason, status)
        self.index = index
        self.reason = reason
        self.status = status
        self.hint = hint
        self.concerns_all = False

    def __str__(self) -> str:
        status = f" (HTTP {self.status})" if self.status is not None else ""
        return f"package index {self.index}: {self.reason}{status}"


class IndexUnavailable(PackageIndexError):
    """No response, or one that asks to try again later: retried after reading what the index holds."""


class IndexRefused(PackageIndexError):
    """The index refused the request: 4xx. The publisher reads back before it takes it for final."""


class ForeignPackage(PackageIndexError):
    """The distribution exists on the index, for another relation: another deployment's, it seems."""

    def __init__(self, distribution: str, relation: str) -> None:
        super().__init__(distribution, relation)
        self.distribution = distribution
        self.relation = relation

    def __str__(self) -> str:
        return (
            f"{self.distribution} on the index is the package of {self.relation}; choose prefixes "
            "so that no deployment's prefix is a prefix of another's"
        )


class UntrustedPackage(PackageIndexError):
    """Nobody whom this deployment trusts published a wheel of a distribution under its prefix."""

    def __init__(self, distribution: str) -> None:
        super().__init__(distribution, "not signed by a trusted key")
        self.distribution = distribution

    def __str__(self) -> str:
        return (
            f"{self.distribution} on the index has no wheel that a trusted key signed; add the key of "
            "whoever published it to artifacts.trusted_keys, or remove its files"
        )


class PackageIndex(Protocol):
    def projects(self) -> Sequence[str]:
        """The normalised names of all distributions, whoever uploaded them."""

    def files(self, distribution: str) -> Sequence[IndexFile]:
        """Every file of a distribution, not from a cache; empty if the index does not know it."""

    def fetch(self, file: IndexFile) -> bytes:
        """The file's bytes."""

    def provenance(self, file: IndexFile) -> bytes | None:
        """The file's provenance (PEP 740), of at most ``MAX_PROVENANCE_BYTES``; None without one."""

    def upload(self, wheel: Wheel) -> None:
        """Returns once the index accepted it.

        Raises:
            IndexUnavailable: it may or may not hold the wheel now.
            IndexRefused: it rejected the wheel.
        """

    def yank(self, file: IndexFile, reason: str | None) -> bool:
        """Yanks a file, or unyanks it if ``reason`` is None; False if the index does not support it."""

    def damages(
        self,
        distribution: str,
        published: Mapping[str, str],
        may_read: Callable[[int], bool],
    ) -> Sequence[Damage]:
        """The files that are damaged or gone; none of an index that keeps its files to itself.

        ``published`` has the SHA-256 that wheels should have, by file name. ``may_read`` is asked
        whether so many bytes of wheels may be read: else those of the right size are believed.
        """

    def mend(
        self, distribution: str, published: Mapping[str, str], wheels: Sequence[Wheel]
    ) -> None:
        """Writes these wheels over damaged ones, and what else is damaged anew from the wheels."""
