"""Calls of Hive's functions with Hive's rows, kept in a file so that Hive is asked only once."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Final

from deploy.hive import HiveAnswer
from deploy.refused import Refused
from lakeschema.catalog.column_types import print_type
from lakeschema.catalog.relations import Dialect
from tests.judges.engines.hive import HiveStatements
from tests.judges.functions.expression_templates import World, world_of
from tests.judges.functions.findings import selects_of
from tests.judges.functions.hive_functions import HiveFunctions
from tests.judges.functions.hive_values import CallColumn, groups, is_endless, together
from tests.judges.functions.varied_calls import Calls

TABLES: Final = ("t", "n")
_WANTED: Final = 12
_ROUND: Final = 24
_MOST: Final = 48

_GEOMETRY: Final = re.compile(r"\bst_")

Rows = Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class Answered:
    """One call: its SELECT over ``{t}``, its types, and its rows for each table.

    Attributes:
        has_key: the first text of each row is ``r``.
        rows: by table, as Hive prints them, bytes as Base64; empty if Hive fails while it computes.
    """

    select: str
    types: Sequence[str]
    has_key: bool
    rows: Mapping[str, Rows] = field(default_factory=dict)


def read_answers(path: Path) -> Mapping[str, Sequence[Answered]]:
    """The answers by function."""
    found: dict[str, Sequence[Answered]] = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        value = json.loads(line)
        found[value["name"]] = [Answered(**answered) for answered in value["calls"]]
    return found


def append_answers(path: Path, name: str, calls: Sequence[Answered]) -> None:
    value = {"name": name, "calls": [asdict(call) for call in calls]}
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(value) + "\n")


class HiveRows:
    """Asks Hive which calls it accepts, and for their rows."""

    def __init__(self, hive: HiveStatements) -> None:
        self._hive = hive
        self._types = HiveFunctions(hive)

    def calls(self, names: Sequence[str]) -> Mapping[str, Sequence[Answered]]:
        """Calls by function; several functions share a job, which takes as long for one call."""
        accepted = {name: self._accepted(name) for name in names}
        types = {select: found for calls in accepted.values() for select, found in calls.items()}
        rows: dict[str, dict[str, Rows]] = {select: {} for select in types}
        keys = dict.fromkeys(types, False)
        grouped = _grouped(list(types))
        for rest, group in grouped:
            shown = [_readable(column, types[column.select]) for column in group]
            for some in _by_key(shown, rest):
                keys |= dict.fromkeys((c.select for c in some.columns), some.has_key)
                for table in TABLES:
                    for select, found in self._together(some, table):
                        rows[select][table] = found
        together_ = {column.select for _, group in grouped for column in group}
        for select in (select for select in types if select not in together_):
            for table in TABLES:
                query = _readable_alone(select, types[select]).replace("{t}", table)
                if (alone := self._rows(query)) is not None:
                    rows[select][table] = alone
        return {
            name: [Answered(s, found, keys[s], rows[s]) for s, found in calls.items()]
            for name, calls in accepted.items()
        }

    def _accepted(self, name: str) -> Mapping[str, Sequence[str]]:
        """The accepted SELECTs, with the types of their columns."""
        documentation = self._types.documentation(name)
        source = Calls(name, Dialect.HIVE, documentation)
        accepted: dict[str, Sequence[str]] = {}
        seeds, made = source.first(_ROUND), 0
        while seeds and len(accepted) < _WANTED and made < _MOST:
            asked = {select: s for s in seeds for select in selects_of(s, source, documentation)}
            made += len(asked)
            for select, columns in self._types.columns(list(asked)).items():
                if not isinstance(columns, Refused):
                    accepted[select] = [print_type(column.type) for column in columns]
                    source.accept(asked[select])
            seeds = source.more(_ROUND)
        return accepted

    def _together(self, group: _Group, table: str) -> Iterator[tuple[str, Rows]]:
        """Asks for the whole group; if that fails, for each half."""
        rows = self._rows(f"{group.select} FROM {table}{group.rest}")
        width = len(group.columns) + group.has_key
        if rows is not None and all(len(row) == width for row in rows):
            for place, column in enumerate(group.columns, group.has_key):
                yield column.select, [[*row[: group.has_key], row[place]] for row in rows]
        elif len(group.columns) > 1:
            middle = len(group.columns) // 2
            for half in (group.columns[:middle], group.columns[middle:]):
                yield from self._together(replace(group, columns=half), table)

    def _rows(self, query: str) -> Rows | None:
        if is_endless(query):
            return None
        (answer,) = self._hive.run(query)
        return [r.split("\t") for r in answer.rows] if isinstance(answer, HiveAnswer) else None


@dataclass(frozen=True, slots=True)
class _Group:
    """Calls of one statement; ``has_key``: ``r`` is the first column."""

    columns: Sequence[CallColumn]
    rest: str
    has_key: bool

    @property
    def select(self) -> str:
        text = together(self.columns)
        return text.replace("SELECT ", "SELECT r, ", 1) if self.has_key else text


def _grouped(selects: Sequence[str]) -> Sequence[tuple[str, Sequence[CallColumn]]]:
    """Calls of geometries are asked alone: they share objects, which some calls change."""
    apart = [select for select in selects if _GEOMETRY.search(select)]
    others = [select for select in selects if select not in apart]
    alone = ((rest, [column]) for rest, group in groups(apart) for column in group)
    return [*groups(others), *alone]


def _by_key(columns: Sequence[CallColumn], rest: str) -> Iterator[_Group]:
    """Adds ``r`` to each group, unless it aggregates all rows to one."""
    of_all = [c for c in columns if not rest and world_of(c.call, Dialect.HIVE) is World.GROUPED]
    others = [column for column in columns if column not in of_all]
    for some, has_key in ((of_all, False), (others, True)):
        if some:
            yield _Group(some, rest, has_key)


def _readable(column: CallColumn, types: Sequence[str]) -> CallColumn:
    """Reads bytes as Base64, since Hive prints bytes as they are, even tabs."""
    return replace(column, call=f"base64({column.call})") if types == ["binary"] else column


def _readable_alone(select: str, types: Sequence[str]) -> str:
    return f"SELECT base64(b.x) AS x FROM ({select}) b" if types == ["binary"] else select
