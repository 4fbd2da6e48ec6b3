"""Runs a session's statements on catalogs, with at most one call to a catalog for each statement.

No statement visits the namespaces below the namespace that it names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import assert_never

from lakeschema.catalog.abilities import (
    BrowsedCatalog,
    CreatesNamespaces,
    ListsFunctions,
    ListsViews,
    SupportsPathIdentifiers,
    abilities_of,
    loader_of,
    namespaces_of,
    tables_of,
)
from lakeschema.catalog.catalog_identifiers import CatalogIdentifier
from lakeschema.catalog.errors import (
    NamespaceExists,
    NamespaceMissing,
    Refusal,
    RelationMissing,
    SessionRefused,
)
from lakeschema.catalog.identifiers import Namespace
from lakeschema.catalog.name_patterns import NamePattern
from lakeschema.catalog.name_resolution import (
    FileSource,
    Resolution,
    Resolved,
    check_namespace,
    check_session_catalog,
    resolve,
)
from lakeschema.catalog.relations import Relation
from lakeschema.catalog.session_statements import (
    CreateNamespace,
    Describe,
    DropNamespace,
    Listed,
    Resolve,
    Show,
    ShowCatalogs,
    Statement,
    Use,
    UseCatalog,
    UseNamespace,
)
from lakeschema.catalog.sessions import CatalogTraits, Levels, Rules, Session


@dataclass(frozen=True, slots=True)
class NamesShown:
    """The names directly in a place, sorted: levels of namespaces, or a namespace and a name."""

    listed: Listed
    catalog: str
    namespace: Levels
    names: Sequence[Levels]


@dataclass(frozen=True, slots=True)
class CatalogShown:
    """A catalog; ``not_loaded`` says why it cannot be used."""

    name: str
    is_current: bool
    namespace: Levels
    abilities: Sequence[str]
    not_loaded: str = ""


@dataclass(frozen=True, slots=True)
class CatalogsShown:
    catalogs: Sequence[CatalogShown]


@dataclass(frozen=True, slots=True)
class NamespaceChanged:
    """The result of CREATE or DROP NAMESPACE; ``change`` is created, dropped or unchanged."""

    catalog: str
    namespace: Levels
    change: str


@dataclass(frozen=True, slots=True)
class SessionChanged:
    """The catalog that a statement chose, with its current namespace."""

    catalog: str
    namespace: Levels
    is_current: bool


@dataclass(frozen=True, slots=True)
class Described:
    """The catalog's facts about a table or view."""

    resolved: Resolved
    relation: Relation


Answer = NamesShown | CatalogsShown | NamespaceChanged | SessionChanged | Resolution | Described

Catalogs = Mapping[str, BrowsedCatalog]
"""Every catalog of the session that could be loaded, by its name."""


def run(statement: Statement, session: Session, catalogs: Catalogs) -> tuple[Session, Answer]:
    """The session afterwards, and the answer.

    Raises:
        SessionRefused: the statement is refused before a catalog is called.
        CatalogError: a catalog does not answer, or refuses.
    """
    match statement:
        case UseCatalog(text):
            return _chosen(session.in_catalog(_catalog(text, session)))
        case Use(parts):
            return _use(parts, session, catalogs)
        case UseNamespace(namespace, text):
            catalog = session.current_catalog if text is None else _catalog(text, session)
            used = _in_namespace(catalog, namespace, session, catalogs)
            return used, _session_changed(catalog, used)
        case ShowCatalogs(like):
            return session, _catalogs(like, session, catalogs)
        case Show():
            return session, _show(statement, session, catalogs)
        case CreateNamespace(parts, is_conditional):
            return session, _create(parts, is_conditional, session, catalogs)
        case DropNamespace(parts, is_conditional):
            return session, _drop(parts, is_conditional, session, catalogs)
        case Resolve(name):
            return session, resolve(name, session)
        case Describe(name):
            return session, _described(resolve(name, session), session, catalogs)
        case _:
            assert_never(statement)


def _catalog(text: str, session: Session) -> str:
    found = session.catalog_named(text)
    if found is None:
        raise session.unknown_catalog(text)
    return found


def _chosen(session: Session) -> tuple[Session, SessionChanged]:
    return session, _session_changed(session.current_catalog, session)


def _session_changed(catalog: str, session: Session) -> SessionChanged:
    is_current = catalog == session.current_catalog
    return SessionChanged(catalog, session.namespace_of(catalog), is_current)


def _use(parts: Levels, session: Session, catalogs: Catalogs) -> tuple[Session, Answer]:
    catalog = session.catalog_named(parts[0])
    if catalog is None:
        return _chosen(_in_namespace(session.current_catalog, parts, session, catalogs))
    used = session.in_catalog(catalog)
    return _chosen(_in_namespace(catalog, parts[1:], used, catalogs) if parts[1:] else used)


def _in_namespace(catalog: str, levels: Levels, session: Session, catalogs: Catalogs) -> Session:
    """Checks that the namespace exists, if the catalog has namespaces."""
    traits = session.loaded(catalog)
    namespace = _folded(levels, traits)
    if session.rules is Rules.SPARK and catalog == session.session_catalog and len(levels) != 1:
        raise NamespaceMissing(catalog, str(Namespace(namespace)))
    known = namespaces_of(catalog, catalogs[catalog])
    if known is not None:
        known.load_namespace(namespace)
    return session.in_namespace(catalog, namespace)


def _catalogs(like: str | None, session: Session, catalogs: Catalogs) -> CatalogsShown:
    shown = (
        CatalogShown(
            session.name_in_text(name),
            name == session.current_catalog,
            session.namespace_of(name),
            () if traits.not_loaded else abilities_of(name, catalogs[name]),
            traits.not_loaded,
        )
        for name, traits in sorted(session.catalogs.items())
    )
    pattern = None if like is None else NamePattern(like, session.rules, folds_case=False)
    return CatalogsShown([each for each in shown if pattern is None or pattern.fits(each.name)])


def _show(show: Show, session: Session, catalogs: Catalogs) -> NamesShown:
    catalog, levels = _place(show, session)
    traits = session.loaded(catalog)
    namespace = _folded(levels, traits)
    pattern = (
        None
        if show.like is None
        else NamePattern(show.like, session.rules, folds_case=traits.folds_case)
    )
    if show.listed is Listed.NAMESPACES:
        prefix = "" if pattern is None else pattern.prefix
        names = _child_namespaces(catalog, namespace, prefix, catalogs)
    else:
        check_namespace(catalog, traits, namespace)
        check_session_catalog(catalog, namespace, session)
        found = _lister(show.listed, catalog, catalogs)(namespace)
        names = [each.parts for each in found]
    fitting = (name for name in names if pattern is None or pattern.fits(name[-1]))
    return NamesShown(show.listed, catalog, namespace, sorted(fitting))


def _place(show: Show, session: Session) -> tuple[str, Levels]:
    """The catalog and namespace to list, from the name after IN.

    By the proposal, this name begins with a catalog. In Spark it may also be a namespace of the
    current catalog.
    """
    if show.place is None:
        is_listed_in = show.listed is not Listed.NAMESPACES
        return session.current_catalog, session.current_namespace if is_listed_in else ()
    first, *levels = show.place
    catalog = session.catalog_named(first)
    if catalog is not None:
        return catalog, tuple(levels)
    if session.rules is Rules.SPARK:
        return session.current_catalog, show.place
    refused = session.unknown_catalog(first)
    place = Namespace((session.current_catalog, *show.place))
    written = f"to list a namespace of the current catalog, write IN {place}"
    raise SessionRefused(refused.kind, refused.message, f"{refused.hint}; {written}")


def _child_namespaces(
    catalog: str, parent: Levels, prefix: str, catalogs: Catalogs
) -> Sequence[Levels]:
    known = namespaces_of(catalog, catalogs[catalog])
    if known is None:
        raise SessionRefused(
            Refusal.NO_NAMESPACES,
            f"catalog {catalog} has no namespaces",
            f"to see its tables: SHOW TABLES IN {Namespace((catalog,))}",
        )
    return known.list_namespaces(parent, prefix) if prefix else known.list_namespaces(parent)


def _lister(
    listed: Listed, name: str, catalogs: Catalogs
) -> Callable[[Levels], Iterable[CatalogIdentifier]]:
    catalog = catalogs[name]
    match listed:
        case Listed.VIEWS if isinstance(catalog, ListsViews):
            return catalog.list_views
        case Listed.FUNCTIONS if isinstance(catalog, ListsFunctions):
            return catalog.list_functions
        case Listed.TABLES:
            return tables_of(catalog).list_tables
        case _:
            raise SessionRefused(
                Refusal.NO_ABILITY,
                f"catalog {name} cannot list {listed.value}",
                "SHOW CATALOGS shows the abilities of each catalog; SHOW TABLES always works",
            )


def _create(
    parts: Levels, is_conditional: bool, session: Session, catalogs: Catalogs
) -> NamespaceChanged:
    catalog, namespace, creating = _to_change(parts, "create", session, catalogs)
    try:
        creating.create_namespace(namespace, {})
    except NamespaceExists:
        if not is_conditional:
            raise
        return NamespaceChanged(catalog, namespace, "unchanged")
    return NamespaceChanged(catalog, namespace, "created")


def _drop(
    parts: Levels, is_conditional: bool, session: Session, catalogs: Catalogs
) -> NamespaceChanged:
    catalog, namespace, creating = _to_change(parts, "drop", session, catalogs)
    try:
        creating.drop_namespace(namespace)
    except NamespaceMissing:
        if not is_conditional:
            raise
        return NamespaceChanged(catalog, namespace, "unchanged")
    return NamespaceChanged(catalog, namespace, "dropped")


def _to_change(
    parts: Levels, verb: str, session: Session, catalogs: Catalogs
) -> tuple[str, Levels, CreatesNamespaces]:
    """The catalog and namespace to change. Rule 2 of ``name_resolution`` finds the catalog.

    The current namespace never counts, as in Spark.
    """
    named = session.catalog_named(parts[0]) if len(parts) > 1 else None
    name = session.current_catalog if named is None else named
    namespace = _folded(parts if named is None else parts[1:], session.loaded(name))
    catalog = catalogs[name]
    if not isinstance(catalog, CreatesNamespaces):
        raise SessionRefused(
            Refusal.NO_ABILITY,
            f"catalog {name} cannot {verb} namespaces",
            "use the catalog's own tools; SHOW CATALOGS shows the abilities of each catalog",
        )
    check_session_catalog(name, namespace, session)
    return name, namespace, catalog


def _described(meaning: Resolution, session: Session, catalogs: Catalogs) -> Described:
    match meaning:
        case Resolved():
            resolved = meaning
        case FileSource(table=table):
            resolved = table
        case _:
            raise SessionRefused(
                Refusal.NO_ABILITY,
                f"{meaning.name} is a temporary view of the session, in no catalog",
                "name a table or view of a catalog",
            )
    relation = _load(resolved, catalogs[resolved.catalog])
    if relation is None:
        identifier = resolved.identifier
        levels = () if identifier.is_path else identifier.namespace
        place = Namespace((session.name_in_text(resolved.catalog), *levels))
        raise RelationMissing(resolved.catalog, str(Namespace(identifier.parts)), str(place))
    return Described(resolved, relation)


def _load(resolved: Resolved, catalog: BrowsedCatalog) -> Relation | None:
    identifier = resolved.identifier
    if identifier.is_path and isinstance(catalog, SupportsPathIdentifiers):
        return catalog.load_path(identifier)
    loader = loader_of(catalog)
    if loader is None:
        raise SessionRefused(
            Refusal.NO_ABILITY,
            f"catalog {resolved.catalog} cannot load tables",
            "RESOLVE shows the meaning of the name",
        )
    return loader.load_table(identifier)


def _folded(levels: Levels, traits: CatalogTraits) -> Levels:
    return tuple(map(traits.fold, levels))
