"""Creates views on a Trino server, and reports the result for each view."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.emission.trino.text import quoted
from publisher.commands.registering.statements import Unwritable, Written, read_mark


class StatementRefused(Exception):
    """The server refused a statement; the message is the server's."""


class Server(Protocol):
    """A Trino on which statements are run.

    Both methods raise ``StatementRefused``, or ``ServerUnavailable`` if the server does not answer.
    """

    def comments(self, catalog: str, schema: str) -> Mapping[str, str | None] | None:
        """The comment of each table and view of a schema; None if the schema does not exist."""

    def run(self, statement: str) -> None: ...


class ServerUnavailable(Exception):
    """The server does not answer, or refuses the name and password."""


class Change(Enum):
    CREATED = "created"
    REPLACED = "replaced"
    UNCHANGED = "unchanged"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Registered:
    """The result for a view; ``place`` is "" if the view could not be written."""

    view: RelationName
    place: str
    change: Change
    reason: str = ""
    hint: str = ""


def register_views(
    views: Sequence[Written | Unwritable], server: Server, *, replace: bool
) -> Iterator[Registered]:
    """Creates each view, after the views that it reads.

    Replaces only views of this program, and only with ``replace`` or if they are unfinished.

    Raises:
        ServerUnavailable: the server does not answer. The views that were yielded before this error
            exist.
    """
    registration = _Registration(server, replace=replace)
    for each in views:
        found = registration.of(each)
        registration.refused |= {each.view} if found.change is Change.REFUSED else set()
        yield found


class _Registration:
    def __init__(self, server: Server, *, replace: bool) -> None:
        self._server = server
        self._replace = replace
        self._known: dict[tuple[str, str], dict[str, str | None]] = {}
        self.refused: set[RelationName] = set()

    def of(self, view: Written | Unwritable) -> Registered:
        if isinstance(view, Unwritable):
            return Registered(view.view, "", Change.REFUSED, view.reason, view.hint)
        missing = [str(read) for read in view.reads if read in self.refused]
        if missing:
            return _refused(view, f"it reads {', '.join(missing)}, which could not be registered")
        try:
            return self._made(view)
        except StatementRefused as error:
            return _refused(view, f"Trino refuses it: {error}")

    def _made(self, view: Written) -> Registered:
        there = self._schema(view)
        if view.place.name not in there:
            return self._run(view, Change.CREATED)
        mark = read_mark(there[view.place.name])
        if mark is None:
            why = "another relation has that name, and register did not create it"
            return _refused(view, why, "name another place with --views, or drop it")
        if mark.source != view.source:
            why = f"it is registered there as {mark.source}"
            return _refused(view, why, "name another place with --views, or drop it in Trino")
        if mark == view.mark:
            return Registered(view.view, str(view.place), Change.UNCHANGED)
        if self._replace or mark.is_unfinished:
            return self._run(view, Change.REPLACED)
        return _refused(view, "the registered view is outdated", "add --replace")

    def _schema(self, view: Written) -> dict[str, str | None]:
        """The comments in the view's schema, which is created if it does not exist."""
        key = (view.place.catalog, view.place.schema)
        if key not in self._known:
            found = self._server.comments(*key)
            if found is None:
                self._server.run(f"CREATE SCHEMA {'.'.join(map(quoted, key))}")
            self._known[key] = dict(found or {})
        return self._known[key]

    def _run(self, view: Written, change: Change) -> Registered:
        for statement in view.statements(replace=change is Change.REPLACED):
            self._server.run(statement)
        return Registered(view.view, str(view.place), change)


def _refused(view: Written, reason: str, hint: str = "") -> Registered:
    return Registered(view.view, str(view.place), Change.REFUSED, reason, hint)
