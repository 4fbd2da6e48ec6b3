"""The generator's requests and results: values without behaviour."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from lakeschema.avro.model import Record
from lakeschema.catalog.identifiers import RelationName


@dataclass(frozen=True, slots=True)
class Release:
    """A version of a package in a changelog.

    Attributes:
        change: "first", "major", "minor" or "patch"; "" if unknown.
        lines: the changes since the previous version, in words, the most severe first.
    """

    version: str
    change: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EarlierSchema:
    """A schema that earlier versions of a package had.

    Attributes:
        versions: all versions with this fingerprint and these logical types, newest first.
        text: the schema's text in the newest of these versions.
    """

    versions: tuple[str, ...]
    crc_64_avro: int
    text: str


@dataclass(frozen=True, slots=True)
class Provenance:
    """The origin of a package's schema; becomes ``provenance.json``.

    Attributes:
        view_text: the view's SQL; None for a table.
        upstreams: each direct upstream's name and SHA-256 of its schema's canonical text.
        lineage: for each output column, its upstream columns as dotted text.
        change: "first", "major", "minor" or "patch"; ``reasons`` explains it.
        earlier: the versions before this version, newest first.
        event_id: the schema reflects this event of the metastore and all earlier events.
        newest_event_id: the schema reflects no later event; None if this is ``event_id``.
        labels: further facts for people, such as that a view follows its tables.
    """

    kind: str = "table"
    view_text: str | None = None
    upstreams: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    lineage: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    change: str = "first"
    reasons: tuple[str, ...] = ()
    earlier: tuple[Release, ...] = ()
    event_id: int | None = None
    newest_event_id: int | None = None
    generator_version: str = ""
    labels: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class PackageRequest:
    """A request to generate a package.

    Attributes:
        prefix: the deployment's prefix of distributions' names, such as ``acme-schema``.
        immutable: whether the package's records are immutable.
        earlier_schemas: the schemas of earlier versions, with which records may have been written.
        project_urls: links for indexes, by label; ``{name}`` in a URL is the distribution,
            ``{relation}`` the relation.
    """

    relation: RelationName
    prefix: str
    version: str
    schema: Record
    provenance: Provenance
    immutable: bool = False
    project_urls: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    earlier_schemas: tuple[EarlierSchema, ...] = ()


@dataclass(frozen=True, slots=True)
class Wheel:
    """A finished wheel. ``distribution`` is the PEP 503 normalised name.

    Attributes:
        surface_hash: ``codegen.surface.surface_hash`` of its package.
        provenance: the text of ``provenance.json``, from which ``codegen.rebuilding`` rebuilds the wheel.
    """

    distribution: str
    version: str
    filename: str
    data: bytes
    sha256: str
    surface_hash: str = ""
    provenance: str = ""


@dataclass(frozen=True, slots=True)
class PackageContents:
    """The facts that a wheel of this generator states about itself.

    Attributes:
        schema_text: ``schema.avsc`` as published.
        content_hash: ``codegen.wheel.content_hash`` of its request.
        provenance: ``provenance.json``, parsed.
        surface_hash: ``Wheel.surface_hash``; "" if the wheel states none.
        changelog: the changes of this version and of earlier versions, newest first.
        runtime_version: ``codegen.runtime_files.runtime_version`` of its generator; "" if the wheel
            states none.
        newest_event_id: the schema reflects no later event of the metastore; None if the wheel
            states none.
        record_class: the name of the relation's class; "" if the wheel states none.
        earlier_schemas: as in ``PackageRequest``.
    """

    relation: RelationName
    distribution: str
    import_package: str
    version: str
    schema_text: str
    content_hash: str
    provenance: Mapping[str, Any]
    surface_hash: str
    changelog: tuple[Release, ...] = ()
    runtime_version: str = ""
    newest_event_id: int | None = None
    record_class: str = ""
    earlier_schemas: tuple[EarlierSchema, ...] = ()
