"""Random DDL on the tables and views of one database of a catalog."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from tests.chaos.lake import (
    Columns,
    Definition,
    Lake,
    Name,
    Statement,
    Table,
    View,
    columns_of,
    upstreams_of,
)
from tests.chaos.shapes import SHAPE_OF_HIVE_TYPE

_TYPES = tuple(SHAPE_OF_HIVE_TYPE)
_MIN_RELATIONS = 12
_MAX_RELATIONS = 28
_MAX_DEPTH = 4
_CROSSING = 0.3
"""The share of views that read a table of the same database in another catalog, if there is one."""


class RandomStatements:
    """Draws one statement after another; each fits the given lake."""

    def __init__(self, database: str, random: Random, catalog: str = "") -> None:
        self._database = database
        self._catalog = catalog
        self._whole: Lake = {}
        self._random = random
        self._count = 0
        self._gone: dict[Name, Definition] = {}
        self._earlier: dict[Name, Definition] = {}

    def draw(self, lake: Lake) -> Statement:
        self._whole = lake
        here = {
            name: each
            for name, each in lake.items()
            if (name.database, name.catalog) == (self._database, self._catalog)
        }
        if len(here) < _MIN_RELATIONS:
            return self._create(here)
        choices: list[tuple[int, Callable[[Lake], Statement | None]]] = [
            (40, self._alter_table),
            (12, self._alter_view),
            (10, self._revert),
            (10, self._drop),
            (8, self._rename),
            (10, self._create_again),
            (16 if len(here) < _MAX_RELATIONS else 0, self._create),
        ]
        actions = [action for _, action in choices]
        weights = [weight for weight, _ in choices]
        while True:
            (action,) = self._random.choices(actions, weights)
            if (drawn := action(here)) is not None:
                return drawn

    def _create(self, lake: Lake) -> Statement:
        self._count += 1
        if lake and self._random.random() < 0.5 and (view := self._view(lake)) is not None:
            return Statement("create", ((self._name(f"v{self._count}"), view),))
        columns: Columns = (("id", "bigint"), *self._columns(self._random.randint(1, 4)))
        return Statement("create", ((self._name(f"t{self._count}"), Table(columns)),))

    def _name(self, relation: str) -> Name:
        return Name(self._database, relation, self._catalog)

    def _alter_table(self, lake: Lake) -> Statement | None:
        name, table = self._pick(lake, Table)
        if name is None or not isinstance(table, Table):
            return None
        first, *others = table.columns
        match self._random.randrange(3):
            case 0:
                others = [*others, *self._columns(1)]
            case 1 if len(others) > 1:
                others.pop(self._random.randrange(len(others)))
            case _:
                at = self._random.randrange(len(others))
                others[at] = (others[at][0], self._random.choice(_TYPES))
        # A table cannot have two columns of one name.
        changed = Table((first, *dict(others).items()))
        return self._change(lake, name, changed)

    def _alter_view(self, lake: Lake) -> Statement | None:
        name, _ = self._pick(lake, View)
        if name is None:
            return None
        below = {
            other: each
            for other, each in lake.items()
            if other != name and name not in upstreams_of(self._whole, other)
        }
        view = self._view(below)
        return None if view is None else self._change(lake, name, view)

    def _revert(self, lake: Lake) -> Statement | None:
        """Returns a relation to its state before the last change: A, B, A."""
        names = sorted(name for name in lake if isinstance(self._earlier.get(name), Table))
        if not names:
            return None
        name = self._random.choice(names)
        return self._change(lake, name, self._earlier[name])

    def _drop(self, lake: Lake) -> Statement | None:
        if len(lake) <= _MIN_RELATIONS:
            return None
        name = self._random.choice(sorted(lake))
        self._gone[name] = lake[name]
        self._earlier.pop(name, None)
        return Statement("drop", ((name, None),))

    def _rename(self, lake: Lake) -> Statement | None:
        name, table = self._pick(lake, Table)
        if name is None or table is None:
            return None
        self._count += 1
        self._earlier.pop(name, None)
        return Statement("rename", ((name, None), (self._name(f"t{self._count}"), table)))

    def _create_again(self, lake: Lake) -> Statement | None:
        """Creates a dropped table again, as it was or with other columns."""
        names = sorted(
            name
            for name, gone in self._gone.items()
            if name not in lake and isinstance(gone, Table)
        )
        if not names:
            return None
        name = self._random.choice(names)
        gone = self._gone.pop(name)
        if self._random.random() < 0.5:
            gone = Table((("id", "bigint"), *self._columns(2)))
        return Statement("create", ((name, gone),))

    def _change(self, lake: Lake, name: Name, changed: Definition) -> Statement | None:
        if changed == lake[name]:
            return None
        self._earlier[name] = lake[name]
        return Statement("alter", ((name, changed),))

    def _columns(self, count: int) -> Columns:
        names = self._random.sample([f"c{number}" for number in range(12)], count)
        return tuple((name, self._random.choice(_TYPES)) for name in names)

    def _view(self, lake: Lake) -> View | None:
        whole = self._whole
        readable = sorted(
            name
            for name in lake
            if columns_of(whole, name) and len(list(upstreams_of(whole, name))) < _MAX_DEPTH
        )
        # Only tables, so that no cycle crosses the catalogs.
        foreign = sorted(
            name
            for name, each in whole.items()
            if name.catalog != self._catalog
            and name.database == self._database
            and isinstance(each, Table)
        )
        crosses = bool(foreign) and self._random.random() < _CROSSING
        if crosses:
            readable = foreign
        if not readable:
            return None
        upstream = self._random.choice(readable)
        names = [name for name, _ in columns_of(whole, upstream) or ()]
        selected = self._random.sample(names, self._random.randint(1, len(names)))
        return View(upstream, tuple(selected), crosses)

    def _pick(
        self, lake: Lake, kind: type[Table | View]
    ) -> tuple[Name, Definition] | tuple[None, None]:
        names = sorted(name for name, each in lake.items() if isinstance(each, kind))
        if not names:
            return None, None
        name = self._random.choice(names)
        return name, lake[name]
