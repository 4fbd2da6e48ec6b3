"""Makes the files of a project from DDL that creates views. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from lakeschema.catalog.ddl_change import Script, apply_ddl
from lakeschema.catalog.ddl_tokens import line_of, statements
from lakeschema.catalog.errors import MalformedDdl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import APPLY_RECORD, Dialect, Relation
from lakeschema.translation.emission.hive.text import quoted
from lakeschema.translation.model.errors import TranslationError
from lakeschema.translation.products.expanded_text import in_select, with_databases
from lakeschema.translation.syntax import tree
from lakeschema.translation.syntax.parsing import parse_query
from publisher.commands.failures import NO, Refused
from publisher.commands.projects.reading import VIEWS, is_view_name

_MATERIALIZED = re.compile(r"\s*CREATE\s+(?:OR\s+REPLACE\s+)?MATERIALIZED\b", re.IGNORECASE)
_CORALS = ("functions", "dependencies")
_BARE = re.compile(r"[\w-]+", re.ASCII)
_ESCAPED = re.compile(r'[\x00-\x1f"\\\x7f]')
_ESCAPES = {"\n": "\\n", '"': '\\"', "\\": "\\\\"}


class _LeftOut(Exception):
    """A project cannot have the view."""


@dataclass(frozen=True, slots=True)
class Converted:
    """The files of a project.

    Attributes:
        database: the database of most views.
        files: text by place.
        notes: what the files lack, a line each.
    """

    database: str
    files: Mapping[str, str]
    notes: Sequence[str]


def converted(scripts: Sequence[Script], dialect: Dialect) -> Converted:
    """The views that the scripts create, each as a query and its description.

    Raises:
        Refused: a statement cannot be read, or there is no view.
    """
    try:
        change = apply_ddl(None, scripts, dialect)
    except MalformedDdl as error:
        raise Refused(NO, str(error)) from error
    written = dict(_written(scripts))
    views = {name: made for name, made in sorted(change.relations.items()) if made.is_view}
    if not views:
        raise Refused(NO, "these files create no view", "name files with CREATE VIEW")
    database = Counter(name.namespace[-1] for name in views).most_common(1)[0][0]
    files: dict[str, str] = {}
    notes: list[str] = []
    for name, view in views.items():
        places = change.statements[name]
        heads = [written[place] for place in places if place in written]
        try:
            _require_possible(view, heads)
            query = "".join(head.comment for head in heads) + _query(view, dialect)
        except (TranslationError, _LeftOut) as error:
            notes.append(f"{places[0]}: {name} is left out: {error}")
            continue
        folder = "" if name.namespace[-1] == database else f"{name.namespace[-1]}/"
        place = f"{VIEWS}/{folder}{name.name}"
        files[f"{place}.sql"] = query + "\n"
        described = "".join(_description(name, view, database))
        files |= {f"{place}.toml": described} if described else {}
        if any(key in view.properties for key in _CORALS):
            notes.append(f"{place}.toml: describe the view's functions under [[udfs]]")
    return Converted(database, files, notes)


@dataclass(frozen=True, slots=True)
class _Written:
    comment: str
    statement: str


def _written(scripts: Sequence[Script]) -> Iterator[tuple[str, _Written]]:
    """Each statement by its place, with the comments before it."""
    for script in scripts:
        before = 0
        for start, end in statements(script.text):
            gap = script.text[before:start].replace("\r\n", "\n")
            # What stands in the line of a ; is about the statement before.
            comment = (gap.partition("\n")[2] if before else gap).lstrip()
            yield (
                f"{script.label}:{line_of(script.text, start)}",
                _Written(comment, script.text[start:end]),
            )
            before = end


def _require_possible(view: Relation, heads: Sequence[_Written]) -> None:
    if not is_view_name(view.name.name):
        raise _LeftOut("its name must have lower-case letters, digits and _ only")
    if view.partition_columns:
        raise _LeftOut("it is partitioned")
    if any(_MATERIALIZED.match(head.statement) for head in heads):
        raise _LeftOut("it is materialized")


def _query(relation: Relation, dialect: Dialect) -> str:
    """The view's query; names of columns that only CREATE VIEW has become a SELECT around it.

    Raises:
        TranslationError: the query cannot be read.
        _LeftOut: Hive cannot have it inside another query.
    """
    assert relation.view is not None, "the relation is a view"
    text = relation.view.original_text.replace("\r\n", "\n").rstrip()
    view = replace(relation.view, text=text, original_text=text)
    query = parse_query(text, dialect)
    if view.current_namespace != relation.name.namespace:
        text = with_databases(view, query)
    declared = [column.name for column in relation.columns]
    if not declared:
        return text
    found = _names(query)
    if [name.lower() for name in found or ()] == [name.lower() for name in declared]:
        return text
    if dialect is Dialect.SPARK:
        names = ", ".join(map(quoted, declared))
        return f"SELECT * FROM (\n{text}\n) AS v({names})"  # noqa: S608 (quoted)
    if found is None or len(found) != len(declared):
        why = "Hive cannot give other names to the columns of *"
        raise _LeftOut(f"{why}: write {', '.join(declared)} into the query")
    return in_select(text, query, list(zip(found, declared, strict=True)))


def _names(query: tree.Query) -> Sequence[str] | None:
    """The names of a query's columns in Hive; None if the text alone does not tell."""
    while not isinstance(query, tree.Select):
        match query:
            case tree.With(body=inner) | tree.Ordered(body=inner):
                query = inner
            case tree.SetQuery(branches=(first, *_)):
                query = first
            case _:
                return None
    names: list[str] = []
    for position, item in enumerate(query.items):
        match item:
            case tree.SelectItem(expression=tree.Star()):
                return None
            case tree.SelectItem(aliases=(*_, _) as aliases):
                names += aliases
            case tree.SelectItem(expression=tree.Name(parts=(*_, last))):
                names.append(last)
            case _:
                names.append(f"_c{position}")
    return names


def _description(name: RelationName, view: Relation, database: str) -> Iterator[str]:
    if name.namespace[-1] != database:
        yield f"database = {_text(name.namespace[-1])}\n"
    if view.comment is not None:
        yield f"comment = {_text(view.comment)}\n"
    comments = {c.name: c.comment for c in view.columns if c.comment is not None}
    kept = {
        key: value
        for key, value in view.properties.items()
        if key.lower() not in _CORALS and not key.startswith(APPLY_RECORD)
    }
    for table, values in (("comments", comments), ("properties", kept)):
        if values:
            yield f"\n[{table}]\n"
            yield from (f"{_key(key)} = {_text(value)}\n" for key, value in values.items())


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _text(name)


def _text(value: str) -> str:
    """A string of TOML."""
    escaped = _ESCAPED.sub(lambda c: _ESCAPES.get(c[0], f"\\u{ord(c[0]):04x}"), value)
    return f'"{escaped}"'
