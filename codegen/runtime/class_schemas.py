"""The complete schema of one class of a package, with definitions of all types that it refers to."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from typing import Any

from .binding import Binding
from .schema import PRIMITIVES

_NAMED = frozenset({"record", "error", "enum", "fixed"})
_KINDS = (*_NAMED, "array", "map")


@functools.cache
def schema_text(binding: Binding, name: str) -> str:
    """The schema text of the type with this full name; the package's text for the root record."""
    if name == binding.root.name:
        return binding.schema_text
    text = part_text(binding.schema_text, name)
    assert text is not None, "a class is one of its package's schema"
    return text


def part_text(schema: str, name: str) -> str | None:
    """The text of a type that the schema defines; None if the schema does not define it."""
    named: dict[str, Any] = {}
    _collect(json.loads(schema), "", named)
    if name not in named:
        return None
    return json.dumps(_complete(name, named, set()), separators=(",", ":"), ensure_ascii=False)


@functools.cache
def definitions(binding: Binding) -> Mapping[str, Any]:
    """The named types of a package's schema by full name. They refer to each other by full name."""
    found: dict[str, Any] = {}
    _collect(json.loads(binding.schema_text), "", found)
    return found


def _collect(document: Any, namespace: str, found: dict[str, Any]) -> Any:
    """The document with full names in place of definitions; adds the definitions to ``found``."""
    if isinstance(document, str):
        is_full = "." in document or not namespace or document in PRIMITIVES
        return document if is_full else f"{namespace}.{document}"
    if isinstance(document, list):
        return [_collect(branch, namespace, found) for branch in document]
    kind = document["type"]
    if kind in ("array", "map"):
        key = "items" if kind == "array" else "values"
        return {**document, key: _collect(document[key], namespace, found)}
    if not isinstance(kind, str) or kind not in _NAMED:
        return {**document, "type": _collect(kind, namespace, found)}
    simple = document["name"].rpartition(".")
    space = simple[0] or ("" if simple[1] else document.get("namespace", namespace))
    definition = {**document, "name": simple[2], "namespace": space}
    if "fields" in document:
        definition["fields"] = [
            {**field, "type": _collect(field["type"], space, found)} for field in document["fields"]
        ]
    full_name = f"{space}.{simple[2]}" if space else simple[2]
    found[full_name] = definition
    return full_name


def _complete(document: Any, named: Mapping[str, Any], met: set[str]) -> Any:
    """The document with the first occurrence of each name replaced by its definition."""
    if isinstance(document, str):
        if document not in named or document in met:
            return document
        met.add(document)
        return _complete(named[document], named, met)
    if isinstance(document, list):
        return [_complete(branch, named, met) for branch in document]
    whole = dict(document)
    for key in ("items", "values", "type"):
        # After items and values, a union is a list, and a text is always the name of a type.
        if key in whole and not (key == "type" and whole[key] in _KINDS):
            whole[key] = _complete(whole[key], named, met)
    if "fields" in whole:
        whole["fields"] = [
            {**field, "type": _complete(field["type"], named, met)} for field in whole["fields"]
        ]
    return whole
