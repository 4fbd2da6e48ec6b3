"""Delivers a wheel to the index: uploads it, and reads it back before it counts as published."""

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
    """Every method raises ``PackageIndexError`` if the index is unavailable or refuses."""

    def __init__(self, index: PackageIndex, clock: Clock) -> None:
        self._index = index
        self._retrying = retrying((IndexUnavailable, IndexRefused), clock)

    def files(self, distribution: str) -> Sequence[IndexFile]:
        return self._index.files(distribution)

    def deliver(self, wheel: Wheel) -> Delivery:
        """Checks first: some indexes overwrite, and an earlier attempt may have succeeded."""
        return self._find(wheel) or self.deliver_new(wheel)

    def deliver_new(self, wheel: Wheel) -> Delivery:
        """As ``deliver``, of a wheel that the index is known to lack.

        Raises:
            PackageIndexError: after three attempts the index still does not list it.
        """
        return self._retrying(self._upload, wheel)

    def yank(self, distribution: str) -> bool:
        """Yanks all files; False if the index cannot, so that they stay offered."""
        return all(
            self._index.yank(file, DROPPED)
            for file in self._index.files(distribution)
            if file.yanked is None
        )

    def unyank(self, files: Iterable[IndexFile]) -> None:
        """Unyanks the files that were yanked because the relation was dropped, and no others."""
        for file in files:
            if file.yanked == DROPPED:
                self._index.yank(file, None)

    def _upload(self, wheel: Wheel) -> Delivery:
        failure: PackageIndexError = IndexUnavailable(
            wheel.distribution, f"accepted {wheel.filename} but does not list it"
        )
        try:
            self._index.upload(wheel)
        except PackageIndexError as error:
            failure = error
        found = self._find(wheel)
        if found is None:
            raise failure
        return found

    def _find(self, wheel: Wheel) -> Delivery | None:
        for file in self._index.files(wheel.distribution):
            if file.filename == wheel.filename:
                sha = file.sha256 or hashlib.sha256(self._index.fetch(file)).hexdigest()
                return Delivery.PUBLISHED if sha == wheel.sha256 else Delivery.CONFLICT
        return None
