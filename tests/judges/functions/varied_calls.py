"""Calls of one function: seeds first, then variations of the calls that its engine accepted.

A variation changes one argument: to another value of the same type, which the engine mostly accepts, or
to any other value, which shows what else the function takes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Final

from lakeschema.catalog.relations import Dialect
from lakeschema.translation.functions.binding import find
from lakeschema.translation.functions.signature import Kind
from tests.judges.functions.call_seeds import NAME, Seed, call, kind_of, seeds_of
from tests.judges.functions.probe_values import columns_of

_NESTED: Final = (
    *("array(i, i2)", "array(s, s2)", "map(s, i)", "named_struct('x', i, 'y', s)"),
    *("array(array(i))", "array(named_struct('k', s, 'v', i))", "split(s, ',')"),
)
_LITERALS: Final = (
    *("NULL", "0", "-1", "1", "100", "''", "'a'", "'UTC'", "1.5", "1.5D", "true", "5L", "array()"),
    *("10", "3S", "2Y", "2.5F", "-7.25", "'YEAR'", "'yyyy-MM-dd'", "map()"),
)
_SPARKS_LITERALS: Final = (
    *("DATE '2020-02-29'", "INTERVAL '1' DAY", "INTERVAL '1' MONTH", "X'61'"),
)
_CLAUSES: Final = (
    *(" FILTER (WHERE {})", " OVER (PARTITION BY {})", " FILTER (WHERE {}) OVER (ORDER BY r)"),
    " OVER (PARTITION BY {} ORDER BY r ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING)",
)
_WINDOWS: Final = (
    *(" OVER (ORDER BY {})", " OVER (PARTITION BY {} ORDER BY r)", " OVER (ORDER BY {} DESC, r)"),
)
_IN_FEW_JOBS: Final = {
    # In a total order of rows: a sketch depends on the order.
    Kind.AGGREGATE: (
        " OVER (PARTITION BY bo ORDER BY r ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)",
        " OVER (PARTITION BY bo ORDER BY r ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING)",
    ),
    Kind.WINDOW: (" OVER (PARTITION BY bo ORDER BY r)", " OVER (ORDER BY bo DESC, r)"),
}
"""Each further order or partition is another job in Hive, which takes seconds."""

_LONG: Final = 160
_TRIES: Final = 100
"""So many times a change is drawn again before the search for new calls ends."""


class Calls:
    """Chooses the next calls and learns from ``accept``. The calls for an engine are deterministic."""

    def __init__(self, name: str, dialect: Dialect, documentation: str) -> None:
        self.name = name
        self._dialect = dialect
        self._columns = tuple(columns_of(dialect))
        self._random = Random(name)
        function = find(name, dialect)
        self.kind = function.kind if function else Kind.SCALAR
        self._seeds = seeds_of(name, dialect, documentation)
        self._known: set[str] = set()
        self._accepted: list[Seed] = []

    @property
    def takes_no_argument(self) -> bool:
        """Whether the engine accepted only calls without arguments, though calls with one were tried."""
        return bool(self._accepted) and not any(seed.arguments for seed in self._accepted)

    def accept(self, seed: Seed) -> None:
        if len(str(seed)) < _LONG or not self._accepted:
            self._accepted.append(seed)

    def first(self, count: int) -> Sequence[Seed]:
        """Half of the calls as they were written, a quarter with columns in place of literals."""
        written = self._seeds.written[: count // 2]
        wide = self._seeds.over_columns[: count // 4]
        chosen = list(self._new((*written, *wide)))
        bases = _various((*self._seeds.written, *self._seeds.over_columns))
        return [*chosen, *self._varied(bases, count - len(chosen), wide=1.0)]

    def rest(self) -> Sequence[Seed]:
        """The other seeds."""
        return list(self._new((*self._seeds.written, *self._seeds.over_columns)))

    def more(self, count: int) -> Sequence[Seed]:
        """Varies accepted calls; if none has an argument, tries one argument and more."""
        bases = [seed for seed in self._accepted if seed.arguments]
        if bases or (self._accepted and self.kind in {Kind.WINDOW, Kind.AGGREGATE}):
            bases = bases or self._accepted
            return list(self._varied(_various(bases), count, wide=0.3))
        if self._accepted:
            chosen = (*self._columns, *_LITERALS)
            return list(self._new(call(self.name, text) for text in chosen))[:count]
        return list(self._varied(_various(self._seeds.written), count, wide=1.0))

    def _new(self, seeds: Iterator[Seed] | Sequence[Seed]) -> Iterator[Seed]:
        for seed in seeds:
            text = str(seed)
            # Named arguments are not probed.
            if text not in self._known and "=>" not in text:
                self._known.add(text)
                yield seed

    def _varied(self, bases: Sequence[Seed], count: int, *, wide: float) -> Iterator[Seed]:
        """``wide``: the share of changes to another type."""
        if not bases:
            return
        made = tries = 0
        while made < count and tries < count * _TRIES:
            tries += 1
            seed = self._random.choice(bases)
            if clause := self._clause(seed):
                changed = clause
            elif places := self._places(seed):
                place = self._random.choice(places)
                is_wide = self._random.random() < wide
                text = seed.arguments[place]
                choice = self._other(text) if is_wide else self._alike(text)
                changed = seed.with_argument(place, choice)
            else:
                continue
            for new in self._new((changed,)):
                made += 1
                yield new

    def _places(self, seed: Seed) -> Sequence[int]:
        return [place for place, text in enumerate(seed.arguments) if "->" not in text]

    def _clause(self, seed: Seed) -> Seed | None:
        """The call of an aggregate or window with a clause; None for other calls."""
        if seed.form.startswith("SELECT ") or self._random.random() > 0.2:
            return None
        over_rows = self.kind is Kind.WINDOW and seed.form.endswith(" OVER (ORDER BY r)")
        of_group = self.kind is Kind.AGGREGATE and seed.form.endswith(")") and " (" not in seed.form
        if self._dialect is Dialect.HIVE and (over_rows or of_group):
            form = seed.form.removesuffix(" OVER (ORDER BY r)")
            return Seed(form + self._random.choice(_IN_FEW_JOBS[self.kind]), seed.arguments)
        if over_rows:
            form = seed.form.removesuffix(" OVER (ORDER BY r)") + self._random.choice(_WINDOWS)
            return Seed(form, (*seed.arguments, self._random.choice(self._columns)))
        if of_group:
            return Seed(seed.form + self._random.choice(_CLAUSES), (*seed.arguments, "bo"))
        return None

    def _other(self, text: str) -> str:
        """Half of the time, a literal is replaced by a literal: some arguments must be constants."""
        is_spark = self._dialect is Dialect.SPARK
        literals: Sequence[str] = (*_LITERALS, *(_SPARKS_LITERALS if is_spark else ()))
        seconds = [f"{name}2" for name in self._columns]
        if not NAME.match(text) and self._random.random() < 0.5:
            return self._random.choice(literals)
        return self._random.choice((*self._columns, *seconds, *_NESTED, *literals))

    def _alike(self, text: str) -> str:
        """Another text of the same type, if the type is known."""
        word, _, rest = text.partition(" ")
        if word.upper() == "DISTINCT":
            return f"{word} {self._alike(rest)}"
        column = text.rstrip("23")
        if column in self._columns:
            again = (
                *(f"CASE WHEN bo THEN {text} END", f"coalesce({column}2, {column}3)"),
                *(f"CASE WHEN i > 1 THEN {text} ELSE {column} END", f"coalesce({text}, {column})"),
                *(
                    f"if(bo, {column}2, {column}3)",
                    f"CASE i WHEN 5 THEN {column} WHEN 1 THEN {text} END",
                ),
            )
            return self._random.choice((column, f"{column}2", f"{column}3", *again))
        if len(text) > _LONG // 4:
            # Texts that grow longer and longer would cost more and show nothing new.
            return self._other(text)
        return self._random.choice(_like_literal(text))


def _like_literal(text: str) -> Sequence[str]:
    kind = kind_of(text)
    if kind == "s":
        return (f"concat({text}, '')", f"CAST({text} AS STRING)", "CAST(NULL AS STRING)", "'b'")
    if kind == "i":
        after = (str(int(text) + 1), str(int(text) + 2), str(abs(int(text) - 1)), f"{text} + 1")
        return (*after, f"CAST({text} AS SMALLINT)", "CAST(NULL AS INT)", f"{text}L", "2", "3")
    if kind == "de":
        return (f"{text}5", f"{text}D", f"CAST({text} AS DOUBLE)", "0.25", "0.5", "0.75", "0.95")
    if kind == "bo":
        return ("true", "false", "CAST(NULL AS BOOLEAN)", "1 = 1", "NOT true")
    return (
        *(f"CASE WHEN bo THEN {text} END", f"coalesce({text}, {text})"),
        *(f"if(bo, {text}, {text})", f"CASE WHEN i > 1 THEN {text} ELSE {text} END"),
    )


def _various(seeds: Sequence[Seed]) -> Sequence[Seed]:
    """Some seeds, first and last, of each form and number of arguments."""
    chosen: dict[tuple[str, int], list[Seed]] = {}
    for seed in seeds:
        chosen.setdefault((seed.form, len(seed.arguments)), []).append(seed)
    return [seed for found in chosen.values() for seed in (*found[:3], *found[-3:])]
