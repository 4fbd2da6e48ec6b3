"""Random views, grown from tables upwards: each step adds one operator."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from random import Random

from lakeschema.catalog.column_types import (
    BIGINT,
    BOOLEAN,
    INT,
    STRING,
    ArrayType,
    ColumnType,
    MapType,
    StructType,
)
from tests.lakeschema.translation.growing.constructs import with_construct
from tests.lakeschema.translation.growing.expressions import (
    OPAQUE,
    Expressions,
    Typed,
    is_orderable,
)
from tests.lakeschema.translation.growing.ground import Ground, Query
from tests.lakeschema.translation.growing.languages import FAMILIES, SPARK, Language, family
from tests.lakeschema.translation.growing.tables import Table, value_text


@dataclass(frozen=True, slots=True)
class RandomView:
    """``below`` are views that ``text`` reads, (name, text), each after those that it reads.

    ``constructs`` names what of ``constructs.py`` stands in them.
    """

    text: str
    below: tuple[tuple[str, str], ...] = ()
    constructs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Source:
    """What stands after FROM; ``columns`` as they are written over it."""

    text: str
    columns: tuple[Typed, ...]


_AGGREGATES = (
    *(
        "count(*)",
        "count({})",
        "count(DISTINCT {})",
        "min({})",
        "max({})",
        "size(collect_list({}))",
    ),
    *("sort_array(collect_set({}))", "size(collect_set({}))", "coalesce(max({}), min({}))"),
)
_OF_NUMBERS = ("sum({})", "avg({})", "sum({}) + 1", "coalesce(sum({}), 0)", "sum(DISTINCT {})")
_WINDOWS = (
    *("rank()", "dense_rank()", "row_number()", "count(*)", "percent_rank()", "cume_dist()"),
    *("lag({})", "lead({}, 2)", "min({})", "max({})", "count({})", "first_value({})", "ntile(3)"),
    *("last_value({})", "lag({}, 1, {})"),
)
_FRAMED = ("min({})", "max({})", "count({})", "first_value({})", "last_value({})")
_FRAMES = (
    *("", "", " ROWS BETWEEN 1 PRECEDING AND CURRENT ROW", " ROWS UNBOUNDED PRECEDING"),
    " ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
)


def random_view(
    random: Random, tables: Sequence[Table], budget: int, language: Language = SPARK
) -> RandomView:
    """A view of up to about ``budget`` operators."""
    growing = _Growing(random, tables, language)
    query = growing.view(budget)
    return RandomView(query.text, tuple(growing.below), tuple(growing.constructs))


class _Growing:
    def __init__(self, random: Random, tables: Sequence[Table], language: Language) -> None:
        self._random = random
        self._tables = tables
        self._language = language
        self._names = (f"n{number}" for number in count())
        self._ctes: list[tuple[str, Query]] = []
        self.below: list[tuple[str, str]] = []
        self.constructs: list[str] = []

    def view(self, budget: int) -> Query:
        around, self._ctes = self._ctes, []
        query = self._query(budget)
        ctes, self._ctes = self._ctes, around
        if not ctes:
            return query
        shown = ", ".join(f"{name} AS ({cte.text})" for name, cte in ctes)
        return Query(f"WITH {shown} {query.text}", query.columns)

    def _query(self, budget: int) -> Query:
        if self._language.is_sparks and self._random.random() < 0.5:
            return self._construct(budget)
        shape = self._random.choices(
            (self._select, self._aggregate, self._window, self._set, self._distinct, self._sorted),
            (42, 20, 12, 12, 6, 8),
        )[0]
        return shape(budget)

    def _construct(self, budget: int) -> Query:
        """Something that only Spark has, over a query or a table."""
        alias = next(self._names)
        if budget > 1:
            query = self._query(budget - 1)
        else:
            table = self._random.choice(self._tables)
            query = Query(f"SELECT * FROM {table.name}", table.columns)
        ground = Ground(self._random, query, alias, self._names, self._tables)
        made, used = with_construct(ground)
        self.constructs += used
        return made

    # One SELECT each

    def _select(self, budget: int) -> Query:
        source = self._source(budget - 1)
        over = self._over(source.columns)
        names = [_bare(column.text) for column in source.columns]
        if self._random.random() < 0.12 and len({n.lower() for n in names}) == len(names):
            columns = tuple((n, c.type) for n, c in zip(names, source.columns, strict=True))
            return Query(f"SELECT * FROM {source.text}{self._where(source)}", columns)
        items = [over.any(self._random.randint(0, 3)) for _ in range(self._random.randint(1, 4))]
        return self._selected(items, source.text + self._where(source))

    def _aggregate(self, budget: int) -> Query:
        random = self._random
        source = self._source(budget - 1)
        keys = self._keys(source.columns, random.randint(0, 3))
        shown = [key for key in keys if random.random() < 0.8]
        made = [self._aggregate_call(source) for _ in range(random.randint(1, 3))]
        tail = self._where(source)
        if keys:
            tail += f" GROUP BY {', '.join(key.text for key in keys)}" + self._grouping(keys)
        if keys and random.random() < 0.25:
            tail += f" HAVING {random.choice(('count(*) > 1', 'count(*) < 5'))}"
        return self._selected([*shown, *made], source.text + tail)

    def _window(self, budget: int) -> Query:
        random = self._random
        source = self._source(budget - 1)
        steady = [c for c in source.columns if self._is_key(c.type)]
        if not steady:
            return self._select(budget)
        over = Expressions(random, steady, language=self._language)
        kept = random.sample(steady, random.randint(0, min(2, len(steady))))
        direction = random.choice(("", " DESC"))
        order = ", ".join(f"{column.text}{direction}" for column in steady)
        made = []
        for _ in range(random.randint(1, 2)):
            frame = random.choice(_FRAMES)
            call = random.choice(_FRAMED if frame else _WINDOWS)
            argument = over.of(random.choice(self._language.kinds), 1)
            keys = ", ".join(key.text for key in self._keys(steady, random.randint(0, 2)))
            by = f"PARTITION BY {keys} " if keys else ""
            called = call.replace("{}", argument.text)
            text = f"{called} OVER ({by}ORDER BY {order}{frame})"
            follows = call.split("(")[0] in {
                "lag",
                "lead",
                "min",
                "max",
                "first_value",
                "last_value",
            }
            made.append(Typed(text, argument.type if follows else BIGINT))
        return self._selected([*kept, *made], source.text + self._where(source))

    def _set(self, budget: int) -> Query:
        random = self._random
        kinds = [random.choice(self._language.kinds) for _ in range(random.randint(1, 3))]
        branches = [self._of_kinds(kinds, budget // 2) for _ in range(random.choice((2, 2, 3)))]
        words = ["UNION ALL", "UNION ALL", "UNION", "INTERSECT", "EXCEPT"]
        if self._language.is_sparks:
            words += ["INTERSECT ALL", "EXCEPT ALL", "MINUS"]
        text = branches[0].text
        for branch in branches[1:]:
            text = f"({text}) {random.choice(words)} ({branch.text})"
        name = next(self._names)
        return Query(f"SELECT * FROM ({text}) {name}", branches[0].columns)

    def _distinct(self, budget: int) -> Query:
        source = self._source(budget - 1)
        items = self._keys(source.columns, self._random.randint(1, 3))
        query = self._selected(items, source.text + self._where(source))
        return Query(query.text.replace("SELECT", "SELECT DISTINCT", 1), query.columns)

    def _sorted(self, budget: int) -> Query:
        random = self._random
        source = self._source(budget - 1)
        items = self._keys(source.columns, random.randint(1, 3))
        query = self._selected(items, source.text + self._where(source))
        nulls = ("", " NULLS FIRST", " NULLS LAST")
        order = ", ".join(
            f"{_quoted(name)}{random.choice(('', ' ASC', ' DESC'))}{random.choice(nulls)}"
            for name, _ in query.columns
        )
        limit = f" LIMIT {random.randint(0, 6)}"
        return Query(f"{query.text} ORDER BY {order}{limit}", query.columns)

    def _of_kinds(self, kinds: Sequence[ColumnType], budget: int) -> Query:
        source = self._source(budget - 1)
        over = self._over(source.columns)
        items = [over.of(kind, self._random.randint(0, 2)) for kind in kinds]
        return self._selected(items, source.text + self._where(source))

    def _selected(self, items: Sequence[Typed], rest: str) -> Query:
        columns, texts = [], []
        for place, item in enumerate(items):
            name = self._random.choice(
                (f"c{place}", f"c{place}", f"Col{place}", f"the col {place}")
            )
            columns.append((name, item.type))
            texts.append(f"{item.text} AS {_quoted(name)}")
        return Query(f"SELECT {', '.join(texts)} FROM {rest}", tuple(columns))

    def _where(self, source: _Source) -> str:
        random = self._random
        kind = random.random()
        if kind < 0.45:
            return ""
        if kind < 0.53:
            return f" WHERE {self._exists(source)}"
        return f" WHERE {self._over(source.columns).condition(random.randint(1, 2))}"

    def _exists(self, source: _Source) -> str:
        """A condition that asks another table."""
        random = self._random
        table = random.choice(self._tables)
        name = next(self._names)
        key, type_ = table.columns[0]
        mine = [c for c in source.columns if family(c.type) == family(type_)]
        if not mine:
            return f"EXISTS (SELECT 1 FROM {table.name})"
        column = random.choice(mine).text
        no = random.choice(("", "", "NOT "))
        if random.random() < 0.5:
            return f"{no}EXISTS (SELECT 1 FROM {table.name} {name} WHERE {name}.{key} = {column})"
        return (
            f"{column} {no}IN (SELECT {name}.{key} FROM {table.name} {name} WHERE {name}.{key} > 0)"
        )

    def _scalar(self, wanted: ColumnType) -> Typed:
        random = self._random
        table = random.choice(self._tables)
        name = next(self._names)
        columns = [Typed(f"{name}.{c}", type_) for c, type_ in table.columns]
        inner = Expressions(random, columns, language=self._language).of(wanted, 1)
        call = random.choice(("min", "max"))
        return Typed(f"(SELECT {call}({inner.text}) FROM {table.name} {name})", wanted)

    def _keys(self, columns: Sequence[Typed], number: int) -> list[Typed]:
        """Things to group or sort by: no bare number, which would be a column's place."""
        random = self._random
        orderable = [c for c in columns if self._is_key(c.type)]
        keys: dict[str, Typed] = {}
        for _ in range(number):
            if orderable and random.random() < 0.75:
                key = random.choice(orderable)
            else:
                made = Expressions(random, columns, language=self._language).of(STRING, 1)
                key = Typed(f"upper({made.text})", STRING)
            keys[key.text] = key
        if not keys and number:
            return [Typed("upper('a')", STRING)]
        return list(keys.values())

    def _is_key(self, type_: ColumnType) -> bool:
        is_plain = family(type_) in FAMILIES
        return is_plain or (
            self._language.has_nested_keys and is_orderable(type_) and type_ != OPAQUE
        )

    def _grouping(self, keys: Sequence[Typed]) -> str:
        random = self._random
        if len(keys) < 2 or random.random() < 0.65:
            return ""
        kind = random.random()
        if kind < 0.3:
            return " WITH ROLLUP"
        if kind < 0.6:
            return " WITH CUBE"
        sets = [
            "(" + ", ".join(k.text for k in keys if random.random() < 0.6) + ")" for _ in range(2)
        ]
        return f" GROUPING SETS ({', '.join(dict.fromkeys(sets))})"

    def _aggregate_call(self, source: _Source) -> Typed:
        random = self._random
        over = Expressions(random, source.columns, language=self._language)
        where = ""
        if self._language.aggregates and random.random() < 0.35:
            name, row = random.choice(self._language.aggregates)
            call = over.call(name, row, 2)
            return Typed(call.text, call.type)
        if self._language.is_sparks and random.random() < 0.15:
            where = f" FILTER (WHERE {over.condition(1)})"
        if random.random() < 0.4:
            form = random.choice(_OF_NUMBERS)
            argument = over.of(random.choice(FAMILIES[:3]), 2)
        else:
            form = random.choice(_AGGREGATES)
            argument = over.of(random.choice(self._language.kinds), 2)
        plain = form.endswith("({})") and form.count("(") == 1
        text = form.replace("{}", argument.text) + (where if plain else "")
        if form.startswith(("count", "size")):
            return Typed(text, BIGINT)
        if form.startswith("sort_array"):
            return Typed(text, ArrayType(argument.type))
        return Typed(text, argument.type)

    # What stands after FROM

    def _source(self, budget: int) -> _Source:
        random = self._random
        if budget <= 0:
            return self._leaf()
        return random.choices(
            (
                self._leaf,
                lambda: self._subquery(budget),
                lambda: self._join(budget),
                lambda: self._lateral(budget),
                lambda: self._view_below(budget),
                lambda: self._cte(budget),
            ),
            (8, 34, 28, 16, 8, 6),
        )[0]()

    def _leaf(self) -> _Source:
        random = self._random
        if self._language.is_sparks and random.random() < 0.06:
            return self._values()
        if self._ctes and random.random() < 0.3:
            return self._named(*random.choice(self._ctes))
        table = random.choice(self._tables)
        return self._named(table.name, Query("", table.columns))

    def _named(self, text: str, query: Query) -> _Source:
        alias = next(self._names)
        columns = tuple(Typed(f"{alias}.{_quoted(n)}", type_) for n, type_ in query.columns)
        return _Source(f"{text} {alias}", columns)

    def _values(self) -> _Source:
        random = self._random
        kinds = [random.choice((BIGINT, STRING, BOOLEAN)) for _ in range(random.randint(1, 2))]
        rows = ", ".join(
            f"({', '.join(value_text(random, kind) for kind in kinds)})" for _ in range(2)
        )
        alias = next(self._names)
        names = [f"v{place}" for place in range(len(kinds))]
        columns = tuple(Typed(f"{alias}.{n}", k) for n, k in zip(names, kinds, strict=True))
        return _Source(f"(VALUES {rows}) {alias}({', '.join(names)})", columns)

    def _subquery(self, budget: int) -> _Source:
        query = self._query(budget)
        return self._named(f"({query.text})", query)

    def _view_below(self, budget: int) -> _Source:
        query = self.view(budget)
        name = f"below{len(self.below)}"
        self.below.append((name, query.text))
        return self._named(name, query)

    def _cte(self, budget: int) -> _Source:
        query = self._query(budget)
        name = f"cte_{next(self._names)}"
        self._ctes.append((name, query))
        return self._named(name, query)

    def _join(self, budget: int) -> _Source:
        random = self._random
        if random.random() < 0.12:
            return self._using()
        left, right = self._side(budget // 2, first=True), self._side(budget // 2)
        kinds = [
            "JOIN",
            "JOIN",
            "LEFT JOIN",
            "RIGHT JOIN",
            "FULL JOIN",
            "CROSS JOIN",
            "LEFT SEMI JOIN",
        ]
        if self._language.is_sparks:
            kinds += ["LEFT ANTI JOIN"]
        kind = random.choice(kinds)
        both = (*left.columns, *right.columns)
        text = f"{left.text} {kind} {right.text}"
        if kind != "CROSS JOIN":
            text += f" ON {self._matching(left, right)}"
        if kind in {"LEFT SEMI JOIN", "LEFT ANTI JOIN"}:
            both = left.columns
        return _Source(text, both)

    def _using(self) -> _Source:
        """A table beside itself, by a column of the same name."""
        random = self._random
        table = random.choice(self._tables)
        left, right = (self._named(table.name, Query("", table.columns)) for _ in range(2))
        kind = random.choice(("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"))
        key = table.columns[0][0]
        if (
            self._language.is_sparks
            and random.random() < 0.3
            and all(is_orderable(type_) for _, type_ in table.columns)
        ):
            # A common column is shown once, under no side's name.
            columns = tuple(Typed(_quoted(n), type_) for n, type_ in table.columns)
            return _Source(f"{left.text} NATURAL {kind} {right.text}", columns)
        columns = (Typed(key, INT), *left.columns[1:], *right.columns[1:])
        return _Source(f"{left.text} {kind} {right.text} USING ({key})", columns)

    def _side(self, budget: int, *, first: bool = False) -> _Source:
        """Something with a name of its own; on the left also a join."""
        random = self._random
        if budget <= 0:
            return self._leaf()
        if first and random.random() < 0.25:
            return self._join(budget - 1)
        return random.choice((self._subquery, self._view_below, lambda _: self._leaf()))(budget)

    def _matching(self, left: _Source, right: _Source) -> str:
        random = self._random
        pairs = [
            (a.text, b.text)
            for a in left.columns
            for b in right.columns
            if family(a.type) == family(b.type) == BIGINT
        ]
        if not pairs or random.random() < 0.1:
            over = Expressions(random, (*left.columns, *right.columns), language=self._language)
            return over.condition(1)
        a, b = random.choice(pairs)
        more = ""
        if random.random() < 0.25:
            more = (
                f" AND {Expressions(random, right.columns, language=self._language).condition(1)}"
            )
        return f"{a} = {b}{more}"

    def _lateral(self, budget: int) -> _Source:
        random = self._random
        base = self._source(budget - 1)
        nested = [c for c in base.columns if isinstance(c.type, (ArrayType, MapType))]
        argument = random.choice(nested) if nested else Typed("array(1, 2, 3)", ArrayType(INT))
        alias = next(self._names)
        produced = list(_produced(random, argument.type))
        function = produced.pop(0)[0]
        columns = [Typed(f"{alias}.{name}", type_) for name, type_ in produced]
        outer = random.choice(("", "OUTER "))
        names = ", ".join(name for name, _ in produced)
        text = f"{base.text} LATERAL VIEW {outer}{function}({argument.text}) {alias} AS {names}"
        return _Source(text, (*base.columns, *columns))

    def _over(self, columns: Sequence[Typed]) -> Expressions:
        subquery = self._scalar if self._language.has_subqueries else None
        return Expressions(self._random, columns, language=self._language, subquery=subquery)


def _produced(random: Random, type_: ColumnType) -> Iterator[tuple[str, ColumnType]]:
    """The generator's name, then its columns."""
    match type_:
        case ArrayType(StructType(fields)) if random.random() < 0.5:
            yield "inline", BOOLEAN
            yield from ((f"i{place}", field.type) for place, field in enumerate(fields))
        case ArrayType(element) if random.random() < 0.4:
            yield "posexplode", BOOLEAN
            yield from (("place", INT), ("item", element))
        case ArrayType(element):
            yield "explode", BOOLEAN
            yield "item", element
        case MapType(key, value):
            yield "explode", BOOLEAN
            yield from (("key1", key), ("value1", value))
        case _:
            raise AssertionError(type_)


def _bare(text: str) -> str:
    return text.rpartition(".")[2].strip("`")


def _quoted(name: str) -> str:
    return name if name.isidentifier() else f"`{name}`"
