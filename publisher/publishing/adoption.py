"""Versions that the index has and the ledger does not: a lost state, or an older copy of it."""

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
    """Wheels with a release number of ours that the history does not know, lowest first."""
    known = {version.number for version in history}
    unrecorded = [file for file in files if file.version not in known and _is_release(file)]
    return sorted(unrecorded, key=by_version)


def adopted_versions(
    index: PackageIndex,
    packaging: Packaging,
    relation: RelationName,
    unrecorded: Sequence[IndexFile],
    now: float,
) -> Sequence[VersionRecord]:
    """Records of ``unrecorded_files``; of the newest major the wheels are read, for comparison.

    Raises:
        PackageIndexError: one could not be read.
        ForeignPackage: one is the package of another relation.
    """
    major = parse_version(unrecorded[-1].version).major
    told: dict[str, Release] = {}
    adopted = []
    # The newest first: its changelog tells what the versions before it changed.
    for file in reversed(unrecorded):
        wheel = index.fetch(file) if parse_version(file.version).major == major else None
        read = _read(file, wheel, packaging) if wheel is not None else None
        for release in read.changelog if read else ():
            told.setdefault(release.version, release)
        adopted.append(
            _adopted(relation, packaging.distribution(relation), file, wheel, read, told, now)
        )
    return adopted[::-1]


def _adopted(
    relation: RelationName,
    distribution: str,
    file: IndexFile,
    wheel: bytes | None,
    read: ReadPackage | None,
    told: Mapping[str, Release],
    now: float,
) -> VersionRecord:
    if read is not None and read.relation != relation:
        raise ForeignPackage(distribution, str(read.relation))
    release = told.get(file.version, Release(file.version, "", ()))
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
