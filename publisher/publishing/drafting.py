"""Builds a candidate's wheel in memory, with the next number of its distribution. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from codegen.changelog import shorten
from lakeschema.avro.printing import to_text
from lakeschema.catalog.identifiers import RelationName
from publisher.publishing.history import earlier_texts, newest_published, published_texts, releases
from publisher.publishing.jobs import Candidate, Draft, Job
from publisher.publishing.packaging_protocol import (
    DraftedPackage,
    Packaging,
    Predecessors,
    kind_of,
)
from publisher.publishing.versioning import (
    RUNTIME_UPDATED,
    SAME_SCHEMA,
    VersioningMode,
)
from publisher.state.records import VersionRecord, VersionStatus


class Drafter:
    def __init__(self, packaging: Packaging, versioning: VersioningMode) -> None:
        self._packaging = packaging
        self._versioning = versioning

    def draft(
        self, candidate: Candidate, fingerprints: Mapping[RelationName, str], now: float
    ) -> Draft:
        """Builds the next version; ``fingerprints`` are the fingerprints of its upstreams' schemas.

        Raises:
            CodegenError: the schema cannot be packaged.
            PackagingCrashed: a process was killed while it packaged the schema.
        """
        job, history = candidate.job, candidate.reconciled.history
        predecessors = Predecessors(
            published_texts(history),
            (*(version.number for version in history), *candidate.reconciled.listed),
            self._versioning,
            RUNTIME_UPDATED if _has_same_content(job, history) else SAME_SCHEMA,
            earlier_texts(history),
        )
        request = self._packaging.request(job.relation, job.derivation)
        provenance = replace(
            request.provenance,
            upstreams={str(u): fingerprints.get(u, "") for u in job.derivation.upstreams},
            earlier=shorten(releases(history)),
            event_id=job.event_id,
            newest_event_id=job.newest_event_id,
        )
        drafted = self._packaging.draft(replace(request, provenance=provenance), predecessors)
        version = _reservation(job, drafted, self._packaging.build_keys.generator, now)
        after = max((v.sequence for v in history), default=None)
        return Draft(job, candidate.cone, version, drafted.wheel, after)


def _has_same_content(job: Job, history: Sequence[VersionRecord]) -> bool:
    """Whether the newest version already has this content, so that only the code differs."""
    newest = newest_published(history)
    return newest is not None and newest.content_hash == job.content_hash


def _reservation(job: Job, drafted: DraftedPackage, runtime: str, now: float) -> VersionRecord:
    wheel, change = drafted.wheel, drafted.change
    return VersionRecord(
        distribution=wheel.distribution,
        number=wheel.version,
        relation=job.name,
        status=VersionStatus.RESERVED,
        content_hash=job.content_hash,
        schema_text=to_text(job.derivation.interface.schema),
        wheel_sha256=wheel.sha256,
        filename=wheel.filename,
        change=kind_of(change),
        reasons=change.reasons,
        created_at=now,
        surface_hash=wheel.surface_hash,
        runtime=runtime,
    )
