"""The contest of ``benchmarks.codec``: runs in its peers' environment, without imports of this project.

Arguments: a folder with the generated modules, and the contenders' names. Each line of the output
is a JSON object: contender, and the microseconds of one decoding and one encoding.
"""

from __future__ import annotations

import importlib
import io
import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import fastavro

_ROUNDS = 400
# Shorter than a time slice of the scheduler, so that the best rounds are not interrupted.
_ROUND_SECONDS = 0.001


@dataclass(frozen=True, slots=True)
class Contender:
    """``decode`` reads the value's bytes; ``encode`` writes the value again.

    ``data``: the bytes for a contender whose schema has another order of optional branches.
    """

    name: str
    decode: Callable[[], Any]
    encode: Callable[[], bytes]
    data: bytes | None = None


def main() -> None:
    folder = Path(sys.argv[1])
    sys.path.insert(0, str(folder))
    schema = fastavro.parse_schema(json.loads((folder / "schema.avsc").read_text()))
    data = (folder / "value.avro").read_bytes()
    makers = {
        "fastavro": _fastavro,
        "ours": _ours,
        "dataclasses-avroschema": _dataclasses_avroschema,
        "datamodel-code-generator": _datamodel_code_generator,
    }
    contenders = [makers[name](name, schema, data) for name in sys.argv[2:]]
    for contender in contenders:
        written = contender.encode()
        assert written == (contender.data or data), f"{contender.name} writes other bytes"
    # In turns, so that other load of the machine affects all contenders.
    decoding = _best([contender.decode for contender in contenders])
    encoding = _best([contender.encode for contender in contenders])
    for contender, read, write in zip(contenders, decoding, encoding, strict=True):
        print(json.dumps({"contender": contender.name, "decode": read, "encode": write}))


def _best(works: Sequence[Callable[[], Any]]) -> Sequence[float]:
    """Microseconds of one call of each, the best of many rounds."""
    times = [max(1, int(_ROUND_SECONDS / _once(work, 20))) for work in works]
    best = [float("inf")] * len(works)
    for _ in range(_ROUNDS):
        for index, work in enumerate(works):
            best[index] = min(best[index], _once(work, times[index]))
    return [seconds * 1e6 for seconds in best]


def _once(work: Callable[[], Any], times: int) -> float:
    began = time.perf_counter()
    for _ in range(times):
        work()
    return (time.perf_counter() - began) / times


def _fastavro(name: str, schema: Any, data: bytes) -> Contender:
    value = fastavro.schemaless_reader(io.BytesIO(data), schema, None)
    return Contender(
        name,
        lambda: fastavro.schemaless_reader(io.BytesIO(data), schema, None),
        lambda: _written(schema, value),
    )


def _ours(name: str, _schema: Any, data: bytes) -> Contender:
    record = importlib.import_module("ours").RECORD
    return Contender(name, lambda: record.from_avro(data), record.from_avro(data).to_avro)


def _dataclasses_avroschema(name: str, schema: Any, data: bytes) -> Contender:
    model = importlib.import_module("dataclasses_model").Order
    value = model.parse_obj(fastavro.schemaless_reader(io.BytesIO(data), schema, None))
    own = value.serialize()
    assert model.deserialize(own) == value
    return Contender(name, lambda: model.deserialize(own), value.serialize, own)


def _datamodel_code_generator(name: str, schema: Any, data: bytes) -> Contender:
    """Generates pydantic models but no codec: fastavro reads and writes for it."""
    model = importlib.import_module("pydantic_model").Order
    value = model.model_validate(fastavro.schemaless_reader(io.BytesIO(data), schema, None))
    return Contender(
        name,
        lambda: model.model_validate(fastavro.schemaless_reader(io.BytesIO(data), schema, None)),
        lambda: _written(schema, value.model_dump()),
    )


def _written(schema: Any, value: Any) -> bytes:
    out = io.BytesIO()
    fastavro.schemaless_writer(out, schema, value)
    return out.getvalue()


if __name__ == "__main__":
    main()
