"""Packages a second from schema to the bytes of a wheel, in one process: ``make bench-wheels``.

Tables of 20 columns, as a metastore has them: optional columns of all of Hive's types, an array, a
map and a struct. Every table has a name and a schema of its own.
"""

from __future__ import annotations

import argparse
import cProfile
import hashlib
import json
import pstats
import time

from avro_schema.model import Json, Record
from avro_schema.parsing import parse_schema
from catalog.identifiers import RelationName
from codegen.package import PackageRequest, Provenance
from codegen.wheel import build_wheel

_TYPES: list[Json] = [
    *("string", "long", "int", "double", "boolean", "bytes", "float"),
    {"type": "int", "logicalType": "date"},
    {"type": "long", "logicalType": "timestamp-micros"},
    {"type": "bytes", "logicalType": "decimal", "precision": 12, "scale": 2},
    {"type": "array", "items": ["null", "string"]},
    {"type": "map", "values": ["null", "long"]},
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--packages", type=int, default=2000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--profile", action="store_true", help="say where the time goes")
    chosen = parser.parse_args()
    requests = [_request(number, chosen.columns) for number in range(chosen.packages)]
    build_wheel(requests[0])
    profile = cProfile.Profile()
    if chosen.profile:
        profile.enable()
    began, worked = time.perf_counter(), time.process_time()
    wheels = [build_wheel(request) for request in requests]
    seconds, worked = time.perf_counter() - began, time.process_time() - worked
    if chosen.profile:
        profile.disable()
        pstats.Stats(profile).sort_stats("tottime").print_stats(30)
    digest = hashlib.sha256(b"".join(wheel.data for wheel in wheels)).hexdigest()
    size = sum(len(wheel.data) for wheel in wheels) // len(wheels)
    print(f"{len(wheels)} packages of {chosen.columns} columns, {size:,} bytes each")
    print(f"{len(wheels) / seconds:.0f} packages/s, {len(wheels) / worked:.0f} per second of CPU")
    print(f"SHA-256 of all bytes {digest[:16]}")


def _request(number: int, columns: int) -> PackageRequest:
    name = f"table_{number}"
    schema = parse_schema(json.dumps(_document(name, columns)))
    assert isinstance(schema, Record)
    provenance = Provenance(generator_version="0.1.0", event_id=number)
    return PackageRequest(RelationName.of("lake", name), "acme-schema", "1.0.0", schema, provenance)


def _document(name: str, columns: int) -> Json:
    fields: list[Json] = [
        {
            "name": f"column_{index}",
            "type": ["null", _TYPES[index % len(_TYPES)]],
            "default": None,
            "doc": f"What column {index} of {name} holds",
        }
        for index in range(columns - 1)
    ]
    address: list[Json] = [
        {"name": part, "type": ["null", "string"], "default": None} for part in ("street", "city")
    ]
    struct: Json = {"type": "record", "name": "Address", "fields": address}
    fields.append({"name": "address", "type": ["null", struct], "default": None})
    return {"type": "record", "name": name, "namespace": "lake", "fields": fields}


if __name__ == "__main__":
    main()
