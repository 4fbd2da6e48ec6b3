"""JSON of records, compared with pydantic: ``make bench-json``.

The peer is datamodel-code-generator's pydantic model of the same schema. Both read the same texts and
write the same records in turns, in one process.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from benchmarks.codec import generate_pydantic
from codegen.standalone import generate
from lakeschema.avro.model import Record
from lakeschema.avro.parsing import parse_schema

_CONTEST: Final = Path(__file__).with_name("json_contest.py")
_WAYS: Final = ("read", "write")
_MAX_OF_PYDANTIC: Final = 2.5

_MOMENT: Final = {"type": "long", "logicalType": "timestamp-micros"}
_PRICE: Final = {"type": "bytes", "logicalType": "decimal", "precision": 12, "scale": 2}
_DAY: Final = {"type": "int", "logicalType": "date"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peers", type=Path, required=True, help="Python that has the peers")
    parser.add_argument("--records", type=int, default=2_000)
    chosen = parser.parse_args()
    found = {
        title: _contest(schema, chosen.peers, chosen.records) for title, schema in _SHAPES.items()
    }
    versions = next(iter(found.values()))["versions"]
    print(f"{dt.datetime.now(dt.UTC):%Y-%m-%d}, {versions}, {chosen.records} records of each shape")
    print("microseconds of a record: ours, pydantic's, the median ratio of the rounds")
    for title, result in found.items():
        print(f"  {title:<44}{'  '.join(_shown(way, result[way]) for way in _WAYS)}")
    overall = [statistics.median(found[title][way]["ratio"] for title in found) for way in _WAYS]
    print(f"  median of the shapes: read {overall[0]:.2f}, write {overall[1]:.2f}")
    sys.exit(0 if max(overall) <= _MAX_OF_PYDANTIC else 1)


def _shown(way: str, times: Mapping[str, float]) -> str:
    return f"{way} {times['ours']:6.2f} {times['peer']:6.2f} {times['ratio']:5.2f}"


def _contest(schema: Mapping[str, Any], peers: Path, records: int) -> Any:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "schema.avsc").write_text(json.dumps(schema))
        parsed = parse_schema(json.dumps(schema))
        assert isinstance(parsed, Record)
        generate(parsed, "ours", folder)
        generate_pydantic(folder, peers)
        command = [str(peers), str(_CONTEST), str(folder), str(records)]
        answer = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return json.loads(answer)


def _record(name: str, columns: Mapping[str, Any]) -> Mapping[str, Any]:
    fields = [
        {"name": column, "type": type_, **({"default": None} if isinstance(type_, list) else {})}
        for column, type_ in columns.items()
    ]
    return {"type": "record", "name": name, "namespace": "shop", "fields": fields}


def _columns(types: Sequence[str], count: int) -> Mapping[str, Any]:
    return {f"column_{number}": types[number % len(types)] for number in range(count)}


_LINE: Final = _record(
    "Line",
    {
        "sku": "string", "quantity": "int", "price": "double",
        "discounts": {"type": "array", "items": "long"},
    },
)  # fmt: skip
_SHAPES: Final[Mapping[str, Mapping[str, Any]]] = {
    "order: 11 columns, times and decimals": _record(
        "Order",
        {
            "order_id": "long", "number": "string", "customer_id": "long", "placed_at": _MOMENT,
            "shipped_at": ["null", _MOMENT], "total": _PRICE, "discount": ["null", _PRICE],
            "day": _DAY, "paid": "boolean", "note": ["null", "string"], "weight": "double",
        },
    ),
    "records within, arrays, a map": _record(
        "Basket",
        {
            "basket_id": "long",
            "address": _record(
                "Address", {"street": "string", "city": "string", "zip": ["null", "string"]}
            ),
            "lines": {"type": "array", "items": _LINE},
            "tags": {"type": "array", "items": "string"},
            "attributes": {"type": "map", "values": "string"},
        },
    ),
    "10 strings": _record("Texts", _columns(["string"], 10)),
    "10 numbers": _record("Numbers", _columns(["int", "long", "double"], 10)),
    "60 optional columns": _record(
        "Wide", {f"column_{n}": ["null", ("string", "long", "double")[n % 3]] for n in range(60)}
    ),
}  # fmt: skip


if __name__ == "__main__":
    main()
