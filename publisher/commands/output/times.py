"""Times in the form for people and programs."""

from __future__ import annotations

from datetime import UTC, datetime


def shown_time(epoch_seconds: float) -> str:
    """A time in ISO 8601, in UTC, to the second."""
    return datetime.fromtimestamp(epoch_seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
