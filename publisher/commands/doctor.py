"""The command ``doctor``: shows a deployment's health on one page, and what a person should do."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import typer

from publisher.commands.arguments import Config, Json
from publisher.commands.failures import NO, Refused, failure_of

if TYPE_CHECKING:
    from publisher.daemon.inspection import EngineStatus


def doctor(config: Config = None, *, json: Json = None) -> None:
    """Checks settings, servers, service, relations and packages on one page; exit status 1 if there is work for you.

    Joins ``config check``, ``status`` and ``verify``. Changes nothing, and may run while the
    service runs.
    """
    from publisher.commands.configuring import check
    from publisher.commands.output.choice import output_for
    from publisher.commands.reading import read_status, verify

    output = output_for(json)

    def of_settings() -> Sequence[str]:
        # Each of these commands ends with an exception if it found a problem.
        check(config, json=json)
        return ()

    def of_service() -> Sequence[str]:
        found = read_status(config)
        output.status(found)
        return [*to_do(found)]

    def of_packages() -> Sequence[str]:
        verify(config, json=json)
        return ()

    parts = (
        ("settings and servers", of_settings, "correct what fails above"),
        ("service and relations", of_service, ""),
        ("packages and index", of_packages, "schema-publisher verify --repair"),
    )
    every: list[str] = []
    for title, ask, remedy in parts:
        output.part(title)
        try:
            every += ask()
        except typer.Exit as end:
            every += [f"{title}: {remedy}"] if end.exit_code else []
        except Refused as error:
            every.append(f"{title}: {error}; {error.failure.hint}")
        except Exception as error:  # noqa: BLE001  the other parts are asked all the same
            failure = failure_of(error)
            every.append(f"{title}: {failure.message}; {failure.hint}".rstrip("; "))
    output.to_do(every)
    raise typer.Exit(NO if every else 0)


def to_do(status: EngineStatus) -> Iterator[str]:
    """Tasks for a person, according to the state, apart from relations that cannot be derived."""
    from publisher.commands.output.times import shown_time
    from publisher.daemon.noted import Noted
    from publisher.publishing.index_comparison import release_of

    noted = Noted.read(status.notes)
    for service in noted.services:
        if not status.is_worked_on:
            yield "the service was killed: schema-publisher run"
        elif service.is_silent(time.time()):
            yield f"the service has not reported since {shown_time(service.said_at)}: read its log"
        else:
            yield from (f"{part}: {why}" for part, why in sorted(service.troubles.items()))
    yield from (
        f"deletions are held: {held.reason}; if they are intended: {held.confirming_command}"
        for held in noted.held_deletions
        if not held.is_confirmed
    )
    yield from (
        f"changes are held: {why}; if they are intended: schema-publisher confirm-changes"
        for why in noted.held_changes.values()
        if why
    )
    for index in noted.compared_indexes:
        yield from (
            f"packages are held: {h}; if this is intended: {release_of(h)}" for h in index.held
        )
        yield from (f"{name}: {why}" for name, why in index.failed.items())
    yield from (f"{name} is not listed: {why}" for name, why in noted.not_listed.items())
    if status.conflicts:
        yield (
            f"version numbers with other content on the index: {len(status.conflicts)}; "
            "find out who else uploads under the prefix"
        )
    if status.dead_letters:
        yield (
            f"events that could not be read: {status.dead_letters}; "
            "to see them: schema-publisher dead-letters"
        )
