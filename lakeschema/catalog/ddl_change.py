"""Applies DDL to a copy of a catalog: the relations that would exist and those that would be gone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from lakeschema.catalog.ddl_reader import MalformedStatement, read_statements
from lakeschema.catalog.ddl_state import (
    DEFAULT_NAMESPACE,
    DdlState,
    QueryColumns,
    Refused,
    no_query_columns,
)
from lakeschema.catalog.ddl_tokens import line_of
from lakeschema.catalog.errors import MalformedDdl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Catalog, Dialect, Relation, without_former_names


@dataclass(frozen=True, slots=True)
class Script:
    """DDL and its origin, for people: a path, "standard input" …"""

    label: str
    text: str


@dataclass(frozen=True, slots=True)
class DdlChange:
    """The changes that statements make to a catalog.

    Attributes:
        relations: the created or changed relations, as they would be.
        removed: the dropped relations, and old names of renamed ones.
        renamed: the last new name, by the catalog's name.
        statements: for each name, the places of statements about it: ``change.sql:3``.
        namespaces: those that the statements create, or create relations in.
    """

    relations: Mapping[RelationName, Relation] = field(default_factory=dict)
    removed: frozenset[RelationName] = frozenset()
    renamed: Mapping[RelationName, RelationName] = field(default_factory=dict)
    statements: Mapping[RelationName, Sequence[str]] = field(default_factory=dict)
    namespaces: frozenset[tuple[str, ...]] = frozenset()


def apply_ddl(
    catalog: Catalog | None,
    scripts: Iterable[Script],
    dialect: Dialect | None = None,
    *,
    tells_renames: bool = True,
    query_columns: QueryColumns = no_query_columns,
) -> DdlChange:
    """The change made by the scripts, run in order, each as a session that begins in ``default``.

    Relations are read from the catalog when a statement names them; nothing is written. As in
    ``DdlState``, no dialect means Hive's, and replaced views keep their own. Without a catalog
    nothing exists at first, and databases need not be created.

    ``query_columns`` gives the columns of tables that are created AS SELECT.

    ``tells_renames``: the catalog itself will know the renames after the scripts ran, as a folder
        of DDL does and a metastore does not.

    Raises:
        MalformedDdl: the first statement that cannot be read or applied.
        CatalogUnavailable: the catalog does not answer.
    """
    state = DdlState(dialect, catalog, query_columns)
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
    used = {name.namespace for name in state.relations}
    namespaces = frozenset((state.namespaces - {DEFAULT_NAMESPACE}) | used)
    made = dict(state.facts())
    if not tells_renames:
        made = {name: without_former_names(relation) for name, relation in made.items()}
    return DdlChange(made, frozenset(state.removed), renamed, statements, namespaces)


class ChangedCatalog:
    """A catalog as it would be after a change."""

    def __init__(self, beneath: Catalog, change: DdlChange) -> None:
        self._beneath = beneath
        self._change = change

    def namespaces(self) -> Sequence[tuple[str, ...]]:
        return sorted({*self._beneath.namespaces(), *(n.namespace for n in self._change.relations)})

    def relations(self, namespace: tuple[str, ...]) -> Sequence[RelationName]:
        added = {name for name in self._change.relations if name.namespace == namespace}
        return sorted({*self._beneath.relations(namespace), *added} - self._change.removed)

    def read(self, names: Sequence[RelationName]) -> Mapping[RelationName, Relation]:
        changed = self._change.relations
        hidden = self._change.removed | changed.keys()
        beneath = self._beneath.read([name for name in names if name not in hidden])
        return {**beneath, **{name: changed[name] for name in names if name in changed}}

    def current_event_id(self) -> int | None:
        return self._beneath.current_event_id()
