"""The state in which names are resolved: the catalogs, and the current catalog and namespaces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from types import MappingProxyType
from typing import Final

from lakeschema.catalog.errors import Refusal, SessionRefused

SPARKS_SESSION_CATALOG: Final = "spark_catalog"

Levels = tuple[str, ...]


class Rules(Enum):
    """The rules that give a name its meaning.

    PROPOSAL is for our own commands. SPARK is for names inside Spark SQL text, as Spark 3.5 and
    4.3 resolve them.
    """

    PROPOSAL = "proposal"
    SPARK = "spark"


@dataclass(frozen=True, slots=True)
class CatalogTraits:
    """The traits of a registered catalog that name resolution depends on.

    Attributes:
        has_namespaces: whether it has namespaces; otherwise it only gets identifiers with an empty
            namespace.
        takes_paths: whether a path may identify its tables.
        default_namespace: the current namespace until a statement chooses another one.
        folds_case: whether it compares names regardless of letter case.
        not_loaded: why the catalog cannot be used; "" if it can.
    """

    has_namespaces: bool = True
    takes_paths: bool = False
    default_namespace: Levels = ()
    folds_case: bool = False
    not_loaded: str = ""

    def fold(self, text: str) -> str:
        """The text in the letter case by which the catalog compares names."""
        return text.lower() if self.folds_case else text


@dataclass(frozen=True, slots=True)
class Session:
    """The state of a session, as a value: each change makes another session.

    Attributes:
        catalogs: every registered catalog by its name, also those that cannot be loaded.
        chosen: the current namespace of each catalog for which one was chosen.
        session_catalog: the catalog that Spark calls ``spark_catalog``; for Spark's rules only.
        temporary_views: their names in lower case; for Spark's rules only.
        aliases: further texts that name a catalog. Those in lower case count in any letter case.
    """

    catalogs: Mapping[str, CatalogTraits]
    current_catalog: str
    chosen: Mapping[str, Levels] = field(default_factory=lambda: MappingProxyType({}))
    rules: Rules = Rules.PROPOSAL
    session_catalog: str = SPARKS_SESSION_CATALOG
    temporary_views: frozenset[str] = frozenset()
    aliases: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    def __post_init__(self) -> None:
        needed = [self.current_catalog, *self.chosen]
        if self.rules is Rules.SPARK:
            needed.append(self.session_catalog)
        for name in needed:
            if name not in self.catalogs:
                raise self.unknown_catalog(name)
        is_another = self.session_catalog != SPARKS_SESSION_CATALOG in self.catalogs
        if self.rules is Rules.SPARK and is_another:
            raise ValueError(f"{SPARKS_SESSION_CATALOG} must itself be Spark's session catalog")

    @property
    def current_namespace(self) -> Levels:
        return self.namespace_of(self.current_catalog)

    def namespace_of(self, catalog: str) -> Levels:
        """The catalog's current namespace."""
        chosen = self.chosen.get(catalog)
        return self.catalogs[catalog].default_namespace if chosen is None else chosen

    def catalog_named(self, text: str) -> str | None:
        """The registered catalog that this text names; None for another text.

        Spark finds its session catalog in any letter case, and only by Spark's name for it.
        """
        if self.rules is Rules.SPARK:
            if text.lower() == SPARKS_SESSION_CATALOG:
                return self.session_catalog
            if text == self.session_catalog:
                return None
        if text in self.catalogs:
            return text
        return self.aliases.get(text, self.aliases.get(text.lower()))

    def name_in_text(self, catalog: str) -> str:
        """The text that names the catalog: ``catalog_named`` finds the catalog by it."""
        is_sparks = self.rules is Rules.SPARK and catalog == self.session_catalog
        return SPARKS_SESSION_CATALOG if is_sparks else catalog

    def loaded(self, catalog: str) -> CatalogTraits:
        """The traits of a registered catalog.

        Raises:
            SessionRefused: it cannot be loaded. No other catalog takes its place.
        """
        traits = self.catalogs[catalog]
        if traits.not_loaded:
            raise SessionRefused(
                Refusal.NOT_LOADED,
                f"catalog {catalog} cannot be loaded: {traits.not_loaded}",
                "correct its settings; another catalog is never used in its place",
            )
        return traits

    def unknown_catalog(self, text: str) -> SessionRefused:
        known = ", ".join(sorted(map(self.name_in_text, self.catalogs)))
        return SessionRefused(
            Refusal.UNKNOWN_CATALOG, f"{text!r} is not a catalog", f"the catalogs are: {known}"
        )

    def in_catalog(self, catalog: str) -> Session:
        """The session after a choice of a catalog.

        By the proposal each catalog keeps its own current namespace. Spark has a single current
        namespace: a change of the catalog resets it.
        """
        self.loaded(catalog)
        if self.rules is Rules.PROPOSAL or catalog == self.current_catalog:
            return replace(self, current_catalog=catalog)
        return replace(self, current_catalog=catalog, chosen=MappingProxyType({}))

    def in_namespace(self, catalog: str, namespace: Levels) -> Session:
        """The session after a choice of a catalog's namespace; the current catalog stays."""
        self.loaded(catalog)
        return replace(self, chosen=MappingProxyType({**self.chosen, catalog: namespace}))
