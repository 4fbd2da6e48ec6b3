"""Traces a consequence to the relations and columns of the statements."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from lakeschema.catalog.column_types import print_type
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Column, Relation
from lakeschema.translation.model.outcome import Derived, Failed, Outcome
from publisher.commands.planning.cone import Cone
from publisher.commands.planning.values import Cause, ColumnChange

_WORD = re.compile(r"\w+")
_DOCUMENTED = "documented otherwise"


def column_changes(before: Outcome | None, after: Outcome | None) -> Sequence[ColumnChange]:
    """The columns that readers see differently before and after; columns of ``before`` come first."""
    old, new = _columns(before), _columns(after)
    changes = (_change(old.get(key), new.get(key)) for key in {**old, **new})
    return [change for change in changes if change is not None]


@dataclass(frozen=True, slots=True)
class Looks:
    """An affected relation as its readers see it, before and after the change.

    ``columns`` describes the differing columns, by name in lower case.
    """

    before: Outcome | None
    after: Outcome | None
    columns: Mapping[str, str]


def looks_of(cone: Cone) -> Mapping[RelationName, Looks]:
    """The looks of all changed and affected relations and their upstreams."""
    found = {}
    for name in (*cone.reads_before, *cone.reads_after, *cone.touched):
        before, after = cone.before.get(name), cone.after.get(name)
        changes = column_changes(before, after)
        columns = {change.column.lower(): str(change) for change in changes}
        found[name] = Looks(before, after, columns)
    return found


def _columns(outcome: Outcome | None) -> Mapping[str, Column]:
    if not isinstance(outcome, Derived):
        return {}
    interface = outcome.derivation.interface
    columns = (*interface.columns, *(omitted.column for omitted in interface.omitted))
    return {column.name.lower(): column for column in columns}


def _change(old: Column | None, new: Column | None) -> ColumnChange | None:
    match old, new:
        case None, Column(name, type_):
            return ColumnChange(name, None, print_type(type_))
        case Column(name, type_), None:
            return ColumnChange(name, print_type(type_), None)
        case Column(), Column() if old != new:
            before, after = print_type(old.type), print_type(new.type)
            return ColumnChange(new.name, before, after, _note(old, new))
        case _:
            return None


def _note(old: Column, new: Column) -> str:
    if old.type != new.type:
        return ""
    if old.nullable != new.nullable:
        return "may be null now" if new.nullable else "is never null now"
    return _DOCUMENTED if old.comment != new.comment else f"was written {old.name}"


class Causes:
    def __init__(self, cone: Cone, renamed: Mapping[RelationName, RelationName]) -> None:
        self._cone = cone
        self._renamed = renamed
        self._columns: dict[RelationName, Mapping[str, ColumnChange]] = {}

    def of(self, name: RelationName) -> tuple[Cause, ...]:
        """The causes for ``name``; empty if a statement names the relation itself."""
        breaks = isinstance(self._cone.after.get(name), Failed)
        return tuple(sorted(self._of(name, None, frozenset(), breaks=breaks)))

    def _of(
        self,
        name: RelationName,
        columns: frozenset[str] | None,
        seen: frozenset[RelationName],
        *,
        breaks: bool,
    ) -> set[Cause]:
        """The causes through a relation's upstreams.

        ``columns`` are the columns of the relation that count; None means all columns.
        """
        if name in self._cone.touched or name in seen:
            return set()
        found: set[Cause] = set()
        for upstream in self._upstreams(name):
            read = self._read(name, upstream, columns)
            if upstream in self._cone.touched:
                found |= self._at(upstream, read, breaks=breaks)
            elif self._changed(upstream) or not self._exists(upstream):
                found |= self._of(upstream, read, seen | {name}, breaks=breaks)
        return found

    def _upstreams(self, name: RelationName) -> Iterable[RelationName]:
        cone = self._cone
        return dict.fromkeys((*cone.reads_before.get(name, ()), *cone.reads_after.get(name, ())))

    def _at(self, touched: RelationName, read: frozenset[str], *, breaks: bool) -> set[Cause]:
        if touched in self._renamed:
            return {Cause(touched, "", f"is renamed to {self._renamed[touched]}")}
        if touched not in self._cone.after:
            return {Cause(touched, "", "is dropped")}
        if touched not in self._cone.before:
            return {Cause(touched, "", "is created")}
        changed = self._changed(touched)
        relevant = [
            change
            for key, change in changed.items()
            # A changed comment breaks nothing.
            if key in read and not (breaks and change.note == _DOCUMENTED)
        ]
        if not relevant:
            return {Cause(touched, "", "is changed")}
        return {Cause(touched, change.column, str(change)) for change in relevant}

    def _changed(self, name: RelationName) -> Mapping[str, ColumnChange]:
        if name not in self._columns:
            changes = column_changes(self._cone.before.get(name), self._cone.after.get(name))
            self._columns[name] = {change.column.lower(): change for change in changes}
        return self._columns[name]

    def _exists(self, name: RelationName) -> bool:
        return isinstance(self._cone.after.get(name), Derived)

    def _read(
        self, name: RelationName, upstream: RelationName, columns: frozenset[str] | None
    ) -> frozenset[str]:
        """The columns of ``upstream`` that ``name`` reads, by lineage; without lineage, by the words of its text."""
        by_lineage = frozenset(
            source.column.lower()
            for outcome in (self._cone.before.get(name), self._cone.after.get(name))
            if isinstance(outcome, Derived)
            for column in outcome.derivation.lineage
            if columns is None or column.column.lower() in columns
            for source in column.sources
            if source.relation == upstream
        )
        # A relation may break because of a column that only decides its rows.
        is_broken = isinstance(self._cone.after.get(name), Failed)
        if columns is not None and by_lineage and not is_broken:
            return by_lineage
        return by_lineage | self._words(name)

    def _words(self, name: RelationName) -> frozenset[str]:
        facts = (self._cone.facts_before.get(name), self._cone.facts_after.get(name))
        return frozenset(
            w.lower() for r in facts for text in _texts(r) for w in _WORD.findall(text)
        )


def _texts(relation: Relation | None) -> Iterable[str]:
    if relation is None or relation.view is None:
        return ()
    return (relation.view.text, relation.view.original_text)
