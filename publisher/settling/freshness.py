"""Decides whether a catalog's answer is new enough, by event ids or by a second reading.

An event id belongs to one log: a message may carry the id of another log, and a restored log counts
from its start again. So the engine trusts an id only for as long as a replica may lag behind. After
that it accepts the answer, and reads the relation once more.
"""

from __future__ import annotations

from dataclasses import replace
from enum import Enum

from publisher.policy import Policy
from publisher.state.records import Claim, RelationRecord


class Freshness(Enum):
    FRESH = "fresh"
    STALE = "stale"
    """It is older than the event or the last reading, perhaps from a replica: it is not
    believed."""
    UNPROVEN = "unproven"
    """No id proves or will prove that it is new enough: it is believed, and a second reading
    follows."""


def freshness(
    claim: Claim, record: RelationRecord | None, at_least: int | None, policy: Policy
) -> Freshness:
    """Whether an answer is new enough.

    ``at_least``: the answer reflects this event and all earlier events; None without ids.
    """
    if at_least is None:
        return Freshness.FRESH if claim.min_event_id is None else Freshness.UNPROVEN
    # ``claimed_at`` is earlier than the answer, so no replica can still lag by then.
    believed_since = claim.claimed_at - policy.max_lag_seconds
    demanded = claim.min_event_id is not None and at_least < claim.min_event_id
    if demanded and claim.first_asked > believed_since:
        return Freshness.STALE
    older = record is not None and at_least < (record.read_event_id or -1)
    if older and record is not None and (record.read_at or 0.0) > believed_since:
        return Freshness.STALE
    return Freshness.UNPROVEN if demanded or older else Freshness.FRESH


def second_look(claim: Claim, at_least: int | None, now: float, policy: Policy) -> Claim:
    """The claim, with a second reading at the time when every replica shows the present facts."""
    seconds = policy.staleness_seconds if at_least is None else policy.max_lag_seconds
    if seconds <= 0:
        return claim
    return replace(claim, reread_at=max(claim.reread_at or 0.0, now + seconds))
