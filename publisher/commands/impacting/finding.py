"""Finds the relations that a change affects, what happens to them, and the people concerned."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TypeAlias

from lakeschema.analysis.tracing import EVERY_COLUMN
from lakeschema.analysis.usage.counting import Counts
from lakeschema.analysis.usage.flows import Reached
from lakeschema.analysis.usage.telling import whom_to_tell
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Relation
from lakeschema.translation.model.interface import Derivation
from lakeschema.translation.policies.choosing import choose
from lakeschema.translation.policies.provenance import governed_columns
from lakeschema.translation.policies.rules import Policies
from publisher.commands.impacting.values import Person
from publisher.commands.planning.values import Plan
from publisher.lineage.hits import Governed, Hit

_Masks: TypeAlias = dict[str, dict[str, None]]


def with_plan(hits: Iterable[Hit], plan: Plan) -> Sequence[Hit]:
    """Adds to each hit what happens to its relation after the removal."""
    versions = {version.relation: version for version in plan.versions}
    broken = {failing.relation: failing.reason for failing in plan.broken}
    gone = {dropped.relation: dropped.why for dropped in plan.dropped_packages}
    found = []
    for hit in hits:
        version = versions.get(hit.relation)
        if version is not None:
            found.append(replace(hit, next_version=version.number, change=version.change))
        else:
            breaks = broken.get(hit.relation) or gone.get(hit.relation, "")
            found.append(replace(hit, breaks=breaks))
    return found


def people_of(hits: Iterable[Hit], counts: Counts, owners: Mapping[str, str]) -> Sequence[Person]:
    reached = [
        Reached(
            str(hit.relation),
            frozenset(column.lower() for column in hit.columns) or frozenset({EVERY_COLUMN}),
            hit.distance,
        )
        for hit in hits
    ]
    return [
        Person(
            each.user, each.concern, each.relation, each.distance, each.statements, each.last_day
        )
        for each in whom_to_tell(counts, reached, owners)
    ]


@dataclass(frozen=True, slots=True)
class Stored:
    """Relations in upstream-first order, and the catalog's facts about them."""

    derivations: Mapping[RelationName, Derivation]
    relations: Mapping[RelationName, Relation] = field(default_factory=lambda: MappingProxyType({}))


def with_policies(hits: Iterable[Hit], policies: Policies, stored: Stored) -> Sequence[Hit]:
    """Adds the tags and masks of the affected columns and of their sources.

    Raises:
        CannotEnforce: the policies do not fit the relations.
    """
    tags: dict[tuple[RelationName, str], frozenset[str]] = {}
    masks: dict[tuple[RelationName, str], _Masks] = {}
    for group in (None, *sorted(policies.groups)):
        of_group = policies.for_group(group)
        chosen = {
            name: choose(of_group, stored.relations.get(name, Relation(name, ())), d.interface)
            for name, d in stored.derivations.items()
        }
        for name, columns in governed_columns(stored.derivations, chosen).items():
            names = stored.derivations[name].interface.names
            for column, governed in zip(names, columns, strict=True):
                place = (name, column.lower())
                tags[place] = governed.tags
                for _, mask in governed.masks:
                    masks.setdefault(place, {}).setdefault(mask, {})[group or ""] = None
    found = []
    for hit in hits:
        derivation = stored.derivations.get(hit.relation)
        names = () if derivation is None else derivation.interface.names
        wanted = [name for name in names if not hit.columns or name in hit.columns]
        said = tuple(
            Governed(
                name,
                tuple(sorted(tags[hit.relation, name.lower()])),
                tuple(
                    (mask, tuple(groups))
                    for mask, groups in masks.get((hit.relation, name.lower()), {}).items()
                ),
            )
            for name in wanted
        )
        found.append(replace(hit, governed=tuple(each for each in said if each.tags or each.masks)))
    return found
