"""Reads wheels of the index that the state does not know, and makes records of their versions."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from codegen.errors import CodegenError
from codegen.package import Release
from lakeschema.catalog.identifiers import RelationName
from publisher.index.protocol import ForeignPackage, IndexFile, IndexRefused, PackageIndex
from publisher.publishing.listing import Listing
from publisher.publishing.packaging_protocol import Packaging, ReadPackage
from publisher.publishing.trust import UntrustedProvenance, check_provenance
from publisher.publishing.versioning import parse_number
from publisher.state.records import VersionRecord, VersionStatus

log = logging.getLogger(__name__)

MAX_WHEELS_READ = 200
"""The maximum number of a distribution's wheels that are read, the newest first."""

MAX_REFUSAL_CHARACTERS = 500
"""The maximum length of the stored reason why a wheel is unusable."""


class UnusableWheel(Exception):
    """A listed wheel does not exist, or its bytes contradict the page."""


UNUSABLE = (UnusableWheel, UntrustedProvenance, CodegenError)
"""The errors of ``read_wheel`` that concern one wheel only."""


@dataclass(frozen=True, slots=True)
class _FoundWheel:
    """A wheel of the index.

    Attributes:
        sha256: the hash of the wheel; None if the wheel is unusable, so that no file with its hash is
            accepted later.
        package: the wheel's contents, if it was read.
        refusal: why the wheel is unusable, or "".
    """

    sha256: str | None
    package: ReadPackage | None = None
    refusal: str = ""


@dataclass(frozen=True, slots=True)
class Adopted:
    """The versions that the ledger of a relation lacked, and that were adopted.

    Attributes:
        versions: lowest first.
        event_id: an event of the catalog; the newest usable wheel reflects no later event. None if
            unknown.
        provenances: the provenance of each wheel that was read, by number.
    """

    versions: Sequence[VersionRecord] = ()
    event_id: int | None = None
    provenances: Mapping[str, str] = field(default_factory=dict)


def unrecorded_files(listing: Listing, history: Sequence[VersionRecord]) -> Sequence[IndexFile]:
    """The wheels with this program's form of name whose number the history lacks, lowest first."""
    known = {version.number for version in history}
    return [file for number, file in listing.ours.items() if number not in known]


def read_wheel(
    index: PackageIndex, packaging: Packaging, file: IndexFile, trusted_keys: Sequence[bytes]
) -> tuple[str, ReadPackage]:
    """The SHA-256 and the contents of a wheel on the index.

    Raises:
        UnusableWheel, UntrustedProvenance, CodegenError: the wheel is not a package of this
            deployment.
        PackageIndexError: the index does not answer, or refuses.
    """
    try:
        data = index.fetch(file)
    except IndexRefused as error:
        if error.status not in {404, 410}:
            raise
        raise UnusableWheel("the index lists it and does not have it") from error
    sha256 = hashlib.sha256(data).hexdigest()
    if file.sha256 not in {None, sha256}:
        raise UnusableWheel("its bytes do not have the hash that the page states")
    check_provenance(index, file, sha256, trusted_keys)
    return sha256, packaging.read(data)


def read_unrecorded_versions(
    index: PackageIndex,
    packaging: Packaging,
    relation: RelationName,
    unrecorded: Sequence[IndexFile],
    now: float,
    trusted_keys: Sequence[bytes] = (),
) -> Adopted:
    """Records of ``unrecorded_files``; reads the usable wheels of the newest major, for comparison.

    A wheel that contradicts its page, is not a package, or lacks a signature by one of
    ``trusted_keys`` gets status CONFLICT, so that its number is never used.

    Raises:
        PackageIndexError: a wheel could not be read.
        ForeignPackage: a wheel is another relation's package.
    """
    wheels = _Wheels(index, packaging, relation, trusted_keys)
    major: int | None = None
    event_id: int | None = None
    releases: dict[str, Release] = {}
    texts: dict[str, str] = {}
    provenances: dict[str, str] = {}
    adopted = []
    # The newest wheel is read first, since it also has the changes and schemas of earlier versions.
    for position, file in enumerate(reversed(unrecorded)):
        number = parse_number(file.version)
        is_read = position < MAX_WHEELS_READ and major in {None, number[0]}
        wheel = wheels.read(file) if is_read else wheels.believe(file)
        if major is None and not wheel.refusal:
            major = number[0]
            event_id = wheel.package.newest_event_id if wheel.package else None
        for release in wheel.package.changelog if wheel.package else ():
            releases.setdefault(release.version, release)
        for earlier in wheel.package.earlier_schemas if wheel.package else ():
            for version in earlier.versions:
                texts.setdefault(version, earlier.text)
        if wheel.package is not None:
            provenances[file.version] = wheel.package.provenance
        adopted.append(_version_record(relation, packaging, file, wheel, releases, texts, now))
    return Adopted(adopted[::-1], event_id, provenances)


def _version_record(
    relation: RelationName,
    packaging: Packaging,
    file: IndexFile,
    wheel: _FoundWheel,
    releases: Mapping[str, Release],
    texts: Mapping[str, str],
    now: float,
) -> VersionRecord:
    package = wheel.package
    release = releases.get(file.version, Release(file.version, "", ()))
    return VersionRecord(
        distribution=packaging.distribution(relation),
        number=file.version,
        relation=relation,
        status=VersionStatus.CONFLICT if wheel.refusal else VersionStatus.PUBLISHED,
        content_hash=package.content_hash if package else None,
        schema_text=package.schema_text if package else texts.get(file.version),
        wheel_sha256=wheel.sha256,
        filename=file.filename,
        change=release.change,
        reasons=(wheel.refusal,) if wheel.refusal else release.lines,
        created_at=now,
        surface_hash=package.surface_hash if package else "",
        runtime=package.runtime if package else "",
    )


@dataclass(frozen=True, slots=True)
class _Wheels:
    index: PackageIndex
    packaging: Packaging
    relation: RelationName
    trusted_keys: Sequence[bytes]

    def read(self, file: IndexFile) -> _FoundWheel:
        try:
            sha256, package = read_wheel(self.index, self.packaging, file, self.trusted_keys)
        except UNUSABLE as error:
            return _refuse(file, str(error))
        if package.relation != self.relation:
            distribution = self.packaging.distribution(self.relation)
            raise ForeignPackage(distribution, str(package.relation))
        return _FoundWheel(sha256, package)

    def believe(self, file: IndexFile) -> _FoundWheel:
        """The wheel, with the hash that the page states. The bytes are not read."""
        try:
            check_provenance(self.index, file, file.sha256, self.trusted_keys)
        except UntrustedProvenance as error:
            return _refuse(file, str(error))
        return _FoundWheel(file.sha256)


def _refuse(file: IndexFile, why: str) -> _FoundWheel:
    log.warning("wheel of the index is unusable", extra={"wheel": file.filename, "why": why})
    # The reason may quote the wheel: untrusted text that the state may be unable to store.
    storable = why.encode("ascii", "backslashreplace").decode()[:MAX_REFUSAL_CHARACTERS]
    return _FoundWheel(None, refusal=storable)
