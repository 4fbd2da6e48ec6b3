"""The catalog, the index and the state, with a note of whether each worked when it was last needed."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from codegen.package import Wheel
from lakeschema.catalog.errors import CatalogRefused, CatalogUnavailable
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Catalog, Relation
from publisher.index.protocol import (
    IndexFile,
    IndexRefused,
    IndexUnavailable,
    PackageIndex,
    PackageIndexError,
)
from publisher.outages import CATALOG, INDEX, STATE, STATE_READING, UPLOADS, Outages
from publisher.publishing.upload import is_name_taken
from publisher.state.protocol import State, StateUnavailable, Transaction

T = TypeVar("T")

_UNAUTHORIZED = frozenset({401, 407})
_FORBIDDEN = 403


class ObservedCatalog:
    """A refusal is an answer: it says something of one relation, and not of the catalog."""

    def __init__(self, catalog: Catalog, outages: Outages) -> None:
        self._catalog = catalog
        self._outages = outages

    def namespaces(self) -> Sequence[tuple[str, ...]]:
        return self._call(self._catalog.namespaces)

    def relations(self, namespace: tuple[str, ...]) -> Sequence[RelationName]:
        return self._call(lambda: self._catalog.relations(namespace))

    def read(self, names: Sequence[RelationName]) -> Mapping[RelationName, Relation]:
        return self._call(lambda: self._catalog.read(names))

    def current_event_id(self) -> int | None:
        return self._call(self._catalog.current_event_id)

    def _call(self, action: Callable[[], T]) -> T:
        return _noted(self._outages, CATALOG, action, CatalogUnavailable, CatalogRefused)


class ObservedIndex:
    """A refusal is an answer, unless it says that nothing may be uploaded."""

    def __init__(self, index: PackageIndex, outages: Outages) -> None:
        self._index = index
        self._outages = outages
        self._lock = threading.Lock()
        self._forbidden: set[str] = set()

    def projects(self) -> Sequence[str]:
        return self._call(self._index.projects)

    def files(self, distribution: str) -> Sequence[IndexFile]:
        return self._call(lambda: self._index.files(distribution))

    def fetch(self, file: IndexFile) -> bytes:
        return self._call(lambda: self._index.fetch(file))

    def provenance(self, file: IndexFile) -> bytes | None:
        return self._call(lambda: self._index.provenance(file))

    def upload(self, wheel: Wheel) -> None:
        try:
            self._index.upload(wheel)
        except IndexUnavailable as error:
            self._outages.fail(UPLOADS, str(error))
            raise
        except IndexRefused as error:
            self._note_refusal(wheel.distribution, error)
            raise
        except PackageIndexError:
            self._note_accepted()
            raise
        self._note_accepted()

    def yank(self, file: IndexFile, reason: str | None) -> bool:
        return self._call(lambda: self._index.yank(file, reason))

    def _note_refusal(self, distribution: str, error: IndexRefused) -> None:
        if error.status in _UNAUTHORIZED:
            self._outages.fail(UPLOADS, str(error))
        elif error.status == _FORBIDDEN and not is_name_taken(error):
            with self._lock:
                self._forbidden.add(distribution)
                # One project may be somebody else's.
                is_general = len(self._forbidden) > 1
                if is_general:
                    self._forbidden = {*sorted(self._forbidden)[:1], distribution}
            if is_general:
                self._outages.fail(UPLOADS, str(error))
        else:
            self._note_accepted()

    def _note_accepted(self) -> None:
        if self._forbidden:
            with self._lock:
                self._forbidden.clear()
        self._outages.succeed(UPLOADS)

    def _call(self, action: Callable[[], T]) -> T:
        return _noted(self._outages, INDEX, action, IndexUnavailable, PackageIndexError)


class ObservedState:
    def __init__(self, state: State, outages: Outages) -> None:
        self._state = state
        self._outages = outages

    def write(self, action: Callable[[Transaction], T]) -> T:
        return self._call(STATE, lambda: self._state.write(action))

    def read(self, action: Callable[[Transaction], T]) -> T:
        return self._call(STATE_READING, lambda: self._state.read(action))

    def close(self) -> None:
        self._state.close()

    def _call(self, service: str, act: Callable[[], T]) -> T:
        try:
            result = act()
        except StateUnavailable as error:
            self._outages.fail(service, error.reason)
            raise
        self._outages.succeed(service)
        return result


def _noted(
    outages: Outages,
    service: str,
    action: Callable[[], T],
    no_answer: type[Exception],
    refusal: type[Exception],
) -> T:
    """What ``action`` returns; ``refusal`` is an answer, and may be the more general error."""
    try:
        answer = action()
    except no_answer as error:
        outages.fail(service, str(error))
        raise
    except refusal:
        outages.succeed(service)
        raise
    outages.succeed(service)
    return answer
