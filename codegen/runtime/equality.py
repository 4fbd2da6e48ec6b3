"""Compares schemas in the two ways in which Java's Avro compares them."""

from __future__ import annotations

import json

from .schema import Field, Node


def equal(one: Node, other: Node) -> bool:
    """Whether the schemas are equal, apart from documentation, aliases and enum defaults.

    Works like ``Schema.equals``.
    """
    return _equal(one, other, set())


def equivalent(writer: Node, reader: Node) -> bool:
    """Whether structure and simple names are equal, as in ``Resolver.unionEquiv``."""
    return _equivalent(writer, reader, {})


def _equal(one: Node, other: Node, met: set[tuple[int, int]]) -> bool:
    if (id(one), id(other)) in met:
        return True
    met.add((id(one), id(other)))
    return (
        one.kind == other.kind
        and one.name == other.name
        and one.size == other.size
        and one.symbols == other.symbols
        and one.properties == other.properties
        and len(one.branches) == len(other.branches)
        and all(_equal(a, b, met) for a, b in zip(one.branches, other.branches, strict=True))
        and len(one.fields) == len(other.fields)
        and all(_equal_fields(a, b, met) for a, b in zip(one.fields, other.fields, strict=True))
        and (one.kind not in {"array", "map"} or _equal(one.items, other.items, met))
    )


def _equal_fields(one: Field, other: Field, met: set[tuple[int, int]]) -> bool:
    return (
        one.name == other.name
        and one.has_default == other.has_default
        and json.dumps(one.default, sort_keys=True) == json.dumps(other.default, sort_keys=True)
        and one.order == other.order
        and one.properties == other.properties
        and _equal(one.node, other.node, met)
    )


def _equivalent(writer: Node, reader: Node, met: dict[tuple[int, int], bool]) -> bool:
    if writer.kind != reader.kind or not same_simple_name(writer, reader):
        return False
    match writer.kind:
        case "array" | "map":
            return _equivalent(writer.items, reader.items, met)
        case "fixed":
            return writer.size == reader.size
        case "enum":
            return writer.symbols == reader.symbols
        case "union":
            branches = list(zip(writer.branches, reader.branches, strict=False))
            return len(writer.branches) == len(reader.branches) and all(
                _equivalent(*pair, met) for pair in branches
            )
        case "record":
            key = (id(writer), id(reader))
            if key not in met:
                # Assumes equality, so that a recursive record ends the recursion.
                met[key] = True
                met[key] = len(writer.fields) == len(reader.fields) and all(
                    a.name == b.name and _equivalent(a.node, b.node, met)
                    for a, b in zip(writer.fields, reader.fields, strict=True)
                )
            return met[key]
        case _:
            return True


def same_simple_name(writer: Node, reader: Node) -> bool:
    """Outside unions the specification compares names without their namespaces."""
    return writer.name.rpartition(".")[2] == reader.name.rpartition(".")[2]
