"""The command line: one thin function a command; what is slow to import is imported by whoever needs it.

Exit status: 0 done, 1 the answer is "no", 2 used wrongly, 3 something outside failed.
"""

from __future__ import annotations

import importlib
import json
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

if TYPE_CHECKING:
    from publisher.daemon.service import Service
    from publisher.settings import Settings

NO = 1
USAGE_ERROR = 2
OUTSIDE_FAILED = 3

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Turns every table and view of a metastore into a versioned, typed Python package.",
)

ConfigOption = Annotated[
    Path | None, typer.Option("--config", "-c", help="settings; schema-publisher.toml if not given")
]


def main() -> None:
    """Entry point of ``schema-publisher``."""
    app()


@app.command()
def run(config: ConfigOption = None) -> None:
    """The daemon: events, periodic snapshots, HTTP; until SIGTERM or Ctrl-C."""
    from publisher.logs import log_to

    settings = _settings(config)
    log_to()
    stopping = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopping.set())
    with _reported(), _service(settings, config) as service:
        print(json.dumps({"event": "ready", "http": service.url}), flush=True)
        stopping.wait()


@app.command()
def snapshot(
    config: ConfigOption = None,
    runner: Annotated[str | None, typer.Option(help="spark or local; as configured")] = None,
    *,
    dry_run: Annotated[bool, typer.Option(help="only say what differs")] = False,
    enqueue_only: Annotated[
        bool, typer.Option(help="leave deriving and publishing to a running daemon")
    ] = False,
) -> None:
    """One full pass over the catalog, on Spark; publishes what differs."""
    from publisher.commands.snapshot import run_snapshot

    settings = _settings(config)
    with _reported():
        report = run_snapshot(
            settings, runner or settings.snapshot.runner, dry_run=dry_run, publish=not enqueue_only
        )
    _print(report)


@app.command()
def plan(
    ddl: Annotated[list[Path] | None, typer.Argument(help="DDL files to look at first")] = None,
    config: ConfigOption = None,
) -> None:
    """What would change, which packages, which versions, who is hit. Changes nothing."""
    from publisher.commands.plan import plan_changes
    from publisher.daemon.assembly import (
        build_index,
        build_options,
        build_packaging,
        build_selection,
        opened_catalog,
    )

    settings = _settings(config)
    with _reported(), opened_catalog(settings) as catalog:
        statements = [path.read_text(encoding="utf-8") for path in ddl or ()]
        changes = plan_changes(
            catalog,
            build_index(settings),
            build_packaging(settings),
            build_options(settings),
            settings.artifacts.versioning,
            statements,
            build_selection(settings),
        )
    for change in changes:
        _print(change)


@app.command()
def status(config: ConfigOption = None) -> None:
    """Relations, work, packages, and what is wrong with which."""
    from publisher.commands.reports import status_report

    settings = _settings(config)
    with _reported(), _engine(settings) as engine:
        _print(status_report(engine.status()))


@app.command()
def explain(
    relation: Annotated[str, typer.Argument(help="database.table")], config: ConfigOption = None
) -> None:
    """A relation's status, upstreams, dependents, versions and the reasons for them."""
    from lakeschema.catalog.identifiers import RelationName
    from publisher.commands.reports import explain_report

    settings = _settings(config)
    with _reported(), _engine(settings) as engine:
        report = explain_report(engine.explain(RelationName.parse(relation)))
        if report is None:
            _stop(NO, f"{relation} is not known here", "resync it, or look at its spelling")
        _print(report)


@app.command()
def resync(
    relation: Annotated[str | None, typer.Argument(help="database.table; all if not given")] = None,
    config: ConfigOption = None,
) -> None:
    """Reads a relation, or the whole catalog, again; the daemon or the next snapshot does the rest."""
    from lakeschema.catalog.identifiers import RelationName

    settings = _settings(config)
    with _reported(), _engine(settings) as engine:
        if relation is None:
            engine.snapshot()
        else:
            engine.resync([RelationName.parse(relation)])


@app.command()
def verify(config: ConfigOption = None) -> None:
    """Derives everything anew and compares it with the index; exit status 1 if they differ."""
    from publisher.commands.verify import verify as compare
    from publisher.daemon.assembly import (
        build_index,
        build_options,
        build_packaging,
        build_selection,
        opened_catalog,
    )

    settings = _settings(config)
    with _reported(), opened_catalog(settings) as catalog:
        drifts = compare(
            catalog,
            build_index(settings),
            build_packaging(settings),
            build_options(settings),
            build_selection(settings),
        )
    for drift in drifts:
        _print(
            {
                "relation": str(drift.relation),
                "distribution": drift.distribution,
                "reason": drift.reason,
            }
        )
    raise typer.Exit(NO if drifts else 0)


@app.command()
def retire(
    config: ConfigOption = None,
    *,
    dry_run: Annotated[bool, typer.Option(help="only say what would be yanked")] = False,
) -> None:
    """Yanks what index.retention calls old, as the daemon does; exit status 1 if the index cannot."""
    from publisher.commands.reports import retention_report
    from publisher.daemon.assembly import build_index, build_retention, build_state
    from publisher.publishing.retention import plans
    from publisher.runtime import SystemClock

    settings = _settings(config)
    retention = build_retention(settings)
    if retention is None:
        _stop(
            USAGE_ERROR, "index.retention is not set", "set index.retention.keep_latest_per_major"
        )
    declined = False
    with _reported(), closing(build_state(settings)) as state:
        index = build_index(settings)
        for change in chain.from_iterable(plans(state, index, retention, SystemClock().now())):
            done = not dry_run and index.yank(change.file, change.reason)
            declined = declined or not (dry_run or done)
            _print(retention_report(change, done=done))
    raise typer.Exit(NO if declined else 0)


@app.command(name="dead-letters")
def dead_letters(
    discard: Annotated[int | None, typer.Option(help="forget the one with this id")] = None,
    config: ConfigOption = None,
) -> None:
    """Events that could not be read, with their bytes; ``--discard`` forgets one."""
    from publisher.commands.reports import dead_letter_report
    from publisher.daemon.assembly import build_state

    settings = _settings(config)
    with _reported():
        state = build_state(settings)
        if discard is not None:
            state.write(lambda tx: tx.journal.discard_dead_letter(discard))
        for letter in state.read(lambda tx: tx.journal.dead_letters()):
            _print(dead_letter_report(letter))
        state.close()


@app.command()
def translate(
    *, batch: Annotated[bool, typer.Option(help="JSON Lines in, JSON Lines out")] = False
) -> None:
    """Derives schemas of relations from DDL alone, without any server."""
    if not batch:
        _stop(USAGE_ERROR, "translate reads JSON Lines", "call it with --batch")
    from lakeschema.translation.batch import answer
    from lakeschema.translation.udf_plugins import PluginResolver, installed_references

    resolver = PluginResolver(installed_references())
    for line in sys.stdin.buffer:
        if not line.strip():
            continue
        try:
            request = json.loads(line)
        except (ValueError, RecursionError) as error:
            reply: dict[str, Any] = {
                "id": None,
                "error": {"type": "InvalidRequest", "message": f"the line is not JSON: {error}"},
            }
        else:
            reply = answer(request, resolver)
        sys.stdout.write(json.dumps(reply) + "\n")
        sys.stdout.flush()


@app.command()
def generate(
    schema: Annotated[Path, typer.Argument(help="an Avro schema (.avsc)")],
    package: Annotated[str, typer.Option(help="import name of the package")],
    output: Annotated[Path, typer.Option(help="folder to write it into")],
    *,
    immutable: Annotated[bool, typer.Option(help="records cannot be changed, and hash")] = False,
) -> None:
    """A typed package from one Avro schema, without the service."""
    from codegen.errors import CodegenError
    from codegen.standalone import generate as write_package
    from lakeschema.avro.errors import MalformedAvroSchema
    from lakeschema.avro.model import Record
    from lakeschema.avro.parsing import parse_schema

    try:
        parsed = parse_schema(schema.read_text(encoding="utf-8"))
        if not isinstance(parsed, Record):
            _stop(USAGE_ERROR, f"{schema} is not a record", "a package is made of a record")
        write_package(parsed, package, output, immutable=immutable)
    except OSError as error:
        _stop(OUTSIDE_FAILED, str(error), "")
    except (MalformedAvroSchema, CodegenError, UnicodeDecodeError) as error:
        _stop(USAGE_ERROR, str(error), getattr(error, "hint", ""))


@app.command()
def demo(
    *,
    keep: Annotated[bool, typer.Option(help="leave the folder with everything made")] = False,
) -> None:
    """The whole story on embedded parts, in under a minute, ending in pip install."""
    # The demo starts servers by the files of a checkout, which no wheel carries.
    if not (Path(__file__).parents[2] / "deploy" / "demo").is_dir():
        _stop(
            USAGE_ERROR,
            "the demo needs a checkout of the project; this is an installed package",
            "clone the repository and run: make demo",
        )
    tell = importlib.import_module("deploy.demo.story").tell
    with _reported():
        tell(keep=keep)


def _settings(config: Path | None) -> Settings:
    from publisher.settings import SettingsError, load_settings

    try:
        return load_settings(config)
    except SettingsError as error:
        _stop(USAGE_ERROR, str(error), "")


@contextmanager
def _engine(settings: Settings) -> Iterator[Any]:
    from publisher.daemon.assembly import (
        build_engine,
        build_index,
        build_options,
        build_state,
        opened_catalog,
    )
    from publisher.settling.deriving import DirectDeriver

    with opened_catalog(settings) as catalog, closing(build_state(settings)) as state:
        deriver = DirectDeriver(build_options(settings))
        yield build_engine(settings, state, catalog, build_index(settings), deriver)


def _service(settings: Settings, config: Path | None) -> Service:
    from publisher.daemon.service import Service

    return Service(settings, config)


@contextmanager
def _reported() -> Iterator[None]:
    """Errors that are answers become one line for a person and an exit status."""
    from lakeschema.catalog.errors import CatalogError, CatalogUnavailable
    from lakeschema.spark.session import SparkMissing
    from publisher.events.protocol import SourceUnavailable
    from publisher.index.protocol import PackageIndexError
    from publisher.settings import SettingsError
    from publisher.web.server import AddressTaken

    try:
        yield
    except (SettingsError, SparkMissing) as error:
        _stop(USAGE_ERROR, str(error), getattr(error, "hint", ""))
    except (CatalogUnavailable, PackageIndexError, SourceUnavailable, AddressTaken) as error:
        _stop(OUTSIDE_FAILED, str(error), getattr(error, "hint", ""))
    except CatalogError as error:
        _stop(USAGE_ERROR, str(error), error.hint)
    except OSError as error:
        _stop(OUTSIDE_FAILED, str(error), "")


def _stop(exit_status: int, message: str, hint: str) -> NoReturn:
    typer.echo(f"schema-publisher: {message}", err=True)
    if hint:
        typer.echo(f"  {hint}", err=True)
    raise typer.Exit(exit_status)


def _print(value: Any) -> None:
    print(json.dumps(value, default=str), flush=True)


if __name__ == "__main__":
    main()
