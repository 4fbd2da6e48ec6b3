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
    found: list[tree.TableName] = []
    _find(query, frozenset(), found)
    names = (
        relation_name(table.parts, view.current_namespace, view.current_catalog) for table in found
    )
    return tuple(dict.fromkeys(names))


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
