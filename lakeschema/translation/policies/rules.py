"""Policies as values: groups of readers, tags of columns, and rules in order of precedence."""

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
    """Null instead of every value."""


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
    """One constant instead of every value, even null."""

    value: ConstantValue


@dataclass(frozen=True, slots=True)
class DroppedColumn:
    """The column is null where it is declared; columns that depend on it are left out for readers."""


@dataclass(frozen=True, slots=True)
class ShownColumn:
    """The unmasked values: later rules do not apply."""


Mask: TypeAlias = NullMask | HashMask | PartialMask | ConstantMask | DroppedColumn
ColumnAction: TypeAlias = Mask | ShownColumn


@dataclass(frozen=True, slots=True)
class RowFilter:
    """Keeps rows for which the SQL condition over the relation's own columns, unmasked, is true."""

    condition: str


@dataclass(frozen=True, slots=True)
class Rule:
    """An action on columns or rows for some readers.

    Attributes:
        tables: patterns of ``database.table``; empty for any.
        table_property: a property of the relation and its value; None for any value.
        columns: patterns of columns' names; empty for any.
        tag: a tag of columns; "" for any.
        groups: the readers' groups; empty for everybody.
        except_groups: groups that are exempt.
    """

    action: ColumnAction | RowFilter
    tables: tuple[str, ...] = ()
    table_property: tuple[str, str | None] | None = None
    columns: tuple[str, ...] = ()
    tag: str = ""
    groups: frozenset[str] = frozenset()
    except_groups: frozenset[str] = frozenset()

    def is_for(self, group: str | None) -> bool:
        """``group`` None: a reader without a group."""
        return group not in self.except_groups and (not self.groups or group in self.groups)


class UnknownGroup(ValueError):
    """The policies do not list the group, so no rule can be meant for it."""

    def __init__(self, group: str, known: frozenset[str]) -> None:
        super().__init__(group)
        self.group = group
        self.known = known

    def __str__(self) -> str:
        listed = ", ".join(sorted(self.known)) or "none"
        return f"unknown group {self.group!r:.100}; the groups of the policies are {listed}"


@dataclass(frozen=True, slots=True)
class Policies:
    """``tags``: for each tag, patterns of ``database.table.column``."""

    groups: frozenset[str] = frozenset()
    tags: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    rules: tuple[Rule, ...] = ()

    def for_group(self, group: str | None) -> Policies:
        """The policies for a reader of one group, or without a group.

        Raises:
            UnknownGroup: the policies do not list the group.
        """
        if group is not None and group not in self.groups:
            raise UnknownGroup(group, self.groups)
        return replace(self, rules=tuple(rule for rule in self.rules if rule.is_for(group)))

    @property
    def relations_named(self) -> frozenset[str]:
        """``database.table`` of each relation that a rule or a tag names exactly."""
        tagged = {column.rpartition(".")[0] for named in self.tags.values() for column in named}
        named = {table for rule in self.rules for table in rule.tables}
        return frozenset(name for name in tagged | named if "*" not in name)
