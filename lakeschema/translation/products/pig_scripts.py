"""Rewrites a user's Pig script so that it reads tables only."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Relation
from lakeschema.translation.deriving.derivation import upstreams_of
from lakeschema.translation.deriving.with_upstreams import derive_with_upstreams
from lakeschema.translation.emission.pig.script import PigScript
from lakeschema.translation.emission.pig.user_scripts import relations_loaded, with_views_replaced
from lakeschema.translation.emission.pig.view import pig_view
from lakeschema.translation.model.errors import TranslationError
from lakeschema.translation.model.interface import Derivation, Interface, Options

Read = Callable[[Sequence[RelationName]], Mapping[RelationName, Relation]]
"""The facts of the relations that exist."""


def script_without_views(script: str, read: Read, options: Options) -> str:
    """The script with each LOAD of a view by HCatLoader replaced by the view's statements.

    Raises:
        TranslationError: a view cannot be read, or written for Pig.
    """
    relations = read_with_upstreams(relations_loaded(script), read, options)

    def write(name: RelationName, alias: str, taken: frozenset[str]) -> PigScript:
        derivations = derive_with_upstreams(name, relations, options)
        return view_script(name, relations, derivations, options, alias=alias, taken=taken)

    return with_views_replaced(script, lambda name: _is_view(relations.get(name)), write)


def view_script(
    name: RelationName,
    relations: Mapping[RelationName, Relation],
    derivations: Mapping[RelationName, Derivation],
    options: Options,
    *,
    alias: str | None = None,
    taken: frozenset[str] = frozenset(),
) -> PigScript:
    """The script of a view among the relations; ``derivations`` has the view and its upstreams."""

    def upstreams(view: RelationName) -> Mapping[RelationName, Interface]:
        return {read: derivations[read].interface for read in derivations[view].upstreams}

    return pig_view(name, relations, upstreams, options, alias=alias, taken=taken)


def read_with_upstreams(
    names: Sequence[RelationName], read: Read, options: Options
) -> Mapping[RelationName, Relation]:
    """The relations that exist among these names, and their upstreams at any distance."""
    found: dict[RelationName, Relation] = {}
    frontier = list(names)
    while frontier:
        new = read([name for name in frontier if name not in found])
        found |= new
        frontier = [name for relation in new.values() for name in _read_by(relation, options)]
        frontier = [name for name in frontier if name not in found]
    return found


def _read_by(relation: Relation, options: Options) -> Sequence[RelationName]:
    try:
        return upstreams_of(relation, options)
    except TranslationError:
        return ()  # If the view is needed, deriving it fails for the same reason.


def _is_view(relation: Relation | None) -> bool:
    return relation is not None and relation.is_view
