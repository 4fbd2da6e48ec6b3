"""The relations that a query reads, from its raw tree alone."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import ViewText
from lakeschema.translation.errors import Position
from lakeschema.translation.resolution.context import relation_name
from lakeschema.translation.syntax import tree

_Names = frozenset[str]


def relations_read(query: tree.Query, view: ViewText) -> tuple[RelationName, ...]:
    """Every table named, in order of first mention; the name of a CTE in scope is not one."""
    names = (
        relation_name(table.parts, view.current_namespace, view.current_catalog)
        for table in _tables(query)
    )
    return tuple(dict.fromkeys(names))


def reads_table(query: tree.Query, name: str) -> bool:
    """Whether the query reads the table of this name, in any case; a CTE of its own is another."""
    return any(
        table.parts[-1].lower() == name.lower() for table in _tables(query) if len(table.parts) == 1
    )


def _tables(query: tree.Query) -> list[tree.TableName]:
    found: list[tree.TableName] = []
    _find(query, frozenset(), found)
    return found


def _find(node: Any, common: _Names, found: list[tree.TableName]) -> None:
    """``common`` are the names of CTEs in scope."""
    if isinstance(node, tree.TableName):
        if len(node.parts) > 1 or node.parts[0].lower() not in common:
            found.append(node)
    elif isinstance(node, tree.With):
        for table in node.tables:
            own = {table.name.lower()}
            _find(table.query, common | own if node.recursive else common, found)
            common |= own
        _find(node.body, common, found)
    elif isinstance(node, tuple):
        for part in node:
            _find(part, common, found)
    else:
        for name in _children(node.__class__):
            _find(getattr(node, name), common, found)


@cache
def _children(kind: type) -> tuple[str, ...]:
    """The fields of a node's kind; a leaf has none."""
    if kind is Position or not is_dataclass(kind):
        return ()
    return tuple(field.name for field in fields(kind))
