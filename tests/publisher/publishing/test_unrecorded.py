"""What a lost state learns from the index, which may be hostile or damaged."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from codegen.package import PackageRequest, Provenance, Wheel
from codegen.wheel import build_wheel
from lakeschema.avro.model import INT, Field, Record
from lakeschema.catalog.identifiers import RelationName
from publisher.index.protocol import Damage, ForeignPackage, IndexFile, IndexRefused
from publisher.publishing.attestation import public_key_of, sign
from publisher.publishing.differences import compare_with_index
from publisher.publishing.listing import read_listing
from publisher.publishing.packaging import WheelPackaging
from publisher.publishing.unrecorded import (
    MAX_WHEELS_READ,
    read_unrecorded_versions,
    unrecorded_files,
)
from publisher.state.records import VersionRecord, VersionStatus

COMPANY = RelationName.of("example", "company")
PREFIX = "acme-schema"
DISTRIBUTION = "acme-schema-example-company"
KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
TRUSTED = [public_key_of(KEY)]


def wheel_of(number: str, relation: RelationName = COMPANY) -> Wheel:
    schema = Record("R", "n", (Field("a", INT),))
    return build_wheel(PackageRequest(relation, PREFIX, number, schema, Provenance()))


@dataclass
class ListedWheels:
    """An index that lists these wheels and answers with their bytes."""

    wheels: Sequence[Wheel]
    reads: list[str] = field(default_factory=list)
    refusal: IndexRefused | None = None
    provenances: dict[str, bytes] = field(default_factory=dict)

    def sign(self, *wheels: Wheel) -> None:
        for wheel in wheels:
            self.provenances[wheel.filename] = sign(wheel.filename, wheel.sha256, KEY)

    def projects(self) -> Sequence[str]:
        return [DISTRIBUTION]

    def files(self, distribution: str) -> Sequence[IndexFile]:
        assert distribution == DISTRIBUTION
        return [IndexFile(w.filename, w.version, w.filename, w.sha256 or None) for w in self.wheels]

    def fetch(self, file: IndexFile) -> bytes:
        self.reads.append(file.version)
        if self.refusal is not None:
            raise self.refusal
        return next(w.data for w in self.wheels if w.filename == file.filename)

    def provenance(self, file: IndexFile) -> bytes | None:
        return self.provenances.get(file.filename)

    def upload(self, wheel: Wheel) -> None:
        raise AssertionError(wheel)

    def yank(self, file: IndexFile, reason: str | None) -> bool:
        raise AssertionError(file, reason)

    def damages(
        self, distribution: str, published: Mapping[str, str], may_read: Callable[[int], bool]
    ) -> Sequence[Damage]:
        raise AssertionError(distribution)

    def mend(
        self, distribution: str, published: Mapping[str, str], wheels: Sequence[Wheel]
    ) -> None:
        raise AssertionError(distribution)


def adopt(index: ListedWheels, trusted_keys: Sequence[bytes] = ()) -> Sequence[VersionRecord]:
    listing = read_listing(DISTRIBUTION, index.files(DISTRIBUTION))
    unrecorded = unrecorded_files(listing, ())
    return read_unrecorded_versions(
        index, WheelPackaging(PREFIX), COMPANY, unrecorded, 0.0, trusted_keys
    ).versions


def test_a_wheel_with_other_bytes_than_the_page_states_is_unusable(
    caplog: pytest.LogCaptureFixture,
) -> None:
    index = ListedWheels([wheel_of("1.0.0"), replace(wheel_of("1.0.1"), sha256="0" * 64)])

    first, second = adopt(index)

    assert (first.status, first.content_hash is None) == (VersionStatus.PUBLISHED, False)
    assert (second.status, second.content_hash) == (VersionStatus.CONFLICT, None)
    assert "wheel of the index is unusable" in caplog.text


def test_a_torn_wheel_is_unusable() -> None:
    data = wheel_of("1.0.1").data[:1000]
    torn = replace(wheel_of("1.0.1"), data=data, sha256=hashlib.sha256(data).hexdigest())
    index = ListedWheels([wheel_of("1.0.0"), torn])

    assert [record.status for record in adopt(index)] == [
        VersionStatus.PUBLISHED,
        VersionStatus.CONFLICT,
    ]


def test_a_listed_wheel_that_is_gone_is_unusable_and_another_refusal_is_told() -> None:
    index = ListedWheels([wheel_of("1.0.0")], refusal=IndexRefused("i", "gone", 404))

    (record,) = adopt(index)
    assert record.status is VersionStatus.CONFLICT

    index.refusal = IndexRefused("i", "who are you", 401)
    with pytest.raises(IndexRefused, match="who are you"):
        adopt(index)


def test_the_package_of_another_relation_is_left_alone() -> None:
    other = wheel_of("1.0.0", RelationName.of("example", "other"))
    filename = other.filename.replace("example_other", "example_company")
    index = ListedWheels([replace(other, filename=filename)])

    with pytest.raises(ForeignPackage):
        adopt(index)


def test_only_so_many_wheels_are_read_the_newest_first() -> None:
    wheel = wheel_of("1.0.0")
    numbers = [f"1.{minor}.0" for minor in range(MAX_WHEELS_READ + 5)]
    index = ListedWheels(
        [replace(wheel, version=n, filename=wheel.filename.replace("1.0.0", n)) for n in numbers]
    )

    adopted = adopt(index)

    assert index.reads == numbers[:4:-1]
    assert [record.number for record in adopted] == numbers


def test_without_trusted_keys_nobody_asks_for_provenance() -> None:
    (record,) = adopt(ListedWheels([wheel_of("1.0.0")]))

    assert record.status is VersionStatus.PUBLISHED


def test_only_what_a_trusted_key_signed_is_adopted(caplog: pytest.LogCaptureFixture) -> None:
    signed, of_other_bytes, unsigned = wheel_of("1.0.0"), wheel_of("1.0.1"), wheel_of("1.0.2")
    index = ListedWheels([signed, of_other_bytes, unsigned])
    index.sign(signed)
    index.provenances[of_other_bytes.filename] = sign(of_other_bytes.filename, "0" * 64, KEY)

    records = adopt(index, TRUSTED)

    assert [record.status for record in records] == [
        VersionStatus.PUBLISHED,
        VersionStatus.CONFLICT,
        VersionStatus.CONFLICT,
    ]
    whys = [getattr(entry, "why", "") for entry in caplog.records]
    assert whys == [
        "it has no provenance signed by a trusted key",
        "its provenance is that of another file",
    ]


def test_versions_that_are_not_read_are_adopted_by_the_hash_of_the_page() -> None:
    """Those of older majors: a signature of the page's hash counts, and no hash is not enough."""
    signed, unsigned, newest = wheel_of("1.0.0"), wheel_of("1.0.1"), wheel_of("2.0.0")
    index = ListedWheels([signed, unsigned, newest])
    index.sign(signed, newest)

    records = adopt(index, TRUSTED)

    assert index.reads == ["2.0.0"]
    assert [record.status for record in records] == [
        VersionStatus.PUBLISHED,
        VersionStatus.CONFLICT,
        VersionStatus.PUBLISHED,
    ]

    index.wheels = [replace(signed, sha256=""), newest]
    assert adopt(index, TRUSTED)[0].status is VersionStatus.CONFLICT


def test_an_unusable_wheel_does_not_decide_which_major_is_read() -> None:
    newest, forged = wheel_of("1.0.1"), wheel_of("9.0.0")
    index = ListedWheels([newest, forged])
    index.sign(newest)

    records = adopt(index, TRUSTED)

    assert index.reads == ["9.0.0", "1.0.1"]
    assert [record.content_hash is None for record in records] == [False, True]


def test_an_unusable_wheel_is_not_taken_for_a_lost_one_that_returned() -> None:
    index = ListedWheels([wheel_of("1.0.0")])
    listing = read_listing(DISTRIBUTION, index.files(DISTRIBUTION))

    records = adopt(index, TRUSTED)

    assert not compare_with_index(listing, records, is_dropped=False)
