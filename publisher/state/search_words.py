"""Makes the searchable texts of a derivation, and parses the text of a search."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

SEPARATORS: Final = "_.-:` "
"""The separators in names. A search finds a name with any separator, and without separators."""

MAX_LENGTH: Final = 20_000
"""The limit, in characters, of each indexed text of a relation."""

MIN_PREFIX: Final = 3
"""The shortest part of a word that finds the whole word."""

_MAX_WORDS: Final = 8
_EXCERPT_WORDS: Final = 16
_DROPPED: Final = str.maketrans("", "", SEPARATORS)
_WORDS: Final = re.compile(r"[^\W_]+")
_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@dataclass(frozen=True, slots=True)
class SearchedTexts:
    """The searchable texts of one relation.

    Attributes:
        fields: a line for each field: its name, and other forms of the name.
        documentation: the documentation of the relation and of its fields.
    """

    fields: str
    documentation: str


@dataclass(frozen=True, slots=True)
class Question:
    """A parsed search text.

    Attributes:
        key: the text to find in names of relations.
        words: its words, which have only letters and digits. In fields they must be adjacent, in
            documentation they need not be.
        owner: the text to find in owners of relations; "" if it is too short to distinguish owners.
    """

    key: str
    words: tuple[str, ...]
    owner: str

    @property
    def together(self) -> str:
        """The words without separators, to be found in names of fields."""
        return "".join(self.words)


def search_key(name: str) -> str:
    """A name without case and separators."""
    return name.lower().translate(_DROPPED)


def searched_texts(derivation: str) -> SearchedTexts:
    """The texts of a derivation. They are empty if it is invalid: invalid derivations are stored, too."""
    try:
        fields, documentation = _names_and_documentation(json.loads(derivation)["interface"])
    except (ValueError, LookupError, TypeError, RecursionError):
        return SearchedTexts("", "")
    return SearchedTexts(_joined(map(_field_line, fields)), _joined(documentation))


def question(text: str) -> Question:
    """Parses the text of a search."""
    typed = text.strip().lower()
    return Question(
        search_key(text),
        tuple(words_of(_HUMP.sub(" ", text))[:_MAX_WORDS]),
        typed if len(typed) >= MIN_PREFIX else "",
    )


def words_of(text: str) -> list[str]:
    """The words of a text as a full-text index has them."""
    return _WORDS.findall(text.lower())


def excerpt(documentation: str, asked: Question) -> str:
    """A part of a documentation, around the first word that matches the search."""
    found = list(_WORDS.finditer(documentation))
    begins = (i for i, word in enumerate(found) if word[0].lower().startswith(asked.words))
    middle = next(begins, 0) - _EXCERPT_WORDS // 2
    start = max(0, min(middle, len(found) - _EXCERPT_WORDS))
    end = start + _EXCERPT_WORDS
    before = documentation[: found[0].start()] if found and not start else "…"
    shown = found[start:end]
    if not shown:
        return documentation
    after = documentation[shown[-1].end() :] if end >= len(found) else "…"
    return f"{before}{documentation[shown[0].start() : shown[-1].end()]}{after}"


def matching_fields(fields: str, asked: Question) -> tuple[str, ...]:
    names = (line.partition(" ")[0] for line in fields.split("\n"))
    return tuple(name for name in names if asked.together in search_key(name))


def _field_line(name: str) -> str:
    """The line for a field: ``customer_id customerid``, or ``customerId customer Id``.

    A tokenizer also splits words.
    """
    shown = "_".join(name.split())
    forms = {form.lower(): form for form in (search_key(shown), _HUMP.sub(" ", shown))}
    return " ".join([shown, *(form for key, form in forms.items() if key != shown.lower())])


def _names_and_documentation(interface: Any) -> tuple[Iterable[str], Iterable[str]]:
    """The names of fields, and the documentation. Columns have SQL names; fields of the schema, Avro names."""
    columns = [*interface["columns"], *(column for _, column, _ in interface.get("omitted", ()))]
    names = {column[0]: None for column in columns}
    documentation = {column[2]: None for column in columns if column[2]}
    for kind, text in _texts(json.loads(interface["schema"])):
        (names if kind == "name" else documentation)[text] = None
    return names, documentation


def _texts(value: Any) -> Iterator[tuple[str, str]]:
    """Pairs ("name", a field's name) and ("doc", a documentation), outer fields first."""
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
