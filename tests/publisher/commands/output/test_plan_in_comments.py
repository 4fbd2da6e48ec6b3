"""The picture at the end of a plan's Markdown: bounded, and no name in it ends its block."""

from __future__ import annotations

import io

import pytest

from lakeschema.catalog.identifiers import RelationName
from publisher.commands.output.plan_output import write_plan
from publisher.commands.output.plan_picture import MAX_LETTERS, write_picture
from publisher.commands.planning.formats import PlanFormat
from publisher.commands.planning.values import Fate, Plan, PlannedRelation, Read


def planned(readers: int, name: str = "reader") -> Plan:
    orders = RelationName.of("shop", "orders")
    views = [RelationName.of("shop", f"{name}_{number}") for number in range(readers)]
    dropped = PlannedRelation(orders, Fate.DROPPED, ["change.sql:1"], dependents_before=views)
    return Plan(relations=[dropped], reads=[Read(orders, view) for view in views])


def picture_of(plan: Plan) -> str:
    stream = io.StringIO()
    write_picture(plan, stream)
    return stream.getvalue()


def test_the_markdown_of_a_plan_ends_with_it() -> None:
    stream = io.StringIO()

    write_plan(planned(2), PlanFormat.MARKDOWN, stream)

    _, _, picture = stream.getvalue().partition("\n```mermaid\n")
    assert picture.startswith("flowchart ")
    assert "reader_1" in picture
    assert picture.endswith("```\n")


@pytest.mark.parametrize("name", ["x" * 300, "``` <script>é\n```"])
@pytest.mark.parametrize("readers", [1, 12, 3_000])
def test_it_is_bounded_and_one_block(readers: int, name: str) -> None:
    picture = picture_of(planned(readers, name))

    assert 0 < len(picture) <= MAX_LETTERS + 100
    assert picture.count("```") == 2
    assert "<script" not in picture


def test_a_plan_without_statements_has_none() -> None:
    assert picture_of(Plan()) == ""
