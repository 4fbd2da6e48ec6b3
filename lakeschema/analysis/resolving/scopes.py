"""Finds whether a name means a column of FROM, a column of an outer query, or an alias of SELECT.

``w.x.y.z`` may be a column w with fields, or a catalog, a schema, a table and a column, or a form
between these. The scope decides. A relation with known columns takes precedence over a relation with
unknown columns, and an inner query over an outer query.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from lakeschema.analysis import resolved as rs
from lakeschema.analysis.resolving.shapes import Shapes
from lakeschema.translation.model.errors import Position


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """A relation of FROM. ``names`` has its alias, or all parts of its name, in lower case."""

    relation: rs.Relation
    names: tuple[str, ...]
    table: tuple[str, ...] = ()

    def is_called(self, qualifier: tuple[str, ...]) -> bool:
        return self.names[-len(qualifier) :] == qualifier


@dataclass(slots=True, eq=False)
class Scope:
    """The relations of one FROM, and the other meanings of names there.

    Attributes:
        around: the enclosing query's scope.
        merged: columns of USING and NATURAL, by name in lower case.
        aliases: the visible aliases of SELECT, by name in lower case.
        parameters: the parameters of enclosing lambdas, in lower case.
        paired: relations that a SEMI or ANTI JOIN hides, but that a later join's ON may still name.
    """

    shapes: Shapes
    around: Scope | None = None
    entries: list[Entry] = field(default_factory=list)
    merged: dict[str, rs.Expression] = field(default_factory=dict)
    aliases: dict[str, rs.Expression] = field(default_factory=dict)
    parameters: frozenset[str] = frozenset()
    paired: list[Entry] = field(default_factory=list)

    def find(self, parts: Sequence[str], position: Position | None = None) -> rs.Expression:
        """The meaning of the name. An unclear name becomes an ``UnknownColumn``, never an error."""
        lowered = tuple(part.lower() for part in parts)
        for scope in self._outwards():
            found = scope._here(lowered, position)  # noqa: SLF001 (another of this class)
            if found is not None:
                return found
        if len(parts) > 1:
            for scope in self._outwards():
                # An alias hides the table's name, but some engines still accept it.
                found = scope._qualified(lowered, position, hidden=True)  # noqa: SLF001
                if found is not None:
                    return found
            for scope in self._outwards():
                found = scope._unqualified(lowered, position)  # noqa: SLF001
                if found is not None:
                    return found
        return rs.UnknownColumn(tuple(parts), (), position)

    def _outwards(self) -> Iterator[Scope]:
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.around

    def called(self, qualifier: Sequence[str]) -> list[Entry]:
        """The relations that a qualifier means, in the innermost scope that has such a relation."""
        lowered = tuple(part.lower() for part in qualifier)
        for hidden in (False, True):
            for scope in self._outwards():
                found = scope._called_here(lowered, hidden=hidden)  # noqa: SLF001
                if found:
                    return found[:1]
        return []

    def _here(self, parts: tuple[str, ...], position: Position | None) -> rs.Expression | None:
        if parts[0] in self.parameters:
            return rs.CONSTANT
        surely = self._surely(parts, position)
        if surely is not None:
            return surely
        alias = self.aliases.get(parts[0])
        if alias is not None:
            return alias
        if len(parts) > 1:
            return self._qualified(parts, position, hidden=False)
        return self._unqualified(parts, position)

    def _surely(self, parts: tuple[str, ...], position: Position | None) -> rs.Expression | None:
        of = self.shapes.of
        for split in range(len(parts) - 1, -1, -1):
            column, path = parts[split], parts[split + 1 :]
            if not split and column in self.merged:
                return self.merged[column]
            entries = self._called_here(parts[:split], hidden=False) if split else self.entries
            having = [entry for entry in entries if of(entry.relation).has(column)]
            if len(having) == 1 or (having and split):
                return rs.ColumnUse(having[0].relation, column, path, position)
            if having:
                readings = tuple(
                    rs.ColumnUse(entry.relation, column, path, position) for entry in having
                )
                return rs.UnknownColumn(parts, readings, position)
        return None

    def _called_here(self, qualifier: tuple[str, ...], *, hidden: bool) -> list[Entry]:
        """The relations that a qualifier means here.

        With ``hidden``, relations that an alias or a SEMI JOIN hides are included.
        """
        if not hidden:
            return [entry for entry in self.entries if entry.is_called(qualifier)]
        paired = [entry for entry in self.paired if entry.is_called(qualifier)]
        if paired:
            return paired
        size = len(qualifier)
        return [e for e in self.entries if e.table and e.table[-size:] == qualifier]

    def _qualified(
        self, parts: tuple[str, ...], position: Position | None, *, hidden: bool
    ) -> rs.Expression | None:
        """The column, if ``parts`` begins with the name of a relation; otherwise None."""
        of = self.shapes.of
        for split in range(len(parts) - 1, 0, -1):
            called = self._called_here(parts[:split], hidden=hidden)
            for entry in called:
                shape = of(entry.relation)
                if shape.is_open or shape.has(parts[split]):
                    return rs.ColumnUse(entry.relation, parts[split], parts[split + 1 :], position)
            if called:
                return rs.UnknownColumn(parts, (), position)
        return None

    def _unqualified(
        self, parts: tuple[str, ...], position: Position | None
    ) -> rs.Expression | None:
        """The meaning of a bare name. It may be a column of the only relation with unknown columns."""
        opened = [entry for entry in self.entries if self.shapes.of(entry.relation).is_open]
        readings = tuple(
            rs.ColumnUse(entry.relation, parts[0], parts[1:], position) for entry in opened
        )
        if len(readings) == 1:
            return readings[0]
        return rs.UnknownColumn(parts, readings, position) if readings else None
