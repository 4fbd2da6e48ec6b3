"""``lineage``: shows where columns come from and who reads them, from the state alone."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from json import dumps
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from publisher.commands.arguments import Config, Json
from publisher.commands.failures import NO, USAGE_ERROR, Refused

if TYPE_CHECKING:
    from publisher.settings import Settings


def lineage(
    relation: Annotated[
        str,
        typer.Argument(
            help="database.table, database.table.column, or a field of one", metavar="NAME"
        ),
    ],
    config: Config = None,
    *,
    downstream: Annotated[
        bool, typer.Option("--downstream", help="Show dependents instead of sources.")
    ] = False,
    depth: Annotated[
        int | None, typer.Option(min=1, help="How many views to follow; by default all.")
    ] = None,
    output_format: Annotated[
        Literal["openlineage"] | None,
        typer.Option(
            "--format",
            help="openlineage: a line with an event for each view, with all its columns.",
            show_default=False,
        ),
    ] = None,
    namespace: Annotated[
        str | None,
        typer.Option(
            help="Namespace of OpenLineage's datasets; by default the catalog's hive://HOST:PORT."
        ),
    ] = None,
    json: Json = None,
) -> None:
    """Shows the sources of a relation or a column, with the clauses involved, or its dependents.

    It uses the last derivations in the state, and does not ask the catalog.
    """
    from lakeschema.catalog.errors import MalformedName
    from publisher.commands.deployment import state_to_read
    from publisher.commands.output.choice import output_for
    from publisher.daemon.adapters import build_packaging
    from publisher.lineage.openlineage import traced_events
    from publisher.lineage.questions import NotFound, place_of
    from publisher.lineage.tracing import trace
    from publisher.lineage.values import Direction, Traced
    from publisher.settings import load_settings
    from publisher.state.protocol import Transaction

    settings = load_settings(config)
    distribution = build_packaging(settings).distribution
    direction = Direction.DOWNSTREAM if downstream else Direction.UPSTREAM

    def traced(tx: Transaction) -> Traced | NotFound | Sequence[dict[str, Any]]:
        place = place_of(tx, relation)
        if isinstance(place, NotFound):
            return place
        found = trace(tx, place, direction, distribution, depth)
        if output_format is None:
            return found
        now = datetime.now(UTC).isoformat()
        return traced_events(tx, found, namespace or dataset_namespace(settings), now)

    try:
        with closing(state_to_read(settings)) as state:
            found = state.read(traced)
    except MalformedName as error:
        raise invalid_name(relation) from error
    if isinstance(found, NotFound):
        raise Refused(NO, found.reason, found.hint)
    if isinstance(found, Traced):
        output_for(json).lineage(found)
        return
    for event in found:
        typer.echo(dumps(event))


def invalid_name(name: str) -> Refused:
    return Refused(
        USAGE_ERROR,
        f"invalid name {name!r}: expected database.table or database.table.column",
        "put a part that is not a plain word in back-ticks: 'shop.`order items`'",
    )


def dataset_namespace(settings: Settings) -> str:
    """The namespace that OpenLineage gives a metastore; for catalogs without an address, the packages' prefix."""
    from publisher.lineage.openlineage import metastore_namespace

    catalog = settings.default_catalog
    if catalog.kind == "hive":
        return metastore_namespace(catalog.uri)
    return f"{catalog.kind}://{settings.artifacts.prefix}"
