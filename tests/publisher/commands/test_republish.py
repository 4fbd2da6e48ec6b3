"""The command's part: which relations the engine is asked to mark, and what is told of it."""

from __future__ import annotations

import io
from collections.abc import Sequence

import pytest

from lakeschema.catalog.identifiers import RelationName
from publisher.commands.failures import Refused
from publisher.commands.output.console import ConsoleOutput
from publisher.commands.output.json_lines import JsonLines
from publisher.commands.republish import mark
from tests.publisher.commands.folder import Folder

ORDERS, IDS, WRONG = (RelationName.of("shop", name) for name in ("orders", "ids", "wrong"))


class MarksPackages:
    """An engine that has packages of some relations."""

    def __init__(self, *packages: RelationName) -> None:
        self.packages = packages
        self.asked: list[Sequence[RelationName]] = []

    def republish(self, names: Sequence[RelationName]) -> Sequence[RelationName]:
        self.asked.append(names)
        return [name for name in self.packages if not names or name in names]


def test_named_relations_are_marked(published: Folder) -> None:
    engine = MarksPackages(ORDERS, IDS)

    with published.state() as state:
        marked = mark(engine, state, [ORDERS])

    assert marked == [ORDERS]
    assert engine.asked == [[ORDERS]]


def test_without_names_all_with_a_package_are_marked(published: Folder) -> None:
    with published.state() as state:
        assert mark(MarksPackages(ORDERS, IDS), state, []) == [IDS, ORDERS]


def test_nothing_is_marked_if_one_is_not_known(published: Folder) -> None:
    engine = MarksPackages(ORDERS)

    with published.state() as state, pytest.raises(Refused, match=r"not known here: shop\.nope"):
        mark(engine, state, [ORDERS, RelationName.of("shop", "nope")])

    assert engine.asked == []


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
