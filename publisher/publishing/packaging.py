from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from types import MappingProxyType

from codegen.earlier_names import renamed
from codegen.earlier_schemas import earlier_schemas
from codegen.errors import CodegenError, UnfitSchema
from codegen.naming import distribution_name, import_name
from codegen.package import PackageRequest, Provenance, Wheel
from codegen.rebuilding import request_again
from codegen.runtime_files import runtime_version
from codegen.surface import surface_hash
from codegen.wheel import build_wheel, content_hash, read_wheel
from lakeschema.avro.compatibility import Change
from lakeschema.avro.errors import MalformedAvroSchema
from lakeschema.avro.model import Record, Schema
from lakeschema.avro.parsing import parse_schema
from lakeschema.catalog.column_types import print_type
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Relation
from lakeschema.translation.model.interface import Derivation
from publisher.publishing.packaging_protocol import (
    DraftedPackage,
    Predecessors,
    PublishedText,
    ReadPackage,
    kind_of,
    provenance_of,
)
from publisher.publishing.versioning import Published, next_version
from publisher.settling.contents import BuildKeys
from publisher.state.records import VersionRecord

_MAX_REMEMBERED_CHARACTERS = 16_000
_NO_TEXTS: Mapping[str, str] = MappingProxyType({})


def version_after(
    predecessors: Predecessors,
    schema: Schema,
    surface_of: Callable[[Schema], str],
    renamed: Callable[[Published], Sequence[str]] = lambda _: (),
) -> tuple[str, Change]:
    """Parses the predecessors' schemas, and returns the number and change of ``next_version``."""
    return next_version(
        [version for text in predecessors.published for version in _comparable(text)],
        schema,
        mode=predecessors.mode,
        surface_of=surface_of,
        renamed=renamed,
        unusable=predecessors.taken,
        same_schema=predecessors.same_schema,
    )


def _comparable(version: PublishedText) -> Iterator[Published]:
    """The version with its parsed schema; yields nothing if the text is not a schema."""
    try:
        yield Published(version.number, _schema(version.schema_text), version.surface_hash)
    except MalformedAvroSchema:
        return


def _schema(text: str) -> Schema:
    # Parsed schemas are cached, since a relation that changes often is compared with the same earlier
    # versions each time.
    return parse_schema(text) if len(text) > _MAX_REMEMBERED_CHARACTERS else _remembered(text)


_remembered = lru_cache(maxsize=256)(parse_schema)


def with_change(request: PackageRequest, number: str, change: Change) -> PackageRequest:
    provenance = replace(request.provenance, change=kind_of(change), reasons=change.reasons)
    return replace(request, version=number, provenance=provenance)


class WheelPackaging:
    """Builds and reads wheels with a deployment's options.

    The constructor takes arguments of ``PackageRequest`` and ``Provenance``. With
    ``refuses_omissions``, a relation whose schema leaves columns out gets no package.
    """

    def __init__(
        self,
        prefix: str,
        *,
        immutable: bool = False,
        project_urls: Mapping[str, str] = MappingProxyType({}),
        generator_version: str = "",
        refuses_omissions: bool = False,
    ) -> None:
        self._prefix = prefix
        self._immutable = immutable
        self._project_urls = project_urls
        self._generator_version = generator_version
        self._refuses_omissions = refuses_omissions

    @property
    def build_keys(self) -> BuildKeys:
        chosen = {"immutable": self._immutable, "refuse": self._refuses_omissions}
        options = " ".join(name for name, is_chosen in chosen.items() if is_chosen)
        return BuildKeys(options, runtime_version())

    @property
    def prefix(self) -> str:
        return self._prefix

    def distribution(self, relation: RelationName) -> str:
        return distribution_name(relation, self._prefix)

    def request(self, relation: Relation, derivation: Derivation) -> PackageRequest:
        for each in derivation.interface.omitted if self._refuses_omissions else ():
            type_ = print_type(each.column.type)
            raise UnfitSchema(f"column {each.column.name}", f"it has type {type_}: {each.reason}")
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

    def next_version(
        self, relation: RelationName, schema: Schema, predecessors: Predecessors
    ) -> tuple[str, Change]:
        return version_after(
            predecessors,
            schema,
            partial(self.surface_hash, relation),
            partial(self._renamed, relation),
        )

    def _renamed(self, relation: RelationName, version: Published) -> Sequence[str]:
        if not isinstance(version.schema, Record):
            return ()
        package = import_name(relation, self._prefix)
        return renamed(version.schema, package, version.surface_hash, immutable=self._immutable)

    def draft(self, request: PackageRequest, predecessors: Predecessors) -> DraftedPackage:
        number, change = self.next_version(request.relation, request.schema, predecessors)
        earlier = [
            (text.number, text.schema_text, version.schema)
            for text in predecessors.earlier
            for version in _comparable(text)
        ]
        listed = earlier_schemas(earlier, request.schema)
        numbered = replace(with_change(request, number, change), earlier_schemas=listed)
        return DraftedPackage(change, self.build(numbered))

    def build(self, request: PackageRequest) -> Wheel:
        return build_wheel(request)

    def rebuild(
        self, version: VersionRecord, provenance: str, earlier: Mapping[str, str] = _NO_TEXTS
    ) -> Wheel | None:
        if not provenance or version.schema_text is None:
            return None
        try:
            schema = parse_schema(version.schema_text)
            if not isinstance(schema, Record):
                return None
            like = PackageRequest(
                version.relation,
                self._prefix,
                version.number,
                schema,
                Provenance(),
                self._immutable,
                self._project_urls,
            )
            wheel = build_wheel(request_again(provenance, like, earlier))
        except (CodegenError, MalformedAvroSchema):
            return None
        return wheel if wheel.sha256 == version.wheel_sha256 else None

    def read(self, wheel: bytes) -> ReadPackage:
        contents = read_wheel(wheel)
        return ReadPackage(
            contents.relation,
            contents.schema_text,
            contents.content_hash,
            contents.surface_hash,
            contents.changelog,
            contents.runtime_version,
            contents.newest_event_id,
            contents.earlier_schemas,
            json.dumps(contents.provenance),
        )
