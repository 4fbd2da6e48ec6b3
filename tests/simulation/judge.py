"""Judges whether a history kept the promises, from the catalog's states and the index's uploads.

The judge derives everything again. Of the engine it uses only the records of its state.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

from codegen.package import Wheel
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Relation
from lakeschema.translation.model.outcome import Status
from publisher.publishing.upload import DROPPED
from publisher.selection import Selection
from publisher.state.records import RelationRecord, VersionRecord, VersionStatus
from tests.simulation.toy import ToyPackaging, content_of
from tests.simulation.truth import Truth, full_derivation
from tests.simulation.world import FakeIndex


class Violation(AssertionError):
    """The engine broke one of its promises."""


@dataclass(frozen=True, slots=True)
class Upload:
    filename: str
    number: str
    content: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Excuses:
    """Acts of the world itself for which a promise does not hold.

    Attributes:
        index_lost: it removed files, which may come again under any number.
        reads_go_back: it showed older states after newer ones, with nothing to tell them apart.
    """

    index_lost: bool = False
    reads_go_back: bool = False


State: TypeAlias = Mapping[RelationName, Relation]
"""All relations of all catalogs at one moment."""


def judge_history(states: Sequence[State], index: FakeIndex, excuses: Excuses) -> None:
    """For each distribution: numbers rise, contents change, and each was correct once, in order."""
    uploads = _by_distribution(index.history)
    truths = [full_derivation(state) for state in states]
    names = {ToyPackaging().distribution(n): n for truth in truths for n in truth}
    for distribution, published in uploads.items():
        if not excuses.index_lost:
            _judge_numbers(distribution, published)
        name = names.get(distribution)
        if name is None:
            raise Violation(f"{distribution} is of a relation that never existed")
        correct = _contents(truths, name)
        _judge_mixture(name, published, correct, truths)
        if excuses.index_lost or excuses.reads_go_back:
            _judge_each(distribution, published, correct)
        else:
            _judge_order(distribution, published, correct)


def _contents(
    truths: Sequence[Mapping[RelationName, Truth]], name: RelationName
) -> Sequence[str | None]:
    return [truth[name].content if name in truth else None for truth in truths]


def _judge_mixture(
    name: RelationName,
    published: Sequence[Upload],
    correct: Sequence[str | None],
    truths: Sequence[Mapping[RelationName, Truth]],
) -> None:
    """No package has a content that only the relation with the same name in another catalog had."""
    twins = {each for truth in truths for each in truth if each.parts == name.parts} - {name}
    theirs = {content for twin in twins for content in _contents(truths, twin)}
    for upload in published:
        if upload.content in theirs and upload.content not in correct:
            raise Violation(f"{name} {upload.number} is of another catalog")


def _by_distribution(history: Sequence[Wheel]) -> Mapping[str, Sequence[Upload]]:
    found: dict[str, list[Upload]] = {}
    for wheel in history:
        upload = Upload(wheel.filename, wheel.version, content_of(wheel.data), wheel.data)
        found.setdefault(wheel.distribution, []).append(upload)
    return found


def _judge_numbers(distribution: str, published: Sequence[Upload]) -> None:
    seen: set[str] = set()
    for upload in published:
        if upload.filename in seen:
            raise Violation(f"{upload.filename} changed its bytes")
        seen.add(upload.filename)
    numbers = [tuple(map(int, upload.number.split("."))) for upload in published]
    if any(a >= b for a, b in pairwise(numbers)):
        raise Violation(f"{distribution}: numbers do not rise: {numbers}")
    if any(a.content == b.content for a, b in pairwise(published)):
        raise Violation(f"{distribution}: published twice in a row")


def _judge_order(
    distribution: str, published: Sequence[Upload], correct: Sequence[str | None]
) -> None:
    position = 0
    for upload in published:
        while position < len(correct) and correct[position] != upload.content:
            position += 1
        if position == len(correct):
            raise Violation(f"{distribution} {upload.number} was never correct, or is out of order")


def _judge_each(
    distribution: str, published: Sequence[Upload], correct: Sequence[str | None]
) -> None:
    for upload in published:
        if upload.content not in correct:
            raise Violation(f"{distribution} {upload.number} was never correct")


@dataclass(frozen=True, slots=True)
class Outcome:
    """The state at the end."""

    records: Mapping[RelationName, RelationRecord]
    versions: Sequence[VersionRecord]
    selection: Selection


def judge_end(state: State, index: FakeIndex, outcome: Outcome) -> None:
    """Requires that all is published as in the catalogs' newest state, and offered or yanked."""
    if any(v.status is VersionStatus.RESERVED for v in outcome.versions):
        raise Violation("a reservation is left open")
    judge_relations(state, index, outcome, outcome.records.keys() | state.keys())


def judge_relations(
    state: State, index: FakeIndex, outcome: Outcome, judged: Collection[RelationName]
) -> None:
    """Requires that these relations are published as in the catalogs' newest state."""
    truths = full_derivation(state)
    latest = _newest_contents(index)
    for name, truth in truths.items():
        if name not in judged:
            continue
        _judge_status(name, truth, outcome.records.get(name))
        distribution = ToyPackaging().distribution(name)
        if truth.content is None or not outcome.selection.includes(name):
            continue
        if latest.get(distribution) != truth.content:
            raise Violation(f"{name}: the latest version is not correct")
        if _yank_reasons(index, distribution) - {None}:
            raise Violation(f"{distribution} exists and is yanked")
    for name, record in outcome.records.items():
        if name not in truths and name in judged:
            if record.status is not Status.MISSING or record.stale:
                raise Violation(f"{name} was dropped, but {record}")
            if _yank_reasons(index, ToyPackaging().distribution(name)) - {DROPPED}:
                raise Violation(f"{name} is dropped and not yanked")


def _judge_status(name: RelationName, truth: Truth, record: RelationRecord | None) -> None:
    if record is None:
        raise Violation(f"{name} is unknown")
    if record.stale or record.status is not truth.status:
        raise Violation(f"{name} is {record}, expected {truth.status}")


def _newest_contents(index: FakeIndex) -> Mapping[str, str]:
    """The content that pip would install of each distribution, if nothing were yanked."""
    newest: dict[str, tuple[tuple[int, ...], str]] = {}
    for filename, wheel in index.owner.items():
        number = tuple(map(int, wheel.version.split(".")))
        known = newest.get(wheel.distribution)
        if known is None or number > known[0]:
            newest[wheel.distribution] = number, content_of(index.visible[filename])
    return {distribution: content for distribution, (_, content) in newest.items()}


def _yank_reasons(index: FakeIndex, distribution: str) -> set[str | None]:
    return {
        index.yanked.get(filename)
        for filename, wheel in index.owner.items()
        if wheel.distribution == distribution
    }
