"""Does the work of many claims at the index concurrently, and stops if the index does not answer."""

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
    renewed_at: float


class IndexWork:
    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    def for_each(self, claims: Sequence[Claim], act: Callable[[Claim], R]) -> Sequence[R]:
        """The results of the claims for which ``act`` succeeded; the other claims are deferred.

        If the index answers other claims, a claim without an answer is deferred like any failure of one
        relation. During an outage, a claim that failed before keeps its longer delay.
        """
        lease = _Lease(self._runtime.clock.now())
        asked = _another_first(claims)

        def attempt(claim: Claim) -> R:
            self._renew(lease, claims)
            return act(claim)

        results = self.attempt_each(asked, attempt)
        # With a single claim it is unknown whether the index would answer others.
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
        """The result or error of each item.

        After two items in a row without an answer, the remaining items get the second error without
        a request, because each would wait for a timeout.
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
    """The claims in another order at each retry.

    Otherwise two claims in a row that never get an answer would look like an outage, and later claims
    would never be tried.
    """
    start = claims[0].retries % len(claims) if claims else 0
    return [*claims[start:], *claims[:start]]
