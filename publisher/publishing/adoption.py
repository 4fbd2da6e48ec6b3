"""Versions that the index has and the state lacks, because it was lost or is an older copy."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Mapping, Sequence

from packaging.version import InvalidVersion

from codegen.errors import CodegenError
from codegen.package import Release
from lakeschema.catalog.identifiers import RelationName
from publisher.index.protocol import ForeignPackage, IndexFile, PackageIndex
from publisher.index.releases import by_version, parse_version
from publisher.publishing.packaging_protocol import Packaging, ReadPackage
from publisher.state.records import VersionRecord, VersionStatus

log = logging.getLogger(__name__)


def unrecorded_files(
    files: Sequence[IndexFile], history: Sequence[VersionRecord]
) -> Sequence[IndexFile]:
    """Wheels with a release number of three parts that the history lacks, lowest first."""
    known = {version.number for version in history}
    unrecorded = [file for file in files if file.version not in known and _is_release(file)]
    return sorted(unrecorded, key=by_version)


def read_unrecorded_versions(
    index: PackageIndex,
    packaging: Packaging,
    relation: RelationName,
    unrecorded: Sequence[IndexFile],
    now: float,
) -> Sequence[VersionRecord]:
    """Records of ``unrecorded_files``; wheels of the newest major are read, for comparison.

    Raises:
        PackageIndexError: one could not be read.
        ForeignPackage: one is the package of another relation.
    """
    major = parse_version(unrecorded[-1].version).major
    releases: dict[str, Release] = {}
    adopted = []
    # The newest first: its changelog also describes the versions before it.
    for file in reversed(unrecorded):
        wheel = index.fetch(file) if parse_version(file.version).major == major else None
        read = _read(file, wheel, packaging) if wheel is not None else None
        for release in read.changelog if read else ():
            releases.setdefault(release.version, release)
        adopted.append(
            _version_record(
                relation, packaging.distribution(relation), file, wheel, read, releases, now
            )
        )
    return adopted[::-1]


def _version_record(
    relation: RelationName,
    distribution: str,
    file: IndexFile,
    wheel: bytes | None,
    read: ReadPackage | None,
    releases: Mapping[str, Release],
    now: float,
) -> VersionRecord:
    if read is not None and read.relation != relation:
        raise ForeignPackage(distribution, str(read.relation))
    release = releases.get(file.version, Release(file.version, "", ()))
    return VersionRecord(
        distribution=distribution,
        number=file.version,
        relation=relation,
        status=VersionStatus.PUBLISHED,
        content_hash=read.content_hash if read else None,
        schema_text=read.schema_text if read else None,
        wheel_sha256=hashlib.sha256(wheel).hexdigest() if wheel is not None else file.sha256,
        filename=file.filename,
        change=release.change,
        reasons=release.lines,
        created_at=now,
        surface_hash=read.surface_hash if read else "",
        runtime=read.runtime if read else "",
    )


def _read(file: IndexFile, wheel: bytes, packaging: Packaging) -> ReadPackage | None:
    try:
        return packaging.read(wheel)
    except CodegenError as error:
        log.warning(
            "wheel of the index not understood",
            extra={"wheel": file.filename, "why": str(error)},
        )
        return None


def _is_release(file: IndexFile) -> bool:
    if not file.filename.endswith(".whl"):
        return False
    try:
        return len(parse_version(file.version).release) == 3
    except InvalidVersion:
        return False
