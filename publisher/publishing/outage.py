"""Whether the index is away, or fails for single items only: a damaged page is no outage."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise

from publisher.index.protocol import IndexUnavailable, PackageIndexError

log = logging.getLogger(__name__)


def is_away(results: Sequence[object]) -> bool:
    """Whether two items in a row had no answer: what one has may be a cause of its own."""
    return any(_is_silence(a) and _is_silence(b) for a, b in pairwise(results))


def _is_silence(result: object) -> bool:
    return isinstance(result, IndexUnavailable)


class Outage:
    """As ``is_away``, while the items are processed; for use by several threads."""

    def __init__(self) -> None:
        self._in_a_row: list[IndexUnavailable] = []

    @property
    def error(self) -> IndexUnavailable | None:
        """Why the remaining items need not be tried."""
        newest = self._in_a_row[-2:]
        return newest[-1] if len(newest) == 2 else None

    def note_answer(self) -> None:
        self._in_a_row.clear()

    def note_failure(self, error: PackageIndexError) -> None:
        if isinstance(error, IndexUnavailable):
            self._in_a_row.append(error)
        else:
            self.note_answer()


class Failures:
    """Lets one item after the other fail alone, until the index is away."""

    def __init__(self) -> None:
        self._outage = Outage()
        self._first: PackageIndexError | None = None

    @contextmanager
    def apart(self) -> Iterator[None]:
        """For one item.

        Raises:
            IndexUnavailable: the index is away.
        """
        try:
            yield
        except PackageIndexError as error:
            self._first = self._first or error
            self._outage.note_failure(error)
            if self._outage.error is not None:
                raise
            if not isinstance(error, IndexUnavailable):
                log.warning("package index failed", extra={"why": str(error)})
        else:
            self._outage.note_answer()

    def raise_first(self) -> None:
        """Once all items were tried.

        Raises:
            PackageIndexError: of the first that failed.
        """
        if self._first is not None:
            raise self._first
