"""Rebuilds a wheel byte for byte from its provenance and schema, with the generator that built it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from codegen.changelog import changelog_from_json
from codegen.errors import NotOurWheel
from codegen.package import EarlierSchema, PackageRequest, Provenance
from lakeschema.avro.fingerprint import crc64_avro
from lakeschema.avro.parsing import parse_schema


def request_again(
    provenance: str, like: PackageRequest, texts: Mapping[str, str] = MappingProxyType({})
) -> PackageRequest:
    """The request that led to this ``provenance.json``.

    A provenance lacks the schema and the deployment's options, so they come from the request
    ``like``. ``texts`` are the schemas of earlier versions, by number. Other options, or another
    generator, give other bytes, so the caller must compare the wheel's bytes.

    Raises:
        NotOurWheel: the text is not a provenance.
    """
    try:
        stated = json.loads(provenance)
        earlier = tuple(_earlier(each, texts) for each in stated.get("earlier_schemas", ()))
        return replace(
            like,
            version=stated["version"],
            provenance=_provenance(stated),
            earlier_schemas=earlier,
        )
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise NotOurWheel(f"invalid provenance: {error}") from error


def _earlier(versions: Sequence[str], texts: Mapping[str, str]) -> EarlierSchema:
    text = texts[versions[0]]
    return EarlierSchema(tuple(versions), crc64_avro(parse_schema(text)), text)


def _provenance(stated: Mapping[str, Any]) -> Provenance:
    lineage = {column: tuple(sources) for column, sources in stated["lineage"].items()}
    return Provenance(
        kind=stated["kind"],
        view_text=stated["view_text"],
        upstreams=stated["upstreams"],
        lineage=lineage,
        change=stated["change"],
        reasons=tuple(stated["reasons"]),
        earlier=changelog_from_json(stated["changelog"])[1:],
        event_id=stated["event_id"],
        newest_event_id=stated.get("newest_event_id"),
        generator_version=stated["generator"]["version"],
        labels=stated["labels"],
    )
