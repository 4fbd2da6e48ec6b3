"""Delivers a wheel to the index: uploads it, and reads it back before it counts as published."""

from __future__ import annotations

import hashlib
import re
from enum import Enum

from codegen.package import Wheel
from publisher.index.protocol import (
    IndexRefused,
    IndexUnavailable,
    PackageIndex,
    PackageIndexError,
)
from publisher.runtime import Clock, retrying
from publisher.spans import LIST, UPLOAD, Watch, not_watched

DROPPED = "the relation was dropped from the catalog"

MAX_LISTING_DELAY_SECONDS = 900.0
"""An index lists an accepted file within this time; some serve their pages from caches."""

_TAKEN_STATUSES = frozenset({400, 403, 409, 422})
_TAKEN = re.compile(r"already|taken|overwrit|updating assets", re.IGNORECASE)


def is_name_taken(refusal: IndexRefused) -> bool:
    """Whether the index says that it has, or had, a file of this name."""
    return refusal.status == 409 or (
        refusal.status in _TAKEN_STATUSES and _TAKEN.search(refusal.reason) is not None
    )


class Delivery(Enum):
    PUBLISHED = "published"
    CONFLICT = "conflict"
    """The index holds other bytes under this name."""


class WheelUploader:
    """Uploads wheels. Every method raises ``PackageIndexError`` if the index is unavailable or refuses."""

    def __init__(self, index: PackageIndex, clock: Clock) -> None:
        self._index = index
        self._clock = clock
        self._retrying = retrying((IndexUnavailable, IndexRefused), clock)

    def deliver(
        self, wheel: Wheel, reserved_at: float | None = None, watch: Watch = not_watched
    ) -> Delivery:
        """Uploads a wheel, unless the index has it, until the index lists it.

        Reads the index before each attempt, since some indexes overwrite files, and an earlier attempt
        may have succeeded. It is a conflict if the index calls the name taken, but does not list it long
        after ``reserved_at``: some indexes never accept a deleted file's name again.

        Raises:
            PackageIndexError: after three attempts the index still does not list the wheel.
        """
        try:
            return self._retrying(self._look_and_upload, wheel, watch)
        except IndexRefused as error:
            is_late = (
                reserved_at is not None
                and self._clock.wall() - reserved_at > MAX_LISTING_DELAY_SECONDS
            )
            if is_late and is_name_taken(error):
                return Delivery.CONFLICT
            raise

    def _look_and_upload(self, wheel: Wheel, watch: Watch) -> Delivery:
        found = self._find(wheel)
        return found if found is not None else self._upload(wheel, watch)

    def _upload(self, wheel: Wheel, watch: Watch) -> Delivery:
        failure: PackageIndexError = IndexUnavailable(
            wheel.distribution, f"accepted {wheel.filename} but does not list it"
        )
        is_answered = True
        try:
            with watch(UPLOAD):
                self._index.upload(wheel)
        except PackageIndexError as error:
            failure = error
            is_answered = isinstance(error, IndexRefused)
        with watch(LIST):
            found = self._find(wheel)
        # The index may have the wheel even without an answer; the next reading of the index shows.
        if found is None or (found is Delivery.CONFLICT and not is_answered):
            raise failure
        return found

    def _find(self, wheel: Wheel) -> Delivery | None:
        for file in self._index.files(wheel.distribution):
            if file.filename == wheel.filename:
                sha = file.sha256 or hashlib.sha256(self._index.fetch(file)).hexdigest()
                return Delivery.PUBLISHED if sha == wheel.sha256 else Delivery.CONFLICT
        return None
