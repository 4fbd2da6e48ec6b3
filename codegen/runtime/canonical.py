"""A schema's 64-bit fingerprint (Avro specification, "Parsing Canonical Form" and "CRC-64-AVRO")."""

from __future__ import annotations

import functools
import json
from typing import Any, Final

from .schema import MalformedSchema, Node, parse

_EMPTY: Final = 0xC15D213AA4D7A795


@functools.lru_cache(256)
def fingerprint_of_text(schema: str) -> int:
    """Raises ``MalformedSchema`` where the text is not an Avro schema."""
    return fingerprint(parse(schema))


def fingerprint(node: Node) -> int:
    """Unsigned, unlike Java's."""
    try:
        text = json.dumps(canonical(node, set()), separators=(",", ":"), ensure_ascii=False)
    except RecursionError:
        raise MalformedSchema("the schema is nested too deeply") from None
    return _rabin(text.encode("utf-8", "surrogatepass"))


def canonical(node: Node, met: set[str], *, logical: bool = False) -> Any:
    """The parsing canonical form as JSON; names in ``met`` stand for their types.

    With ``logical`` types it is not Avro's any more: what a type means is beside it.
    """
    if node.name:
        if node.name in met:
            return node.name
        met.add(node.name)
    found = _form(node, met, logical=logical)
    if not (logical and (node.meaning or node.logical or node.map_form)):
        return found
    return [found, node.logical, node.meaning, node.precision, node.scale, node.map_form]


def _form(node: Node, met: set[str], *, logical: bool) -> Any:
    match node.kind:
        case "union":
            return [canonical(branch, met, logical=logical) for branch in node.branches]
        case "array":
            return {"type": "array", "items": canonical(node.items, met, logical=logical)}
        case "map":
            return {"type": "map", "values": canonical(node.items, met, logical=logical)}
        case "record":
            fields = [
                {"name": f.name, "type": canonical(f.node, met, logical=logical)}
                for f in node.fields
            ]
            return {"name": node.name, "type": "record", "fields": fields}
        case "enum":
            return {"name": node.name, "type": "enum", "symbols": list(node.symbols)}
        case "fixed":
            return {"name": node.name, "type": "fixed", "size": node.size}
        case primitive:
            return primitive


def _rabin(data: bytes) -> int:
    table = _table()
    found = _EMPTY
    for byte in data:
        found = (found >> 8) ^ table[(found ^ byte) & 255]
    return found


@functools.cache
def _table() -> tuple[int, ...]:
    table: list[int] = []
    for byte in range(256):
        entry = byte
        for _ in range(8):
            entry = (entry >> 1) ^ (_EMPTY if entry & 1 else 0)
        table.append(entry)
    return tuple(table)
