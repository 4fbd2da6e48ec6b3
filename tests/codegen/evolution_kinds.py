"""Each kind of change that a version rule names, as a random change of a schema's graph.

A change returns the position that it reached, or None if it does not apply to the schema.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any, TypeAlias

from tests.codegen.schema_graph import (
    LOGICAL,
    PRIMITIVES,
    PROMOTIONS,
    Graph,
    Node,
    Place,
    Slot,
    branch_key,
    full_name,
    random_default,
    random_field,
    random_logical,
    random_type,
)

Change: TypeAlias = Callable[[Random, Graph], Place | None]


def _pick(random: Random, found: list[Any]) -> Any:
    return random.choice(found) if found else None


def _slot(random: Random, graph: Graph, fits: Callable[[Node], bool]) -> Slot | None:
    slot: Slot | None = _pick(random, [slot for slot in graph.slots() if fits(slot.node)])
    return slot


def _named(
    random: Random, graph: Graph, fits: Callable[[Node], bool]
) -> tuple[Node, Place] | tuple[None, None]:
    found = [(graph.named[k], place) for k, place in graph.places().items() if fits(graph.named[k])]
    return random.choice(found) if found else (None, None)


def _field(
    random: Random, graph: Graph, fits: Callable[[Node], bool]
) -> tuple[Node, Place] | tuple[None, None]:
    found = [
        (each, place)
        for key, place in graph.places().items()
        for each in graph.named[key].get("fields", ())
        if fits(each)
    ]
    return random.choice(found) if found else (None, None)


def _promoted(random: Random, graph: Graph) -> Place | None:
    slot = _slot(random, graph, lambda node: node["kind"] in PROMOTIONS)
    if slot is None:
        return None
    kind = random.choice(PROMOTIONS[slot.node["kind"]])
    keeps = random.random() < 0.2 and kind in LOGICAL
    logical = {"logical": random_logical(random, random.choice(LOGICAL[kind]))} if keeps else {}
    slot.put({"kind": kind, **logical})
    return slot.place


def _retyped(random: Random, graph: Graph) -> Place | None:
    slot = _slot(random, graph, lambda node: node["kind"] != "null")
    if slot is None:
        return None
    others = [kind for kind in PRIMITIVES if kind != slot.node["kind"]]
    made = {"kind": random.choice(others)}
    if random.random() < 0.5:
        made = random_type(random, graph, 2)
    slot.put(made)
    return slot.place


def _logical_added(random: Random, graph: Graph) -> Place | None:
    slot = _slot(random, graph, lambda node: node["kind"] in LOGICAL and "logical" not in node)
    if slot is None:
        return None
    name = random.choice(LOGICAL[slot.node["kind"]])
    slot.put({**slot.node, "logical": random_logical(random, name)})
    return slot.place


def _logical_removed(random: Random, graph: Graph) -> Place | None:
    slot = _slot(random, graph, lambda node: "logical" in node)
    if slot is None:
        return None
    slot.put({"kind": slot.node["kind"]})
    return slot.place


def _logical_changed(random: Random, graph: Graph) -> Place | None:
    slot = _slot(random, graph, lambda n: "logical" in n and n["kind"] in {"int", "long"})
    if slot is None:
        return None
    names = [n for n in LOGICAL[slot.node["kind"]] if n != slot.node["logical"]["logicalType"]]
    slot.put({**slot.node, "logical": {"logicalType": random.choice(names)}})
    return slot.place


def _is_decimal(node: Node) -> bool:
    return bool(node.get("logical", {}).get("logicalType") == "decimal")


def _decimal(random: Random, graph: Graph) -> tuple[dict[str, Any], Place] | None:
    slot = _slot(random, graph, _is_decimal)
    if slot is not None:
        return slot.node["logical"], slot.place
    named, place = _named(random, graph, _is_decimal)
    return None if named is None or place is None else (named["logical"], place)


def _precision_changed(random: Random, graph: Graph) -> Place | None:
    found = _decimal(random, graph)
    if found is None:
        return None
    logical, place = found
    logical["precision"] = max(logical["scale"], logical["precision"] + random.choice([-1, 1, 3]))
    return place


def _scale_changed(random: Random, graph: Graph) -> Place | None:
    found = _decimal(random, graph)
    if found is None:
        return None
    logical, place = found
    logical["scale"] = random.choice(
        [n for n in range(logical["precision"] + 1) if n != logical["scale"]]
    )
    return place


def _size_changed(random: Random, graph: Graph) -> Place | None:
    named, place = _named(random, graph, lambda node: node["kind"] == "fixed")
    if named is None:
        return None
    named["size"] += random.choice([1, 2])
    named.pop("logical", None)
    return place


def _perhaps_with_alias(random: Random, named: Node, old: str) -> None:
    if random.random() < 0.5:
        named["aliases"] = [*named["aliases"], old]


def _type_renamed(random: Random, graph: Graph) -> Place | None:
    named, place = _named(random, graph, lambda _: True)
    assert named is not None
    old = full_name(named)
    named["name"] = graph.next("Renamed")
    _perhaps_with_alias(random, named, old)
    return place


def _namespace_changed(random: Random, graph: Graph) -> Place | None:
    named, place = _named(random, graph, lambda _: True)
    assert named is not None
    old = full_name(named)
    named["namespace"] = random.choice(
        [n for n in ("a", "a.b", "c", "d") if n != named["namespace"]]
    )
    _perhaps_with_alias(random, named, old)
    return place


def _default_removed(random: Random, graph: Graph) -> Place | None:
    field, place = _field(random, graph, lambda each: "default" in each)
    if field is not None:
        del field["default"]
    return place


def _default_added(random: Random, graph: Graph) -> Place | None:
    field, place = _field(random, graph, lambda each: "default" not in each)
    if field is not None:
        field["default"] = random_default(random, graph, field["type"])
    return place


def _default_changed(random: Random, graph: Graph) -> Place | None:
    field, place = _field(random, graph, lambda each: "default" in each)
    if field is not None:
        field["default"] = random_default(random, graph, field["type"])
    return place


def _enum_default_removed(random: Random, graph: Graph) -> Place | None:
    enum, place = _named(random, graph, lambda node: node.get("default") is not None)
    if enum is not None:
        enum["default"] = None
    return place


def _enum_default_added(random: Random, graph: Graph) -> Place | None:
    enum, place = _named(random, graph, lambda n: n["kind"] == "enum" and n["default"] is None)
    if enum is not None:
        enum["default"] = random.choice(enum["symbols"])
    return place


def _enum_default_changed(random: Random, graph: Graph) -> Place | None:
    enum, place = _named(
        random, graph, lambda n: n.get("default") is not None and len(n["symbols"]) > 1
    )
    if enum is not None:
        enum["default"] = random.choice([s for s in enum["symbols"] if s != enum["default"]])
    return place


def _aliased(
    random: Random, graph: Graph, fits: Callable[[Node], bool]
) -> tuple[Node, Place] | tuple[None, None]:
    """A field or a named type."""
    field, place = _field(random, graph, fits)
    named, named_place = _named(random, graph, fits)
    if field is None or place is None or (named is not None and random.random() < 0.4):
        return (None, None) if named is None or named_place is None else (named, named_place)
    return field, place


def _alias_removed(random: Random, graph: Graph) -> Place | None:
    owner, place = _aliased(random, graph, lambda each: bool(each["aliases"]))
    if owner is not None:
        owner["aliases"] = owner["aliases"][:-1]
    return place


def _new_alias(random: Random, graph: Graph, owner: Node) -> str:
    if "kind" in owner:
        # At times the name of another type: a reader then takes that one for this.
        others = [full_name(each) for each in graph.named.values() if each is not owner]
        if others and random.random() < 0.3:
            return random.choice(others)
        return graph.next("a.Alias")
    record = next(r for r in graph.named.values() if owner in r.get("fields", ()))
    names = [each["name"] for each in record["fields"] if each is not owner]
    return random.choice(names) if names and random.random() < 0.3 else graph.next("alias")


def _alias_added(random: Random, graph: Graph) -> Place | None:
    owner, place = _aliased(random, graph, lambda _: True)
    assert owner is not None
    owner["aliases"] = [*owner["aliases"], _new_alias(random, graph, owner)]
    return place


def _alias_changed(random: Random, graph: Graph) -> Place | None:
    owner, place = _aliased(random, graph, lambda each: bool(each["aliases"]))
    if owner is not None:
        owner["aliases"] = [*owner["aliases"][:-1], _new_alias(random, graph, owner)]
    return place


def _field_removed(random: Random, graph: Graph) -> Place | None:
    record, place = _named(random, graph, lambda node: bool(node.get("fields")))
    if record is not None:
        record["fields"].pop(random.randrange(len(record["fields"])))
    return place


def _field_renamed(random: Random, graph: Graph) -> Place | None:
    field, place = _field(random, graph, lambda _: True)
    if field is not None:
        old = field["name"]
        field["name"] = graph.next("renamed")
        _perhaps_with_alias(random, field, old)
    return place


def _field_added(random: Random, graph: Graph, *, with_default: bool) -> Place | None:
    record, place = _named(random, graph, lambda node: node["kind"] == "record")
    assert record is not None
    field = random_field(random, graph, 2)
    field.pop("default", None)
    if with_default:
        field["default"] = random_default(random, graph, field["type"])
    record["fields"].insert(random.randint(0, len(record["fields"])), field)
    return place


def _fields_reordered(random: Random, graph: Graph) -> Place | None:
    record, place = _named(random, graph, lambda node: len(node.get("fields", ())) > 1)
    if record is not None:
        random.shuffle(record["fields"])
    return place


def _symbol_added(random: Random, graph: Graph, *, with_default: bool) -> Place | None:
    enum, place = _named(
        random,
        graph,
        lambda n: n["kind"] == "enum" and (n["default"] is not None) == with_default,
    )
    if enum is not None:
        symbols = list(enum["symbols"])
        symbols.insert(random.randint(0, len(symbols)), graph.next("NEW"))
        enum["symbols"] = symbols
    return place


def _symbol_removed(random: Random, graph: Graph) -> Place | None:
    enum, place = _named(random, graph, lambda node: len(node.get("symbols", ())) > 1)
    if enum is not None:
        gone = random.choice([s for s in enum["symbols"] if s != enum["default"]])
        enum["symbols"] = [s for s in enum["symbols"] if s != gone]
    return place


def _symbol_renamed(random: Random, graph: Graph) -> Place | None:
    enum, place = _named(random, graph, lambda node: node["kind"] == "enum")
    if enum is not None:
        index, new = random.randrange(len(enum["symbols"])), graph.next("RENAMED")
        if enum["default"] == enum["symbols"][index]:
            enum["default"] = new
        enum["symbols"] = [new if i == index else s for i, s in enumerate(enum["symbols"])]
    return place


def _symbols_reordered(random: Random, graph: Graph) -> Place | None:
    enum, place = _named(random, graph, lambda node: len(node.get("symbols", ())) > 1)
    if enum is not None:
        enum["symbols"] = random.sample(enum["symbols"], len(enum["symbols"]))
    return place


def _branch_added(random: Random, graph: Graph) -> Place | None:
    slot = _slot(random, graph, lambda node: node["kind"] == "union")
    if slot is None:
        return None
    branches = slot.node["branches"]
    branch = random_type(random, graph, 2)
    if branch["kind"] == "union" or branch_key(graph, branch) in {
        branch_key(graph, each) for each in branches
    }:
        return None
    branches.insert(random.randint(0, len(branches)), branch)
    return slot.place


def _branch_removed(random: Random, graph: Graph) -> Place | None:
    slot = _slot(random, graph, lambda n: n["kind"] == "union" and len(n["branches"]) > 1)
    if slot is None:
        return None
    slot.node["branches"].pop(random.randrange(len(slot.node["branches"])))
    return slot.place


def _branch_renamed(random: Random, graph: Graph) -> Place | None:
    slot = _slot(
        random,
        graph,
        lambda n: n["kind"] == "union" and any(b["kind"] == "named" for b in n["branches"]),
    )
    if slot is None:
        return None
    branch = random.choice([b for b in slot.node["branches"] if b["kind"] == "named"])
    named = graph.named[branch["key"]]
    old = full_name(named)
    named["name"] = graph.next("Branch")
    _perhaps_with_alias(random, named, old)
    return slot.place


def _branches_reordered(random: Random, graph: Graph) -> Place | None:
    slot = _slot(random, graph, lambda n: n["kind"] == "union" and len(n["branches"]) > 1)
    if slot is None:
        return None
    random.shuffle(slot.node["branches"])
    return slot.place


def _made_optional(random: Random, graph: Graph) -> Place | None:
    slot = _slot(random, graph, lambda node: node["kind"] not in {"union", "null"})
    if slot is None or slot.place == "union":
        return None
    slot.put({"kind": "union", "branches": [{"kind": "null"}, slot.node]})
    return slot.place


def _made_required(random: Random, graph: Graph) -> Place | None:
    slot = _slot(random, graph, lambda node: node["kind"] == "union")
    if slot is None:
        return None
    rest = [each for each in slot.node["branches"] if each["kind"] != "null"]
    if not rest:
        return None
    slot.put(random.choice(rest))
    return slot.place


def _doc_changed(random: Random, graph: Graph) -> Place | None:
    owner, place = _aliased(random, graph, lambda _: True)
    assert owner is not None
    owner["doc"] = graph.next("doc ")
    return place


def _property_changed(random: Random, graph: Graph) -> Place | None:
    owner, place = _aliased(random, graph, lambda _: True)
    assert owner is not None
    owner["properties"] = {"owner": graph.next("team ")}
    return place


CHANGES: Mapping[str, Change] = {
    "type promoted": _promoted,
    "type changed": _retyped,
    "logical type added": _logical_added,
    "logical type removed": _logical_removed,
    "logical type changed": _logical_changed,
    "precision changed": _precision_changed,
    "scale changed": _scale_changed,
    "size changed": _size_changed,
    "type renamed": _type_renamed,
    "namespace changed": _namespace_changed,
    "default removed": _default_removed,
    "default added": _default_added,
    "default changed": _default_changed,
    "enum default removed": _enum_default_removed,
    "enum default added": _enum_default_added,
    "enum default changed": _enum_default_changed,
    "alias removed": _alias_removed,
    "alias added": _alias_added,
    "alias changed": _alias_changed,
    "field removed": _field_removed,
    "field renamed": _field_renamed,
    "field added with default": lambda r, g: _field_added(r, g, with_default=True),
    "field added without default": lambda r, g: _field_added(r, g, with_default=False),
    "fields reordered": _fields_reordered,
    "symbol added, with enum default": lambda r, g: _symbol_added(r, g, with_default=True),
    "symbol added, no enum default": lambda r, g: _symbol_added(r, g, with_default=False),
    "symbol removed": _symbol_removed,
    "symbol renamed": _symbol_renamed,
    "symbols reordered": _symbols_reordered,
    "branch added": _branch_added,
    "branch removed": _branch_removed,
    "branch renamed": _branch_renamed,
    "branches reordered": _branches_reordered,
    "made optional": _made_optional,
    "made required": _made_required,
    "documentation changed": _doc_changed,
    "property changed": _property_changed,
}
