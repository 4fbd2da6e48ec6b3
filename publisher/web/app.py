"""The daemon's HTTP applications: packages for installers, pages, health, metrics and posted events."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from http import HTTPStatus
from typing import Final

from packaging.utils import canonicalize_name
from prometheus_client import REGISTRY, CollectorRegistry
from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import (
    FileResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
)
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from publisher.events.posted_events import EVENTS_ADDRESS
from publisher.index.project_folder import PROVENANCE_SUFFIX
from publisher.index.protocol import PackageIndexError
from publisher.index.simple_page import (
    JSON_TYPE,
    ListedFile,
    page_to_html,
    page_to_json,
    root_to_html,
    root_to_json,
)
from publisher.index.static import StaticIndex
from publisher.state.protocol import StateUnavailable
from publisher.web.access import UNPROTECTED, Access
from publisher.web.changes import CHANGES_ADDRESS, ChangesPages
from publisher.web.differences import DifferencePages
from publisher.web.event_posts import EventPosts, Inbox
from publisher.web.health import HealthChecks
from publisher.web.kept_pages import KeptPages
from publisher.web.limited_requests import JsonService
from publisher.web.missing_pages import MissingPages
from publisher.web.navigation import OPERATORS_PAGES, WithNavigation
from publisher.web.negotiation import page_type
from publisher.web.operations import OperationsPages
from publisher.web.package_sites import PackageSite
from publisher.web.packages import (
    PLAIN_SITE,
    PackagePages,
    Site,
    redirect_to_package,
    redirect_to_package_list,
)
from publisher.web.pins import newest_pin, none_to_pin
from publisher.web.rendering import CONTENT_SECURITY_POLICY
from publisher.web.responses import Page, is_not_modified, page_response
from publisher.web.served_index import ServedIndex
from publisher.web.statement_checks import CHECK_ADDRESS, StatementChecks
from publisher.web.statements import STATEMENTS_ADDRESS, StatementsHeard
from publisher.web.status import Daemon, version_of
from publisher.web.translations import TRANSLATE_ADDRESS, Translations, Translator

_IMMUTABLE: Final = "public, max-age=31536000, immutable"
_METADATA: Final = ".metadata"
_PROVENANCE_TYPE: Final = "application/vnd.pypi.integrity.v1+json"

_MAX_TARGET_BYTES: Final = 4_096
_MAX_HEADER_BYTES: Final = 16_384
_MAX_HEADERS: Final = 100
_POSTED_TO: Final = frozenset({CHECK_ADDRESS, STATEMENTS_ADDRESS, TRANSLATE_ADDRESS})


def create_app(
    index: StaticIndex | None,
    daemon: Daemon,
    *,
    site: Site = PLAIN_SITE,
    registry: CollectorRegistry = REGISTRY,
    access: Access = UNPROTECTED,
    checker: JsonService | None = None,
    translator: Translator | None = None,
    listener: JsonService | None = None,
    inboxes: Sequence[Inbox] = (),
) -> Starlette:
    """The application with all pages at one address.

    Args:
        index: the folder of packages to serve. None if packages are uploaded to another server; then
            /simple/ and /packages/ do not exist.
        daemon: the daemon whose state the pages show.
        site: further data for the pages of packages.
        registry: the metrics.
        access: who may read the pages about the daemon.
        checker: checks statements; None if statements are not checked.
        translator: translates queries; None if translation is off.
        listener: learns from statements; None if statements are not accepted.
        inboxes: sources that take posted events.
    """
    served = None if index is None else ServedIndex(index)
    packages = None if served is None else PackagePages(served, site, access)
    on_site = PackageSite(None if packages is None else packages.has_page, site.index_url)
    pages = OperationsPages(packages, daemon, registry, access, on_site)
    health = HealthChecks(daemon, access, has_metrics=True)
    # The list of changes is public only if the pages of packages are at this address.
    reader = access if served is None else UNPROTECTED
    changes = ChangesPages(daemon, reader, site.public_url, has_pages=served is not None)
    # This route comes first, since the routes of packages match every address below /packages/.
    kept = KeptPages()
    routes = [*changes.routes(kept), *pages.routes(kept), *health.routes()]
    routes += _index_routes(served, packages, daemon)
    every = [*routes, *_request_routes(checker, translator, listener, access), *_posts(inboxes)]
    return _app(every, site, access, MissingPages(daemon, access, served))


def create_public_app(
    index: StaticIndex | None, daemon: Daemon, *, site: Site = PLAIN_SITE
) -> Starlette:
    """The public pages, for a deployment whose pages about the daemon have a separate port."""
    served = None if index is None else ServedIndex(index)
    packages = None if served is None else PackagePages(served, site)
    kept = KeptPages()
    health = HealthChecks(daemon, UNPROTECTED, has_metrics=False)
    routes = [*health.routes(), *_index_routes(served, packages, daemon)]
    if packages is not None:
        changes = ChangesPages(daemon, UNPROTECTED, site.public_url, has_pages=True)
        start = Route("/", kept.handler(packages.listing, version_of(daemon)))
        routes = [start, *changes.routes(kept), *routes]
    return _app(routes, site, None, MissingPages(daemon, None, served))


def create_operations_app(
    daemon: Daemon,
    *,
    site: Site = PLAIN_SITE,
    registry: CollectorRegistry = REGISTRY,
    access: Access,
    checker: JsonService | None = None,
    translator: Translator | None = None,
    listener: JsonService | None = None,
    inboxes: Sequence[Inbox] = (),
) -> Starlette:
    """The pages about the daemon, checks of statements, translations and posted events, without packages."""
    pages = OperationsPages(None, daemon, registry, access, PackageSite(None, site.index_url))
    changes = ChangesPages(daemon, access, None, has_pages=False)
    kept = KeptPages()
    health = HealthChecks(daemon, access, has_metrics=True)
    routes = [*changes.routes(kept), *pages.routes(kept), *health.routes()]
    every = [*routes, *_request_routes(checker, translator, listener, access), *_posts(inboxes)]
    return _app(every, site, access, MissingPages(daemon, access, None))


def _request_routes(
    checker: JsonService | None,
    translator: Translator | None,
    listener: JsonService | None,
    access: Access,
) -> Sequence[Route]:
    checks = () if checker is None else StatementChecks(checker, access).routes()
    translations = () if translator is None else Translations(translator, access).routes()
    heard = () if listener is None else StatementsHeard(listener, access).routes()
    return (*checks, *translations, *heard)


def _posts(inboxes: Sequence[Inbox]) -> Sequence[Route]:
    return EventPosts(inboxes).routes() if inboxes else ()


def _app(
    routes: Sequence[Route], site: Site, access: Access | None, missing: MissingPages
) -> Starlette:
    """The application of these routes, with its errors, limits and navigation.

    ``access`` says who may read the operators' pages; None if the application has none.
    """
    addresses = frozenset(route.path for route in routes)
    # The list of changes is public only with the pages of packages.
    is_public = "/packages/" in addresses
    operators = OPERATORS_PAGES if is_public else OPERATORS_PAGES | {CHANGES_ADDRESS}
    return Starlette(
        routes=routes,
        middleware=[
            Middleware(_ReadOnly),
            Middleware(
                WithNavigation,
                deployed=site.deployed,
                addresses=addresses,
                access=access,
                operators=operators,
            ),
        ],
        exception_handlers={
            HTTPStatus.NOT_FOUND: missing.page,
            PackageIndexError: _index_unavailable,
            StateUnavailable: _state_unavailable,
        },
    )


def _index_routes(
    index: ServedIndex | None, packages: PackagePages | None, daemon: Daemon
) -> Sequence[Route]:
    if index is None or packages is None:
        return ()
    differences = DifferencePages(packages.lookup, packages.wheels, packages.compare)
    listed = packages.lookup.listed
    # Comparisons take longest, so they have their own threads.
    kept, compared = KeptPages(), KeptPages()

    def version(request: Request) -> Hashable:
        return daemon.version(), listed(request)

    simple = _SimpleIndex(index)
    return (
        Route("/constraints.txt", simple.constraints),
        Route("/requirements.txt", simple.requirements),
        Route("/requirements/{project}.txt", simple.requirement),
        Route("/simple", _redirect_to_folder),
        Route("/simple/", simple.root),
        Route("/simple/{project}", _redirect_to_folder),
        Route("/simple/{project}/", simple.project),
        Route("/simple/{project}/{filename}", simple.file),
        Route("/packages", redirect_to_package_list),
        Route("/packages/", kept.handler(packages.listing, version_of(daemon))),
        Route("/packages/{project}", kept.handler(packages.package, version)),
        Route("/packages/{project}/", redirect_to_package),
        Route("/packages/{project}/diff", kept.handler(differences.choose, listed)),
        Route(
            "/packages/{project}/diff/{between}", compared.handler(differences.difference, listed)
        ),
        Route("/packages/{project}/{version}", kept.handler(packages.version, version)),
        Route("/packages/{project}/{version}/{file}", kept.handler(packages.raw, listed)),
    )


class _SimpleIndex:
    """Serves packages to installers: PEP 503, 691, 658 and 740."""

    def __init__(self, index: ServedIndex) -> None:
        self._served = index
        self._index = index.files

    def root(self, request: Request) -> Response:
        projects = self._served.projects()
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
        """Serves a file. Only listed files are served, so that no path is made from untrusted input."""
        project, filename = request.path_params["project"], request.path_params["filename"]
        page = self._index.page(project)
        if page is not None and filename.endswith(PROVENANCE_SUFFIX):
            return self._provenance(page.file(filename.removesuffix(PROVENANCE_SUFFIX)))
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

    def _provenance(self, listed: ListedFile | None) -> Response:
        """The provenance of a file, or 404. It may not be cached for ever: only a wheel's bytes never change."""
        found = (
            self._index.read_provenance(listed.filename) if listed and listed.provenance else None
        )
        if found is None:
            raise HTTPException(404, "no such file")
        return Response(found, media_type=_PROVENANCE_TYPE, headers={"Cache-Control": "no-cache"})

    def constraints(self, request: Request) -> Response:
        return _respond(request, self._served.pins().constraints().encode(), "text/plain")

    def requirements(self, request: Request) -> Response:
        return _respond(request, self._served.pins().requirements().encode(), "text/plain")

    def requirement(self, request: Request) -> Response:
        """One project's newest version with its hashes."""
        page = self._index.page(canonicalize_name(request.path_params["project"]))
        if page is None:
            raise HTTPException(404, "no such package")
        pin = newest_pin(page)
        if pin is None:
            raise HTTPException(404, none_to_pin(page))
        return _respond(request, f"{pin.hashed}\n".encode(), "text/plain")


class _ReadOnly:
    """Refuses requests that only a fault or an attack sends, and adds the security headers to every response."""

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

        answer = _refusal(scope) or self._app
        await answer(scope, receive, send_with_headers)


def _refusal(scope: Scope) -> Response | None:
    """The answer that refuses a request, or None if the request may pass.

    Only GET, HEAD, and POST to an address that takes it may pass, and only below the size limits.
    """
    path: str = scope["path"]
    is_posted = scope["method"] == "POST" and (
        path in _POSTED_TO or path.startswith(EVENTS_ADDRESS)
    )
    if scope["method"] not in {"GET", "HEAD"} and not is_posted:
        return PlainTextResponse("read-only\n", 405, {"Allow": "GET, HEAD"})
    if len(scope["raw_path"]) + len(scope["query_string"]) > _MAX_TARGET_BYTES:
        return PlainTextResponse("the address is too long\n", 414)
    headers = scope["headers"]
    size = sum(len(name) + len(value) for name, value in headers)
    if size > _MAX_HEADER_BYTES or len(headers) > _MAX_HEADERS:
        return PlainTextResponse("the headers are too large\n", 431)
    return None


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
    return page_response(request, Page.of(body, media_type))


def _index_unavailable(request: Request, error: Exception) -> Response:  # noqa: ARG001
    """Answers 503 without the reason: it names paths of this machine, so it is only logged."""
    return PlainTextResponse("the package index cannot be read\n", 503, {"Retry-After": "5"})


def _state_unavailable(request: Request, error: Exception) -> Response:  # noqa: ARG001
    """Answers 503 without the reason, which is only logged."""
    return PlainTextResponse("the state cannot be read\n", 503, {"Retry-After": "5"})
