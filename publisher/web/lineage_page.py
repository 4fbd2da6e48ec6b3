"""The page of a relation's neighbourhood or of a column's path: a picture, and choices of its content."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import urlencode

from publisher.lineage.neighbourhood import NearRelation, Neighbourhood
from publisher.lineage.questions import FoundPlaces, NotFound
from publisher.lineage.values import Direction, Place, Traced
from publisher.pictures.of_columns import column_graph
from publisher.pictures.of_relations import relation_graph
from publisher.web.addresses import (
    Link,
    impact_address,
    lineage_address,
    relation_address,
    relation_link,
)
from publisher.web.drawing import Drawing, drawing
from publisher.web.rendering import render

_MAX_COLUMNS: Final = 500
_DEPTHS: Final = (1, 2, 3, 5, None)


@dataclass(frozen=True, slots=True)
class Shown:
    """The choices of a reader for the page's content.

    Attributes:
        only: the one direction to follow; None for both.
        depth: how many views and statements to follow; None for all.
        only_values: whether the picture leaves out what influences rows and values.
    """

    only: Direction | None = None
    depth: int | None = 2
    only_values: bool = False

    def shows(self, direction: Direction) -> bool:
        return self.only in {None, direction}

    @property
    def query(self) -> str:
        stated = {
            "direction": "both" if self.only is None else self.only.value,
            "depth": "all" if self.depth is None else str(self.depth),
            **({"show": "values"} if self.only_values else {}),
        }
        return urlencode(stated)


@dataclass(frozen=True, slots=True)
class Choices:
    """Links that change one setting of the page. The present setting has no address."""

    title: str
    links: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class LineageView:
    """The data of the page.

    Attributes:
        place: the relation or column of the page, as a command also names it.
        owner: the relation's owner; "" if unknown.
        columns: links to the pages of the relation's columns; ``more_columns`` are not listed.
        is_cut: whether more lineage exists beyond the depth.
        underived: views without a derived schema, so that their columns are unknown.
        partial: views whose rows have no known lineage.
    """

    place: str
    relation: Link
    choices: tuple[Choices, ...]
    picture: Drawing
    json_address: str
    impact_address: str
    owner: str = ""
    columns: tuple[Link, ...] = ()
    more_columns: int = 0
    is_cut: bool = False
    underived: tuple[Link, ...] = ()
    partial: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True)
class LineageSearchView:
    text: str
    places: tuple[Link, ...]
    more: int


@dataclass(frozen=True, slots=True)
class UnknownLineageView:
    reason: str
    similar: tuple[Link, ...]


def relation_lineage_page(around: Neighbourhood, columns: Sequence[str], shown: Shown) -> bytes:
    name = str(around.asked)
    address = lineage_address(name)

    def page_of(near: NearRelation) -> str:
        return lineage_address(str(near.name)) if near.name != around.asked else ""

    links = (Link(column, lineage_address(name, column)) for column in columns[:_MAX_COLUMNS])
    view = LineageView(
        place=name,
        relation=relation_link(name),
        choices=(_directions(address, shown), _depths(address, shown)),
        picture=drawing(relation_graph(around, page_of)),
        json_address=f"{address}?format=json",
        impact_address=impact_address(name),
        owner=next((each.owner for each in around.relations if each.name == around.asked), ""),
        columns=tuple(links),
        more_columns=max(0, len(columns) - _MAX_COLUMNS),
        is_cut=around.is_cut,
    )
    return render("lineage.html", view)


def column_page(answers: Sequence[Traced], shown: Shown) -> bytes:
    """The page of a column. ``answers`` has its lineage in one direction or in both."""
    asked = answers[0].asked
    name = str(asked.relation)
    address = lineage_address(name, asked.column)

    def page_of(place: Place) -> str:
        column = lineage_address(str(place.relation), place.column)
        return (column or relation_address(str(place.relation))) if place != asked else ""

    derived: dict[bool, dict[str, Link]] = {True: {}, False: {}}
    for answer in answers:
        for each in answer.untraced:
            is_derived = answer.relations[each].is_derived
            derived[is_derived][str(each)] = relation_link(str(each))
    view = LineageView(
        place=str(asked),
        relation=relation_link(name),
        choices=(
            _directions(address, shown),
            _depths(address, shown),
            _contents(address, shown),
        ),
        picture=drawing(column_graph(asked, answers, page_of, only_values=shown.only_values)),
        json_address=f"{address}?format=json",
        impact_address=impact_address(name, asked.column),
        owner=_owner(answers[0]),
        is_cut=any(answer.is_cut for answer in answers),
        underived=tuple(derived[False].values()),
        partial=tuple(derived[True].values()),
    )
    return render("lineage.html", view)


def _owner(answer: Traced) -> str:
    known = answer.relations.get(answer.asked.relation)
    return "" if known is None else known.owner


def lineage_search_page(text: str, found: FoundPlaces) -> bytes:
    """The page that lists what a searched text may mean; ``text`` is "" before a search."""
    places = tuple(
        Link(str(place), lineage_address(str(place.relation), place.column))
        for place in found.similar
    )
    return render("lineage_search.html", LineageSearchView(text, places, found.more))


def unknown_lineage_page(found: NotFound, relation: str = "") -> bytes:
    """The page for an unknown relation or column. For a column, ``relation`` is its known relation."""
    similar = tuple(Link(name, _address(name, relation)) for name in found.similar)
    return render("unknown_lineage.html", UnknownLineageView(found.reason, similar))


def _address(name: str, relation: str) -> str:
    inner = f"{relation}."
    if relation and name.startswith(inner):
        return lineage_address(relation, name.removeprefix(inner))
    return lineage_address(name)


def _directions(address: str, shown: Shown) -> Choices:
    named = (
        ("both", None),
        ("sources", Direction.UPSTREAM),
        ("readers", Direction.DOWNSTREAM),
    )
    return Choices(
        "Direction",
        tuple(_choice(text, address, shown, replace(shown, only=only)) for text, only in named),
    )


def _depths(address: str, shown: Shown) -> Choices:
    return Choices(
        "Steps",
        tuple(
            _choice(str(depth or "all"), address, shown, replace(shown, depth=depth))
            for depth in _DEPTHS
        ),
    )


def _contents(address: str, shown: Shown) -> Choices:
    named = (("values and influences", False), ("values only", True))
    return Choices(
        "Show",
        tuple(
            _choice(text, address, shown, replace(shown, only_values=only)) for text, only in named
        ),
    )


def _choice(text: str, address: str, shown: Shown, other: Shown) -> Link:
    return Link(text, "" if other == shown else f"{address}?{other.query}")
