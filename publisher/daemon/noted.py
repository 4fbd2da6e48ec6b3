"""The notes in a state: snapshots, comparisons with the index, and held changes and deletions."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

from publisher.daemon.self_report import NOTE as SERVICE
from publisher.daemon.self_report import REPEAT_SECONDS
from publisher.publishing.index_comparison import NOTE as INDEX
from publisher.publishing.retention import NOTE as RETENTION
from publisher.settling.comparison import REFUSED, REMOVED, SNAPSHOT_DUE, SNAPSHOT_ENDED
from publisher.settling.deletions import BRAKE, RELEASED, HeldDeletions
from publisher.settling.mass_change import CHANGE_BRAKE


@dataclass(frozen=True, slots=True)
class LastSnapshot:
    """A snapshot's result.

    Attributes:
        ended_at: seconds since the epoch.
        catalogs: how many relations each of several catalogs listed; empty for one catalog.
    """

    catalog: str
    ended_at: float
    listed: int
    differing: int
    missing: int
    catalogs: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ComparedIndex:
    """The result of the last comparison of a catalog's packages with the index.

    Attributes:
        checked, differing, adopted: how many packages were checked, differ from the state, or were adopted.
        failed: the reason for each distribution that could not be compared.
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
    """A service's last report in the state. The service removes the report when it stops.

    Attributes:
        started_at, said_at: seconds since the epoch.
        troubles: why the service was not ready, by part.
    """

    started_at: float
    said_at: float
    troubles: Mapping[str, str]

    def is_silent(self, now: float) -> bool:
        """Whether a new report is overdue: the service was killed, or cannot write its state."""
        return now - self.said_at > 2 * REPEAT_SECONDS


@dataclass(frozen=True, slots=True)
class Noted:
    """The parsed notes of a state.

    Attributes:
        last_snapshots, compared_indexes: the newest result for each catalog.
        snapshot_due: why the next snapshot comes early, or "".
        retention: the result of retention's last run, or "".
        held_deletions: the deletions that wait for a person; those of a whole catalog come first.
        held_changes: by catalog, why its changes wait for a person; "" after the confirmation.
        not_listed: by namespace, why the catalog refuses to list it.
        removed: the notes about catalogs that were removed on purpose, by catalog.
        services: running services, and those that were killed.
    """

    last_snapshots: Sequence[LastSnapshot]
    compared_indexes: Sequence[ComparedIndex]
    snapshot_due: str
    retention: str
    held_deletions: Sequence[HeldDeletions]
    held_changes: Mapping[str, str]
    not_listed: Mapping[str, str]
    removed: Mapping[str, str]
    services: Sequence[ServiceReport]

    @classmethod
    def read(cls, notes: Mapping[str, str]) -> Self:
        """Parses the state's notes; their keys begin with "@"."""
        return cls(
            [LastSnapshot(n, **json.loads(text)) for n, text in _of(notes, SNAPSHOT_ENDED)],
            [ComparedIndex(n, **json.loads(text)) for n, text in _of(notes, INDEX)],
            notes.get(SNAPSHOT_DUE, ""),
            notes.get(RETENTION, ""),
            [HeldDeletions.of(namespace, note) for namespace, note in _of(notes, BRAKE)],
            {name: "" if why == RELEASED else why for name, why in _of(notes, CHANGE_BRAKE)},
            dict(_of(notes, REFUSED)),
            dict(_of(notes, REMOVED)),
            [ServiceReport(**json.loads(text)) for _, text in _of(notes, SERVICE)],
        )


def _of(notes: Mapping[str, str], prefix: str) -> Iterator[tuple[str, str]]:
    """The notes of one kind that are not empty, by the part of their keys after ``prefix``."""
    for key, note in sorted(notes.items()):
        if key.startswith(prefix) and note:
            yield key.removeprefix(prefix), note
