"""The daemon over HTTP, read-only: packages for installers, pages for people, health, metrics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from packaging.utils import canonicalize_name
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, generate_latest
from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import (
    FileResponse,
    JSONResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
)
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lakeschema.catalog.identifiers import RelationName
from publisher.index.protocol import IndexUnavailable
from publisher.index.simple_page import (
    JSON_TYPE,
    page_to_html,
    page_to_json,
    root_to_html,
    root_to_json,
)
from publisher.index.static import StaticIndex
from publisher.web.constraints import constraints
from publisher.web.dashboard import dashboard
from publisher.web.negotiation import page_type
from publisher.web.packages import (
    PackagePages,
    redirect_to_package,
    redirect_to_package_list,
)
from publisher.web.rendering import CONTENT_SECURITY_POLICY
from publisher.web.responses import Body, is_not_modified, page_response
from publisher.web.status import RelationSummary, ServiceStatus

_IMMUTABLE: Final = "public, max-age=31536000, immutable"
_METADATA: Final = ".metadata"
_MAX_QUERY: Final = 200


def create_app(
    index: StaticIndex | None,
    status: Callable[[], ServiceStatus],
    *,
    summarize: Callable[[RelationName], RelationSummary | None] = lambda _: None,
    registry: CollectorRegistry = REGISTRY,
) -> Starlette:
    """The application.

    Args:
        index: None where packages are uploaded to another server; then neither /simple/ nor
            /packages/ exists.
        status: the daemon's present state.
        summarize: what the daemon knows of a relation whose package is shown.
        registry: the metrics.
    """
    pages = _DaemonPages(index, status, registry)
    routes = [
        Route("/", pages.dashboard),
        Route("/health/live", pages.live),
        Route("/health/ready", pages.ready),
        Route("/metrics", pages.metrics),
    ]
    if index is not None:
        simple = _SimpleIndex(index)
        packages = PackagePages(index, summarize)
        routes += [
            Route("/constraints.txt", simple.constraints),
            Route("/simple", _redirect_to_folder),
            Route("/simple/", simple.root),
            Route("/simple/{project}", _redirect_to_folder),
            Route("/simple/{project}/", simple.project),
            Route("/simple/{project}/{filename}", simple.file),
            Route("/packages", redirect_to_package_list),
            Route("/packages/", redirect_to_package_list),
            Route("/packages/{project}", packages.package),
            Route("/packages/{project}/", redirect_to_package),
        ]
    return Starlette(
        routes=routes,
        middleware=[Middleware(_ReadOnly)],
        exception_handlers={IndexUnavailable: _index_unavailable},
    )


class _DaemonPages:
    """Pages about the daemon. Handlers are plain functions, which Starlette runs in threads."""

    def __init__(
        self,
        index: StaticIndex | None,
        status: Callable[[], ServiceStatus],
        registry: CollectorRegistry,
    ) -> None:
        self._index = index
        self._status = status
        self._registry = registry

    def dashboard(self, request: Request) -> Response:
        projects = self._index.projects() if self._index else None
        query = request.query_params.get("q", "")[:_MAX_QUERY]
        page = dashboard(self._status(), projects, query)
        return page_response(request, Body.of(page), "text/html")

    def live(self, request: Request) -> Response:  # noqa: ARG002
        status = self._status()
        return _health("live", status.live, status.reason)

    def ready(self, request: Request) -> Response:  # noqa: ARG002
        status = self._status()
        return _health("ready", status.live and status.ready, status.reason)

    def metrics(self, request: Request) -> Response:  # noqa: ARG002
        headers = {"Content-Type": CONTENT_TYPE_LATEST, "Cache-Control": "no-store"}
        return Response(generate_latest(self._registry), headers=headers)


class _SimpleIndex:
    """Packages for installers: PEP 503, 691 and 658."""

    def __init__(self, index: StaticIndex) -> None:
        self._index = index

    def root(self, request: Request) -> Response:
        projects = self._index.projects()
        media_type = _negotiate(request)
        body = root_to_json(projects) if media_type == JSON_TYPE else root_to_html(projects)
        return _respond(request, body, media_type)

    def project(self, request: Request) -> Response:
        project = request.path_params["project"]
        name = canonicalize_name(project)
        page = self._index.page(name)
        if page is None:
            raise HTTPException(404, "no such package")
        if name != project:
            return RedirectResponse(f"/simple/{name}/", 301)
        media_type = _negotiate(request)
        body = page_to_json(page) if media_type == JSON_TYPE else page_to_html(page)
        return _respond(request, body, media_type)

    def file(self, request: Request) -> Response:
        """Only a listed file is served, so that no path is made of untrusted input."""
        project, filename = request.path_params["project"], request.path_params["filename"]
        page = self._index.page(project)
        listed = page.file(filename.removesuffix(_METADATA)) if page else None
        if listed is None:
            raise HTTPException(404, "no such file")
        is_metadata = filename.endswith(_METADATA)
        sha256 = listed.metadata_sha256 if is_metadata else listed.sha256
        path = self._index.file_path(listed.filename)
        path = path.with_name(path.name + _METADATA) if is_metadata else path
        if sha256 is None or not path.is_file():
            raise HTTPException(404, "no such file")
        headers = {"ETag": f'"{sha256}"', "Cache-Control": _IMMUTABLE}
        if is_not_modified(request, headers["ETag"]):
            return Response(status_code=304, headers=headers)
        media_type = "text/plain; charset=utf-8" if is_metadata else "application/octet-stream"
        return FileResponse(path, headers=headers, media_type=media_type, stat_result=path.stat())

    def constraints(self, request: Request) -> Response:
        pages = (self._index.page(project) for project in self._index.projects())
        body = constraints(page for page in pages if page is not None)
        return _respond(request, body.encode(), "text/plain")


class _ReadOnly:
    """Refuses every method but GET and HEAD, and adds the security headers to every response."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers["Content-Security-Policy"] = CONTENT_SECURITY_POLICY
                headers["X-Content-Type-Options"] = "nosniff"
                headers["X-Frame-Options"] = "DENY"
                headers["Referrer-Policy"] = "no-referrer"
                headers["Cross-Origin-Opener-Policy"] = "same-origin"
            await send(message)

        if scope["method"] in {"GET", "HEAD"}:
            await self._app(scope, receive, send_with_headers)
            return
        refusal = PlainTextResponse("read-only\n", 405, {"Allow": "GET, HEAD"})
        await refusal(scope, receive, send_with_headers)


def _redirect_to_folder(request: Request) -> Response:
    project = request.path_params.get("project")
    return RedirectResponse(
        f"/simple/{canonicalize_name(project)}/" if project else "/simple/", 301
    )


def _negotiate(request: Request) -> str:
    media_type = page_type(request.query_params.get("format") or request.headers.get("accept"))
    if media_type is None:
        raise HTTPException(406, "supported formats: HTML, and JSON of the simple API, version 1")
    return media_type


def _respond(request: Request, body: bytes, media_type: str) -> Response:
    return page_response(request, Body.of(body), media_type)


def _health(name: str, healthy: bool, reason: str) -> Response:
    content = {name: healthy, "reason": reason}
    return JSONResponse(content, 200 if healthy else 503, headers={"Cache-Control": "no-store"})


def _index_unavailable(request: Request, error: Exception) -> Response:  # noqa: ARG001
    """Without the reason, which names paths of this machine and belongs in the log."""
    return PlainTextResponse("the package index cannot be read\n", 503, {"Retry-After": "5"})
