"""The interface of every package index, and the errors that it raises."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from codegen.package import Wheel

MAX_PROVENANCE_BYTES = 64 * 1024
"""The limit of a provenance. Ours have less than 1 kB; PyPI's about 10 kB for each attestation."""

Sign: TypeAlias = Callable[[str, str], bytes]
"""Makes the provenance of a file from its name and SHA-256; it says who published the file."""


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
    """A damaged file or page of a distribution.

    Attributes:
        is_missing: whether a wheel no longer exists.
    """

    filename: str
    reason: str
    is_missing: bool = False

    def __str__(self) -> str:
        return f"{self.filename} {self.reason}"


class PackageIndexError(Exception):
    """Base class of this package's errors.

    Attributes:
        hint: what a person can do.
        concerns_all: whether the index fails for all projects; set once another project fails too.
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
    """No response, or a response that asks to try again later. The caller reads the index before it retries."""


class IndexRefused(PackageIndexError):
    """The index refused the request with 4xx. The publisher reads the index before it believes this."""


class ForeignPackage(PackageIndexError):
    """The distribution on the index is another relation's package, probably another deployment's."""

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
    """No trusted key signed any wheel of a distribution under the deployment's prefix."""

    def __init__(self, distribution: str) -> None:
        super().__init__(distribution, "not signed by a trusted key")
        self.distribution = distribution

    def __str__(self) -> str:
        return (
            f"{self.distribution} on the index has no wheel that a trusted key signed; "
            "add its publisher's key to artifacts.trusted_keys, or remove its files"
        )


class PackageIndex(Protocol):
    def projects(self) -> Sequence[str]:
        """The normalised names of all distributions, of any uploader."""

    def files(self, distribution: str) -> Sequence[IndexFile]:
        """Every file of a distribution, uncached; empty if the index does not know the distribution."""

    def fetch(self, file: IndexFile) -> bytes:
        """The file's bytes."""

    def provenance(self, file: IndexFile) -> bytes | None:
        """The file's provenance (PEP 740), of at most ``MAX_PROVENANCE_BYTES``, or None."""

    def upload(self, wheel: Wheel) -> None:
        """Uploads a wheel; returns once the index accepted it.

        Raises:
            IndexUnavailable: it is unknown whether the index has the wheel now.
            IndexRefused: the index rejected the wheel.
        """

    def yank(self, file: IndexFile, reason: str | None) -> bool:
        """Yanks a file, or without a ``reason`` unyanks it; False if the index does not support yanking."""

    def damages(
        self,
        distribution: str,
        published: Mapping[str, str],
        may_read: Callable[[int], bool],
    ) -> Sequence[Damage]:
        """The damaged and missing files; always empty for an index whose files cannot be inspected.

        ``published`` has the right SHA-256 of each wheel by file name. ``may_read`` decides whether
        to read a wheel of this many bytes; a wheel of the right size that is not read counts as
        intact.
        """

    def mend(
        self, distribution: str, published: Mapping[str, str], wheels: Sequence[Wheel]
    ) -> None:
        """Writes these wheels over damaged wheels, and repairs all other damaged files from the wheels."""
