"""Notices that a failing catalog answers again, even if no work or snapshot uses it."""

from __future__ import annotations

from contextlib import suppress

from lakeschema.catalog.catalogs import parts_of
from lakeschema.catalog.errors import CatalogRefused, CatalogUnavailable
from lakeschema.catalog.identifiers import Namespace, RelationName
from lakeschema.catalog.relations import Catalog
from publisher.outages import catalog_service
from publisher.runtime import Runtime

_PAUSE_SECONDS = 5.0


class ReturningCatalogs:
    """Sends requests to failing catalogs, so that their outages end.

    The parts of ``catalog`` must record their outages, as ``observed`` makes them do.
    """

    def __init__(self, catalog: Catalog, runtime: Runtime) -> None:
        self._catalog = catalog
        self._clock = runtime.clock
        self._outages = runtime.outages
        self._not_before = float("-inf")

    def look(self) -> None:
        """Sends requests to failing catalogs, unless it did so a moment ago."""
        now = self._clock.now()
        if now < self._not_before:
            return
        self._not_before = now + _PAUSE_SECONDS
        for name, part in parts_of(self._catalog).items():
            if self._outages.fails(catalog_service(name)):
                _ask(name, part)


def _ask(catalog: str, part: Catalog) -> None:
    """Sends one request of each kind to a part; a refusal also counts as an answer."""
    place, names = Namespace(("default",), catalog), list[RelationName]()
    with suppress(CatalogUnavailable):
        with suppress(CatalogRefused):
            place = next(iter(part.namespaces()), place)
        with suppress(CatalogRefused):
            names += part.relations(place)[:1]
        with suppress(CatalogRefused):
            part.read(names or [RelationName(place.levels, "any", catalog)])
        with suppress(CatalogRefused):
            part.current_event_id()
