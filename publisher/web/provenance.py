"""A package's provenance: fingerprints, generator, event, labels, view and lineage.

A wheel may contain JSON of any shape; unexpected parts are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ColumnSources:
    column: str
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ProvenanceView:
    """The provenance for a page. ``facts`` has pairs of name and value; ``view_text`` is "" for a table."""

    facts: tuple[tuple[str, str], ...]
    view_text: str
    lineage: tuple[ColumnSources, ...]


def provenance_view(stated: Mapping[str, Any]) -> ProvenanceView:
    view_text = stated.get("view_text")
    return ProvenanceView(
        facts=tuple(
            (name, str(value))
            for name, value in _facts(stated)
            if value is not None and value != ""
        ),
        view_text=view_text if isinstance(view_text, str) else "",
        lineage=tuple(_lineage(stated)),
    )


def stated_upstreams(stated: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(_mapping(stated.get("upstreams")))


def _facts(stated: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    fingerprints = _mapping(stated.get("fingerprints"))
    generator = _mapping(stated.get("generator"))
    yield "Fingerprint, CRC-64-AVRO", fingerprints.get("crc-64-avro")
    yield "Fingerprint, SHA-256", fingerprints.get("sha-256")
    yield "Generator", f"{generator.get('name', '')} {generator.get('version', '')}".strip()
    yield "Metastore event", stated.get("event_id")
    yield from _mapping(stated.get("labels")).items()


def _lineage(stated: Mapping[str, Any]) -> Iterator[ColumnSources]:
    for column, sources in _mapping(stated.get("lineage")).items():
        if isinstance(sources, list) and sources:
            yield ColumnSources(column, tuple(str(source) for source in sources))


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
