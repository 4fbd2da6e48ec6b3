"""The results of deriving everything from one state of the catalog, independently of the engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Relation
from lakeschema.translation.model.interface import Interface
from lakeschema.translation.model.outcome import Derived, Failed, Status
from tests.simulation.toy import ToyDeriver, ToyPackaging, content_of

_MAX_KNOWN = 20_000


@dataclass(frozen=True, slots=True)
class Truth:
    """``content`` is None unless the status is OK."""

    status: Status
    content: str | None = None


def full_derivation(state: Mapping[RelationName, Relation]) -> Mapping[RelationName, Truth]:
    named = {name: _upstreams(relation) for name, relation in state.items()}
    truths: dict[RelationName, Truth] = {}
    interfaces: dict[RelationName, Interface] = {}
    in_cycle = {name for name in state if name in _reachable(name, named)}
    pending = set(state) - in_cycle
    for name in in_cycle:
        truths[name] = Truth(Status.CYCLE)
    while pending:
        name = next(n for n in sorted(pending) if not pending.intersection(named[n]))
        pending.remove(name)
        truths[name] = _truth(state[name], named[name], interfaces)
    return truths


def readers_of(catalog: str, state: Mapping[RelationName, Relation]) -> frozenset[RelationName]:
    """The relations of this catalog, and those of others that read one of them at any distance."""
    named = {name: _upstreams(relation) for name, relation in state.items()}
    return frozenset(
        name
        for name in state
        if any(each.catalog == catalog for each in {name, *_reachable(name, named)})
    )


def _upstreams(relation: Relation) -> tuple[RelationName, ...]:
    upstreams = ToyDeriver().upstreams(relation)
    return () if isinstance(upstreams, Failed) else upstreams


def _reachable(
    name: RelationName, named: Mapping[RelationName, Sequence[RelationName]]
) -> set[RelationName]:
    seen: set[RelationName] = set()
    frontier = list(named.get(name, ()))
    while frontier:
        upstream = frontier.pop()
        if upstream not in seen:
            seen.add(upstream)
            frontier += named.get(upstream, ())
    return seen


def _truth(
    relation: Relation,
    upstreams: Sequence[RelationName],
    interfaces: dict[RelationName, Interface],
) -> Truth:
    broken = ToyDeriver().upstreams(relation)
    if isinstance(broken, Failed):
        return Truth(broken.status)
    if any(upstream not in interfaces for upstream in upstreams):
        return Truth(Status.BROKEN)
    truth, interface = _derive(relation, tuple(interfaces[u] for u in upstreams))
    if interface is not None:
        interfaces[relation.name] = interface
    return truth


_Known = tuple[Truth, Interface | None]
_KNOWN: dict[object, _Known] = {}


def _derive(relation: Relation, upstreams: tuple[Interface, ...]) -> _Known:
    """Derives a relation; cached, since successive states of a history differ in one relation."""
    text = relation.view.text if relation.view is not None else None
    columns = tuple(c.name for c in relation.columns)
    seen = tuple((u.name, tuple(c.name for c in u.columns)) for u in upstreams)
    key = (relation.name, text, columns, seen)
    if len(_KNOWN) > _MAX_KNOWN:
        _KNOWN.clear()
    found = _KNOWN.get(key)
    if found is None:
        found = _KNOWN[key] = _derive_now(relation, upstreams)
    return found


def _derive_now(relation: Relation, upstreams: Sequence[Interface]) -> _Known:
    outcome = ToyDeriver().derive(relation, {u.name: u for u in upstreams})
    match outcome:
        case Failed(status):
            return Truth(status), None
        case Derived(derivation):
            wheel = ToyPackaging().build(ToyPackaging().request(relation, derivation))
            return Truth(Status.OK, content_of(wheel.data)), derivation.interface
