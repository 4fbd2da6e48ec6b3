"""What the resolution of a view's text needs throughout."""

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
"""Gives the plan that stands for a relation: a scan of its interface, or an expanded view."""

ResolveQuery = Callable[[tree.Query, "Context"], Plan]
"""``queries.resolve_query``: queries hold expressions and FROM clauses, which hold queries."""


@dataclass(frozen=True, slots=True)
class Context:
    """What one query's parts share.

    Attributes:
        catalogs: the names of those that the text may name and that are this one.
        common_tables: by lower-case name, with the number of scopes around the WITH of each.
        outer: the scopes around, nearest first.
        numbers: one for each recursive table.
        keeps_tables: a WITH in what is read here makes no table of a name that is known already.
        read: an item of FROM whose scope is known already.
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
        """The plan of a query that stands in this context."""
        return self.resolve_query(query, self)

    def with_common_table(self, name: str, plan: Plan) -> Context:
        known = {**self.common_tables, name.lower(): (plan, len(self.outer))}
        return replace(self, common_tables=MappingProxyType(known))

    def common_table(self, name: str) -> Plan | None:
        """The table of WITH, as it is read here: what it reads of queries around is farther away."""
        plan, depth = self.common_tables.get(name.lower(), (None, 0))
        return None if plan is None else lift_plan(plan, len(self.outer) - depth)

    def keeping_tables(self) -> Context:
        """Of a table of WITH, or a sub-query in an expression: ``Semantics.outer_tables_first``."""
        return replace(self, keeps_tables=self.semantics.outer_tables_first)

    def inside(self, scope: Scope) -> Context:
        """The context of a sub-query that may refer to ``scope``."""
        return replace(self, outer=(scope, *self.outer))


OWN_CATALOGS: Final = frozenset({"spark_catalog", "hive"})


def catalogs_of(text: ViewText, spark_catalogs: frozenset[str]) -> frozenset[str]:
    """The catalogs that a text may name and that are the one in which the view is."""
    current = () if text.current_catalog is None else (text.current_catalog.lower(),)
    further = spark_catalogs if text.dialect is Dialect.SPARK else ()
    return OWN_CATALOGS.union(current, further)


def relation_name(
    parts: tuple[str, ...], namespace: tuple[str, ...], catalogs: frozenset[str]
) -> RelationName:
    """The relation that a name in the text means; the session's own catalog is not part of it."""
    lower = parts_of_one(tuple(part.lower() for part in parts))
    if not all(lower):
        raise MalformedSql("the name of a table is empty")
    if len(lower) == 1:
        return RelationName.of(*namespace, *lower)
    if len(lower) > len(namespace) + 1 and lower[0] in catalogs:
        lower = lower[1:]
    return RelationName.of(*lower)
