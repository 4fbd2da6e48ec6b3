"""The service's work, as plain values for the start page of operators."""

from __future__ import annotations

from dataclasses import dataclass

from publisher.outages import PastOutage
from publisher.state.records import PublishedVersion
from publisher.web.listing import CatalogueFigures


@dataclass(frozen=True, slots=True)
class SourceLine:
    """An event source.

    Attributes:
        lag_seconds: how far the reading is behind the source, in seconds; None before the first
            answer.
        behind: how many events are not read yet; None if the source does not report it.
        trouble: why the source fails, or "".
    """

    name: str
    lag_seconds: float | None = None
    behind: float | None = None
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class SnapshotLine:
    """The regular snapshot. Its times are missing before the first snapshot.

    Attributes:
        ended_ago, took: seconds since the last whole snapshot, and its duration in seconds.
        next_in: seconds until the next snapshot; 0 if it is due.
    """

    is_running: bool = False
    ended_ago: float | None = None
    took: float | None = None
    next_in: float | None = None


@dataclass(frozen=True, slots=True)
class Held:
    """Changes that wait for a person. ``command`` releases them; it is "" if a person has released them."""

    what: str
    reason: str
    command: str


@dataclass(frozen=True, slots=True)
class Overview:
    """The service's work.

    Attributes:
        now: seconds since the epoch.
        hours: how many versions were published in each of the last hours, the oldest first.
        latest: the last published versions, the newest first.
        outages: the present outages, then the ended outages, each the newest first.
    """

    now: float
    catalogue: CatalogueFigures
    sources: tuple[SourceLine, ...] = ()
    snapshot: SnapshotLine = SnapshotLine()
    hours: tuple[int, ...] = ()
    latest: tuple[PublishedVersion, ...] = ()
    held: tuple[Held, ...] = ()
    outages: tuple[PastOutage, ...] = ()
