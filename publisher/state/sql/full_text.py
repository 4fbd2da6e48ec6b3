"""The full-text index ``search`` of each database: SQLite's FTS5, and vectors of words in PostgreSQL.

Both have the columns ``rowid``, ``fields`` and ``documentation``, and the same words. PostgreSQL's own
parser would find other words in names, such as hosts and numbers, so it gets them ready made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import TextClause, text

from publisher.state.search_words import MIN_PREFIX, Question, SearchedTexts, words_of

_MAX_WORD: Final = 500
"""The length to which words are cut, since PostgreSQL refuses words of more than 2,046 bytes."""


@dataclass(frozen=True, slots=True)
class FullText:
    """The SQL and the queries of one database.

    Attributes:
        find: the SQL function that gives the position of a text in another text; 0 if absent.
        in_fields, in_documentation: the conditions that search for ``:fields`` and ``:documentation``.
        write: the statement that replaces the row ``:id``.
        row: makes the other parameters of ``write``.
        fields, documentation: make the values of ``:fields`` and ``:documentation`` from a question.
    """

    find: str
    in_fields: str
    in_documentation: str
    write: TextClause
    row: Callable[[SearchedTexts], Mapping[str, str]]
    fields: Callable[[Question], str]
    documentation: Callable[[Question], str]


def _term(words: Sequence[str]) -> str:
    """A quoted term, so that nothing in it is an operator. It also matches longer words."""
    return f'"{" ".join(words)}"{"*" if len(words[-1]) >= MIN_PREFIX else ""}'


def _fields(asked: Question) -> str:
    return f"{{fields}} : ({_term(asked.words)} OR {_term([asked.together])})"


def _documentation(asked: Question) -> str:
    return f"{{documentation}} : ({' AND '.join(_term([word]) for word in asked.words)})"


def _texts(found: SearchedTexts) -> Mapping[str, str]:
    return {"fields": found.fields, "documentation": found.documentation}


FTS5: Final = FullText(
    "instr",
    "search MATCH :fields",
    "search MATCH :documentation",
    text(
        "REPLACE INTO search (rowid, fields, documentation) VALUES (:id, :fields, :documentation)"
    ),
    _texts,
    _fields,
    _documentation,
)


def _lexeme(word: str) -> str:
    """A quoted word. It has only letters and digits, so nothing in it ends the quotes."""
    return f"'{word[:_MAX_WORD]}'"


def _beginning(word: str) -> str:
    return f"{_lexeme(word)}{':*' if len(word) >= MIN_PREFIX else ''}"


def _adjacent(asked: Question) -> str:
    adjacent = " <-> ".join([*map(_lexeme, asked.words[:-1]), _beginning(asked.words[-1])])
    return f"({adjacent}) | {_beginning(asked.together)}"


def _all_of(asked: Question) -> str:
    return " & ".join(map(_beginning, asked.words))


def _vector(words: str) -> str:
    return " ".join(
        f"{_lexeme(word)}:{position}" for position, word in enumerate(words_of(words), start=1)
    )


def _texts_and_words(found: SearchedTexts) -> Mapping[str, str]:
    return {
        **_texts(found),
        "field_words": _vector(found.fields),
        "documentation_words": _vector(found.documentation),
    }


TSVECTOR: Final = FullText(
    "strpos",
    "search.field_words @@ CAST(:fields AS tsquery)",
    "search.documentation_words @@ CAST(:documentation AS tsquery)",
    text(
        "INSERT INTO search (rowid, fields, documentation, field_words, documentation_words)"
        " VALUES (:id, :fields, :documentation, CAST(:field_words AS tsvector),"
        " CAST(:documentation_words AS tsvector)) ON CONFLICT (rowid) DO UPDATE SET"
        " fields = excluded.fields, documentation = excluded.documentation,"
        " field_words = excluded.field_words, documentation_words = excluded.documentation_words"
    ),
    _texts_and_words,
    _adjacent,
    _all_of,
)
