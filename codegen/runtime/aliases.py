"""Renames a writer's types and fields by the aliases of a reader's schema.

Works like Java's ``Schema.applyAliases``: it renames everything in the writer's schema before any types are
compared, even if the reader's schema also has a type with the old name. It renames nothing if the two schemas
differ only in documentation, aliases and enum defaults.
"""

from __future__ import annotations

from collections.abc import Iterator

from .equality import equal
from .errors import UnresolvableSchema
from .schema import Node


def apply_aliases(writer: Node, reader: Node) -> None:
    """Changes the writer's nodes in place.

    Raises:
        UnresolvableSchema: two fields of a record, or two branches of a union, get one name.
    """
    if equal(writer, reader):
        return
    aliases = _Aliases()
    aliases.collect(reader)
    for node in list(nodes(writer)):
        if node.name:
            node.name = aliases.types.get(node.name, node.name)
        if node.kind == "record":
            _rename_fields(node, aliases.fields.get(node.name, {}))
    for node in nodes(writer):
        names = [branch.title for branch in node.branches]
        if len(set(names)) != len(names):
            raise UnresolvableSchema(
                "", "the reader's aliases give two branches of the writer's union one name"
            )


def nodes(root: Node) -> Iterator[Node]:
    """Every type of a schema; a named type occurs once."""
    met: set[int] = set()
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if id(node) in met:
            continue
        met.add(id(node))
        yield node
        waiting.extend(node.branches)
        waiting.extend(field.node for field in node.fields)
        if node.kind in {"array", "map"}:
            waiting.append(node.items)


class _Aliases:
    """The aliases in a schema.

    ``types`` maps an alias to a type's name. ``fields`` does the same for the fields of each record.
    """

    def __init__(self) -> None:
        self.types: dict[str, str] = {}
        self.fields: dict[str, dict[str, str]] = {}
        self._records: set[int] = set()

    def collect(self, node: Node) -> None:
        # The order matters, and so does the repetition for each reference: the last of two equal aliases
        # wins.
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
        raise UnresolvableSchema(
            record.name, "the reader's aliases give two fields of the writer's record one name"
        )
