"""Pages about the daemon, for operators and monitoring: dashboard, relations, metrics."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from http import HTTPStatus
from typing import Final

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from lakeschema.catalog.errors import MalformedName, SessionRefused
from lakeschema.catalog.identifiers import RelationName
from publisher.lineage.questions import NotFound
from publisher.lineage.values import Direction
from publisher.state.protocol import StateUnavailable
from publisher.web.access import Access, unauthorized_page
from publisher.web.addresses import relation_address
from publisher.web.catalogue import CataloguePages
from publisher.web.dashboard import MAX_HITS, dashboard
from publisher.web.kept_pages import KeptPages
from publisher.web.lineage import LineagePages
from publisher.web.overview import Overview
from publisher.web.package_sites import NO_PAGES, PackageSite
from publisher.web.packages import PackagePages, asked
from publisher.web.relation_page import relation_page, unknown_relation_page
from publisher.web.responses import Page
from publisher.web.status import Daemon, FoundRelations, version_of

_MAX_NAME: Final = 300
_NO_STORE: Final = {"Cache-Control": "no-store"}


class OperationsPages:
    def __init__(
        self,
        packages: PackagePages | None,
        daemon: Daemon,
        registry: CollectorRegistry,
        access: Access,
        on_site: PackageSite = NO_PAGES,
    ) -> None:
        """The pages of this daemon. Leave ``packages`` out if another server has the packages."""
        self._packages = packages
        self._on_site = on_site
        self._daemon = daemon
        self._registry = registry
        self._access = access

    def routes(self, pages: KeptPages) -> Sequence[Route]:
        return (
            Route("/", pages.handler(self.start, self._version)),
            Route("/operations", pages.handler(self.dashboard, self._version)),
            Route("/relations", _to_start),
            Route("/relations/", _to_start),
            Route(
                "/relations/{relation:any_text}",
                pages.handler(self.relation, version_of(self._daemon)),
            ),
            *CataloguePages(self._daemon, self._access, self._on_site).routes(pages),
            *LineagePages(self._daemon, self._access, self._on_site).routes(pages),
            Route("/metrics", self.metrics),
        )

    def _version(self, request: Request) -> Hashable:  # noqa: ARG002
        """The version of a page. It changes with the daemon's troubles, so a new trouble shows at once."""
        troubles = tuple(sorted(self._daemon.troubles().items()))
        return self._daemon.version(), self._daemon.is_live(), troubles

    def start(self, request: Request) -> Page | Response:
        """The dashboard for operators; the packages, if any, for other readers."""
        if self._packages is not None and not self._access.permits(request):
            return self._packages.listing(request)
        return self.dashboard(request)

    def dashboard(self, request: Request) -> Page | Response:
        if not self._access.permits(request):
            return unauthorized_page()
        query = asked(request)
        page = dashboard(
            self._daemon.status(), self._overview(), self._found(query), query, self._on_site
        )
        return Page.of(page)

    def _overview(self) -> Overview | None:
        """The overview for the dashboard; None if the state cannot be read."""
        try:
            return self._daemon.overview()
        except StateUnavailable:
            return None

    def _found(self, query: str) -> FoundRelations | None:
        """The relations that match; None if the state cannot be read, which the page then says."""
        try:
            return self._daemon.search(query, MAX_HITS)
        except StateUnavailable:
            return None

    def relation(self, request: Request) -> Page | Response:
        if not self._access.permits(request):
            return unauthorized_page()
        stated: str = request.path_params["relation"]
        try:
            name = self._daemon.named(stated)
        except (MalformedName, SessionRefused):
            return _unknown_relation(stated, ())
        details = self._daemon.relation(name)
        if details is None:
            return _unknown_relation(stated, self._daemon.similar(name))
        if details.relation != stated:
            return RedirectResponse(
                relation_address(details.relation), HTTPStatus.MOVED_PERMANENTLY
            )
        package = self._on_site.checked_link(details.distribution)
        return Page.of(relation_page(details, package, self._columns(name)))

    def _columns(self, relation: RelationName) -> Sequence[str]:
        """The columns of the relation that have a page of their lineage."""
        found = self._daemon.lineage(relation, None, Direction.UPSTREAM, 1)
        return () if isinstance(found, NotFound) else found.columns

    def metrics(self, request: Request) -> Response:
        if not self._access.permits(request):
            return unauthorized_page()
        headers = {"Content-Type": CONTENT_TYPE_LATEST, **_NO_STORE}
        return Response(generate_latest(self._registry), headers=headers)


def _to_start(request: Request) -> Response:  # noqa: ARG001
    return RedirectResponse("/", HTTPStatus.FOUND)


def _unknown_relation(stated: str, similar: Sequence[str]) -> Page:
    page = unknown_relation_page(stated[:_MAX_NAME], similar)
    return Page.of(page, status=HTTPStatus.NOT_FOUND)
