"""The ending of a claim, as a value: the code that processes a relation decides it; only this module writes it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar, assert_never

from lakeschema.catalog.errors import CatalogError, CatalogUnavailable
from publisher.index.protocol import IndexRefused, IndexUnavailable, PackageIndexError
from publisher.outages import CATALOG, INDEX, UPLOADS, Outages
from publisher.policy import Policy
from publisher.runtime import Runtime
from publisher.state.protocol import StateUnavailable, Transaction
from publisher.state.records import Cause, Claim

log = logging.getLogger(__name__)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Done:
    """The work is done. A reread that was requested for later remains scheduled.

    It is dropped if it was already due when the claim was taken.
    """


@dataclass(frozen=True, slots=True)
class Abandoned:
    """The work is given up, together with any requested reread."""


@dataclass(frozen=True, slots=True)
class Reread:
    """The relation was read, and must be read again at this time."""

    at: float


@dataclass(frozen=True, slots=True)
class Deferred:
    """The work could not be done now."""

    until: float
    reason: str
    cause: Cause = Cause.PASSING


MAX_REASON_LENGTH = 1000
"""The length of a stored error: it may quote a catalog's or an index's answer."""

Ending: TypeAlias = Done | Abandoned | Reread | Deferred


def is_work_due(tx: Transaction, now: float) -> bool:
    due = tx.work.due_at()
    return due is not None and due <= now


def end_claim(tx: Transaction, claim: Claim, ending: Ending) -> None:
    """Ends the claim as ``ending`` says; does nothing if the claim was lost in between."""
    owed = claim.reread_at if (claim.reread_at or 0.0) > claim.claimed_at else None
    match ending:
        case Done():
            looks = [owed]
        case Reread(at):
            looks = [at, owed]
        case Abandoned():
            looks = []
        case Deferred(until, reason, cause):
            tx.work.defer(claim, until, reason, cause)
            return
        case _:
            assert_never(ending)
    next_look = min((at for at in looks if at is not None), default=None)
    if next_look is None:
        tx.work.clear(claim)
    else:
        tx.work.clear_until(claim, next_look, owed)


def retry_later(claim: Claim, reason: str, now: float, policy: Policy) -> Deferred:
    """For transient failures: the delay grows for some seconds."""
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


def fail(runtime: Runtime, claim: Claim, error: Exception) -> None:
    """Handles an ``error`` from the processing of this claim: only this relation waits, ever longer.

    The error is logged once, and not at all during a known outage. A missing answer is logged only
    the second time, because an outage that ends between two relations' requests looks like the
    failure of one.
    """
    if isinstance(error, StateUnavailable):
        # The state's failure is not the relation's fault.
        defer(runtime, [claim], str(error))
        return
    now, policy = runtime.clock.now(), runtime.policy
    is_expected = isinstance(error, CatalogError | PackageIndexError)
    reason = _reason(error)[:MAX_REASON_LENGTH]
    runtime.counters.add("failures")
    seconds = policy.backoff(claim.failures)
    if _is_of_outage(error, runtime.outages):
        # Such as wrong credentials: once they are accepted, nothing waits for hours.
        seconds = min(seconds, policy.max_outage_retry_seconds)
    elif claim.failures == (1 if _had_no_answer(error) else 0):
        log.warning(
            "relation not processed",
            extra={"relation": str(claim.relation), "why": reason},
            exc_info=None if is_expected else error,
        )
    later = Deferred(now + seconds, reason, Cause.OWN)
    runtime.state.write(lambda tx: end_claim(tx, claim, later))


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


def _is_of_outage(error: Exception, outages: Outages) -> bool:
    """Whether the error belongs to an outage, even one that has ended since."""
    match error:
        case CatalogUnavailable():
            return outages.fails(CATALOG)
        case IndexUnavailable() | IndexRefused():
            return error.concerns_all or outages.fails(INDEX, UPLOADS)
        case _:
            return False


def isolate(
    items: Sequence[T],
    act: Callable[[Sequence[T]], object],
    fail_one: Callable[[T, Exception], None],
) -> None:
    """Runs ``act`` on all items; if that raises, on each item alone, with ``fail_one`` for failing items.

    So ``act`` may run twice for an item, and its partial effects must be harmless.
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
