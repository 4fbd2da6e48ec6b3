"""Commands that run a deployment: from ``run`` and ``snapshot`` to ``dead-letters``."""

from __future__ import annotations

import gc
import json as json_text
import signal
import threading
from contextlib import closing
from typing import Annotated, Literal

import typer

from publisher.commands.arguments import Config, Json, names_near, relation_name, unknown_relation
from publisher.commands.failures import NO, USAGE_ERROR, Refused

_SIGNAL_SECONDS = 0.5


def run(
    config: Config = None,
    *,
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"],
        typer.Option(
            help="The lowest level that is logged. The log is JSON Lines on standard error."
        ),
    ] = "info",
) -> None:
    """Runs the daemon: events, periodic snapshots and HTTP, until SIGTERM or Ctrl-C."""
    from publisher.daemon.service import Service
    from publisher.daemon.service_manager import ServiceManager
    from publisher.logs import log_to
    from publisher.settings import load_settings

    log_to(level=log_level.upper())
    manager = ServiceManager()
    settings = load_settings(config)
    stopping = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopping.set())
    with Service(settings, config) as service:
        # Modules, grammars and templates stay for ever. Without this, each full collection visits them
        # for a tenth of a second, and no request is answered during that time.
        gc.collect()
        gc.freeze()
        ready = {"event": "ready", "http": service.url}
        if service.operations_url is not None:
            ready["operations"] = service.operations_url
        print(json_text.dumps(ready), flush=True)
        manager.say_ready(f"serves {service.url}" if service.url else "runs without HTTP")
        # Without a time-out, a signal that another thread receives does not end the wait.
        while not stopping.wait(_SIGNAL_SECONDS):
            manager.say_alive(service.is_live)
        manager.say_stopping()


def snapshot(
    config: Config = None,
    runner: Annotated[
        Literal["auto", "spark", "local"] | None,
        typer.Option(help="Where to read and derive; by default as snapshot.runner says."),
    ] = None,
    *,
    dry_run: Annotated[
        bool, typer.Option(help="Only show the differences; write nothing.")
    ] = False,
    enqueue_only: Annotated[
        bool, typer.Option(help="Leave deriving and publishing to a running daemon.")
    ] = False,
    json: Json = None,
) -> None:
    """Compares the whole catalog once, on Spark or in this process, and publishes the differences.

    Exit status 1 if something could not be published, which `status` shows, or if a statement of a
    DDL folder could not be applied.
    """
    from publisher.commands import snapshot as passes
    from publisher.commands.output.choice import output_for
    from publisher.settings import load_settings

    settings = load_settings(config)
    if dry_run:
        output_for(json).snapshot(passes.dry_run(settings))
        return
    chosen = runner or settings.snapshot.runner
    outcome = passes.run_snapshot(settings, chosen, publish=not enqueue_only)
    output_for(json).snapshot(outcome)
    if outcome.undone or outcome.unapplied:
        raise typer.Exit(NO)


def resync(
    relation: Annotated[
        str | None, typer.Argument(help="database.table; by default the whole catalog")
    ] = None,
    config: Config = None,
    *,
    json: Json = None,
) -> None:
    """Reads a relation, or the whole catalog, again; the daemon or the next snapshot publishes changes."""
    from publisher.commands.deployment import opened_deployment
    from publisher.commands.output.choice import output_for
    from publisher.commands.reports import ResyncReport
    from publisher.settings import load_settings

    settings = load_settings(config)
    name = relation_name(relation, settings) if relation is not None else None
    with opened_deployment(settings) as deployment:
        if name is None:
            report = ResyncReport(deployment.engine.snapshot())
        else:
            if not deployment.knows(name):
                recorded = deployment.state.read(lambda tx: tx.graph.every_record())
                raise unknown_relation(
                    f"relation {name} is neither in the catalog nor known here",
                    name,
                    {*recorded, *names_near(deployment.catalog, name)},
                    "check its spelling",
                )
            deployment.engine.resync([name])
            report = ResyncReport(name)
    output_for(json).resync(report)


def confirm_deletions(
    namespace: Annotated[
        str | None, typer.Argument(help="such as shop; by default all held deletions")
    ] = None,
    config: Config = None,
    *,
    json: Json = None,
) -> None:
    """Lets the next snapshot carry out deletions that were held because there were too many."""
    from publisher.commands.deletions import confirm
    from publisher.commands.deployment import opened_deployment
    from publisher.commands.output.choice import output_for
    from publisher.settings import load_settings

    with opened_deployment(load_settings(config)) as deployment:
        confirmed = confirm(deployment.engine, deployment.state, namespace)
    output_for(json).confirmed_deletions(confirmed)


def confirm_changes(config: Config = None, *, json: Json = None) -> None:
    """Lets the next snapshot publish the many new versions that an upgrade or a setting causes."""
    from publisher.commands.deployment import opened_deployment
    from publisher.commands.output.choice import output_for
    from publisher.settings import load_settings

    with opened_deployment(load_settings(config)) as deployment:
        reason = deployment.engine.confirm_changes()
    if not reason:
        raise Refused(NO, "no changes are held", "schema-publisher status shows held changes")
    output_for(json).confirmed_changes(reason)


def republish(
    relations: Annotated[
        list[str] | None,
        typer.Argument(
            help="database.table …; by default the packages of earlier generators",
        ),
    ] = None,
    config: Config = None,
    *,
    every: Annotated[
        bool, typer.Option("--all", help="Every package, whichever generator built it.")
    ] = False,
    missing: Annotated[
        bool,
        typer.Option("--missing", help="Upload again all files that the index lost, however many."),
    ] = False,
    json: Json = None,
) -> None:
    """Publishes a new patch version of unchanged packages, to deliver fixes of the generated code."""
    from publisher.commands.deployment import opened_deployment
    from publisher.commands.output.choice import output_for
    from publisher.commands.republish import mark
    from publisher.settings import load_settings

    if missing and relations:
        raise Refused(
            USAGE_ERROR, "--missing takes no relations", "it compares every package with the index"
        )
    if every and (missing or relations):
        raise Refused(
            USAGE_ERROR, "--all takes neither relations nor --missing", "it marks every package"
        )
    settings = load_settings(config)
    if missing:
        with opened_deployment(settings) as deployment:
            report = deployment.engine.refill()
        output_for(json).index(report)
        return
    names = [relation_name(text, settings) for text in relations or ()]
    with opened_deployment(settings) as deployment:
        marked = mark(deployment.engine, deployment.state, names, whatever_generator=every)
    output_for(json).republished(marked)


def adopt(config: Config = None, *, json: Json = None) -> None:
    """Adopts packages that the index has and the state lacks, after the state was lost or restored."""
    from publisher.commands.deployment import opened_deployment
    from publisher.commands.output.choice import output_for
    from publisher.settings import load_settings

    with opened_deployment(load_settings(config)) as deployment:
        report = deployment.engine.adopt()
    output_for(json).index(report)
    raise typer.Exit(NO if report.failed else 0)


def retire(
    config: Config = None,
    *,
    dry_run: Annotated[
        bool, typer.Option(help="Only show which versions would be yanked.")
    ] = False,
    json: Json = None,
) -> None:
    """Yanks old versions now, by the rules in index.retention; exit status 1 if the index cannot yank."""
    from publisher.commands.deployment import state_to_read
    from publisher.commands.output.choice import output_for
    from publisher.commands.retire import retirements
    from publisher.daemon.adapters import build_index_to_read
    from publisher.daemon.assembly import build_retention
    from publisher.runtime import SystemClock
    from publisher.settings import load_settings

    settings = load_settings(config)
    retention = build_retention(settings)
    if retention is None:
        raise Refused(
            USAGE_ERROR, "index.retention is not set", "set index.retention.keep_latest_per_major"
        )
    output = output_for(json)
    all_done = True
    is_empty = True
    with closing(state_to_read(settings)) as state:
        found = retirements(
            state, build_index_to_read(settings), retention, SystemClock().wall(), dry_run=dry_run
        )
        for retirement in found:
            output.retirement(retirement)
            all_done = all_done and (dry_run or retirement.is_done)
            is_empty = False
    if is_empty:
        output.nothing_to_retire()
    raise typer.Exit(0 if all_done else NO)


def dead_letters(
    discard: Annotated[int | None, typer.Option(help="Delete the event with this id.")] = None,
    config: Config = None,
    *,
    json: Json = None,
) -> None:
    """Lists events that could not be read, with their bytes and the reason."""
    from publisher.commands.deployment import state_to_read
    from publisher.commands.output.choice import output_for
    from publisher.settings import load_settings

    with closing(state_to_read(load_settings(config))) as state:
        letters = state.read(lambda tx: tx.journal.dead_letters())
        if discard is not None:
            if discard not in {letter.id for letter in letters}:
                raise Refused(NO, f"there is no dead letter {discard}")
            state.write(lambda tx: tx.journal.discard_dead_letter(discard))
        output_for(json).dead_letters([letter for letter in letters if letter.id != discard])
