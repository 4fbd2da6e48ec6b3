"""Counts the relations without a package by reason, the most frequent reason first."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.model.outcome import Status
from publisher.state.records import RelationRecord

_MAX_EXAMPLES: Final = 3
_WITHOUT_PACKAGE: Final = frozenset(
    {Status.BROKEN, Status.UNSUPPORTED, Status.UNREACHABLE, Status.CYCLE, Status.QUARANTINED}
)
_PLACE: Final = re.compile(r" at line \d+, column \d+| of view \S+(?= )")
_HINT: Final = re.compile(r" \([^()]*(?:\([^()]*\)[^()]*)*\)$")


@dataclass(frozen=True, slots=True)
class Reason:
    """A reason why some relations have no package.

    Attributes:
        text: the reason without the names and places that differ between the relations.
        examples: the first relations, by name.
    """

    status: Status
    text: str
    relations: int
    examples: tuple[RelationName, ...]


@dataclass(frozen=True, slots=True)
class Coverage:
    """The counts of relations.

    Attributes:
        known: the number of relations that the catalog has.
        covered: the number of relations that can have a package.
        reasons: why the remaining relations cannot, the most frequent reason first.
    """

    known: int
    covered: int
    reasons: tuple[Reason, ...]


def coverage_of(records: Iterable[RelationRecord]) -> Coverage:
    known = covered = 0
    found: dict[tuple[Status, str], list[RelationName]] = {}
    for record in records:
        if record.status in {Status.MISSING, Status.UNKNOWN}:
            continue
        known += 1
        if record.status not in _WITHOUT_PACKAGE:
            covered += 1
            continue
        text = reason_class(record.reason or "", record.name)
        found.setdefault((record.status, text), []).append(record.name)
    reasons = (
        Reason(status, text, len(names), tuple(sorted(names)[:_MAX_EXAMPLES]))
        for (status, text), names in found.items()
    )
    return Coverage(known, covered, tuple(sorted(reasons, key=lambda r: (-r.relations, r.text))))


def reason_class(reason: str, name: RelationName) -> str:
    """The reason without name, places and hint, so that equal reasons count together."""
    text = reason.removeprefix(f"{name}: ")
    return _HINT.sub("", _PLACE.sub("", text)) or "no reason was recorded"
