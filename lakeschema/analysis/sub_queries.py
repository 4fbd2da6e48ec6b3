"""Finds the joins and grouped queries in a statement, in a form that does not depend on spelling.

Queries that only differ in aliases, literals, or the order of tables, conditions and columns have
the same shape, and could perhaps be computed once. A shape leaves out casts' types and DISTINCT
inside calls, so people must review the findings.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Final, assert_never

from lakeschema.analysis import resolved as rs
from lakeschema.analysis.catalog import as_text
from lakeschema.analysis.walking import joins_of, queries_of, relations_of

MAX_SHAPE: Final = 2_000
"""The maximum length of a shape, in characters; longer shapes are hardly ever repeated."""
_MAX_INNER: Final = 500
_MAX_QUERIES: Final = 300
_MAX_DEPTH: Final = 60
_COMMUTATIVE: Final = frozenset({"=", "<=>", "<>", "+", "*"})
_FLAT: Final = frozenset({"and", "or"})
_AGGREGATES: Final = frozenset({"count", "sum", "avg", "min", "max"})


class Kind(Enum):
    JOIN = "join"
    QUERY = "query"


@dataclass(frozen=True, slots=True)
class SubQuery:
    """A sub-query. ``shape`` is a text for people, which similar queries share; ``tables`` are sorted."""

    kind: Kind
    shape: str
    tables: tuple[str, ...]

    @property
    def fingerprint(self) -> str:
        return _hash(f"{self.kind.value} {self.shape}", 16)


class _TooDeep(Exception):
    pass


def sub_queries(resolved: rs.Resolved) -> tuple[SubQuery, ...]:
    """The joins, and the queries that join, group or remove duplicates; each once."""
    shapes = _Shapes()
    found: dict[SubQuery, None] = {}
    queries = list(queries_of(resolved))
    for query in queries if len(queries) <= _MAX_QUERIES else ():
        if isinstance(query, rs.Select):
            try:
                for each in shapes.of(query):
                    if len(each.shape) <= MAX_SHAPE:
                        found.setdefault(each)
            except _TooDeep:
                continue
    return tuple(found)


class _Shapes:
    """Caches the shape of each query and the label of each relation."""

    def __init__(self) -> None:
        self._labels: dict[int, str] = {}
        self._queries: dict[int, str] = {}
        self._joins: dict[int, tuple[list[str], list[str]]] = {}
        self._depth = 0

    def of(self, select: rs.Select) -> Iterator[SubQuery]:
        shape = self._query(select)
        tables = tuple(sorted(_tables(select)))
        is_join = len(list(relations_of(select.source))) > 1
        if tables and is_join:
            joined, conditions = self._joined(select)
            if conditions:
                yield SubQuery(Kind.JOIN, _join_shape(joined, conditions), tables)
        if tables and (is_join or select.group_by or select.distinct or _aggregates(select)):
            yield SubQuery(Kind.QUERY, shape, tables)

    def _query(self, query: rs.Query) -> str:
        if id(query) in self._queries:
            return self._queries[id(query)]
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            self._depth = 0
            raise _TooDeep
        match query:
            case rs.Select():
                shape = self._select(query)
            case rs.Combined(operator, branches, distinct):
                word = f" {operator.value.lower()}{'' if distinct else ' all'} "
                shape = word.join(f"({_short(self._query(branch))})" for branch in branches)
            case rs.Rows():
                shape = "values"
            case rs.Recursive():
                shape = "recursive"
            case _:
                assert_never(query)
        self._depth -= 1
        self._queries[id(query)] = shape
        return shape

    def _select(self, select: rs.Select) -> str:
        joined, conditions = self._joined(select)
        parts = [_join_shape(joined, conditions)]
        others = sorted(set(self._conjuncts(select.where)) - set(conditions))
        for word, texts in (
            ("where", others),
            ("group by", sorted(map(self._text, select.group_by))),
            ("having", sorted(self._conjuncts(select.having))),
            ("qualify", sorted(self._conjuncts(select.qualify))),
        ):
            if texts:
                parts.append(f"{word} {', '.join(texts)}")
        items = sorted(
            "*" if isinstance(item, rs.OpenStar) else self._text(item.expression)
            for item in select.items
        )
        word = "select distinct" if select.distinct else "select"
        if select.limited:
            parts.append(f"limit by {', '.join(map(self._text, select.order_by))}")
        return " ".join([word, ", ".join(items), *parts])

    def _joined(self, select: rs.Select) -> tuple[list[str], list[str]]:
        """The relations of FROM, and the conditions that connect them.

        With inner joins, WHERE counts, too.
        """
        if id(select) not in self._joins:
            self._joins[id(select)] = self._read_join(select)
        return self._joins[id(select)]

    def _read_join(self, select: rs.Select) -> tuple[list[str], list[str]]:
        relations = list(relations_of(select.source))
        counts: dict[str, int] = {}
        for relation in relations:
            text = self._relation(relation)
            counts[text] = counts.get(text, 0) + 1
            number = counts[text]
            self._labels[id(relation)] = text if number == 1 else f"{text}#{number}"
        conditions = set[str]()
        for join in joins_of(select.source):
            kind = "" if join.kind.value in {"inner", "cross"} else f"{join.kind.value} "
            texts = [
                *self._conjuncts(join.condition),
                *(_equal(self._text(left), self._text(right)) for left, right in join.equal),
            ]
            conditions.update(f"{kind}{text}" for text in texts)
        conditions.update(
            self._text(each)
            for each in _conjuncts(select.where)
            if _connects(each) and len(relations) > 1
        )
        shown = [self._labels[id(relation)] + self._inside(relation) for relation in relations]
        return sorted(shown), sorted(conditions)

    def _relation(self, relation: rs.Relation) -> str:
        """The label of a relation, which stands before the names of its columns."""
        match relation:
            case rs.Scan(source):
                return as_text(source)
            case rs.Derived(query):
                return f"q{_hash(self._query(query), 6)}"
            case rs.Generated(call):
                return self._text(call)
            case _:
                return "?"

    def _inside(self, relation: rs.Relation) -> str:
        if not isinstance(relation, rs.Derived):
            return ""
        shape = self._query(relation.query)
        # A table of WITH may occur in several places, and may contain further tables of WITH.
        return f" ({shape if len(shape) <= _MAX_INNER else '...'})"

    def _conjuncts(self, expression: rs.Expression | None) -> list[str]:
        return [self._text(each) for each in _conjuncts(expression)]

    def _text(self, expression: rs.Expression) -> str:
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            self._depth = 0
            raise _TooDeep
        text = self._expression(expression)
        self._depth -= 1
        return text

    def _expression(self, expression: rs.Expression) -> str:
        match expression:
            case rs.ColumnUse(relation, column, path):
                return ".".join((self._label(relation), column, *path))
            case rs.UnknownColumn(name):
                return ".".join(name).lower()
            case rs.WholeRows():
                return "*"
            case rs.Constant():
                return "?"
            case rs.Operation(name, operands):
                texts = [self._text(each) for each in operands]
                if name in _FLAT | _COMMUTATIVE:
                    return f"({f' {name} '.join(sorted(texts))})"
                return f"{name}({', '.join(texts)})"
            case rs.Choice(conditions, results):
                return f"case({', '.join(map(self._text, (*conditions, *results)))})"
            case rs.Windowed(call, partition_by, order_by):
                keys = ", ".join(sorted(map(self._text, partition_by)))
                order = ", ".join(map(self._text, order_by))
                return f"{self._text(call)} over ({keys}; {order})"
            case rs.QueryUse(kind, query, operand):
                inside = "" if operand is None else f"{self._text(operand)} "
                return f"{inside}{kind.value} ({_short(self._query(query))})"
            case _:
                assert_never(expression)

    def _label(self, relation: rs.Relation) -> str:
        while isinstance(relation, rs.Renamed):
            relation = relation.relation
        return self._labels.get(id(relation)) or self._relation(relation)


def _hash(text: str, length: int) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:length]


def _short(shape: str) -> str:
    return shape if len(shape) <= _MAX_INNER else f"q{_hash(shape, 6)}"


def _join_shape(relations: list[str], conditions: list[str]) -> str:
    on = f" on {', '.join(conditions)}" if conditions else ""
    return f"from {', '.join(relations)}{on}"


def _equal(left: str, right: str) -> str:
    return f"({' = '.join(sorted((left, right)))})"


def _conjuncts(expression: rs.Expression | None) -> Iterator[rs.Expression]:
    pending = [] if expression is None else [expression]
    while pending:
        at = pending.pop()
        if isinstance(at, rs.Operation) and at.name == "and":
            pending += at.operands
        else:
            yield at


def _connects(condition: rs.Expression) -> bool:
    """Whether the condition equates columns of two relations, like a join's condition."""
    if not isinstance(condition, rs.Operation) or condition.name not in {"=", "<=>"}:
        return False
    relations = {id(each.relation) for each in condition.operands if isinstance(each, rs.ColumnUse)}
    return len(relations) == 2


def _aggregates(select: rs.Select) -> bool:
    return any(
        isinstance(item, rs.Item)
        and isinstance(item.expression, rs.Operation)
        and item.expression.name in _AGGREGATES
        for item in select.items
    )


def _tables(select: rs.Select) -> set[str]:
    return {
        as_text(relation.source)
        for query in queries_of(rs.Resolved("SELECT", (select,)))
        if isinstance(query, rs.Select)
        for relation in relations_of(query.source)
        if isinstance(relation, rs.Scan)
    }
