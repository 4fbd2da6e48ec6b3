"""Distinguishes two cases: the index does not answer at all, or single items such as a damaged page fail."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise

from publisher.index.protocol import IndexUnavailable, PackageIndexError

log = logging.getLogger(__name__)


def is_away(results: Sequence[object]) -> bool:
    """Whether two items in a row had no answer. A single item may fail for another reason."""
    return any(_is_silence(a) and _is_silence(b) for a, b in pairwise(results))


def _is_silence(result: object) -> bool:
    return isinstance(result, IndexUnavailable)


class Outage:
    """Applies ``is_away`` while items are processed; safe for threads."""

    def __init__(self) -> None:
        self._in_a_row: list[IndexUnavailable] = []

    @property
    def error(self) -> IndexUnavailable | None:
        """The error for the remaining items, which need not be tried; None without an outage."""
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
    """Lets single items fail, but stops when the index does not answer."""

    def __init__(self) -> None:
        self._outage = Outage()
        self._first: PackageIndexError | None = None

    @contextmanager
    def apart(self) -> Iterator[None]:
        """A context for the work on one item: an error in it does not affect the other items.

        Raises:
            IndexUnavailable: two items in a row got no answer.
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
        """Raises the first error, after all items were processed.

        Raises:
            PackageIndexError: the error of the first item that failed.
        """
        if self._first is not None:
            raise self._first
