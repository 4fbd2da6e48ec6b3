"""Performs steps on a metastore: all steps of a cone, or none.

A cone is a view with the views that depend on it. A metastore has no transaction over several views.
So ``apply`` first writes each view of the cone with a mark, a property with the view's former
definition. After the last view it removes the marks. After a failure or a kill, the next run finds the
marks and restores the views. If a mark of the cone is gone already, it finishes the cone instead.
"""

from __future__ import annotations

import json
import zlib
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Protocol

from lakeschema.catalog.errors import CatalogError
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.metastore_views import StoredRelation
from lakeschema.catalog.relations import APPLY_RECORD
from lakeschema.catalog.stored_views import StoredView
from publisher.commands.projects.stepping import digest
from publisher.commands.projects.values import DIGEST, ID, Action, Record, Step

_MARK = f"{APPLY_RECORD}unfinished"
_BEFORE = f"{APPLY_RECORD}before."
_MAX_PROPERTY = 4000
"""The limit, in characters, of a property's value in older metastores."""


class ViewStore(Protocol):
    """The metastore; all methods raise ``CatalogUnavailable`` or ``CatalogRefused``."""

    def read(self, names: Sequence[RelationName]) -> Mapping[RelationName, StoredRelation]: ...

    def create(self, view: StoredView) -> None: ...

    def replace(self, view: StoredView, over: StoredRelation, expected: str | None) -> None: ...

    def set_properties(
        self, found: StoredRelation, properties: Mapping[str, str], expected: str | None
    ) -> None: ...

    def restore(self, name: RelationName, serialized: str) -> None: ...

    def drop(self, name: RelationName) -> None: ...


class Ending(Enum):
    """How a step ended."""

    CREATED = "created"
    ALTERED = "altered"
    DROPPED = "dropped"
    REFUSED = "refused"
    RESTORED = "restored"
    NOT_BEGUN = "not begun"
    UNFINISHED = "unfinished"


@dataclass(frozen=True, slots=True)
class Applied:
    """The result of a step; ``reason`` says why the step failed, and is "" if it succeeded."""

    name: RelationName
    ending: Ending
    reason: str = ""

    @property
    def is_done(self) -> bool:
        return self.ending in {Ending.CREATED, Ending.ALTERED, Ending.DROPPED}

    @property
    def is_left(self) -> bool:
        """Whether the view still has a mark."""
        return self.ending is Ending.UNFINISHED


@dataclass(frozen=True, slots=True)
class Mark:
    """The mark of an unfinished view.

    Attributes:
        cone: the views that the same group of steps writes.
        before: the serialized former definition; "" for a new view.
    """

    cone: Sequence[RelationName]
    before: str


def apply_cone(store: ViewStore, steps: Sequence[Step], record: Record) -> Sequence[Applied]:
    """Performs the steps of one cone. If a step fails, every view stays as it was.

    Returns the result of each step, in the order of ``steps``.
    """
    return _Cone(store, steps, record).run()


def is_marked(properties: Mapping[str, str]) -> bool:
    """Whether an apply wrote the view and was interrupted, or still runs."""
    return _MARK in properties


def mark_of(properties: Mapping[str, str]) -> Mark | None:
    """The mark of an unfinished apply; None if there is no mark, or if the mark is damaged."""
    if not is_marked(properties):
        return None
    numbered = [properties.get(f"{_BEFORE}{n}") for n in range(len(properties))]
    try:
        cone = [RelationName.from_key(name) for name in json.loads(properties[_MARK])]
        packed = "".join(part for part in numbered if part is not None)
        return Mark(cone, zlib.decompress(b64decode(packed)).decode("ascii"))
    except (ValueError, TypeError, zlib.error, CatalogError):
        return None


def recover_marked(
    store: ViewStore, found: Mapping[RelationName, StoredRelation]
) -> Sequence[Applied]:
    """Restores or finishes the views that an interrupted apply has marked.

    A view that was changed after that apply stays as it is.

    Args:
        store: the metastore.
        found: all views of the project.
    """
    marked = {name: each for name, each in found.items() if is_marked(each.properties)}
    return [_recovered(store, name, each) for name, each in marked.items()]


def _recovered(store: ViewStore, name: RelationName, found: StoredRelation) -> Applied:
    mark = mark_of(found.properties)
    if mark is None:
        return Applied(
            name, Ending.UNFINISHED, "its former definition in its properties is damaged"
        )
    if digest(found.facts) != found.properties.get(DIGEST):
        why = "it was changed by hand after the interrupted apply"
        return Applied(name, Ending.UNFINISHED, why)
    try:
        if any(_is_finished(other, found) for other in store.read(mark.cone).values()):
            _finish(store, found)
            return Applied(name, Ending.ALTERED)
        _undo(store, name, mark.before)
    except CatalogError as error:
        return Applied(name, Ending.UNFINISHED, str(error))
    return Applied(name, Ending.RESTORED)


def _is_finished(other: StoredRelation, found: StoredRelation) -> bool:
    """Whether the same apply wrote ``other`` and removed its mark: then the whole cone is written."""
    is_same = other.properties.get(ID) == found.properties.get(ID)
    return is_same and not is_marked(other.properties)


class _Cone:
    def __init__(self, store: ViewStore, steps: Sequence[Step], record: Record) -> None:
        self._store = store
        self._steps = steps
        self._record = record
        self._written = [step for step in steps if step.action is not Action.DROP]
        self._begun: list[Step] = []

    def run(self) -> Sequence[Applied]:
        try:
            found = self._store.read([step.name for step in self._steps])
        except CatalogError as error:
            return self._all(Ending.NOT_BEGUN, str(error))
        changed = [step for step in self._steps if _digest(found.get(step.name)) != step.before]
        if changed:
            why = f"{changed[0].name} was changed since the plan: plan again"
            return self._all(Ending.NOT_BEGUN, why)
        try:
            for step in self._written:
                self._begun.append(step)
                self._write(step, found.get(step.name))
        except CatalogError as error:
            return self._rolled_back(self._begun[-1], str(error))
        except BaseException:
            self._roll_back()
            raise
        return self._finished()

    def _write(self, step: Step, over: StoredRelation | None) -> None:
        assert step.definition is not None
        view = step.definition.stored
        record = self._record.properties(digest(step.definition.facts))
        mark = _mark([each.name for each in self._written], over)
        marked = replace(view, properties={**view.properties, **record, **mark})
        if over is None:
            self._store.create(marked)
        else:
            self._store.replace(marked, over, ID if ID in over.properties else _LAST_CHANGE)

    def _finished(self) -> Sequence[Applied]:
        results: list[Applied] = []
        try:
            found = self._store.read([step.name for step in self._written])
            for step in self._written:
                _finish(self._store, found[step.name])
                is_new = step.action is Action.CREATE
                results.append(Applied(step.name, Ending.CREATED if is_new else Ending.ALTERED))
        except (CatalogError, KeyError) as error:
            done = len(results)
            results += [
                Applied(s.name, Ending.UNFINISHED, str(error)) for s in self._written[done:]
            ]
            drops = self._steps[len(self._written) :]
            return [*results, *(Applied(s.name, Ending.NOT_BEGUN, str(error)) for s in drops)]
        # Drops come last: a dropped view cannot keep a mark to restore it from.
        return [*results, *(self._dropped(s) for s in self._steps if s.action is Action.DROP)]

    def _dropped(self, step: Step) -> Applied:
        try:
            self._store.drop(step.name)
        except CatalogError as error:
            return Applied(step.name, Ending.REFUSED, str(error))
        return Applied(step.name, Ending.DROPPED)

    def _rolled_back(self, refused: Step, reason: str) -> Sequence[Applied]:
        left = self._roll_back()
        why = f"{refused.name} could not be written"
        results = []
        for step in self._steps:
            if step.name in left:
                results.append(Applied(step.name, Ending.UNFINISHED, left[step.name]))
            elif step is refused:
                results.append(Applied(step.name, Ending.REFUSED, reason))
            elif step in self._begun:
                results.append(Applied(step.name, Ending.RESTORED, why))
            else:
                results.append(Applied(step.name, Ending.NOT_BEGUN, why))
        return results

    def _roll_back(self) -> Mapping[RelationName, str]:
        """Undoes the begun steps, the last one first.

        Reads the metastore to see which views were written, because an answer may have been lost.
        Returns the views that could not be restored, with the reason.
        """
        left: dict[RelationName, str] = {}
        for step in reversed(self._begun):
            try:
                found = self._store.read([step.name]).get(step.name)
                if found is None or found.properties.get(ID) != self._record.id:
                    continue
                mark = mark_of(found.properties)
                if mark is not None:
                    _undo(self._store, step.name, mark.before)
            except CatalogError as error:
                left[step.name] = str(error)
        return left

    def _all(self, ending: Ending, reason: str) -> Sequence[Applied]:
        return [Applied(step.name, ending, reason) for step in self._steps]


_LAST_CHANGE = "transient_lastDdlTime"
"""The property that holds the time of the view's last change, in seconds."""


def _digest(found: StoredRelation | None) -> str:
    return "" if found is None else digest(found.facts)


def _mark(cone: Sequence[RelationName], over: StoredRelation | None) -> Mapping[str, str]:
    before = "" if over is None else over.serialized
    packed = b64encode(zlib.compress(before.encode("ascii"))).decode("ascii")
    starts = range(0, len(packed), _MAX_PROPERTY)
    parts = {f"{_BEFORE}{n}": packed[s : s + _MAX_PROPERTY] for n, s in enumerate(starts)}
    return {_MARK: json.dumps([str(name) for name in cone]), **parts}


def _finish(store: ViewStore, found: StoredRelation) -> None:
    kept = {
        key: value
        for key, value in found.properties.items()
        if key != _MARK and not key.startswith(_BEFORE)
    }
    store.set_properties(found, kept, ID)


def _undo(store: ViewStore, name: RelationName, before: str) -> None:
    if before:
        store.restore(name, before)
    else:
        store.drop(name)
