"""Times for people and programs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime


@dataclass(frozen=True, slots=True)
class Time:
    """A time as text. ``machine_readable`` is in ISO form, and empty if the time is unknown."""

    machine_readable: str
    text: str


def time_of(epoch_seconds: float) -> Time:
    try:
        moment = datetime.fromtimestamp(epoch_seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return Time("", "")
    return Time(moment.strftime("%Y-%m-%dT%H:%M:%SZ"), moment.strftime("%Y-%m-%d %H:%M:%S UTC"))
