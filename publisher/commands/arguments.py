"""Options and arguments that several commands share."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from publisher.commands.failures import NO, USAGE_ERROR, Refused
from publisher.similar_names import did_you_mean, likely_names

if TYPE_CHECKING:
    from lakeschema.catalog.identifiers import RelationName
    from lakeschema.catalog.relations import Catalog
    from lakeschema.catalog.typed_names import NamingRules
    from publisher.settings import Settings

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


def relation_name(text: str, settings: Settings) -> RelationName:
    """The relation that an argument names: ``database.table``.

    A name outside the default catalog begins with its catalog.

    Raises:
        Refused: the text has another form, or names no catalog of the settings.
    """
    from lakeschema.catalog.typed_names import resolve_name

    return _read_name(text, settings, resolve_name)


def stored_relation_name(text: str, settings: Settings) -> RelationName:
    """Like ``relation_name``, but also accepts a catalog that was removed from the settings.

    The state may still have the catalog's relations.
    """
    from lakeschema.catalog.typed_names import resolve_known_name

    return _read_name(text, settings, resolve_known_name)


def _read_name(
    text: str, settings: Settings, resolve: Callable[[str, NamingRules], RelationName]
) -> RelationName:
    from lakeschema.catalog.errors import MalformedName, SessionRefused
    from publisher.daemon.adapters import naming_rules

    try:
        name = resolve(text, naming_rules(settings))
    except SessionRefused as error:
        raise Refused(NO, str(error), error.hint) from error
    except MalformedName:
        name = None
    if name is None or not (name.namespace or name.catalog):
        raise Refused(
            USAGE_ERROR,
            f"invalid relation name {text!r}: expected database.table",
            "put a part that is not a plain word in back-ticks: 'shop.`order items`'",
        )
    return name


def unknown_relation(
    message: str, asked: RelationName, known: Collection[RelationName], hint: str
) -> Refused:
    """Refuses an unknown name; suggests similar known names, or shows ``hint``."""
    close = likely_names(str(asked), [str(name) for name in known])
    return Refused(NO, message, did_you_mean(close) or hint)


def names_near(catalog: Catalog, asked: RelationName) -> list[RelationName]:
    """The catalog's relations in the namespace of ``asked`` and in similar namespaces.

    Raises:
        CatalogError: the catalog does not answer.
    """
    namespaces = {str(namespace): namespace for namespace in catalog.namespaces()}
    stated = str(asked.place)
    near = dict.fromkeys((asked.place, *(namespaces[n] for n in likely_names(stated, namespaces))))
    return [name for namespace in near for name in catalog.relations(namespace)]
