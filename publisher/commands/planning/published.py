"""Compares a desired state with another deployment's packages, which show what its catalog has."""

from __future__ import annotations

from dataclasses import replace

from dependency_graph.graph import affected_cone, graph_of
from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.deriving.deriver import Deriver
from lakeschema.translation.deriving.upstream_first import derive_all
from lakeschema.translation.model.outcome import Derived
from publisher.commands.planning.desired import Desired
from publisher.commands.planning.packages import OfferedAgain, PackageForecast, following
from publisher.commands.planning.values import (
    Failing,
    Fate,
    Plan,
    PlannedRelation,
    PlannedVersion,
    Read,
)


def plan_against_packages(desired: Desired, deriver: Deriver, forecast: PackageForecast) -> Plan:
    """The versions still to be published, and the packages that would break or be dropped.

    Raises:
        PackageIndexError: the index did not answer.
    """
    outcomes = derive_all(desired.relations, deriver)
    reads = {n: o.derivation.upstreams for n, o in outcomes.items() if isinstance(o, Derived)}
    graph = graph_of((name, upstream) for name, named in reads.items() for upstream in named)
    versions: list[PlannedVersion] = []
    failing: list[Failing] = []
    again: list[RelationName] = []
    for name, outcome in sorted(outcomes.items()):
        if not isinstance(outcome, Derived):
            failing.append(Failing(name, outcome.status.value, outcome.reason))
            continue
        match following(forecast, desired.relations[name], outcome.derivation):
            case PlannedVersion() as version:
                dependents = tuple(sorted(affected_cone(graph, [name]) - {name}))
                versions.append(replace(version, dependents=dependents))
            case Failing() as unfit:
                failing.append(unfit)
            case OfferedAgain():
                again.append(name)
            case None:
                pass
    found = [replace(each, published=forecast.newest(each.relation)) for each in failing]
    gone = forecast.relations_of_others(desired.relations.keys(), desired.namespaces)
    broken = [f for f in found if f.published is not None or f.is_refused_by_engine]
    return Plan(
        relations=_relations(desired, versions, gone),
        versions=versions,
        broken=broken,
        failing=[each for each in found if each not in broken],
        dropped_packages=forecast.dropped(sorted(gone), lambda: sorted({*gone, *outcomes})),
        offered_again=again,
        reads=[Read(upstream, name) for name, named in sorted(reads.items()) for upstream in named],
    )


def _relations(
    desired: Desired, versions: list[PlannedVersion], gone: frozenset[RelationName]
) -> list[PlannedRelation]:
    made = [
        PlannedRelation(
            version.relation,
            Fate.CREATED if version.newest is None else Fate.CHANGED,
            tuple(desired.statements.get(version.relation, ())),
            dependents_after=version.dependents,
        )
        for version in versions
    ]
    dropped = [PlannedRelation(name, Fate.DROPPED) for name in gone]
    return sorted([*made, *dropped], key=lambda each: each.relation)
