"""Reads current definitions from the catalog for pages and requests, with a timeout.

Only a few reads run at a time.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Final, TypeAlias

from lakeschema.catalog.catalogs import names_by_part, part_of
from lakeschema.catalog.errors import CatalogError, CatalogRefused
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Catalog, Relation
from publisher.outages import Outages, catalog_service
from publisher.redaction import SECRETS

_SECONDS: Final = 3.0
_MAX_AT_ONCE: Final = 2

Found: TypeAlias = Mapping[RelationName, Relation]


@dataclass(frozen=True, slots=True)
class Unanswered:
    reason: str


class Definitions:
    """Reads definitions. Safe for threads.

    A hanging catalog does not block pages, and pages do not block the service's work. A failure here does not
    count as an outage, since perhaps no later request would notice the outage's end.
    """

    def __init__(
        self,
        catalog: Catalog,
        outages: Outages,
        seconds: float = _SECONDS,
        max_at_once: int = _MAX_AT_ONCE,
    ) -> None:
        self._catalog = catalog
        self._outages = outages
        self._seconds = seconds
        self._slots = threading.Semaphore(max_at_once)

    def read(self, name: RelationName) -> Relation | Unanswered | None:
        """The relation; None if the catalog does not have the relation."""
        found = self.read_all([name])
        return found if isinstance(found, Unanswered) else found.get(name)

    def read_all(self, names: Sequence[RelationName]) -> Found | Unanswered:
        """The relations that the catalog has."""
        for catalog in names_by_part(names):
            if self._outages.fails(catalog_service(catalog)):
                return Unanswered(f"the {catalog_service(catalog)} does not work now")
            try:
                part_of(self._catalog, catalog)
            except CatalogRefused as error:
                return Unanswered(str(error))
        if not self._slots.acquire(blocking=False):
            return Unanswered("others ask the catalog now; try again")
        answer: Future[Found | Unanswered] = Future()
        # A daemon thread, so that the process can end while the catalog hangs.
        threading.Thread(target=self._ask, args=(names, answer), daemon=True).start()
        try:
            return answer.result(self._seconds)
        except TimeoutError:
            return Unanswered(f"the catalog did not answer within {self._seconds:g} s")

    def _ask(self, names: Sequence[RelationName], answer: Future[Found | Unanswered]) -> None:
        try:
            answer.set_result(self._catalog.read(names))
        except CatalogError as error:
            answer.set_result(Unanswered(SECRETS.redact(str(error))))
        except Exception as error:  # noqa: BLE001 (recorded as the page's failure)
            answer.set_result(Unanswered(SECRETS.redact(f"{type(error).__name__}: {error}")))
        finally:
            self._slots.release()
