"""How a claim ends: a value, decided wherever a relation is worked on, and committed here alone."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias, assert_never

from publisher.policy import Policy
from publisher.runtime import Runtime
from publisher.state.protocol import Transaction
from publisher.state.records import Claim


@dataclass(frozen=True, slots=True)
class Done:
    """The work is done; a second look that was asked for is still to come.

    It is, unless what was done was read after it was due: working may take longer than that.
    """


@dataclass(frozen=True, slots=True)
class Abandoned:
    """The work is given up, with every look that was asked for."""


@dataclass(frozen=True, slots=True)
class LookAgain:
    """This look is over; another is due at a time that the answer itself asks for."""

    at: float


@dataclass(frozen=True, slots=True)
class Deferred:
    """The work could not be done now. An attempt that counts may have been the relation's fault."""

    until: float
    reason: str
    counts_as_attempt: bool = False


Ending: TypeAlias = Done | Abandoned | LookAgain | Deferred


def end_claim(tx: Transaction, claim: Claim, ending: Ending) -> None:
    """Gives the work back as ``ending`` says; nothing happens if the claim was lost meanwhile."""
    match ending:
        case Done():
            if claim.reread_at is not None and claim.reread_at > claim.claimed_at:
                tx.work.clear_until(claim, claim.reread_at)
            else:
                tx.work.clear(claim)
        case Abandoned():
            tx.work.clear(claim)
        case LookAgain(at):
            tx.work.clear_until(claim, at)
        case Deferred(until, reason, counts_as_attempt):
            tx.work.defer(claim, until, reason, counts_as_attempt=counts_as_attempt)
        case _:
            assert_never(ending)


def retry_later(claim: Claim, reason: str, now: float, policy: Policy) -> Deferred:
    """For what passes by itself: each time waits longer, and none counts as an attempt."""
    return Deferred(now + policy.retry_delay(claim.retries), reason)


def defer(runtime: Runtime, claims: Iterable[Claim], reason: str) -> None:
    """Retries the claims later, in one transaction."""
    ended = [*claims]
    if not ended:
        return
    now = runtime.clock.now()

    def write(tx: Transaction) -> None:
        for claim in ended:
            end_claim(tx, claim, retry_later(claim, reason, now, runtime.policy))

    runtime.state.write(write)
