"""The searchable texts of a derivation, its fields and documentation, and the parsed search text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

SEPARATORS: Final = "_.-` "
"""The separators in names; a name is found with any of them, or with none."""

MAX_LENGTH: Final = 20_000
"""The length of each indexed text of a relation."""

_MAX_WORDS: Final = 8
_MIN_PREFIX: Final = 3
_DROPPED: Final = str.maketrans("", "", SEPARATORS)
_WORDS: Final = re.compile(r"[^\W_]+")
_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@dataclass(frozen=True, slots=True)
class SearchedTexts:
    """The searchable texts of one relation.

    Attributes:
        fields: a line for each field: its name, and other forms of the name.
        documentation: of the relation and of its fields.
    """

    fields: str
    documentation: str


@dataclass(frozen=True, slots=True)
class Question:
    """A parsed search text.

    Attributes:
        key: to find in names of relations.
        words: to find in names of fields: only letters and digits.
        fields, documentation: full-text queries; "" without any word.
    """

    key: str
    words: str
    fields: str
    documentation: str


def search_key(name: str) -> str:
    """A name without case and separators."""
    return name.lower().translate(_DROPPED)


def searched_texts(derivation: str) -> SearchedTexts:
    """The texts of a stored derivation; empty if it is invalid, because it must be stored anyway."""
    try:
        fields, documentation = _names_and_documentation(json.loads(derivation)["interface"])
    except (ValueError, LookupError, TypeError, RecursionError):
        return SearchedTexts("", "")
    return SearchedTexts(_joined(map(_field_line, fields)), _joined(documentation))


def question(text: str) -> Question:
    """In fields the words must be adjacent, in documentation they may be anywhere."""
    words = _WORDS.findall(_HUMP.sub(" ", text).lower())[:_MAX_WORDS]
    if not words:
        return Question(search_key(text), "", "", "")
    together = "".join(words)
    beside = _term(" ".join(words), len(words[-1]))
    joined = _term(together, len(together))
    anywhere = " AND ".join(_term(word, len(word)) for word in words)
    return Question(
        search_key(text),
        together,
        f"{{fields}} : ({beside} OR {joined})",
        f"{{documentation}} : ({anywhere})",
    )


def matching_fields(fields: str, asked: Question) -> tuple[str, ...]:
    names = (line.partition(" ")[0] for line in fields.split("\n"))
    return tuple(name for name in names if asked.words in search_key(name))


def _field_line(name: str) -> str:
    """For example ``customer_id customerid`` and ``customerId customer Id``; a tokenizer also splits words."""
    shown = "_".join(name.split())
    forms = {form.lower(): form for form in (search_key(shown), _HUMP.sub(" ", shown))}
    return " ".join([shown, *(form for key, form in forms.items() if key != shown.lower())])


def _term(words: str, last_length: int) -> str:
    """A quoted term, so that nothing in it is an operator. The beginning of a longer word is enough."""
    return f'"{words}"{"*" if last_length >= _MIN_PREFIX else ""}'


def _names_and_documentation(interface: Any) -> tuple[Iterable[str], Iterable[str]]:
    """Columns have SQL's names, the schema's fields have Avro's."""
    columns = [*interface["columns"], *(column for _, column, _ in interface.get("omitted", ()))]
    names = {column[0]: None for column in columns}
    documentation = {column[2]: None for column in columns if column[2]}
    for kind, text in _texts(json.loads(interface["schema"])):
        (names if kind == "name" else documentation)[text] = None
    return names, documentation


def _texts(value: Any) -> Iterator[tuple[str, str]]:
    """The name of each field and each documentation, outer ones first."""
    pending = [value]
    while pending:
        each = pending.pop()
        if isinstance(each, list):
            pending += reversed(each)
        elif isinstance(each, dict):
            if isinstance(doc := each.get("doc"), str):
                yield "doc", doc
            for field in each.get("fields", ()):
                yield "name", field["name"]
            pending += (each[key] for key in ("values", "items", "type", "fields") if key in each)


def _joined(lines: Iterable[str]) -> str:
    # A lone surrogate, which JSON allows, has no bytes in UTF-8.
    return "\n".join(lines)[:MAX_LENGTH].encode("utf-8", "replace").decode()
