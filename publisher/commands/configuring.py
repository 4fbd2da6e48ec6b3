"""The command ``config``: writes a first settings file, shows its JSON Schema and values, tests them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import chain
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from publisher.commands.arguments import Config, Json
from publisher.commands.failures import NO, USAGE_ERROR, Refused

if TYPE_CHECKING:
    from publisher.daemon.probes import Probe
    from publisher.settings import Settings

app = typer.Typer(
    no_args_is_help=True,
    help="Writes, shows and tests the settings; prints their JSON Schema for editors.",
)


@app.command()
def init(
    prefix: Annotated[
        str, typer.Option(help="The beginning of every package's name, such as acme-schema.")
    ] = "acme-schema",
    catalog: Annotated[
        Literal["hive", "ddl", "spark"], typer.Option(help="Where relations are read.")
    ] = "hive",
    uri: Annotated[
        str, typer.Option(help="The metastore, for --catalog hive.")
    ] = "thrift://127.0.0.1:9083",
    config: Config = None,
) -> None:
    """Writes a first settings file; never overwrites an existing file."""
    from publisher.settings.loading import DEFAULT_FILE
    from publisher.settings.starting_file import starting_file

    file = config or DEFAULT_FILE
    text = starting_file(prefix, catalog, uri)
    try:
        with file.open("x", encoding="utf-8") as target:
            target.write(text)
    except FileExistsError:
        raise Refused(
            NO, f"{file} exists already", "remove it first, or name another with --config"
        ) from None
    except OSError as error:
        raise Refused(USAGE_ERROR, f"{file}: {error.strerror}") from error
    typer.echo(f"{file} written; next: schema-publisher config check")


@app.command()
def show(
    config: Config = None,
    *,
    describe: Annotated[
        bool, typer.Option("--describe", help="Also say what each setting means.")
    ] = False,
    json: Json = None,
) -> None:
    """Shows each setting's value, and whether it comes from the environment, the file or a default."""
    from publisher.commands.output.choice import output_for
    from publisher.settings import load_settings
    from publisher.settings.effective import effective_settings
    from publisher.settings.loading import read_file
    from publisher.settings.meanings import meanings_by_key

    settings = load_settings(config)
    found = effective_settings(settings, read_file(config), os.environ)
    output_for(json).settings(found, meanings_by_key(found) if describe else {})


@app.command()
def schema() -> None:
    """Prints the JSON Schema of the settings file, with which editors complete and explain keys."""
    from publisher.settings.json_schema import settings_schema

    typer.echo(dumps(settings_schema(), indent=2, ensure_ascii=False))


@app.command()
def check(
    config: Config = None,
    *,
    offline: Annotated[
        bool, typer.Option("--offline", help="Ask no server: only read the settings.")
    ] = False,
    json: Json = None,
) -> None:
    """Tests whether the settings are valid and the servers in them answer; exit status 1 if a test fails.

    Changes nothing, and may run while the service runs.
    """
    from publisher.commands.output.choice import output_for
    from publisher.daemon.probes import Probe, probes
    from publisher.settings import load_settings
    from publisher.settings.loading import DEFAULT_FILE

    settings = load_settings(config)
    output = output_for(json)
    source = config or DEFAULT_FILE
    origin = str(source) if Path(source).exists() else "the environment"
    output.probe(Probe("settings", is_usable=True, found=f"read from {origin}"))
    all_usable = True
    for probe in () if offline else chain(probes(settings), _of_plan(settings)):
        output.probe(probe)
        all_usable = all_usable and probe.is_usable
    raise typer.Exit(0 if all_usable else NO)


def _of_plan(settings: Settings) -> Iterator[Probe]:
    """Tests the files that tell ``plan`` who is affected, if there are any."""
    from publisher.commands.planned_deployment import build_audience
    from publisher.daemon.probes import Probe
    from publisher.settings import Planning

    if settings.plan == Planning():
        return
    try:
        build_audience(settings)
    except Refused as error:
        yield Probe("plan", is_usable=False, found=str(error))
    else:
        yield Probe("plan", is_usable=True, found="read")
