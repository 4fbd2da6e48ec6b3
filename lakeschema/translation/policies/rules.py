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
    """A mask that replaces every value by null."""


@dataclass(frozen=True, slots=True)
class HashMask:
    """A mask that shows the SHA-256 of ``salt`` and the value's text, in lower-case hexadecimal."""

    salt: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class PartialMask:
    """A mask that shows a text's first or last ``kept`` characters, with ``****`` for the rest.

    A text with fewer than twice as many characters is hidden completely.
    """

    kept: int
    last: bool = True


@dataclass(frozen=True, slots=True)
class ConstantMask:
    """A mask that shows one constant instead of every value, even of null."""

    value: ConstantValue


@dataclass(frozen=True, slots=True)
class DroppedColumn:
    """A mask that drops the column: it is null in its relation, and dependent columns are left out."""


@dataclass(frozen=True, slots=True)
class ShownColumn:
    """The action of a rule that shows the unmasked values; later rules do not apply."""


Mask: TypeAlias = NullMask | HashMask | PartialMask | ConstantMask | DroppedColumn
ColumnAction: TypeAlias = Mask | ShownColumn


@dataclass(frozen=True, slots=True)
class RowFilter:
    """Keeps only rows for which the SQL condition over the relation's unmasked columns is true."""

    condition: str


@dataclass(frozen=True, slots=True)
class Rule:
    """An action on columns or rows for some readers.

    Attributes:
        tables: patterns of ``database.table``; empty for any.
        table_property: a property of the relation and its value; None for any value.
        columns: patterns of columns' names; empty for any.
        tag: a tag of columns; "" for any.
        groups: the groups of readers to which the rule applies; empty for everybody.
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
        """Whether the rule applies to a group; None means a reader without a group."""
        return group not in self.except_groups and (not self.groups or group in self.groups)


class UnknownGroup(ValueError):
    """The policies do not list the group, so no rule can apply to it."""

    def __init__(self, group: str, known: frozenset[str]) -> None:
        super().__init__(group)
        self.group = group
        self.known = known

    def __str__(self) -> str:
        listed = ", ".join(sorted(self.known)) or "none"
        return f"unknown group {self.group!r:.100}; the groups of the policies are {listed}"


@dataclass(frozen=True, slots=True)
class Policies:
    """All policies. ``tags`` has for each tag the patterns of ``database.table.column``."""

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
        """The name ``database.table`` of each relation that a rule or a tag names exactly."""
        tagged = {column.rpartition(".")[0] for named in self.tags.values() for column in named}
        named = {table for rule in self.rules for table in rule.tables}
        return frozenset(name for name in tagged | named if "*" not in name)
