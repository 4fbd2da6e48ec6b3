"""Options and arguments of several commands."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from publisher.commands.failures import NO, USAGE_ERROR, Refused
from publisher.similar_names import did_you_mean, likely_names

if TYPE_CHECKING:
    from lakeschema.catalog.identifiers import RelationName
    from lakeschema.catalog.relations import Catalog

Config = Annotated[
    Path | None,
    typer.Option("--config", "-c", help="Settings file; by default schema-publisher.toml."),
]
PolicyFile = Annotated[
    Path | None,
    typer.Option("--policies", help="A TOML file of masks, filters and dropped columns."),
]
Group = Annotated[
    str | None, typer.Option(help="With --policies: the group of the readers; by default no group.")
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
        Refused: the text has another form.
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
            "put a part that is not a plain word in back-ticks: 'shop.`order items`'",
        )
    return name


def unknown_relation(
    message: str, asked: RelationName, known: Collection[RelationName], hint: str
) -> Refused:
    """A refusal that suggests similar known names, or gives ``hint``."""
    close = likely_names(str(asked), [str(name) for name in known])
    return Refused(NO, message, did_you_mean(close) or hint)


def names_near(catalog: Catalog, asked: RelationName) -> list[RelationName]:
    """The catalog's relations in the namespace of ``asked`` and in similar namespaces.

    Raises:
        CatalogError: the catalog does not answer.
    """
    namespaces = {".".join(namespace): namespace for namespace in catalog.namespaces()}
    stated = ".".join(asked.namespace)
    near = dict.fromkeys(
        (asked.namespace, *(namespaces[n] for n in likely_names(stated, namespaces)))
    )
    return [name for namespace in near for name in catalog.relations(namespace)]
