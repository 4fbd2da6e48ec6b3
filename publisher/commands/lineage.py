"""The command ``lineage``: shows where columns come from and who reads them, from the state alone."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from enum import Enum
from functools import partial
from json import dumps
from typing import TYPE_CHECKING, Annotated, Any

import typer

from publisher.commands.arguments import Config, Json
from publisher.commands.failures import NO, USAGE_ERROR, Refused

if TYPE_CHECKING:
    from publisher.settings import Settings


class LineageFormat(Enum):
    SVG = "svg"
    DOT = "dot"
    MERMAID = "mermaid"
    OPENLINEAGE = "openlineage"


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
        LineageFormat | None,
        typer.Option(
            "--format",
            help="svg, dot, mermaid: a picture. openlineage: a line with an event for each view, with "
            "all its columns.",
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
    from lakeschema.catalog.typed_names import resolve_known_name
    from publisher.commands.deployment import state_to_read
    from publisher.commands.output.choice import output_for
    from publisher.commands.output.lineage_picture import lineage_graph
    from publisher.daemon.adapters import build_packaging, naming_rules
    from publisher.lineage.openlineage import traced_events
    from publisher.lineage.questions import NotFound, place_of
    from publisher.lineage.tracing import trace
    from publisher.lineage.values import Direction, Traced
    from publisher.pictures.drawing import PictureFormat, drawn
    from publisher.pictures.graph import Graph
    from publisher.settings import load_settings
    from publisher.state.protocol import Transaction

    settings = load_settings(config)
    names = partial(resolve_known_name, rules=naming_rules(settings))
    distribution = build_packaging(settings).distribution
    direction = Direction.DOWNSTREAM if downstream else Direction.UPSTREAM

    def traced(tx: Transaction) -> Traced | NotFound | Graph | Sequence[dict[str, Any]]:
        place = place_of(tx, relation, names)
        if isinstance(place, NotFound):
            return place
        if output_format is not None and output_format is not LineageFormat.OPENLINEAGE:
            return lineage_graph(tx, place, direction, distribution, depth, settings)
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
    if isinstance(found, Graph):
        assert output_format is not None
        typer.echo(drawn(found, PictureFormat(output_format.value)), nl=False)
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
    """OpenLineage's namespace for the catalog: a metastore's address, otherwise the packages' prefix."""
    from publisher.lineage.openlineage import metastore_namespace

    catalog = settings.default_catalog
    if catalog.kind == "hive":
        return metastore_namespace(catalog.uri)
    return f"{catalog.kind}://{settings.artifacts.prefix}"
