"""The command line: its commands, its options, and its reports of failures.

Each command imports slow modules itself, so that it loads only what it needs.
"""

from __future__ import annotations

import gc
import traceback
from importlib import metadata
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from publisher.commands import (
    catalog_shell,
    configuring,
    doctor,
    impact,
    lineage,
    notify_test,
    operating,
    reading,
    standalone,
    usage,
)
from publisher.commands.dbt import command as dbt
from publisher.commands.examples import examples_of
from publisher.commands.failures import failure_of
from publisher.commands.planning import command as planning
from publisher.commands.projects import command as projects
from publisher.commands.registering import command as registering
from publisher.commands.warnings import show_warnings
from publisher.redaction import SECRETS


class _Commands(TyperGroup):
    """Ends every command with an exit status; if it raised an error, also prints a line for people."""

    def invoke(self, ctx: Any) -> Any:  # typer hides the context's type
        try:
            return super().invoke(ctx)
        except typer.TyperException as error:
            # The checker of options puts its own words before its messages.
            from publisher.settings.problems import in_plain_words

            error.message = in_plain_words(error.message)
            raise
        except (typer.Exit, typer.Abort, BrokenPipeError):
            raise
        except Exception as error:  # noqa: BLE001  a command is one unit of work
            if ctx.params["traceback"]:
                trace = "".join(traceback.format_exception(error))
                typer.echo(SECRETS.redact(trace), err=True, nl=False)
            failure = failure_of(error)
            typer.echo(SECRETS.redact(str(failure)), err=True)
            raise typer.Exit(failure.exit_status) from None


app = typer.Typer(
    cls=_Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Turns every table and view of a metastore into a versioned, typed Python package.",
)

for _command in (
    standalone.demo,
    operating.run,
    operating.snapshot,
    planning.plan,
    reading.status,
    doctor.doctor,
    reading.coverage,
    reading.explain,
    catalog_shell.catalog,
    lineage.lineage,
    impact.impact,
    usage.usage,
    reading.verify,
    reading.check,
    operating.resync,
    operating.confirm_deletions,
    operating.confirm_changes,
    operating.republish,
    operating.adopt,
    operating.retire,
    operating.dead_letters,
    notify_test.notify_test,
    standalone.translate,
    standalone.analyze,
    dbt.dbt,
    registering.register,
    standalone.generate,
):
    _name = _command.__name__.replace("_", "-")
    app.command(name=_name, epilog=examples_of(_name))(_command)


app.add_typer(configuring.app, name="config")
app.add_typer(projects.app, name="project")


def main() -> None:
    show_warnings()
    try:
        app(prog_name="schema-publisher")
    finally:
        # Without this, the interpreter searches all modules for cycles before it ends, for 0.1 s or
        # more.
        gc.freeze()


def _show_version(asked: bool) -> None:
    if asked:
        typer.echo(f"schema-publisher {metadata.version('schema-publisher')}")
        raise typer.Exit


@app.callback()
def _global_options(
    *,
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version.", callback=_show_version, is_eager=True),
    ] = False,
    traceback: Annotated[
        bool, typer.Option("--traceback", help="Show where in the program an error came from.")
    ] = False,
) -> None:
    pass


if __name__ == "__main__":
    main()
