"""Types that several packages have. Two are the same if their simple names and schemas are equal.

Namespaces do not matter, as in Avro's schema resolution: a view's types are in the view's namespace.
Documentation, aliases, defaults and properties do not matter either. Two types of one package are
never the same.
"""

from __future__ import annotations

import functools
import json
from typing import Any

from .canonical import form_of
from .errors import AvroError
from .schema import Node, parse


def is_same_type(one: type, other: type) -> bool:
    """Whether values of one class can stand for values of the other."""
    if one is other:
        return True
    identity = _identity(one)
    if identity is None or identity != _identity(other):
        return False
    return _codec_of(one) is not _codec_of(other)


@functools.lru_cache(4096)
def _identity(class_: Any) -> str | None:
    """A text that is equal for equal types; None for a class that no package generated."""
    text = getattr(class_, "__avro_schema__", None) or getattr(class_, "SCHEMA", None)
    if not isinstance(text, str):
        return None
    try:
        return json.dumps(_form(parse(text), {}))
    except AvroError:
        return None


def _codec_of(class_: type) -> object:
    """The codec module of a class's package. Each package has its own class ``SchemaText``."""
    for each in class_.__mro__:
        text = vars(each).get("SCHEMA") or vars(each).get("__avro_schema__")
        codec: object = getattr(text, "codec", None)
        if codec is not None:
            return codec
    return None


def _form(node: Node, met: dict[str, int]) -> Any:
    """The parsing canonical form with logical types; a reference is the number of its type."""
    if node.name:
        if node.name in met:
            return met[node.name]
        met[node.name] = len(met)
    found = form_of(node, node.name.rpartition(".")[2], lambda part: _form(part, met))
    if not (node.meaning or node.logical or node.map_form):
        return found
    return [found, node.logical, node.meaning, node.precision, node.scale, node.map_form]
