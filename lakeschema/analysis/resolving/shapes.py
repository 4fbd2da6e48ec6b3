"""Finds the known columns of relations and queries."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from lakeschema.analysis import resolved as rs


@dataclass(frozen=True)
class Shape:
    """The columns of one relation or query.

    Attributes:
        names: the names of the known columns, in order, as written.
        open_at: the relations whose unknown columns also belong to this relation or query, each
            with the number of ``names`` before its columns.
    """

    names: tuple[str, ...]
    open_at: tuple[tuple[int, rs.Relation], ...] = ()

    @cached_property
    def positions(self) -> dict[str, int]:
        """The positions of columns by lower-case name; the first of equal names wins."""
        found: dict[str, int] = {}
        for position, name in enumerate(self.names):
            found.setdefault(name.lower(), position)
        return found

    def has(self, name: str) -> bool:
        return name in self.positions

    @property
    def is_open(self) -> bool:
        return bool(self.open_at)


class Shapes:
    """Caches the shape of each query and relation, since many names are looked up in each."""

    def __init__(self) -> None:
        # The values keep the objects alive: the keys are ids, which Python reuses after an object's end.
        self._found: dict[int, tuple[object, Shape]] = {}

    def of(self, node: rs.Relation | rs.Query) -> Shape:
        found = self._found.get(id(node))
        if found is not None:
            return found[1]
        shape = self._shape(node)
        if not (isinstance(node, rs.Recursive) and node.query is None):
            self._found[id(node)] = (node, shape)
        return shape

    def _shape(self, node: rs.Relation | rs.Query) -> Shape:
        match node:
            case rs.Scan(columns=columns) | rs.Generated(columns=columns):
                return Shape((), ((0, node),)) if columns is None else Shape(columns)
            case rs.Derived(query, names) | rs.Renamed(query, names):
                inner = self.of(query)
                if not names:
                    return inner
                rest = inner.names[len(names) :]
                kept = tuple((at, r) for at, r in inner.open_at if at >= len(names))
                return Shape((*names, *rest), kept)
            case rs.Joined(left, right):
                return _beside((self.of(left), self.of(right)))
            case rs.Select(items=items):
                return _of_items(items)
            case rs.Combined(branches=branches):
                return self.of(branches[0])
            case rs.Rows(columns=columns):
                return Shape(tuple(f"col{n}" for n in range(1, len(columns) + 1)))
            case rs.Recursive(query=query):
                return Shape(tuple(node.unread)) if query is None else self.of(query)


def _of_items(items: Iterable[rs.Item | rs.OpenStar]) -> Shape:
    names: list[str] = []
    open_at: list[tuple[int, rs.Relation]] = []
    for item in items:
        if isinstance(item, rs.OpenStar):
            open_at.append((len(names), item.relation))
        else:
            names.append(item.name)
    return Shape(tuple(names), tuple(open_at))


def _beside(shapes: Iterable[Shape]) -> Shape:
    names: list[str] = []
    open_at: list[tuple[int, rs.Relation]] = []
    for shape in shapes:
        open_at += [(at + len(names), relation) for at, relation in shape.open_at]
        names += shape.names
    return Shape(tuple(names), tuple(open_at))
