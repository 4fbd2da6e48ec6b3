"""A script's tables as in sqllineage: a graph whose ends are sources and targets.

A table that one statement writes and another reads is neither.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field


@dataclass(slots=True)
class ScriptGraph:
    """The flows between tables.

    Attributes:
        flows: pairs of a table that a statement reads and a table that it writes.
        shown: tables of statements that only read.
        filled: tables of statements that only write.
    """

    flows: set[tuple[str, str]] = field(default_factory=set)
    shown: set[str] = field(default_factory=set)
    filled: set[str] = field(default_factory=set)

    def add(self, read: AbstractSet[str], written: AbstractSet[str]) -> None:
        """Adds one statement."""
        if not written:
            self.shown |= read
        elif not read:
            self.filled |= written
        else:
            self.flows |= {(source, target) for source in read for target in written}

    def drop(self, table: str) -> None:
        """Forgets a table, unless something flows from it or to it."""
        if not any(table in flow for flow in self.flows):
            self.shown.discard(table)
            self.filled.discard(table)

    def rename(self, old: str, new: str) -> None:
        """Gives a table's facts to its new name."""
        names = {old: new}
        self.flows = {(names.get(s, s), names.get(t, t)) for s, t in self.flows} - {(new, new)}
        self.shown = {names.get(each, each) for each in self.shown}
        self.filled = {names.get(each, each) for each in self.filled}

    def sources(self) -> set[str]:
        into = {target for _, target in self.flows}
        return ({source for source, _ in self.flows} - into) | self.shown | self._own()

    def targets(self) -> set[str]:
        out = {source for source, _ in self.flows}
        return ({target for _, target in self.flows} - out) | self.filled | self._own()

    def _own(self) -> set[str]:
        """Tables that a statement fills from themselves, which are both source and target."""
        return {source for source, target in self.flows if source == target}
