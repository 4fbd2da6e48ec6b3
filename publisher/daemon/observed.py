"""Wrappers of the catalog, the index and the state. They record whether each worked at its last use."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TypeAlias, TypeVar

from codegen.package import Wheel
from lakeschema.catalog.catalogs import map_parts
from lakeschema.catalog.errors import CatalogRefused, CatalogUnavailable
from lakeschema.catalog.identifiers import Namespace, RelationName
from lakeschema.catalog.relations import Catalog, Relation
from publisher.index.protocol import (
    Damage,
    IndexFile,
    IndexRefused,
    IndexUnavailable,
    PackageIndex,
    PackageIndexError,
)
from publisher.outages import INDEX, STATE, UPLOADS, Outages, catalog_service
from publisher.publishing.upload import is_name_taken
from publisher.state.protocol import State, StateUnavailable, Transaction

T = TypeVar("T")

IsGeneral: TypeAlias = Callable[[IndexRefused], bool]
"""Whether a refusal may concern all projects. If it may, it does once two projects in a row are refused."""

_REFUSES_ALL = frozenset({401, 405, 407})
_MAY_REFUSE_ALL = frozenset({402, 403, 404, 410})
_READ_ONLY = re.compile(r"read.?only", re.IGNORECASE)


def observed(catalog: Catalog, outages: Outages) -> Catalog:
    """The catalog, wrapped so that each part records its outages."""
    return map_parts(catalog, lambda name, part: ObservedCatalog(part, outages, name))


class ObservedCatalog:
    """A catalog that records its outages.

    A refusal does not count as an outage, because it concerns one relation only.

    An outage ends when every kind of request that failed succeeds again: a metastore may return its
    newest event id and still fail to return tables.
    """

    def __init__(self, catalog: Catalog, outages: Outages, name: str = "") -> None:
        """Wraps a catalog; ``name`` is its name in ``outages``, "" for the default catalog."""
        self._catalog = catalog
        self._outages = outages
        self._service = catalog_service(name)

    def namespaces(self) -> Sequence[Namespace]:
        return self._call("namespaces", self._catalog.namespaces)

    def relations(self, namespace: Namespace) -> Sequence[RelationName]:
        return self._call("relations", lambda: self._catalog.relations(namespace))

    def read(self, names: Sequence[RelationName]) -> Mapping[RelationName, Relation]:
        return self._call("read", lambda: self._catalog.read(names))

    def current_event_id(self) -> int | None:
        return self._call("current_event_id", self._catalog.current_event_id)

    def _call(self, request: str, action: Callable[[], T]) -> T:
        try:
            answer = action()
        except CatalogUnavailable as error:
            self._outages.fail(self._service, str(error), error.hint, request)
            raise
        except CatalogRefused:
            self._outages.succeed(self._service, request)
            raise
        self._outages.succeed(self._service, request)
        return answer


class ObservedIndex:
    """An index that records its outages.

    A refusal does not count as an outage, unless it concerns all pages or all uploads.
    """

    def __init__(self, index: PackageIndex, outages: Outages) -> None:
        self._index = index
        self._outages = outages
        self._failures = {service: _Failures(outages, service) for service in (INDEX, UPLOADS)}

    def projects(self) -> Sequence[str]:
        return self._call("", self._index.projects)

    def files(self, distribution: str) -> Sequence[IndexFile]:
        return self._call(distribution, lambda: self._index.files(distribution))

    def fetch(self, file: IndexFile) -> bytes:
        return self._call("", lambda: self._index.fetch(file))

    def provenance(self, file: IndexFile) -> bytes | None:
        return self._call("", lambda: self._index.provenance(file))

    def upload(self, wheel: Wheel) -> None:
        failures = self._failures[UPLOADS]
        with failures.observed(wheel.distribution, _may_refuse_all_uploads):
            self._index.upload(wheel)

    def yank(self, file: IndexFile, reason: str | None) -> bool:
        return self._call("", lambda: self._index.yank(file, reason))

    def damages(
        self,
        distribution: str,
        published: Mapping[str, str],
        may_read: Callable[[int], bool],
    ) -> Sequence[Damage]:
        # Success here does not show that the index works: some indexes are not asked for damages at all.
        with self._failures[INDEX].observed(distribution, _may_refuse_all_pages, is_answer=False):
            return self._index.damages(distribution, published, may_read)

    def mend(
        self, distribution: str, published: Mapping[str, str], wheels: Sequence[Wheel]
    ) -> None:
        with self._failures[UPLOADS].observed(
            distribution, _may_refuse_all_uploads, is_answer=False
        ):
            self._index.mend(distribution, published, wheels)

    def _call(self, distribution: str, action: Callable[[], T]) -> T:
        with self._failures[INDEX].observed(distribution, _may_refuse_all_pages):
            return action()


class _Failures:
    """Distinguishes failures of one project from failures of a whole service of the index."""

    def __init__(self, outages: Outages, service: str) -> None:
        self._outages = outages
        self._service = service
        self._lock = threading.Lock()
        self._in_a_row: dict[str, PackageIndexError] = {}
        """The newest failure of each project since the last success; at most two projects are kept."""

    @contextmanager
    def observed(
        self, distribution: str, may_be_general: IsGeneral, *, is_answer: bool = True
    ) -> Iterator[None]:
        """Records the result of the block.

        ``is_answer``: whether success shows that the service works.
        """
        try:
            yield
        except IndexUnavailable as error:
            self._note_failure(distribution, error)
            self._fail(error)
            raise
        except IndexRefused as error:
            self._note_refusal(distribution, error, may_be_general)
            raise
        except PackageIndexError:
            self._note_answer()
            raise
        if is_answer:
            self._note_answer()

    def _note_refusal(
        self, distribution: str, error: IndexRefused, may_be_general: IsGeneral
    ) -> None:
        if _is_general(error):
            error.concerns_all = True
            self._fail(error)
        elif distribution and may_be_general(error):
            self._note_failure(distribution, error)
            if len(self._in_a_row) > 1:
                self._fail(error)
        else:
            self._note_answer()

    def _note_failure(self, distribution: str, error: PackageIndexError) -> None:
        """Records a failure of a project. If two projects fail, the whole service counts as failed.

        A single project may be another program's, or damaged.
        """
        if not distribution:
            return
        with self._lock:
            others = [name for name in self._in_a_row if name != distribution]
            kept = {name: self._in_a_row[name] for name in others[-1:]}
            self._in_a_row = {**kept, distribution: error}
            if kept:
                for each in self._in_a_row.values():
                    each.concerns_all = True

    def _note_answer(self) -> None:
        if self._in_a_row:
            with self._lock:
                self._in_a_row.clear()
        self._outages.succeed(self._service)

    def _fail(self, error: PackageIndexError) -> None:
        self._outages.fail(self._service, str(error), error.hint)


def _is_general(error: IndexRefused) -> bool:
    """Whether an error concerns all projects.

    Credentials and the upload address are the same for all projects.
    """
    status = error.status or 0
    return status in _REFUSES_ALL or 300 <= status < 400


def _may_refuse_all_uploads(error: IndexRefused) -> bool:
    if is_name_taken(error):
        return False
    return error.status in _MAY_REFUSE_ALL or _READ_ONLY.search(error.reason) is not None


def _may_refuse_all_pages(error: IndexRefused) -> bool:
    """Whether a server may refuse all pages.

    An error without a status comes from this program, and concerns one project.
    """
    return error.status is not None and error.status != 404


class ObservedState:
    def __init__(self, state: State, outages: Outages) -> None:
        self._state = state
        self._outages = outages

    def write(self, action: Callable[[Transaction], T]) -> T:
        return self._call("write", lambda: self._state.write(action))

    def read(self, action: Callable[[Transaction], T]) -> T:
        return self._call("read", lambda: self._state.read(action))

    def close(self) -> None:
        self._state.close()

    def _call(self, request: str, act: Callable[[], T]) -> T:
        """Performs a request and records whether the state worked.

        Reads and writes count separately, because a state on a full disk can still be read.
        """
        try:
            result = act()
        except StateUnavailable as error:
            self._outages.fail(STATE, error.reason, error.hint, request)
            raise
        self._outages.succeed(STATE, request)
        return result
