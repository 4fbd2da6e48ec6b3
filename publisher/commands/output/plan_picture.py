"""Draws what a change affects: the relations of the statements, and their dependents."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, TextIO

from lakeschema.catalog.identifiers import RelationName
from publisher.commands.output.plan_sections import headline
from publisher.commands.planning.values import Fate, Plan
from publisher.pictures.budget import MAX_NODES, within_budget
from publisher.pictures.graph import Edge, EdgeKind, Graph, Node, NodeKind, Tone
from publisher.pictures.graph_languages import mermaid

MAX_LETTERS: Final = 20_000
"""The maximum length of a picture: forges limit the length of comments, and Mermaid of pictures."""

_SIZES: Final = (MAX_NODES, 60, 25, 10)
_TONES = {"major": Tone.BAD, "minor": Tone.GOOD, "first": Tone.GOOD, "patch": Tone.PLAIN}


@dataclass(frozen=True, slots=True)
class _Effect:
    text: str
    tone: Tone


def plan_graph(plan: Plan) -> Graph:
    """The graph of all relations that the plan names; the relations of the statements are in focus."""
    effects = dict(_effects(plan))
    focus = {planned.relation for planned in plan.relations if planned.statements}
    fates = {planned.relation: planned for planned in plan.relations}
    reached = {name for each in plan.relations for name in each.dependents_before}
    reached |= {name for each in plan.relations for name in each.dependents_after}
    fills = {(hit.relation, fill.table): None for hit in plan.hits for fill in hit.fills}
    filled = {table for _, table in fills}
    names = sorted({*effects, *fates, *reached, *filled, *(source for source, _ in fills)})
    readers = {read.dependent for read in plan.reads}
    shown = frozenset(names)
    return Graph(
        f"What the change hits: {headline(plan)}",
        tuple(
            _node(
                name,
                effects.get(name),
                _kind(is_view=name in readers, is_filled=name in filled),
                is_focus=name in focus,
            )
            for name in names
        ),
        tuple(
            Edge(str(read.upstream), str(read.dependent), EdgeKind.READS)
            for read in plan.reads
            if read.upstream in shown and read.dependent in shown
        )
        + tuple(Edge(str(source), str(table), EdgeKind.FILLS, "fills") for source, table in fills),
    )


def write_picture(plan: Plan, stream: TextIO) -> None:
    """Writes the graph as Mermaid in Markdown; a large graph is reduced to the nearest relations."""
    if not plan.relations:
        return
    graph = plan_graph(plan)
    drawn = (mermaid(within_budget(graph, max_nodes=size)) for size in _SIZES)
    picture = next((text for text in drawn if len(text) <= MAX_LETTERS), "")
    if picture:
        print(f"\n```mermaid\n{picture.rstrip()}\n```", file=stream)


def _kind(*, is_view: bool, is_filled: bool) -> NodeKind:
    if is_view:
        return NodeKind.VIEW
    return NodeKind.FILLED if is_filled else NodeKind.TABLE


def _node(name: RelationName, effect: _Effect | None, kind: NodeKind, *, is_focus: bool) -> Node:
    text, tone = ("no new version", Tone.PLAIN) if effect is None else (effect.text, effect.tone)
    return Node(str(name), str(name), kind, text, tone=tone, is_focus=is_focus)


def _effects(plan: Plan) -> Iterator[tuple[RelationName, _Effect]]:
    """The effects on relations; for the same relation, a later effect replaces an earlier effect."""
    for planned in plan.relations:
        if planned.fate is not Fate.UNCHANGED:
            new_name = f" to {planned.new_name}" if planned.new_name is not None else ""
            tone = Tone.BAD if planned.fate in {Fate.DROPPED, Fate.RENAMED} else Tone.PLAIN
            yield planned.relation, _Effect(f"{planned.fate.value}{new_name}", tone)
    for name in plan.mended:
        yield name, _Effect("mended", Tone.GOOD)
    for name in plan.offered_again:
        yield name, _Effect("offered again", Tone.GOOD)
    for name in plan.withheld:
        yield name, _Effect("no package any more", Tone.WARNING)
    for version in plan.versions:
        text = f"{version.number} ({version.change})"
        yield version.relation, _Effect(text, _TONES.get(version.change, Tone.PLAIN))
    for failing in plan.already_failing:
        yield failing.relation, _Effect(f"{failing.status}, as before", Tone.WARNING)
    for failing in plan.failing:
        yield failing.relation, _Effect(f"no package: {failing.reason}", Tone.WARNING)
    for dropped in plan.dropped_packages:
        yield dropped.relation, _Effect(f"dropped, versions {dropped.fate.value}", Tone.BAD)
    for failing in plan.broken:
        yield failing.relation, _Effect(f"breaks: {failing.reason}", Tone.BAD)
