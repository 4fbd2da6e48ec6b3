"""A deployment's notes in the state: its snapshots, its index, and what waits for a person."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from publisher.daemon.self_report import NOTE as SERVICE
from publisher.daemon.self_report import REPEAT_SECONDS
from publisher.publishing.index_comparison import NOTE as INDEX
from publisher.publishing.retention import NOTE as RETENTION
from publisher.settling.comparison import REFUSED, SNAPSHOT_DUE, SNAPSHOT_ENDED
from publisher.settling.deletions import BRAKE, RELEASED, HeldDeletions
from publisher.settling.mass_change import CHANGE_BRAKE


@dataclass(frozen=True, slots=True)
class LastSnapshot:
    """``ended_at``: seconds since the epoch."""

    catalog: str
    ended_at: float
    listed: int
    differing: int
    missing: int


@dataclass(frozen=True, slots=True)
class ComparedIndex:
    """The result of the last comparison of a catalog's packages with the index.

    Attributes:
        checked, differing, adopted: numbers of packages.
        failed: reasons by distribution.
    """

    catalog: str
    checked: int
    differing: int
    adopted: int
    held: Sequence[str]
    foreign: Sequence[str]
    failed: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ServiceReport:
    """A service's last report, which it removes when it stops.

    Attributes:
        started_at, said_at: seconds since the epoch.
        troubles: why it was not ready, by part.
    """

    started_at: float
    said_at: float
    troubles: Mapping[str, str]

    def is_silent(self, now: float) -> bool:
        """Whether a new report is overdue; a service that cannot write its state gives none."""
        return now - self.said_at > 2 * REPEAT_SECONDS


@dataclass(frozen=True, slots=True)
class Noted:
    """The parsed notes of a state.

    Attributes:
        last_snapshots, compared_indexes: the newest for each catalog.
        snapshot_due: why the next snapshot comes early, or "".
        retention: the result of its last run, or "".
        held_deletions: those of the whole catalog first.
        held_changes: reasons by catalog; "" once they are confirmed.
        not_listed: for each namespace that the catalog refuses to list, the reason.
        services: running services, and those that were killed.
    """

    last_snapshots: Sequence[LastSnapshot]
    compared_indexes: Sequence[ComparedIndex]
    snapshot_due: str
    retention: str
    held_deletions: Sequence[HeldDeletions]
    held_changes: Mapping[str, str]
    not_listed: Mapping[str, str]
    services: Sequence[ServiceReport]

    @classmethod
    def read(cls, notes: Mapping[str, str]) -> Self:
        """``notes``: the state's notes with keys that begin with "@"."""
        return cls(
            [LastSnapshot(n, **json.loads(text)) for n, text in _of(notes, SNAPSHOT_ENDED)],
            [ComparedIndex(n, **json.loads(text)) for n, text in _of(notes, INDEX)],
            notes.get(SNAPSHOT_DUE, ""),
            notes.get(RETENTION, ""),
            [HeldDeletions.of(namespace, note) for namespace, note in _of(notes, BRAKE)],
            {name: "" if why == RELEASED else why for name, why in _of(notes, CHANGE_BRAKE)},
            dict(_of(notes, REFUSED)),
            [ServiceReport(**json.loads(text)) for _, text in _of(notes, SERVICE)],
        )


def _of(notes: Mapping[str, str], prefix: str) -> Iterator[tuple[str, str]]:
    """The notes of one kind that are not empty, by the rest of the key."""
    for key, note in sorted(notes.items()):
        if key.startswith(prefix) and note:
            yield key.removeprefix(prefix), note
