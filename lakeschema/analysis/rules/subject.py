"""The input of a rule: a parsed statement, and the statement with resolved names."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache, cached_property
from typing import Any, TypeAlias

from lakeschema.analysis import resolved as rs
from lakeschema.analysis.catalog import KnownCatalog
from lakeschema.analysis.resolving.shapes import Shapes
from lakeschema.analysis.syntax import statements as st
from lakeschema.analysis.walking import queries_of
from lakeschema.translation.model.errors import Position


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem and, if known, its place."""

    message: str
    position: Position | None = None


@dataclass(frozen=True)
class Subject:
    """The statement that rules examine; ``catalog`` is the catalog before the statement."""

    statement: st.Statement
    resolved: rs.Resolved
    catalog: KnownCatalog
    shapes: Shapes = field(default_factory=Shapes)

    @cached_property
    def nodes(self) -> tuple[object, ...]:
        """All nodes of the statement's tree, each before its parts; empty for EXPLAIN, which runs nothing."""
        if isinstance(self.statement, st.Explain):
            return ()
        return tuple(nodes_of(self.statement))

    @cached_property
    def queries(self) -> tuple[rs.Query, ...]:
        return tuple(queries_of(self.resolved))

    @cached_property
    def selects(self) -> tuple[rs.Select, ...]:
        return tuple(query for query in self.queries if isinstance(query, rs.Select))


Rule: TypeAlias = Callable[[Subject], Iterator[Finding]]


def nodes_of(node: object) -> Iterator[object]:
    """A node of a tree and everything below it, from left to right."""
    pending: list[Any] = [node]
    while pending:
        at = pending.pop()
        if isinstance(at, tuple):
            pending.extend(reversed(at))
            continue
        yield at
        pending.extend(
            part
            for name in reversed(_parts(at.__class__))
            if (part := getattr(at, name)).__class__ is tuple or is_dataclass(part)
        )


@cache
def _parts(of: Hashable) -> tuple[str, ...]:
    """The names of a class's fields that may contain nodes."""
    if not (isinstance(of, type) and is_dataclass(of)):
        return ()
    return tuple(each.name for each in fields(of) if each.name not in {"position", "text"})


def position_of(node: object) -> Position | None:
    """The position of the first part of a node that has a position."""
    for each in nodes_of(node):
        found: Position | None = getattr(each, "position", None)
        if found is not None:
            return found
    return None
