"""Applies DDL to a copy of a catalog: finds the relations that would be created, changed or removed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from lakeschema.catalog.ddl_altered import Refused
from lakeschema.catalog.ddl_reader import MalformedStatement, read_statements
from lakeschema.catalog.ddl_state import (
    DEFAULT_NAMESPACE,
    DdlState,
    NamedInDdl,
    QueryColumns,
    no_query_columns,
)
from lakeschema.catalog.ddl_tokens import line_of
from lakeschema.catalog.errors import MalformedDdl
from lakeschema.catalog.identifiers import Namespace, RelationName
from lakeschema.catalog.relations import Catalog, Dialect, Relation, without_former_names


@dataclass(frozen=True, slots=True)
class Script:
    """DDL and its origin in words, such as a path or "standard input"."""

    label: str
    text: str


@dataclass(frozen=True, slots=True)
class DdlChange:
    """The changes that statements make to a catalog.

    Attributes:
        relations: the created or changed relations, in their new state.
        removed: the dropped relations, and the old names of renamed relations.
        renamed: the last new name, by the catalog's name.
        statements: for each name, the places of statements about it: ``change.sql:3``.
        namespaces: the namespaces that the statements create, or in which they create relations.
    """

    relations: Mapping[RelationName, Relation] = field(default_factory=dict)
    removed: frozenset[RelationName] = frozenset()
    renamed: Mapping[RelationName, RelationName] = field(default_factory=dict)
    statements: Mapping[RelationName, Sequence[str]] = field(default_factory=dict)
    namespaces: frozenset[Namespace] = frozenset()


def apply_ddl(
    catalog: Catalog | None,
    scripts: Iterable[Script],
    dialect: Dialect | None = None,
    *,
    tells_renames: bool = True,
    query_columns: QueryColumns = no_query_columns,
    catalogs: Mapping[str, NamedInDdl] = MappingProxyType({}),
) -> DdlChange:
    """The change made by the scripts in order; each script is a session that begins in ``default``.

    Reads a relation from the catalog when a statement names it; writes nothing. Without a dialect,
    statements are Hive's, and replaced views keep their dialect, as in ``DdlState``. Without a catalog
    no relation exists at first, and databases need not be created.

    ``catalogs``: the parts of the catalog that statements may name, by their names in SQL.

    ``query_columns`` gives the columns of tables that are created AS SELECT.

    ``tells_renames``: whether the catalog will know the renames after the scripts ran. A folder of DDL
    does; a metastore does not.

    Raises:
        MalformedDdl: the first statement that cannot be read or applied.
        CatalogUnavailable: the catalog does not answer.
    """
    state = DdlState(dialect, catalog, query_columns, catalogs)
    statements: dict[RelationName, list[str]] = {}
    for script in scripts:
        state.begin_session()
        for placed in read_statements(script.text, dialect or Dialect.HIVE):
            state.touched.clear()
            line = line_of(script.text, placed.offset)
            match placed.statement:
                case MalformedStatement(offset=offset, message=message):
                    raise MalformedDdl(script.label, line_of(script.text, offset), message)
                case statement:
                    try:
                        state.apply(statement)
                    except Refused as refused:
                        raise MalformedDdl(script.label, line, str(refused), refused.hint) from None
            for name in state.touched:
                statements.setdefault(name, []).append(f"{script.label}:{line}")
    renamed = {old: new for old, new in state.renamed.items() if new in state.relations}
    used = {name.place for name in state.relations}
    namespaces = frozenset((state.namespaces - {Namespace(DEFAULT_NAMESPACE)}) | used)
    made = dict(state.facts())
    if not tells_renames:
        made = {name: without_former_names(relation) for name, relation in made.items()}
    return DdlChange(made, frozenset(state.removed), renamed, statements, namespaces)


class ChangedCatalog:
    """A catalog as it would be after a change."""

    def __init__(self, beneath: Catalog, change: DdlChange) -> None:
        self._beneath = beneath
        self._change = change

    def namespaces(self) -> Sequence[Namespace]:
        return sorted({*self._beneath.namespaces(), *(n.place for n in self._change.relations)})

    def relations(self, namespace: Namespace) -> Sequence[RelationName]:
        added = {name for name in self._change.relations if name.place == namespace}
        return sorted({*self._beneath.relations(namespace), *added} - self._change.removed)

    def read(self, names: Sequence[RelationName]) -> Mapping[RelationName, Relation]:
        changed = self._change.relations
        hidden = self._change.removed | changed.keys()
        beneath = self._beneath.read([name for name in names if name not in hidden])
        return {**beneath, **{name: changed[name] for name in names if name in changed}}

    def current_event_id(self) -> int | None:
        return self._beneath.current_event_id()
