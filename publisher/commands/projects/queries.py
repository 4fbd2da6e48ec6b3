"""Reads the text of a query's file."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lakeschema.catalog.ddl_tokens import line_of, statements, token_at
from publisher.commands.projects.values import Problem

_QUERY_WORDS = frozenset({"SELECT", "FROM", "WITH", "VALUES", "TABLE", "MAP", "REDUCE", "("})
"""The first words of queries. The deriver refuses those that a view cannot have, and says why."""
_VARIABLE = re.compile(r"\$\{[^\s{}]+\}")


def query_of(content: bytes) -> str:
    r"""The text of a file up to the ``;`` of its last statement.

    Line ends become ``\n``: otherwise checkouts on two systems would be two views.

    Raises:
        UnicodeDecodeError: the content is not UTF-8.
    """
    text = content.decode("utf-8-sig").replace("\r\n", "\n")
    ends = [end for _, end in statements(text)]
    return text[: ends[-1] if ends else 0].rstrip()


def problems_of_query(place: str, query: str) -> Iterator[Problem]:
    starts = [start for start, _ in statements(query)]
    tokens = [token_at(query, start) for start in starts]
    words = [token.bare or token.text[:60] for token in tokens]
    others = [word for word in words if word not in _QUERY_WORDS]
    if not words:
        yield Problem(place, "the file is empty: expected one query")
    elif "CREATE" in others:
        hint = "write only the SELECT; the file's name is the view's name; init --from does that"
        yield Problem(place, "expected a query, got CREATE", hint)
    elif others:
        yield Problem(place, f"expected a query, got {others[0]}", "write only the SELECT")
    elif len(words) > 1:
        why = f"expected one query, got {len(words)}: the second begins in line"
        yield Problem(place, f"{why} {line_of(query, starts[1])}", "give each view its own file")
    for variable in _VARIABLE.finditer(query):
        why = f"{variable[0]} in line {line_of(query, variable.start())} is a variable"
        yield Problem(place, f"{why}, and a view cannot keep one", "write its value")
