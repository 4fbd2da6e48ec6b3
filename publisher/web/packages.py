"""/packages/: pages for people, from the index, the packages' wheels and the daemon's state."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Final

from packaging.utils import canonicalize_name
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from lakeschema.catalog.identifiers import RelationName
from publisher.index.protocol import PackageIndexError
from publisher.index.simple_page import ProjectPage
from publisher.state.protocol import StateUnavailable
from publisher.web.access import Access
from publisher.web.addresses import package_address
from publisher.web.code_sections import raw_files
from publisher.web.comparisons import Comparison, compare_wheels
from publisher.web.dashboard import package_list
from publisher.web.described_wheels import DescribedWheels
from publisher.web.descriptions import PackageDescription, describe
from publisher.web.navigation import UNNAMED, Deployed
from publisher.web.own_address import own_address
from publisher.web.package_lookup import PackageLookup
from publisher.web.package_page import package_page, package_view
from publisher.web.package_search import search_packages
from publisher.web.responses import Page
from publisher.web.served_index import ServedIndex
from publisher.web.status import FoundPackage, RelationSummary
from publisher.web.versions import ListedVersion

MAX_QUERY: Final = 200


@dataclass(frozen=True, slots=True)
class Site:
    """Further data for the pages of packages.

    Attributes:
        summarize: gives the daemon's summary of a relation.
        public_url: the address of the index that pages show, such as ``https://packages.example``;
            None shows the address that the reader used.
        describe: gives a wheel's description, or raises ``Undescribed``.
        compare: gives the difference of two wheels, old and new, or raises ``Undescribed``.
        search: finds published packages with a text in their fields or documentation.
        prefix: the common beginning of all packages' names.
        deployed: the name, colour and release of this deployment.
        index_url: another server's index without credentials, if packages are uploaded there.
    """

    summarize: Callable[[RelationName], RelationSummary | None] = lambda _: None
    public_url: str | None = None
    describe: Callable[[bytes], PackageDescription] = describe
    compare: Callable[[bytes, bytes], Comparison] = compare_wheels
    search: Callable[[str], Sequence[FoundPackage]] = lambda _: ()
    prefix: str = ""
    deployed: Deployed = UNNAMED
    index_url: str = ""


PLAIN_SITE: Final = Site()


class PackagePages:
    """Makes the pages of packages. Each wheel is read only once."""

    def __init__(self, index: ServedIndex, site: Site, relations: Access | None = None) -> None:
        """The pages of the packages in an index.

        ``relations`` says who may read the pages of relations; None without such pages.
        """
        self._served = index
        self._index = index.files
        self._relations = relations
        self._search = site.search
        self._prefix = site.prefix
        self._summarize = site.summarize
        self._public_url = site.public_url
        self.lookup = PackageLookup(index, site.prefix)
        self.compare = site.compare
        self.wheels = DescribedWheels(index.files, site.describe)

    def listing(self, request: Request) -> Page:
        query = asked(request)
        named = self._served.named_projects()
        try:
            said = self._search(query) if query else ()
        except StateUnavailable:
            said = ()
        found = search_packages(named.projects, named.keys, self._prefix, query, said)
        hits = tuple(replace(hit, newest=self._served.newest(hit.link.text)) for hit in found.hits)
        found = replace(found, hits=hits)
        return Page.of(package_list(found))

    def has_page(self, distribution: str) -> bool:
        try:
            return bool(distribution) and self._index.has(distribution)
        except PackageIndexError:
            return False

    def _shows_relations(self, request: Request) -> bool:
        return self._relations is not None and self._relations.permits(request)

    def package(self, request: Request) -> Page | Response:
        found = self.lookup.package(request)
        return self._page(request, found, None) if isinstance(found, ProjectPage) else found

    def version(self, request: Request) -> Page | Response:
        found = self.lookup.package(request)
        if not isinstance(found, ProjectPage):
            return found
        only = self.lookup.version(found, request.path_params["version"])
        return only if isinstance(only, Page) else self._page(request, found, only)

    def raw(self, request: Request) -> Page | Response:
        """The whole text of a part that the version's page shortens."""
        found = self.lookup.package(request)
        if not isinstance(found, ProjectPage):
            return found
        only = self.lookup.version(found, request.path_params["version"])
        if isinstance(only, Page):
            return only
        file = self.wheels.find_readable(only.files)
        description = self.wheels.describe(file) if file else None
        text = raw_files(description).get(request.path_params["file"]) if description else None
        if text is None:
            raise HTTPException(HTTPStatus.NOT_FOUND, "this version has no such file")
        return Page.of(f"{text}\n".encode("utf-8", "replace"), "text/plain")

    def _page(self, request: Request, page: ProjectPage, only: ListedVersion | None) -> Page:
        file = self.wheels.find_readable(page.files if only is None else only.files)
        description = self.wheels.describe(file) if file else None
        summary = self._summarize(description.contents.relation) if description else None
        neighbours = (*summary.upstreams, *summary.downstreams) if summary else ()
        packaged = frozenset(n.distribution for n in neighbours if self._index.has(n.distribution))
        view = package_view(
            page,
            f"{own_address(request, self._public_url)}/simple/",
            description,
            summary,
            packaged,
            shows_relations=self._shows_relations(request),
            only=only,
        )
        return Page.of(package_page(view))


def redirect_to_package(request: Request) -> Response:
    """Removes the slash at the end of the address."""
    name = canonicalize_name(request.path_params["project"])
    return RedirectResponse(package_address(name), HTTPStatus.MOVED_PERMANENTLY)


def redirect_to_package_list(request: Request) -> Response:  # noqa: ARG001
    return RedirectResponse("/packages/", HTTPStatus.MOVED_PERMANENTLY)


def asked(request: Request) -> str:
    """The text that a search page looks for; "" for everything."""
    return request.query_params.get("q", "")[:MAX_QUERY].strip()
