"""The command ``register``: creates a catalog's views in an engine that cannot read their texts.

With policies: creates the views and named tables as one group of readers sees them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from publisher.commands.arguments import Config, Group, Json, PolicyFile, relation_name
from publisher.commands.failures import NO, OUTSIDE_FAILED, USAGE_ERROR, Refused
from publisher.commands.translating import check_names, read_policy_file
from publisher.printable import printable

if TYPE_CHECKING:
    from lakeschema.catalog.identifiers import RelationName
    from lakeschema.catalog.relations import Catalog, Relation
    from lakeschema.translation.model.interface import Options
    from publisher.commands.registering.registration import Registered
    from publisher.commands.registering.statements import Readers, Unwritable, Written
    from publisher.lineage.questions import ReadName
    from publisher.settings import Settings

_GOES_ON = "check trino.url, trino.username and the password, and repeat the command: it goes on from there"


def register(
    views: Annotated[
        list[str] | None,
        typer.Argument(
            help="database.view, with the views that it reads, or with --policies a table; by default all views."
        ),
    ] = None,
    config: Config = None,
    *,
    engine: Annotated[Literal["trino"], typer.Option(help="The engine for the views.")],
    replace: Annotated[
        bool,
        typer.Option(
            "--replace", help="Replace views that register created and that are outdated."
        ),
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only print the statements.")] = False,
    policies: PolicyFile = None,
    group: Group = None,
    place: Annotated[
        str | None,
        typer.Option(
            "--views",
            metavar="CATALOG.SCHEMA",
            help="Catalog and schema for the views; by default trino.views of the settings.",
        ),
    ] = None,
    json: Json = None,
) -> None:
    """Creates the catalog's views in Trino, with their comments; exit status 1 if one cannot be created."""
    assert engine == "trino", "Trino is the only engine so far"
    from publisher.settings import load_settings

    chosen = read_policy_file(policies, group)
    settings = load_settings(config)
    if chosen is None:
        written = _written(views or [], place, settings)
    else:
        from publisher.commands.registering.statements import Readers

        written = _written_masked(views or [], Readers(chosen, group), place, settings)
    if dry_run:
        _print_statements(written, replace=replace)
    else:
        _register(written, settings, replace=replace, json=json)


def register_named(names: Sequence[RelationName], settings: Settings) -> Sequence[Registered]:
    """Creates or replaces these views in the settings' Trino, with the views that they read.

    Raises:
        Refused: the settings lack a part, or Trino does not answer.
    """
    from publisher.commands.registering.registration import ServerUnavailable

    done: list[Registered] = []
    try:
        _make(_written([str(n) for n in names], None, settings), settings, done, replace=True)
    except ServerUnavailable as error:
        raise Refused(OUTSIDE_FAILED, str(error), _GOES_ON) from error
    return done


def _written(
    views: Sequence[str], place: str | None, settings: Settings
) -> Sequence[Written | Unwritable]:
    from publisher.commands.registering.statements import write_views

    with _opened(place, settings) as (catalog, options, places, read):
        names = list(map(read, views))
        relations = _relations(names, catalog, options)
        for name in names:
            if not relations[name].is_view:
                why = f"{name} is a table: only views are registered without policies"
                raise Refused(USAGE_ERROR, why, "add --policies FILE")
    return write_views(relations, options, places)


def _written_masked(
    views: Sequence[str], readers: Readers, place: str | None, settings: Settings
) -> Sequence[Written | Unwritable]:
    from lakeschema.translation.products.views_for_trino import is_foreign_view
    from publisher.commands.registering.statements import write_masked

    with _opened(place, settings) as (catalog, options, places, read):
        check_names(readers.policies, catalog)
        names = list(dict.fromkeys(map(read, views)))
        relations = _relations(names, catalog, options)
    if not names:
        names = sorted(name for name, each in relations.items() if is_foreign_view(each))
    return write_masked(names, relations, readers, options, places)


@contextmanager
def _opened(
    place: str | None, settings: Settings
) -> Iterator[tuple[Catalog, Options, str, ReadName]]:
    from publisher.daemon.adapters import build_options, open_catalog

    places = _places(place, settings)
    with open_catalog(settings) as catalog:
        yield catalog, build_options(settings), places, partial(relation_name, settings=settings)


def _places(place: str | None, settings: Settings) -> str:
    from publisher.settings.trino import check_place

    if place is not None:
        try:
            return check_place(place)
        except ValueError as error:
            raise Refused(USAGE_ERROR, f"--views: {error}") from None
    if settings.trino.views is None:
        why = "the settings do not say where to create views"
        raise Refused(USAGE_ERROR, why, 'set trino.views, such as "hive.trino_{database}"')
    return settings.trino.views


def _relations(
    names: Sequence[RelationName], catalog: Catalog, options: Options
) -> Mapping[RelationName, Relation]:
    from lakeschema.translation.products.pig_scripts import read_with_upstreams

    listed = names or [
        n for namespace in catalog.namespaces() for n in catalog.relations(namespace)
    ]
    relations = read_with_upstreams(listed, catalog.read, options)
    for name in names:
        if name not in relations:
            raise Refused(NO, f"the catalog has no relation {name}")
    return relations


def _print_statements(written: Sequence[Written | Unwritable], *, replace: bool) -> None:
    from publisher.commands.registering.statements import Written

    for each in written:
        if isinstance(each, Written):
            for statement in each.statements(replace=replace):
                typer.echo(f"{statement};")
        else:
            typer.echo(printable(f"-- {each.view}: {each.reason}"), err=True)
    raise typer.Exit(NO if any(not isinstance(each, Written) for each in written) else 0)


def _register(
    written: Sequence[Written | Unwritable],
    settings: Settings,
    *,
    replace: bool,
    json: bool | None,
) -> None:
    from publisher.commands.output.choice import output_for
    from publisher.commands.registering.registration import Change, ServerUnavailable

    done: list[Registered] = []
    failure: ServerUnavailable | None = None
    try:
        _make(written, settings, done, replace=replace)
    except ServerUnavailable as error:
        failure = error
    if done or failure is None:
        # Views created before the failure are shown, too.
        output_for(json).registered(done)
    if failure is not None:
        raise Refused(OUTSIDE_FAILED, str(failure), _GOES_ON)
    raise typer.Exit(NO if any(each.change is Change.REFUSED for each in done) else 0)


def _make(
    written: Sequence[Written | Unwritable],
    settings: Settings,
    done: list[Registered],
    *,
    replace: bool,
) -> None:
    from publisher.commands.registering.registration import register_views

    trino = settings.trino
    if trino.url is None:
        raise Refused(USAGE_ERROR, "the settings name no server of Trino", "set trino.url")
    try:
        from publisher.commands.registering.trino_server import open_server
    except ImportError:
        raise Refused(
            USAGE_ERROR,
            "register --engine trino needs Trino's client",
            'pip install ".[trino]" in the checkout of schema-publisher',
        ) from None
    with open_server(trino.url, trino.username, trino.secret(), trino.timeout_seconds) as server:
        for each in register_views(written, server, replace=replace):
            done.append(each)  # noqa: PERF402 (earlier results must survive a failure)
