"""The context in which a view's text is resolved."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final

from lakeschema.catalog.identifiers import RelationName, parts_of_one
from lakeschema.catalog.relations import Dialect, ViewText
from lakeschema.translation.functions.semantics import Semantics
from lakeschema.translation.functions.udfs import DeclaredFunctions
from lakeschema.translation.model.errors import MalformedSql, Position
from lakeschema.translation.plan.relations import Plan
from lakeschema.translation.plan.rewriting import lift_plan
from lakeschema.translation.resolution.routines import Routines
from lakeschema.translation.resolution.scopes import Scope
from lakeschema.translation.syntax import tree

OpenRelation = Callable[[RelationName, Position | None], Plan]
"""Gives a relation's plan: a scan of its interface, or an expanded view."""

ResolveQuery = Callable[[tree.Query, "Context"], Plan]
"""``queries.resolve_query``, injected because queries, expressions and FROM clauses are recursive."""


@dataclass(frozen=True, slots=True)
class Context:
    """The context that one query's parts share.

    Attributes:
        catalogs: the names that the text may use for the view's own catalog.
        common_tables: by lower-case name, each with the number of scopes around its WITH.
        outer: the enclosing scopes, nearest first.
        numbers: gives each recursive table a number.
        keeps_tables: a WITH inside does not redefine a known table.
        read: an item of FROM whose scope is already known.
    """

    semantics: Semantics
    namespace: tuple[str, ...]
    catalogs: frozenset[str]
    functions: DeclaredFunctions
    open_relation: OpenRelation
    resolve_query: ResolveQuery
    common_tables: Mapping[str, tuple[Plan, int]] = field(
        default_factory=lambda: MappingProxyType({})
    )
    outer: tuple[Scope, ...] = ()
    numbers: Iterator[int] = field(default_factory=itertools.count)
    keeps_tables: bool = False
    routines: Routines = field(default_factory=Routines)
    read: tuple[tree.FromItem, Scope] | None = None

    def plan_of(self, query: tree.Query) -> Plan:
        return self.resolve_query(query, self)

    def with_common_table(self, name: str, plan: Plan) -> Context:
        known = {**self.common_tables, name.lower(): (plan, len(self.outer))}
        return replace(self, common_tables=MappingProxyType(known))

    def common_table(self, name: str) -> Plan | None:
        """The table of WITH, with its references to enclosing queries lifted to this depth."""
        plan, depth = self.common_tables.get(name.lower(), (None, 0))
        return None if plan is None else lift_plan(plan, len(self.outer) - depth)

    def keeping_tables(self) -> Context:
        """For a table of WITH or a sub-query in an expression; see ``Semantics.outer_tables_first``."""
        return replace(self, keeps_tables=self.semantics.outer_tables_first)

    def inside(self, scope: Scope) -> Context:
        """The context of a sub-query that may refer to ``scope``."""
        return replace(self, outer=(scope, *self.outer))


OWN_CATALOGS: Final = frozenset({"spark_catalog", "hive"})


def catalogs_of(text: ViewText, spark_catalogs: frozenset[str]) -> frozenset[str]:
    """The names that a text may use for the view's own catalog."""
    current = () if text.current_catalog is None else (text.current_catalog.lower(),)
    further = spark_catalogs if text.dialect is Dialect.SPARK else ()
    return OWN_CATALOGS.union(current, further)


def relation_name(
    parts: tuple[str, ...], namespace: tuple[str, ...], catalogs: frozenset[str]
) -> RelationName:
    """The relation that a name in the text means, without the session's own catalog."""
    lower = parts_of_one(tuple(part.lower() for part in parts))
    if not all(lower):
        raise MalformedSql("the name of a table is empty")
    if len(lower) == 1:
        return RelationName.of(*namespace, *lower)
    if len(lower) > len(namespace) + 1 and lower[0] in catalogs:
        lower = lower[1:]
    return RelationName.of(*lower)
