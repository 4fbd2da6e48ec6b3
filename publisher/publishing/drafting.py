"""A confirmed job → a wheel with the next number of its distribution, in memory. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from codegen.changelog import shorten
from codegen.package import Wheel
from lakeschema.avro.printing import to_text
from lakeschema.catalog.identifiers import RelationName
from publisher.publishing.history import comparable_versions, newest_published, releases
from publisher.publishing.jobs import Confirmed, Draft, Job
from publisher.publishing.packaging_protocol import Packaging
from publisher.publishing.versioning import (
    FIRST,
    RUNTIME_UPDATED,
    SAME_SCHEMA,
    VersioningMode,
    next_version,
)
from publisher.state.records import VersionRecord, VersionStatus


class Drafter:
    """``versioning`` is "semantic" or "sequential"."""

    def __init__(self, packaging: Packaging, versioning: VersioningMode) -> None:
        self._packaging = packaging
        self._versioning = versioning

    def draft(
        self, confirmed: Confirmed, fingerprints: Mapping[RelationName, str], now: float
    ) -> Draft:
        """The next version; ``fingerprints`` are those of its upstreams' schemas.

        Raises:
            CodegenError: the schema cannot be packaged.
        """
        job, history = confirmed.job, confirmed.history
        published, unusable = comparable_versions(history)
        number, change = next_version(
            published,
            job.derivation.interface.schema,
            mode=self._versioning,
            surface_of=partial(self._packaging.surface_hash, job.name),
            unusable=unusable,
            same_schema=RUNTIME_UPDATED if _has_same_content(job, history) else SAME_SCHEMA,
        )
        kind = "first" if change.reasons == (FIRST,) else change.level.value
        request = self._packaging.request(job.relation, job.derivation)
        provenance = replace(
            request.provenance,
            upstreams={str(u): fingerprints.get(u, "") for u in job.derivation.upstreams},
            change=kind,
            reasons=change.reasons,
            earlier=shorten(releases(history)),
            event_id=job.event_id,
        )
        wheel = self._packaging.build(replace(request, version=number, provenance=provenance))
        runtime = self._packaging.build_keys.generator
        version = _reservation(job, wheel, kind, change.reasons, runtime, now)
        after = max((v.sequence for v in history), default=None)
        return Draft(job, confirmed.cone, version, wheel, after)


def _has_same_content(job: Job, history: Sequence[VersionRecord]) -> bool:
    """Whether the newest version has this content already, so that only the code differs."""
    newest = newest_published(history)
    return newest is not None and newest.content_hash == job.content_hash


def _reservation(
    job: Job, wheel: Wheel, kind: str, reasons: tuple[str, ...], runtime: str, now: float
) -> VersionRecord:
    return VersionRecord(
        distribution=wheel.distribution,
        number=wheel.version,
        relation=job.name,
        status=VersionStatus.RESERVED,
        content_hash=job.content_hash,
        schema_text=to_text(job.derivation.interface.schema),
        wheel_sha256=wheel.sha256,
        filename=wheel.filename,
        change=kind,
        reasons=reasons,
        created_at=now,
        surface_hash=wheel.surface_hash,
        runtime=runtime,
    )
