"""Resolves the SQL condition of a policy over the rows of one relation."""

from __future__ import annotations

from typing import NoReturn

from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Relation, ViewText
from lakeschema.translation.functions.semantics import Semantics
from lakeschema.translation.functions.udfs import declared_functions
from lakeschema.translation.model.errors import MalformedSql, Position, UnsupportedConstruct
from lakeschema.translation.model.interface import Options
from lakeschema.translation.plan.expressions import RowExpression, WindowCall, walk
from lakeschema.translation.plan.relations import Plan
from lakeschema.translation.resolution.context import Context
from lakeschema.translation.resolution.expressions import ExpressionResolver, require_boolean
from lakeschema.translation.resolution.names import names_in
from lakeschema.translation.resolution.scopes import relation_scope
from lakeschema.translation.syntax import tree
from lakeschema.translation.syntax.parsing import parse_query


def resolve_row_filter(
    text: str, rows: Plan, relation: Relation, semantics: Semantics, options: Options
) -> RowExpression:
    """The condition over ``rows``, the relation's rows; it is read like a view of the dialect.

    Raises:
        TranslationError: the text is not a condition on a single row, or names something unknown.
    """
    context = Context(
        semantics,
        names_in(
            ViewText(semantics.dialect, text, text, relation.name.namespace),
            relation.name.catalog,
            options,
        ),
        declared_functions(relation, options),
        _open_none,
        _resolve_none,
    )
    scope = relation_scope(rows, relation.name.parts, is_table=True)
    resolver = ExpressionResolver(context, scope, aggregates_allowed=False)
    condition = require_boolean(resolver.resolve(_parsed(text, semantics, options)))
    if any(isinstance(part, WindowCall) for part in walk(condition)):
        raise UnsupportedConstruct("a window function in a policy's filter")
    return condition


def _parsed(text: str, semantics: Semantics, options: Options) -> tree.Expression:
    # The line break ends a comment in the text. Parentheses are avoided, since the text could close
    # them and open others.
    query = parse_query(f"SELECT {text}\nAS kept", semantics.dialect, options.max_sql_bytes)
    match query:
        case tree.Select(items=(tree.SelectItem(expression=found, aliases=("kept",)),)) if (
            query == tree.Select(query.items)
        ):
            return found
        case _:
            raise MalformedSql(f"a policy's filter is not one condition: {text!r:.200}")


def _open_none(name: RelationName, _: Position | None) -> NoReturn:
    raise UnsupportedConstruct(f"relation {name} in a policy's filter")


def _resolve_none(_: tree.Query, __: Context) -> NoReturn:
    raise UnsupportedConstruct("a sub-query in a policy's filter")
