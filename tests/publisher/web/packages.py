"""Real packages from our generator on a static index, with a history."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from codegen.package import PackageRequest, Provenance, Release, Wheel
from codegen.wheel import build_wheel
from lakeschema.avro.compatibility import compare
from lakeschema.avro.model import Record
from lakeschema.avro.parsing import parse_schema
from lakeschema.catalog.identifiers import RelationName

PREFIX = "acme-schema"
HOSTILE = "\"><script>alert('1')</script>&<!-- `<b>x</b>`"


def record_schema(*fields: Any, doc: str = "An employer.") -> Record:
    document = {"type": "record", "name": "Company", "namespace": "x", "doc": doc}
    schema = parse_schema(json.dumps({**document, "fields": fields}))
    assert isinstance(schema, Record)
    return schema


def field(name: str, type_: Any = "int", **more: Any) -> dict[str, Any]:
    return {"name": name, "type": type_, **more}


def wheels(relation: str, schemas: Sequence[Record], **provenance: Any) -> Sequence[Wheel]:
    """A wheel for each schema, numbered 1.0.0, 1.1.0, …, its changelog made by comparison."""
    told: tuple[Release, ...] = ()
    built = []
    for number, schema in enumerate(schemas):
        lines = compare([schemas[number - 1]], schema).reasons if number else ("first version",)
        release = Release(f"1.{number}.0", "minor" if number else "first", lines)
        stated = Provenance(change=release.change, reasons=lines, earlier=told, **provenance)
        built.append(
            build_wheel(
                PackageRequest(
                    RelationName.parse(relation), PREFIX, release.version, schema, stated
                )
            )
        )
        told = (release, *told)
    return built
