"""A writer's schema with the names that a reader's aliases give its types and fields.

As Java's ``Schema.applyAliases``: names are changed throughout the writer's schema before anything
is compared, whether or not a type of the old name exists in the reader's as well. Only where the
two schemas are equal, but for documentation, aliases and enums' defaults, no name is changed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from .errors import UnresolvableSchema
from .schema import Field, Node


def apply_aliases(writer: Node, reader: Node) -> None:
    """Changes the writer's nodes, which must be the caller's own.

    Raises:
        UnresolvableSchema: a record would have a field twice.
    """
    if _equal(writer, reader, set()):
        return
    aliases = _Aliases()
    aliases.collect(reader)
    for node in list(named_nodes(writer)):
        node.name = aliases.types.get(node.name, node.name)
        if node.kind == "record":
            _rename_fields(node, aliases.fields.get(node.name, {}))


def named_nodes(root: Node) -> Iterator[Node]:
    """Every named type of a schema, once."""
    met: set[int] = set()
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.name:
            if id(node) in met:
                continue
            met.add(id(node))
            yield node
        waiting.extend(node.branches)
        waiting.extend(field.node for field in node.fields)
        if node.kind in {"array", "map"}:
            waiting.append(node.items)


def _equal(one: Node, other: Node, met: set[tuple[int, int]]) -> bool:
    if (id(one), id(other)) in met:
        return True
    met.add((id(one), id(other)))
    return (
        one.kind == other.kind
        and one.name == other.name
        and one.size == other.size
        and one.symbols == other.symbols
        and one.properties == other.properties
        and len(one.branches) == len(other.branches)
        and all(_equal(a, b, met) for a, b in zip(one.branches, other.branches, strict=True))
        and len(one.fields) == len(other.fields)
        and all(_equal_fields(a, b, met) for a, b in zip(one.fields, other.fields, strict=True))
        and (one.kind not in {"array", "map"} or _equal(one.items, other.items, met))
    )


def _equal_fields(one: Field, other: Field, met: set[tuple[int, int]]) -> bool:
    return (
        one.name == other.name
        and one.has_default == other.has_default
        and json.dumps(one.default, sort_keys=True) == json.dumps(other.default, sort_keys=True)
        and one.order == other.order
        and one.properties == other.properties
        and _equal(one.node, other.node, met)
    )


class _Aliases:
    """``types``: alias to name. ``fields``: by a record's name, alias to name."""

    def __init__(self) -> None:
        self.types: dict[str, str] = {}
        self.fields: dict[str, dict[str, str]] = {}
        self._records: set[int] = set()

    def collect(self, node: Node) -> None:
        # In this order and again for each reference, since of two equal aliases the last counts.
        self.types.update((alias, node.name) for alias in node.aliases)
        for branch in node.branches:
            self.collect(branch)
        if node.kind in {"array", "map"}:
            self.collect(node.items)
        if node.kind == "record" and id(node) not in self._records:
            self._records.add(id(node))
            self._collect_fields(node)

    def _collect_fields(self, record: Node) -> None:
        for field in record.fields:
            for alias in field.aliases:
                self.fields.setdefault(record.name, {})[alias] = field.name
            self.collect(field.node)
        if record.name in self.fields:
            self.fields.update((alias, self.fields[record.name]) for alias in record.aliases)


def _rename_fields(record: Node, names: dict[str, str]) -> None:
    for field in record.fields:
        field.name = names.get(field.name, field.name)
    if len({field.name for field in record.fields}) != len(record.fields):
        raise UnresolvableSchema(record.name, "its aliases give the data's record a field twice")
