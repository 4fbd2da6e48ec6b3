"""What the publisher needs from the generator."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from codegen.package import PackageRequest, Provenance, Release, Wheel
from lakeschema.avro.model import Schema
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Relation
from lakeschema.translation.interface import Derivation
from publisher.settling.contents import BuildKeys


@dataclass(frozen=True, slots=True)
class ReadPackage:
    """What a wheel of the index states; ``changelog`` covers the versions before it too."""

    relation: RelationName
    schema_text: str
    content_hash: str
    surface_hash: str = ""
    changelog: tuple[Release, ...] = ()
    runtime: str = ""


class Packaging(Protocol):
    """The generator. Every method may raise ``codegen.errors.CodegenError``."""

    @property
    def build_keys(self) -> BuildKeys: ...

    def distribution(self, relation: RelationName) -> str: ...

    def request(self, relation: Relation, derivation: Derivation) -> PackageRequest:
        """The request for a package, without its version and the reasons for it."""

    def content_hash(self, request: PackageRequest) -> str:
        """Of schema, view text, lineage and names, without the version and the reasons for it."""

    def surface_hash(self, relation: RelationName, schema: Schema) -> str:
        """Of the names that programs could use if the schema were packaged now; "" if it cannot."""

    def build(self, request: PackageRequest) -> Wheel: ...

    def read(self, wheel: bytes) -> ReadPackage: ...


def provenance_of(relation: Relation, derivation: Derivation) -> Provenance:
    """Where a package's schema comes from, without what depends on its version."""
    return Provenance(
        kind="view" if relation.is_view else "table",
        view_text=relation.view.text if relation.view is not None else None,
        upstreams={str(name): "" for name in derivation.upstreams},
        lineage={
            column.column: tuple(
                ".".join((str(source.relation), source.column, *source.path))
                for source in column.sources
            )
            for column in derivation.lineage
        },
    )
