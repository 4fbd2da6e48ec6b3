"""The ground of a construct: an existing query, with the expressions that can be written over its columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from lakeschema.catalog.column_types import BIGINT, ColumnType
from tests.lakeschema.translation.growing.expressions import (
    OPAQUE,
    Expressions,
    Typed,
    is_orderable,
)
from tests.lakeschema.translation.growing.languages import FAMILIES, SPARK
from tests.lakeschema.translation.growing.tables import Table


@dataclass(frozen=True, slots=True)
class Query:
    """A SELECT and its columns, no two of one name."""

    text: str
    columns: tuple[tuple[str, ColumnType], ...]


@dataclass(frozen=True, slots=True)
class Ground:
    """``query`` stands in FROM under the name ``alias``."""

    random: Random
    query: Query
    alias: str
    names: Iterator[str]
    tables: Sequence[Table]

    @property
    def source(self) -> str:
        return f"({self.query.text}) {self.alias}"

    @property
    def columns(self) -> tuple[Typed, ...]:
        return tuple(Typed(f"{self.alias}.{quoted(n)}", type_) for n, type_ in self.query.columns)

    def of(self, kind: ColumnType, depth: int = 1) -> str:
        """An expression of the kind over the query's columns."""
        return self.over().of(kind, depth).text

    def any(self) -> Typed:
        """Of a kind whose type is known as far as growing needs it."""
        kind = self.random.choice(FAMILIES)
        return Typed(self.of(kind), kind)

    def over(self, columns: Sequence[Typed] | None = None) -> Expressions:
        chosen = self.columns if columns is None else columns
        return Expressions(self.random, chosen, language=SPARK)

    def condition(self) -> str:
        return self.over().condition(1)

    def keys(self, number: int) -> list[Typed]:
        """Things to group by, orderable and not bare numbers."""
        found = [c for c in self.columns if is_orderable(c.type) and c.type != OPAQUE]
        chosen = self.random.sample(found, min(number, len(found)))
        made = [Typed(f"({self.of(BIGINT)} % 3)", BIGINT) for _ in range(number - len(chosen))]
        return [*chosen, *dict.fromkeys(made)]

    def sortable(self) -> list[Typed]:
        return [c for c in self.columns if is_orderable(c.type) and c.type != OPAQUE]

    def aggregate(self) -> Typed:
        form, kind, result = self.random.choice(_AGGREGATES)
        return Typed(form.format(self.of(kind)), result)


_I, _M, _F, _S, _B, _D, _T = FAMILIES
_AGGREGATES: Sequence[tuple[str, ColumnType, ColumnType]] = (
    *(("sum({})", _I, _I), ("sum({})", _M, _M), ("avg({})", _F, _F), ("count({})", _S, _I)),
    *(("max({})", _S, _S), ("min({})", _D, _D), ("max({})", _T, _T), ("bool_or({})", _B, _B)),
    *(("count(DISTINCT {})", _I, _I), ("coalesce(max({}), 0)", _I, _I)),
)


def quoted(name: str) -> str:
    return name if name.isidentifier() else f"`{name}`"


def item(value: Typed, name: str) -> str:
    return f"{value.text} AS {quoted(name)}"


def selected(values: Sequence[Typed], rest: str, *, prefix: str = "q") -> Query:
    """SELECT of the values under names of their own; ``rest`` begins with FROM."""
    named = [(f"{prefix}{place}", value) for place, value in enumerate(values)]
    items = ", ".join(item(value, name) for name, value in named)
    return Query(f"SELECT {items} {rest}", tuple((name, value.type) for name, value in named))
