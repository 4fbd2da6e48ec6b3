"""Writes a HiveQL view's text with complete names, as Hive stores it.

The name of a table gets its database. The name of a function that the view declares gets the view's
name, so that nested views may declare different versions of one function. The rest of the text
stays as its author wrote it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lakeschema.catalog.ddl_tokens import TokenKind, token_at
from lakeschema.catalog.relations import Dialect, Relation, ViewText
from lakeschema.translation.emission.hive.text import quoted
from lakeschema.translation.functions.udfs import (
    DeclaredFunctions,
    declared_functions,
    prefixes,
)
from lakeschema.translation.model.errors import Position, errors_of
from lakeschema.translation.model.interface import Options
from lakeschema.translation.resolution.upstreams import nodes, tables_named
from lakeschema.translation.resolution.views import view_query
from lakeschema.translation.syntax import tree
from lakeschema.translation.syntax.lexing import Lines

_ALIAS = "v"


def expanded_text(relation: Relation, columns: Sequence[str], options: Options) -> str:
    """The text of a view in Hive's dialect; ``columns`` are the names of its derived columns.

    A text with ``*`` gets a SELECT around it that names the columns: a column that is later added to a
    table must not appear in the view.

    Raises:
        TranslationError: the text cannot be read.
    """
    view = relation.view
    if view is None or view.dialect is not Dialect.HIVE:
        raise ValueError(f"{relation.name} is not a view of Hive")
    with errors_of(relation.name):
        query = view_query(relation, view, options)
        functions = declared_functions(relation, options)
        text = _with_insertions(
            view.text,
            [*_databases(query, relation.name.namespace), *_prefixes(query, functions)],
        )
        if not _has_star(query):
            return text
    return in_select(text, query, [(name, name) for name in columns])


def in_select(text: str, query: tree.Query, columns: Sequence[tuple[str, str]]) -> str:
    """A query, whose tree is ``query``, in a SELECT of its columns; each column with its new name.

    Hive cannot read a WITH inside another query. So a query with WITH becomes the last table of that WITH.
    """
    tables = {t.name.lower() for t in query.tables} if isinstance(query, tree.With) else ()
    alias = _ALIAS
    while alias in tables:
        alias += "_"
    place = quoted(alias)
    names = ", ".join(
        f"{place}.{quoted(old)}" + ("" if old == new else f" AS {quoted(new)}")
        for old, new in columns
    )
    if not isinstance(query, tree.With):
        return f"SELECT {names} FROM (\n{text}\n) {place}"  # noqa: S608 (quoted)
    end = _end_of_tables(text)
    body = text[end:].lstrip()
    return f"{text[:end]}, {place} AS (\n{body}\n) SELECT {names} FROM {place}"  # noqa: S608 (quoted)


def _end_of_tables(text: str) -> int:
    """The offset after the last table of a query's WITH."""
    depth = 0
    token = token_at(text, 0)
    while True:
        following = token_at(text, token.end)
        depth += {"(": 1, ")": -1}.get(token.bare, 0)
        is_end = token.bare == ")" and depth == 0 and following.bare not in {",", "AS"}
        if is_end or following.kind is TokenKind.END:
            return token.end
        token = following


def with_databases(view: ViewText, query: tree.Query) -> str:
    """The text of a view, whose tree is ``query``, with a database before each table."""
    return _with_insertions(view.text, list(_databases(query, view.current_namespace)))


def _databases(query: tree.Query, namespace: Sequence[str]) -> Iterator[tuple[Position, str]]:
    database = ".".join(map(quoted, namespace))
    for table in tables_named(query):
        # Hive before 4 prints a complete name in one pair of back-ticks.
        if len(table.parts) == 1 and "." not in table.parts[0] and table.position is not None:
            yield table.position, f"{database}."


def _prefixes(query: tree.Query, functions: DeclaredFunctions) -> Iterator[tuple[Position, str]]:
    for call in nodes(query):
        if not isinstance(call, tree.Call) or call.qualifier or call.position is None:
            continue
        if call.name.lower() in functions.classes:
            yield call.position, prefixes(functions.view)[0]


def _has_star(query: tree.Query) -> bool:
    """Whether ``*`` may stand for columns of the query, other than in ``COUNT(*)`` or a table of WITH."""
    if isinstance(query, tree.With):
        return _has_star(query.body)
    found = tuple(nodes(query))
    counted = {id(each) for node in found if isinstance(node, tree.Call) for each in node.arguments}
    return any(isinstance(node, tree.Star) and id(node) not in counted for node in found)


def _with_insertions(text: str, insertions: Sequence[tuple[Position, str]]) -> str:
    """The text with each insertion at its position; after the back-tick of a quoted function name."""
    lines = Lines(text)
    found = text
    for position, inserted in sorted(set(insertions), key=_place, reverse=True):
        offset = lines.offset(position)
        if text[offset] == "`" and not inserted.endswith("."):
            offset += 1
        found = found[:offset] + inserted + found[offset:]
    return found


def _place(insertion: tuple[Position, str]) -> tuple[int, int]:
    return insertion[0].line, insertion[0].column
