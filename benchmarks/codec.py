"""Generated codecs compared with fastavro and generators of classes: ``make bench-codec``.

A record for each kind of type, one of 20 fields of all kinds, a wide row, and the import of a package of 800 columns.
Our codec checks the type and range of every value that it writes, and the bytes that it reads.
"""

from __future__ import annotations

import argparse
import io
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import fastavro

from benchmarks.codec_shapes import Json, Shape, shapes, wide
from codegen.standalone import generate
from lakeschema.avro.model import Record
from lakeschema.avro.parsing import parse_schema

_CONTEST = Path(__file__).with_name("codec_contest.py")
_IMPORT = (
    "import time; began = time.perf_counter(); import ours; print(time.perf_counter() - began)"
)
_WAYS = ("decode", "encode")
# A sixth above the measured values: a codec that exceeds its limit has become slower.
_MAX_OF_FASTAVRO = {
    "order, 20 fields": (0.63, 0.44),
    "200 columns": (0.38, 0.22),
    "strings": (0.55, 0.44),
    "ints": (0.68, 0.6),
    "big ints": (1.72, 1.4),
    "floats": (0.53, 0.38),
    "decimals": (0.63, 0.43),
    "timestamps": (0.64, 0.77),
    "enums": (0.32, 0.24),
    "nested": (0.53, 0.31),
    "arrays": (0.6, 0.74),
    "maps": (0.75, 0.79),
}
_MAX_IMPORT_MS = 5.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peers", type=Path, help="Python of the environment with the peers")
    chosen = parser.parse_args()
    of_all_kinds, *others = shapes()
    results = [_contest(of_all_kinds, chosen.peers)]
    results += [_contest(shape, None) for shape in others]
    results.append(_import_time(800))
    sys.exit(0 if all(results) else 1)


def _contest(shape: Shape, peers: Path | None) -> bool:
    """Prints all contenders' times; returns whether our codec keeps to its limits."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "schema.avsc").write_text(json.dumps(shape.schema))
        out = io.BytesIO()
        # A copy, since fastavro would mark the schema as parsed.
        fastavro.schemaless_writer(out, fastavro.parse_schema({**shape.schema}), shape.value)
        (folder / "value.avro").write_bytes(out.getvalue())
        generate(_record(shape.schema), "ours", folder)
        names = ["fastavro", "ours"]
        if peers is not None:
            _generate_peers(folder, peers)
            names += ["dataclasses-avroschema", "datamodel-code-generator"]
        command = [str(peers or sys.executable), str(_CONTEST), str(folder), *names]
        lines = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    found = {result["contender"]: result for result in map(json.loads, lines.splitlines())}
    print(f"{shape.title}, {len(out.getvalue())} bytes: microseconds, and times fastavro's")
    for name, result in found.items():
        shown = "".join(
            f"  {way} {result[way]:>8.2f} {result[way] / found['fastavro'][way]:>6.2f}"
            for way in _WAYS
        )
        print(f"  {name:<26}{shown}", flush=True)
    return all(
        found["ours"][way] <= most * found["fastavro"][way]
        for way, most in zip(_WAYS, _MAX_OF_FASTAVRO[shape.title], strict=True)
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
    generate_pydantic(folder, peers)


def generate_pydantic(folder: Path, peers: Path) -> None:
    """Makes datamodel-code-generator write ``pydantic_model.py`` for the folder's ``schema.avsc``."""
    command = [str(peers), "-m", "datamodel_code_generator", "--input-file-type", "avro"]
    command += ["--output-model-type", "pydantic_v2.BaseModel", "--formatters", "builtin"]
    command += ["--input", str(folder / "schema.avsc")]
    subprocess.run([*command, "--output", str(folder / "pydantic_model.py")], check=True)


def _import_time(columns: int) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        generate(_record(wide(columns)), "ours", Path(folder))
        # The first run compiles, as an installer does.
        seconds = min(_imported(folder) for _ in range(10))
    print(f"import of {columns} columns: {seconds * 1000:.1f} ms")
    return seconds * 1000 <= _MAX_IMPORT_MS


def _imported(folder: str) -> float:
    command = [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {folder!r}); {_IMPORT}"]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def _record(schema: Json) -> Record:
    parsed = parse_schema(json.dumps(schema))
    assert isinstance(parsed, Record)
    return parsed


if __name__ == "__main__":
    main()
