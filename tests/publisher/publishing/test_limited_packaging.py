"""The generator in a child process answers as in this one, and its death affects only one relation."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from codegen.errors import CodegenError
from codegen.package import PackageRequest, Provenance, Release
from lakeschema.avro.model import INT, NULL, STRING, EnumSchema, Field, Record, Union
from lakeschema.avro.printing import to_text
from lakeschema.catalog.column_types import INT as INTEGER
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Column, Relation
from lakeschema.isolation.limits import Limits
from lakeschema.isolation.pool import LimitedProcesses
from lakeschema.translation.model.interface import Derivation, Interface
from publisher.publishing.limited_packaging import HANDLER, LimitedPackaging, packaging_handler
from publisher.publishing.packaging import WheelPackaging
from publisher.publishing.packaging_protocol import (
    PackagingCrashed,
    Predecessors,
    PublishedText,
)
from publisher.publishing.request_json import request_from_json, request_to_json
from publisher.state.records import VersionRecord, VersionStatus
from tests.waiting import PATIENCE_SECONDS

RELATION = RelationName.of("example", "company")
SCHEMA = Record(
    "Company",
    "example.company",
    (Field("id", INT), Field("names", Union((NULL, STRING)), default=None, doc="d\u00e9j\u00e0")),
)
PROVENANCE = Provenance(
    kind="view",
    view_text="SELECT '\ud800'",
    upstreams={"z.z": "1", "a.a": "2"},
    lineage={"names": ("z.z.b", "a.a.a"), "id": ()},
    change="minor",
    reasons=("field `names` added",),
    earlier=(Release("1.0.0", "first", ("first version",)),),
    event_id=7,
    generator_version="1.2",
    labels={"follows": True},
)
REQUEST = PackageRequest(
    RELATION,
    "acme-schema",
    "1.1.0",
    SCHEMA,
    PROVENANCE,
    immutable=True,
    project_urls={"Home": "https://example.com/{name}"},
)
OPTIONS: Any = {"immutable": True, "project_urls": REQUEST.project_urls}
DIRECT = WheelPackaging("acme-schema", **OPTIONS)


@contextmanager
def limited(limits: Limits) -> Iterator[LimitedPackaging]:
    handlers = {HANDLER: packaging_handler("acme-schema", **OPTIONS, second_opinion="always")}
    with LimitedProcesses(handlers, count=1, limits=limits) as processes:
        yield LimitedPackaging(processes, DIRECT, "always")


@pytest.fixture(scope="module")
def packaging() -> Iterator[LimitedPackaging]:
    with limited(Limits(timeout_seconds=PATIENCE_SECONDS)) as each:
        yield each


def test_a_request_is_read_back_equal() -> None:
    assert request_from_json(request_to_json(REQUEST)) == REQUEST


def test_names_and_requests_are_those_of_the_packaging_itself(packaging: LimitedPackaging) -> None:
    table = Relation(RELATION, (Column("id", INTEGER),))
    derivation = Derivation(Interface(RELATION, table.columns, SCHEMA), (), ())

    assert packaging.request(table, derivation) == DIRECT.request(table, derivation)
    assert packaging.distribution(RELATION) == DIRECT.distribution(RELATION)
    assert replace(packaging.build_keys, checks="") == DIRECT.build_keys


def test_a_wheel_has_the_same_bytes_and_is_read_alike(packaging: LimitedPackaging) -> None:
    predecessors = Predecessors((), ("1.0.0",), "semantic")

    wheel = packaging.draft(REQUEST, predecessors).wheel

    assert wheel == DIRECT.draft(REQUEST, predecessors).wheel
    assert wheel.version == "2.0.0"
    assert packaging.content_hash(REQUEST) == DIRECT.content_hash(REQUEST)
    assert packaging.read(wheel.data) == DIRECT.read(wheel.data)


@pytest.mark.slow
def test_a_table_of_twenty_thousand_columns_is_packaged_within_the_limits(
    packaging: LimitedPackaging,
) -> None:
    """As many as the type of a column may have parts. The package is imported in this process, too."""
    optional = Union((NULL, INT))
    columns = tuple(Field(f"c{number}", optional, default=None) for number in range(20_000))
    request = replace(REQUEST, schema=Record("Company", "example.company", columns))

    assert packaging.draft(request, Predecessors((), (), "semantic")).wheel.data


def test_a_version_is_rebuilt_if_its_bytes_come_out_the_same(packaging: LimitedPackaging) -> None:
    wheel = DIRECT.build(REQUEST)
    version = VersionRecord(
        distribution=wheel.distribution,
        number=wheel.version,
        relation=RELATION,
        status=VersionStatus.PUBLISHED,
        content_hash=None,
        schema_text=to_text(SCHEMA),
        wheel_sha256=wheel.sha256,
        filename=wheel.filename,
    )

    rebuilt = packaging.rebuild(version, wheel.provenance)
    other = packaging.rebuild(replace(version, wheel_sha256="other"), wheel.provenance)

    assert rebuilt == wheel
    assert other is None


@pytest.mark.parametrize(
    "published",
    [
        (),
        (PublishedText("1.0.0", to_text(Record("Company", "example.company", ()))),),
        (PublishedText("1.0.0", to_text(SCHEMA), "another surface"),),
        (PublishedText("1.0.0", "[" * 100_000), PublishedText("1.0.1", "not JSON")),
    ],
    ids=["first", "a field added", "other names", "not schemas"],
)
def test_the_next_version_is_the_same(
    packaging: LimitedPackaging, published: tuple[PublishedText, ...]
) -> None:
    predecessors = Predecessors(published, ("1.0.0", "1.0.1"), "semantic")

    found = packaging.next_version(RELATION, SCHEMA, predecessors)

    assert found == DIRECT.next_version(RELATION, SCHEMA, predecessors)


def test_a_refusal_keeps_its_words(packaging: LimitedPackaging) -> None:
    without_values = Record("R", "n", (Field("e", EnumSchema("E", "n", ())),))
    request = PackageRequest(RELATION, "acme-schema", "1.0.0", without_values, Provenance())

    with pytest.raises(CodegenError) as here:
        DIRECT.content_hash(request)
    with pytest.raises(CodegenError) as there:
        packaging.content_hash(request)

    assert str(there.value) == str(here.value)


def test_a_death_names_the_relation() -> None:
    with (
        limited(Limits(timeout_seconds=0.0)) as packaging,
        pytest.raises(
            PackagingCrashed, match=r"the generator crashed on example\.company: .* in 0 s"
        ),
    ):
        packaging.content_hash(REQUEST)


def test_a_wheel_that_kills_its_process_counts_as_not_understood() -> None:
    with (
        limited(Limits(timeout_seconds=0.0)) as packaging,
        pytest.raises(CodegenError, match="killed a process"),
    ):
        packaging.read(b"PK")
