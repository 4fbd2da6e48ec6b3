"""Shows the sources of a column, and the packages that a column reaches, while the daemon runs."""

from __future__ import annotations

from contextlib import closing

from rich.console import Console

from lakeschema.catalog.identifiers import RelationName
from publisher.commands.deployment import state_to_read
from publisher.commands.output.lineage_tree import print_lineage
from publisher.daemon.adapters import build_packaging
from publisher.lineage.questions import NotFound, column_of
from publisher.lineage.tracing import trace
from publisher.lineage.values import Direction, Traced
from publisher.settings import Settings
from publisher.state.protocol import Transaction


def show_lineage(
    console: Console,
    settings: Settings,
    relation: RelationName,
    column: str,
    direction: Direction,
) -> Traced:
    """Shows the lineage of a column in the form of ``schema-publisher lineage``.

    Raises:
        LookupError: the state does not know the column.
    """
    distribution = build_packaging(settings).distribution

    def traced(tx: Transaction) -> Traced | NotFound:
        place = column_of(tx, relation, column)
        if isinstance(place, NotFound):
            return place
        return trace(tx, place, direction, distribution)

    option = " --downstream" if direction is Direction.DOWNSTREAM else ""
    console.print(f"[bold]$ schema-publisher lineage {relation}.{column}{option}[/bold]")
    with closing(state_to_read(settings)) as state:
        found = state.read(traced)
    if isinstance(found, NotFound):
        raise LookupError(found.reason)  # noqa: TRY004  it is the name that is wrong
    print_lineage(console, found)
    return found
