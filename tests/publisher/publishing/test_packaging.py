"""What the publisher asks of the real generator."""

from __future__ import annotations

from codegen.package import PackageRequest, Provenance
from codegen.wheel import content_hash
from lakeschema.avro.model import INT, NULL, EnumSchema, Field, Record, Union
from lakeschema.avro.parsing import parse_schema
from lakeschema.catalog.column_types import INT as INTEGER
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Column, Relation
from lakeschema.translation.interface import Derivation, Interface
from publisher.publishing.packaging import WheelPackaging

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
