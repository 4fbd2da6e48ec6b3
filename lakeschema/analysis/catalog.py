"""The known tables and their columns, as an immutable value that is cheap to copy with a change.

A table that is not listed may still exist, but its columns are unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

from lakeschema.catalog.identifiers import RelationName


@dataclass(frozen=True, slots=True, order=True)
class Files:
    """A path, a stage or a URL in place of a relation."""

    uri: str

    def __str__(self) -> str:
        return self.uri


Source: TypeAlias = RelationName | Files
"""A place that rows are read from or written to."""


def as_text(source: Source) -> str:
    return str(source)


class ViewColumn(NamedTuple):
    """A view's column and one of its source columns; names are in lower case, ``*`` means all.

    Attributes:
        column: the view's column; "" if the source affects which rows there are.
        is_value: whether the view's column has values of the source.
    """

    column: str
    source: RelationName
    source_column: str
    is_value: bool


@dataclass(frozen=True, slots=True)
class KnownTable:
    """The known facts of one table or view.

    Attributes:
        columns: as written; None if unknown.
        partitions: the names of its partition columns, which are the last columns.
        location: the place of its files, without a final slash.
        reads: for a view, the relations and columns that its query reads, in lower case; ``*`` for
            all.
        is_materialized: for a view, whether it stores its query's rows.
        made_of: for a view, the sources of its columns; empty if unknown.
    """

    columns: tuple[str, ...] | None
    partitions: tuple[str, ...] = ()
    is_view: bool = False
    location: str | None = None
    reads: tuple[tuple[RelationName, tuple[str, ...]], ...] = ()
    is_materialized: bool = False
    made_of: tuple[ViewColumn, ...] = ()


class Changed(Mapping[RelationName, KnownTable]):
    """A shared mapping of tables with some changes; None in ``changes`` means a removed table."""

    def __init__(
        self,
        below: Mapping[RelationName, KnownTable],
        changes: Mapping[RelationName, KnownTable | None],
    ) -> None:
        self.below = below
        self.changes = changes

    def __getitem__(self, name: RelationName) -> KnownTable:
        if name not in self.changes:
            return self.below[name]
        table = self.changes[name]
        if table is None:
            raise KeyError(name)
        return table

    def __iter__(self) -> Iterator[RelationName]:
        yield from (name for name, table in self.changes.items() if table is not None)
        yield from (name for name in self.below if name not in self.changes)

    def __len__(self) -> int:
        return sum(1 for _ in self)


CatalogNames: TypeAlias = Mapping[str, str]
"""The catalog for each name that may begin a table's name in a text; "" is the default catalog."""
NO_CATALOGS: Final[CatalogNames] = MappingProxyType({})


def catalogs_of(names: Iterable[RelationName], listed: CatalogNames = NO_CATALOGS) -> CatalogNames:
    """The ``listed`` names, and the names of the catalogs of these relations."""
    return {**{name.catalog: name.catalog for name in names if name.catalog}, **listed}


_IN_WAREHOUSE: Final = re.compile(r"/(\w+)\.db/(\w+)(?=/|$)")
_MAX_CHANGES: Final = 100
"""The maximum number of changes over one mapping, since each change copies the earlier changes."""


def _changed(
    tables: Mapping[RelationName, KnownTable], name: RelationName, table: KnownTable | None
) -> Mapping[RelationName, KnownTable]:
    if not isinstance(tables, Changed):
        return Changed(tables, {name: table})
    if len(tables.changes) < _MAX_CHANGES:
        return Changed(tables.below, {**tables.changes, name: table})
    return Changed(dict(tables), {name: table})


@dataclass(frozen=True, slots=True)
class KnownCatalog:
    """The known tables, and the namespace for looking up names.

    Attributes:
        tables: the known tables by name.
        namespace: the namespace for names of one part; empty if these names stay as written. If a
            catalog was chosen without a schema, an empty part follows the catalog.
        temporary: this session's temporary tables, which hide other tables of the same name.
        created: the tables that the same text created, so that its author owns them.
        catalogs: by name, the catalogs that may begin a name of three or more parts.
    """

    tables: Mapping[RelationName, KnownTable] = field(default_factory=lambda: MappingProxyType({}))
    namespace: tuple[str, ...] = ()
    temporary: frozenset[RelationName] = frozenset()
    created: frozenset[RelationName] = frozenset()
    catalogs: CatalogNames = field(default_factory=lambda: NO_CATALOGS)

    def named(self, parts: Sequence[str]) -> RelationName:
        """The relation that a name in a text means."""
        bare = RelationName.of(*parts)
        if bare in self.temporary:
            return bare
        missing = len(self.namespace) + 1 - len(parts)
        if len(parts) == 1 and self.namespace:
            parts = (*filter(None, self.namespace), *parts)
        elif len(parts) < len(self.namespace) + 1 and missing > 0 and len(self.namespace) > 1:
            parts = (*self.namespace[:missing], *parts)
        return self._in_catalog(parts) or RelationName.of(*parts)

    def _in_catalog(self, parts: Sequence[str]) -> RelationName | None:
        """The table that the name means if its first part is a catalog.

        An unknown name of two parts means a table of a database. Case only matters in names of
        known tables.
        """
        if len(parts) == 1:
            return None
        first, *namespace, name = parts
        known = self.catalogs.get(first, self.catalogs.get(first.lower()))
        catalog = first if known is None else known
        exact = RelationName(tuple(namespace), name, catalog)
        folded = replace(RelationName.of(*namespace, name), catalog=catalog)
        found = next((each for each in (exact, folded) if each in self.tables), None)
        return folded if found is None and namespace and known is not None else found

    def named_new(self, parts: Sequence[str], *, of_session: bool) -> RelationName:
        """The name of a table that a statement creates; a temporary table has no namespace."""
        return RelationName.of(*parts) if of_session else self.named(parts)

    def known(self, name: RelationName) -> KnownTable | None:
        return self.tables.get(name)

    def with_temporary(self, name: RelationName) -> KnownCatalog:
        """Marks the name as temporary; ``with_table`` adds the table itself."""
        return replace(self, temporary=self.temporary | {name})

    def with_table(self, name: RelationName, table: KnownTable) -> KnownCatalog:
        return replace(self, tables=_changed(self.tables, name, table))

    def without(self, name: RelationName) -> KnownCatalog:
        tables = _changed(self.tables, name, None)
        return replace(self, tables=tables, temporary=self.temporary - {name})

    def behind(self, source: Source) -> tuple[Source, ...]:
        """The tables whose rows a read of ``source`` returns: a view's tables, or the table itself."""
        found: dict[Source, None] = {}
        pending, seen = [source], {source}
        while pending:
            at = pending.pop()
            known = self.known(at) if isinstance(at, RelationName) else None
            if known is None or not known.reads or known.is_materialized:
                found[at] = None
                continue
            inner = [relation for relation, _ in known.reads if relation not in seen]
            seen.update(inner)
            pending += reversed(inner)
        return tuple(found)

    def at(self, location: str) -> RelationName | None:
        """The table whose location is the beginning of the path; the longest location wins.

        A table without a known location is in its folder of the warehouse: ``shop.db/orders``.
        """
        found: tuple[int, RelationName] | None = None
        path = location.rstrip("/")
        for name, table in self.tables.items():
            root = table.location
            if root and (path == root or path.startswith(f"{root}/")):
                candidate = (len(root), name)
                if found is None or candidate > found:
                    found = candidate
        if found is not None:
            return found[1]
        by_convention = _IN_WAREHOUSE.search(path)
        if by_convention is None:
            return None
        name = RelationName.of(*by_convention.groups())
        known = self.known(name)
        return None if known is None or known.location else name
