"""Yanks superseded versions, and never deletes them.

So an exact pin still installs a yanked version, and a version range skips it (PEP 592). Each pass
compares the index's list with the settings. So the next pass completes a crashed pass, and relaxed
settings unyank versions.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from publisher.index.protocol import IndexFile, PackageIndex
from publisher.index.releases import by_version, parse_version
from publisher.publishing.outage import Failures
from publisher.publishing.upload import DROPPED
from publisher.runtime import Runtime
from publisher.state.protocol import State
from publisher.state.records import VersionStatus

log = logging.getLogger(__name__)

SUPERSEDED = "superseded by newer versions of its major; a pin of it keeps working"
NOTE = "@retention"


@dataclass(frozen=True, slots=True)
class Retention:
    """Which versions stay available to version ranges.

    Attributes:
        keep_latest_per_major: at least 1, so each major keeps its newest version.
        grace_seconds: a superseded version is yanked this long after the first newer version of its major.
    """

    keep_latest_per_major: int
    grace_seconds: float


@dataclass(frozen=True, slots=True)
class FileChange:
    """A file to yank or, without a ``reason``, to unyank."""

    distribution: str
    file: IndexFile
    reason: str | None


def plan_retention(
    distribution: str,
    files: Sequence[IndexFile],
    published_at: Mapping[str, float],
    retention: Retention,
    now: float,
) -> tuple[FileChange, ...]:
    """The changes that ``files`` need to satisfy ``retention``: unyanks first, then yanks.

    Only versions in ``published_at`` (epoch seconds) are changed. A version that a person yanked
    stays yanked and does not count. A dropped relation's files stay as they are.
    """
    if any(file.yanked == DROPPED for file in files):
        return ()
    majors: dict[int, list[IndexFile]] = defaultdict(list)
    for file in files:
        if file.version in published_at and file.yanked in {None, SUPERSEDED}:
            majors[parse_version(file.version).major].append(file)
    changes = [
        FileChange(distribution, file, SUPERSEDED if is_superseded else None)
        for major in majors.values()
        for file, is_superseded in _find_superseded(major, published_at, retention, now)
        if is_superseded != (file.yanked == SUPERSEDED)
    ]
    # Unyanks come first, so that a crash never leaves a major without an available version.
    return tuple(sorted(changes, key=lambda change: change.reason is not None))


def _find_superseded(
    major: Sequence[IndexFile],
    published_at: Mapping[str, float],
    retention: Retention,
    now: float,
) -> Iterator[tuple[IndexFile, bool]]:
    superseded_at = float("inf")
    newest_first = sorted(major, key=by_version, reverse=True)
    for rank, file in enumerate(newest_first):
        grace_is_over = now - superseded_at >= retention.grace_seconds
        yield file, rank >= retention.keep_latest_per_major and grace_is_over
        superseded_at = min(superseded_at, published_at[file.version])


def plans(
    state: State, index: PackageIndex, retention: Retention, now: float
) -> Iterator[tuple[FileChange, ...]]:
    """The changes of each published distribution, often no changes. Reads the index one package at a time.

    Raises:
        PackageIndexError: the index does not answer. If only single distributions fail, the first
            error is raised after all others.
    """
    failures = Failures()
    for distribution, published_at in _candidates(state):
        changes: tuple[FileChange, ...] = ()
        with failures.apart():
            files = index.files(distribution)
            changes = plan_retention(distribution, files, published_at, retention, now)
        yield changes
    failures.raise_first()


def _candidates(state: State) -> Sequence[tuple[str, Mapping[str, float]]]:
    """The distributions that may have a superseded version, and when their versions were published."""
    published = sorted(_published(state).items())
    # A single version is the newest of its major, so the index need not be read.
    return [(distribution, times) for distribution, times in published if len(times) > 1]


def _published(state: State) -> Mapping[str, Mapping[str, float]]:
    published: dict[str, dict[str, float]] = defaultdict(dict)
    for version in state.read(lambda tx: tx.versions.every_version()):
        if version.status is VersionStatus.PUBLISHED:
            published[version.distribution][version.number] = version.created_at
    return published


class RetentionPass:
    """Applies the changes of all distributions, and records if the index cannot yank."""

    def __init__(self, runtime: Runtime, index: PackageIndex, retention: Retention) -> None:
        self._state = runtime.state
        self._clock = runtime.clock
        self._counters = runtime.counters
        self._index = index
        self._retention = retention

    def run(self, is_stopping: Callable[[], bool] = lambda: False) -> None:
        """Does one pass. Stops at the first yank that the index declines, since it would decline all.

        Raises:
            PackageIndexError: the index does not answer, and the next pass continues. If only single
                distributions fail, the first error is raised after all others.
        """
        now = self._clock.wall()
        failures = Failures()
        for distribution, published_at in _candidates(self._state):
            with failures.apart():
                files = self._index.files(distribution)
                changes = plan_retention(distribution, files, published_at, self._retention, now)
                if not all(self._apply(change) for change in changes):
                    return
            if is_stopping():
                return
        failures.raise_first()
        self._note("")

    def _apply(self, change: FileChange) -> bool:
        if not self._index.yank(change.file, change.reason):
            self._decline(change)
            return False
        self._report(change)
        return True

    def _note(self, text: str) -> None:
        if self._state.read(lambda tx: tx.journal.note(NOTE)) != text:
            self._state.write(lambda tx: tx.journal.write_note(NOTE, text))

    def _report(self, change: FileChange) -> None:
        retired = change.reason is not None
        self._counters.add("versions_retired" if retired else "versions_offered_again")
        log.info(
            "version retired" if retired else "version offered again",
            extra={"file": change.file.filename},
        )

    def _decline(self, change: FileChange) -> None:
        self._counters.add("yanks_declined")
        log.warning("index cannot yank", extra={"file": change.file.filename})
        self._note(f"the index cannot yank: {change.file.filename} and others stay offered")
