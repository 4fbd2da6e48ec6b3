"""A wheel's statements about its relation, read with ``zipfile`` alone."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from dataclasses import dataclass

from packaging.utils import parse_wheel_filename
from packaging.version import Version

from tests.chaos.lake import Content
from tests.chaos.shapes import shape_of_avro_type


@dataclass(frozen=True, slots=True)
class WheelContent:
    """``digest`` identifies all of the wheel's statements about the relation, except provenance."""

    content: Content
    digest: str


def name_and_version(filename: str) -> tuple[str, Version]:
    distribution, version, _, _ = parse_wheel_filename(filename)
    return distribution, version


def read_wheel_content(data: bytes) -> WheelContent | None:
    """None if the wheel is incomplete: a killed index may have written a part of it."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            (stated,) = (n for n in archive.namelist() if n.endswith("/provenance.json"))
            provenance = json.loads(archive.read(stated))
            schema = archive.read(stated.replace("provenance.json", "schema.avsc")).decode()
    except (zipfile.BadZipFile, ValueError, KeyError, EOFError):
        return None
    fields = tuple((f["name"], shape_of_avro_type(f["type"])) for f in json.loads(schema)["fields"])
    told = [schema, *(provenance[key] for key in ("kind", "view_text", "lineage"))]
    told.append(sorted(provenance["upstreams"]))
    digest = hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()
    return WheelContent(Content(fields, provenance["view_text"] or None), digest)
