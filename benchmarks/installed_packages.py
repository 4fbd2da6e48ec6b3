"""Disk space of installed packages, and memory at import and first use: ``make bench-installed_packages``.

Fifteen packages with different schemas: of plain columns, and of all kinds of types. The figure is the
process's own memory, divided by their number, after the import of shared parts of the standard library.
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from codegen.modules import render_modules
from codegen.package import PackageRequest, Provenance
from codegen.wheel import build_wheel
from lakeschema.avro.model import Json, Record
from lakeschema.avro.parsing import parse_schema
from lakeschema.catalog.identifiers import RelationName

_PLAIN: list[Json] = [
    *("long", "string", "double", "boolean", "int", "bytes", "float"),
    {"type": "int", "logicalType": "date"},
    {"type": "long", "logicalType": "timestamp-micros"},
    {"type": "bytes", "logicalType": "decimal", "precision": 12, "scale": 2},
    "string",
]
_RICH: list[Json] = [
    {"type": "array", "items": "double"},
    {"type": "map", "values": "string"},
    {"type": "enum", "name": "E", "symbols": ["A", "B"]},
    {"type": "string", "logicalType": "uuid"},
    {"type": "fixed", "name": "F", "size": 12, "logicalType": "duration"},
    {"type": "record", "name": "A", "fields": [{"name": "x", "type": "int"}]},
    {
        "type": "array", "logicalType": "map",
        "items": {"type": "record", "name": "K", "fields": [
            {"name": "key", "type": "int"}, {"name": "value", "type": "string"}]},
    },
]  # fmt: skip
_USES = {
    "import": "",
    "encode and decode": "RECORD.from_avro(RECORD().to_avro())",
    "and write and read a file": "package.write_file(file, []); file.seek(0); [*package.read_file(file)]",
    "and JSON": "RECORD.from_json(RECORD().to_json())",
}
_PROGRAM = """
import base64, collections.abc, contextlib, copy, dataclasses, datetime, decimal, functools, importlib
import inspect, io, json, os, pathlib, re, sys, typing, uuid, zlib

def resident():
    return int(open("/proc/self/statm").read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

count, *uses = json.loads(sys.argv[1])
before, packages, costs = resident(), [], []
for use in uses:
    for number in range(count):
        if len(packages) < count:
            packages.append(importlib.import_module(f"acme.shop.table_{number}"))
        package, file = packages[number], io.BytesIO()
        RECORD = package.RECORD
        exec(use)
    costs.append((resident() - before) // count)
print(json.dumps(costs))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--packages", type=int, default=15)
    count = parser.parse_args().packages
    for name, types in (("plain", _PLAIN), ("rich", [*_PLAIN, *_RICH])):
        with tempfile.TemporaryDirectory() as folder:
            _report(name, Path(folder), types, count)


def _report(name: str, folder: Path, types: list[Json], count: int) -> None:
    for number in range(count):
        schema = _schema(number, types)
        for path, data in render_modules(schema, f"acme.shop.table_{number}").items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(data)
    compileall.compile_dir(folder, quiet=1)
    one = folder / "acme" / "shop" / "table_0"
    sizes = {end: sum(p.stat().st_size for p in one.rglob(f"*{end}")) for end in (".py", ".pyc")}
    every = sum(path.stat().st_size for path in one.rglob("*") if path.is_file())
    print(f"{name}: wheel {_wheel_bytes(types):,}; installed {every:,}, of which {sizes}")
    for use, cost in zip(_USES, _memory(folder, count), strict=True):
        print(f"  memory of each of {count}, {use}: {cost:,}")


def _memory(folder: Path, count: int) -> list[int]:
    """The least of five runs; each figure includes the earlier ones."""
    runs = []
    for _ in range(5):
        ended = subprocess.run(
            [sys.executable, "-c", _PROGRAM, json.dumps([count, *_USES.values()])],
            env={**os.environ, "PYTHONPATH": str(folder)},
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        runs.append(json.loads(ended.stdout))
    return [min(costs) for costs in zip(*runs, strict=True)]


def _wheel_bytes(types: list[Json]) -> int:
    relation = RelationName.of("shop", "table_0")
    request = PackageRequest(relation, "acme", "1.0.0", _schema(0, types), Provenance())
    return len(build_wheel(request).data)


def _schema(number: int, types: list[Json]) -> Record:
    fields: list[Json] = [
        {"name": f"column_{index}", "type": ["null", type_], "default": None}
        for index, type_ in enumerate(types)
    ]
    document: Json = {
        "type": "record",
        "name": f"Table{number}",
        "namespace": "shop",
        "fields": fields,
    }
    schema = parse_schema(json.dumps(document))
    assert isinstance(schema, Record)
    return schema


if __name__ == "__main__":
    main()
