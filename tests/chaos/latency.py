"""Time from a statement until the index showed the relation's new state."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tests.chaos.evidence import Evidence, IndexFile, distribution_of
from tests.chaos.history import Epoch
from tests.chaos.lake import Content, Name


@dataclass(frozen=True, slots=True)
class Publication:
    """``acknowledged``: when the metastore acknowledged the statement.

    ``shown`` is false if the state waited in vain: until the relation was gone, or returned to a state
    that the index already showed.
    """

    name: Name
    acknowledged: float
    seconds: float
    shown: bool = True


@dataclass(frozen=True, slots=True)
class Quantiles:
    count: int
    median: float
    p95: float
    slowest: float


@dataclass(frozen=True, slots=True)
class _Version:
    """``epoch``: the latest epoch with this content that had begun when the version arrived."""

    arrived: float
    epoch: int
    content: Content


def publications(evidence: Evidence) -> Iterator[Publication]:
    """For each state of a relation, the time until the index showed it or a newer state.

    Without the newer states, a state that waited until it was replaced would not count. A state that
    the index already shows, since the relation returned to it, does not wait.
    """
    files: dict[str, list[IndexFile]] = {}
    for file in evidence.files:
        files.setdefault(file.distribution, []).append(file)
    arrived = {each.filename: each.at for each in reversed(evidence.arrived)}
    for name, epochs in evidence.history.epochs.items():
        versions = _versions(epochs, files.get(distribution_of(name), ()), arrived)
        for number, epoch in enumerate(epochs):
            wait = None if epoch.content is None else _wait(versions, epochs, number)
            if wait is not None:
                until, shown = wait
                # A package may arrive before its statement's answer.
                seconds = max(0.0, until - epoch.acknowledged)
                yield Publication(name, epoch.acknowledged, seconds, shown)


def _versions(
    epochs: Sequence[Epoch], files: Sequence[IndexFile], arrived: Mapping[str, float]
) -> list[_Version]:
    found: list[_Version] = []
    for file in files:
        at = arrived.get(file.filename)
        if at is None or file.content is None:
            continue
        content = file.content.content
        begun = [n for n, e in enumerate(epochs) if e.issued <= at and e.content == content]
        if begun:
            found.append(_Version(at, begun[-1], content))
    return sorted(found, key=lambda version: version.arrived)


def _wait(
    versions: Sequence[_Version], epochs: Sequence[Epoch], number: int
) -> tuple[float, bool] | None:
    """Until when a state waited, and whether it was shown then; None if it did not wait."""
    if _is_shown_at_its_begin(versions, epochs[number]):
        return None
    later = range(number + 1, len(epochs))
    over = (
        n
        for n in later
        # Dropped, or broken by a change upstream: nobody can see it any more.
        if epochs[n].content is None or _is_shown_at_its_begin(versions, epochs[n])
    )
    end = next(over, len(epochs))
    for version in versions:
        if version.arrived >= epochs[number].issued and number <= version.epoch < end:
            return version.arrived, True
    return (epochs[end].issued, False) if end < len(epochs) else None


def _is_shown_at_its_begin(versions: Sequence[_Version], epoch: Epoch) -> bool:
    before = [version for version in versions if version.arrived < epoch.issued]
    return bool(before) and before[-1].content == epoch.content


def quantiles(seconds: Sequence[float]) -> Quantiles | None:
    if not seconds:
        return None
    ordered = sorted(seconds)
    p95 = ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]
    return Quantiles(
        len(ordered), round(statistics.median(ordered), 2), round(p95, 2), round(ordered[-1], 2)
    )


def quantiles_by_phase(
    found: Sequence[Publication], phases: Mapping[str, tuple[float, float]]
) -> Mapping[str, Quantiles | None]:
    return {
        phase: quantiles([p.seconds for p in found if p.shown and begin <= p.acknowledged < end])
        for phase, (begin, end) in phases.items()
    }
