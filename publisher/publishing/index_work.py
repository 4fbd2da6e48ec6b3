"""Many claims' work at the index: concurrent, with their leases renewed, and ended by an index that is away."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from publisher.index.protocol import IndexUnavailable, PackageIndexError
from publisher.publishing.outage import Outage, is_away
from publisher.runtime import Runtime, map_at_once
from publisher.settling.claims import Deferred, end_claims, fail
from publisher.state.records import Claim

T = TypeVar("T")
R = TypeVar("R")


@dataclass(slots=True)
class _Lease:
    """When the leases of a batch were last renewed."""

    renewed_at: float


class IndexWork:
    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    def for_each(self, claims: Sequence[Claim], act: Callable[[Claim], R]) -> Sequence[R]:
        """The results of ``act`` where it succeeds at the index; the other claims are deferred.

        What had no answer alone fails as its own, and keeps its back-off during an outage.
        """
        lease = _Lease(self._runtime.clock.now())
        asked = _another_first(claims)

        def attempt(claim: Claim) -> R:
            self._renew(lease, claims)
            return act(claim)

        results = self.attempt_each(asked, attempt)
        # Of a single claim it is not known whether the index answers others.
        may_be_outage = len(claims) == 1 or is_away(results)
        done: list[R] = []
        for claim, result in zip(asked, results, strict=True):
            if isinstance(result, IndexUnavailable) and may_be_outage and not claim.failures:
                end_claims(self._runtime, [claim], Deferred(str(result)))
            elif isinstance(result, PackageIndexError):
                fail(self._runtime, claim, result)
            else:
                done.append(result)
        return done

    def attempt_each(
        self, items: Sequence[T], act: Callable[[T], R]
    ) -> Sequence[R | PackageIndexError]:
        """What came of each item.

        Once the index is unavailable for two in a row, the remaining are answered with that error
        and without a request: each would wait for a timeout.
        """
        outage = Outage()

        def attempt(item: T) -> R | PackageIndexError:
            if (away := outage.error) is not None:
                return away
            try:
                result = act(item)
            except PackageIndexError as error:
                outage.note_failure(error)
                self._runtime.counters.add("index_failures")
                return error
            outage.note_answer()
            return result

        return map_at_once(self._runtime.policy.uploads_at_once, attempt, items)

    def _renew(self, lease: _Lease, claims: Sequence[Claim]) -> None:
        now, seconds = self._runtime.clock.now(), self._runtime.policy.lease_seconds
        if now - lease.renewed_at > seconds / 4:
            self._runtime.state.write(lambda tx: tx.work.renew(claims, now + seconds))
            lease.renewed_at = now


def _another_first(claims: Sequence[Claim]) -> Sequence[Claim]:
    """At each retry.

    Two that never have an answer, side by side, would look like an outage to all behind them.
    """
    start = claims[0].retries % len(claims) if claims else 0
    return [*claims[start:], *claims[:start]]
