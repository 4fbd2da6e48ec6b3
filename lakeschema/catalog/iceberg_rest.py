"""Iceberg's REST catalogs as a source: the answer for a table or view contains its metadata.

A poll requests each relation with its last ETag. For an unchanged relation the answer is an empty 304.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

from lakeschema.catalog.errors import CatalogRefused
from lakeschema.catalog.facts_json import facts_hash
from lakeschema.catalog.iceberg import Loaded, Look, is_usable, relation_of
from lakeschema.catalog.iceberg_http import RestLogin, RestServer
from lakeschema.catalog.iceberg_metadata import MalformedMetadata, read_metadata
from lakeschema.catalog.iceberg_reply import Reply
from lakeschema.catalog.iceberg_rest_client import (
    EndpointMissing,
    RestClient,
    is_segment,
    segment,
)
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.own_schemas import OwnSchema, UnreadSchema

Result = TypeVar("Result")

TABLES, VIEWS = "tables", "views"
_LIST_VIEWS = "GET /v1/{prefix}/namespaces/{namespace}/views"
_LOAD_VIEW = "GET /v1/{prefix}/namespaces/{namespace}/views/{view}"
_HASH_LENGTH = 16
_NO_PATH = "its name is a step in a path, which a REST catalog cannot be asked for; rename it"
_WITHOUT_SNAPSHOTS = {"snapshots": "refs"}
"""The query for metadata without old snapshots, which can be most of the metadata."""


class RestSource:
    """A REST catalog as a source. Safe for threads."""

    def __init__(
        self, server: RestServer, login: Callable[[], RestLogin] = RestLogin, *, at_once: int = 4
    ) -> None:
        """Creates a client. ``at_once`` is the number of parallel requests for tables."""
        self.client = RestClient(server, login)
        self._at_once = at_once
        self._known_views: frozenset[RelationName] = frozenset()

    @property
    def name(self) -> str:
        return self.client.server.name

    def namespaces(self) -> Sequence[tuple[str, ...]]:
        """Every namespace; each costs one request, since a list has only one level."""
        found: list[tuple[str, ...]] = []
        above: list[tuple[str, ...]] = [()]
        while above:
            parent = above.pop()
            below = self.namespaces_in(parent)
            found += below
            above += below
        return found

    def namespaces_in(self, parent: tuple[str, ...]) -> Sequence[tuple[str, ...]]:
        # A server that ignores ``parent`` returns the namespaces at the top. Pages may overlap.
        found = dict.fromkeys(self._listed_below(parent))
        return [each for each in found if each and each[:-1] == parent]

    def relations(self, namespace: tuple[str, ...]) -> Sequence[RelationName]:
        if not namespace:
            # The API has no path for the empty namespace.
            return ()
        tables, views = self._listed(namespace, TABLES), self._views(namespace)
        self._known_views = self._known_views.difference(tables).union(views)
        return list(dict.fromkeys([*tables, *views]))

    def load(self, names: Sequence[RelationName]) -> Mapping[RelationName, Loaded]:
        # Done before the threads start, so that not every thread requests the configuration.
        self.client.config()
        answers = self._each(names, lambda name: self._load(name, None).schema)
        return {name: schema for name, schema in answers if schema is not None}

    def look(self, known: Mapping[RelationName, str], _head: str = "", /) -> Look:
        """The relations whose facts changed. A mark has an ETag and a hash of the facts."""
        names, unlisted = self._every_name(known)
        answers = self._each(names, lambda name: self._mark(name, known.get(name)))
        marks = {name: mark for name, mark in answers if mark is not None}
        marks |= {name: known[name] for name in unlisted}
        changed = (
            name
            for name in marks.keys() | known.keys()
            if _hash_in(marks.get(name)) != _hash_in(known.get(name))
        )
        return Look(marks, sorted(changed))

    def close(self) -> None:
        self.client.close()

    def _every_name(
        self, known: Iterable[RelationName]
    ) -> tuple[list[RelationName], list[RelationName]]:
        """All names listed now, and the known names in namespaces that cannot be listed."""
        found: list[RelationName] = []
        refused: set[tuple[str, ...]] = set()
        for namespace in self.namespaces():
            try:
                found += [name for name in self.relations(namespace) if is_usable(name)]
            except CatalogRefused:
                refused.add(namespace)
        return found, [name for name in known if name.namespace in refused]

    def _listed_below(self, parent: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        what = "the list of namespaces"
        try:
            query = {"parent": self.client.namespace_text(parent)} if parent else {}
        except CatalogRefused:
            # This namespace cannot be requested; the listing of its tables says why.
            return
        for levels in self.client.pages("namespaces", query, "namespaces", what):
            if isinstance(levels, list) and all(isinstance(level, str) for level in levels):
                yield tuple(levels)

    def _views(self, namespace: tuple[str, ...]) -> list[RelationName]:
        if not self.client.offers(_LIST_VIEWS):
            return []
        try:
            return self._listed(namespace, VIEWS)
        except EndpointMissing:
            return []

    def _listed(self, namespace: tuple[str, ...], kind: str) -> list[RelationName]:
        path = f"namespaces/{self.client.namespace_segment(namespace)}/{kind}"
        what = f"the {kind} of a namespace"
        found = []
        for identifier in self.client.pages(path, {}, "identifiers", what):
            name = identifier.get("name") if isinstance(identifier, dict) else None
            if isinstance(name, str):
                found.append(RelationName(namespace, name))
        return found

    def _mark(self, name: RelationName, known: str | None) -> str | None:
        """The relation's mark now, or None if it does not exist."""
        answer = self._load(name, _etag_in(known))
        if answer.is_unchanged:
            return known
        if answer.schema is None:
            return None
        return facts_hash(relation_of(name, answer.schema))[:_HASH_LENGTH] + (answer.etag or "")

    def _load(self, name: RelationName, etag: str | None) -> _Answer:
        if not name.namespace or not is_segment(name.name):
            # A catalog may list such a name, but no path leads to it.
            return _Answer(UnreadSchema(_NO_PATH) if name.namespace else None)
        try:
            within = self.client.namespace_segment(name.namespace)
        except CatalogRefused as error:
            return _Answer(UnreadSchema(str(error)))
        kinds = (VIEWS, TABLES) if name in self._known_views else (TABLES, VIEWS)
        for kind in kinds:
            if kind == VIEWS and not self.client.offers(_LOAD_VIEW):
                continue
            query = _WITHOUT_SNAPSHOTS if kind == TABLES else {}
            reply = self.client.get(f"namespaces/{within}/{kind}/{segment(name.name)}", query, etag)
            if reply.status == 304 and etag is not None:
                return _Answer(None, is_unchanged=True)
            has_no_views = kind == VIEWS and reply.is_unsupported
            if not reply.is_missing and not has_no_views:
                return self._answer(reply)
        return _Answer(None)

    def _answer(self, reply: Reply) -> _Answer:
        if reply.status >= 500:
            # Raises if the server fails for every request, not only for this request.
            self.client.ask_config()
        if reply.status != 200:
            return _Answer(UnreadSchema(f"the catalog refuses to return it: {reply.error}"))
        document = reply.document if isinstance(reply.document, dict) else {}
        try:
            return _Answer(read_metadata(document.get("metadata")), reply.etag)
        except MalformedMetadata as error:
            return _Answer(UnreadSchema(f"the catalog's answer {error}"), reply.etag)

    def _each(
        self, names: Sequence[RelationName], ask: Callable[[RelationName], Result]
    ) -> list[tuple[RelationName, Result]]:
        if len(names) < 2:
            return [(name, ask(name)) for name in names]
        with ThreadPoolExecutor(self._at_once) as threads:
            return list(zip(names, threads.map(ask, names), strict=True))


@dataclass(frozen=True, slots=True)
class _Answer:
    """An answer for one relation.

    ``schema`` is absent if the relation does not exist, or is unchanged since the ETag.
    """

    schema: OwnSchema | UnreadSchema | None
    etag: str | None = None
    is_unchanged: bool = False


def _hash_in(mark: str | None) -> str | None:
    return None if mark is None else mark[:_HASH_LENGTH]


def _etag_in(mark: str | None) -> str | None:
    return None if mark is None else mark[_HASH_LENGTH:] or None
