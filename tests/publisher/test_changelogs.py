"""The changelog of a package from what the ledger knows, and back from the index when it is lost."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from avro_schema.model import INT, STRING, Field, Record
from catalog.identifiers import RelationName
from codegen.changelog import shortened
from codegen.package import PackageRequest, Provenance, Release
from codegen.wheel import build_wheel
from publisher.adoption import adopted_versions
from publisher.history import releases
from publisher.index.static import StaticIndex
from publisher.packaging import WheelPackaging
from publisher.state.records import VersionRecord, VersionStatus

COMPANY = RelationName.of("example", "company")
PREFIX = "acme-schema"
DISTRIBUTION = "acme-schema-example-company"


def version(number: str, *lines: str, status: VersionStatus) -> VersionRecord:
    return VersionRecord(
        DISTRIBUTION, number, COMPANY, status, "c", "{}", "s", "f", change="minor", reasons=lines
    )


def test_published_versions_are_told_newest_first_and_others_never() -> None:
    history = [
        version("1.9.0", "nine", status=VersionStatus.PUBLISHED),
        version("1.10.0", "ten", status=VersionStatus.PUBLISHED),
        version("1.11.0", "of strangers", status=VersionStatus.CONFLICT),
        version("1.12.0", "not yet", status=VersionStatus.RESERVED),
    ]

    assert releases(history) == (
        Release("1.10.0", "minor", ("ten",)),
        Release("1.9.0", "minor", ("nine",)),
    )


def test_a_lost_ledger_gets_the_changelog_back_from_the_newest_wheels(tmp_path: Path) -> None:
    index, packaging = StaticIndex(tmp_path), WheelPackaging(PREFIX)
    told: tuple[Release, ...] = ()
    for number, change, lines in (
        ("1.0.0", "first", ("first version",)),
        ("2.0.0", "major", ("field `a` changed from int to string",)),
        ("2.0.1", "patch", ("field `a`: documentation added",)),
    ):
        schema = Record("R", "n", (Field("a", INT if number == "1.0.0" else STRING),))
        provenance = Provenance(change=change, reasons=lines, earlier=shortened(told))
        request = PackageRequest(COMPANY, PREFIX, number, schema, provenance)
        index.upload(build_wheel(request))
        told = (Release(number, change, lines), *told)

    adopted = adopted_versions(index, packaging, COMPANY, index.files(DISTRIBUTION), 0.0)

    assert [record.number for record in adopted] == ["1.0.0", "2.0.0", "2.0.1"]
    assert adopted[0].schema_text is None
    assert releases([replace(record, sequence=n) for n, record in enumerate(adopted)]) == told
