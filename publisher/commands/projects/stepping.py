"""Compares a project's definitions with the catalog, and finds the steps that apply them. Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dependency_graph.graph import affected_cone, graph_of
from lakeschema.catalog.ddl_change import DdlChange
from lakeschema.catalog.facts_json import facts_to_json
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.metastore_views import StoredRelation
from lakeschema.catalog.relations import Relation
from lakeschema.translation.deriving.upstream_first import waves
from publisher.commands.projects.values import (
    DIGEST,
    Action,
    Definition,
    Live,
    Problem,
    Project,
    Step,
    record_of,
)

NOT_OURS = "no project wrote it"
BY_HAND = "it was changed by hand"


@dataclass(frozen=True, slots=True)
class Steps:
    """The changes that bring the catalog in line with the project's files.

    Attributes:
        steps: upstream first; views that are dropped come last.
        unchanged: the project's views that need no step.
        left: views of the project whose files are gone, if the user did not ask to drop them.
        problems: views that cannot be written.
    """

    steps: Sequence[Step]
    unchanged: Sequence[RelationName]
    left: Sequence[RelationName]
    problems: Sequence[Problem]


def digest(relation: Relation) -> str:
    """The parts of a view's facts, each with its hash. The same view has the same digest on any host."""
    return " ".join(f"{part}:{_hash(value)}" for part, value in _parts(relation).items())


def differing(before: str, after: str) -> Sequence[str]:
    """The names of the parts that differ between two digests."""
    old, new = _by_part(before), _by_part(after)
    return [part for part in {**old, **new} if old.get(part) != new.get(part)]


def steps_to(
    project: Project,
    definitions: Mapping[RelationName, Definition],
    live: Live,
    *,
    drops: bool,
) -> Steps:
    """The steps that turn the catalog's views into the definitions."""
    steps: list[Step] = []
    unchanged: list[RelationName] = []
    problems: list[Problem] = []
    for name in upstream_first(definitions):
        definition = definitions[name]
        found = live.relations.get(name)
        if name.place not in live.namespaces:
            why = f"there is no database {name.namespace[0]}"
            problems.append(Problem(definition.source.path, why, "create it first"))
        elif found is not None and not found.facts.is_view:
            why = f"{name} is a table"
            problems.append(Problem(definition.source.path, why, "give the view another name"))
        else:
            problem = _of_another_project(project, definition, found)
            step = _step(definition, found, live)
            problems += [problem] if problem else []
            steps += [step] if step else []
            unchanged += [] if step else [name]
    gone = _gone(project, definitions, live)
    if drops:
        steps += [_drop(name, live.relations[name]) for name in gone]
    return Steps(steps, unchanged, () if drops else gone, problems)


def upstream_first(definitions: Mapping[RelationName, Definition]) -> Sequence[RelationName]:
    found = waves({name: each.reads for name, each in definitions.items()})
    return [name for wave in found for name in sorted(wave)]


def change_of(steps: Sequence[Step]) -> DdlChange:
    """The steps as a DDL change, to plan the consequences."""
    made = {s.name: s.definition.facts for s in steps if s.definition is not None}
    removed = frozenset(step.name for step in steps if step.action is Action.DROP)
    places = {step.name: (step.place or "its file is gone",) for step in steps}
    return DdlChange(made, removed, {}, places, frozenset(name.place for name in made))


def cones_of(
    steps: Sequence[Step], reads: Sequence[tuple[RelationName, RelationName]]
) -> Sequence[Sequence[Step]]:
    """The steps in groups that are independent of each other; each group keeps the order of ``steps``.

    Args:
        steps: upstream first.
        reads: pairs of a dependent and its direct upstream, for all relations between the steps' views.
    """
    graph = graph_of(reads)
    own = {step.name for step in steps}
    group = {name: frozenset({name}) for name in own}
    for name in sorted(own):
        reached = affected_cone(graph, [name]) & own
        joined = frozenset().union(*(group[each] for each in {name, *reached}))
        group |= dict.fromkeys(joined, joined)
    found: dict[frozenset[RelationName], list[Step]] = {}
    for step in steps:
        found.setdefault(group[step.name], []).append(step)
    return list(found.values())


def _step(definition: Definition, found: StoredRelation | None, live: Live) -> Step | None:
    name = definition.facts.name
    if found is None:
        return Step(Action.CREATE, name, definition, "")
    before = digest(found.facts)
    if not live.has_records:
        what = _differing_ddl(found.facts, definition.facts)
        return Step(Action.ALTER, name, definition, before, what) if what else None
    warning = _warning(found)
    what = list(differing(before, digest(definition.facts)))
    if found.owner != definition.stored.owner:
        what.append("owner")
    if not what and not warning:
        return None
    return Step(Action.ALTER, name, definition, before, what, warning)


def _differing_ddl(found: Relation, made: Relation) -> list[str]:
    """The parts that differ from a view that was read from DDL: it has no columns and no expanded text."""
    assert found.view is not None, "tables are problems"
    assert made.view is not None, "a definition is of a view"
    what = [] if found.view.original_text.strip() == made.view.original_text else ["text"]
    is_same = (found.properties, found.comment) == (made.properties, made.comment)
    return what if is_same else [*what, "properties"]


def _warning(found: StoredRelation) -> str:
    if record_of(found.properties) is None:
        return NOT_OURS
    changed = differing(found.properties.get(DIGEST, ""), digest(found.facts))
    return f"{BY_HAND}: {', '.join(changed)}" if changed else ""


def _of_another_project(
    project: Project, definition: Definition, found: StoredRelation | None
) -> Problem | None:
    record = None if found is None else record_of(found.properties)
    if record is None or record.project == project.name:
        return None
    why = f"{definition.facts.name} belongs to the project {record.project}"
    return Problem(definition.source.path, why, "let one project have it")


def _gone(
    project: Project, definitions: Mapping[RelationName, Definition], live: Live
) -> Sequence[RelationName]:
    sources = {view.name for view in project.views} | definitions.keys()
    return [
        name
        for name, found in sorted(live.relations.items())
        if name not in sources
        and (record := record_of(found.properties)) is not None
        and record.project == project.name
    ]


def _drop(name: RelationName, found: StoredRelation) -> Step:
    return Step(Action.DROP, name, None, digest(found.facts), warning=_warning(found))


def _parts(relation: Relation) -> Mapping[str, object]:
    facts = facts_to_json(relation)
    view = facts["view"]
    properties = {**facts["properties"], "comment": facts["comment"]}
    columns = [*facts["columns"], *facts["partition_columns"]]
    return {"text": view, "columns": columns, "properties": properties}


def _hash(value: object) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _by_part(text: str) -> Mapping[str, str]:
    return dict(word.partition(":")[::2] for word in text.split())
