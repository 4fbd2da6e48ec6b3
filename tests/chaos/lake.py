"""The relations of a lake as values, the effects of statements, and the contents of packages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from tests.chaos.shapes import shape_of_hive_type

DEFAULT_CATALOG = "hive"
"""What views of other catalogs call the default one."""

Columns: TypeAlias = tuple[tuple[str, str], ...]
"""Names and Hive type texts."""


@dataclass(frozen=True, slots=True, order=True)
class Name:
    """``catalog``: "" for the default one."""

    database: str
    relation: str
    catalog: str = ""

    def __str__(self) -> str:
        plain = f"{self.database}.{self.relation}"
        return f"{self.catalog}:{plain}" if self.catalog else plain

    @classmethod
    def of(cls, text: str) -> Name:
        catalog, _, plain = text.rpartition(":")
        database, _, relation = plain.partition(".")
        return cls(database, relation, catalog)

    def is_twin_of(self, other: Name) -> bool:
        """Whether they differ only in the catalog."""
        return self != other and self == replace(other, catalog=self.catalog)


@dataclass(frozen=True, slots=True)
class Table:
    columns: Columns


@dataclass(frozen=True, slots=True)
class View:
    """A view that selects columns of one upstream by name.

    ``crosses``: whether the upstream is in another catalog than the view.
    """

    upstream: Name
    selected: tuple[str, ...]
    crosses: bool = False

    @property
    def text(self) -> str:
        """The text as Hive expands it; it names a catalog only if that is another one."""
        table = self.upstream.relation
        columns = ", ".join(f"`{table}`.`{column}`" for column in self.selected)
        catalog = f"`{self.upstream.catalog or DEFAULT_CATALOG}`." if self.crosses else ""
        return f"SELECT {columns} FROM {catalog}`{self.upstream.database}`.`{table}`"


Definition: TypeAlias = Table | View
Lake: TypeAlias = Mapping[Name, Definition]


@dataclass(frozen=True, slots=True)
class Content:
    """The required content of a relation's package: its fields with their shapes, and a view's text."""

    fields: tuple[tuple[str, str], ...]
    view_text: str | None


@dataclass(frozen=True, slots=True)
class Statement:
    """``changes``: the new state of each relation that it touches; None for a dropped relation."""

    verb: str
    changes: tuple[tuple[Name, Definition | None], ...]

    @property
    def catalog(self) -> str:
        """The catalog that has all its relations."""
        return self.changes[0][0].catalog


def apply(lake: Lake, statement: Statement) -> dict[Name, Definition]:
    changed = dict(lake)
    for name, definition in statement.changes:
        if definition is None:
            changed.pop(name, None)
        else:
            changed[name] = definition
    return changed


def columns_of(lake: Lake, name: Name) -> Columns | None:
    """A relation's columns; None if the relation, or a relation that it reads, does not exist."""
    match lake.get(name):
        case Table(columns):
            return columns
        case View(upstream, selected, _):
            found = dict(columns_of(lake, upstream) or ())
            if not found.keys() >= set(selected):
                return None
            return tuple((column, found[column]) for column in selected)
        case None:
            return None


def content_of(lake: Lake, name: Name) -> Content | None:
    columns = columns_of(lake, name)
    if columns is None:
        return None
    definition = lake[name]
    fields = tuple((column, shape_of_hive_type(type_)) for column, type_ in columns)
    return Content(fields, definition.text if isinstance(definition, View) else None)


def upstreams_of(lake: Lake, name: Name) -> Iterator[Name]:
    """The relations that a relation reads, directly or through views, nearest first."""
    definition = lake.get(name)
    while isinstance(definition, View):
        yield definition.upstream
        definition = lake.get(definition.upstream)


def statement_to_json(statement: Statement) -> dict[str, Any]:
    changes = [[str(name), _definition_to_json(each)] for name, each in statement.changes]
    return {"verb": statement.verb, "changes": changes}


def statement_from_json(text: Mapping[str, Any]) -> Statement:
    changes = ((Name.of(name), _definition_from_json(each)) for name, each in text["changes"])
    return Statement(text["verb"], tuple(changes))


def _definition_to_json(definition: Definition | None) -> Any:
    match definition:
        case Table(columns):
            return {"columns": columns}
        case View(upstream, selected, crosses):
            return {"upstream": str(upstream), "selected": selected, "crosses": crosses}
        case None:
            return None


def _definition_from_json(value: Any) -> Definition | None:
    match value:
        case {"columns": columns}:
            return Table(tuple((name, type_) for name, type_ in columns))
        case {"upstream": upstream, "selected": selected, "crosses": crosses}:
            return View(Name.of(upstream), tuple(selected), crosses)
        case _:
            return None
