"""The command ``usage``: shows, from a query log, who uses a warehouse and whom a change affects."""

from __future__ import annotations

import json as json_text
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from publisher.commands.arguments import Config, Json
from publisher.commands.failures import OUTSIDE_FAILED, USAGE_ERROR, Refused
from publisher.selection import OWNER

if TYPE_CHECKING:
    from lakeschema.analysis.catalog import KnownTable
    from lakeschema.analysis.usage.running import Ran
    from lakeschema.catalog.identifiers import RelationName
    from lakeschema.catalog.relations import Catalog
    from publisher.state.protocol import State


def usage(
    log: Annotated[
        Path, typer.Argument(help="A file or folder of .sql, .jsonl, .ndjson or .json files.")
    ],
    config: Config = None,
    *,
    show: Annotated[
        list[str] | None,
        typer.Option(help="Only this table; may be given again. By default all.", metavar="TABLE"),
    ] = None,
    about: Annotated[
        str | None,
        typer.Option(
            help="database.table or database.table.column: show whom to tell about its change.",
            metavar="NAME",
        ),
    ] = None,
    days: Annotated[int, typer.Option(min=0, help="Unread for this many days means unused.")] = 90,
    today: Annotated[
        str | None,
        typer.Option(help="The last of these days; by default the log's last day.", metavar="DATE"),
    ] = None,
    dialect: Annotated[
        str | None,
        typer.Option(help="Dialect of statements that name no dialect; by default check.dialect."),
    ] = None,
    sizes: Annotated[
        Path | None,
        typer.Option(
            help="JSON object of tables and their sizes in any one unit, to rank views to materialise."
        ),
    ] = None,
    owner_property: Annotated[
        str, typer.Option(help="Table property that names a relation's owner.")
    ] = OWNER,
    json: Json = None,
) -> None:
    """Reports from a query log who uses which tables, and advises on layout, joins and stored queries.

    Names are resolved with the state's relations. Nothing in the log is executed.
    """
    from lakeschema.analysis.usage.tables import (
        DERIVED,
        Question,
        count_log_within_limits,
        derived_tables,
        place_of,
        row_of,
    )
    from publisher.commands.deployment import state_to_read
    from publisher.commands.output.choice import output_for
    from publisher.commands.reports import UsageReport
    from publisher.daemon.adapters import catalog_names, open_catalog
    from publisher.settings import load_settings

    for each in show or ():
        if each not in DERIVED:
            known = ", ".join(DERIVED)
            raise Refused(USAGE_ERROR, f"--show: unknown table {each!r}; expected one of {known}")
    name = None if about is None else _name(about)
    stated_day, stated_sizes = _day(today), _sizes(sizes)
    settings = load_settings(config)
    statements, places = logged_statements(log, dialect or settings.check.dialect)
    with closing(state_to_read(settings)) as state, open_catalog(settings) as catalog:
        relations, owners = known_catalog(state, catalog, owner_property)
    counted = count_log_within_limits(statements, relations, catalogs=catalog_names(settings))
    place = None if name is None else place_of(name, counted.counts, relations)
    question = Question(relations, owners, stated_sizes, days, stated_day, place)
    found = derived_tables(counted.counts, question)
    chosen = show or (["whom_to_tell"] if about is not None else list(DERIVED))
    tables = {each: [row_of(row) for row in found[each]] for each in chosen}
    output_for(json).usage(
        UsageReport(
            counted.statements,
            counted.failures,
            [places[each] for each in counted.given_up],
            tables,
        )
    )


def _name(about: str) -> RelationName:
    from lakeschema.catalog.errors import MalformedName
    from lakeschema.catalog.identifiers import RelationName

    try:
        return RelationName.parse(about)
    except MalformedName as error:
        raise Refused(USAGE_ERROR, f"--about: invalid name {about!r}") from error


def logged_statements(log: Path, dialect: str) -> tuple[Sequence[Ran], Sequence[str]]:
    """The log's statements, and the place of each."""
    from lakeschema.analysis.syntax.dialects import UnknownDialect, grammar_of
    from lakeschema.analysis.usage.running import ran
    from publisher.commands.audience.query_log import log_entries

    try:
        grammar_of(dialect)
    except UnknownDialect as error:
        raise Refused(USAGE_ERROR, f"--dialect: {error}") from error
    found: list[Ran] = []
    places: list[str] = []
    try:
        for number, (place, text, entry) in enumerate(log_entries(log, "LOG"), 1):
            stated = {"current_namespace": entry.get("database"), **entry, "sql": text}
            found.append(ran(stated, number, dialect))
            places.append(place)
    except OSError as error:
        raise Refused(OUTSIDE_FAILED, f"{log}: {error.strerror}") from error
    return found, places


def known_catalog(
    state: State, catalog: Catalog, owner_property: str = OWNER
) -> tuple[Mapping[RelationName, KnownTable], Mapping[str, str]]:
    from lakeschema.analysis.checking import known_table
    from lakeschema.catalog.identifiers import RelationName
    from publisher.daemon.known_relations import KnownRelations
    from publisher.daemon.owners import owners_of

    known = KnownRelations(state, catalog, refresh_seconds=0, with_columns=True)
    known.refresh()
    names = {RelationName.from_key(name): value for name, value in (known.current or {}).items()}
    found = owners_of(catalog, list(names), owner_property)
    owners = {str(name): owner for name, owner in found.items()}
    tables = {
        name: replace(known_table(value), made_of=known.made_of.get(name, ()))
        for name, value in names.items()
    }
    return tables, owners


def _sizes(path: Path | None) -> Mapping[str, float]:
    if path is None:
        return {}
    try:
        stated = json_text.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise Refused(OUTSIDE_FAILED, f"--sizes: {path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise Refused(USAGE_ERROR, f"--sizes: {path} is not JSON: {error}") from error
    if not isinstance(stated, dict) or not all(
        isinstance(size, int | float) and size >= 0 for size in stated.values()
    ):
        raise Refused(USAGE_ERROR, f"--sizes: expected {path} to be an object of numbers by table")
    return {name.lower(): float(size) for name, size in stated.items()}


def _day(text: str | None) -> str:
    if text is None:
        return ""
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError as error:
        raise Refused(
            USAGE_ERROR, f"--today: expected a date such as 2026-01-31, got {text!r}"
        ) from error
