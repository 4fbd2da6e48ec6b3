"""The catalog and the index as the engine met them last, so that a health check need not ask them."""

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
    IndexUnavailable,
    PackageIndex,
    PackageIndexError,
)

T = TypeVar("T")


class Encounters:
    """Which services did not answer when they were last needed; safe for threads.

    A refusal is an answer: it says something of one relation or file, and not of the service.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._failing: dict[str, str] = {}

    def call(self, service: str, action: Callable[[], T]) -> T:
        try:
            answer = action()
        except (CatalogUnavailable, IndexUnavailable) as error:
            self._record(service, str(error))
            raise
        except (CatalogRefused, PackageIndexError):
            self._record(service, None)
            raise
        self._record(service, None)
        return answer

    def failing(self) -> Mapping[str, str]:
        """Why, by service; empty if none fails."""
        with self._lock:
            return dict(self._failing)

    def _record(self, service: str, reason: str | None) -> None:
        with self._lock:
            if reason is None:
                self._failing.pop(service, None)
            else:
                self._failing[service] = reason


class ObservedCatalog:
    def __init__(self, catalog: Catalog, encounters: Encounters) -> None:
        self._catalog = catalog
        self._encounters = encounters

    def namespaces(self) -> Sequence[tuple[str, ...]]:
        return self._call(self._catalog.namespaces)

    def relations(self, namespace: tuple[str, ...]) -> Sequence[RelationName]:
        return self._call(lambda: self._catalog.relations(namespace))

    def read(self, names: Sequence[RelationName]) -> Mapping[RelationName, Relation]:
        return self._call(lambda: self._catalog.read(names))

    def current_event_id(self) -> int | None:
        return self._call(self._catalog.current_event_id)

    def _call(self, action: Callable[[], T]) -> T:
        return self._encounters.call("catalog", action)


class ObservedIndex:
    def __init__(self, index: PackageIndex, encounters: Encounters) -> None:
        self._index = index
        self._encounters = encounters

    def projects(self) -> Sequence[str]:
        return self._call(self._index.projects)

    def files(self, distribution: str) -> Sequence[IndexFile]:
        return self._call(lambda: self._index.files(distribution))

    def fetch(self, file: IndexFile) -> bytes:
        return self._call(lambda: self._index.fetch(file))

    def provenance(self, file: IndexFile) -> bytes | None:
        return self._call(lambda: self._index.provenance(file))

    def upload(self, wheel: Wheel) -> None:
        self._call(lambda: self._index.upload(wheel))

    def yank(self, file: IndexFile, reason: str | None) -> bool:
        return self._call(lambda: self._index.yank(file, reason))

    def _call(self, action: Callable[[], T]) -> T:
        return self._encounters.call("index", action)
