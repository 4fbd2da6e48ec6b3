"""/lineage/: pictures for people, and JSON for programs. /impact/: the relations that a loss reaches."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final
from urllib.parse import quote

from starlette.convertors import Convertor, register_url_convertor
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from lakeschema.catalog.errors import MalformedName, SessionRefused
from lakeschema.catalog.identifiers import RelationName
from publisher.lineage.lineage_json import traced_json
from publisher.lineage.questions import FoundPlaces, NotFound
from publisher.lineage.values import Direction, Place
from publisher.web.access import Access, unauthorized_page
from publisher.web.addresses import lineage_address
from publisher.web.impact_page import impact_page
from publisher.web.kept_pages import KeptPages
from publisher.web.lineage_page import (
    Shown,
    column_page,
    lineage_search_page,
    relation_lineage_page,
    unknown_lineage_page,
)
from publisher.web.negotiation import prefers_html
from publisher.web.package_sites import PackageSite
from publisher.web.responses import Page
from publisher.web.status import Daemon, version_of

_DEPTH: Final = re.compile("[1-9][0-9]{0,3}", re.ASCII)
_RELATION_AND_COLUMN: Final = re.compile(
    r"(?P<relation>(?:[^`/]|`[^`]*`)+)/(?P<column>.+)", re.DOTALL
)
"""A slash inside back-ticks is part of the relation's name; the first other slash ends it."""
_ALL: Final = "all"
_BOTH: Final = "both"
_NO_STORE: Final = {"Cache-Control": "no-store", "Vary": "Accept"}
_DEFAULT_DEPTH: Final = 2
_MAX_PLACE: Final = 2_000
_MAX_PLACES: Final = 50
_MOST_REACHED: Final = 1_000


class _AnyText(Convertor[str]):
    """Like ``path``, but also accepts line ends, which a name may have."""

    regex = r"[\s\S]+"

    def convert(self, value: str) -> str:
        return value

    def to_string(self, value: str) -> str:
        return value


register_url_convertor("any_text", _AnyText())


@dataclass(frozen=True, slots=True)
class _Place:
    relation: RelationName
    column: str | None


class LineagePages:
    def __init__(self, daemon: Daemon, access: Access, packages: PackageSite) -> None:
        self._daemon = daemon
        self._access = access
        self._packages = packages

    def routes(self, pages: KeptPages) -> Sequence[Route]:
        version = version_of(self._daemon)
        return (
            Route("/lineage", pages.handler(self.search, version)),
            Route("/lineage/{place:any_text}", pages.handler(self.lineage, version)),
            Route("/impact/{place:any_text}", pages.handler(self.impact, version)),
        )

    def search(self, request: Request) -> Page | Response:
        """Redirects to the lineage of ``?of=database.table/column``, or lists what the text may mean."""
        if not self._access.permits(request):
            return unauthorized_page()
        text = request.query_params.get("of", "").replace("\0", "").strip()[:_MAX_PLACE]
        if not any(letter.isalnum() for letter in text):
            return _found_page("", FoundPlaces())
        if "/" in text:
            return RedirectResponse(f"/lineage/{quote(text, safe='/')}", HTTPStatus.SEE_OTHER)
        found = self._daemon.places(text, _MAX_PLACES)
        if (address := _address_of(found.named)) or (
            len(found.similar) == 1 and (address := _address_of(found.similar[0]))
        ):
            return RedirectResponse(address, HTTPStatus.SEE_OTHER)
        return _found_page(text, found)

    def lineage(self, request: Request) -> Page | Response:
        """The lineage of ``database.table`` or ``database.table/column``."""
        if not self._access.permits(request):
            return unauthorized_page()
        if request.query_params.get("format") != "json" and prefers_html(
            request.headers.get("accept")
        ):
            return self._page(request)
        return self._json(request)

    def impact(self, request: Request) -> Page | Response:
        """The effects of dropping ``database.table`` or ``database.table/column``."""
        if not self._access.permits(request):
            return unauthorized_page()
        try:
            place = self._place(request.path_params["place"])
        except (MalformedName, SessionRefused) as error:
            return _trouble(NotFound(str(error)), HTTPStatus.BAD_REQUEST)
        found = self._daemon.lineage(
            place.relation, place.column, Direction.DOWNSTREAM, None, _MOST_REACHED
        )
        if isinstance(found, NotFound):
            return _not_found(found, place)
        return Page.of(impact_page(found, self._packages))

    def _json(self, request: Request) -> Response:
        try:
            direction, depth = _way(request)
            place = self._place(request.path_params["place"])
        except (MalformedName, SessionRefused, ValueError) as error:
            return JSONResponse({"error": str(error)}, HTTPStatus.BAD_REQUEST, _NO_STORE)
        found = self._daemon.lineage(place.relation, place.column, direction, depth)
        if isinstance(found, NotFound) and (address := self._column_address(request, place)):
            return RedirectResponse(address, HTTPStatus.SEE_OTHER)
        if isinstance(found, NotFound):
            answer = {"error": found.reason, "similar": list(found.similar)}
            return JSONResponse(answer, HTTPStatus.NOT_FOUND, _NO_STORE)
        return JSONResponse(traced_json(found), headers=_NO_STORE)

    def _page(self, request: Request) -> Page | Response:
        try:
            shown = _shown(request)
            place = self._place(request.path_params["place"])
        except (MalformedName, SessionRefused, ValueError) as error:
            return _trouble(NotFound(str(error)), HTTPStatus.BAD_REQUEST)
        page = (
            self._relation(place.relation, shown)
            if place.column is None
            else self._column(place.relation, place.column, shown)
        )
        if isinstance(page, NotFound) and (address := self._column_address(request, place)):
            return RedirectResponse(address, HTTPStatus.SEE_OTHER)
        if isinstance(page, NotFound):
            return _not_found(page, place)
        return Page.of(page)

    def _relation(self, relation: RelationName, shown: Shown) -> bytes | NotFound:
        upstream = shown.depth if shown.shows(Direction.UPSTREAM) else 0
        downstream = shown.depth if shown.shows(Direction.DOWNSTREAM) else 0
        around = self._daemon.neighbourhood(relation, upstream, downstream)
        if isinstance(around, NotFound):
            return around
        columns = self._daemon.lineage(relation, None, Direction.UPSTREAM, 1)
        named = () if isinstance(columns, NotFound) else columns.columns
        return relation_lineage_page(around, named, shown)

    def _column(self, relation: RelationName, column: str, shown: Shown) -> bytes | NotFound:
        answers = []
        for direction in Direction:
            if shown.shows(direction):
                found = self._daemon.lineage(relation, column, direction, shown.depth)
                if isinstance(found, NotFound):
                    return found
                answers.append(found)
        return column_page(answers, shown)

    def _column_address(self, request: Request, place: _Place) -> str:
        """The address of a column whose name follows a dot instead of a slash; "" if there is no such column."""
        if place.column is not None:
            return ""
        address = _address_of(self._daemon.places(str(place.relation), 0).named)
        return f"{address}?{request.url.query}" if address and request.url.query else address

    def _place(self, stated: str) -> _Place:
        """Parses the path of an address: a relation, and perhaps a column.

        Raises:
            MalformedName, SessionRefused
        """
        found = _RELATION_AND_COLUMN.fullmatch(stated)
        if found is None:
            return _Place(self._daemon.named(stated), None)
        return _Place(self._daemon.named(found["relation"]), found["column"])


def _shown(request: Request) -> Shown:
    """Parses ``?direction=both&depth=2&show=values``; the defaults are both, two steps, and everything.

    Raises:
        ValueError: a value is invalid; the message says what is allowed.
    """
    stated = request.query_params.get("direction", _BOTH)
    only = None if stated == _BOTH else _direction(stated, f"upstream, downstream or {_BOTH}")
    depth = request.query_params.get("depth", str(_DEFAULT_DEPTH))
    steps = None if depth == _ALL else _steps(depth, f", or {_ALL}")
    show = request.query_params.get("show", "everything")
    if show not in {"everything", "values"}:
        raise ValueError("show is everything or values")
    return Shown(only, steps, only_values=show == "values")


def _way(request: Request) -> tuple[Direction, int | None]:
    """Parses ``?direction=downstream&depth=2``; the defaults are upstream and no limit.

    Raises:
        ValueError: a value is invalid; the message says what is allowed.
    """
    stated = request.query_params.get("direction", Direction.UPSTREAM.value)
    direction = _direction(stated, "upstream or downstream")
    depth = request.query_params.get("depth")
    return direction, None if depth is None else _steps(depth, "")


def _direction(stated: str, allowed: str) -> Direction:
    try:
        return Direction(stated)
    except ValueError:
        raise ValueError(f"direction is {allowed}") from None


def _steps(stated: str, other: str) -> int:
    if not _DEPTH.fullmatch(stated):
        raise ValueError(f"depth is a number from 1 to 9999{other}")
    return int(stated)


def _address_of(place: Place | None) -> str:
    return "" if place is None else lineage_address(str(place.relation), place.column)


def _found_page(text: str, found: FoundPlaces) -> Page:
    status = HTTPStatus.NOT_FOUND if text and not found.similar else HTTPStatus.OK
    return Page.of(lineage_search_page(text, found), status=status)


def _not_found(found: NotFound, place: _Place) -> Page:
    relation = "" if place.column is None else str(place.relation)
    return _trouble(found, HTTPStatus.NOT_FOUND, relation)


def _trouble(found: NotFound, status: HTTPStatus, relation: str = "") -> Page:
    return Page.of(unknown_lineage_page(found, relation), status=status)
