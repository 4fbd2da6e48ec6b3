"""The daemon over HTTP, read-only: packages for pip and uv, health, metrics and a page for people."""

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
from publisher.web.answers import Body, is_known, page_answer
from publisher.web.constraints import constraints
from publisher.web.dashboard import dashboard
from publisher.web.markup import CONTENT_SECURITY_POLICY
from publisher.web.negotiation import page_type
from publisher.web.packages import PackagePages, to_all_packages, to_package
from publisher.web.status import RelationSummary, Status

_IMMUTABLE: Final = "public, max-age=31536000, immutable"
_METADATA: Final = ".metadata"


def create_app(
    index: StaticIndex | None,
    status: Callable[[], Status],
    *,
    summarize: Callable[[RelationName], RelationSummary | None] = lambda _: None,
    registry: CollectorRegistry = REGISTRY,
) -> Starlette:
    """``index`` is None where packages go to a server of someone else.

    Then there is no /simple/, and no /packages/. ``summarize`` is asked for what the daemon knows of
    a relation whose package is shown.
    """
    pages = _Pages(index, status, registry)
    routes = [
        Route("/", pages.dashboard),
        Route("/health/live", pages.live),
        Route("/health/ready", pages.ready),
        Route("/metrics", pages.metrics),
    ]
    if index is not None:
        packages = _Packages(index)
        people = PackagePages(index, summarize)
        routes += [
            Route("/constraints.txt", packages.constraints),
            Route("/simple", _to_folder),
            Route("/simple/", packages.root),
            Route("/simple/{project}", _to_folder),
            Route("/simple/{project}/", packages.project),
            Route("/simple/{project}/{filename}", packages.file),
            Route("/packages", to_all_packages),
            Route("/packages/", to_all_packages),
            Route("/packages/{project}", people.package),
            Route("/packages/{project}/", to_package),
        ]
    return Starlette(
        routes=routes,
        middleware=[Middleware(_ReadOnly)],
        exception_handlers={IndexUnavailable: _unavailable},
    )


class _Pages:
    """What there is beside packages. Handlers are no coroutines: Starlette runs them in threads."""

    def __init__(
        self,
        index: StaticIndex | None,
        status: Callable[[], Status],
        registry: CollectorRegistry,
    ) -> None:
        self._index = index
        self._status = status
        self._registry = registry

    def dashboard(self, request: Request) -> Response:
        projects = self._index.projects() if self._index else None
        search = request.query_params.get("q", "")[:200]
        page = dashboard(self._status(), projects, search)
        return page_answer(request, Body.of(page), "text/html")

    def live(self, request: Request) -> Response:  # noqa: ARG002
        status = self._status()
        return _health("live", status.live, status.reason)

    def ready(self, request: Request) -> Response:  # noqa: ARG002
        status = self._status()
        return _health("ready", status.live and status.ready, status.reason)

    def metrics(self, request: Request) -> Response:  # noqa: ARG002
        headers = {"Content-Type": CONTENT_TYPE_LATEST, "Cache-Control": "no-store"}
        return Response(generate_latest(self._registry), headers=headers)


class _Packages:
    def __init__(self, index: StaticIndex) -> None:
        self._index = index

    def root(self, request: Request) -> Response:
        projects = self._index.projects()
        kind = _wanted(request)
        body = root_to_json(projects) if kind == JSON_TYPE else root_to_html(projects)
        return _page(request, body, kind)

    def project(self, request: Request) -> Response:
        asked = request.path_params["project"]
        name = canonicalize_name(asked)
        page = self._index.page(name)
        if page is None:
            raise HTTPException(404, "there is no such package")
        if name != asked:
            return RedirectResponse(f"/simple/{name}/", 301)
        kind = _wanted(request)
        return _page(request, page_to_json(page) if kind == JSON_TYPE else page_to_html(page), kind)

    def file(self, request: Request) -> Response:
        """Only what the page lists is served, so that no path is ever made of untrusted text."""
        project, filename = request.path_params["project"], request.path_params["filename"]
        page = self._index.page(project)
        listed = page.file(filename.removesuffix(_METADATA)) if page else None
        if listed is None:
            raise HTTPException(404, "there is no such file")
        is_metadata = filename.endswith(_METADATA)
        sha256 = listed.metadata_sha256 if is_metadata else listed.sha256
        path = self._index.file_path(listed.filename)
        path = path.with_name(path.name + _METADATA) if is_metadata else path
        if sha256 is None or not path.is_file():
            raise HTTPException(404, "there is no such file")
        headers = {"ETag": f'"{sha256}"', "Cache-Control": _IMMUTABLE}
        if is_known(request, headers["ETag"]):
            return Response(status_code=304, headers=headers)
        media_type = "text/plain; charset=utf-8" if is_metadata else "application/octet-stream"
        return FileResponse(path, headers=headers, media_type=media_type, stat_result=path.stat())

    def constraints(self, request: Request) -> Response:
        pages = (self._index.page(project) for project in self._index.projects())
        body = constraints(page for page in pages if page is not None)
        return _page(request, body.encode(), "text/plain")


class _ReadOnly:
    """Refuses all that could change something, and puts the security headers on every answer."""

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


def _to_folder(request: Request) -> Response:
    project = request.path_params.get("project")
    return RedirectResponse(
        f"/simple/{canonicalize_name(project)}/" if project else "/simple/", 301
    )


def _wanted(request: Request) -> str:
    kind = page_type(request.query_params.get("format") or request.headers.get("accept"))
    if kind is None:
        raise HTTPException(406, "the simple API is served as HTML and as JSON of version 1")
    return kind


def _page(request: Request, body: bytes, media_type: str) -> Response:
    return page_answer(request, Body.of(body), media_type)


def _health(name: str, *answer: bool | str) -> Response:
    good, reason = answer
    content = {name: good, "reason": reason}
    return JSONResponse(content, 200 if good else 503, headers={"Cache-Control": "no-store"})


def _unavailable(request: Request, error: Exception) -> Response:  # noqa: ARG001
    """The reason names paths of this machine: it goes to the log of whoever raised it, not out."""
    return PlainTextResponse("the package index cannot be read\n", 503, {"Retry-After": "5"})
