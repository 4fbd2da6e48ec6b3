"""All relations of the state and the catalog, for checks of statements; refreshed regularly.

Columns come from the last derivation. Partitions come from the catalog, which is read for changed
relations only.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from lakeschema.analysis.catalog import KnownTable, ViewColumn
from lakeschema.analysis.checking import table_value
from lakeschema.analysis.grants import EVERY_COLUMN
from lakeschema.catalog.catalogs import names_by_part
from lakeschema.catalog.errors import CatalogError
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Catalog, Relation
from lakeschema.translation.deriving.derivation_json import StoredLineage, lineage_from_json
from lakeschema.translation.model.interface import SourceColumn
from publisher.state.protocol import State, StateUnavailable

log = logging.getLogger(__name__)

_READ_AT_ONCE: Final = 500
_ASK_AGAIN: Final = ("", "")

Known: TypeAlias = Mapping[str, Any]
"""Known relations by name, as ``checking.table_value`` makes them. Unchanged tables are the same
objects."""

_Reads: TypeAlias = tuple[tuple[RelationName, tuple[str, ...]], ...]
_Marks: TypeAlias = Mapping[RelationName, tuple[str, str]]


class KnownRelations:
    """All known relations. ``current`` is replaced as a whole, so every thread can read it."""

    def __init__(
        self, state: State, catalog: Catalog, refresh_seconds: float, *, with_columns: bool = False
    ) -> None:
        """If ``with_columns``, a refresh fills ``made_of``: the sources of views' columns.

        Checks do not need them.
        """
        self.current: Known | None = None
        self.made_of: dict[RelationName, tuple[ViewColumn, ...]] = {}
        self._with_columns = with_columns
        self._state = state
        self._catalog = catalog
        self._seconds = refresh_seconds
        self._marks: dict[RelationName, tuple[str, str]] = {}
        self._ends = threading.Event()

    def start(self, changed: Callable[[], None]) -> None:
        """Refreshes regularly in a thread, and calls ``changed`` there after each change."""
        keep = partial(self._keep_current, changed)
        threading.Thread(target=keep, name="checks", daemon=True).start()

    def close(self) -> None:
        self._ends.set()

    def _keep_current(self, changed: Callable[[], None]) -> None:
        while not self._ends.is_set():
            before = self.current
            try:
                self.refresh()
                if self.current is not before:
                    changed()
            except StateUnavailable as error:
                log.warning("relations for checks not read", extra={"why": str(error)})
            except Exception:
                # The known relations stay, and checks continue.
                log.exception("relations for checks not read")
            self._ends.wait(self._seconds)

    def refresh(self) -> None:
        """Reads the changes since the last refresh.

        Raises:
            StateUnavailable: nothing was read.
        """
        marks = self._state.read(lambda tx: tx.graph.facts_and_interfaces())
        changed = [name for name, mark in marks.items() if self._marks.get(name) != mark]
        gone = [name for name in self._marks if name not in marks]
        if self.current is not None and not changed and not gone:
            return
        found = dict(self.current or {})
        for name in gone:
            del self._marks[name]
            found.pop(str(name), None)
            self.made_of.pop(name, None)
        for names in _batches(changed):
            self._read(names, marks, found)
        if found != self.current:
            self.current = MappingProxyType(found)

    def _read(self, names: Sequence[RelationName], marks: _Marks, found: dict[str, Any]) -> None:
        derivations = self._state.read(lambda tx: tx.graph.derivations(names))
        facts, unanswered = self._facts(names)
        for name in names:
            derivation, before = derivations.get(name), found.get(str(name))
            columns: tuple[str, ...] | None = None
            reads: _Reads = ()
            if derivation is not None:
                stated = json.loads(derivation)
                stored = lineage_from_json(stated)
                columns, reads = _columns(stated), _reads(stored)
                if self._with_columns:
                    self.made_of[name] = _made_of(stored)
            if name in unanswered:
                # The catalog is read again at the next refresh; until then its earlier answer counts.
                self._marks[name] = _ASK_AGAIN
                _, partitions, is_view, _ = before or (None, (), bool(reads), ())
                table = KnownTable(columns, tuple(partitions), is_view)
            else:
                self._marks[name] = marks[name]
                table = _table(columns, facts.get(name))
            value = table_value(replace(table, reads=reads))
            if value != before:
                found[str(name)] = value

    def _facts(
        self, names: Sequence[RelationName]
    ) -> tuple[Mapping[RelationName, Relation], frozenset[RelationName]]:
        """The facts in the catalogs, and the names of catalogs that did not answer."""
        found: dict[RelationName, Relation] = {}
        unanswered: set[RelationName] = set()
        for some in names_by_part(names).values():
            try:
                found |= self._catalog.read(some)
            except CatalogError as error:
                log.info("partitions for checks not read", extra={"why": str(error)})
                unanswered.update(some)
        return found, frozenset(unanswered)


def _table(columns: tuple[str, ...] | None, stated: Relation | None) -> KnownTable:
    if stated is None or stated.unreadable is not None:
        return KnownTable(columns)
    partitions = tuple(column.name for column in stated.partition_columns)
    if columns is None and not stated.is_view:
        # The view is not derived yet.
        columns = tuple(column.name for column in stated.every_column) or None
    return KnownTable(columns, partitions, stated.is_view)


def _columns(derivation: Mapping[str, Any]) -> tuple[str, ...]:
    """The names of a derivation's columns, including those that its schema leaves out."""
    interface = derivation["interface"]
    names = [column[0] for column in interface["columns"]]
    for position, column, _ in interface.get("omitted", ()):
        names.insert(position, column[0])
    return tuple(names)


def _reads(stored: StoredLineage) -> _Reads:
    """The columns that a view's query reads; every column if the derivation knows no clauses."""
    found: dict[RelationName, dict[str, None]] = {name: {} for name in stored.upstreams}
    if stored.rows is None:
        return tuple((name, (EVERY_COLUMN,)) for name in found)
    influences = [i for column in stored.lineage for i in column.indirect]
    sources = [source for column in stored.lineage for source in column.sources]
    for source in (*sources, *(influence.source for influence in (*influences, *stored.rows))):
        found.setdefault(source.relation, {})[source.column.lower()] = None
    return tuple((name, tuple(columns)) for name, columns in found.items())


def _made_of(stored: StoredLineage) -> tuple[ViewColumn, ...]:
    """The sources of a view's columns; empty if the derivation knows no clauses."""
    found: dict[ViewColumn, None] = {}

    def add(name: str, source: SourceColumn, *, is_value: bool) -> None:
        found[ViewColumn(name, source.relation, source.column.lower(), is_value)] = None

    if stored.rows is None:
        return ()
    for name, column in zip(stored.columns, stored.lineage, strict=False):
        for source in column.sources:
            add(name.lower(), source, is_value=True)
        for influence in column.indirect:
            add(name.lower(), influence.source, is_value=False)
    for influence in stored.rows:
        add("", influence.source, is_value=False)
    return tuple(found)


def _batches(names: Sequence[RelationName]) -> Iterator[Sequence[RelationName]]:
    rest = iter(names)
    while batch := list(islice(rest, _READ_AT_ONCE)):
        yield batch
