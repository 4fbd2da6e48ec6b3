"""A package's changelog from the state, or read from the index if the state is lost."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from codegen.changelog import shorten
from codegen.package import PackageRequest, Provenance, Release
from codegen.wheel import build_wheel, read_wheel
from lakeschema.avro.model import INT, STRING, Field, Record
from lakeschema.catalog.identifiers import RelationName
from publisher.commands.snapshot import run_snapshot
from publisher.index.static import StaticIndex
from publisher.publishing.history import releases
from publisher.publishing.listing import read_listing
from publisher.publishing.packaging import WheelPackaging
from publisher.publishing.unrecorded import read_unrecorded_versions, unrecorded_files
from publisher.publishing.versioning import SAME_SCHEMA
from publisher.settings import load_settings
from publisher.state.records import VersionRecord, VersionStatus

COMPANY = RelationName.of("example", "company")
PREFIX = "acme-schema"
DISTRIBUTION = "acme-schema-example-company"


def version(number: str, *lines: str, status: VersionStatus) -> VersionRecord:
    return VersionRecord(
        DISTRIBUTION, number, COMPANY, status, "c", "{}", "s", "f", change="minor", reasons=lines
    )


def test_only_published_versions_are_listed_newest_first() -> None:
    history = [
        version("1.9.0", "nine", status=VersionStatus.PUBLISHED),
        version("1.10.0", "ten", status=VersionStatus.PUBLISHED),
        version("1.11.0", "of untrusted packages", status=VersionStatus.CONFLICT),
        version("1.12.0", "not yet", status=VersionStatus.RESERVED),
    ]

    assert releases(history) == (
        Release("1.10.0", "minor", ("ten",)),
        Release("1.9.0", "minor", ("nine",)),
    )


def test_a_lost_state_recovers_the_changelog_from_the_newest_wheels(tmp_path: Path) -> None:
    index, packaging = StaticIndex(tmp_path), WheelPackaging(PREFIX)
    expected: tuple[Release, ...] = ()
    for number, change, lines in (
        ("1.0.0", "first", ("first version",)),
        ("2.0.0", "major", ("field `a` changed from int to string",)),
        ("2.0.1", "patch", ("field `a`: documentation added",)),
    ):
        schema = Record("R", "n", (Field("a", INT if number == "1.0.0" else STRING),))
        provenance = Provenance(change=change, reasons=lines, earlier=shorten(expected))
        request = PackageRequest(COMPANY, PREFIX, number, schema, provenance)
        index.upload(build_wheel(request))
        expected = (Release(number, change, lines), *expected)

    listing = read_listing(DISTRIBUTION, index.files(DISTRIBUTION))
    adopted = read_unrecorded_versions(
        index, packaging, COMPANY, unrecorded_files(listing, ()), 0.0
    ).versions

    assert [record.number for record in adopted] == ["1.0.0", "2.0.0", "2.0.1"]
    assert adopted[0].schema_text is None
    assert releases([replace(record, sequence=n) for n, record in enumerate(adopted)]) == expected


@pytest.mark.thorough
def test_a_published_changelog_lists_every_earlier_version(tmp_path: Path) -> None:
    config = tmp_path / "schema-publisher.toml"
    config.write_text(
        f'[artifacts]\nprefix = "{PREFIX}"\n'
        f'[catalog]\nkind = "ddl"\npath = "{tmp_path}/ddl"\n'
        f'[state]\nurl = "sqlite:///{tmp_path}/state.db"\n'
        f'[index]\nkind = "static"\npath = "{tmp_path}/index"\n'
    )
    (tmp_path / "ddl").mkdir()
    texts = ("SELECT id FROM company", "SELECT id FROM company WHERE id > 0")
    for columns, view in (
        ("id BIGINT", texts[0]),
        ("id BIGINT, unit STRING", texts[0]),
        ("id BIGINT, unit STRING COMMENT 'Flat or suite.'", texts[1]),
    ):
        (tmp_path / "ddl" / "all.sql").write_text(
            f"CREATE DATABASE example; USE example; CREATE TABLE company ({columns});"
            f"CREATE VIEW ids AS {view};"
        )
        run_snapshot(load_settings(config), "local")

    assert newest_changelog(tmp_path / "index", DISTRIBUTION) == (
        Release("1.1.1", "patch", ("field `unit`: documentation added",)),
        Release("1.1.0", "minor", ("field `unit` added: optional string, default null",)),
        Release("1.0.0", "first", ("first version",)),
    )
    assert newest_changelog(tmp_path / "index", "acme-schema-example-ids") == (
        Release("1.0.1", "patch", (SAME_SCHEMA,)),
        Release("1.0.0", "first", ("first version",)),
    )


def newest_changelog(path: Path, distribution: str) -> tuple[Release, ...]:
    index = StaticIndex(path)
    return read_wheel(index.fetch(index.files(distribution)[-1])).changelog
