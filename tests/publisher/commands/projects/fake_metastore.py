"""A metastore in memory that fails or loses an answer when a test says so."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from lakeschema.catalog.errors import CatalogRefused, CatalogUnavailable
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.metastore_views import StoredRelation, facts_of
from lakeschema.catalog.stored_views import StoredView


class Killed(BaseException):
    """The end of the process between two requests."""


@dataclass
class FakeMetastore:
    """``before_write`` is called with the number of each write, from 0, and may raise.

    ``after_write`` is called when the write is done.
    """

    views: dict[RelationName, StoredView] = field(default_factory=dict)
    before_write: Callable[[int], None] = lambda _: None
    after_write: Callable[[int], None] = lambda _: None
    writes: int = 0
    _kept: dict[str, StoredView] = field(default_factory=dict)

    def read(self, names: Sequence[RelationName]) -> Mapping[RelationName, StoredRelation]:
        return {name: self._stored(self.views[name]) for name in names if name in self.views}

    def create(self, view: StoredView) -> None:
        if view.name in self.views:
            raise CatalogRefused("fake", f"to create {view.name}", "it exists")
        self._write(view.name, view)

    def replace(self, view: StoredView, over: StoredRelation, expected: str | None) -> None:
        self._check(over, expected)
        self._write(view.name, view)

    def set_properties(
        self, found: StoredRelation, properties: Mapping[str, str], expected: str | None
    ) -> None:
        self._check(found, expected)
        name = found.facts.name
        self._write(name, replace(self._kept[found.serialized], properties=properties))

    def restore(self, name: RelationName, serialized: str) -> None:
        self._write(name, self._kept[serialized])

    def drop(self, name: RelationName) -> None:
        self._write(name, None)

    def _check(self, over: StoredRelation, expected: str | None) -> None:
        name = over.facts.name
        if name not in self.views:
            raise CatalogRefused("fake", f"to change {name}", "it does not exist")
        if expected is not None and expected in over.properties:
            now = self.views[name].properties.get(expected)
            if now != over.properties[expected]:
                raise CatalogRefused("fake", f"to change {name}", "it has been modified")

    def _write(self, name: RelationName, view: StoredView | None) -> None:
        number = self.writes
        self.writes += 1
        self.before_write(number)
        if view is None:
            self.views.pop(name, None)
        else:
            self.views[name] = view
        self.after_write(number)

    def _stored(self, view: StoredView) -> StoredRelation:
        serialized = json.dumps([str(view.name), view.expanded_text, dict(view.properties)])
        self._kept[serialized] = view
        return StoredRelation(facts_of(view), view.properties, view.owner, serialized)


def refuse_at(*numbers: int) -> Callable[[int], None]:
    def refuse(number: int) -> None:
        if number in numbers:
            raise CatalogRefused("fake", "to write", "there is no room")

    return refuse


def lose_answer_at(*numbers: int) -> Callable[[int], None]:
    def lose(number: int) -> None:
        if number in numbers:
            raise CatalogUnavailable("fake", "the connection was reset")

    return lose


def kill_at(kill: int) -> Callable[[int], None]:
    """Once killed, nothing is written any more."""

    def end(number: int) -> None:
        if number >= kill:
            raise Killed

    return end
