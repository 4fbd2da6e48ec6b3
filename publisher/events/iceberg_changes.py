"""An Iceberg catalog as an event source.

Each poll compares the catalog with the marks of the poll before.

A poll sends a SQL catalog one statement, and a metastore or Glue a listing of each database. It sends a REST
catalog one request for each relation; the answer has no body if the relation is unchanged. It asks Nessie for
the newest commit and, if there is a new commit, for the difference. The position holds the marks, so the next
start finds changes that were made while the service did not run.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from typing import Any

from lakeschema.catalog.errors import CatalogRefused, CatalogUnavailable, MalformedName
from lakeschema.catalog.iceberg import IcebergSource, Look
from lakeschema.catalog.identifiers import RelationName
from publisher.events.protocol import FIRST_START, Batch, RelationHint, SourceUnavailable

ICEBERG_CHANGES = "iceberg-changes"
_REFUSED_SECONDS = 60.0
"""The longest time until a catalog that refused a request is asked again."""


class IcebergChanges:
    """An Iceberg catalog as a source. Closing it closes ``source``.

    Not safe for threads; only one thread polls a source.
    """

    def __init__(
        self,
        source: IcebergSource,
        *,
        name: str = ICEBERG_CHANGES,
        poll_seconds: float = 60.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """``poll_seconds`` is the time between the starts of two polls."""
        self._source = source
        self._name = name
        self._poll_seconds = poll_seconds
        self._clock = clock
        self._stop = threading.Event()
        self._next_look = float("-inf")
        # The last position's text and its parsed form: with many tables, parsing it again would cost
        # more than the catalog's answer.
        self._last: tuple[str, Look] | None = None
        self._refused: str | None = None

    @property
    def name(self) -> str:
        return self._name

    def poll(self, position: str | None, timeout_seconds: float) -> Batch | None:
        deadline = self._clock() + timeout_seconds
        if self._next_look > deadline:
            self._stop.wait(timeout_seconds)
            if self._refused is not None and not self._stop.is_set():
                raise SourceUnavailable(self._name, self._refused)
            return None
        self._stop.wait(max(0.0, self._next_look - self._clock()))
        if self._stop.is_set():
            return None
        began = self._clock()
        try:
            batch = self._look(position)
        except CatalogUnavailable as error:
            # Wait, so that a server that fails after many requests does not get them all again at
            # once. Then raise, since None would mean that nothing changed.
            self._stop.wait(min(self._clock() - began, self._poll_seconds))
            raise SourceUnavailable(self._name, error.reason, error.hint) from error
        except CatalogRefused as error:
            self._refused = str(error)
            self._next_look = began + min(self._poll_seconds, _REFUSED_SECONDS)
            raise SourceUnavailable(self._name, self._refused) from error
        self._refused = None
        self._next_look = began + self._poll_seconds
        return batch

    def acknowledge(self, position: str) -> None:
        """Does nothing: an Iceberg catalog keeps no position."""

    def close(self) -> None:
        self._stop.set()
        self._source.close()

    def _look(self, position: str | None) -> Batch | None:
        known = self._known(position)
        look = self._source.look(known.marks, known.head) if known else self._source.look({})
        if known is not None and (look.marks, look.head) == (known.marks, known.head):
            return None
        text = _position_text(look)
        self._last = text, look
        if known is None:
            reason = FIRST_START if position is None else "the position is unreadable"
            return Batch((), (), text, gap=reason, behind=0)
        hints = tuple(RelationHint(name) for name in look.changed)
        # A commit of data may change marks but no facts. Then the batch only has a new position.
        return Batch(hints, (), text, seen=len(hints), behind=0)

    def _known(self, position: str | None) -> Look | None:
        """The marks and the head in a position; None if the position is missing or unreadable."""
        if position is None:
            return None
        if self._last is None or self._last[0] != position:
            found = _parse_position(position)
            if found is None:
                return None
            self._last = position, found
        return self._last[1]


def _position_text(look: Look) -> str:
    found: dict[str, Any] = {"marks": {str(name): mark for name, mark in look.marks.items()}}
    if look.head:
        found["head"] = look.head
    return json.dumps(found, separators=(",", ":"), sort_keys=True)


def _parse_position(position: str) -> Look | None:
    try:
        found = json.loads(position)
        marks = {RelationName.from_key(name): str(m) for name, m in found["marks"].items()}
        return Look(marks, (), str(found.get("head", "")))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, MalformedName):
        return None
