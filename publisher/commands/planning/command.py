from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from typing import Annotated

import typer

from lakeschema.isolation.process import spawned_early
from publisher.commands.arguments import Config, Json
from publisher.commands.failures import NO
from publisher.commands.planning.formats import PlanFormat, default_format

_CHILDS_IMPORTS = (
    "lakeschema.translation.deriving.direct_deriver",
    "lakeschema.translation.deriving.limited_deriver",
    "publisher.publishing.limited_packaging",
)
"""Modules that the handlers of ``build_processes`` need; a wrong list only costs time."""


class Dialect(Enum):
    """The dialects of DDL for ``plan``; the catalog's own enumeration is imported later."""

    HIVE = "hive"
    SPARK = "spark"


@contextmanager
def _without_collection() -> Iterator[None]:
    """Turns off garbage collection: a plan makes few cycles, and the search for them takes a tenth of its time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@_without_collection()
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
        typer.Option(
            help="The dialect of the DDL; by default the catalog's, and Hive's for a metastore."
        ),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="live|URL|FOLDER|SETTINGS.toml",
            help="Take the DDL, or by default the catalog, as the whole desired state, and compare it with "
            "the live catalog, a metastore (thrift://…), a folder of DDL, another deployment's settings "
            "file, or another index (https://…/simple/).",
            show_default=False,
        ),
    ] = None,
    read_all: Annotated[
        bool,
        typer.Option(
            "--read-all", help="Read every relation of the catalog, even if the state knows it."
        ),
    ] = False,
    output_format: Annotated[
        PlanFormat | None,
        typer.Option(
            "--format",
            help="By default text on a terminal, else JSON. svg, dot and mermaid: a picture of what the "
            "DDL hits.",
            show_default=False,
        ),
    ] = None,
    json: Json = None,
) -> None:
    """Shows what DDL would change: versions, what breaks, and the causes. Changes nothing.

    Exit status 1 if something would break. Without DDL: shows what is not published yet.
    """
    with spawned_early(_CHILDS_IMPORTS) as child:
        # Imported while the process starts: a short plan spends most of its time on both.
        from lakeschema.catalog.relations import Dialect as CatalogDialect
        from publisher.commands.ddl_input import read_scripts
        from publisher.commands.output.plan_output import write_plan
        from publisher.commands.planned_deployment import Question, plan_deployment
        from publisher.commands.planning.against import OtherCatalog, read_against
        from publisher.daemon.adapters import build_processes
        from publisher.settings import load_settings

        settings = load_settings(config)
        other = None if against is None else read_against(against, settings)
        derived_for = other.settings if isinstance(other, OtherCatalog) else settings
        question = Question(
            read_scripts(ddl or (), sys.stdin.buffer),
            None if dialect is None else CatalogDialect(dialect.value),
            believes_state=not read_all,
        )
        with build_processes(derived_for, child) as processes:
            processes.start_one()
            if other is None:
                found = plan_deployment(settings, processes, question, _say)
            else:
                from publisher.commands.compared_deployment import compare_deployment

                found = compare_deployment(settings, processes, other, question, _say)
    chosen = PlanFormat(default_format(json).value) if output_format is None else output_format
    write_plan(found, chosen, sys.stdout)
    raise typer.Exit(NO if found.breaks else 0)


def _say(what: str) -> None:
    typer.echo(f"schema-publisher: {what}", err=True)
