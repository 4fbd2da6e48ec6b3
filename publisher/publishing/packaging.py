"""The generator, as the publisher uses it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from codegen.errors import UnfitSchema
from codegen.naming import distribution_name, import_name
from codegen.package import PackageRequest, Wheel
from codegen.runtime_files import runtime_version
from codegen.surface import surface_hash
from codegen.wheel import build_wheel, content_hash, read_wheel
from lakeschema.avro.model import Record, Schema
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Relation
from lakeschema.translation.interface import Derivation
from publisher.publishing.packaging_protocol import ReadPackage, provenance_of
from publisher.settling.contents import BuildKeys


class WheelPackaging:
    """Builds and reads wheels with a deployment's options.

    The constructor's arguments are those of ``PackageRequest`` and its ``Provenance``.
    """

    def __init__(
        self,
        prefix: str,
        *,
        immutable: bool = False,
        project_urls: Mapping[str, str] = MappingProxyType({}),
        generator_version: str = "",
    ) -> None:
        self._prefix = prefix
        self._immutable = immutable
        self._project_urls = project_urls
        self._generator_version = generator_version

    @property
    def build_keys(self) -> BuildKeys:
        return BuildKeys("immutable" if self._immutable else "", runtime_version())

    def distribution(self, relation: RelationName) -> str:
        return distribution_name(relation, self._prefix)

    def request(self, relation: Relation, derivation: Derivation) -> PackageRequest:
        return PackageRequest(
            relation=relation.name,
            prefix=self._prefix,
            version="0.0.0",
            schema=derivation.interface.schema,
            provenance=replace(
                provenance_of(relation, derivation), generator_version=self._generator_version
            ),
            immutable=self._immutable,
            project_urls=self._project_urls,
        )

    def content_hash(self, request: PackageRequest) -> str:
        return content_hash(request)

    def surface_hash(self, relation: RelationName, schema: Schema) -> str:
        try:
            return (
                surface_hash(schema, import_name(relation, self._prefix), immutable=self._immutable)
                if isinstance(schema, Record)
                else ""
            )
        except UnfitSchema:
            return ""

    def build(self, request: PackageRequest) -> Wheel:
        return build_wheel(request)

    def read(self, wheel: bytes) -> ReadPackage:
        contents = read_wheel(wheel)
        return ReadPackage(
            contents.relation,
            contents.schema_text,
            contents.content_hash,
            contents.surface_hash,
            contents.changelog,
            contents.runtime_version,
        )
