"""Types that several packages have: the same where full names and complete schemas are.

Schemas are compared in Avro's parsing canonical form, with logical types. Documentation, aliases,
defaults and properties make no difference.
"""

from __future__ import annotations

import functools
import json
from typing import Any

from .canonical import canonical
from .errors import AvroError
from .schema import parse


def is_same_type(one: type, other: type) -> bool:
    """Whether values of one class can stand for values of the other."""
    if one is other:
        return True
    identity = _identity(one)
    return identity is not None and identity == _identity(other)


@functools.lru_cache(4096)
def _identity(class_: Any) -> str | None:
    """The same text for the same type; None of a class that no package has."""
    text = getattr(class_, "__avro_schema__", None) or getattr(class_, "SCHEMA", None)
    if not isinstance(text, str):
        return None
    try:
        return json.dumps(canonical(parse(text), set(), logical=True))
    except AvroError:
        return None
