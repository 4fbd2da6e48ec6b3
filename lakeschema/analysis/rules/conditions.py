"""Rules for conditions that are never true, or that make an engine read whole tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from lakeschema.analysis.rules.subject import Finding, Subject, position_of
from lakeschema.translation.syntax import tree

_COMPARISONS: Final = frozenset({"=", "==", "<>", "!=", "<", "<=", ">", ">="})
_NEVER_NULL: Final = frozenset({"count", "coalesce", "nvl", "ifnull", "isnull", "row_number"})


def equals_null(subject: Subject) -> Iterator[Finding]:
    """Finds comparisons with NULL, which are never true."""
    for node in subject.nodes:
        match node:
            case tree.Call(name, arguments) if name in _COMPARISONS and any(
                isinstance(each, tree.NullLiteral) for each in arguments
            ):
                yield Finding(f"{name} NULL is never true", position_of(node))
            case tree.Case(tree.Name() | tree.Call(), branches) if any(
                isinstance(when, tree.NullLiteral) for when, _ in branches
            ):
                yield Finding("WHEN NULL is never true", position_of(node))
            case _:
                pass


def not_in_nullable(subject: Subject) -> Iterator[Finding]:
    """Finds NOT IN a query that may return nulls: with a null it is never true."""
    for node in subject.nodes:
        match node:
            case tree.Call("not", (tree.InQuery(query=query) as test,)) if _may_be_null(query):
                yield Finding(
                    "NOT IN yields no row at all once its query yields a null", position_of(test)
                )
            case tree.Call("not", (tree.InList(items=items) as test,)) if any(
                isinstance(item, tree.NullLiteral) for item in items
            ):
                yield Finding("NOT IN a list with NULL is never true", position_of(test))
            case _:
                pass


def _may_be_null(query: tree.Query) -> bool:
    """Whether the query's column may be null; False only if the text itself excludes it."""
    while isinstance(query, tree.With | tree.Ordered):
        query = query.body
    if not isinstance(query, tree.Select) or len(query.items) != 1:
        return not isinstance(query, tree.ValuesQuery)
    value = query.items[0].expression
    if isinstance(value, tree.Call) and value.name.lower() in _NEVER_NULL:
        return False
    if isinstance(value, tree.StringLiteral | tree.NumberLiteral | tree.BooleanLiteral):
        return False
    return not (isinstance(value, tree.Name) and _is_tested(value, query.where))


def _is_tested(name: tree.Name, condition: tree.Expression | None) -> bool:
    """Whether a condition keeps only rows with a non-null column."""
    pending = [condition]
    while pending:
        at = pending.pop()
        match at:
            case tree.Call("and", arguments):
                pending += arguments
            case tree.Call("not", (tree.Call("is null", (tree.Name(parts),)),)):
                if parts[-1].lower() == name.parts[-1].lower():
                    return True
            case tree.Call(symbol, arguments) if symbol in _COMPARISONS:
                if any(
                    isinstance(each, tree.Name) and each.parts[-1].lower() == name.parts[-1].lower()
                    for each in arguments
                ):
                    return True
            case _:
                pass
    return False


def leading_wildcard(subject: Subject) -> Iterator[Finding]:
    """Finds LIKE with a pattern that begins with a wildcard: indexes and statistics do not help."""
    for node in subject.nodes:
        match node:
            case tree.Call(name, (_, tree.StringLiteral(pattern), *_)) if name in {
                "like",
                "ilike",
            } and pattern[:1] in {"%", "_"}:
                yield Finding(f"the pattern {pattern!r} begins with a wildcard", position_of(node))
            case _:
                pass


def nested_sort(subject: Subject) -> Iterator[Finding]:
    """Finds ORDER BY without LIMIT in a sub-query: the order is lost."""
    nodes = subject.nodes
    if any(isinstance(node, tree.Name) and node.parts[-1].lower() == "rownum" for node in nodes):
        # This may be Oracle's form of LIMIT.
        return
    for node in nodes:
        match node:
            case tree.FromQuery(query=query) | tree.CommonTable(query=query):
                pass
            case tree.InQuery(query=query) | tree.Exists(query=query):
                pass
            case _:
                continue
        while isinstance(query, tree.With):
            query = query.body
        match query:
            case tree.Ordered(order_by=keys, global_=True, limit=None, offset=None) if keys:
                yield Finding("a sub-query is sorted, and its order is lost", position_of(keys))
            case _:
                pass
