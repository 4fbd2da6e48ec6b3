"""Computes a schema's 64-bit fingerprint.

Avro specification, "Parsing Canonical Form" and "CRC-64-AVRO".
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from typing import Any, Final

from .schema import MalformedSchema, Node, parse

_EMPTY: Final = 0xC15D213AA4D7A795


@functools.lru_cache(256)
def fingerprint_of_text(schema: str) -> int:
    """The fingerprint of a schema's text.

    Raises ``MalformedSchema`` if the text is not an Avro schema.
    """
    return fingerprint(parse(schema))


def fingerprint(node: Node) -> int:
    """The fingerprint of a type, as an unsigned number; Java's is signed."""
    try:
        text = json.dumps(_canonical(node, set()), separators=(",", ":"), ensure_ascii=False)
    except RecursionError:
        raise MalformedSchema("the schema is nested too deeply") from None
    return _rabin(text.encode("utf-8", "surrogatepass"))


def _canonical(node: Node, met: set[str]) -> Any:
    if node.name:
        if node.name in met:
            return node.name
        met.add(node.name)
    return form_of(node, node.name, lambda part: _canonical(part, met))


def form_of(node: Node, name: str, form: Callable[[Node], Any]) -> Any:
    """The parsing canonical form of a type that has this name; ``form`` gives the form of each part."""
    match node.kind:
        case "union":
            return [form(branch) for branch in node.branches]
        case "array":
            return {"type": "array", "items": form(node.items)}
        case "map":
            return {"type": "map", "values": form(node.items)}
        case "record":
            fields = [{"name": field.name, "type": form(field.node)} for field in node.fields]
            return {"name": name, "type": "record", "fields": fields}
        case "enum":
            return {"name": name, "type": "enum", "symbols": list(node.symbols)}
        case "fixed":
            return {"name": name, "type": "fixed", "size": node.size}
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
