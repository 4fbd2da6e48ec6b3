"""/packages/: pages for people, from the index, each package's newest wheel and the daemon's state."""

from __future__ import annotations

import contextlib
import logging
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import sha256
from http import HTTPStatus
from typing import Final

from packaging.utils import canonicalize_name
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from lakeschema.catalog.identifiers import RelationName
from publisher.index.protocol import IndexFile, IndexRefused, PackageIndexError
from publisher.index.releases import by_version
from publisher.index.simple_page import ListedFile, ProjectPage
from publisher.similar_names import similar_names
from publisher.state.protocol import StateUnavailable
from publisher.web.access import Access
from publisher.web.addresses import package_address
from publisher.web.dashboard import package_list
from publisher.web.descriptions import PackageDescription, Undescribed, describe
from publisher.web.package_page import package_page, package_view, unknown_package_page
from publisher.web.package_search import search_packages
from publisher.web.responses import Body, page_response
from publisher.web.served_index import ServedIndex
from publisher.web.status import FoundPackage, RelationSummary

log = logging.getLogger(__name__)

MAX_QUERY: Final = 200
_MAX_CACHED: Final = 32
_MAX_WHEELS_READ: Final = 5
_MAX_NAME: Final = 200
_HOST: Final = re.compile(
    r"([A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(:[0-9]{1,5})?", re.ASCII
)


@dataclass(frozen=True, slots=True)
class Site:
    """Further data for the pages of packages.

    Attributes:
        summarize: the daemon's summary of a relation.
        public_url: the address of the index that pages show, such as ``https://packages.example``;
            None shows the address that the reader used.
        describe: a wheel's description, or ``Undescribed``.
        search: published packages with a text in their fields or documentation.
        prefix: the common beginning of all packages' names.
    """

    summarize: Callable[[RelationName], RelationSummary | None] = lambda _: None
    public_url: str | None = None
    describe: Callable[[bytes], PackageDescription] = describe
    search: Callable[[str], Sequence[FoundPackage]] = lambda _: ()
    prefix: str = ""


PLAIN_SITE: Final = Site()


class PackagePages:
    """Handlers that cache pages and wheels by everything that they depend on."""

    def __init__(self, index: ServedIndex, site: Site, relations: Access | None = None) -> None:
        """``relations``: who may read the pages of relations; None without such pages."""
        self._served = index
        self._index = index.files
        self._relations = relations
        self._search = site.search
        self._prefix = site.prefix
        self._summarize = site.summarize
        self._public_url = site.public_url
        self._describe_wheel = site.describe
        # A file never changes, and equal values give an equal page.
        self._describe = lru_cache(_MAX_CACHED)(self._read_wheel)
        self._render = lru_cache(_MAX_CACHED)(self._render_page)

    def listing(self, request: Request) -> Response:
        query = asked(request)
        named = self._served.named_projects()
        try:
            said = self._search(query) if query else ()
        except StateUnavailable:
            said = ()
        found = search_packages(named.projects, named.keys, self._prefix, query, said)
        hits = tuple(replace(hit, newest=self._served.newest(hit.link.text)) for hit in found.hits)
        found = replace(found, hits=hits)
        page = package_list(found, shows_relations=self._shows_relations(request))
        return page_response(request, Body.of(page), "text/html")

    def has_page(self, distribution: str) -> bool:
        try:
            return bool(distribution) and self._index.has(distribution)
        except PackageIndexError:
            return False

    def _shows_relations(self, request: Request) -> bool:
        return self._relations is not None and self._relations.permits(request)

    def package(self, request: Request) -> Response:
        project = request.path_params["project"]
        name = canonicalize_name(project)
        page = self._index.page(name)
        if page is None:
            similar = similar_names(name, self._served.projects())
            body = Body.of(unknown_package_page(project[:_MAX_NAME], similar))
            return page_response(request, body, "text/html", status=HTTPStatus.NOT_FOUND)
        if name != project:
            return RedirectResponse(package_address(name), HTTPStatus.MOVED_PERMANENTLY)
        file = self._find_newest_readable(page)
        description = self._describe(file) if file else None
        summary = self._summarize(description.contents.relation) if description else None
        neighbours = (*summary.upstreams, *summary.downstreams) if summary else ()
        packaged = frozenset(n.distribution for n in neighbours if self._index.has(n.distribution))
        simple_url = _simple_url(request, self._public_url)
        shows_relations = self._shows_relations(request)
        body = self._render(page, simple_url, file, summary, packaged, shows_relations)
        return page_response(request, body, "text/html")

    def _find_newest_readable(self, page: ProjectPage) -> ListedFile | None:
        """Our newest wheel.

        It may be yanked: a dropped relation's package still has a description.
        """
        wheels = [file for file in page.files if file.filename.endswith(".whl")]
        newest = sorted(wheels, key=by_version, reverse=True)
        for file in newest[:_MAX_WHEELS_READ]:
            # Errors are not cached: a missing file may come back, and a damaged one is repaired.
            with contextlib.suppress(IndexRefused):
                if self._describe(file) is not None:
                    return file
        return None

    def _read_wheel(self, file: ListedFile) -> PackageDescription | None:
        data = self._index.fetch(IndexFile(file.filename, file.version, file.url, file.sha256))
        if file.sha256 not in {None, sha256(data).hexdigest()}:
            raise IndexRefused(file.filename, "is damaged")
        try:
            return self._describe_wheel(data)
        except Undescribed as error:
            log.info("wheel not shown", extra={"wheel": file.filename, "reason": str(error)})
            return None

    def _render_page(
        self,
        page: ProjectPage,
        simple_url: str,
        file: ListedFile | None,
        summary: RelationSummary | None,
        packaged: frozenset[str],
        shows_relations: bool,
    ) -> Body:
        description = self._describe(file) if file else None
        view = package_view(
            page, simple_url, description, summary, packaged, shows_relations=shows_relations
        )
        return Body.of(package_page(view))


def redirect_to_package(request: Request) -> Response:
    """Removes the slash at the end of the address."""
    name = canonicalize_name(request.path_params["project"])
    return RedirectResponse(package_address(name), HTTPStatus.MOVED_PERMANENTLY)


def redirect_to_package_list(request: Request) -> Response:  # noqa: ARG001
    return RedirectResponse("/packages/", HTTPStatus.MOVED_PERMANENTLY)


def asked(request: Request) -> str:
    """The text that a search page looks for; "" for everything."""
    return request.query_params.get("q", "")[:MAX_QUERY].strip()


def _simple_url(request: Request, public_url: str | None) -> str:
    """The index's address for installers: ``public_url``, or the address that the reader used.

    A malformed host is not shown, because readers copy commands to a shell.
    """
    if public_url is not None:
        return f"{public_url.rstrip('/')}/simple/"
    host = request.headers.get("host", "")
    if not _HOST.fullmatch(host):
        server: tuple[str, int | None] = request.scope.get("server") or ("127.0.0.1", None)
        host = server[0] if server[1] is None else f"{server[0]}:{server[1]}"
    return f"{request.url.scheme}://{host}/simple/"
