"""Resolves names of relations, in a deployment of one catalog or several.

The module ``name_resolution`` has the rules. A text may use more names for a catalog than the
settings list. Hive's SQL has no catalogs in front of a table.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from lakeschema.catalog.identifiers import RelationName, parts_of_one
from lakeschema.catalog.name_resolution import resolve_parts
from lakeschema.catalog.relations import Dialect, ViewText
from lakeschema.catalog.sessions import CatalogTraits, Session
from lakeschema.translation.model.errors import MalformedSql
from lakeschema.translation.model.interface import Options

_SESSION_CATALOGS: Final = frozenset({"spark_catalog", "hive"})
"""The names that engines give to the catalog of a Hive Metastore."""

_FOLDING: Final = CatalogTraits(folds_case=True)


@dataclass(frozen=True, slots=True)
class Names:
    """Resolves the names of relations in one text.

    Attributes:
        home: the catalog that has the view.
        session: the catalogs, named as in ``RelationName.catalog``, and the text's aliases for them.
        before_tables: the aliases that a table's name may follow directly, without a namespace.
            Aliases of the default catalog are left out, so that a database of the same name stays
            reachable.
    """

    dialect: Dialect
    home: str
    session: Session
    before_tables: frozenset[str]

    def relation(self, parts: tuple[str, ...]) -> RelationName:
        """The relation that a name in the text means.

        Raises:
            MalformedSql: a part is empty.
        """
        session = self.session
        if session.catalogs[session.current_catalog].folds_case:
            parts = parts_of_one(parts)
        if not all(parts):
            raise MalformedSql("the name of a table is empty")
        if len(parts) == 2 and not self._may_precede_table(parts[0]):
            parts = (session.current_catalog, *parts)
        found = resolve_parts(parts, session)
        return RelationName(found.identifier.namespace, found.identifier.name, found.catalog)

    def function(self, parts: tuple[str, ...]) -> RelationName:
        """The function that a name means; functions' names have no catalog."""
        return RelationName.of(*self.relation(parts).parts)

    def within(self, text: ViewText) -> Names:
        """The resolver for the view's text, or for the text of a SQL function that the view calls."""
        recorded, session = text.current_catalog, self.session
        named = session.catalog_named(recorded) if recorded else self.home
        current = self.home if named is None else named
        unknown = {recorded.lower(): current} if recorded and named is None else {}
        session = replace(
            session,
            current_catalog=current,
            chosen={current: text.current_namespace},
            aliases={**session.aliases, **unknown},
        )
        return replace(self, dialect=text.dialect, session=session)

    def _may_precede_table(self, name: str) -> bool:
        names = {name, name.lower()}
        return self.dialect is not Dialect.HIVE and not self.before_tables.isdisjoint(names)


def names_in(text: ViewText, home: str, options: Options) -> Names:
    """The resolver of names for a text; ``home`` is the catalog that has the view."""
    rules = options.catalogs
    traits = {rule.key: CatalogTraits(folds_case=rule.folds_case) for rule in rules.values()}
    catalogs = {"": _FOLDING, home: _FOLDING, **traits}
    own = options.spark_catalogs if text.dialect is Dialect.SPARK else frozenset()
    if catalogs[home].folds_case:
        own |= _SESSION_CATALOGS
    listed = {name: rule.key for name, rule in rules.items()}
    session = Session(catalogs, home, aliases={**dict.fromkeys(own, home), **listed})
    before_tables = frozenset(name for name, key in listed.items() if key)
    names = Names(text.dialect, home, session, before_tables).within(text)
    if not home:
        return names
    # A view of another catalog that recorded such a name means its own catalog.
    aliases = {**dict.fromkeys(_SESSION_CATALOGS, ""), **names.session.aliases}
    return replace(names, session=replace(names.session, aliases=aliases))
