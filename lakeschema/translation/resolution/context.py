"""The context in which a view's text is resolved."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.functions.semantics import Semantics
from lakeschema.translation.functions.udfs import DeclaredFunctions
from lakeschema.translation.model.errors import Position
from lakeschema.translation.plan.relations import Plan
from lakeschema.translation.plan.rewriting import lift_plan
from lakeschema.translation.resolution.names import Names
from lakeschema.translation.resolution.routines import Routines
from lakeschema.translation.resolution.scopes import Scope
from lakeschema.translation.syntax import tree

OpenRelation = Callable[[RelationName, Position | None], Plan]
"""Returns a relation's plan: a scan, or the plan of a view that is expanded in place."""

ResolveQuery = Callable[[tree.Query, "Context"], Plan]
"""``queries.resolve_query``. It is passed as a value, because its module imports this module."""


@dataclass(frozen=True, slots=True)
class Context:
    """The context that one query's parts share.

    Attributes:
        names: resolves names of relations.
        common_tables: the plan of each table of WITH and the number of scopes around that WITH, by
            the table's name in lower case.
        outer: the scopes of the enclosing queries, nearest first.
        numbers: the numbers for recursive tables that are not used yet.
        keeps_tables: whether an inner WITH cannot redefine a table of an outer WITH.
        read: an item of FROM and its scope, if they are already resolved.
    """

    semantics: Semantics
    names: Names
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
        """The plan of a table of WITH; the levels of its outer references fit this query."""
        plan, depth = self.common_tables.get(name.lower(), (None, 0))
        return None if plan is None else lift_plan(plan, len(self.outer) - depth)

    def keeping_tables(self) -> Context:
        """The context for a table of WITH, or for a sub-query in an expression.

        See ``Semantics.outer_tables_first``.
        """
        return replace(self, keeps_tables=self.semantics.outer_tables_first)

    def inside(self, scope: Scope) -> Context:
        """The context of a sub-query that may refer to ``scope``."""
        return replace(self, outer=(scope, *self.outer))
