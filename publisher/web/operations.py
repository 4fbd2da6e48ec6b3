"""Pages about the daemon, for operators and monitoring: dashboard, health, metrics."""

from __future__ import annotations

from collections.abc import Sequence
from http import HTTPStatus
from typing import Final

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from publisher.index.protocol import PackageIndexError
from publisher.web.access import Access
from publisher.web.dashboard import dashboard
from publisher.web.responses import Body, page_response
from publisher.web.served_index import ServedIndex
from publisher.web.status import Daemon

MAX_QUERY: Final = 200
_NO_STORE: Final = {"Cache-Control": "no-store"}


class OperationsPages:
    """Handlers are plain functions, which Starlette runs in threads."""

    def __init__(
        self, index: ServedIndex | None, daemon: Daemon, registry: CollectorRegistry, access: Access
    ) -> None:
        self._index = index
        self._daemon = daemon
        self._registry = registry
        self._access = access

    def routes(self) -> Sequence[Route]:
        return (
            Route("/", self.start),
            Route("/operations", self.dashboard),
            Route("/metrics", self.metrics),
        )

    def start(self, request: Request) -> Response:
        """The dashboard; for others than operators the packages, where there are any."""
        if self._index is not None and not self._access.permits(request):
            return packages_page(request, self._index)
        return self.dashboard(request)

    def dashboard(self, request: Request) -> Response:
        if not self._access.permits(request):
            return _unauthorized()
        page = dashboard(self._daemon.status(), self._projects(), _query(request))
        return page_response(request, Body.of(page), "text/html")

    def _projects(self) -> Sequence[str] | None:
        """None also while the index cannot be read: the page is there to say so."""
        try:
            return self._index.projects() if self._index else None
        except PackageIndexError:
            return None

    def metrics(self, request: Request) -> Response:
        if not self._access.permits(request):
            return _unauthorized()
        headers = {"Content-Type": CONTENT_TYPE_LATEST, **_NO_STORE}
        return Response(generate_latest(self._registry), headers=headers)


class HealthChecks:
    """For probes, which have no credentials: what fails is named, and why only to operators."""

    def __init__(self, daemon: Daemon, access: Access) -> None:
        self._daemon = daemon
        self._access = access

    def routes(self) -> Sequence[Route]:
        return (Route("/health/live", self.live), Route("/health/ready", self.ready))

    async def live(self, request: Request) -> Response:  # noqa: ARG002
        # On the server's own thread: it waits for no free one, and reads nothing.
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


def packages_page(request: Request, index: ServedIndex) -> Response:
    page = dashboard(None, index.projects(), _query(request))
    return page_response(request, Body.of(page), "text/html")


def _query(request: Request) -> str:
    return request.query_params.get("q", "")[:MAX_QUERY]


def _health(name: str, healthy: bool, reason: str) -> Response:
    status = HTTPStatus.OK if healthy else HTTPStatus.SERVICE_UNAVAILABLE
    return JSONResponse({name: healthy, "reason": reason}, status, _NO_STORE)


def _unauthorized() -> Response:
    challenge = 'Basic realm="schema-publisher operations", charset="UTF-8"'
    headers = {"WWW-Authenticate": challenge, **_NO_STORE}
    return PlainTextResponse("the operations token is needed\n", HTTPStatus.UNAUTHORIZED, headers)
