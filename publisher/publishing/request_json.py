"""Converts the questions to the generator's process to plain JSON values, and back."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from codegen.package import EarlierSchema, PackageRequest, Provenance, Release
from lakeschema.avro.compatibility import Change, Level
from lakeschema.avro.model import Record, Schema
from lakeschema.avro.parsing import parse_schema
from lakeschema.avro.printing import to_text
from lakeschema.catalog.identifiers import RelationName
from publisher.publishing.packaging_protocol import Predecessors, PublishedText, ReadPackage

_MAX_REMEMBERED_CHARACTERS = 64 * 1024


def read_schema(text: str) -> Schema:
    """Parses a schema. A schema of usual size is cached for later questions."""
    return _read_again(text) if len(text) <= _MAX_REMEMBERED_CHARACTERS else parse_schema(text)


@lru_cache(maxsize=256)
def _read_again(text: str) -> Schema:
    return parse_schema(text)


def request_to_json(request: PackageRequest) -> dict[str, Any]:
    return {
        "relation": request.relation.to_json(),
        "prefix": request.prefix,
        "version": request.version,
        "schema": to_text(request.schema),
        "provenance": _provenance_to_json(request.provenance),
        "immutable": request.immutable,
        "project_urls": dict(request.project_urls),
    }


def request_from_json(value: dict[str, Any]) -> PackageRequest:
    schema = read_schema(value["schema"])
    assert isinstance(schema, Record)
    return PackageRequest(
        relation=RelationName.from_json(value["relation"]),
        prefix=value["prefix"],
        version=value["version"],
        schema=schema,
        provenance=_provenance_from_json(value["provenance"]),
        immutable=value["immutable"],
        project_urls=value["project_urls"],
    )


def predecessors_to_json(predecessors: Predecessors) -> dict[str, Any]:
    return {
        "published": [[p.number, p.schema_text, p.surface_hash] for p in predecessors.published],
        "taken": list(predecessors.taken),
        "mode": predecessors.mode,
        "same_schema": predecessors.same_schema,
        "earlier": [[p.number, p.schema_text, p.surface_hash] for p in predecessors.earlier],
    }


def predecessors_from_json(value: dict[str, Any]) -> Predecessors:
    published, earlier = (
        tuple(PublishedText(*each) for each in value[key]) for key in ("published", "earlier")
    )
    return Predecessors(
        published, tuple(value["taken"]), value["mode"], value["same_schema"], earlier
    )


def change_to_json(change: Change) -> dict[str, Any]:
    return {"level": change.level.value, "reasons": list(change.reasons)}


def change_from_json(value: dict[str, Any]) -> Change:
    return Change(Level(value["level"]), tuple(value["reasons"]))


def package_to_json(package: ReadPackage) -> dict[str, Any]:
    return {
        "relation": package.relation.to_json(),
        "schema_text": package.schema_text,
        "content_hash": package.content_hash,
        "surface_hash": package.surface_hash,
        "changelog": [_release_to_json(release) for release in package.changelog],
        "runtime": package.runtime,
        "newest_event_id": package.newest_event_id,
        "earlier_schemas": [
            [list(each.versions), each.crc_64_avro, each.text] for each in package.earlier_schemas
        ],
        "provenance": package.provenance,
    }


def package_from_json(value: dict[str, Any]) -> ReadPackage:
    return ReadPackage(
        RelationName.from_json(value["relation"]),
        value["schema_text"],
        value["content_hash"],
        value["surface_hash"],
        tuple(_release_from_json(release) for release in value["changelog"]),
        value["runtime"],
        value["newest_event_id"],
        tuple(
            EarlierSchema(tuple(versions), crc_64_avro, text)
            for versions, crc_64_avro, text in value["earlier_schemas"]
        ),
        value["provenance"],
    )


def _provenance_to_json(provenance: Provenance) -> dict[str, Any]:
    return {
        "kind": provenance.kind,
        "view_text": provenance.view_text,
        "upstreams": dict(provenance.upstreams),
        "lineage": {column: list(sources) for column, sources in provenance.lineage.items()},
        "change": provenance.change,
        "reasons": list(provenance.reasons),
        "earlier": [_release_to_json(release) for release in provenance.earlier],
        "event_id": provenance.event_id,
        "newest_event_id": provenance.newest_event_id,
        "generator_version": provenance.generator_version,
        "labels": dict(provenance.labels),
    }


def _provenance_from_json(value: dict[str, Any]) -> Provenance:
    return Provenance(
        kind=value["kind"],
        view_text=value["view_text"],
        upstreams=value["upstreams"],
        lineage={column: tuple(sources) for column, sources in value["lineage"].items()},
        change=value["change"],
        reasons=tuple(value["reasons"]),
        earlier=tuple(_release_from_json(release) for release in value["earlier"]),
        event_id=value["event_id"],
        newest_event_id=value["newest_event_id"],
        generator_version=value["generator_version"],
        labels=value["labels"],
    )


def _release_to_json(release: Release) -> list[Any]:
    return [release.version, release.change, list(release.lines)]


def _release_from_json(value: list[Any]) -> Release:
    version, change, lines = value
    return Release(version, change, tuple(lines))
