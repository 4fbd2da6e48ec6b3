"""What the publisher needs from the generator."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from codegen.package import EarlierSchema, PackageRequest, Provenance, Release, Wheel
from lakeschema.avro.compatibility import Change
from lakeschema.avro.model import Schema
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Relation
from lakeschema.translation.model.interface import Derivation
from publisher.publishing.versioning import FIRST, SAME_SCHEMA, VersioningMode
from publisher.settling.contents import BuildKeys
from publisher.state.records import VersionRecord

OpinionMode: TypeAlias = Literal["always", "sampled", "off"]
"""Which wheels get a second opinion before a number is reserved for them."""


@dataclass(frozen=True, slots=True)
class ReadPackage:
    """What a wheel of the index states; ``changelog`` covers the versions before it too.

    ``earlier_schemas`` are theirs, where they differ from ``schema_text``.

    ``newest_event_id``: its schema reflects no later event of the catalog.

    ``provenance``: its provenance.json, of which it can be built again.
    """

    relation: RelationName
    schema_text: str
    content_hash: str
    surface_hash: str = ""
    changelog: tuple[Release, ...] = ()
    runtime: str = ""
    newest_event_id: int | None = None
    earlier_schemas: tuple[EarlierSchema, ...] = ()
    provenance: str = ""


@dataclass(frozen=True, slots=True)
class PublishedText:
    """A version that consumers may use, with the text of its schema, which nobody has read yet."""

    number: str
    schema_text: str
    surface_hash: str = ""


@dataclass(frozen=True, slots=True)
class Predecessors:
    """What a new version comes after.

    Attributes:
        published: in any order; one whose text is not a schema is passed over.
        taken: numbers that are not free, those of ``published`` among them.
        same_schema: the reason that a version of an unchanged schema states.
        earlier: versions whose schemas the new one lists, of any major, newest first.
    """

    published: tuple[PublishedText, ...]
    taken: tuple[str, ...]
    mode: VersioningMode
    same_schema: str = SAME_SCHEMA
    earlier: tuple[PublishedText, ...] = ()


@dataclass(frozen=True, slots=True)
class DraftedPackage:
    """The wheel of a relation's next version, and what changed."""

    change: Change
    wheel: Wheel


class PackagingCrashed(Exception):
    """The generator crashed its process, or exceeded a limit and was killed: there is no answer."""

    def __init__(self, relation: RelationName, reason: str) -> None:
        super().__init__(relation, reason)
        self.relation = relation
        self.reason = reason

    def __str__(self) -> str:
        return f"the generator crashed on {self.relation}: {self.reason}"


class Packaging(Protocol):
    """The generator. Every method may raise ``codegen.errors.CodegenError``.

    Those that work on schemas and wheels may raise ``PackagingCrashed``.
    """

    @property
    def build_keys(self) -> BuildKeys: ...

    @property
    def prefix(self) -> str:
        """Of every distribution's name, without the hyphen behind it."""

    def distribution(self, relation: RelationName) -> str: ...

    def request(self, relation: Relation, derivation: Derivation) -> PackageRequest:
        """The request for a package, without its version and the reasons for it.

        Raises:
            UnfitSchema: the schema leaves columns out, and the deployment refuses that.
        """

    def content_hash(self, request: PackageRequest) -> str:
        """Of schema, view text, lineage and names, without the version and the reasons for it."""

    def next_version(
        self, relation: RelationName, schema: Schema, predecessors: Predecessors
    ) -> tuple[str, Change]:
        """The number for ``schema``, and the change that it stands for."""

    def draft(self, request: PackageRequest, predecessors: Predecessors) -> DraftedPackage:
        """The wheel of the next version; the request's own version and change are replaced."""

    def rebuild(
        self, version: VersionRecord, provenance: str, earlier: Mapping[str, str]
    ) -> Wheel | None:
        """The wheel of a version, byte for byte; None if this generator or its options differ.

        ``earlier`` has the texts of the schemas of other versions, by number.
        """

    def read(self, wheel: bytes) -> ReadPackage: ...


def kind_of(change: Change) -> str:
    """What a package calls its change: "first", "major", "minor" or "patch"."""
    return "first" if change.reasons == (FIRST,) else change.level.value


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
