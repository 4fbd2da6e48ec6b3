"""Writes a HiveQL view's text with complete names, as Hive stores it.

The name of a table gets its database. The name of a function that the view declares gets the view's
name, so that nested views may declare different versions of one function. The rest of the text
stays as its author wrote it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lakeschema.catalog.relations import Dialect, Relation, ViewText
from lakeschema.translation.emission.hive.text import quoted
from lakeschema.translation.functions.udfs import (
    DeclaredFunctions,
    declared_functions,
    prefixes,
)
from lakeschema.translation.model.errors import Position, UnsupportedConstruct, errors_of
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
        TranslationError: the text cannot be read, or has ``*`` and WITH, which Hive cannot nest.
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
        if isinstance(query, tree.With):
            why = "Hive cannot read a WITH inside another query: list the columns instead of *"
            raise UnsupportedConstruct("* with WITH in a view for Hive", why)
    names = ", ".join(f"{quoted(_ALIAS)}.{quoted(name)}" for name in columns)
    return f"SELECT {names} FROM (\n{text}\n) {quoted(_ALIAS)}"  # noqa: S608 (quoted)


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
    """Whether ``*`` stands for columns, other than in ``COUNT(*)``."""
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
