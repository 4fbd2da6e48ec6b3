"""Commands that read and change nothing: status, coverage, explain, verify, check."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from publisher.commands.arguments import Config, Json, stored_relation_name, unknown_relation
from publisher.commands.failures import NO, OUTSIDE_FAILED, USAGE_ERROR, Refused

if TYPE_CHECKING:
    from publisher.daemon.inspection import EngineStatus
    from publisher.state.records import VersionRecord


def status(config: Config = None, *, json: Json = None) -> None:
    """Shows the service, relations, packages, outstanding work, and the problems among them."""
    from publisher.commands.output.choice import output_for

    output_for(json).status(read_status(config))


def read_status(config: Path | None) -> EngineStatus:
    """The state's status, and whether a process works on it now."""
    from publisher.commands.deployment import state_to_read
    from publisher.daemon.inspection import engine_status
    from publisher.settings import load_settings
    from publisher.state.opening import somebody_works_on
    from publisher.state.places import place_of

    settings = load_settings(config)
    with closing(state_to_read(settings)) as state:
        is_worked_on = somebody_works_on(place_of(settings.state))
        found = state.read(lambda tx: engine_status(tx, {}))
    return replace(found, is_worked_on=is_worked_on)


def coverage(config: Config = None, *, json: Json = None) -> None:
    """Counts the relations that can have a package, and for each reason the relations that cannot."""
    from publisher.commands.coverage import coverage_of
    from publisher.commands.deployment import state_to_read
    from publisher.commands.output.choice import output_for
    from publisher.settings import load_settings

    with closing(state_to_read(load_settings(config))) as state:
        records = state.read(lambda tx: tx.graph.every_record())
    output_for(json).coverage(coverage_of(records.values()))


def explain(
    relation: Annotated[str, typer.Argument(help="database.table, such as shop.orders")],
    config: Config = None,
    *,
    json: Json = None,
) -> None:
    """Shows a relation's status and reason, upstreams, dependents, and versions with their reasons."""
    from publisher.commands.deployment import facts_now, state_to_read
    from publisher.commands.output.choice import output_for
    from publisher.commands.reports import relation_report
    from publisher.daemon.adapters import build_packaging, build_selection
    from publisher.settings import load_settings

    settings = load_settings(config)
    name = stored_relation_name(relation, settings)
    distribution = build_packaging(settings).distribution(name)
    selection = build_selection(settings)
    facts = facts_now(settings, name)
    with closing(state_to_read(settings)) as state:
        report = state.read(lambda tx: relation_report(tx, name, distribution, selection, facts))
        if report is None:
            raise unknown_relation(
                f"relation {name} is not known here",
                name,
                state.read(lambda tx: tx.graph.every_record()),
                "check its spelling; if it is new: schema-publisher resync RELATION",
            )
    output_for(json).relation(report)


def verify(
    config: Config = None,
    *,
    repair: Annotated[
        bool,
        typer.Option(
            "--repair",
            help="Upload lost files again, publish missing versions, and compare again.",
        ),
    ] = False,
    json: Json = None,
) -> None:
    """Derives everything again. Compares the index with the result and with the published versions.

    Exit status 1 if anything differs. Relations that cannot be derived and never had a package are
    only counted.
    """
    from publisher.commands.deployment import state_to_read
    from publisher.commands.output.choice import output_for
    from publisher.commands.progress_bar import TerminalProgress
    from publisher.commands.repair import repair_drifts
    from publisher.commands.verify import Verification, verify_packages
    from publisher.daemon.adapters import (
        build_deriver,
        build_index_to_read,
        build_limited_packaging,
        build_processes,
        build_selection,
        open_catalog,
        unapplied_statements,
    )
    from publisher.settings import load_settings
    from publisher.state.opening import state_exists
    from publisher.state.places import place_of

    settings = load_settings(config)

    def published() -> Sequence[VersionRecord]:
        """The published versions; empty without a state.

        Without a state, files are compared only with the hashes on the index's pages.
        """
        if not state_exists(place_of(settings.state)):
            return ()
        with closing(state_to_read(settings)) as state:
            return state.read(lambda tx: tx.versions.every_version())

    def verified() -> Verification:
        with (
            open_catalog(settings) as catalog,
            build_processes(settings) as processes,
            TerminalProgress() as progress,
        ):
            found = verify_packages(
                catalog,
                build_index_to_read(settings),
                build_limited_packaging(settings, processes),
                build_deriver(settings, processes),
                build_selection(settings),
                settings.artifacts.public_keys,
                progress,
                published(),
            )
            return replace(found, unapplied=unapplied_statements(catalog))

    if repair:
        # This refuses a missing state: with a new state, a repair would publish the index's content
        # under new numbers. `adopt` restores a lost state.
        state_to_read(settings).close()
    output = output_for(json)
    verification = verified()
    output.verification(verification)
    if repair and verification.drifts:
        repair_drifts(settings, verification.drifts)
        verification = verified()
        output.verification(verification)
    raise typer.Exit(NO if verification.drifts or verification.unapplied else 0)


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
        typer.Option(help="The prefix of our packages. With --against, no settings are needed."),
    ] = None,
    json: Json = None,
) -> None:
    """Shows which schema packages of a project are outdated, what newer versions change, and what breaks.

    Exit status 1 if a newer version is a major version, or if a pinned version is yanked or missing.
    """
    from publisher.commands.checked_pins import NotOurIndex, check_pins
    from publisher.commands.consumer import opened_index
    from publisher.commands.output.choice import output_for
    from publisher.commands.pins import UnreadablePins, read_pins

    with opened_index(config, against, prefix) as opened:
        try:
            pins = read_pins(file, opened.packaging.prefix)
        except UnreadablePins as error:
            raise Refused(USAGE_ERROR, str(error)) from error
        try:
            checked = check_pins(pins, opened.index, opened.packaging)
        except NotOurIndex as error:
            setting = "--against https://packages.example/simple/" if against else "[index]"
            raise Refused(OUTSIDE_FAILED, str(error), f"check the address: {setting}") from error
    output_for(json).pins(checked)
    raise typer.Exit(NO if any(pin.needs_attention for pin in checked) else 0)
