"""Names an attribute after its column if Avro does not allow the column's name, but Python does."""

from __future__ import annotations

import re
import unicodedata

from codegen.naming import attribute_name, needs_hash
from lakeschema.avro.legal_names import ORIGINAL_NAME, legal_name
from lakeschema.avro.model import Field

# Categories are those of Unicode 3.2, which every interpreter has, so that every host gives the same
# names.
_CATEGORIES = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Nd"})

_INVISIBLE = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\ufe00-\ufe0f]")
"""Invisible characters in these categories. With them, different names would look equal."""


def field_attribute(field: Field) -> str:
    """The attribute of a record's field, from the field's Avro name and the column's name.

    If the column's name is not ASCII and Python allows it, the attribute is the column's name.
    Otherwise the attribute comes from the Avro name and is ASCII. So no two columns get the same
    attribute.
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
