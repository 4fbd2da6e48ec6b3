"""Constructs that Spark has and Hive lacks, each put over an existing query."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from lakeschema.catalog.column_types import (
    BIGINT,
    BOOLEAN,
    INT,
    STRING,
    ArrayType,
    ColumnType,
    StructType,
)
from tests.lakeschema.translation.growing import items
from tests.lakeschema.translation.growing.expressions import Typed
from tests.lakeschema.translation.growing.ground import Ground, Query, item, quoted, selected
from tests.lakeschema.translation.growing.languages import DECIMAL, FAMILIES, family
from tests.lakeschema.translation.growing.pipes import piped

Construct = Callable[[Ground], tuple[Query, Sequence[str]]]
"""Makes a query, and says what stands in it."""

_WEIGHTS: Mapping[str, int] = {"pipe": 8, "items": 14, "table function": 6, "star": 8, "WINDOW": 4}


def with_construct(ground: Ground) -> tuple[Query, Sequence[str]]:
    names = list(CONSTRUCTS)
    # What has steps or items of many kinds of its own comes more often.
    weights = [_WEIGHTS.get(name, 2) for name in names]
    name = ground.random.choices(names, weights)[0]
    query, more = CONSTRUCTS[name](ground)
    return query, (name, *more)


def _items(ground: Ground) -> tuple[Query, Sequence[str]]:
    names = ground.random.choices(list(items.ITEMS), k=ground.random.randint(2, 4))
    values = [items.ITEMS[name](ground) for name in names]
    return selected(values, f"FROM {ground.source}"), names


def _aggregates(ground: Ground) -> tuple[Query, Sequence[str]]:
    names = ground.random.choices(list(items.AGGREGATES), k=2)
    values = [items.AGGREGATES[name](ground) for name in names]
    keys = ground.keys(ground.random.randint(0, 2))
    group = f" GROUP BY {', '.join(key.text for key in keys)}" if keys else ""
    return selected([*keys, *values], f"FROM {ground.source}{group}"), names


def _group_by_all(ground: Ground) -> tuple[Query, Sequence[str]]:
    values = [*ground.keys(2), ground.aggregate()]
    ground.random.shuffle(values)
    return selected(values, f"FROM {ground.source} GROUP BY ALL"), ()


def _order_by_all(ground: Ground) -> tuple[Query, Sequence[str]]:
    values = ground.keys(2)
    how = ground.random.choice(("", " DESC", " NULLS LAST", " ASC NULLS LAST"))
    limit = ground.random.randint(0, 5)
    return selected(values, f"FROM {ground.source} ORDER BY ALL{how} LIMIT {limit}"), ()


_GROUPINGS = (
    "GROUP BY GROUPING SETS (ROLLUP({0}, {1}), ({1}))",
    "GROUP BY GROUPING SETS (CUBE({0}, {1}), GROUPING SETS (({0}), ()))",
    "GROUP BY {0}, ROLLUP({1})",
    "GROUP BY CUBE({0}, ({0}, {1}))",
    "GROUP BY ROLLUP({0}), CUBE({1})",
    "GROUP BY {0}, {1} GROUPING SETS (({0}, {1}), ({0}), ())",
)


def _groupings(ground: Ground) -> tuple[Query, Sequence[str]]:
    keys = ground.keys(2)
    if len({key.text for key in keys}) < 2:
        return _group_by_all(ground)
    a, b = (key.text for key in keys)
    made = [Typed(f"grouping({a})", BIGINT), Typed("grouping_id()", BIGINT)]
    if ground.random.random() < 0.5:
        made.append(Typed(f"grouping_id({a}, {b})", BIGINT))
    rest = ground.random.choice(_GROUPINGS).format(a, b)
    having = ground.random.choice(("", "", f" HAVING grouping({a}) = 0"))
    values = [*keys, *made, ground.aggregate()]
    return selected(values, f"FROM {ground.source} {rest}{having}"), ()


def _pivot(ground: Ground) -> tuple[Query, Sequence[str]]:
    key = next(iter(ground.keys(1)))
    value = ground.random.choice((BIGINT, DECIMAL, STRING))
    inner = (
        f"SELECT {key.text} AS k, {ground.of(BIGINT)} % 3 AS p, {ground.of(value)} AS v"
        f" FROM {ground.source}"
    )
    form, names, kinds = "max(v)", ["0", "two"], [value]
    if ground.random.random() < 0.5:
        form, kinds = "max(v) AS m, count(v) AS n", [value, BIGINT]
        names = ["0_m", "0_n", "two_m", "two_n"]
    text = f"SELECT * FROM ({inner}) PIVOT ({form} FOR p IN (0, 2 AS two))"
    found = tuple((n, kinds[i % len(kinds)]) for i, n in enumerate(names))
    return Query(text, (("k", key.type), *found)), ()


def _unpivot(ground: Ground) -> tuple[Query, Sequence[str]]:
    random = ground.random
    kind = random.choice((BIGINT, STRING, DECIMAL))
    parts = ", ".join(f"{ground.of(kind)} AS u{place}" for place in range(3))
    inner = f"SELECT {ground.any().text} AS k, {parts} FROM {ground.source}"
    nulls = random.choice(("", "INCLUDE NULLS ", "EXCLUDE NULLS "))
    if random.random() < 0.3:
        shown = "(x, y) FOR name IN ((u0, u1) AS first, (u1, u2))"
        added = ["x", "y"]
    else:
        shown = "x FOR name IN (u0, u1 AS `the b`, u2)"
        added = ["x"]
    text = f"SELECT name, {', '.join(added)} FROM ({inner}) UNPIVOT {nulls}({shown})"
    columns = (("name", STRING), *((name, kind) for name in added))
    return Query(text, columns), ()


def _lateral_query(ground: Ground) -> tuple[Query, Sequence[str]]:
    random = ground.random
    inner, table = next(ground.names), random.choice(ground.tables)
    if random.random() < 0.5:
        made = ground.any()
        join = random.choice((", LATERAL", " CROSS JOIN LATERAL", " JOIN LATERAL"))
        source = f"{ground.source}{join} (SELECT {made.text} AS x) {inner}"
        value = Typed(f"{inner}.x", made.type)
    else:
        number = ground.of(BIGINT, 0)
        column = f"{inner}t.{table.columns[0][0]}"
        asked = f"SELECT max({column}) AS x, count(*) AS n FROM {table.name} {inner}t WHERE {column} > {number} % 3"
        source = f"{ground.source} LEFT JOIN LATERAL ({asked}) {inner} ON true"
        value = random.choice((Typed(f"{inner}.x", BIGINT), Typed(f"{inner}.n", BIGINT)))
    return selected([value, *random.sample(ground.columns, 1)], f"FROM {source}"), ()


def _generated(ground: Ground) -> tuple[Query, Sequence[str]]:
    """Table functions in FROM: of constants, and beside what they read."""
    random, name = ground.random, next(ground.names)
    arrays = [c for c in ground.columns if isinstance(c.type, ArrayType)]
    read = random.choice([*arrays, Typed("array(1, NULL, 3)", ArrayType(BIGINT))])
    assert isinstance(read.type, ArrayType)
    texts: Sequence[tuple[str, str, Sequence[tuple[str, ColumnType]]]] = (
        ("range", f"CROSS JOIN range(1, 4) AS {name}(a)", (("a", BIGINT),)),
        ("range", f"JOIN range(3) AS {name}(a) ON a > 0", (("a", BIGINT),)),
        ("stack", f"CROSS JOIN stack(2, 1, 'a', 2, NULL) AS {name}(a, b)", (("a", BIGINT), ("b", STRING))),
        ("inline", f"CROSS JOIN inline(array(struct(1, 'x'), NULL)) AS {name}(a, b)", (("a", BIGINT), ("b", STRING))),
        ("explode", f", LATERAL explode({read.text}) AS {name}(a)", (("a", read.type.element),)),
        ("explode_outer", f", LATERAL explode_outer({read.text}) AS {name}(a)", (("a", read.type.element),)),
        ("explode", f"LEFT JOIN LATERAL explode({read.text}) AS {name}(a) ON true", (("a", read.type.element),)),
        ("posexplode", f"LEFT JOIN LATERAL posexplode({read.text}) AS {name}(a, b) ON a < 2", (("a", BIGINT), ("b", read.type.element))),
        ("json_tuple", f", LATERAL json_tuple({ground.of(STRING)}, 'a', 'b') AS {name}(a, b)", (("a", STRING), ("b", STRING))),
        ("LATERAL VIEW", f"LATERAL VIEW OUTER explode({read.text}) {name} AS a", (("a", read.type.element),)),
    )  # fmt: skip
    function, text, produced = random.choice(texts)
    values = [Typed(f"{name}.{c}", type_) for c, type_ in produced]
    space = "" if text.startswith(",") else " "
    source = f"{ground.source}{space}{text}"
    return selected([*values, ground.any()], f"FROM {source}"), (f"FROM {function}",)


def _lateral_alias(ground: Ground) -> tuple[Query, Sequence[str]]:
    a, b = ground.of(BIGINT), ground.of(STRING)
    text = (
        f"SELECT {a} AS la, la % 5 AS lb, lb + la % 7 AS lc, upper({b}) AS ld, concat(ld, lb) AS le"
        f" FROM {ground.source}"
    )
    kinds = (BIGINT, BIGINT, BIGINT, STRING, STRING)
    return Query(text, tuple(zip(("la", "lb", "lc", "ld", "le"), kinds, strict=True))), ()


def _star(ground: Ground) -> tuple[Query, Sequence[str]]:
    columns = list(ground.query.columns)
    structs = [c for c in ground.columns if isinstance(c.type, StructType)]
    if structs and ground.random.random() < 0.8:
        whole = ground.random.choice(structs)
        assert isinstance(whole.type, StructType)
        return Query(
            f"SELECT {whole.text}.* FROM {ground.source}",
            tuple((f.name, f.type) for f in whole.type.fields),
        ), ("struct.*",)
    star = ground.random.choice(("*", f"{ground.alias}.*"))
    if len(columns) < 2:
        # A view cannot show two columns of one name.
        name = "still_more" if any(known == "more" for known, _ in columns) else "more"
        return Query(
            f"SELECT {star}, {ground.of(BIGINT)} AS {name} FROM {ground.source}",
            (*columns, (name, BIGINT)),
        ), ("star beside others",)
    left_out, _ = columns.pop(ground.random.randrange(len(columns)))
    text = f"SELECT {star} EXCEPT ({quoted(left_out)}) FROM {ground.source}"
    return Query(text, tuple(columns)), ("star EXCEPT",)


def _recursive(ground: Ground) -> tuple[Query, Sequence[str]]:
    name, column = next(ground.names), ground.of(BIGINT, 0)
    other = ground.any()
    step = ground.random.choice(("n + 1", "n + 2"))
    text = (
        f"WITH RECURSIVE {name}(n, s) AS (SELECT 1, 'a' UNION ALL"
        f" SELECT {step}, concat(s, 'b') FROM {name} WHERE n < 4)"
        f" SELECT {name}.n AS rn, {name}.s AS rs, {other.text} AS ro FROM {ground.source}"
        f" JOIN {name} ON {name}.n = pmod({column}, 4)"
    )
    return Query(text, (("rn", BIGINT), ("rs", STRING), ("ro", other.type))), ()


def _sampled(ground: Ground) -> tuple[Query, Sequence[str]]:
    how = ground.random.choice(("100 PERCENT", "1000 ROWS", "BUCKET 1 OUT OF 1"))
    rest = f"FROM {ground.source.removesuffix(ground.alias)} TABLESAMPLE ({how}) AS {ground.alias}"
    return selected([ground.any()], rest), ()


def _hinted(ground: Ground) -> tuple[Query, Sequence[str]]:
    hint = ground.random.choice(
        (f"BROADCAST({ground.alias})", "COALESCE(1)", "REPARTITION(2)", f"MERGE({ground.alias}), NO_SUCH_HINT")
    )  # fmt: skip
    made = selected([ground.any(), ground.any()], f"FROM {ground.source}")
    return Query(made.text.replace("SELECT", f"SELECT /*+ {hint} */", 1), made.columns), ()


_OVER = (
    *(
        "sum({n}) OVER w",
        "count({s}) OVER (ORDER BY {o} ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING)",
    ),
    *("first_value({s}) IGNORE NULLS OVER w", "last_value({s}) RESPECT NULLS OVER w"),
    *("lag({s}) IGNORE NULLS OVER w", "nth_value({s}, 2) IGNORE NULLS OVER w", "rank() OVER w"),
    *(
        "max({s}) OVER (ORDER BY {o} ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING)",
        "ntile(2) OVER w",
    ),
    *("min({n}) OVER (PARTITION BY {b} ORDER BY {n} RANGE BETWEEN 1 PRECEDING AND CURRENT ROW)",),
    *("count(*) OVER (ORDER BY {d} RANGE BETWEEN INTERVAL '3' DAY PRECEDING AND CURRENT ROW)",),
    *("sum({n} % 9) FILTER (WHERE {b}) OVER w", "lead({s}, 1, 'x') OVER w"),
)


def _windows(ground: Ground) -> tuple[Query, Sequence[str]]:
    values, used = [], ["named window"]
    order = ", ".join(c.text for c in ground.sortable()) or "1"
    _, _, _, text, boolean, date, _ = FAMILIES
    for form in ground.random.sample(_OVER, 2):
        made = form.format(
            n=ground.of(BIGINT), s=ground.of(text), b=ground.of(boolean), d=ground.of(date), o=order
        )
        is_text = form.startswith(("first", "last", "lag", "nth", "max", "lead"))
        values.append(Typed(made, STRING if is_text else BIGINT))
        used += [w for w in ("IGNORE NULLS", "ROWS", "RANGE", "FILTER") if w in form]
    by = "".join(f"PARTITION BY {key.text} " for key in ground.keys(ground.random.randint(0, 1)))
    rest = f"FROM {ground.source} WINDOW w AS ({by}ORDER BY {order})"
    return selected(values, rest), used


def _identifier(ground: Ground) -> tuple[Query, Sequence[str]]:
    table = ground.random.choice(ground.tables)
    column, type_ = table.columns[0]
    name = next(ground.names)
    text = (
        f"SELECT IDENTIFIER('{name}.' || '{column}') AS ia, {name}.{column} + 1 AS ib"
        f" FROM IDENTIFIER('{table.name}') AS {name} WHERE EXISTS (SELECT 1 FROM {ground.source})"
    )
    return Query(text, (("ia", type_), ("ib", family(type_)))), ()


def _qualified(ground: Ground) -> tuple[Query, Sequence[str]]:
    order = ", ".join(c.text for c in ground.sortable()) or "1"
    rest = f"FROM {ground.source} QUALIFY rank() OVER (ORDER BY {order}) < 3"
    return selected([ground.any()], rest), ()


def _from_first(ground: Ground) -> tuple[Query, Sequence[str]]:
    """A set operation by name of columns, VALUES and TABLE as queries."""
    table = ground.random.choice(ground.tables)
    if ground.random.random() < 0.5:
        return Query(f"TABLE {table.name}", table.columns), ("TABLE",)
    rows = f"VALUES ({ground.random.randint(0, 9)}, 'v'), (NULL, 'w')"
    return Query(rows, (("col1", INT), ("col2", STRING))), ("VALUES",)


def _many_names(ground: Ground) -> tuple[Query, Sequence[str]]:
    """A struct of a struct, named from the alias on."""
    made = ground.any()
    inner = f"SELECT named_struct('p', named_struct('q', {made.text}, 'Ö', 1)) AS s FROM {ground.source}"
    name = next(ground.names)
    items_ = [
        item(Typed(f"{name}.s.p.q", made.type), "ma"),
        item(Typed(f"{name}.S.P.`ö`", INT), "mb"),
    ]
    text = f"SELECT {', '.join(items_)} FROM ({inner}) {name}"
    return Query(text, (("ma", made.type), ("mb", INT))), ()


def _asked(ground: Ground) -> tuple[Query, Sequence[str]]:
    """Sub-queries as values and conditions, tuples among them."""
    table = ground.random.choice(ground.tables)
    name, (column, _) = next(ground.names), table.columns[0]
    number = ground.of(BIGINT, 0)
    inside = f"SELECT {name}.{column} FROM {table.name} {name}"
    values = [
        Typed(f"({number} IN ({inside}))", BOOLEAN),
        Typed(
            f"(SELECT max({name}.{column}) FROM {table.name} {name} WHERE {name}.{column} < 3)", INT
        ),
        Typed(f"EXISTS ({inside} WHERE {name}.{column} = {number})", BOOLEAN),
        Typed(
            f"(({number}, 1) NOT IN (SELECT {name}.{column}, 1 FROM {table.name} {name}))", BOOLEAN
        ),
    ]
    return selected(ground.random.sample(values, 2), f"FROM {ground.source}"), ()


CONSTRUCTS: Mapping[str, Construct] = {
    "pipe": piped,
    "items": _items,
    "aggregates": _aggregates,
    "GROUP BY ALL": _group_by_all,
    "ORDER BY ALL": _order_by_all,
    "grouping sets within each other": _groupings,
    "PIVOT": _pivot,
    "UNPIVOT": _unpivot,
    "LATERAL query": _lateral_query,
    "table function": _generated,
    "lateral alias": _lateral_alias,
    "star": _star,
    "WITH RECURSIVE": _recursive,
    "TABLESAMPLE": _sampled,
    "hint": _hinted,
    "WINDOW": _windows,
    "IDENTIFIER": _identifier,
    "QUALIFY": _qualified,
    "TABLE or VALUES": _from_first,
    "name of many parts": _many_names,
    "sub-queries as values": _asked,
}
