"""Finds the relations that a query reads, from its syntax tree alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from operator import attrgetter
from typing import Any

from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import ViewText
from lakeschema.catalog.sql_functions import SqlFunction
from lakeschema.translation.functions.binding import find
from lakeschema.translation.model.errors import Position
from lakeschema.translation.resolution.names import Names
from lakeschema.translation.resolution.routines import spelling_of, text_of
from lakeschema.translation.syntax import tree
from lakeschema.translation.syntax.parsing import parse_body

_Names = frozenset[str]


def relations_read(query: tree.Query, view: ViewText, context: Names) -> tuple[RelationName, ...]:
    """The relations that the query names, in order of first mention, without CTEs.

    Relations that its SQL functions read, directly or through other functions, come last.
    """
    names = _named(tables_named(query), context)
    known = {function.name: function for function in view.functions}
    if known:
        waiting = _called(query, view, context, known)
        reached: set[RelationName] = set()
        while waiting:
            function = waiting.pop(0)
            if function.name in reached:
                continue
            reached.add(function.name)
            text = text_of(function)
            within = context.within(text)
            for part in function.texts:
                body = parse_body(part, spelling_of(text))
                names += _named(tables_named(body), within)
                waiting += _called(body, text, within, known)
    return tuple(dict.fromkeys(names))


def _named(tables: list[tree.TableName], context: Names) -> list[RelationName]:
    return [context.relation(table.parts) for table in tables]


def _called(
    node: tree.Query | tree.Expression,
    view: ViewText,
    context: Names,
    known: Mapping[RelationName, SqlFunction],
) -> list[SqlFunction]:
    found: list[SqlFunction] = []
    stack: list[Any] = [node]
    while stack:
        part = stack.pop()
        if isinstance(part, tuple):
            stack.extend(reversed(part))
            continue
        if isinstance(part, tree.Call) and (
            part.qualifier or find(part.name.lower(), view.dialect) is None
        ):
            name = context.function((*part.qualifier, part.name))
            found += [known[name]] if name in known else []
        if part.__class__ not in _LEAVES:
            stack.extend(_parts(part))
    return found


def reads_table(query: tree.Query, name: str) -> bool:
    """Whether the query reads a table of this name in any letter case; its own CTEs do not count."""
    return any(
        table.parts[-1].lower() == name.lower()
        for table in tables_named(query)
        if len(table.parts) == 1
    )


def tables_named(query: tree.Query | tree.Expression) -> list[tree.TableName]:
    """Each mention of a table in a text, except those that mean a CTE."""
    found: list[tree.TableName] = []
    _find(query, frozenset(), found)
    return found


def _find(node: Any, common: _Names, found: list[tree.TableName]) -> None:
    """Adds the relations below a node to ``found``; ``common`` are the names of CTEs in scope."""
    stack: list[Any] = [node]
    while stack:
        part = stack.pop()
        if part.__class__ in _LEAVES:
            continue
        if isinstance(part, tuple):
            stack.extend(part[::-1])
        elif isinstance(part, tree.TableName):
            if len(part.parts) > 1 or part.parts[0].lower() not in common:
                found.append(part)
        elif isinstance(part, tree.With):
            known = common
            for table in part.tables:
                own = {table.name.lower()}
                _find(table.query, known | own if part.recursive else known, found)
                known |= own
            _find(part.body, known, found)
        else:
            stack.extend(_parts(part))


def nodes(query: tree.Query) -> Iterator[Any]:
    """Every node of the syntax tree, a node before its parts."""
    stack: list[Any] = [query]
    while stack:
        part = stack.pop()
        if isinstance(part, tuple):
            stack.extend(part[::-1])
        elif part.__class__ not in _LEAVES:
            yield part
            stack.extend(_parts(part))


_LEAVES = frozenset({str, bool, int, type(None), Position})


def _parts(node: Any) -> tuple[Any, ...]:
    """A node's parts, the last first; a leaf has no parts."""
    take = _taker(node.__class__)
    return () if take is None else take(node)


@cache
def _taker(kind: type) -> Callable[[Any], tuple[Any, ...]] | None:
    if not is_dataclass(kind):
        return None
    names = [field.name for field in reversed(fields(kind)) if not _is_plain(str(field.type))]
    if len(names) > 1:
        return attrgetter(*names)
    return (lambda node: tuple(getattr(node, name) for name in names)) if names else None


def _is_plain(annotation: str) -> bool:
    """Whether a field of this type contains no node, such as ``tuple[str, ...]`` or ``Position | None``."""
    return _PLAIN.issuperset(re.findall(r"\w+", annotation))


_PLAIN = frozenset({"None", "Position", "bool", "int", "str", "tuple"})
