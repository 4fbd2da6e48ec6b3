"""A finished wheel to the index: uploaded, read back, and believed only once it is seen there."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from enum import Enum

from codegen.package import Wheel
from publisher.index.protocol import (
    IndexFile,
    IndexRefused,
    IndexUnavailable,
    PackageIndex,
    PackageIndexError,
)
from publisher.runtime import Clock, retrying

DROPPED = "the relation was dropped from the catalog"


class Delivery(Enum):
    PUBLISHED = "published"
    CONFLICT = "conflict"
    """The index holds other bytes under this name."""


class WheelUploader:
    """All of it raises ``PackageIndexError`` where the index does not answer, or says no."""

    def __init__(self, index: PackageIndex, clock: Clock) -> None:
        self._index = index
        self._retrying = retrying((IndexUnavailable, IndexRefused), clock)

    def files(self, distribution: str) -> Sequence[IndexFile]:
        return self._index.files(distribution)

    def deliver(self, wheel: Wheel) -> Delivery:
        """Looks first: some indexes overwrite, and an earlier attempt may have come through."""
        return self._found(wheel) or self.deliver_unseen(wheel)

    def deliver_unseen(self, wheel: Wheel) -> Delivery:
        """As ``deliver``, of a wheel that was just seen not to be there.

        Raises:
            PackageIndexError: after three tries it is still not there.
        """
        return self._retrying(self._upload, wheel)

    def yank(self, distribution: str) -> bool:
        """False where the index cannot: its files stay offered."""
        return all(
            self._index.yank(file, DROPPED)
            for file in self._index.files(distribution)
            if file.yanked is None
        )

    def unyank(self, files: Iterable[IndexFile]) -> None:
        """Those that were yanked because the relation was gone; a person's yanks stay."""
        for file in files:
            if file.yanked == DROPPED:
                self._index.yank(file, None)

    def _upload(self, wheel: Wheel) -> Delivery:
        failure: PackageIndexError = IndexUnavailable(
            wheel.distribution, f"took {wheel.filename} and does not list it"
        )
        try:
            self._index.upload(wheel)
        except PackageIndexError as error:
            failure = error
        found = self._found(wheel)
        if found is None:
            raise failure
        return found

    def _found(self, wheel: Wheel) -> Delivery | None:
        for file in self._index.files(wheel.distribution):
            if file.filename == wheel.filename:
                sha = file.sha256 or hashlib.sha256(self._index.fetch(file)).hexdigest()
                return Delivery.PUBLISHED if sha == wheel.sha256 else Delivery.CONFLICT
        return None
