"""Pages about the daemon, for operators and monitoring: dashboard, relations, health, metrics."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence
from http import HTTPStatus
from typing import Final

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from starlette.convertors import Convertor, register_url_convertor
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from lakeschema.catalog.errors import MalformedName
from lakeschema.catalog.identifiers import RelationName
from publisher.lineage.lineage_json import traced_json
from publisher.lineage.questions import NotFound
from publisher.lineage.values import Direction
from publisher.state.protocol import StateUnavailable
from publisher.web.access import Access, unauthorized_page
from publisher.web.addresses import relation_address
from publisher.web.dashboard import MAX_HITS, dashboard
from publisher.web.packages import PackagePages, asked
from publisher.web.relation_page import relation_page, unknown_relation_page
from publisher.web.responses import Body, page_response
from publisher.web.status import Daemon, FoundRelations

LIVE_ADDRESS: Final = "/health/live"

_MAX_NAME: Final = 300
_DEPTH: Final = re.compile("[1-9][0-9]{0,3}", re.ASCII)
_NO_STORE: Final = {"Cache-Control": "no-store"}


class _AnyText(Convertor[str]):
    """Like ``path``, but also accepts line ends, which a name may have."""

    regex = r"[\s\S]+"

    def convert(self, value: str) -> str:
        return value

    def to_string(self, value: str) -> str:
        return value


register_url_convertor("any_text", _AnyText())


class OperationsPages:
    """Handlers are plain functions, which Starlette runs in threads."""

    def __init__(
        self,
        packages: PackagePages | None,
        daemon: Daemon,
        registry: CollectorRegistry,
        access: Access,
        *,
        translates: bool = False,
    ) -> None:
        """``packages``: None if packages are uploaded to another server's index.

        ``translates``: whether translations have a page, too.
        """
        self._translates = translates
        self._packages = packages
        self._daemon = daemon
        self._registry = registry
        self._access = access

    def routes(self) -> Sequence[Route]:
        return (
            Route("/", self.start),
            Route("/operations", self.dashboard),
            Route("/relations", _to_start),
            Route("/relations/", _to_start),
            Route("/relations/{relation:any_text}", self.relation),
            Route("/lineage/{place:any_text}", self.lineage),
            Route("/metrics", self.metrics),
        )

    def start(self, request: Request) -> Response:
        """The dashboard for operators; the packages, if any, for other readers."""
        if self._packages is not None and not self._access.permits(request):
            return self._packages.listing(request)
        return self.dashboard(request)

    def dashboard(self, request: Request) -> Response:
        if not self._access.permits(request):
            return unauthorized_page()
        query = asked(request)
        has_page = None if self._packages is None else self._packages.has_page
        page = dashboard(
            self._daemon.status(), self._found(query), query, has_page, translates=self._translates
        )
        return page_response(request, Body.of(page), "text/html")

    def _found(self, query: str) -> FoundRelations | None:
        """None if the state cannot be read: the page is still needed to say so."""
        try:
            return self._daemon.search(query, MAX_HITS)
        except StateUnavailable:
            return None

    def relation(self, request: Request) -> Response:
        if not self._access.permits(request):
            return unauthorized_page()
        stated: str = request.path_params["relation"]
        try:
            name = RelationName.parse(stated)
        except MalformedName:
            return _unknown_relation(request, stated, ())
        details = self._daemon.relation(name)
        if details is None:
            return _unknown_relation(request, stated, self._daemon.similar(name))
        if details.relation != stated:
            return RedirectResponse(
                relation_address(details.relation), HTTPStatus.MOVED_PERMANENTLY
            )
        has_page = self._packages is not None and self._packages.has_page(details.distribution)
        body = Body.of(relation_page(details, has_package_page=has_page))
        return page_response(request, body, "text/html")

    def lineage(self, request: Request) -> Response:
        """The lineage of ``database.table`` or ``database.table/column`` as JSON."""
        if not self._access.permits(request):
            return unauthorized_page()
        try:
            direction, depth = _way(request)
            relation, column = _relation_and_column(request.path_params["place"])
        except (MalformedName, ValueError) as error:
            return JSONResponse({"error": str(error)}, HTTPStatus.BAD_REQUEST, _NO_STORE)
        found = self._daemon.lineage(relation, column, direction, depth)
        if isinstance(found, NotFound):
            answer = {"error": found.reason, "similar": list(found.similar)}
            return JSONResponse(answer, HTTPStatus.NOT_FOUND, _NO_STORE)
        return JSONResponse(traced_json(found), headers=_NO_STORE)

    def metrics(self, request: Request) -> Response:
        if not self._access.permits(request):
            return unauthorized_page()
        headers = {"Content-Type": CONTENT_TYPE_LATEST, **_NO_STORE}
        return Response(generate_latest(self._registry), headers=headers)


class HealthChecks:
    """For probes, which have no credentials: failing parts are named, the reasons only for operators."""

    def __init__(self, daemon: Daemon, access: Access) -> None:
        self._daemon = daemon
        self._access = access

    def routes(self) -> Sequence[Route]:
        return (Route(LIVE_ADDRESS, self.live), Route("/health/ready", self.ready))

    async def live(self, request: Request) -> Response:  # noqa: ARG002
        # Runs on the server's event loop: it needs no free thread, and reads nothing.
        is_live = self._daemon.is_live()
        return _health("live", is_live, "" if is_live else "a thread has ended")

    def ready(self, request: Request) -> Response:
        troubles = self._daemon.troubles()
        reveals = self._access.reveals(request)
        parts = (
            f"{part}: {why}" if reveals else part.partition(" ")[0]
            for part, why in sorted(troubles.items())
        )
        return _health("ready", not troubles, "; ".join(dict.fromkeys(parts)))


def _way(request: Request) -> tuple[Direction, int | None]:
    """Parses ``?direction=downstream&depth=2``; the defaults are upstream and no limit.

    Raises:
        ValueError: a value is invalid; the message says what is allowed.
    """
    stated = request.query_params.get("direction", Direction.UPSTREAM.value)
    if stated not in {each.value for each in Direction}:
        raise ValueError("direction is upstream or downstream")
    depth = request.query_params.get("depth")
    if depth is None:
        return Direction(stated), None
    if not _DEPTH.fullmatch(depth):
        raise ValueError("depth is a number from 1 to 9999")
    return Direction(stated), int(depth)


def _relation_and_column(stated: str) -> tuple[RelationName, str | None]:
    relation, _, column = stated.rpartition("/")
    if relation and column:
        # A slash inside back-ticks is part of a name.
        with contextlib.suppress(MalformedName):
            return RelationName.parse(relation), column
    return RelationName.parse(stated), None


def _to_start(request: Request) -> Response:  # noqa: ARG001
    return RedirectResponse("/", HTTPStatus.FOUND)


def _unknown_relation(request: Request, stated: str, similar: Sequence[str]) -> Response:
    body = Body.of(unknown_relation_page(stated[:_MAX_NAME], similar))
    return page_response(request, body, "text/html", status=HTTPStatus.NOT_FOUND)


def _health(name: str, healthy: bool, reason: str) -> Response:
    status = HTTPStatus.OK if healthy else HTTPStatus.SERVICE_UNAVAILABLE
    return JSONResponse({name: healthy, "reason": reason}, status, _NO_STORE)
