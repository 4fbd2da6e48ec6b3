"""Derives many relations, upstream relations first, with a reason for each failure.

No function here is recursive, because a chain of views may be deeper than Python's stack.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from dependency_graph.graph import cycle_path, cycles, graph_of, levels
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Catalog, Relation
from lakeschema.progress import NO_PROGRESS, Progress
from lakeschema.translation.deriving.deriver import DerivationCrashed, Deriver
from lakeschema.translation.deriving.recorded_views import as_recorded
from lakeschema.translation.model.errors import DefinedByItself, UnknownRelation, UnusableUpstream
from lakeschema.translation.model.interface import Derivation, Interface
from lakeschema.translation.model.outcome import Derived, Failed, Outcome, Status, failure

_READ_BATCH = 500

Upstreams = Mapping[RelationName, Sequence[RelationName]]


@dataclass(frozen=True, slots=True)
class CatalogDerivation:
    """Every relation of a catalog and its outcome, upstream relations first."""

    relations: Mapping[RelationName, Relation]
    outcomes: Mapping[RelationName, Outcome]

    @property
    def derivations(self) -> Mapping[RelationName, Derivation]:
        return {n: o.derivation for n, o in self.outcomes.items() if isinstance(o, Derived)}

    @property
    def failures(self) -> Mapping[RelationName, Failed]:
        return {n: o for n, o in self.outcomes.items() if isinstance(o, Failed)}


def derive_catalog(
    catalog: Catalog, deriver: Deriver, progress: Progress = NO_PROGRESS
) -> CatalogDerivation:
    """Reads and derives everything that the catalog lists.

    Raises:
        CatalogUnavailable: the catalog could not be read.
    """
    names = sorted(n for namespace in catalog.namespaces() for n in catalog.relations(namespace))
    relations: dict[RelationName, Relation] = {}
    progress.step("read", len(names))
    for start in range(0, len(names), _READ_BATCH):
        batch = names[start : start + _READ_BATCH]
        relations.update(catalog.read(batch))
        progress.done(len(batch))
    return CatalogDerivation(relations, derive_all(relations, deriver, progress))


def derive_all(
    relations: Mapping[RelationName, Relation],
    deriver: Deriver,
    progress: Progress = NO_PROGRESS,
    known: Mapping[RelationName, Interface] = MappingProxyType({}),
) -> Mapping[RelationName, Outcome]:
    """The outcome of each relation, upstream relations first. A crash fails only its relation.

    ``known`` has the interfaces of relations that are not derived here but may be read.
    """
    upstreams: dict[RelationName, tuple[RelationName, ...]] = {}
    outcomes: dict[RelationName, Outcome] = {
        name: Derived(Derivation(interface, (), ())) for name, interface in known.items()
    }
    for name, relation in relations.items():
        named = upstreams_or_failure(relation, deriver)
        if isinstance(named, Failed):
            outcomes[name] = named
        else:
            upstreams[name] = named
    outcomes |= cycle_failures(upstreams)
    progress.step("derive", len(relations))
    progress.done(len(outcomes))
    for name in (n for wave in waves(upstreams) for n in wave):
        if name not in outcomes:
            outcomes[name] = derive_one(relations[name], upstreams[name], outcomes, deriver)
            progress.done(1)
    return outcomes


def upstreams_or_failure(relation: Relation, deriver: Deriver) -> tuple[RelationName, ...] | Failed:
    """The relations that a relation reads; a failure if its text crashes the process that reads it."""
    try:
        return deriver.upstreams(relation)
    except DerivationCrashed as error:
        return _fail_for_crash(error)


def derive_one(
    relation: Relation,
    upstreams: Sequence[RelationName],
    outcomes: Mapping[RelationName, Outcome],
    deriver: Deriver,
) -> Outcome:
    """The outcome of one relation; an upstream without an outcome does not exist."""
    unusable = {u: o for u in upstreams if not isinstance(o := outcomes.get(u), Derived)}
    statuses = [Status.MISSING if o is None else o.status for o in unusable.values()]
    recorded = as_recorded(relation, statuses)
    if recorded is not None:
        relation = recorded
    elif unusable:
        return unusable_upstream(relation.name, *next(iter(unusable.items())))
    try:
        return deriver.derive(relation, interfaces_of(upstreams, outcomes))
    except DerivationCrashed as error:
        return _fail_for_crash(error)


def interfaces_of(
    names: Iterable[RelationName], outcomes: Mapping[RelationName, Outcome]
) -> Mapping[RelationName, Interface]:
    found = ((name, outcomes[name]) for name in names)
    return {n: o.derivation.interface for n, o in found if isinstance(o, Derived)}


def waves(upstreams: Upstreams) -> Sequence[Sequence[RelationName]]:
    """The keys in waves: a wave only reads earlier waves. The members of a cycle share a wave."""
    graph = graph_of(_edges(upstreams), upstreams)
    found = ([name for name in wave if name in upstreams] for wave in levels(graph))
    return [wave for wave in found if wave]


def cycle_failures(upstreams: Upstreams) -> Mapping[RelationName, Failed]:
    """The failure of each relation that reads itself, directly or indirectly."""
    graph = graph_of(_edges(upstreams), upstreams)
    return {
        name: failure(DefinedByItself(path, relation=name))
        for members in cycles(graph)
        for path in [cycle_path(graph, members)]
        for name in members
    }


def unusable_upstream(name: RelationName, upstream: RelationName, failed: Failed | None) -> Failed:
    """The failure of ``name`` because of its upstream.

    ``failed`` is the upstream's own failure; None if the upstream does not exist.
    """
    if failed is None:
        return failure(UnknownRelation(upstream, relation=name))
    return failure(UnusableUpstream(upstream, failed.status.value, relation=name))


def _fail_for_crash(error: DerivationCrashed) -> Failed:
    return Failed(Status.QUARANTINED, f"its derivation crashed: {error.reason}")


def _edges(upstreams: Upstreams) -> Iterable[tuple[RelationName, RelationName]]:
    return ((name, upstream) for name, names in upstreams.items() for upstream in names)
