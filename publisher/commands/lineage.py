"""The command that shows where columns come from and who reads them, from the state alone."""

from __future__ import annotations

from contextlib import closing
from typing import Annotated

import typer

from publisher.commands.arguments import Config, Json
from publisher.commands.failures import NO, USAGE_ERROR, Refused


def lineage(
    relation: Annotated[
        str, typer.Argument(help="database.table or database.table.column", metavar="NAME")
    ],
    config: Config = None,
    *,
    downstream: Annotated[
        bool, typer.Option("--downstream", help="Who reads it, instead of what it comes from.")
    ] = False,
    depth: Annotated[
        int | None, typer.Option(min=1, help="How many views far; by default all the way.")
    ] = None,
    json: Json = None,
) -> None:
    """Where a relation or a column comes from, directly and through which clauses; or who is hit.

    Of what was derived last: tables and views of the state, not of the catalog.
    """
    from lakeschema.catalog.errors import MalformedName
    from publisher.commands.deployment import state_to_read
    from publisher.commands.output.choice import output_for
    from publisher.daemon.adapters import build_packaging
    from publisher.lineage.questions import NotFound, place_of
    from publisher.lineage.tracing import trace
    from publisher.lineage.values import Direction, Traced
    from publisher.settings import load_settings
    from publisher.state.protocol import Transaction

    settings = load_settings(config)
    distribution = build_packaging(settings).distribution
    direction = Direction.DOWNSTREAM if downstream else Direction.UPSTREAM

    def traced(tx: Transaction) -> Traced | NotFound:
        place = place_of(tx, relation)
        if isinstance(place, NotFound):
            return place
        return trace(tx, place, direction, distribution, depth)

    try:
        with closing(state_to_read(settings)) as state:
            found = state.read(traced)
    except MalformedName as error:
        raise Refused(
            USAGE_ERROR,
            f"invalid name {relation!r}: expected database.table or database.table.column",
            "a part that is not a plain word stands in back-ticks: 'shop.`order items`'",
        ) from error
    if isinstance(found, NotFound):
        raise Refused(NO, found.reason, found.hint)
    output_for(json).lineage(found)
