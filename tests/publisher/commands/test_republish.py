"""The command's part of republishing: the relations that the engine must mark, and its report."""

from __future__ import annotations

import io
from collections.abc import Sequence

import pytest

from lakeschema.catalog.identifiers import RelationName
from publisher.commands.failures import USAGE_ERROR, Refused
from publisher.commands.output.console import ConsoleOutput
from publisher.commands.output.json_lines import JsonLines
from publisher.commands.republish import mark
from tests.publisher.commands.folder import Folder

PACKAGED = ("shop.ids", "shop.orders")
ORDERS, IDS, WRONG = (RelationName.of("shop", name) for name in ("orders", "ids", "wrong"))


class MarksPackages:
    """An engine that has packages of some relations, all built by an earlier generator."""

    def __init__(self, *packages: RelationName) -> None:
        self.packages = packages
        self.asked: list[Sequence[RelationName]] = []

    def republish(
        self, names: Sequence[RelationName], *, whatever_generator: bool = False
    ) -> Sequence[RelationName]:
        self.asked.append(names)
        return [name for name in self.packages if not names or name in names]


@pytest.mark.thorough
def test_named_relations_are_marked(published: Folder) -> None:
    engine = MarksPackages(ORDERS, IDS)

    with published.state() as state:
        marked = mark(engine, state, [ORDERS])

    assert marked == [ORDERS]
    assert engine.asked == [[ORDERS]]


@pytest.mark.thorough
def test_without_names_what_the_engine_marks_is_told_in_order(published: Folder) -> None:
    with published.state() as state:
        assert mark(MarksPackages(ORDERS, IDS), state, []) == [IDS, ORDERS]


@pytest.mark.thorough
def test_packages_of_the_current_generator_are_marked_with_all_only(published: Folder) -> None:
    without = published.people("republish")
    marked = published.run("republish", "--all").lines
    published.run("snapshot")

    assert "no package of an earlier generator" in without
    assert {line["relation"] for line in marked} >= {"shop.ids", "shop.orders"}
    newest = {name: published.run("explain", name).lines[0]["versions"][-1] for name in PACKAGED}
    assert {version["number"] for version in newest.values()} == {"1.0.1"}


@pytest.mark.thorough
@pytest.mark.parametrize("besides", ["shop.orders", "--missing"])
def test_all_is_not_mixed_with_another_choice(published: Folder, besides: str) -> None:
    ended = published.run("republish", "--all", besides)

    assert ended.status == USAGE_ERROR
    assert "--all takes neither relations nor --missing" in ended.err


@pytest.mark.thorough
def test_nothing_is_marked_if_one_is_not_known(published: Folder) -> None:
    engine = MarksPackages(ORDERS)

    with published.state() as state, pytest.raises(Refused, match=r"not known here: shop\.nope"):
        mark(engine, state, [ORDERS, RelationName.of("shop", "nope")])

    assert engine.asked == []


@pytest.mark.thorough
def test_one_without_a_package_is_named(published: Folder) -> None:
    engine = MarksPackages(ORDERS)

    with (
        published.state() as state,
        pytest.raises(Refused, match=r"without a package: shop\.wrong"),
    ):
        mark(engine, state, [ORDERS, WRONG])


def test_people_read_which_were_marked_and_programs_a_line_for_each() -> None:
    for_people, for_programs = io.StringIO(), io.StringIO()

    ConsoleOutput(for_people).republished([IDS, ORDERS])
    JsonLines(for_programs).republished([IDS, ORDERS])

    assert "  shop.ids\n  shop.orders\n" in "\n".join(
        line.rstrip() for line in for_people.getvalue().split("\n")
    )
    assert "2 relations marked; a running daemon, or the next snapshot" in for_people.getvalue()
    assert for_programs.getvalue().splitlines() == [
        '{"relation": "shop.ids", "marked": true}',
        '{"relation": "shop.orders", "marked": true}',
    ]
