"""Chooses when a receiver's next message starts, and whether it has one fact or is a digest. Pure."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, replace
from typing import Final

from publisher.state.protocol import Outbox
from publisher.state.records import MessageRecord

MAX_IN_DIGEST: Final = 10_000
_LEASE_SECONDS: Final = 60.0
"""If an attempt is killed, the next attempt begins after this time."""


@dataclass(frozen=True, slots=True)
class Pace:
    """At most ``burst`` messages of one fact in ``window_seconds``; further facts wait for a digest."""

    burst: int = 10
    window_seconds: float = 300.0


def is_due(outbox: Outbox, receiver: str, pace: Pace, now: float) -> bool:
    """Whether ``claim_message`` would return a message."""
    opened = outbox.open_message(receiver)
    if opened is not None:
        return opened.not_before <= now
    return _size(outbox, receiver, pace, now) > 0


def claim_message(outbox: Outbox, receiver: str, pace: Pace, now: float) -> MessageRecord | None:
    """The open message if its next attempt is due, or a new message; reserves it for this process.

    A failed message is retried before a new one starts. Facts that are recorded in this time go into
    one digest.
    """
    opened = outbox.open_message(receiver)
    if opened is None:
        size = _size(outbox, receiver, pace, now)
        if not size:
            return None
        oldest = outbox.waiting(receiver, 1).oldest
        assert oldest is not None
        # A message of one fact has the fact's id, which programs see.
        id_ = oldest.id if size == 1 else uuid.uuid4().hex
        opened = MessageRecord(receiver, id_, now, now, 0)
        outbox.start(opened, size)
    elif opened.not_before > now:
        return None
    claimed = replace(opened, attempts=opened.attempts + 1, not_before=now + _LEASE_SECONDS)
    outbox.write_message(claimed)
    return claimed


def _size(outbox: Outbox, receiver: str, pace: Pace, now: float) -> int:
    """How many facts the next message has; 0 while no message may start."""
    waiting = outbox.waiting(receiver, pace.burst + 1)
    if waiting.oldest is None:
        return 0
    started = outbox.count_started(receiver, now - pace.window_seconds)
    if waiting.count <= pace.burst - started:
        return 1
    return MAX_IN_DIGEST if waiting.oldest.recorded_at <= now - pace.window_seconds else 0
