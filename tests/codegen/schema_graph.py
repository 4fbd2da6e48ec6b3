"""A schema as a graph of types that a random change can reach into, and its text.

Named types are stored apart from their uses, so that renaming a type, or moving the field that defines
it, needs no search.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any, Literal, TypeAlias

Node: TypeAlias = dict[str, Any]
"""``kind`` is a primitive's name, array (items), map (values), union (branches) or named (key)."""

Place: TypeAlias = Literal["top", "record", "array", "map", "union"]
"""The innermost of what is around: a record counts only where no other container is."""

MILLIS_OF_A_DAY = 86_400_000
PROMOTIONS: Mapping[str, tuple[str, ...]] = {
    "int": ("long", "float", "double"),
    "long": ("float", "double"),
    "float": ("double",),
    "string": ("bytes",),
    "bytes": ("string",),
}
PRIMITIVES = ("boolean", "int", "long", "float", "double", "bytes", "string")
LOGICAL: Mapping[str, tuple[str, ...]] = {
    "int": ("date", "time-millis"),
    "long": (
        *("time-micros", "timestamp-millis", "timestamp-micros"),
        *("local-timestamp-millis", "local-timestamp-micros"),
    ),
    "bytes": ("decimal",),
    "string": ("uuid",),
}
_MAX_DEPTH = 3


@dataclass(frozen=True, slots=True)
class Slot:
    """Where a type stands: ``holder[key]`` is its node."""

    holder: Any
    key: Any
    place: Place

    @property
    def node(self) -> Node:
        node: Node = self.holder[self.key]
        return node

    def put(self, node: Node) -> None:
        self.holder[self.key] = node


@dataclass(slots=True)
class Graph:
    """``named`` are records, enums and fixeds by a key of their own; the first is the root."""

    named: dict[str, Node] = field(default_factory=dict)
    count: int = 0

    @property
    def root(self) -> Node:
        return next(iter(self.named.values()))

    def next(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}{self.count}"

    def text(self) -> str:
        return json.dumps(self._document({"kind": "named", "key": next(iter(self.named))}, set()))

    def slots(self) -> Iterator[Slot]:
        """Every type of a field, item, value or branch that the root leads to, once."""
        met: set[str] = set()
        for key, place in self.places().items():
            assert key not in met
            met.add(key)
            for each in self.named[key].get("fields", ()):
                yield from _slots(Slot(each, "type", place))

    def places(self) -> dict[str, Place]:
        """The named types that the root leads to, and what is around each where it is first met."""
        found: dict[str, Place] = {}
        waiting: list[tuple[str, Place]] = [(next(iter(self.named)), "top")]
        while waiting:
            key, place = waiting.pop(0)
            if key in found:
                continue
            found[key] = place
            inner: Place = "record" if place == "top" else place
            for each in self.named[key].get("fields", ()):
                waiting += [
                    (slot.node["key"], slot.place)
                    for slot in _slots(Slot(each, "type", inner))
                    if slot.node["kind"] == "named"
                ]
        return found

    def heights(self) -> Mapping[str, int]:
        """How deep the least value of each named type nests; what has no finite value is missing."""
        found: dict[str, int] = {}
        for _ in self.named:
            for key, named in self.named.items():
                parts = [self.height(each["type"], found) for each in named.get("fields", ())]
                if None not in parts:
                    found.setdefault(key, 1 + max((part or 0 for part in parts), default=0))
        return found

    def height(self, node: Node, heights: Mapping[str, int]) -> int | None:
        match node["kind"]:
            case "union":
                parts = (self.height(branch, heights) for branch in node["branches"])
                return min((part for part in parts if part is not None), default=None)
            case "named":
                return heights.get(node["key"])
            case _:
                return 0

    def _document(self, node: Node, met: set[str]) -> Any:
        match node["kind"]:
            case "array":
                return {"type": "array", "items": self._document(node["items"], met)}
            case "map":
                return {"type": "map", "values": self._document(node["values"], met)}
            case "union":
                return [self._document(branch, met) for branch in node["branches"]]
            case "named":
                return self._named(node["key"], met)
            case kind:
                more = {**node.get("logical", {}), **node.get("properties", {})}
                return {"type": kind, **more} if more else kind

    def _named(self, key: str, met: set[str]) -> Any:
        named = self.named[key]
        if key in met:
            return full_name(named)
        met.add(key)
        document = {"type": named["kind"], "name": named["name"], "namespace": named["namespace"]}
        document |= {k: named[k] for k in ("aliases", "doc") if named.get(k)}
        document |= named.get("properties", {})
        match named["kind"]:
            case "record":
                document["fields"] = [self._field(each, met) for each in named["fields"]]
            case "enum":
                document["symbols"] = named["symbols"]
                if named["default"] is not None:
                    document["default"] = named["default"]
            case _:
                document |= {"size": named["size"], **named.get("logical", {})}
        return document

    def _field(self, each: Node, met: set[str]) -> Any:
        kept = ("name", "aliases", "doc", "default")
        document = {k: each[k] for k in kept if k in each and each[k] != []}
        return {**document, **each.get("properties", {}), "type": self._document(each["type"], met)}


def full_name(named: Node) -> str:
    return f"{named['namespace']}.{named['name']}"


def _slots(slot: Slot) -> Iterator[Slot]:
    yield slot
    node = slot.node
    match node["kind"]:
        case "array":
            yield from _slots(Slot(node, "items", "array"))
        case "map":
            yield from _slots(Slot(node, "values", "map"))
        case "union":
            for index in range(len(node["branches"])):
                yield from _slots(Slot(node["branches"], index, "union"))


def random_graph(random: Random) -> Graph:
    graph = Graph()
    _record(random, graph, 0)
    return graph


def random_type(random: Random, graph: Graph, depth: int) -> Node:
    kinds = ["primitive"] * 3 + ["logical"] * 2 + ["enum", "fixed"]
    if depth < _MAX_DEPTH:
        kinds += ["array", "map", "union", "union", "record"]
    if len(graph.named) > 1:
        kinds.append("reference")
    match random.choice(kinds):
        case "primitive":
            return {"kind": random.choice(PRIMITIVES)}
        case "logical":
            kind = random.choice(list(LOGICAL))
            return {"kind": kind, "logical": random_logical(random, random.choice(LOGICAL[kind]))}
        case "array":
            return {"kind": "array", "items": random_type(random, graph, depth + 1)}
        case "map":
            return {"kind": "map", "values": random_type(random, graph, depth + 1)}
        case "union":
            return _union(random, graph, depth)
        case "reference":
            # To a record that is still open, a value would have no end but through a union.
            closed = [key for key, named in graph.named.items() if not named.get("open")]
            if closed:
                return {"kind": "named", "key": random.choice(closed)}
            return {"kind": "long"}
        case "enum":
            return _enum(random, graph)
        case "fixed":
            return _fixed(random, graph)
        case _:
            return _record(random, graph, depth + 1)


def random_logical(random: Random, name: str) -> dict[str, Any]:
    if name != "decimal":
        return {"logicalType": name}
    precision = random.randint(2, 18)
    return {
        "logicalType": name,
        "precision": precision,
        "scale": random.randint(0, precision - 1),
    }


def branch_key(graph: Graph, node: Node) -> str:
    """Two branches of a union never have the same."""
    return full_name(graph.named[node["key"]]) if node["kind"] == "named" else str(node["kind"])


def _union(random: Random, graph: Graph, depth: int) -> Node:
    branches: list[Node] = [{"kind": "null"}] if random.random() < 0.7 else []
    still_open = [key for key, named in graph.named.items() if named.get("open")]
    if branches and still_open and random.random() < 0.2:
        branches.append({"kind": "named", "key": random.choice(still_open)})
    for _ in range(random.randint(1, 3)):
        branch = random_type(random, graph, depth + 1)
        known = {branch_key(graph, each) for each in branches}
        if branch["kind"] != "union" and branch_key(graph, branch) not in known:
            branches.append(branch)
    if not branches:
        branches.append({"kind": "string"})
    random.shuffle(branches)
    return {"kind": "union", "branches": branches}


def _named_node(random: Random, graph: Graph, kind: str) -> tuple[str, Node]:
    key = graph.next("T")
    node: Node = {
        "kind": kind,
        "name": key,
        "namespace": random.choice(["a", "a.b", "c"]),
        "aliases": [f"a.Old{key}"] if random.random() < 0.2 else [],
    }
    graph.named[key] = node
    return key, node


def _enum(random: Random, graph: Graph) -> Node:
    key, node = _named_node(random, graph, "enum")
    node["symbols"] = random.sample(["A", "B", "C", "class", "mro", "_x_"], random.randint(1, 4))
    node["default"] = random.choice(node["symbols"]) if random.random() < 0.6 else None
    return {"kind": "named", "key": key}


def _fixed(random: Random, graph: Graph) -> Node:
    key, node = _named_node(random, graph, "fixed")
    node["size"] = random.choice([0, 1, 4, 12, 16])
    names = {16: ["uuid", "decimal"], 12: ["duration", "decimal"]}.get(node["size"], [])
    if names and random.random() < 0.7:
        node["logical"] = random_logical(random, random.choice(names))
    return {"kind": "named", "key": key}


def _record(random: Random, graph: Graph, depth: int) -> Node:
    key, node = _named_node(random, graph, "record")
    node["open"] = True
    node["fields"] = []
    for _ in range(random.randint(2, 5) if depth == 0 else random.randint(0, 3)):
        node["fields"].append(random_field(random, graph, depth))
    del node["open"]
    return {"kind": "named", "key": key}


def random_field(random: Random, graph: Graph, depth: int) -> Node:
    name = graph.next(random.choice(["f", "f", "class", "self", "__init__", "F"]))
    made: Node = {"name": name, "type": random_type(random, graph, depth), "aliases": []}
    if random.random() < 0.15:
        made["aliases"] = [f"old_{name}"]
    if random.random() < 0.4:
        made["default"] = random_default(random, graph, made["type"])
    return made


def random_default(random: Random, graph: Graph, node: Node, depth: int = 0) -> Any:
    """JSON that is a default of the type; where the type leads back to itself, perhaps not."""
    match node["kind"]:
        case "null":
            return None
        case "boolean":
            return random.random() < 0.5
        case "int" | "long":
            return random.randint(0, 1000)
        case "float" | "double":
            return random.choice([0, 1.5, -3.25])
        case "bytes":
            return random.choice(["\x01", "\x02"])
        case "string":
            return str(uuid.UUID(int=random.getrandbits(128)))
        case "array":
            items = random.randint(0, 1) if depth < 3 else 0
            return [random_default(random, graph, node["items"], depth + 1)] * items
        case "map":
            items = random.randint(0, 1) if depth < 3 else 0
            value = random_default(random, graph, node["values"], depth + 1) if items else None
            return {"k": value} if items else {}
        case "union":
            branch = (
                node["branches"][0] if random.random() < 0.7 else random.choice(node["branches"])
            )
            return random_default(random, graph, branch, depth + 1)
    named = graph.named[node["key"]]
    match named["kind"]:
        case "enum":
            return random.choice(named["symbols"])
        case "fixed":
            return "\0" * named["size"]
        case _:
            left_out = random.random() < 0.5 or depth > 5
            return {
                each["name"]: random_default(random, graph, each["type"], depth + 1)
                for each in named["fields"]
                if depth <= 5 and not (left_out and "default" in each)
            }
