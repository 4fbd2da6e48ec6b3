"""Pairs of a random view and a random query from the same parts, so that one often contains the other.

The query has other joins, conditions, columns or groups, more or fewer, or the same in another order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from lakeschema.catalog.column_types import BIGINT, BOOLEAN, STRING
from tests.lakeschema.translation.growing.expressions import (
    OPAQUE,
    Expressions,
    Typed,
    is_orderable,
)
from tests.lakeschema.translation.growing.languages import BOTH, DECIMAL, family
from tests.lakeschema.translation.growing.tables import Table


@dataclass(frozen=True, slots=True)
class Pair:
    """Texts of SELECTs."""

    view: str
    query: str


@dataclass(frozen=True, slots=True)
class _Parts:
    """What both are made of, as text over the tables' aliases."""

    sources: tuple[str, ...]
    further: str
    matching: tuple[str, ...]
    to_further: str
    conditions: tuple[str, ...]
    plain: tuple[Typed, ...]
    keys: tuple[Typed, ...]
    calls: tuple[str, ...]
    join: str


_KINDS = ("JOIN", "JOIN", "JOIN", "JOIN", "LEFT JOIN", "FULL JOIN")


def random_pair(random: Random, tables: Sequence[Table]) -> Pair:
    """Over at most two of three tables, and a third that only the query may join."""
    parts = _parts(random, tables)
    grouped = random.random() < 0.6
    view = _view(random, parts, grouped=grouped)
    shapes = (
        [_grouped_query, _grouped_query, _plain_query]
        if grouped
        else [_plain_query, _grouped_query]
    )
    query = random.choice(shapes)(random, parts)
    for _ in range(random.randint(0, 1)):
        query = _around(random, query, parts)
    return Pair(view, query)


def _parts(random: Random, tables: Sequence[Table]) -> _Parts:
    chosen = list(tables[: random.randint(1, 2)])
    if random.random() < 0.15:
        chosen = [chosen[0], chosen[0]]
    aliases = "ab"[: len(chosen)]
    columns = [
        Typed(f"{alias}.{name}", type_)
        for alias, table in zip(aliases, chosen, strict=True)
        for name, type_ in table.columns
    ]
    over = Expressions(random, columns, language=BOTH)
    ids = [f"{a}.{t.columns[0][0]}" for a, t in zip(aliases, chosen, strict=True)]
    orderable = [c for c in columns if is_orderable(c.type) and c.type != OPAQUE]
    made = [Typed(over.of(kind, 1).text, kind) for kind in (BIGINT, STRING)]
    keys = random.sample(orderable, min(len(orderable), random.randint(1, 3)))
    keys += [Typed(f"({made[0].text} % 3)", BIGINT)] * (random.random() < 0.4)
    summed = [c.text for c in columns if family(c.type) in {BIGINT, DECIMAL}]
    number, decimal, text, truth = (
        over.of(kind, 1).text for kind in (BIGINT, DECIMAL, STRING, BOOLEAN)
    )
    calls = (
        *("count(*)", f"count({text})", f"sum({random.choice(summed)})", f"sum({number} % 100)"),
        *(f"min({random.choice(orderable).text})", f"max({text})", f"sum({decimal})"),
        *(f"bool_or({truth})", f"count(DISTINCT {keys[0].text})", f"max({keys[0].text})"),
        *(f"avg({number})", f"count(*) FILTER (WHERE {truth})", f"min({decimal})"),
    )
    return _Parts(
        sources=tuple(f"{t.name} {a}" for a, t in zip(aliases, chosen, strict=True)),
        further=f"{tables[2].name} z",
        matching=tuple(f"{ids[0]} = {other}" for other in ids[1:]),
        to_further=f"{random.choice(ids)} = z.{tables[2].columns[0][0]}",
        conditions=tuple(over.condition(1) for _ in range(3))
        + tuple(f"{key.text} IS NOT NULL" for key in keys[:1])
        + (f"{ids[0]} > {random.randint(0, 2)}",),
        plain=tuple(random.sample(columns, random.randint(1, len(columns)))) + tuple(made),
        keys=tuple(dict.fromkeys(keys)),
        calls=calls,
        join=random.choice(_KINDS),
    )


def _from(parts: _Parts, *, further: bool = False, swapped: bool = False) -> str:
    sources = parts.sources[::-1] if swapped else parts.sources
    text = sources[0]
    for source, on in zip(sources[1:], parts.matching, strict=True):
        text += f" {parts.join} {source} ON {on}"
    return f"{text} JOIN {parts.further} ON {parts.to_further}" if further else text


def _where(conditions: Sequence[str]) -> str:
    return f" WHERE {' AND '.join(f'({each})' for each in conditions)}" if conditions else ""


def _items(texts: Sequence[str], prefix: str) -> str:
    return ", ".join(f"{text} AS {prefix}{place}" for place, text in enumerate(texts))


def _view(random: Random, parts: _Parts, *, grouped: bool) -> str:
    conditions = parts.conditions[: random.choice((0, 0, 1, 1, 2))]
    rest = f"FROM {_from(parts)}{_where(conditions)}"
    if not grouped:
        return f"SELECT {_items([each.text for each in parts.plain], 'v')} {rest}"
    keys = [key.text for key in parts.keys]
    if random.random() < 0.1:
        keys = []
    shown = [key for key in keys if random.random() < 0.9]
    calls = random.sample(parts.calls, random.randint(3, len(parts.calls)))
    by = f" GROUP BY {', '.join(keys)}" if keys else ""
    having = " HAVING count(*) > 1" if random.random() < 0.08 else ""
    return f"SELECT {_items([*shown, *calls], 'v')} {rest}{by}{having}"


def _demanded(random: Random, parts: _Parts) -> list[str]:
    """Mostly what views demand, and in any order."""
    conditions = list(parts.conditions[: random.choice((1, 2, 2, 3))])
    if random.random() < 0.3:
        conditions.append(random.choice(parts.conditions))
    if random.random() < 0.1:
        conditions.pop(0)
    random.shuffle(conditions)
    return conditions


def _query_from(random: Random, parts: _Parts) -> str:
    swapped = parts.join == "JOIN" and random.random() < 0.4
    return _from(parts, further=random.random() < 0.25, swapped=swapped)


def _plain_query(random: Random, parts: _Parts) -> str:
    shown = random.sample(parts.plain, random.randint(1, min(3, len(parts.plain))))
    over = Expressions(random, shown, language=BOTH)
    items = [each.text for each in shown] + [over.of(BIGINT, 1).text]
    rest = f"FROM {_query_from(random, parts)}{_where(_demanded(random, parts))}"
    distinct = (
        "DISTINCT " if random.random() < 0.1 and all(is_orderable(e.type) for e in shown) else ""
    )
    return f"SELECT {distinct}{_items(items, 'q')} {rest}"


def _grouped_query(random: Random, parts: _Parts) -> str:
    keys = [key.text for key in parts.keys]
    keys = random.choice((keys, keys[:1], keys[1:], []))
    if keys and random.random() < 0.15:
        keys = [f"coalesce({keys[0]}, {keys[0]})", *keys[1:]]
    calls = random.sample(parts.calls, random.randint(1, 3))
    calls = [f"coalesce({c}, {c})" if random.random() < 0.1 else c for c in calls]
    rest = f"FROM {_query_from(random, parts)}{_where(_demanded(random, parts))}"
    by = f" GROUP BY {', '.join(keys)}" if keys else ""
    having = " HAVING count(*) < 3" if random.random() < 0.15 else ""
    return f"SELECT {_items([*keys, *calls], 'q')} {rest}{by}{having}"


def _around(random: Random, query: str, parts: _Parts) -> str:
    """The query within another one."""
    forms = (
        "SELECT q0, count(*) AS n FROM ({query}) x GROUP BY q0",
        "SELECT x.q0, y.q0 AS r0 FROM ({query}) x LEFT JOIN ({query}) y ON x.q0 <=> y.q0",
        "SELECT q0 FROM ({query}) x UNION ALL SELECT q0 FROM ({query}) y",
        "SELECT * FROM ({query}) x WHERE q0 IS NOT NULL",
        "SELECT q0, rank() OVER (ORDER BY q0) AS p FROM ({query}) x",
    )
    return random.choice(forms[3:4] if "LEFT" in parts.join else forms).replace("{query}", query)
