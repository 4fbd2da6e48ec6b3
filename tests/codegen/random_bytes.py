"""Random bytes of a schema, laid out by the specification and by nobody's codec."""

from __future__ import annotations

import struct
import uuid
from random import Random
from typing import Any

from tests.codegen.schema_graph import MILLIS_OF_A_DAY, Graph, Node

_DEEPEST = 6
_TEXTS = ("", "é", "abc", "x" * 70, "𝄞", "0", "\0")


def random_bytes(random: Random, graph: Graph) -> bytes:
    """A value of the root, in its one canonical encoding."""
    out = bytearray()
    _put(random, graph, {"kind": "named", "key": next(iter(graph.named))}, out, 0)
    return bytes(out)


def put_long(number: int, out: bytearray) -> None:
    raw = (number << 1) ^ (number >> 63)
    while raw > 127:
        out.append(raw & 127 | 128)
        raw >>= 7
    out.append(raw)


def _put(random: Random, graph: Graph, node: Node, out: bytearray, depth: int) -> None:
    logical = node.get("logical", {})
    match node["kind"]:
        case "null":
            pass
        case "boolean":
            out.append(random.getrandbits(1))
        case "int" | "long" as kind:
            put_long(_number(random, kind, logical.get("logicalType", "")), out)
        case "float":
            out += struct.pack("<f", _float(random, 1e30))
        case "double":
            out += struct.pack("<d", _float(random, 1e300))
        case "bytes" if logical:
            _put_sized(_minimal(_unscaled(random, logical)), out)
        case "bytes":
            _put_sized(random.randbytes(random.choice([0, 1, 3, 70])), out)
        case "string":
            is_uuid = logical or random.random() < 0.3
            text = str(uuid.UUID(int=random.getrandbits(128))) if is_uuid else random.choice(_TEXTS)
            _put_sized(text.encode(), out)
        case "array":
            _put_block(random, graph, node["items"], out, depth, keyed=False)
        case "map":
            _put_block(random, graph, node["values"], out, depth, keyed=True)
        case "union":
            _put_branch(random, graph, node["branches"], out, depth)
        case _:
            _put_named(random, graph, graph.named[node["key"]], out, depth)


def _put_named(random: Random, graph: Graph, named: Node, out: bytearray, depth: int) -> None:
    match named["kind"]:
        case "enum":
            put_long(random.randrange(len(named["symbols"])), out)
        case "fixed" if named.get("logical", {}).get("logicalType") == "decimal":
            out += _unscaled(random, named["logical"]).to_bytes(named["size"], "big", signed=True)
        case "fixed":
            out += random.randbytes(named["size"])
        case _:
            for each in named["fields"]:
                _put(random, graph, each["type"], out, depth + 1)


def _put_block(
    random: Random, graph: Graph, inner: Node, out: bytearray, depth: int, *, keyed: bool
) -> None:
    count = 0 if depth > _DEEPEST else random.choice([0, 1, 1, 2, 3])
    if count:
        put_long(count, out)
    for index in range(count):
        if keyed:
            _put_sized(f"k{index}".encode(), out)
        _put(random, graph, inner, out, depth + 1)
    out.append(0)


def _put_branch(
    random: Random, graph: Graph, branches: list[Node], out: bytearray, depth: int
) -> None:
    index = random.randrange(len(branches))
    if depth > _DEEPEST:
        index = next((i for i, each in enumerate(branches) if each["kind"] == "null"), index)
    put_long(index, out)
    _put(random, graph, branches[index], out, depth + 1)


def _put_sized(data: bytes, out: bytearray) -> None:
    put_long(len(data), out)
    out += data


def _number(random: Random, kind: str, logical: str) -> int:
    match logical:
        case "date":
            return random.randint(-20_000, 20_000)
        case "time-millis":
            return random.randrange(MILLIS_OF_A_DAY)
        case "time-micros":
            return random.randrange(MILLIS_OF_A_DAY * 1000)
        case "":
            bits = 31 if kind == "int" else 63
            edges = (0, -1, 63, -65, 2**bits - 1, -(2**bits))
            return random.choice(edges) if random.random() < 0.3 else random.randint(0, 10_000)
        case _:
            return random.randint(-(10**13), 10**13)


def _float(random: Random, most: float) -> float:
    edges = (0.0, -0.0, float("inf"), float("-inf"), float("nan"), 0.5)
    return random.choice(edges) if random.random() < 0.4 else random.uniform(-most, most)


def _unscaled(random: Random, logical: dict[str, Any]) -> int:
    return random.randrange(-(10 ** logical["precision"]) + 1, 10 ** logical["precision"])


def _minimal(number: int) -> bytes:
    bits = number.bit_length() if number >= 0 else (~number).bit_length()
    return number.to_bytes(bits // 8 + 1, "big", signed=True)
