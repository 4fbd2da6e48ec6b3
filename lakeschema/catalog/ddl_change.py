"""DDL applied to a catalog as it is, on a copy: what would be there, and what would be gone."""

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
    """Some DDL and where it comes from, for people: a path, "standard input" …"""

    label: str
    text: str


@dataclass(frozen=True, slots=True)
class DdlChange:
    """What statements make of a catalog.

    Attributes:
        relations: those made or changed, as they would be.
        removed: those dropped, and the old names of those renamed.
        renamed: the last new name by the name that the catalog has.
        statements: for each name, where the statements stand that concern it: ``change.sql:3``.
        namespaces: those that the statements make, or make relations in.
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
    """The change that the scripts make, run in order, each as a session that begins in ``default``.

    What a statement names is read from the catalog when it is reached; nothing is written. As of
    ``DdlState``, no dialect means Hive's, and views that are replaced keep theirs; without a catalog,
    nothing is there at first, and databases need not be made.

    ``query_columns`` is asked for tables that are made AS SELECT.

    ``tells_renames``: the catalog will, too, after the scripts ran: a folder of DDL, not a metastore.

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
