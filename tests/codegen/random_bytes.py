"""Random bytes of a schema, laid out by the specification, without any codec."""

from __future__ import annotations

import struct
import uuid
from random import Random
from typing import Any

from tests.codegen.schema_graph import MILLIS_OF_A_DAY, Graph, Node

_DEEPEST = 6
_TEXTS = ("", "é", "abc", "x" * 70, "𝄞", "0", "\0")


def random_bytes(random: Random, graph: Graph, *, sized: bool = False) -> bytes:
    """A value of the root, in its one canonical encoding, or ``sized``: in blocks that state theirs."""
    value = _Value(random, graph, sized=sized)
    value.put_root()
    return bytes(value.out)


def put_long(number: int, out: bytearray) -> None:
    raw = (number << 1) ^ (number >> 63)
    while raw > 127:
        out.append(raw & 127 | 128)
        raw >>= 7
    out.append(raw)


class _Value:
    def __init__(self, random: Random, graph: Graph, *, sized: bool) -> None:
        self._random = random
        self._graph = graph
        self._heights = graph.heights()
        self._sized = sized
        self.out = bytearray()

    def put_root(self) -> None:
        self._put({"kind": "named", "key": next(iter(self._graph.named))}, 0)

    def _put(self, node: Node, depth: int) -> None:
        logical = node.get("logical", {})
        match node["kind"]:
            case "null":
                pass
            case "boolean":
                self.out.append(self._random.getrandbits(1))
            case "int" | "long" as kind:
                put_long(_number(self._random, kind, logical.get("logicalType", "")), self.out)
            case "float":
                self.out += struct.pack("<f", _float(self._random, 1e30))
            case "double":
                self.out += struct.pack("<d", _float(self._random, 1e300))
            case "bytes" if logical:
                _put_sized(_minimal(_unscaled(self._random, logical)), self.out)
            case "bytes":
                _put_sized(self._random.randbytes(self._random.choice([0, 1, 3, 70])), self.out)
            case "string":
                is_uuid = logical or self._random.random() < 0.3
                text = (
                    str(uuid.UUID(int=self._random.getrandbits(128)))
                    if is_uuid
                    else self._random.choice(_TEXTS)
                )
                _put_sized(text.encode(), self.out)
            case "array":
                self._put_block(node["items"], depth, keyed=False)
            case "map":
                self._put_block(node["values"], depth, keyed=True)
            case "union":
                self._put_branch(node["branches"], depth)
            case _:
                self._put_named(self._graph.named[node["key"]], depth)

    def _put_named(self, named: Node, depth: int) -> None:
        match named["kind"]:
            case "enum":
                put_long(self._random.randrange(len(named["symbols"])), self.out)
            case "fixed" if named.get("logical", {}).get("logicalType") == "decimal":
                self.out += _unscaled(self._random, named["logical"]).to_bytes(
                    named["size"], "big", signed=True
                )
            case "fixed":
                self.out += self._random.randbytes(named["size"])
            case _:
                for each in named["fields"]:
                    self._put(each["type"], depth + 1)

    def _put_block(self, inner: Node, depth: int, *, keyed: bool) -> None:
        counts = [0, 1, 1, 2, 3, 40] if inner["kind"] in {"int", "long"} else [0, 1, 1, 2, 3]
        count = 0 if depth > _DEEPEST else self._random.choice(counts)
        around, self.out = self.out, bytearray()
        for index in range(count):
            if keyed:
                _put_sized(f"k{index}".encode(), self.out)
            self._put(inner, depth + 1)
        items, self.out = self.out, around
        if count and self._sized:
            put_long(-count, self.out)
            put_long(len(items), self.out)
        elif count:
            put_long(count, self.out)
        self.out += items
        self.out.append(0)

    def _put_branch(self, branches: list[Node], depth: int) -> None:
        reachable = {
            index: height
            for index, branch in enumerate(branches)
            if (height := self._graph.height(branch, self._heights)) is not None
        }
        index = self._random.choice(list(reachable))
        if depth > _DEEPEST:
            index = min(reachable, key=reachable.__getitem__)
        put_long(index, self.out)
        self._put(branches[index], depth + 1)


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
