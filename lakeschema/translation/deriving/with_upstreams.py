"""Derives one relation with all its upstreams in this process: for trusted text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Relation
from lakeschema.translation.avro.inexpressible import require_whole
from lakeschema.translation.deriving.deriver import Deriver
from lakeschema.translation.deriving.direct_deriver import DirectDeriver
from lakeschema.translation.deriving.upstream_first import derive_all
from lakeschema.translation.model.errors import TranslationError, UnusableUpstream
from lakeschema.translation.model.interface import Derivation, Inexpressible, Interface, Options
from lakeschema.translation.model.outcome import Derived, Failed, Outcome

Interfaces: TypeAlias = Callable[[Sequence[RelationName]], Mapping[RelationName, Interface]]
"""The known interfaces of these relations."""


def no_interfaces(_: Sequence[RelationName], /) -> Mapping[RelationName, Interface]:
    return {}


def derive_with_upstreams(
    name: RelationName,
    relations: Mapping[RelationName, Relation],
    options: Options,
    deriver: Deriver | None = None,
    interfaces: Interfaces = no_interfaces,
) -> Mapping[RelationName, Derivation]:
    """The derivations of ``name``, which must be a key, and of its upstreams at any distance.

    Upstream relations come first. ``deriver`` derives each; None means a ``DirectDeriver``.
    ``interfaces`` gives the interfaces of upstreams that are not among ``relations``.

    Raises:
        TranslationError: a relation cannot be derived; the error names the relation, which may be an
            upstream. With some options it is also raised if ``name`` has a column for which Avro has no
            type.
    """
    outcomes = outcomes_with_upstreams(
        name, relations.get, deriver or DirectDeriver(options), interfaces
    )
    cause = _cause(name, outcomes)
    if cause is not None:
        raise cause
    outcome = outcomes[name]
    if options.inexpressible is Inexpressible.REFUSE and isinstance(outcome, Derived):
        require_whole(outcome.derivation.interface)
    return {n: o.derivation for n, o in outcomes.items() if isinstance(o, Derived)}


def outcomes_with_upstreams(
    name: RelationName,
    find: Callable[[RelationName], Relation | None],
    deriver: Deriver,
    interfaces: Interfaces = no_interfaces,
) -> Mapping[RelationName, Outcome]:
    """The outcomes of ``name`` and of its upstreams at any distance.

    ``find`` looks relations up; it must find ``name``.
    """
    found, others = _with_upstreams(name, find, deriver)
    known = interfaces(others) if others else {}
    return derive_all(found, deriver, known=known)


def _with_upstreams(
    name: RelationName, find: Callable[[RelationName], Relation | None], deriver: Deriver
) -> tuple[Mapping[RelationName, Relation], Sequence[RelationName]]:
    """The relation and its upstreams at any distance, and the names of missing upstreams."""
    found: dict[RelationName, Relation] = {}
    others: dict[RelationName, None] = {}
    frontier = [name]
    while frontier:
        read = frontier.pop()
        relation = find(read)
        if relation is None:
            others[read] = None
            continue
        if read in found:
            continue
        found[read] = relation
        named = deriver.upstreams(relation)
        # If a text cannot be read, deriving the relation fails for the same reason.
        frontier += () if isinstance(named, Failed) else named
    return found, tuple(others)


def _cause(name: RelationName, outcomes: Mapping[RelationName, Outcome]) -> TranslationError | None:
    outcome = outcomes[name]
    while isinstance(outcome, Failed):
        match outcome.error:
            case UnusableUpstream(upstream=upstream):
                outcome = outcomes[upstream]
            case error:
                return error
    return None
