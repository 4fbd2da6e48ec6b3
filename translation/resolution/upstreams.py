"""The relations that a query reads, from its raw tree alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from enum import Enum

from catalog.identifiers import RelationName
from catalog.relations import ViewText
from translation.errors import Position
from translation.resolution.context import relation_name
from translation.syntax import tree

_LEAVES = (str, int, type(None), Enum, Position)


def relations_read(query: tree.Query, view: ViewText) -> tuple[RelationName, ...]:
    """Every table named, in order of first mention; a CTE's name is none where it is in scope."""
    names = (
        relation_name(table.parts, view.current_namespace, view.current_catalog)
        for table in _tables(query, frozenset())
    )
    return tuple(dict.fromkeys(names))


def _tables(node: object, common: frozenset[str]) -> Iterator[tree.TableName]:
    if isinstance(node, tree.TableName):
        if len(node.parts) > 1 or node.parts[0].lower() not in common:
            yield node
    elif isinstance(node, tree.With):
        for table in node.tables:
            yield from _tables(table.query, common)
            common |= {table.name.lower()}
        yield from _tables(node.body, common)
    elif isinstance(node, tuple):
        for part in node:
            yield from _tables(part, common)
    elif is_dataclass(node) and not isinstance(node, type):
        for field in fields(node):
            value = getattr(node, field.name)
            if not isinstance(value, _LEAVES):
                yield from _tables(value, common)
