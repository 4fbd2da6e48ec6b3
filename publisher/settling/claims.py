"""Ends claims: the caller says what happened, and only this module decides what follows."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar, assert_never

from lakeschema.catalog.errors import CatalogDown, CatalogError, CatalogUnavailable
from publisher.index.protocol import IndexRefused, IndexUnavailable, PackageIndexError
from publisher.outages import INDEX, UPLOADS, Outages, catalog_service
from publisher.policy import Policy
from publisher.runtime import Runtime
from publisher.state.protocol import StateUnavailable, Transaction
from publisher.state.records import Cause, Claim

log = logging.getLogger(__name__)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Done:
    """The work is done. A reread that was requested for later remains scheduled.

    The reread is dropped if it was already due when the claim was taken.
    """


@dataclass(frozen=True, slots=True)
class Abandoned:
    """The work is given up, and a requested reread with it."""


@dataclass(frozen=True, slots=True)
class Reread:
    """The relation was read, and must be read again at this time."""

    at: float


@dataclass(frozen=True, slots=True)
class Postponed:
    """The work is due again after this many seconds, or at once if something changed meanwhile."""

    reason: str
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Deferred:
    """The work could not be done now, and is due later after each attempt.

    ``in_outage``: the service failed for other relations, too.
    """

    reason: str
    cause: Cause = Cause.PASSING
    in_outage: bool = False


MAX_REASON_LENGTH = 1000
"""The length of a stored error: it may quote a catalog's or an index's answer."""

Ending: TypeAlias = Done | Abandoned | Reread | Postponed | Deferred


def is_work_due(tx: Transaction, now: float) -> bool:
    due = tx.work.due_at()
    return due is not None and due <= now


def end_claim(tx: Transaction, claim: Claim, ending: Ending, runtime: Runtime) -> None:
    """Ends the claim as ``ending`` says; does nothing if the claim was lost meanwhile."""
    now = runtime.clock.now()
    owed = claim.reread_at if (claim.reread_at or 0.0) > claim.claimed_at else None
    match ending:
        case Done():
            looks = [owed]
        case Reread(at):
            looks = [at, owed]
        case Abandoned():
            looks = []
        case Postponed(reason, seconds):
            tx.work.defer(claim, now + seconds, reason, Cause.PASSING)
            return
        case Deferred(reason, cause):
            tx.work.defer(claim, now + _delay(claim, ending, runtime.policy), reason, cause)
            return
        case _:
            assert_never(ending)
    next_look = min((at for at in looks if at is not None), default=None)
    if next_look is None:
        tx.work.clear(claim)
    else:
        tx.work.clear_until(claim, next_look, owed)


def _delay(claim: Claim, deferred: Deferred, policy: Policy) -> float:
    match deferred.cause:
        case Cause.PASSING:
            return policy.retry_delay(claim.retries)
        case Cause.CRASH if claim.attempts > policy.max_attempts:
            return policy.max_retry_seconds
        case Cause.CRASH:
            return policy.retry_delay(claim.attempts)
        case Cause.OWN if deferred.in_outage:
            # Such as wrong credentials: once they are accepted, nothing waits for hours.
            return min(policy.backoff(claim.failures), policy.max_outage_retry_seconds)
        case Cause.OWN:
            return policy.backoff(claim.failures)
        case _:
            assert_never(deferred.cause)


def end_claims(runtime: Runtime, claims: Sequence[Claim], ending: Ending) -> None:
    """Ends all claims with the same ending, in one transaction."""

    def write(tx: Transaction) -> None:
        for claim in claims:
            end_claim(tx, claim, ending, runtime)

    if claims:
        runtime.state.write(write)


def fail(runtime: Runtime, claim: Claim, error: Exception) -> None:
    """Handles an ``error`` from the processing of this claim.

    Only this relation waits, after each failure for a longer time.

    The error is logged once, and not at all during a known outage. A missing answer is logged only
    the second time, because an outage that ends between two relations' requests looks like the
    failure of one relation.
    """
    if isinstance(error, StateUnavailable | CatalogDown):
        # The failure of the state or of a whole catalog is not the relation's fault.
        end_claims(runtime, [claim], Deferred(str(error)))
        return
    is_expected = isinstance(error, CatalogError | PackageIndexError)
    reason = _reason(error)[:MAX_REASON_LENGTH]
    runtime.counters.add("failures")
    in_outage = _is_of_outage(claim, error, runtime.outages)
    if not in_outage and claim.failures == (1 if _had_no_answer(error) else 0):
        log.warning(
            "relation not processed",
            extra={"relation": str(claim.relation), "why": reason},
            exc_info=None if is_expected else error,
        )
    end_claims(runtime, [claim], Deferred(reason, Cause.OWN, in_outage))


def _reason(error: Exception) -> str:
    match error:
        case PackageIndexError(hint=hint) if hint:
            return f"{error}; {hint}"
        case CatalogError() | PackageIndexError():
            return str(error)
        case _:
            return f"{type(error).__name__}: {error}"


def _had_no_answer(error: Exception) -> bool:
    return isinstance(error, CatalogUnavailable | IndexUnavailable)


def _is_of_outage(claim: Claim, error: Exception, outages: Outages) -> bool:
    """Whether the error belongs to an outage, even to one that has ended."""
    match error:
        case CatalogUnavailable():
            return outages.fails(catalog_service(claim.relation.catalog))
        case IndexUnavailable() | IndexRefused():
            return error.concerns_all or outages.fails(INDEX, UPLOADS)
        case _:
            return False


def isolate(
    items: Sequence[T],
    act: Callable[[Sequence[T]], object],
    fail_one: Callable[[T, Exception], None],
) -> None:
    """Runs ``act`` on all items; if that raises, runs it on each item alone.

    ``fail_one`` handles the items that fail on their own.

    ``act`` may run twice for an item, so its partial effects must be harmless.
    """
    if not items:
        return
    try:
        act(items)
    except Exception as error:  # noqa: BLE001 (recorded as the item's failure)
        if len(items) == 1:
            fail_one(items[0], error)
            return
        for item in items:
            isolate([item], act, fail_one)
