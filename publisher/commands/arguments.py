"""Options and arguments that several commands take."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from publisher.commands.failures import USAGE_ERROR, Refused

if TYPE_CHECKING:
    from lakeschema.catalog.identifiers import RelationName

Config = Annotated[
    Path | None,
    typer.Option("--config", "-c", help="Settings file; by default schema-publisher.toml."),
]
Json = Annotated[
    bool | None,
    typer.Option(
        "--json/--no-json",
        help="JSON Lines, or tables for people; by default tables on a terminal.",
        show_default=False,
    ),
]


def relation_name(text: str) -> RelationName:
    """An argument ``database.table`` as a value.

    Raises:
        Refused: the text is not such a name.
    """
    from lakeschema.catalog.errors import MalformedName
    from lakeschema.catalog.identifiers import RelationName

    try:
        name = RelationName.parse(text)
    except MalformedName:
        name = None
    if name is None or not name.namespace:
        raise Refused(
            USAGE_ERROR,
            f"invalid relation name {text!r}: expected database.table",
            "a part that is not a plain word stands in back-ticks: 'shop.`order items`'",
        )
    return name
