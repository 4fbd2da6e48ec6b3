"""Iceberg's tables and views in a Nessie server, whose commits have the places of metadata files.

Nessie API version 2. A poll asks for the newest commit of a reference, and if the commit is new, for
the difference. From the difference alone, without reading metadata, the source knows which commits
changed only data.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeGuard
from urllib.parse import quote

from lakeschema.catalog.errors import CatalogRefused, CatalogUnavailable
from lakeschema.catalog.iceberg import (
    Loaded,
    Look,
    look_at,
    mark_of,
    metadata_pointer,
)
from lakeschema.catalog.iceberg_http import HttpClient, RestLogin, RestServer
from lakeschema.catalog.iceberg_reply import Reply
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.own_schemas import UnreadSchema

_DEFAULT_BRANCH = "-"
_TABLE, _VIEW = "ICEBERG_TABLE", "ICEBERG_VIEW"
_PAGE = 1000
_MAX_PAGES = 100_000
_KEYS_LENGTH = 3000
"""The limit of characters of keys in one request, since common servers refuse a request line of 4096."""
_DOT = "\x1d"
"""Nessie's character for a dot inside a level, since dots separate levels."""
_COMMIT = re.compile(r"[0-9A-Za-z]{1,128}", re.ASCII)
_NEVER_IN_A_KEY = re.compile(r"[\x00-\x1f\ud800-\udfff]")
_MAX_LEVELS = 20
_MAX_KEY_LENGTH = 500
"""Nessie's limits of a key's levels and length, in UTF-16 units. The server fails for a longer key."""
_FACTS_LENGTH: Final = len(mark_of(""))
_SNAPSHOT_START: Final = 2 * _FACTS_LENGTH
_UNLOCATED = UnreadSchema("Nessie has no metadataLocation for it; drop it, or register it again")


class _Missing(CatalogRefused):
    """Nessie has no such reference or commit."""


class NessieSource:
    """A reference of a Nessie server as a source. Safe for threads."""

    def __init__(
        self,
        server: RestServer,
        login: Callable[[], RestLogin] = RestLogin,
        *,
        reference: str | None = None,
    ) -> None:
        """Creates a client. ``reference`` is a branch or tag; without one, the server's default branch."""
        self._client = HttpClient(server, login)
        self._reference = reference
        self._path = f"/trees/{quote(reference or _DEFAULT_BRANCH, safe='')}"

    @property
    def name(self) -> str:
        return self._client.server.name

    def namespaces(self) -> Sequence[tuple[str, ...]]:
        """The namespaces that were created, and the namespaces of all tables and views."""
        return self._below(())

    def namespaces_in(self, parent: tuple[str, ...]) -> Sequence[tuple[str, ...]]:
        depth = len(parent) + 1
        return [each for each in self._below(parent) if len(each) == depth]

    def relations(self, namespace: tuple[str, ...]) -> Sequence[RelationName]:
        return [
            name
            for name, entry in self._listed(namespace)
            if name.namespace == namespace and entry.get("type") in (_TABLE, _VIEW)
        ]

    def load(self, names: Sequence[RelationName]) -> Mapping[RelationName, Loaded]:
        found: dict[RelationName, Loaded] = {}
        for some in _parts(names):
            for name, content in self._contents(some):
                if _is_relation(content):
                    location = content.get("metadataLocation")
                    is_placed = isinstance(location, str) and location
                    found[name] = metadata_pointer(str(location)) if is_placed else _UNLOCATED
        wanted = set(names)
        return {name: loaded for name, loaded in found.items() if name in wanted}

    def look(self, known: Mapping[RelationName, str], head: str = "", /) -> Look:
        """The relations whose facts may have changed.

        A commit of data is no change: it has a new snapshot, and the same schema, partition spec and
        sort order. But if ``head`` is no longer in the history, such as after a reassignment of the
        branch, every relation whose metadata has a new place counts as changed.
        """
        newest = self._newest()
        if newest == head:
            return Look(known, (), newest)
        marks = self._marks_after(known, head, newest)
        if marks is None:
            look = look_at(self._all_marks(newest), known)
            return Look(look.marks, look.changed, newest)
        look = look_at(marks, known)
        changed = [n for n in look.changed if not _differ_in_data(known.get(n), marks.get(n))]
        return Look(look.marks, changed, newest)

    def close(self) -> None:
        self._client.close()

    def _marks_after(
        self, known: Mapping[RelationName, str], head: str, newest: str
    ) -> dict[RelationName, str] | None:
        """The present marks, from the difference to ``head``; None if ``head`` is not in the history."""
        if not head or not self._is_in_history(head, newest):
            return None
        marks = dict(known)
        try:
            for name, content in self._differences(head, newest):
                marks.pop(name, None)
                if _is_relation(content):
                    marks[name] = _mark(content)
        except _Missing:
            # Nessie's garbage collection may keep a commit in the history and delete its contents.
            return None
        return marks

    def _differences(self, head: str, newest: str) -> Iterator[tuple[RelationName, Any]]:
        """Each name that changed between two commits, with its new content; None if it was deleted."""
        path = f"{self._path}@{head}/diff{self._path.removeprefix('/trees')}@{newest}"
        for item in self._pages(path, {}, "diffs", "the changes since the last poll"):
            name = _name_of(item.get("key"))
            if name is not None:
                yield name, item.get("to")

    def _all_marks(self, newest: str) -> dict[RelationName, str]:
        entries = self._listed((), at=newest, query={"content": "true"})
        contents = ((name, entry.get("content")) for name, entry in entries)
        return {name: _mark(content) for name, content in contents if _is_relation(content)}

    def _is_in_history(self, commit: str, newest: str) -> bool:
        """Whether ``commit`` is in the history of ``newest``.

        Nessie itself also compares unrelated commits.
        """
        if not _COMMIT.fullmatch(commit):
            return False
        query = {"filter": f"commit.hash == '{commit}'", "max-records": "1"}
        what = "the history"
        reply = self._client.ask(f"{self._path}@{newest}/history", query)
        found = self._document(reply, what).get("logEntries")
        if not isinstance(found, list):
            raise self._client.refused(what, "its answer has no list of logEntries")
        return bool(found)

    def _newest(self) -> str:
        """The newest commit of the reference."""
        named = self._reference
        what = "the default branch" if named is None else f"the reference {named!r:.200}"
        document = self._document(self._client.ask(self._path, {}), what)
        reference = document.get("reference")
        found = reference.get("hash") if isinstance(reference, dict) else None
        if not isinstance(found, str) or not _COMMIT.fullmatch(found):
            raise self._client.refused(what, "its answer names no commit")
        return found

    def _below(self, parent: tuple[str, ...]) -> Sequence[tuple[str, ...]]:
        """Every namespace below ``parent``."""
        found: dict[tuple[str, ...], None] = {}
        for name, entry in self._listed(parent):
            levels = name.parts if entry.get("type") == "NAMESPACE" else name.namespace
            depths = range(len(parent) + 1, len(levels) + 1)
            found |= dict.fromkeys(levels[:depth] for depth in depths)
            if not levels and not parent:
                found[()] = None
        return [*found]

    def _listed(
        self,
        prefix: tuple[str, ...],
        *,
        at: str | None = None,
        query: Mapping[str, str] | None = None,
    ) -> Iterator[tuple[RelationName, Mapping[str, Any]]]:
        """The entries of every type below a namespace, in one commit."""
        asked = dict(query or {})
        if prefix:
            if not _is_key(prefix):
                return
            asked["prefix-key"] = _key(prefix)
        path = f"{self._path}@{at or self._newest()}/entries"
        for entry in self._pages(path, asked, "entries", "the list of contents"):
            name = _name_of(entry.get("name"))
            if name is not None and name.parts[: len(prefix)] == prefix:
                yield name, entry

    def _contents(
        self, names: Sequence[RelationName]
    ) -> Iterator[tuple[RelationName, Mapping[str, Any]]]:
        what = "the places of metadata"
        query = "&".join(f"key={_quoted(name.parts)}" for name in names)
        reply = self._client.ask(f"{self._path}/contents?{query}", {})
        found = self._document(reply, what).get("contents")
        if not isinstance(found, list):
            raise self._client.refused(what, "its answer has no list of contents")
        for item in found:
            name = _name_of(item.get("key")) if isinstance(item, dict) else None
            content = item.get("content") if name is not None else None
            if name is not None and isinstance(content, dict):
                yield name, content

    def _pages(
        self, path: str, query: Mapping[str, str], key: str, what: str
    ) -> Iterator[Mapping[str, Any]]:
        """The objects of every page of a list."""
        token, seen = "", {""}
        for _ in range(_MAX_PAGES):
            more = {"page-token": token} if token else {}
            reply = self._client.ask(path, {**query, "max-records": str(_PAGE), **more})
            document = self._document(reply, what)
            items = document.get(key)
            if not isinstance(items, list):
                raise self._client.refused(what, f"its answer has no list of {key}")
            yield from (item for item in items if isinstance(item, dict))
            if document.get("hasMore") is not True:
                return
            token = str(document.get("token") or "")
            if token in seen:
                break
            seen.add(token)
        raise self._client.refused(what, "the list does not end")

    def _document(self, reply: Reply, what: str) -> Mapping[str, Any]:
        """The JSON object of a successful answer; see ``HttpClient.require``."""
        if reply.status >= 500:
            raise CatalogUnavailable(self.name, reply.reason)
        if reply.is_missing and not reply.has_error:
            # Such an answer comes from a proxy without its server, or from a server at a wrong address.
            why = f"another server answers at its address ({reply.reason})"
            raise CatalogUnavailable(self.name, why)
        if reply.is_missing:
            raise _Missing(self.name, what, reply.reason)
        return self._client.require(reply, what)


def _is_relation(content: Any) -> TypeGuard[Mapping[str, Any]]:
    """Whether a content is Iceberg's table or view, not another table, a UDF or a namespace."""
    return isinstance(content, dict) and content.get("type") in (_TABLE, _VIEW)


def _mark(content: Mapping[str, Any]) -> str:
    """The mark of a table or view: its identity with its schema, its place, and its snapshot.

    A view has no snapshot, so every new place of its metadata counts as a change.
    """
    keys = ("type", "id", "schemaId", "specId", "sortOrderId")
    facts = mark_of(json.dumps([content.get(key) for key in keys]))
    place = mark_of(str(content.get("metadataLocation")))
    return f"{facts}{place}{content.get('snapshotId', '')}"


def _differ_in_data(old: str | None, new: str | None) -> bool:
    """Whether two marks differ only by commits of data.

    If only the place is new and the snapshot is the same, something else changed, such as properties.
    """
    if old is None or new is None:
        return False
    is_same = old[:_FACTS_LENGTH] == new[:_FACTS_LENGTH]
    return is_same and old[_SNAPSHOT_START:] != new[_SNAPSHOT_START:]


def _name_of(key: Any) -> RelationName | None:
    """The name in a content key; None if the value is not a key."""
    elements = key.get("elements") if isinstance(key, dict) else None
    if not isinstance(elements, list) or not elements:
        return None
    if not all(isinstance(element, str) for element in elements):
        return None
    *namespace, name = elements
    return RelationName(tuple(namespace), name)


def _is_key(parts: Sequence[str]) -> bool:
    """Whether Nessie can have a content of this name, and a request can ask for it."""
    if len(parts) > _MAX_LEVELS or not all(parts):
        return False
    text = "".join(parts)
    if _NEVER_IN_A_KEY.search(text) or len(_quoted(parts)) > _KEYS_LENGTH:
        return False
    return len(text.encode("utf-16-le")) // 2 <= _MAX_KEY_LENGTH


def _key(parts: Sequence[str]) -> str:
    return ".".join(part.replace(".", _DOT) for part in parts)


def _quoted(parts: Sequence[str]) -> str:
    return quote(_key(parts), safe="")


def _parts(names: Sequence[RelationName]) -> Iterator[Sequence[RelationName]]:
    """Divides names into parts that each fit into one request; omits names that Nessie cannot have."""
    part: list[RelationName] = []
    length = 0
    for name in names:
        if not _is_key(name.parts):
            continue
        added = len(_quoted(name.parts)) + len("&key=")
        if part and length + added > _KEYS_LENGTH:
            yield part
            part, length = [], 0
        part.append(name)
        length += added
    if part:
        yield part
