"""Writes a project's plan, the result of applying it, and its drift, in every format."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, TextIO, assert_never

from publisher.commands.output.plan_json import plan_to_json
from publisher.commands.output.plan_markdown import write_page
from publisher.commands.output.plan_picture import plan_graph, write_picture
from publisher.commands.output.plan_sections import Section, headline, sections
from publisher.commands.output.tables import plain_console, print_table, say
from publisher.commands.planning.formats import PlanFormat, ReportFormat
from publisher.commands.projects.applying import Applied
from publisher.commands.projects.drifting import Drifted
from publisher.commands.projects.opening import ProjectPlan
from publisher.commands.projects.stepping import digest
from publisher.commands.projects.values import Action, Record, Step
from publisher.commands.registering.registration import Registered
from publisher.pictures.drawing import PictureFormat, drawn

_VERBS = {Action.CREATE: "created", Action.ALTER: "altered", Action.DROP: "dropped"}


def write_project_plan(plan: ProjectPlan, chosen: PlanFormat, stream: TextIO) -> None:
    match chosen:
        case PlanFormat.JSON:
            print(json.dumps(project_plan_json(plan)), file=stream, flush=True)
        case PlanFormat.MARKDOWN:
            mark = "❌ " if plan.breaks else ""
            title = f"{mark}View project {plan.project.name}"
            write_page(title, _sentence(plan), _sections(plan), stream)
            write_picture(plan.consequences, stream)
        case PlanFormat.TEXT:
            _write_text(_sentence(plan), _sections(plan), stream)
        case PlanFormat.SVG | PlanFormat.DOT | PlanFormat.MERMAID:
            stream.write(drawn(plan_graph(plan.consequences), PictureFormat(chosen.value)))
            stream.flush()
        case _:
            assert_never(chosen)


def project_plan_json(plan: ProjectPlan) -> dict[str, Any]:
    """The plan in the form of ``plan --format json``, with the project's part under ``project``."""
    return {
        **plan_to_json(plan.consequences),
        "breaks": plan.breaks,
        "project": {
            "name": plan.project.name,
            "problems": [
                {"file": p.place, "message": p.message, "hint": p.hint} for p in plan.problems
            ],
            "steps": [step_json(step) for step in plan.steps.steps],
            "unchanged": [str(name) for name in plan.steps.unchanged],
            "left": [str(name) for name in plan.steps.left],
            "teams": [
                {"owner": owner, "relations": [str(name) for name in names]}
                for owner, names in plan.teams
            ],
        },
    }


def step_json(step: Step) -> dict[str, Any]:
    definition = step.definition
    return {
        "action": step.action.value,
        "relation": str(step.name),
        "file": step.place,
        "before": step.before,
        "after": "" if definition is None else digest(definition.facts),
        "what": list(step.what),
        "warning": step.warning,
    }


def write_applied(
    applied: Sequence[Applied],
    registered: Sequence[Registered],
    record: Record,
    chosen: ReportFormat,
    stream: TextIO,
) -> None:
    if chosen is ReportFormat.JSON:
        found = {
            "project": record.project,
            "commit": record.commit,
            "by": record.by,
            "at": record.at,
            "views": [
                {"relation": str(a.name), "ending": a.ending.value, "reason": a.reason}
                for a in applied
            ],
            "trino": [
                {
                    "relation": str(r.view),
                    "place": r.place,
                    "change": r.change.value,
                    "reason": r.reason,
                }
                for r in registered
            ],
        }
        print(json.dumps(found), file=stream, flush=True)
        return
    counted = Counter(each.ending.value for each in applied)
    sentence = ", ".join(f"{number} {ending}" for ending, number in counted.items())
    views = [(str(each.name), each.ending.value, each.reason) for each in applied]
    trino = [(str(r.view), r.place, r.change.value, r.reason) for r in registered]
    parts = [
        Section("views", ("view", "what", "why"), views),
        Section("views in Trino", ("view", "place", "what", "why"), trino),
    ]
    _write(sentence or "nothing to apply", parts, f"Apply {record.project}", chosen, stream)


def write_drift(
    drifted: Sequence[Drifted], project: str, chosen: ReportFormat, stream: TextIO
) -> None:
    if chosen is ReportFormat.JSON:
        found = [
            {
                "relation": str(each.name),
                "what": each.what,
                "applied": None
                if each.record is None
                else {"commit": each.record.commit, "by": each.record.by, "at": each.record.at},
            }
            for each in drifted
        ]
        print(json.dumps({"project": project, "drifted": found}), file=stream, flush=True)
        return
    rows = [(str(each.name), each.what, _applied(each.record)) for each in drifted]
    number = len(drifted)
    sentence = (
        f"{number} view{'s' if number > 1 else ''} of {project} drifted"
        if drifted
        else f"all views of {project} are as they were applied"
    )
    parts = [Section("drifted", ("view", "what", "applied"), rows)]
    _write(sentence, parts, "Drift", chosen, stream)


def _applied(record: Record | None) -> str:
    return "" if record is None else f"{record.at} by {record.by}, commit {record.commit[:12]}"


def _write(
    sentence: str,
    parts: Sequence[Section],
    title: str,
    chosen: ReportFormat,
    stream: TextIO,
) -> None:
    shown = [part for part in parts if part.rows]
    if chosen is ReportFormat.MARKDOWN:
        write_page(title, sentence, shown, stream)
    else:
        _write_text(sentence, shown, stream)


def _write_text(sentence: str, parts: Sequence[Section], stream: TextIO) -> None:
    console = plain_console(stream)
    say(console, sentence)
    for section in parts:
        print_table(console, section.title, section.headings, section.rows)


def _sentence(plan: ProjectPlan) -> str:
    return "; ".join(_phrases(plan))


def _phrases(plan: ProjectPlan) -> Iterator[str]:
    if plan.problems:
        yield f"{len(plan.problems)} problem{'s' if len(plan.problems) > 1 else ''}"
    counted = Counter(step.action for step in plan.steps.steps)
    for action, number in counted.items():
        yield f"{number} view{'s' if number > 1 else ''} would be {_VERBS[action]}"
    if not counted:
        yield "no view would change"
    if not plan.consequences.is_empty:
        yield headline(plan.consequences)


def _sections(plan: ProjectPlan) -> Sequence[Section]:
    found = (
        Section(
            "problems",
            ("file", "what", "hint"),
            [(p.place, p.message, p.hint) for p in plan.problems],
        ),
        Section(
            "views",
            ("view", "what", "parts", "file", "warning", "artifacts"),
            [_step(step) for step in plan.steps.steps],
        ),
        Section(
            "views whose files are gone (apply --drop drops them)",
            ("view",),
            [(str(name),) for name in plan.steps.left],
        ),
        Section(
            "teams that are hit",
            ("owner", "relations"),
            [(owner, "\n".join(map(str, names))) for owner, names in plan.teams],
        ),
    )
    return [*(each for each in found if each.rows), *sections(plan.consequences)]


def _step(step: Step) -> Sequence[str]:
    source = None if step.definition is None else step.definition.source
    artifacts = () if source is None else source.artifacts
    return (
        str(step.name),
        step.action.value,
        ", ".join(step.what),
        step.place,
        step.warning,
        "\n".join(artifact.coordinates for artifact in artifacts),
    )
