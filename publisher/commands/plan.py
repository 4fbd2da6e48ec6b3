"""Predicts what publishing would do: changes, versions, what breaks, and the causes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TypeVar

from dependency_graph.graph import affected_cone, graph_of
from lakeschema.catalog.ddl_change import DdlChange, Script, apply_ddl
from lakeschema.catalog.ddl_state import NamedInDdl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.listing import list_relations
from lakeschema.catalog.relations import Catalog, Dialect, Relation
from lakeschema.progress import NO_PROGRESS, Progress
from lakeschema.translation.deriving.deriver import Deriver
from lakeschema.translation.deriving.made_tables import query_columns
from lakeschema.translation.deriving.upstream_first import derive_catalog
from lakeschema.translation.model.interface import Derivation
from lakeschema.translation.model.outcome import Derived, Failed, Status
from publisher.commands.audience.fills import filled_from
from publisher.commands.audience.hits import Audience
from publisher.commands.planning.catalog_now import CatalogNow, Say
from publisher.commands.planning.causes import Causes, column_changes
from publisher.commands.planning.cone import Cone, derive_cone
from publisher.commands.planning.packages import OfferedAgain, PackageForecast, following
from publisher.commands.planning.values import (
    Failing,
    Fate,
    Plan,
    PlannedRelation,
    PlannedVersion,
    Read,
)
from publisher.state.reading import StateReading

_Named = TypeVar("_Named", PlannedVersion, Failing)


def plan_changes(
    catalog: Catalog,
    deriver: Deriver,
    forecast: PackageForecast,
    scripts: Sequence[Script],
    *,
    state: StateReading | None,
    say: Say,
    dialect: Dialect | None = None,
    audience: Audience | None = None,
    tells_renames: bool = True,
    catalogs: Mapping[str, NamedInDdl] = MappingProxyType({}),
) -> Plan:
    """The consequences of running the scripts.

    Version numbers come from the index and the state. ``tells_renames`` and ``catalogs`` are the
    same as in ``apply_ddl``.

    Raises:
        MalformedDdl: a statement cannot be read, or applied to the catalog.
        CatalogUnavailable: the catalog could not be read.
        PackageIndexError: the index did not answer.
    """
    return plan_change(
        catalog,
        deriver,
        forecast,
        apply_ddl(
            catalog,
            scripts,
            dialect,
            tells_renames=tells_renames,
            query_columns=query_columns(deriver),
            catalogs=catalogs,
        ),
        state=state,
        say=say,
        audience=audience,
    )


def plan_change(
    catalog: Catalog,
    deriver: Deriver,
    forecast: PackageForecast,
    change: DdlChange,
    *,
    state: StateReading | None,
    say: Say,
    audience: Audience | None = None,
) -> Plan:
    """Like ``plan_changes``, for a known change."""
    now = CatalogNow(catalog, deriver, state, say)
    cone = derive_cone(now, change, deriver)
    causes = Causes(cone, change.renamed)
    consequences = _Consequences(cone, causes, forecast)
    for name in (*cone.derived, *cone.failing_as_before):
        consequences.of(name)
    gone = [n for n in sorted(change.removed) if n in cone.facts_before]
    plan = replace(
        consequences.plan(),
        relations=_relations(change, cone),
        reads=_reads(cone),
        dropped_packages=forecast.dropped(gone, lambda: list_relations(catalog).names),
    )
    if audience is None:
        return plan
    queries = audience.concerned_queries(now, cone, deriver, say)
    fills = {} if state is None else filled_from(state, cone)
    return replace(plan, hits=audience.hits(plan, queries, fills))


def plan_as_it_is(
    catalog: Catalog,
    deriver: Deriver,
    forecast: PackageForecast,
    say: Say,
    progress: Progress = NO_PROGRESS,
) -> Plan:
    """Derives the current catalog and finds all that is not published yet.

    Raises:
        CatalogUnavailable: the catalog could not be read.
        PackageIndexError: the index did not answer.
    """
    say("deriving every relation of the catalog")
    found = derive_catalog(catalog, deriver, progress)
    failing = {name: Failing(name, f.status.value, f.reason) for name, f in found.failures.items()}
    graph = graph_of((name, u) for name, d in found.derivations.items() for u in d.upstreams)
    versions: list[PlannedVersion] = []
    again: list[RelationName] = []
    for name, derivation in sorted(found.derivations.items()):
        relation = found.relations[name]
        match following(forecast, relation, derivation):
            case PlannedVersion() as version:
                dependents = tuple(sorted(affected_cone(graph, [name]) - {name}))
                versions.append(replace(version, dependents=dependents))
            case Failing() as unfit:
                failing[name] = unfit
            case OfferedAgain():
                again.append(name)
            case None:
                pass
    return Plan(
        versions=versions,
        already_failing=[failing[name] for name in sorted(failing)],
        offered_again=again,
        reads=[Read(u, name) for name, d in sorted(found.derivations.items()) for u in d.upstreams],
    )


class _Consequences:
    """Sorts the relations that a change affects (the cone) by what happens to them."""

    def __init__(self, cone: Cone, causes: Causes, forecast: PackageForecast) -> None:
        self._cone = cone
        self._causes = causes
        self._forecast = forecast
        self._versions: list[PlannedVersion] = []
        self._broken: list[Failing] = []
        self._failing: list[Failing] = []
        self._already_failing: list[Failing] = []
        self._mended: list[RelationName] = []
        self._again: list[RelationName] = []
        self._withheld: list[RelationName] = []

    def of(self, name: RelationName) -> None:
        match self._cone.after.get(name):
            case Derived(derivation):
                self._of_derived(name, derivation)
            case Failed(status, reason):
                self._of_failed(Failing(name, status.value, reason, self._causes.of(name)))
            case None:
                pass

    def plan(self) -> Plan:
        return Plan(
            versions=_by_name(self._versions),
            broken=_by_name(self._broken),
            failing=_by_name(self._failing),
            already_failing=_by_name(self._already_failing),
            mended=sorted(self._mended),
            offered_again=sorted(self._again),
            withheld=sorted(self._withheld),
        )

    def _of_derived(self, name: RelationName, derivation: Derivation) -> None:
        before = self._cone.before.get(name)
        if isinstance(before, Failed):
            self._mended.append(name)
        relation = self._cone.facts_after[name]
        match following(self._forecast, relation, derivation):
            case PlannedVersion() as version:
                self._versions.append(
                    replace(
                        version,
                        dependents=tuple(self._cone.dependents_after(name)),
                        causes=self._causes.of(name),
                    )
                )
            case Failing() as unfit:
                self._of_failed(replace(unfit, causes=self._causes.of(name)))
            case OfferedAgain():
                self._again.append(name)
            case None:
                if self._would_be_withheld(name, relation):
                    self._withheld.append(name)

    def _would_be_withheld(self, name: RelationName, relation: Relation) -> bool:
        before = self._cone.facts_before.get(name)
        if before is None or self._forecast.publishes(relation):
            return False
        return self._forecast.publishes(before)

    def _of_failed(self, failing: Failing) -> None:
        name = failing.relation
        before = self._cone.before.get(name)
        published = replace(failing, published=self._forecast.newest(name))
        if before is None:
            kept = self._broken if failing.is_refused_by_engine else self._failing
            kept.append(published)
        elif isinstance(before, Derived) and not self._was_unfit(name, before, failing):
            self._broken.append(published)
        else:
            self._already_failing.append(published)

    def _was_unfit(self, name: RelationName, before: Derived, failing: Failing) -> bool:
        """Whether a relation could not be packaged before the change either, for the same reason."""
        if failing.status != Status.OK.value:
            return False
        relation = self._cone.facts_before[name]
        unfit = following(self._forecast, relation, before.derivation)
        return isinstance(unfit, Failing) and unfit.reason == failing.reason


def _by_name(found: Iterable[_Named]) -> Sequence[_Named]:
    return sorted(found, key=lambda each: each.relation)


def _relations(change: DdlChange, cone: Cone) -> Sequence[PlannedRelation]:
    old_names = {new: old for old, new in change.renamed.items()}
    concerned = {*change.statements} - old_names.keys()
    return [
        _relation(name, change, cone)
        for name in sorted(concerned)
        if name in cone.facts_before or name in change.relations
    ]


def _reads(cone: Cone) -> Sequence[Read]:
    both = (cone.reads_before, cone.reads_after)
    pairs = {(u, name): None for reads in both for name, named in reads.items() for u in named}
    return [Read(upstream, dependent) for upstream, dependent in sorted(pairs)]


def _relation(name: RelationName, change: DdlChange, cone: Cone) -> PlannedRelation:
    new_name = change.renamed.get(name)
    statements = dict.fromkeys(change.statements.get(name, ()))
    columns = column_changes(cone.before.get(name), cone.after.get(name))
    after = name
    if new_name is not None:
        statements |= dict.fromkeys(change.statements.get(new_name, ()))
        columns = column_changes(cone.before.get(name), cone.after.get(new_name))
        after = new_name
    fate = _fate(name, new_name, change, cone)
    return PlannedRelation(
        name,
        fate,
        tuple(statements),
        new_name,
        () if fate in {Fate.CREATED, Fate.DROPPED} else columns,
        cone.dependents_before(name),
        cone.dependents_after(after),
    )


def _fate(name: RelationName, new_name: RelationName | None, change: DdlChange, cone: Cone) -> Fate:
    if new_name is not None:
        return Fate.RENAMED
    if name in change.removed:
        return Fate.DROPPED
    if name not in cone.facts_before:
        return Fate.CREATED
    return Fate.CHANGED if cone.facts_after[name] != cone.facts_before[name] else Fate.UNCHANGED
