"""The wheels of a static index and their descriptions, which are cached for each listed file."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import Final

from publisher.index.protocol import IndexFile, IndexRefused
from publisher.index.releases import by_version
from publisher.index.simple_page import ListedFile
from publisher.index.static import StaticIndex
from publisher.web.descriptions import PackageDescription, Undescribed

log = logging.getLogger(__name__)

_MAX_CACHED: Final = 32
_MAX_WHEELS_READ: Final = 5


class DescribedWheels:
    def __init__(
        self, index: StaticIndex, describe_wheel: Callable[[bytes], PackageDescription]
    ) -> None:
        self._index = index
        self._describe_wheel = describe_wheel
        # A file never changes. Errors are not cached: a missing file may come back, and a damaged
        # one is repaired.
        self.describe = lru_cache(_MAX_CACHED)(self._read)

    def find_readable(self, files: Iterable[ListedFile]) -> ListedFile | None:
        """The newest of the files that this program made; only a few files are tried.

        The file may be yanked: a dropped relation's package still has a description.
        """
        wheels = [file for file in files if file.filename.endswith(".whl")]
        newest = sorted(wheels, key=by_version, reverse=True)
        for file in newest[:_MAX_WHEELS_READ]:
            with contextlib.suppress(IndexRefused):
                if self.describe(file) is not None:
                    return file
        return None

    def find_comparable(self, files: Sequence[ListedFile]) -> ListedFile | None:
        """Like ``find_readable``, but does not read a single file, since the comparison reads it anyway."""
        wheels = [file for file in files if file.filename.endswith(".whl")]
        return wheels[0] if len(wheels) == 1 else self.find_readable(wheels)

    def fetch(self, file: ListedFile) -> bytes:
        """The bytes of a file.

        Raises:
            IndexRefused: the file is missing, too large or damaged.
        """
        data = self._index.fetch(IndexFile(file.filename, file.version, file.url, file.sha256))
        if file.sha256 not in {None, sha256(data).hexdigest()}:
            raise IndexRefused(file.filename, "is damaged")
        return data

    def _read(self, file: ListedFile) -> PackageDescription | None:
        try:
            return self._describe_wheel(self.fetch(file))
        except Undescribed as error:
            log.info("wheel not shown", extra={"wheel": file.filename, "reason": str(error)})
            return None
