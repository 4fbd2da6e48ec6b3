"""Answers of a session about names, for people and as JSON objects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, assert_never

from rich.console import Console

from lakeschema.catalog.column_types import print_type
from lakeschema.catalog.identifiers import Namespace
from lakeschema.catalog.name_resolution import FileSource, Resolved, TemporaryView
from lakeschema.catalog.relations import Relation
from lakeschema.catalog.session_commands import (
    CatalogShown,
    CatalogsShown,
    Described,
    NamespaceChanged,
    NamesShown,
    SessionChanged,
)
from lakeschema.catalog.session_statements import Listed
from publisher.commands.output.tables import print_facts, print_table, say
from publisher.commands.reports import SessionAnswer


def print_answer(console: Console, report: SessionAnswer) -> None:
    match report.answer:
        case NamesShown() as shown:
            _print_names(console, shown, report.texts)
        case CatalogsShown(catalogs):
            headings = ("catalog", "current", "namespace", "can", "cannot be loaded")
            print_table(console, "catalogs", headings, map(_catalog_row, catalogs))
            if not catalogs:
                say(console, "no catalogs")
        case NamespaceChanged(catalog, namespace, change):
            say(console, f"{_place(catalog, namespace)}: {change}")
        case SessionChanged(catalog, namespace, is_current):
            begin = "current" if is_current else f"{catalog} is not the current catalog; its"
            place = _place(catalog, namespace)
            say(console, f"{begin} namespace: {place}")
        case Resolved() as resolved:
            print_facts(console, _facts(resolved, *report.texts))
        case TemporaryView(name):
            say(console, f"the temporary view {name} of the session")
        case FileSource(format=name, path=path, table=table):
            say(console, f"files of the format {name} at {path}, unless this table exists:")
            print_facts(console, _facts(table, *report.texts))
        case Described(resolved, relation):
            _print_relation(console, resolved, relation, *report.texts)
        case _:
            assert_never(report.answer)


def answer_json(report: SessionAnswer) -> Iterator[Mapping[str, Any]]:
    """The answer as JSON objects, one for each line."""
    match report.answer:
        case NamesShown(listed, catalog, _, names):
            for levels, text in zip(names, report.texts, strict=True):
                place = {"namespace": levels[:-1], "name": levels[-1], "text": text or None}
                yield {"listed": listed.value, "catalog": catalog, **place}
        case CatalogsShown(catalogs):
            yield from map(_catalog_json, catalogs)
        case NamespaceChanged(catalog, namespace, change):
            yield {"catalog": catalog, "namespace": namespace, "change": change}
        case SessionChanged(catalog, namespace, is_current):
            yield {"catalog": catalog, "namespace": namespace, "current": is_current}
        case Resolved() as resolved:
            yield _resolved_json(resolved, *report.texts)
        case TemporaryView(name):
            yield {"temporary_view": name}
        case FileSource(format=name, path=path, table=table):
            unless = _resolved_json(table, *report.texts)
            yield {"format": name, "path": path, "unless": unless}
        case Described(resolved, relation):
            yield {**_resolved_json(resolved, *report.texts), **_relation_json(relation)}
        case _:
            assert_never(report.answer)


def _print_names(console: Console, shown: NamesShown, texts: Sequence[str]) -> None:
    place = _place(shown.catalog, shown.namespace)
    rows = (
        (levels[-1], text or "no text has this meaning")
        for levels, text in zip(shown.names, texts, strict=True)
    )
    print_table(console, f"{shown.listed.value} of {place}", ("name", "as text"), rows)
    if not shown.names:
        is_above = shown.listed is not Listed.NAMESPACES and not shown.namespace
        hint = f"; for its namespaces: SHOW NAMESPACES IN {place}" if is_above else ""
        say(console, f"no {shown.listed.value} of {place}{hint}")


def _catalog_row(shown: CatalogShown) -> Sequence[str]:
    current = "yes" if shown.is_current else ""
    namespace = str(Namespace(shown.namespace))
    return (shown.name, current, namespace, ", ".join(shown.abilities), shown.not_loaded)


def _catalog_json(shown: CatalogShown) -> Mapping[str, Any]:
    return {
        "catalog": shown.name,
        "current": shown.is_current,
        "namespace": shown.namespace,
        "abilities": list(shown.abilities),
        "not_loaded": shown.not_loaded or None,
    }


def _facts(resolved: Resolved, text: str) -> Mapping[str, str]:
    identifier = resolved.identifier
    if identifier.is_path:
        facts = {"catalog": resolved.catalog, "path": identifier.path, "name": identifier.name}
    else:
        namespace = str(Namespace(identifier.namespace)) or "the empty namespace"
        facts = {"catalog": resolved.catalog, "namespace": namespace, "name": identifier.name}
    return {**facts, "as text": text or "no text has this meaning"}


def _resolved_json(resolved: Resolved, text: str) -> Mapping[str, Any]:
    identifier = resolved.identifier
    return {
        "catalog": resolved.catalog,
        "namespace": () if identifier.is_path else identifier.namespace,
        "name": identifier.name,
        "path": identifier.path if identifier.is_path else None,
        "text": text or None,
    }


def _print_relation(console: Console, resolved: Resolved, relation: Relation, text: str) -> None:
    facts = {
        "is": "a view" if relation.is_view else "a table",
        "comment": relation.comment or "",
        "unreadable": relation.unreadable or "",
    }
    shown = {name: value for name, value in facts.items() if value}
    print_facts(console, {**_facts(resolved, text), **shown})
    rows = (
        (each.name, print_type(each.type), "" if each.nullable else "yes", each.comment or "")
        for each in relation.every_column
    )
    print_table(console, "columns", ("name", "type", "required", "comment"), rows)


def _relation_json(relation: Relation) -> Mapping[str, Any]:
    return {
        "view": relation.is_view,
        "comment": relation.comment,
        "unreadable": relation.unreadable,
        "columns": [
            {
                "name": each.name,
                "type": print_type(each.type),
                "nullable": each.nullable,
                "comment": each.comment,
            }
            for each in relation.every_column
        ],
    }


def _place(catalog: str, namespace: Sequence[str]) -> str:
    return str(Namespace((catalog, *namespace)))
