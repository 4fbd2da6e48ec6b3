"""Generated codecs beside fastavro and generators of classes: ``make bench-codec``.

An order of 20 fields with nested arrays, a wide row, and the import of a package of 800 columns.
Our codec checks the type and range of every value that it writes, and the bytes that it reads.
"""

from __future__ import annotations

import argparse
import io
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import fastavro

from codegen.standalone import generate
from lakeschema.avro.model import Record
from lakeschema.avro.parsing import parse_schema

_CONTEST = Path(__file__).with_name("codec_contest.py")
_IMPORT = (
    "import time; began = time.perf_counter(); import ours; print(time.perf_counter() - began)"
)
_MAX_OF_FASTAVRO = {"decode": 0.75, "encode": 0.55}
_MAX_IMPORT_MS = 5.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peers", type=Path, help="Python of the environment with the peers")
    chosen = parser.parse_args()
    good = _contest("order, 20 fields", _order(), _order_value(), chosen.peers)
    _contest("wide row, 200 columns", _wide(200), _wide_value(200), None)
    good &= _import_time(800)
    sys.exit(0 if good else 1)


def _contest(title: str, schema: dict[str, Any], value: Any, peers: Path | None) -> bool:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "schema.avsc").write_text(json.dumps(schema))
        out = io.BytesIO()
        fastavro.schemaless_writer(out, fastavro.parse_schema(schema), value)
        (folder / "value.avro").write_bytes(out.getvalue())
        generate(_record(schema), "ours", folder)
        names = ["fastavro", "ours"]
        if peers is not None:
            _generate_peers(folder, peers)
            names += ["dataclasses-avroschema", "datamodel-code-generator"]
        command = [str(peers or sys.executable), str(_CONTEST), str(folder), *names]
        lines = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    found = {result["contender"]: result for result in map(json.loads, lines.splitlines())}
    print(f"{title}, {len(out.getvalue())} bytes: microseconds, and times fastavro's")
    for name, result in found.items():
        shown = "".join(
            f"  {way} {result[way]:>8.2f} {result[way] / found['fastavro'][way]:>6.2f}"
            for way in _MAX_OF_FASTAVRO
        )
        print(f"  {name:<26}{shown}")
    return all(
        found["ours"][way] <= most * found["fastavro"][way]
        for way, most in _MAX_OF_FASTAVRO.items()
    )


def _generate_peers(folder: Path, peers: Path) -> None:
    schema = folder / "schema.avsc"
    render = (
        "import json, sys; from dataclasses_avroschema import ModelGenerator; "
        "print(ModelGenerator().render(schema=json.load(open(sys.argv[1]))))"
    )
    with (folder / "dataclasses_model.py").open("w") as target:
        command = [str(peers), "-W", "ignore", "-c", render, str(schema)]
        subprocess.run(command, check=True, stdout=target, stderr=subprocess.DEVNULL)
    command = [str(peers), "-m", "datamodel_code_generator", "--input-file-type", "avro"]
    command += ["--output-model-type", "pydantic_v2.BaseModel", "--formatters", "builtin"]
    command += ["--input", str(schema)]
    subprocess.run([*command, "--output", str(folder / "pydantic_model.py")], check=True)


def _import_time(columns: int) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        generate(_record(_wide(columns)), "ours", Path(folder))
        # The first run compiles, as an installer does.
        seconds = min(_imported(folder) for _ in range(10))
    print(f"import of {columns} columns: {seconds * 1000:.1f} ms")
    return seconds * 1000 <= _MAX_IMPORT_MS


def _imported(folder: str) -> float:
    command = [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {folder!r}); {_IMPORT}"]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def _record(schema: dict[str, Any]) -> Record:
    parsed = parse_schema(json.dumps(schema))
    assert isinstance(parsed, Record)
    return parsed


def _fields(types: Sequence[tuple[str, Any]]) -> list[dict[str, Any]]:
    return [{"name": name, "type": type_} for name, type_ in types]


def _order() -> dict[str, Any]:
    address = _fields([("street", "string"), ("city", "string"), ("zip", ["null", "string"])])
    line = _fields(
        [("sku", "string"), ("quantity", "int"), ("price", "double"), ("discounts", _array("long"))]
    )
    return {
        "type": "record",
        "name": "Order",
        "namespace": "shop",
        "fields": _fields([
            ("id", "long"), ("number", "string"), ("customer", "long"), ("paid", "boolean"),
            ("total", "double"), ("weight", "float"), ("items", "int"), ("note", ["null", "string"]),
            ("coupon", ["null", "string"]), ("placed", "long"), ("shipped", ["null", "long"]),
            ("currency", "string"), ("channel", "string"), ("score", "double"),
            ("address", {"type": "record", "name": "Address", "fields": address}),
            ("lines", _array({"type": "record", "name": "Line", "fields": line})),
            ("tags", _array("string")), ("ratings", _array("int")),
            ("grid", _array(_array("long"))), ("checksum", "bytes"),
        ]),
    }  # fmt: skip


def _array(items: Any) -> dict[str, Any]:
    return {"type": "array", "items": items}


def _order_value() -> dict[str, Any]:
    return {
        "id": 8_123_456_789, "number": "2026-0001234", "customer": 77_120, "paid": True,
        "total": 1249.5, "weight": 12.25, "items": 3, "note": "leave it with the neighbours",
        "coupon": None, "placed": 1_790_000_000_000, "shipped": 1_790_000_360_000,
        "currency": "EUR", "channel": "web", "score": 0.875,
        "address": {"street": "Lange Gasse 17", "city": "Wien", "zip": "1080"},
        "lines": [
            {"sku": f"SKU-{index}", "quantity": index, "price": 9.5 * index, "discounts": [5, 200]}
            for index in range(1, 4)
        ],
        "tags": ["gift", "express", "returning customer"], "ratings": [5, 4, 5, 3],
        "grid": [[1, 2, 3], [40, 50, 60], [700, 800, 900]], "checksum": bytes(range(16)),
    }  # fmt: skip


_COLUMN_TYPES = ("string", "long", "double", "int", "boolean")
_COLUMN_VALUES = ("a short text", 123_456_789, 0.5, 42, True)


def _wide(columns: int) -> dict[str, Any]:
    types = [(f"column_{index}", ["null", _COLUMN_TYPES[index % 5]]) for index in range(columns)]
    fields = [{**field, "default": None} for field in _fields(types)]
    return {"type": "record", "name": "Wide", "namespace": "shop", "fields": fields}


def _wide_value(columns: int) -> dict[str, Any]:
    return {
        f"column_{index}": None if index % 7 == 0 else _COLUMN_VALUES[index % 5]
        for index in range(columns)
    }


if __name__ == "__main__":
    main()
