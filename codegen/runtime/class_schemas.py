"""The schema of one class of a package, complete: the types that it refers to are defined within."""

from __future__ import annotations

import functools
import json
from typing import Any

from .binding import Binding
from .schema import PRIMITIVES

_NAMED = frozenset({"record", "error", "enum", "fixed"})
_KINDS = (*_NAMED, "array", "map")


@functools.cache
def schema_text(binding: Binding, name: str) -> str:
    """The text of the type with this full name; of the relation's own record, the package's."""
    if name == binding.root.name:
        return binding.schema_text
    text = part_text(binding.schema_text, name)
    assert text is not None, "a class is one of its package's schema"
    return text


def part_text(schema: str, name: str) -> str | None:
    """That of a type which the schema defines; None if it does not."""
    definitions: dict[str, Any] = {}
    _collect(json.loads(schema), "", definitions)
    if name not in definitions:
        return None
    return json.dumps(
        _complete(name, definitions, set()), separators=(",", ":"), ensure_ascii=False
    )


def _collect(document: Any, namespace: str, definitions: dict[str, Any]) -> Any:
    """The document with full names in the place of definitions, which ``definitions`` gets."""
    if isinstance(document, str):
        is_full = "." in document or not namespace or document in PRIMITIVES
        return document if is_full else f"{namespace}.{document}"
    if isinstance(document, list):
        return [_collect(branch, namespace, definitions) for branch in document]
    kind = document["type"]
    if kind in ("array", "map"):
        key = "items" if kind == "array" else "values"
        return {**document, key: _collect(document[key], namespace, definitions)}
    if not isinstance(kind, str) or kind not in _NAMED:
        return {**document, "type": _collect(kind, namespace, definitions)}
    simple = document["name"].rpartition(".")
    space = simple[0] or ("" if simple[1] else document.get("namespace", namespace))
    definition = {**document, "name": simple[2], "namespace": space}
    if "fields" in document:
        definition["fields"] = [
            {**field, "type": _collect(field["type"], space, definitions)}
            for field in document["fields"]
        ]
    full_name = f"{space}.{simple[2]}" if space else simple[2]
    definitions[full_name] = definition
    return full_name


def _complete(document: Any, definitions: dict[str, Any], met: set[str]) -> Any:
    """The document with definitions in the place of names where each comes first."""
    if isinstance(document, str):
        if document not in definitions or document in met:
            return document
        met.add(document)
        return _complete(definitions[document], definitions, met)
    if isinstance(document, list):
        return [_complete(branch, definitions, met) for branch in document]
    whole = dict(document)
    for key in ("items", "values", "type"):
        # Behind items and values a union is a list, and a word is always a type's name.
        if key in whole and not (key == "type" and whole[key] in _KINDS):
            whole[key] = _complete(whole[key], definitions, met)
    if "fields" in whole:
        whole["fields"] = [
            {**field, "type": _complete(field["type"], definitions, met)}
            for field in whole["fields"]
        ]
    return whole
