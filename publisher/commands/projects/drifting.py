"""Finds views of a project that were changed or dropped in the metastore after they were applied. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.metastore_views import StoredRelation
from publisher.commands.projects.applying import is_marked
from publisher.commands.projects.stepping import differing, digest
from publisher.commands.projects.values import DIGEST, Live, Project, Record, record_of


@dataclass(frozen=True, slots=True)
class Drifted:
    """A view that differs from the view that was applied; ``record``: None if the view has no record."""

    name: RelationName
    what: str
    record: Record | None


def drift_of(project: Project, live: Live) -> Sequence[Drifted]:
    """Every view of the project that drifted, by name."""
    names = {view.name for view in project.views} | live.relations.keys()
    found = [_drifted(project, name, live.relations.get(name)) for name in sorted(names)]
    return [each for each in found if each is not None]


def _drifted(project: Project, name: RelationName, found: StoredRelation | None) -> Drifted | None:
    if found is None:
        return Drifted(name, "is missing: it was dropped, or never applied", None)
    record = record_of(found.properties)
    if not found.facts.is_view:
        return Drifted(name, "is a table", record)
    if record is None:
        return Drifted(name, "has no record: it was created by hand", None)
    if record.project != project.name:
        return Drifted(name, f"belongs to the project {record.project}", record)
    if is_marked(found.properties):
        return Drifted(name, "was left by an interrupted apply: run apply --recover", record)
    changed = differing(found.properties.get(DIGEST, ""), digest(found.facts))
    return Drifted(name, f"was changed by hand: {', '.join(changed)}", record) if changed else None
