"""What the ledger knows of a package's versions, as ``versioning`` compares them."""

from __future__ import annotations

from collections.abc import Sequence

from codegen.package import Release
from lakeschema.avro.errors import MalformedAvroSchema
from lakeschema.avro.model import Schema
from lakeschema.avro.parsing import parse_schema
from publisher.publishing.versioning import Published, parse_number
from publisher.state.records import VersionRecord, VersionStatus


def newest_published(history: Sequence[VersionRecord]) -> VersionRecord | None:
    """The version with the highest number that is known to be on the index with our bytes."""
    published = [v for v in history if v.status is VersionStatus.PUBLISHED]
    return max(published, key=lambda v: parse_number(v.number), default=None)


def comparable_versions(
    history: Sequence[VersionRecord],
) -> tuple[Sequence[Published], Sequence[str]]:
    """Versions whose schemas can be compared, and the numbers of all others."""
    published: list[Published] = []
    unusable: list[str] = []
    for version in history:
        schema = _schema(version)
        if version.status is VersionStatus.PUBLISHED and schema is not None:
            published.append(Published(version.number, schema, version.surface_hash))
        else:
            unusable.append(version.number)
    return published, unusable


def releases(history: Sequence[VersionRecord]) -> tuple[Release, ...]:
    """What changed in each version that consumers may use, newest first."""
    published = [v for v in history if v.status is VersionStatus.PUBLISHED]
    published.sort(key=lambda v: parse_number(v.number), reverse=True)
    return tuple(Release(v.number, v.change, v.reasons) for v in published)


def _schema(version: VersionRecord) -> Schema | None:
    if version.schema_text is None:
        return None
    try:
        return parse_schema(version.schema_text)
    except MalformedAvroSchema:
        return None
