"""Judges from outside whether an index tells the truth about a lake, by the issued DDL.

Every finding names a file or a relation. No finding means: nothing was lost, repeated, invented,
reordered or changed, and everything settled in time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise

from tests.chaos.catalog_reading import stored_lake
from tests.chaos.evidence import Evidence, IndexFile, Sighting, distribution_of
from tests.chaos.history import Epoch
from tests.chaos.lake import Content, Name, content_of
from tests.chaos.latency import publications
from tests.chaos.wheel_content import name_and_version


class Verdict(Enum):
    LOST = "lost"
    """A relation's newest package differs from the catalog at the end."""
    DOUBLED = "doubled"
    """Two successive packages with the same content."""
    GHOST = "ghost"
    """A package of a state that the catalog never had, or still offered for a dropped relation."""
    MIXED = "mixed up"
    """A package with a state that only the relation of the same name in another catalog had."""
    REORDERED = "out of order"
    """An older state with a higher number, or a number that arrived after a higher number."""
    CHANGED = "changed bytes"
    """A file name with two contents, or whose file is gone."""
    STUCK = "stuck"
    """Not settled within the bound, at the end or before."""
    VOID = "void"
    """The run itself is faulty: log and metastore disagree, or a file bypassed the recorder."""


@dataclass(frozen=True, slots=True)
class Finding:
    verdict: Verdict
    subject: str
    detail: str


def judge(evidence: Evidence) -> Sequence[Finding]:
    releases = _releases(evidence.files)
    names = {distribution_of(name): name for name in evidence.history.epochs}
    return [
        *_void(evidence),
        *_stuck(evidence),
        *_lost(evidence, releases),
        *_doubled(evidence, releases),
        *_ghosts(evidence, releases, names),
        *_offered_though_dropped(evidence, names),
        *_reordered_states(evidence, releases, names),
        *_reordered_arrivals(evidence.arrived),
        *_changed(evidence),
    ]


def is_settled(evidence: Evidence) -> bool:
    """Whether the index agrees with the catalog now, whatever happened before."""
    names = {distribution_of(name): name for name in evidence.history.epochs}
    stale = [*_lost(evidence, _releases(evidence.files)), *_offered_though_dropped(evidence, names)]
    return not stale and not _has_damage(evidence)


def _has_damage(evidence: Evidence) -> bool:
    """Whether a file of an index that the program keeps itself is gone or changed."""
    if not evidence.yanks:
        return False
    there = {file.filename: file.sha256 for file in evidence.files}
    at_first = {each.filename: each.sha256 for each in evidence.arrived}
    changed = any(there.get(name, sha256) != sha256 for name, sha256 in at_first.items())
    return changed or bool(_gone(evidence))


def _gone(evidence: Evidence) -> Sequence[str]:
    """Files that disappeared, except those of dropped relations that a fault removed."""
    living = {distribution_of(name) for name in evidence.history.final}
    gone = {each.filename for each in evidence.arrived} - {f.filename for f in evidence.files}
    return sorted(
        name for name in gone if name not in evidence.removed or name_and_version(name)[0] in living
    )


def published_epochs(epochs: Sequence[Epoch], contents: Sequence[Content]) -> Sequence[int] | None:
    """For each content in turn, the earliest epoch after the previous one, or None."""
    found: list[int] = []
    for content in contents:
        start = found[-1] + 1 if found else 0
        later = (at for at in range(start, len(epochs)) if epochs[at].content == content)
        at = next(later, None)
        if at is None:
            return None
        found.append(at)
    return found


def _releases(files: Sequence[IndexFile]) -> Mapping[str, Sequence[IndexFile]]:
    """Whole wheels by distribution, oldest version first."""
    found: dict[str, list[IndexFile]] = {}
    for file in sorted(files, key=lambda file: file.version):
        if file.content is not None:
            found.setdefault(file.distribution, []).append(file)
    return found


def _void(evidence: Evidence) -> Iterator[Finding]:
    expected = stored_lake(evidence.history.final)
    for name in sorted({*expected, *evidence.catalog}):
        if expected.get(name) != evidence.catalog.get(name):
            detail = (
                f"the log says {expected.get(name)}, the metastore {evidence.catalog.get(name)}"
            )
            yield Finding(Verdict.VOID, str(name), detail)
    seen = {each.filename for each in evidence.sent}
    for file in evidence.files:
        if file.filename not in seen:
            yield Finding(Verdict.VOID, file.filename, "came past the recorder")


def _stuck(evidence: Evidence) -> Iterator[Finding]:
    if evidence.settled_after_seconds is None:
        yield Finding(Verdict.STUCK, evidence.deployment, "did not settle within the bound")
    for each in publications(evidence):
        if each.seconds > evidence.bound_seconds:
            detail = f"waited {each.seconds:.0f} s from {each.acknowledged:.0f} s on"
            yield Finding(Verdict.STUCK, str(each.name), detail)


def _lost(evidence: Evidence, releases: Mapping[str, Sequence[IndexFile]]) -> Iterator[Finding]:
    """Relations without a current package; a view that reads a missing relation needs none."""
    for name in sorted(evidence.history.final):
        expected = content_of(evidence.history.final, name)
        if expected is None:
            continue
        offered = [f for f in releases.get(distribution_of(name), ()) if f.offered]
        if not offered:
            yield Finding(Verdict.LOST, str(name), "has no package")
        elif (found := offered[-1].content) is None or found.content != expected:
            detail = f"{offered[-1].version} says {found and found.content}, not {expected}"
            yield Finding(Verdict.LOST, str(name), detail)


def _doubled(evidence: Evidence, releases: Mapping[str, Sequence[IndexFile]]) -> Iterator[Finding]:
    """Successive equal packages, unless a fault removed a package between them."""
    removed = [name_and_version(name) for name in evidence.removed if name.endswith(".whl")]
    for distribution, files in sorted(releases.items()):
        gone = [version for name, version in removed if name == distribution]
        for older, newer in pairwise(files):
            if any(older.version < version < newer.version for version in gone):
                continue
            if older.content and newer.content and older.content.digest == newer.content.digest:
                detail = f"{older.version} and {newer.version} say the same"
                yield Finding(Verdict.DOUBLED, distribution, detail)


def _ghosts(
    evidence: Evidence,
    releases: Mapping[str, Sequence[IndexFile]],
    names: Mapping[str, Name],
) -> Iterator[Finding]:
    for distribution, files in sorted(releases.items()):
        if distribution.startswith(evidence.hostile):
            continue
        if distribution not in names:
            yield Finding(Verdict.GHOST, distribution, "no statement ever made such a relation")
            continue
        name, epochs = names[distribution], evidence.history.epochs
        contents = {epoch.content for epoch in epochs[name]}
        twins = [twin for twin in epochs if twin.is_twin_of(name)]
        theirs = {epoch.content for twin in twins for epoch in epochs[twin]}
        for file in files:
            if file.content is None or file.content.content in contents:
                continue
            if file.content.content in theirs:
                detail = f"{file.content.content} is of {', '.join(map(str, twins))}"
                yield Finding(Verdict.MIXED, file.filename, detail)
            else:
                detail = f"the relation was never {file.content.content}"
                yield Finding(Verdict.GHOST, file.filename, detail)


def _offered_though_dropped(evidence: Evidence, names: Mapping[str, Name]) -> Iterator[Finding]:
    if not evidence.yanks:
        return
    for file in evidence.files:
        name = names.get(file.distribution)
        if file.offered and name is not None and name not in evidence.history.final:
            detail = f"{name} was dropped, and its package is still offered"
            yield Finding(Verdict.GHOST, file.filename, detail)


def _reordered_states(
    evidence: Evidence,
    releases: Mapping[str, Sequence[IndexFile]],
    names: Mapping[str, Name],
) -> Iterator[Finding]:
    for distribution, name in sorted(names.items()):
        epochs = evidence.history.epochs[name]
        known = {epoch.content for epoch in epochs}
        contents = [
            file.content.content
            for file in releases.get(distribution, ())
            if file.content is not None and file.content.content in known
        ]
        distinct = [c for at, c in enumerate(contents) if at == 0 or contents[at - 1] != c]
        if published_epochs(epochs, distinct) is None:
            detail = "its versions are not in the order of its states"
            yield Finding(Verdict.REORDERED, distribution, detail)


def _reordered_arrivals(arrived: Sequence[Sighting]) -> Iterator[Finding]:
    highest: dict[str, Sighting] = {}
    first = {each.filename: each for each in reversed(arrived)}
    for each in sorted(first.values(), key=lambda each: each.at):
        distribution, version = name_and_version(each.filename)
        above = highest.get(distribution)
        if above is not None and name_and_version(above.filename)[1] > version:
            yield Finding(Verdict.REORDERED, each.filename, f"arrived after {above.filename}")
        else:
            highest[distribution] = each


def _changed(evidence: Evidence) -> Iterator[Finding]:
    hashes: dict[str, set[str]] = {}
    for each in (*evidence.sent, *evidence.arrived):
        hashes.setdefault(each.filename, set()).add(each.sha256)
    for file in evidence.files:
        # A killed index itself may leave a part of a wheel.
        if file.content is not None:
            hashes.setdefault(file.filename, set()).add(file.sha256)
    for filename, seen in sorted(hashes.items()):
        if len(seen) > 1:
            yield Finding(Verdict.CHANGED, filename, f"stood for {len(seen)} different contents")
    for filename in _gone(evidence):
        yield Finding(Verdict.CHANGED, filename, "arrived, and is gone")
