"""The interface of the generator that the publisher needs."""

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
"""Which wheels other implementations of Avro check before the number is reserved."""


@dataclass(frozen=True, slots=True)
class ReadPackage:
    """The contents of a wheel on the index.

    Attributes:
        changelog: the changes of this version and of earlier versions.
        newest_event_id: the schema reflects no later event of the catalog.
        earlier_schemas: the schemas of earlier versions that differ from ``schema_text``.
        provenance: the text of provenance.json, from which the wheel can be rebuilt.
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
    """A version that consumers may use, with the unparsed text of its schema."""

    number: str
    schema_text: str
    surface_hash: str = ""


@dataclass(frozen=True, slots=True)
class Predecessors:
    """The versions before a new version.

    Attributes:
        published: the published versions, in any order; a text that is not a schema is ignored.
        taken: the numbers that are not free, including the numbers of ``published``.
        same_schema: the reason for a version with an unchanged schema.
        earlier: versions of any major whose schemas the new version lists, newest first.
    """

    published: tuple[PublishedText, ...]
    taken: tuple[str, ...]
    mode: VersioningMode
    same_schema: str = SAME_SCHEMA
    earlier: tuple[PublishedText, ...] = ()


@dataclass(frozen=True, slots=True)
class DraftedPackage:
    """The wheel of a relation's next version, and its change."""

    change: Change
    wheel: Wheel


class PackagingCrashed(Exception):
    """The generator crashed its process, or exceeded a limit and was killed, and gave no answer."""

    def __init__(self, relation: RelationName, reason: str) -> None:
        super().__init__(relation, reason)
        self.relation = relation
        self.reason = reason

    def __str__(self) -> str:
        return f"the generator crashed on {self.relation}: {self.reason}"


class Packaging(Protocol):
    """The generator. Every method may raise ``codegen.errors.CodegenError``.

    Methods that work on schemas and wheels may raise ``PackagingCrashed``.
    """

    @property
    def build_keys(self) -> BuildKeys: ...

    @property
    def prefix(self) -> str:
        """The beginning of every distribution's name, without the final hyphen."""

    def distribution(self, relation: RelationName) -> str: ...

    def request(self, relation: Relation, derivation: Derivation) -> PackageRequest:
        """The request for a package, without its version and the version's reasons.

        Raises:
            UnfitSchema: the schema leaves columns out, and the deployment refuses that.
        """

    def content_hash(self, request: PackageRequest) -> str:
        """The hash of schema, view text, lineage and names, without the version and its reasons."""

    def next_version(
        self, relation: RelationName, schema: Schema, predecessors: Predecessors
    ) -> tuple[str, Change]:
        """The next version's number for ``schema``, and the change since the previous version."""

    def draft(self, request: PackageRequest, predecessors: Predecessors) -> DraftedPackage:
        """Builds the wheel of the next version; replaces the request's version and change."""

    def rebuild(
        self, version: VersionRecord, provenance: str, earlier: Mapping[str, str]
    ) -> Wheel | None:
        """The wheel of a version, byte for byte; None if the generator or its options have changed.

        ``earlier`` has the texts of the schemas of other versions, by number.
        """

    def read(self, wheel: bytes) -> ReadPackage: ...


def kind_of(change: Change) -> str:
    """The name of a change in packages: "first", "major", "minor" or "patch"."""
    return "first" if change.reasons == (FIRST,) else change.level.value


def provenance_of(relation: Relation, derivation: Derivation) -> Provenance:
    """The provenance of a package's schema, without the parts that depend on the version."""
    text = relation.view or relation.unread
    return Provenance(
        kind="view" if relation.is_view else "table",
        view_text=None if text is None else text.text,
        upstreams={str(name): "" for name in derivation.upstreams},
        lineage={
            column.column: tuple(
                ".".join((str(source.relation), source.column, *source.path))
                for source in column.sources
            )
            for column in derivation.lineage
        },
    )
