"""The publisher's calls of the real generator."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from dataclasses import replace
from typing import Any

import pytest

from codegen.package import PackageRequest, Provenance, Release, Wheel
from codegen.wheel import content_hash
from lakeschema.avro.model import INT, NULL, EnumSchema, Field, Record, Union
from lakeschema.avro.parsing import parse_schema
from lakeschema.avro.printing import to_text
from lakeschema.catalog.column_types import INT as INTEGER
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Column, Relation
from lakeschema.translation.model.interface import Derivation, Interface
from publisher.publishing.packaging import WheelPackaging
from publisher.publishing.packaging_protocol import Predecessors, PublishedText
from publisher.publishing.versioning import REGENERATED
from publisher.state.records import VersionRecord, VersionStatus

RELATION = RelationName.of("example", "company")
SCHEMA = Record("Company", "example.company", (Field("id", INT),))
TABLE = Relation(RELATION, (Column("id", INTEGER),))
DERIVATION = Derivation(Interface(RELATION, TABLE.columns, SCHEMA), (), ())


def test_a_wheel_states_what_programs_can_name_in_it() -> None:
    packaging = WheelPackaging("acme-schema")
    request = PackageRequest(RELATION, "acme-schema", "1.0.0", SCHEMA, Provenance())

    wheel = packaging.build(request)
    read = packaging.read(wheel.data)

    assert wheel.surface_hash
    assert read.surface_hash == wheel.surface_hash
    assert packaging.surface_hash(RELATION, parse_schema(read.schema_text)) == wheel.surface_hash


VERSION = VersionRecord(
    "acme-schema-example-company", "1.1.0", RELATION, VersionStatus.PUBLISHED, None, None, None, ""
)


def published(**options: Any) -> tuple[VersionRecord, Wheel]:
    provenance = Provenance(
        view_text="SELECT 'é' AS id",
        upstreams={"example.b": "22", "example.a": "11"},
        lineage={"id": ("example.a.id",)},
        change="minor",
        reasons=("a line",),
        earlier=(Release("1.0.0", "first", ("first version",)),),
        event_id=7,
        generator_version="9.9",
        labels={"follows": True},
    )
    request = PackageRequest(RELATION, "acme-schema", "1.1.0", SCHEMA, provenance, **options)
    wheel = WheelPackaging("acme-schema").build(request)
    version = replace(VERSION, schema_text=to_text(SCHEMA), wheel_sha256=wheel.sha256)
    return version, wheel


@pytest.mark.parametrize(
    "options", [{}, {"immutable": True, "project_urls": {"Page": "https://a"}}]
)
def test_a_wheel_is_built_again_byte_for_byte(options: dict[str, Any]) -> None:
    version, wheel = published(**options)

    rebuilt = WheelPackaging("acme-schema", **options).rebuild(version, wheel.provenance)

    assert rebuilt is not None
    assert rebuilt.data == wheel.data
    assert (rebuilt.filename, rebuilt.version) == (wheel.filename, "1.1.0")


def test_other_bytes_are_not_a_wheel_built_again() -> None:
    version, wheel = published()
    other = json.dumps(json.loads(wheel.provenance) | {"event_id": 8})

    for provenance in ("", "{}", "[", other):
        assert WheelPackaging("acme-schema").rebuild(version, provenance) is None
    assert WheelPackaging("acme-schema", immutable=True).rebuild(version, wheel.provenance) is None
    without_schema = replace(version, schema_text=None)
    assert WheelPackaging("acme-schema").rebuild(without_schema, wheel.provenance) is None


@pytest.mark.parametrize(
    ("method", "level"),
    [(zipfile.ZIP_STORED, None), (zipfile.ZIP_DEFLATED, 1)],
    ids=["stored, as earlier releases did", "deflated otherwise, as by another zlib"],
)
def test_the_same_files_in_other_bytes_are_not_the_wheel_built_again(
    method: int, level: int | None
) -> None:
    version, wheel = published()
    packed = repacked(wheel.data, method, level)
    earlier = replace(version, wheel_sha256=hashlib.sha256(packed).hexdigest())

    assert WheelPackaging("acme-schema").rebuild(earlier, wheel.provenance) is None
    assert WheelPackaging("acme-schema").read(packed) == WheelPackaging("p").read(wheel.data)


def repacked(wheel: bytes, method: int, level: int | None) -> bytes:
    out = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(wheel)) as source,
        zipfile.ZipFile(out, "w", method, compresslevel=level) as target,
    ):
        for name in source.namelist():
            target.writestr(name, source.read(name))
    return out.getvalue()


def test_what_cannot_be_packaged_now_has_no_surface() -> None:
    packaging = WheelPackaging("acme-schema")
    without_values = Record("R", "n", (Field("e", EnumSchema("E", "n", ())),))

    assert packaging.surface_hash(RELATION, Union((NULL, INT))) == ""
    assert packaging.surface_hash(RELATION, without_values) == ""


def test_immutable_records_are_other_contents_and_another_surface() -> None:
    mutable, immutable = WheelPackaging("p"), WheelPackaging("p", immutable=True)
    request, other = immutable.request(TABLE, DERIVATION), mutable.request(TABLE, DERIVATION)

    wheel = immutable.build(request)
    read = immutable.read(wheel.data)

    assert read.content_hash == immutable.content_hash(request) != mutable.content_hash(other)
    assert read.surface_hash == immutable.surface_hash(RELATION, SCHEMA)
    assert read.surface_hash != mutable.surface_hash(RELATION, SCHEMA)
    assert mutable.content_hash(other) == content_hash(other)


SHARE = RelationName.of("shop", "market_share")
NESTED = Record(
    "market_share",
    "shop.market_share",
    (
        Field("device", Record("device", "shop.market_share.market_share", (Field("id", INT),))),
        Field("state", EnumSchema("State", "shop.market_share.market_share", ("CA",))),
    ),
)
EARLIER_SURFACE = "470cf1ff0a833b0135681a2d92e328de5715c3e57c1979143afdb6ae2677ccd0"
"""Of the package of ``NESTED`` whose classes are market_share, device and State."""


def test_a_package_whose_classes_have_other_names_now_begins_a_major_that_names_them() -> None:
    packaging = WheelPackaging("acme-schema")
    predecessors = Predecessors(
        (PublishedText("1.0.0", to_text(NESTED), EARLIER_SURFACE),), (), "semantic"
    )

    number, change = packaging.next_version(SHARE, NESTED, predecessors)

    assert number == "2.0.0"
    assert change.reasons == (
        REGENERATED,
        "class `market_share` is named `MarketShare` now",
        "class `device` is named `Device_` now",
    )


WITHIN = "shop.market_share.market_share"
COUNTRY = Record("Country", f"{WITHIN}.Address", (Field("id", INT),))
DEEPER = Record(
    "market_share",
    "shop.market_share",
    (Field("address", Record("Address", WITHIN, (Field("country", COUNTRY),))),),
)
SURFACE_WITH_ROOT = "6fe7fd796ebc1a9016ef9227b77b2e1f53f5153864d368f992c74cfcbad740cd"
"""Of the package of ``DEEPER`` whose inner class is MarketShare__Address__Country."""


def test_a_package_whose_inner_classes_had_the_roots_name_begins_a_major_that_names_them() -> None:
    predecessors = Predecessors(
        (PublishedText("1.0.0", to_text(DEEPER), SURFACE_WITH_ROOT),), (), "semantic"
    )

    number, change = WheelPackaging("acme-schema").next_version(SHARE, DEEPER, predecessors)

    assert number == "2.0.0"
    assert change.reasons == (
        REGENERATED,
        "class `MarketShare__Address__Country` is named `Address__Country` now",
    )


SIZE = Record("R", "n", (Field("gr_xC3_xB6_xC3_x9Fe", INT, properties={"original-name": "größe"}),))
SURFACE_WITH_AVRO_NAMES = "5b5b94f8686b5722d5a5f44b6b5b27614b68ba0cc66b87ff2d39d5e42ddda5e3"
"""Of the package of ``SIZE`` whose attribute is gr_xC3_xB6_xC3_x9Fe."""


def test_a_package_whose_attributes_were_named_as_avro_has_them_begins_a_major() -> None:
    predecessors = Predecessors(
        (PublishedText("1.0.0", to_text(SIZE), SURFACE_WITH_AVRO_NAMES),), (), "semantic"
    )

    number, change = WheelPackaging("acme-schema").next_version(SHARE, SIZE, predecessors)

    assert number == "2.0.0"
    assert change.reasons == (
        REGENERATED,
        "attribute `gr_xC3_xB6_xC3_x9Fe` of `R` is named `größe` now",
    )


def test_a_package_whose_classes_keep_their_names_is_not_published_again() -> None:
    packaging = WheelPackaging("acme-schema")
    surface = packaging.surface_hash(RELATION, SCHEMA)
    predecessors = Predecessors((PublishedText("1.0.0", to_text(SCHEMA), surface),), (), "semantic")

    assert packaging.next_version(RELATION, SCHEMA, predecessors)[0] == "1.0.1"


def test_other_names_that_no_earlier_release_gave_are_major_without_a_list() -> None:
    predecessors = Predecessors(
        (PublishedText("1.0.0", to_text(NESTED), "unknown"),), (), "semantic"
    )

    number, change = WheelPackaging("acme-schema").next_version(SHARE, NESTED, predecessors)

    assert (number, change.reasons) == ("2.0.0", (REGENERATED,))
