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
    """A schema with which earlier versions of a package wrote.

    Attributes:
        versions: all with its fingerprint and logical types, newest first.
        text: the newest version's text.
    """

    versions: tuple[str, ...]
    crc_64_avro: int
    text: str


@dataclass(frozen=True, slots=True)
class Provenance:
    """The origin of a package's schema; becomes ``provenance.json``.

    Attributes:
        view_text: None for a table.
        upstreams: each direct upstream's name and SHA-256 of its schema's canonical text.
        lineage: output column to the upstream columns it comes from, as dotted text.
        change: "first", "major", "minor" or "patch"; ``reasons`` explains it.
        earlier: the versions before this one, newest first.
        event_id: the schema reflects this event of the metastore and all earlier ones.
        newest_event_id: the schema reflects no later event; None if this is ``event_id``.
        labels: further facts shown to people (e.g. that a view follows its tables).
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
    """``prefix`` is the deployment's mandatory distribution prefix, e.g. ``acme-schema``.

    Attributes:
        immutable: whether the package's records are immutable.
        earlier_schemas: further schemas for reading its records.
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
        provenance: its ``provenance.json``, from which ``codegen.rebuilding`` rebuilds it.
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
        changelog: this version and earlier ones, newest first.
        runtime_version: ``codegen.runtime_files.runtime_version`` of its generator; "" if the wheel
            states none.
        newest_event_id: the schema reflects no later event of the metastore; None if the wheel
            states none.
        record_class: the name of the relation's class; "" if the wheel states none.
        earlier_schemas: as in the request.
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
