"""Writes a plan in the chosen format, and imports only that format's modules."""

from __future__ import annotations

import json
from typing import TextIO, assert_never

from publisher.commands.output.plan_json import plan_to_json
from publisher.commands.planning.formats import PlanFormat
from publisher.commands.planning.values import Plan


def write_plan(plan: Plan, chosen: PlanFormat, stream: TextIO) -> None:
    match chosen:
        case PlanFormat.JSON:
            print(json.dumps(plan_to_json(plan)), file=stream, flush=True)
        case PlanFormat.MARKDOWN:
            from publisher.commands.output.plan_markdown import write_markdown
            from publisher.commands.output.plan_picture import write_picture

            write_markdown(plan, stream)
            write_picture(plan, stream)
        case PlanFormat.TEXT:
            from publisher.commands.output.plan_text import write_text

            write_text(plan, stream)
        case PlanFormat.SVG | PlanFormat.DOT | PlanFormat.MERMAID:
            from publisher.commands.output.plan_picture import plan_graph
            from publisher.pictures.drawing import PictureFormat, drawn

            stream.write(drawn(plan_graph(plan), PictureFormat(chosen.value)))
            stream.flush()
        case _:
            assert_never(chosen)
