"""How a claim ends: a value, decided wherever a relation is processed, and written only here."""

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
    """The work is done. A re-read that was requested for later remains scheduled.

    It is dropped if it was already due when the claim was taken.
    """


@dataclass(frozen=True, slots=True)
class Abandoned:
    """The work is given up, together with any re-read that was requested."""


@dataclass(frozen=True, slots=True)
class Reread:
    """The relation was read, and must be read again at this time."""

    at: float


@dataclass(frozen=True, slots=True)
class Deferred:
    """The work could not be done now. The attempt counts if the relation may be the cause."""

    until: float
    reason: str
    counts_as_attempt: bool = False


Ending: TypeAlias = Done | Abandoned | Reread | Deferred


def end_claim(tx: Transaction, claim: Claim, ending: Ending) -> None:
    """Ends the claim as ``ending`` says; does nothing if the claim was lost meanwhile."""
    match ending:
        case Done():
            if claim.reread_at is not None and claim.reread_at > claim.claimed_at:
                tx.work.clear_until(claim, claim.reread_at)
            else:
                tx.work.clear(claim)
        case Abandoned():
            tx.work.clear(claim)
        case Reread(at):
            tx.work.clear_until(claim, at)
        case Deferred(until, reason, counts_as_attempt):
            tx.work.defer(claim, until, reason, counts_as_attempt=counts_as_attempt)
        case _:
            assert_never(ending)


def retry_later(claim: Claim, reason: str, now: float, policy: Policy) -> Deferred:
    """For transient failures: the delay grows with each retry, and no attempt is counted."""
    return Deferred(now + policy.retry_delay(claim.retries), reason)


def defer(runtime: Runtime, claims: Iterable[Claim], reason: str) -> None:
    """Retries the claims later, in one transaction."""
    held = [*claims]
    if not held:
        return
    now = runtime.clock.now()

    def write(tx: Transaction) -> None:
        for claim in held:
            end_claim(tx, claim, retry_later(claim, reason, now, runtime.policy))

    runtime.state.write(write)
