"""Reads Spark's pipe syntax: each operator after ``|>`` is a query over the result so far."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from lakeschema.translation.model.errors import UnsupportedConstruct
from lakeschema.translation.syntax import tree
from lakeschema.translation.syntax.queries import Queries

_STAR: Final = (tree.SelectItem(tree.Star()),)
_ORDERING: Final = frozenset({"ORDER", "SORT", "CLUSTER", "DISTRIBUTE", "LIMIT", "OFFSET"})
_COMBINING: Final = frozenset({"UNION", "INTERSECT", "EXCEPT", "MINUS"})
_JOINING: Final = frozenset(
    {"JOIN", "NATURAL", "INNER", "CROSS", "LEFT", "RIGHT", "FULL", "SEMI", "ANTI", "LATERAL"}
)


class Pipes(Queries):
    """The whole grammar of a view's text."""

    def piped(self, query: tree.Query) -> tree.Query:
        levels = 0
        while self.take("|>") or (self.bar_pipes() and self.take("|")):
            # Each operator reads the one before as a sub-query.
            self.deeper()
            levels += 1
            query = self._operator(query)
        for _ in range(levels):
            self.shallower()
        return query

    def _operator(self, query: tree.Query) -> tree.Query:
        word = self.word
        if word in _ORDERING:
            return self.ordered(query)
        if word in _COMBINING:
            return self._combined(query)
        if self.take("AS"):
            return _select(tree.FromQuery(query, self.name("an alias")))
        source = _source(query)
        if word in _JOINING:
            joined = self._extended(source)
            if joined is None:
                self.fail("expected JOIN")
            return _select(joined)
        if word == "PIVOT":
            return _select(self.pivot(source))
        if word == "UNPIVOT":
            return _select(self.unpivot(source))
        if word == "TABLESAMPLE":
            return _select(tree.FromQuery(query, sample=self.sample()))
        if self.take("WHERE"):
            return replace(_select(source), where=self.expression())
        if word == "SELECT":
            return self._select(source)
        if self.take("EXTEND"):
            return tree.Select((*_STAR, *self._items()), source)
        if self.take("SET"):
            return tree.Select((tree.SelectItem(self._replaced()),), source)
        if self.take("DROP"):
            paths = self.separated(self.path)
            return tree.Select((tree.SelectItem(tree.Star((), paths)),), source)
        if self.take("AGGREGATE"):
            return self._aggregate(source)
        raise UnsupportedConstruct(f"|> {word}", position=self.position(self.at))

    def _items(self) -> tuple[tree.SelectItem, ...]:
        return self.separated(self.select_item)

    def _replaced(self) -> tree.Star:
        """Reads ``SET a = x, b = y``: all columns, some with a new value."""
        found: list[tuple[str, tree.Expression]] = []
        while True:
            name = self.name("a column")
            self.expect("=")
            found.append((name, self.expression()))
            if not self.take(","):
                return tree.Star(replaced=tuple(found))

    def _aggregate(self, source: tree.FromItem) -> tree.Select:
        """Reads ``AGGREGATE sum(a) AS s GROUP BY b``.

        The keys also become columns, and come first.
        """
        items: tuple[tree.SelectItem, ...] = ()
        if self.word != "GROUP":
            items = self._items()
        if not self.take("GROUP", "BY"):
            return tree.Select(items, source)
        keys = self._items()
        grouping = tree.Grouping(tuple(key.expression for key in keys))
        return tree.Select((*keys, *items), source, grouping=grouping)


def _select(source: tree.FromItem) -> tree.Select:
    return tree.Select(_STAR, source)


def _source(query: tree.Query) -> tree.FromItem:
    """The source of the next operator.

    For a plain ``FROM t`` it is the table itself, so that its name is usable.
    """
    if isinstance(query, tree.Select) and query == tree.Select(_STAR, query.source):
        assert query.source is not None
        return query.source
    return tree.FromQuery(query, _alias_of(query))


def _alias_of(query: tree.Query) -> str | None:
    """The name that qualifies the source's columns even after a filter, if there is just one."""
    at = query
    while isinstance(at, tree.Ordered):
        at = at.body
    if not isinstance(at, tree.Select) or not isinstance(at.items[0].expression, tree.Star):
        return None
    match at.source:
        case tree.TableName(parts, alias):
            return alias or parts[-1]
        case tree.FromQuery(_, alias):
            return alias
        case _:
            return None
