"""A script's tables as sqllineage has them: a graph, of which the ends are sources and targets.

A table that a statement writes and another reads is between them, and neither.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field


@dataclass(slots=True)
class ScriptGraph:
    """What flows between tables.

    Attributes:
        flows: from a table that is read to one that the same statement writes.
        shown: tables of statements that only read.
        filled: tables of statements that only write.
    """

    flows: set[tuple[str, str]] = field(default_factory=set)
    shown: set[str] = field(default_factory=set)
    filled: set[str] = field(default_factory=set)

    def add(self, read: AbstractSet[str], written: AbstractSet[str]) -> None:
        """What one statement does."""
        if not written:
            self.shown |= read
        elif not read:
            self.filled |= written
        else:
            self.flows |= {(source, target) for source in read for target in written}

    def drop(self, table: str) -> None:
        """Only a table from and to which nothing flows is forgotten."""
        if not any(table in flow for flow in self.flows):
            self.shown.discard(table)
            self.filled.discard(table)

    def rename(self, old: str, new: str) -> None:
        """All that was said of a table holds of its new name."""
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
        """Tables that a statement fills from themselves are both."""
        return {source for source, target in self.flows if source == target}
