"""Spark's pipe syntax: steps of ``|>`` over a query."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from lakeschema.catalog.column_types import BIGINT
from tests.lakeschema.translation.growing.expressions import Typed, is_orderable
from tests.lakeschema.translation.growing.ground import Ground, Query, item, quoted
from tests.lakeschema.translation.growing.languages import FAMILIES, family

Step = Callable[[Ground], tuple[str, Query] | None]
"""Makes the text of one step, and the columns that it leaves; their query's text is not used."""


def piped(ground: Ground) -> tuple[Query, Sequence[str]]:
    """A query of one to four steps, and the names of these."""
    random = ground.random
    text = random.choice((f"FROM {ground.source}", f"SELECT * FROM {ground.source}"))
    columns, used = ground.query.columns, []
    for _ in range(random.randint(1, 4)):
        name = random.choice(list(STEPS))
        alias = next(ground.names)
        below = replace(ground, query=Query("", columns), alias=alias)
        made = STEPS[name](below)
        if made is None:
            continue
        step, after = made
        text, columns = f"{text} |> AS {alias} |> {step}", after.columns
        used.append(f"|> {name}")
    if not used:
        text, used = f"{text} |> WHERE true", ["|> WHERE"]
    if random.random() < 0.5:
        return Query(text, columns), used
    return Query(f"SELECT * FROM ({text}) {next(ground.names)}", columns), used


def _where(ground: Ground) -> tuple[str, Query]:
    return f"WHERE {ground.condition()}", ground.query


def _extend(ground: Ground) -> tuple[str, Query]:
    values = [(next(ground.names), ground.any()) for _ in range(ground.random.randint(1, 2))]
    items = ", ".join(item(value, name) for name, value in values)
    added = tuple((name, value.type) for name, value in values)
    return f"EXTEND {items}", Query("", (*ground.query.columns, *added))


def _set(ground: Ground) -> tuple[str, Query]:
    columns = list(ground.query.columns)
    place = ground.random.randrange(len(columns))
    value = ground.any()
    columns[place] = (columns[place][0], value.type)
    return f"SET {quoted(columns[place][0])} = {value.text}", Query("", tuple(columns))


def _drop(ground: Ground) -> tuple[str, Query] | None:
    columns = list(ground.query.columns)
    if len(columns) < 2:
        return None
    name, _ = columns.pop(ground.random.randrange(len(columns)))
    return f"DROP {quoted(name)}", Query("", tuple(columns))


def _select(ground: Ground) -> tuple[str, Query]:
    values = [(next(ground.names), ground.any()) for _ in range(ground.random.randint(1, 3))]
    items = ", ".join(item(value, name) for name, value in values)
    return f"SELECT {items}", Query("", tuple((name, value.type) for name, value in values))


def _aggregate(ground: Ground) -> tuple[str, Query]:
    keys = [(next(ground.names), key) for key in ground.keys(ground.random.randint(0, 2))]
    made = [(next(ground.names), ground.aggregate()) for _ in range(ground.random.randint(1, 2))]
    group = ", ".join(item(key, name) for name, key in keys)
    text = ", ".join(item(value, name) for name, value in made)
    columns = tuple((name, value.type) for name, value in (*keys, *made))
    return f"AGGREGATE {text}{' GROUP BY ' + group if keys else ''}", Query("", columns)


def _ordered(ground: Ground) -> tuple[str, Query] | None:
    if not all(is_orderable(type_) for _, type_ in ground.query.columns):
        return None
    order = ", ".join(column.text for column in ground.columns)
    return f"ORDER BY {order} |> LIMIT {ground.random.randint(0, 5)}", ground.query


def _join(ground: Ground) -> tuple[str, Query] | None:
    table = ground.random.choice(ground.tables)
    other = next(ground.names)
    numbers = [c.text for c in ground.columns if family(c.type) == BIGINT]
    taken = {name.lower() for name, _ in ground.query.columns}
    if not numbers or taken & {name for name, _ in table.columns}:
        return None
    kind = ground.random.choice(("JOIN", "LEFT JOIN", "FULL JOIN", "LEFT ANTI JOIN"))
    condition = f"{numbers[0]} = {other}.{table.columns[0][0]}"
    added = () if "ANTI" in kind else table.columns
    columns = (*ground.query.columns, *added)
    return f"{kind} {table.name} {other} ON {condition}", Query("", columns)


def _union(ground: Ground) -> tuple[str, Query] | None:
    kinds = [family(type_) for _, type_ in ground.query.columns]
    if not set(kinds) <= set(FAMILIES):
        return None
    table = ground.random.choice(ground.tables)
    over = ground.over([Typed(name, type_) for name, type_ in table.columns])
    items = ", ".join(over.of(kind, 1).text for kind in kinds)
    word = ground.random.choice(("UNION ALL", "UNION", "EXCEPT", "INTERSECT"))
    return f"{word} (SELECT {items} FROM {table.name})", ground.query


def _sample(ground: Ground) -> tuple[str, Query]:
    return "TABLESAMPLE (100 PERCENT)", ground.query


STEPS: dict[str, Step] = {
    "WHERE": _where,
    "EXTEND": _extend,
    "SET": _set,
    "DROP": _drop,
    "SELECT": _select,
    "AGGREGATE": _aggregate,
    "ORDER BY": _ordered,
    "JOIN": _join,
    "set operation": _union,
    "TABLESAMPLE": _sample,
}
