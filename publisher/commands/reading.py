"""Commands that look and change nothing: status, explain, plan, verify, check."""

from __future__ import annotations

import sys
from contextlib import closing
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from publisher.commands.arguments import Config, Json, relation_name
from publisher.commands.failures import NO, USAGE_ERROR, Refused


class PlanFormat(Enum):
    """How ``plan`` shows what it found."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"


class Dialect(Enum):
    """Whose DDL ``plan`` reads; the catalog's own enumeration is imported later."""

    HIVE = "hive"
    SPARK = "spark"


def status(config: Config = None, *, json: Json = None) -> None:
    """Relations, packages, outstanding work, and what is wrong with which relation."""
    from publisher.commands.deployment import state_to_read
    from publisher.commands.output.choice import output_for
    from publisher.daemon.inspection import engine_status
    from publisher.settings import load_settings

    with closing(state_to_read(load_settings(config))) as state:
        found = state.read(lambda tx: engine_status(tx, {}))
    output_for(json).status(found)


def explain(
    relation: Annotated[str, typer.Argument(help="database.table, such as shop.orders")],
    config: Config = None,
    *,
    json: Json = None,
) -> None:
    """A relation's status and its reason, upstreams, dependents, and versions with their reasons."""
    from publisher.commands.deployment import state_to_read
    from publisher.commands.output.choice import output_for
    from publisher.commands.reports import relation_report
    from publisher.daemon.assembly import build_packaging, build_selection
    from publisher.settings import load_settings

    name = relation_name(relation)
    settings = load_settings(config)
    distribution = build_packaging(settings).distribution(name)
    selection = build_selection(settings)
    with closing(state_to_read(settings)) as state:
        report = state.read(lambda tx: relation_report(tx, name, distribution, selection))
    if report is None:
        raise Refused(
            NO,
            f"relation {name} is not known here",
            "check its spelling; if it is new: schema-publisher resync RELATION",
        )
    output_for(json).relation(report)


def plan(
    ddl: Annotated[
        list[str] | None,
        typer.Argument(
            help="DDL to apply first: files, folders of .sql files, - for standard input, or statements."
        ),
    ] = None,
    config: Config = None,
    *,
    dialect: Annotated[
        Dialect | None,
        typer.Option(help="Whose DDL it is; by default the catalog's own, Hive's for a metastore."),
    ] = None,
    read_all: Annotated[
        bool,
        typer.Option(
            "--read-all", help="Read every relation of the catalog, whatever the state knows of it."
        ),
    ] = False,
    output_format: Annotated[
        PlanFormat | None,
        typer.Option(
            "--format",
            help="By default text on a terminal, else JSON.",
            show_default=False,
        ),
    ] = None,
    json: Json = None,
) -> None:
    """What DDL would change: versions and why, what breaks and because of what. Changes nothing.

    Exit status 1 if something would break. Without DDL: what is not published yet of the catalog as it is.
    """
    from lakeschema.catalog.relations import Dialect as CatalogDialect
    from publisher.commands.ddl_input import read_scripts
    from publisher.commands.output.choice import output_for
    from publisher.commands.output.plan_markdown import write_markdown
    from publisher.commands.planned_deployment import Question, plan_deployment
    from publisher.settings import load_settings

    settings = load_settings(config)
    scripts = read_scripts(ddl or (), sys.stdin.buffer)
    question = Question(
        scripts,
        None if dialect is None else CatalogDialect(dialect.value),
        believes_state=not read_all,
    )
    found = plan_deployment(
        settings, question, lambda what: typer.echo(f"schema-publisher: {what}", err=True)
    )
    match output_format:
        case PlanFormat.MARKDOWN:
            write_markdown(found, sys.stdout)
        case PlanFormat.TEXT | PlanFormat.JSON:
            output_for(output_format is PlanFormat.JSON).plan(found)
        case None:
            output_for(json).plan(found)
    raise typer.Exit(NO if found.breaks else 0)


def verify(
    config: Config = None,
    *,
    repair: Annotated[
        bool,
        typer.Option(
            "--repair",
            help="Upload again what the index lost, publish what it lacks, and compare again.",
        ),
    ] = False,
    json: Json = None,
) -> None:
    """Derives everything anew and compares it with the index; exit status 1 if anything differs."""
    from publisher.commands.deployment import state_to_read
    from publisher.commands.output.choice import output_for
    from publisher.commands.repair import repair as mend
    from publisher.commands.verify import Verification
    from publisher.commands.verify import verify as compare
    from publisher.daemon.assembly import (
        build_deriver,
        build_index_to_read,
        build_limited_packaging,
        build_processes,
        build_selection,
        open_catalog,
    )
    from publisher.settings import load_settings

    settings = load_settings(config)

    def verified() -> Verification:
        with open_catalog(settings) as catalog, build_processes(settings) as processes:
            return compare(
                catalog,
                build_index_to_read(settings),
                build_limited_packaging(settings, processes),
                build_deriver(settings, processes),
                build_selection(settings),
                settings.artifacts.public_keys,
            )

    if repair:
        # A new state would publish under new numbers what the index has: `adopt` is for that.
        state_to_read(settings).close()
    output = output_for(json)
    verification = verified()
    output.verification(verification)
    if repair and verification.drifts:
        mend(settings, verification.drifts)
        verification = verified()
        output.verification(verification)
    raise typer.Exit(NO if verification.drifts else 0)


def check(
    file: Annotated[
        Path, typer.Argument(help="requirements.txt, uv.lock, poetry.lock or pylock.toml.")
    ],
    config: Config = None,
    *,
    against: Annotated[
        str | None,
        typer.Option(help="The index's address, such as https://packages.example/simple/."),
    ] = None,
    prefix: Annotated[
        str | None,
        typer.Option(help="Of our packages; with --against it makes settings unnecessary."),
    ] = None,
    json: Json = None,
) -> None:
    """Which schema packages of a project are behind, what newer versions change, and what breaks.

    Exit status 1 if a newer version is a major one, or a pinned one is yanked or missing.
    """
    from publisher.commands.check import check_pins
    from publisher.commands.consumer import opened_index
    from publisher.commands.output.choice import output_for
    from publisher.commands.pins import UnreadablePins, read_pins

    with opened_index(config, against, prefix) as opened:
        try:
            pins = read_pins(file, opened.packaging.prefix)
        except UnreadablePins as error:
            raise Refused(USAGE_ERROR, str(error)) from error
        checked = check_pins(pins, opened.index, opened.packaging)
    output_for(json).pins(checked)
    raise typer.Exit(NO if any(pin.needs_attention for pin in checked) else 0)
