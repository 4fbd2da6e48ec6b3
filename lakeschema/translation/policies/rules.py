"""Policies as values: groups of readers, tags of columns, and rules in the order in which they count."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from types import MappingProxyType
from typing import TypeAlias

ConstantValue: TypeAlias = bool | int | float | Decimal | str | date


@dataclass(frozen=True, slots=True)
class NullMask:
    """Null in place of every value."""


@dataclass(frozen=True, slots=True)
class HashMask:
    """SHA-256 of ``salt`` and the value's text, in lower-case hexadecimal digits."""

    salt: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class PartialMask:
    """``****`` with the text's first or last ``kept`` characters, if it has at least twice as many."""

    kept: int
    last: bool = True


@dataclass(frozen=True, slots=True)
class ConstantMask:
    """One value in place of all, of nulls too."""

    value: ConstantValue


@dataclass(frozen=True, slots=True)
class DroppedColumn:
    """Null where it is declared, and nothing that is made of it is a column of what readers get."""


@dataclass(frozen=True, slots=True)
class ShownColumn:
    """The values themselves: no later rule applies."""


Mask: TypeAlias = NullMask | HashMask | PartialMask | ConstantMask | DroppedColumn
ColumnAction: TypeAlias = Mask | ShownColumn


@dataclass(frozen=True, slots=True)
class RowFilter:
    """Rows stay if the SQL condition over the relation's own columns, unmasked, is true."""

    condition: str


@dataclass(frozen=True, slots=True)
class Rule:
    """What is done to which columns, or rows, for which readers.

    Attributes:
        tables: patterns of ``database.table``; empty for any.
        table_property: a property that the relation has, and its value, None for any.
        columns: patterns of columns' names; empty for any.
        tag: of columns; "" for any.
        groups: whom it is for; empty for everybody.
        except_groups: whom it is not for.
    """

    action: ColumnAction | RowFilter
    tables: tuple[str, ...] = ()
    table_property: tuple[str, str | None] | None = None
    columns: tuple[str, ...] = ()
    tag: str = ""
    groups: frozenset[str] = frozenset()
    except_groups: frozenset[str] = frozenset()

    def is_for(self, group: str | None) -> bool:
        """None is a reader of no group."""
        return group not in self.except_groups and (not self.groups or group in self.groups)


class UnknownGroup(ValueError):
    """The rules do not know the group: they would not be those that were meant for it."""

    def __init__(self, group: str, known: frozenset[str]) -> None:
        super().__init__(group)
        self.group = group
        self.known = known

    def __str__(self) -> str:
        listed = ", ".join(sorted(self.known)) or "none"
        return f"unknown group {self.group!r:.100}; the groups of the policies are {listed}"


@dataclass(frozen=True, slots=True)
class Policies:
    """``tags``: patterns of ``database.table.column`` by the tag that they give."""

    groups: frozenset[str] = frozenset()
    tags: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    rules: tuple[Rule, ...] = ()

    def for_group(self, group: str | None) -> Policies:
        """Those that apply to a reader of one group, or of none.

        Raises:
            UnknownGroup: the policies do not list the group.
        """
        if group is not None and group not in self.groups:
            raise UnknownGroup(group, self.groups)
        return replace(self, rules=tuple(rule for rule in self.rules if rule.is_for(group)))

    @property
    def relations_named(self) -> frozenset[str]:
        """``database.table`` of each relation that a rule or a tag names as a whole."""
        tagged = {column.rpartition(".")[0] for named in self.tags.values() for column in named}
        named = {table for rule in self.rules for table in rule.tables}
        return frozenset(name for name in tagged | named if "*" not in name)
