"""Uses a column's own name as the attribute if Avro does not allow it but Python does."""

from __future__ import annotations

import re
import unicodedata

from codegen.naming import attribute_name, needs_hash
from lakeschema.avro.legal_names import ORIGINAL_NAME, legal_name
from lakeschema.avro.model import Field

# Unicode 3.2 is in every interpreter, so that every host gives the same names.
_CATEGORIES = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Nd"})

_INVISIBLE = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\ufe00-\ufe0f]")
"""Invisible characters in these categories: names would look equal but differ."""


def field_attribute(field: Field) -> str:
    """A record's field in Python, by its own name and its column's.

    No two columns share one: attributes by other rules are ASCII, and an Avro name has one
    original.
    """
    original = field.properties.get(ORIGINAL_NAME)
    if isinstance(original, str) and _is_attribute(original) and legal_name(original) == field.name:
        return original
    return attribute_name(field.name)


def _is_attribute(name: str) -> bool:
    return (
        name.isidentifier()
        and not name.isascii()
        and not name.startswith("__")
        and not needs_hash(name)
        and not _INVISIBLE.search(name)
        and all(
            character.isascii() or unicodedata.ucd_3_2_0.category(character) in _CATEGORIES
            for character in name
        )
        and unicodedata.is_normalized("NFKC", name)
    )
