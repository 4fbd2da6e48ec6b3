"""Packages per second, from schema to wheel bytes, in one process: ``make bench-wheels``.

Tables have 20 columns, as in a metastore: optional columns of all of Hive's types, an array, a map and a
struct. Every table has another name and schema.
"""

from __future__ import annotations

import argparse
import cProfile
import hashlib
import json
import pstats
import time

from codegen.package import PackageRequest, Provenance
from codegen.wheel import build_wheel
from lakeschema.avro.model import Json, Record
from lakeschema.avro.parsing import parse_schema
from lakeschema.catalog.identifiers import RelationName

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
    parser.add_argument("--profile", action="store_true", help="print where the time goes")
    chosen = parser.parse_args()
    build_wheel(_request(chosen.packages, chosen.columns))
    profile = cProfile.Profile()
    if chosen.profile:
        profile.enable()
    seconds, worked, size, digest = 0.0, 0.0, 0, hashlib.sha256()
    for number in range(chosen.packages):
        # One at a time, as in a service: otherwise the time would include the allocation of all.
        request = _request(number, chosen.columns)
        began, began_working = time.perf_counter(), time.process_time()
        wheel = build_wheel(request)
        seconds += time.perf_counter() - began
        worked += time.process_time() - began_working
        digest.update(wheel.data)
        size += len(wheel.data)
    if chosen.profile:
        profile.disable()
        pstats.Stats(profile).sort_stats("tottime").print_stats(30)
    count = chosen.packages
    print(f"{count} packages of {chosen.columns} columns, {size // count:,} bytes each")
    print(f"{count / seconds:.0f} packages/s, {count / worked:.0f} per second of CPU")
    print(f"SHA-256 of all bytes {digest.hexdigest()[:16]}")


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
