"""Builds the wheels of jobs that need a version, and reads the facts of these relations a second time.

Both run at the same time, because both are slow: the catalog answers the reading, and other processes build
the wheels.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from codegen.errors import CodegenError
from lakeschema.avro.fingerprint import sha256
from lakeschema.catalog.identifiers import RelationName
from publisher.publishing.drafting import Drafter
from publisher.publishing.jobs import Candidate, Draft, Job, Reconciled
from publisher.publishing.recheck import Recheck
from publisher.runtime import Runtime, both_at_once, map_at_once
from publisher.settling.claims import Done, end_claim
from publisher.settling.cones import cones as cones_of
from publisher.settling.deriving import derivation_from_text
from publisher.spans import GENERATE
from publisher.state.protocol import Transaction

log = logging.getLogger(__name__)


class Preparation:
    """Prepares versions for all workers."""

    def __init__(self, runtime: Runtime, drafter: Drafter, recheck: Recheck) -> None:
        self._runtime = runtime
        self._state = runtime.state
        self._drafter = drafter
        self._recheck = recheck

    def prepare(self, jobs: Sequence[tuple[Job, Reconciled]]) -> Sequence[Draft]:
        """Drafts the jobs that may be published; defers or ends the claims of all other jobs."""
        if not jobs:
            return ()
        candidates, fingerprints = self._state.read(partial(_candidates, jobs=jobs))
        confirmed, drafts = both_at_once(
            self._runtime.policy.questions_at_once,
            partial(self._recheck.confirm, candidates),
            partial(self._draft_all, candidates, fingerprints),
        )
        return self._fit(confirmed, drafts)

    def _draft_all(
        self, candidates: Sequence[Candidate], fingerprints: Mapping[RelationName, str]
    ) -> Mapping[RelationName, Draft | CodegenError]:
        """Builds the wheels of all candidates, even of candidates that the second reading will not confirm.

        The second reading runs at the same time, and takes about as long.
        """
        now = self._runtime.clock.wall()

        def draft(each: Candidate) -> Draft | CodegenError:
            name = each.job.name
            with self._runtime.traces.stage(GENERATE, [name]) as stage:
                try:
                    drafted = self._drafter.draft(each, fingerprints, now)
                except CodegenError as error:
                    stage.note(name, "cannot be packaged")
                    return error
                version = drafted.version
                stage.note(name, version.change, version.distribution, version.number)
                return drafted

        drafts = map_at_once(self._runtime.policy.questions_at_once, draft, candidates)
        return {each.job.name: d for each, d in zip(candidates, drafts, strict=True)}

    def _fit(
        self,
        confirmed: Sequence[Candidate],
        drafts: Mapping[RelationName, Draft | CodegenError],
    ) -> Sequence[Draft]:
        """The drafts of confirmed candidates. Gives up confirmed candidates that cannot be packaged."""
        fit = []
        for each in confirmed:
            match drafts[each.job.name]:
                case CodegenError() as error:
                    self._give_up(each.job, f"cannot be packaged: {error}")
                case draft:
                    fit.append(draft)
        return fit

    def _give_up(self, job: Job, reason: str) -> None:
        self._runtime.counters.add("unfit")
        fields = {"relation": str(job.name), "why": reason}
        log.warning("relation gets no version", extra=fields)
        self._state.write(partial(self._record_unfit, job=job, reason=reason))

    def _record_unfit(self, tx: Transaction, *, job: Job, reason: str) -> None:
        if tx.work.holds(job.claim):
            record = tx.graph.records([job.name])[job.name]
            output = record.output and replace(record.output, content_hash=None)
            tx.graph.write(replace(record, output=output, reason=reason))
            end_claim(tx, job.claim, Done(), self._runtime)


def _candidates(
    tx: Transaction, *, jobs: Sequence[tuple[Job, Reconciled]]
) -> tuple[Sequence[Candidate], Mapping[RelationName, str]]:
    """The candidates with their cones, and the fingerprints of upstreams' schemas.

    All data are read at the same moment.
    """
    cones = cones_of(tx, [job.name for job, _ in jobs])
    upstreams = {u for job, _ in jobs for u in job.derivation.upstreams}
    found = [Candidate(job, cones[job.name], reconciled) for job, reconciled in jobs]
    return found, _fingerprints(tx, upstreams)


def _fingerprints(tx: Transaction, names: set[RelationName]) -> Mapping[RelationName, str]:
    outputs = {name: record.output for name, record in tx.graph.records(names).items()}
    known = {name: o.fingerprint for name, o in outputs.items() if o and o.fingerprint}
    # A state from an earlier release lacks some fingerprints.
    texts = tx.graph.derivations(names - known.keys())
    found = {n: sha256(derivation_from_text(text).interface.schema) for n, text in texts.items()}
    return found | known
